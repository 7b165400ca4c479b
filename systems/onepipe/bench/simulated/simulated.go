package simulated

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/p4ce/p4ce/bench/figures"
	"github.com/p4ce/p4ce/bench/report"
)

// Options say what to measure.
type Options struct {
	Repetitions int
	Quick       bool // less of everything, to see that it works
	Figures     []string
	Processes   []int // of figure 8
	Progress    func(format string, args ...any)
}

// Most is the most processes that there can be.
const Most = 512

// Processes are those of figure 8 that take a minute.
var Processes = []int{2, 4, 8, 16, 32, 64}

// list are the figures of the paper that there are.
var list = []struct {
	number string
	make   func(Options) *figures.Figure
}{
	{"8", scalability},
	{"9a", idle},
	{"9b", lossy},
	{"10", recovery},
	{"11", reorder},
	{"12a", background},
	{"12b", oversubscribed},
	{"transactions", transactions},
}

// All are their numbers.
func All() (numbers []string) {
	for _, f := range list {
		numbers = append(numbers, f.number)
	}
	return numbers
}

// Measure measures.
func Measure(ctx context.Context, o Options) (*figures.Results, error) {
	main := &report.Result{Name: "onepipe", Title: "1Pipe in a network in simulated time"}
	var chosen []*figures.Figure
	for _, f := range list {
		if slices.Contains(o.Figures, f.number) {
			x := f.make(o)
			x.Number = f.number
			chosen = append(chosen, x)
		}
	}
	for _, n := range o.Figures {
		if !slices.Contains(All(), n) {
			return nil, fmt.Errorf("figure %s: there are %s", n, strings.Join(All(), ", "))
		}
	}
	main.Set("repetitions", fmt.Sprintf("%d seeds", o.Repetitions))
	main.Set("links", fmt.Sprintf("%g and %g Gb/s, %v", hostRate/1e9, fabricRate/1e9, cable.Duration()))
	main.Set("switches", switchLatency.Duration())
	main.Set("interfaces", hostLatency.Duration())
	main.Set("CPU time of a packet", fmt.Sprintf("%v of one of a process's two threads", packetTime.Duration()))
	main.Set("clocks", fmt.Sprintf("wrong by %v in the mean", skew.Duration()))
	main.Set("beacons", fmt.Sprintf("after %v of silence", beacons.Duration()))
	return figures.Run(ctx, main, chosen, o.Progress)
}
