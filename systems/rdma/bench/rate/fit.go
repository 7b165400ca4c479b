package rate

import (
	"fmt"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/systems/rdma/bench/modes"
)

// Fit is what a value costs the leader: Fixed, whatever the mode, and Path for each path that it goes, in us. A leader in
// direct mode has as many paths as replicas, and one in accelerated mode has one.
type Fit struct{ Fixed, Path float64 }

// cost is a measured CPU time of a value, in us, with a number of paths.
type cost struct {
	paths int
	us    float64
}

// fit is the line through costs with the least squares; ok is false unless there are two numbers of paths.
func fit(costs []cost) (f Fit, ok bool) {
	var n, x, y, xx, xy float64
	for _, c := range costs {
		p := float64(c.paths)
		n, x, y, xx, xy = n+1, x+p, y+c.us, xx+p*p, xy+p*c.us
	}
	d := n*xx - x*x
	if d == 0 {
		return f, false
	}
	f.Path = (n*xy - x*y) / d
	f.Fixed = (y - f.Path*x) / n
	return f, true
}

// Ratio is how many times as many values a leader decides in accelerated mode as in direct mode, by this fit.
func (f Fit) Ratio(replicas int) float64 {
	return (f.Fixed + float64(replicas)*f.Path) / (f.Fixed + f.Path)
}

// Allows is the greatest Fixed with which a ratio is reached, in us.
func (f Fit) Allows(ratio float64, replicas int) float64 {
	return f.Path * (float64(replicas) - ratio) / (ratio - 1)
}

// note adds what a value costs, by the fit to all repetitions of a result, and what the targets need.
func note(r *report.Result, replicas []int) {
	var costs []cost
	for _, n := range replicas {
		for mode, paths := range map[string]int{modes.Direct: n, modes.Accelerated: 1} {
			for _, us := range r.Values(report.Point{Metric: Cost, Case: modes.Case(n)}, mode) {
				costs = append(costs, cost{paths, us})
			}
		}
	}
	f, ok := fit(costs)
	if !ok {
		return
	}
	text := fmt.Sprintf("a value costs the leader F + P x paths: F = %.2f us, whatever the mode, and P = %.2f us", f.Fixed, f.Path)
	for _, n := range replicas {
		if wanted, ok := Wanted[n]; ok {
			text += fmt.Sprintf("; with %d replicas that is x%.2f, and x%.4g needs an F of at most %.2f us", n, f.Ratio(n), wanted, f.Allows(wanted, n))
		}
	}
	r.Notes = append(r.Notes, text)
}
