package report

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Repetitions is the least number of repetitions of which a result says anything.
const Repetitions = 5

// Metric is something that is measured.
type Metric struct {
	Name    string `json:"name"`
	Unit    string `json:"unit"`
	NoRatio bool   `json:"no_ratio,omitempty"` // the ratio of systems says nothing
}

// Sample is one measured value.
type Sample struct {
	Metric     string  `json:"metric"`
	Case       string  `json:"case"` // what is compared within, such as "2 replicas"
	X          float64 `json:"x"`    // point of the axis; 0 where there is none
	System     string  `json:"system"`
	Repetition int     `json:"repetition"` // from 0
	Value      float64 `json:"value"`
}

// Point is where samples of several systems are compared.
type Point struct {
	Metric string
	Case   string
	X      float64
}

// Setting is something that was chosen for a run.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Verdict is a target, and whether it was reached: if all of the interval of the median is on the right side of it. It is undecided if a part
// is on either side.
type Verdict struct {
	What    string  `json:"what"`
	Got     float64 `json:"got"` // the median
	From    float64 `json:"from"`
	To      float64 `json:"to"`
	Wanted  float64 `json:"wanted"`
	AtMost  bool    `json:"at_most"`        // Wanted is an upper bound
	High    float64 `json:"high,omitempty"` // not 0: Wanted is the lower bound, and this the upper one
	Unit    string  `json:"unit,omitempty"` // empty: a ratio
	Reached bool    `json:"reached"`

	Undecided bool `json:"undecided,omitempty"`
	// Why it cannot be reached, or says nothing; empty if it stands.
	Invalid string `json:"invalid,omitempty"`
}

// String is the verdict in one line.
func (v Verdict) String() string {
	got, wanted, end := v.cells()
	return fmt.Sprintf("%s: %s, wanted %s: %s", v.What, got, wanted, end)
}

// cells are what was measured, what was wanted, and how it ended.
func (v Verdict) cells() (got, wanted, end string) {
	got, wanted, end = fmt.Sprintf("x%.2f", v.Got), fmt.Sprintf("at least %.4g", v.Wanted), "missed"
	switch {
	case v.High != 0:
		wanted = fmt.Sprintf("%.4g to %.4g", v.Wanted, v.High)
	case v.AtMost:
		wanted = fmt.Sprintf("at most %.4g", v.Wanted)
	}
	if v.Unit != "" {
		got, wanted = digits(v.Got), wanted+" "+v.Unit
	}
	if v.From != v.To {
		got += fmt.Sprintf(" (%s .. %s)", digits(v.From), digits(v.To))
	}
	if v.Unit != "" {
		got += " " + v.Unit
	}
	switch {
	case v.Invalid != "":
		end = "no verdict: " + v.Invalid
	case v.Undecided:
		end = "undecided"
	case v.Reached:
		end = "reached"
	}
	return got, wanted, end
}

// Result is a run of a benchmark.
type Result struct {
	Name      string        `json:"name"`  // of the command, and of the files
	Title     string        `json:"title"` // one line for people
	Start     time.Time     `json:"start"`
	Took      time.Duration `json:"took_ns"`
	Machine   Machine       `json:"machine"`
	Settings  []Setting     `json:"settings"`
	Axis      Metric        `json:"axis"`    // of Sample.X; no name: there is none
	Systems   []string      `json:"systems"` // of those that a metric was measured of, the first is what the others are compared with
	Metrics   []Metric      `json:"metrics"`
	Samples   []Sample      `json:"samples"`
	Verdicts  []Verdict     `json:"verdicts"`
	Notes     []string      `json:"notes,omitempty"`
	Disturbed []string      `json:"disturbed,omitempty"` // by what; empty: a clean run
	Simulated bool          `json:"simulated,omitempty"` // time is: what else the machine does is not looked at, and changes real times only
}

// Set notes a setting.
func (r *Result) Set(name string, value any) {
	r.Settings = append(r.Settings, Setting{name, fmt.Sprint(value)})
}

// Add adds a sample.
func (r *Result) Add(p Point, system string, repetition int, value float64) {
	r.Samples = append(r.Samples, Sample{p.Metric, p.Case, p.X, system, repetition, value})
}

// Points returns where a metric was measured, in the order of measuring.
func (r *Result) Points(metric string) []Point {
	var out []Point
	for _, s := range r.Samples {
		if p := (Point{s.Metric, s.Case, s.X}); s.Metric == metric && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// measured returns the systems of which a metric was measured.
func (r *Result) measured(metric string) []string {
	return r.systems(func(s Sample) bool { return s.Metric == metric })
}

// At returns the systems that were measured at a point.
func (r *Result) At(p Point) []string {
	return r.systems(func(s Sample) bool { return (Point{s.Metric, s.Case, s.X}) == p })
}

func (r *Result) systems(of func(Sample) bool) (out []string) {
	for _, name := range r.Systems {
		if slices.ContainsFunc(r.Samples, func(s Sample) bool { return s.System == name && of(s) }) {
			out = append(out, name)
		}
	}
	return out
}

// Values returns what was measured of a system at a point, by repetition.
func (r *Result) Values(p Point, system string) map[int]float64 {
	out := map[int]float64{}
	for _, s := range r.Samples {
		if (Point{s.Metric, s.Case, s.X}) == p && s.System == system {
			out[s.Repetition] = s.Value
		}
	}
	return out
}

// Spread describes values.
type Spread struct {
	N                int
	Median, Min, Max float64
	// From and To are an interval in which the median of what the values were drawn from is with a confidence of at least 90 %, whatever
	// the distribution is (order statistics). Of five to seven values it is all of them; of fewer there is none that is as sure.
	From, To float64
}

// Of describes what was measured of a system at a point.
func (r *Result) Of(p Point, system string) Spread {
	var v []float64
	for _, x := range r.Values(p, system) {
		v = append(v, x)
	}
	return spread(v)
}

// Ratio describes, over the repetitions in which both were measured, a system's value
// divided by another's.
func (r *Result) Ratio(p Point, system, by string) Spread {
	below := r.Values(p, by)
	var v []float64
	for i, x := range r.Values(p, system) {
		if y, ok := below[i]; ok && y != 0 {
			v = append(v, x/y)
		}
	}
	return spread(v)
}

// SpreadOf describes values that are not of one point.
func SpreadOf(v []float64) Spread { return spread(v) }

// near is how far from a paper's value a figure is still the same: read off a plot, and taken on other machines.
const near = 0.25

// Near is a verdict with both bounds: a value is as a paper has it.
func Near(what string, paper float64, unit string) Verdict {
	return Verdict{What: what, Wanted: paper * (1 - near), High: paper * (1 + near), Unit: unit}
}

// Judge adds a verdict on values: What, Wanted, AtMost or High, and Unit are given.
func (r *Result) Judge(v Verdict, s Spread) { r.verdict(v, s) }

func spread(v []float64) Spread {
	if len(v) == 0 {
		return Spread{}
	}
	slices.Sort(v)
	n, k := len(v), outside(len(v))
	return Spread{N: n, Median: (v[(n-1)/2] + v[n/2]) / 2, Min: v[0], Max: v[n-1], From: v[k], To: v[n-1-k]}
}

// doubt is how often the median may be outside of its interval.
const doubt = 0.1

// outside is how many of n sorted values are left out at each end of the interval of their median: the median is below the one at k if at
// most k of the values are below the median, each of which is with a probability of a half.
func outside(n int) (k int) {
	p := math.Pow(0.5, float64(n)) // of as many below as k says
	for sum := p; ; k++ {
		p *= float64(n-k) / float64(k+1)
		if sum += p; 2*sum > doubt {
			return k
		}
	}
}

// AtLeast adds the verdict that the median ratio of two systems at a point is no less
// than a target; AtMost, that it is no more. invalid is why the samples are not of what
// is asked, if they are not.
func (r *Result) AtLeast(what string, p Point, system, by string, wanted float64, invalid string) {
	r.judge(what, p, system, by, wanted, false, invalid)
}

// AtMost is like AtLeast, with an upper bound.
func (r *Result) AtMost(what string, p Point, system, by string, wanted float64, invalid string) {
	r.judge(what, p, system, by, wanted, true, invalid)
}

// Below adds the verdict that the median of a system at a point, in its metric's unit, is
// no more than a target.
func (r *Result) Below(what string, p Point, system string, wanted float64) {
	r.verdict(Verdict{What: what, Wanted: wanted, AtMost: true, Unit: r.unit(p.Metric)}, r.Of(p, system))
}

// Above is like Below, with a lower bound.
func (r *Result) Above(what string, p Point, system string, wanted float64) {
	r.verdict(Verdict{What: what, Wanted: wanted, Unit: r.unit(p.Metric)}, r.Of(p, system))
}

func (r *Result) judge(what string, p Point, system, by string, wanted float64, atMost bool, invalid string) {
	r.verdict(Verdict{What: what, Wanted: wanted, AtMost: atMost, Invalid: invalid}, r.Ratio(p, system, by))
}

func (r *Result) verdict(v Verdict, s Spread) {
	v.Got, v.From, v.To = s.Median, s.From, s.To
	if s.N < Repetitions && v.Invalid == "" {
		v.Invalid = fmt.Sprintf("%d of %d repetitions", s.N, Repetitions)
	}
	in := func(x float64) bool {
		return (x == v.Wanted || (x > v.Wanted) != v.AtMost) && (v.High == 0 || x <= v.High)
	}
	beside := v.High != 0 && s.From < v.Wanted && s.To > v.High // the bounds are within the interval
	v.Reached = v.Invalid == "" && in(s.From) && in(s.To)
	v.Undecided = v.Invalid == "" && (in(s.From) != in(s.To) || beside)
	r.Verdicts = append(r.Verdicts, v)
}

// Judged are the verdicts that stand. When others used the machine, ratios do: systems took turns, and what others did is in the intervals. Of
// other figures only what was reached does, since others make times longer and rates lower.
func (r *Result) Judged() []Verdict {
	out := slices.Clone(r.Verdicts)
	for i := range out {
		if v := &out[i]; len(r.Disturbed) > 0 && v.Unit != "" && v.Invalid == "" && (!v.Reached || v.High != 0) {
			v.Invalid, v.Reached, v.Undecided = "others used the machine", false, false
		}
	}
	return out
}
