package simulated

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/p4ce/p4ce/bench/figures"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/sim/fabric"
	paxosfabric "github.com/p4ce/p4ce/systems/paxos/fabric"
)

// Options say what to measure.
type Options struct {
	Repetitions int
	Quick       bool // less of everything, to see that it works
	Figures     []string
	Progress    func(format string, args ...any)
}

// list are the figures that there are.
var list = []struct {
	name string
	make func(Options) *figures.Figure
}{
	{"2", placement},
	{"sharing", sharing},
}

// All are their names.
func All() (names []string) {
	for _, f := range list {
		names = append(names, f.name)
	}
	return names
}

// Measure measures.
func Measure(ctx context.Context, o Options) (*figures.Results, error) {
	main := &report.Result{Name: "paxos-simulated", Title: "Paxos in a network in simulated time"}
	for _, n := range o.Figures {
		if !slices.Contains(All(), n) {
			return nil, fmt.Errorf("figure %s: there are %s", n, strings.Join(All(), ", "))
		}
	}
	var chosen []*figures.Figure
	for _, f := range list {
		if slices.Contains(o.Figures, f.name) {
			x := f.make(o)
			x.Number = f.name
			chosen = append(chosen, x)
		}
	}
	main.Set("repetitions", fmt.Sprintf("%d seeds", o.Repetitions))
	main.Set("links", fmt.Sprintf("%g Gb/s, %v (100 us one way: %v)", rate/1e9, cable.Duration(), paperCable.Duration()))
	main.Set("switches", fmt.Sprintf("%v, as fast as their links", switchLatency.Duration()))
	main.Set("interfaces", fmt.Sprintf("%v each: a request, a frame, a completion", hostLatency.Duration()))
	return figures.Run(ctx, main, chosen, o.Progress)
}

// control is how far away controllers are: they have no part in what is measured.
var control = fabric.ControllerConfig{Delay: fabric.Microsecond, Write: 10 * fabric.Nanosecond}

// limit is how long anything may take.
const limit = fabric.Second

// settle waits until all applications run.
func settle(n *paxosfabric.Network) error {
	if err := n.RunWhile(n.Now()+limit, func() bool { return !n.Running() }); err != nil {
		return err
	}
	if !n.Running() {
		return errors.New("the applications do not run")
	}
	return nil
}

// finish looks whether all is as it must be.
func finish(n *paxosfabric.Network) error {
	if err := n.RunWhile(n.Now()+limit, func() bool { return n.Agree() != "" }); err != nil {
		return err
	}
	if what := n.Agree(); what != "" {
		return errors.New(what)
	}
	return n.Check()
}
