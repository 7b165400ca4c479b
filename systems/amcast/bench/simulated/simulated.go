package simulated

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/p4ce/p4ce/bench/figures"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/sim/fabric"
)

// Options say what to measure.
type Options struct {
	Repetitions int
	Quick       bool // less of everything, to see that it works
	Figures     []string
	Packet      fabric.Time // what a packet takes hosts' CPUs; 0: PacketTime
	Progress    func(format string, args ...any)
}

// list are the figures that there are.
var list = []struct {
	name string
	make func(Options) *figures.Figure
}{
	{"4", func(o Options) *figures.Figure { return curves(o, 1) }},
	{"groups-2", func(o Options) *figures.Figure { return curves(o, 2) }},
	{"groups-4", func(o Options) *figures.Figure { return curves(o, 4) }},
	{"mixed", mixed},
	{"cpu", cpu},
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
	if o.Packet == 0 {
		o.Packet = PacketTime
	}
	main := &report.Result{Name: "amcast", Title: "Atomic multicast in a network in simulated time"}
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
	main.Set("groups", fmt.Sprintf("%d replicas; P4mCast: a leaf and two spines, PrimCast: the replicas, Skeen: one of them", replicas))
	main.Set("clients", fmt.Sprintf("%d, with up to %d messages under way", clients, window))
	main.Set("links", fmt.Sprintf("%g and %g Gb/s, %v", hostRate/1e9, fabricRate/1e9, cable.Duration()))
	main.Set("switches", fmt.Sprintf("%v, as fast as their links", switchLatency.Duration()))
	main.Set("interfaces", hostLatency.Duration())
	main.Set("CPU time of a packet", fmt.Sprintf("%v of one of a host's two threads, in all systems", o.Packet.Duration()))
	return figures.Run(ctx, main, chosen, o.Progress)
}
