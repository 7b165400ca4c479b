package top

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// View is a table of the programs of one kind.
type View struct {
	Name    string // of the table, and of the kind: servers
	Of      string // a metric that only programs of this kind have
	Columns []Column
	Changes []string // counters whose cells are shown when they have counted something
}

// Column is a property of a program.
type Column struct {
	Name    string   // as the table has it; JSON has it in lower case, with _ between words
	Metrics []string // that it is made of
	unit    unit
	value   func(span) (float64, string, bool) // a number, or a text; false: unknown
}

// unit says how people read a number.
type unit int

const (
	number  unit = iota // of things
	seconds             // a duration
	bits                // per second
)

// Labels are those that a sample must have. A value that begins with ! is one that it must not have.
type Labels map[string]string

// Value is the sum of a gauge's samples.
func Value(name, metric string, labels Labels) Column {
	return Column{name, []string{metric}, number, func(s span) (float64, string, bool) {
		v, ok := s.now.sum(metric, labels)
		return v, "", ok
	}}
}

// Rate is by how much a counter's samples grow in a second.
func Rate(name, metric string, labels Labels) Column {
	return Column{name, []string{metric}, number, func(s span) (float64, string, bool) {
		v, ok := s.grown(metric, labels)
		return v / s.length.Seconds(), "", ok
	}}
}

// Bits is the rate, in bits, of a counter of bytes.
func Bits(name, metric string, labels Labels) Column {
	c := Rate(name, metric, labels)
	rate := c.value
	c.unit, c.value = bits, func(s span) (float64, string, bool) {
		v, _, ok := rate(s)
		return 8 * v, "", ok
	}
	return c
}

// Mean is how long something took lately on average: total counts seconds, and events how often it happened.
func Mean(name, total, events string, labels Labels) Column {
	return Column{name, []string{total, events}, seconds, func(s span) (float64, string, bool) {
		sum, ok := s.grown(total, nil)
		n, ok2 := s.grown(events, labels)
		return sum / n, "", ok && ok2 && n > 0
	}}
}

// Quantile is a quantile of what a histogram of seconds has observed lately, all its labels together.
func Quantile(name string, q float64, metric string) Column {
	return Column{name, []string{metric + "_bucket"}, seconds, func(s span) (float64, string, bool) {
		v, ok := s.quantile(q, metric+"_bucket")
		return v, "", ok
	}}
}

// Which is the value of a label in the sample that is 1.
func Which(name, metric, label string) Column {
	return Column{name, []string{metric}, number, func(s span) (float64, string, bool) {
		for _, x := range s.now.metrics[metric] {
			if x.value == 1 {
				return 0, x.labels[label], true
			}
		}
		return 0, "", false
	}}
}

// Either is one text if a gauge is not zero, and another if it is.
func Either(name, metric, yes, no string) Column {
	return Column{name, []string{metric}, number, func(s span) (float64, string, bool) {
		v, ok := s.now.sum(metric, nil)
		if v != 0 {
			return 0, yes, ok
		}
		return 0, no, ok
	}}
}

// While is a column that is known only while a sample with these labels is 1.
func While(metric string, labels Labels, c Column) Column {
	value := c.value
	c.Metrics = append(c.Metrics, metric)
	c.value = func(s span) (float64, string, bool) {
		if v, _ := s.now.sum(metric, labels); v != 1 {
			return 0, "", false
		}
		return value(s)
	}
	return c
}

// Share is how many samples of a gauge are 1, of how many.
func Share(name, metric string) Column {
	return Column{name, []string{metric}, number, func(s span) (float64, string, bool) {
		all, n := s.now.metrics[metric], 0
		for _, x := range all {
			if x.value == 1 {
				n++
			}
		}
		return 0, fmt.Sprintf("%d/%d", n, len(all)), len(all) > 0
	}}
}

// Key is the name of a column in JSON.
func (c *Column) Key() string {
	return strings.NewReplacer(" ", "_", "/s", "_per_second").Replace(strings.ToLower(c.Name))
}

// text is a value as people read it.
func (c *Column) text(s span) string {
	v, text, ok := c.value(s)
	switch {
	case !ok || math.IsNaN(v) || math.IsInf(v, 0):
		return "-"
	case text != "":
		return text
	case c.unit == seconds:
		return short(v)
	case c.unit == bits:
		return scaled(v) + "b/s"
	}
	return scaled(v)
}

// short is a duration with three digits.
func short(s float64) string {
	d := time.Duration(s * float64(time.Second))
	for unit := time.Nanosecond; unit <= time.Second; unit *= 10 {
		if d < 1000*unit {
			return d.Round(unit).String()
		}
	}
	return d.Round(time.Second).String()
}

// scaled is a number with at most four digits, and what they are multiplied by.
func scaled(v float64) string {
	if v < 0 {
		return "-" + scaled(-v)
	}
	if v == math.Trunc(v) && v < 10000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	for _, p := range []string{"", "k", "M", "G", "T"} {
		if v < 999.5 || p == "T" {
			digits := 0
			if v < 9.995 {
				digits = 2
			} else if v < 99.95 {
				digits = 1
			}
			return strconv.FormatFloat(v, 'f', digits, 64) + p
		}
		v /= 1000
	}
	return ""
}

// scrape is what a program said at one moment.
type scrape struct {
	at      time.Time
	metrics map[string][]sample
	err     error
}

type sample struct {
	labels map[string]string
	value  float64
}

// id tells the samples of a metric apart.
func (x *sample) id() string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(x.labels)) {
		fmt.Fprintf(&b, "%s=%q,", k, x.labels[k])
	}
	return strings.TrimSuffix(b.String(), ",")
}

func (x *sample) has(labels Labels) bool {
	for k, want := range labels {
		if not, ok := strings.CutPrefix(want, "!"); ok && x.labels[k] == not || !ok && x.labels[k] != want {
			return false
		}
	}
	return true
}

// sum is what the samples of a metric are together; false: there are none.
func (s *scrape) sum(metric string, labels Labels) (v float64, ok bool) {
	for _, x := range s.metrics[metric] {
		if x.has(labels) {
			v, ok = v+x.value, true
		}
	}
	return v, ok
}

// span is between two moments.
type span struct {
	before, now *scrape
	length      time.Duration
}

// grown is by how much the counters of a metric have grown; false: unknown, because there are none, or because they began anew.
func (s span) grown(metric string, labels Labels) (float64, bool) {
	is, ok := s.now.sum(metric, labels)
	was, _ := s.before.sum(metric, labels) // a counter may begin later than its program
	return is - was, ok && is >= was && s.before.err == nil && s.length > 0
}

// quantile is a quantile of what was observed, as Prometheus estimates it: values are spread evenly in their bucket.
func (s span) quantile(q float64, buckets string) (float64, bool) {
	if s.before.err != nil {
		return 0, false
	}
	counts := map[float64]float64{} // by upper bound
	for sign, x := range map[float64]*scrape{1: s.now, -1: s.before} {
		for _, b := range x.metrics[buckets] {
			bound, err := strconv.ParseFloat(b.labels["le"], 64)
			if err != nil {
				return 0, false
			}
			counts[bound] += sign * b.value
		}
	}
	bounds := slices.Sorted(maps.Keys(counts))
	if len(bounds) < 2 || !math.IsInf(bounds[len(bounds)-1], 1) || !(counts[math.Inf(1)] > 0) {
		return 0, false
	}
	rank := q * counts[math.Inf(1)]
	lower, below := 0.0, 0.0
	for _, b := range bounds {
		switch n := counts[b]; {
		case math.IsInf(b, 1):
			return lower, true // all that is known
		case n >= rank && n > below:
			return lower + (b-lower)*(rank-below)/(n-below), true
		default:
			lower, below = b, n
		}
	}
	return 0, false
}
