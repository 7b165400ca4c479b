package multicast

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/p4ce/p4ce/bench/figures"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/host/roce/dcqcn"
	"github.com/p4ce/p4ce/sim/fabric"
	rdmafabric "github.com/p4ce/p4ce/systems/rdma/fabric"
)

// Systems that are compared.
const (
	Group   = "multicast"           // relays in all switches
	ToROnly = "multicast, ToR-only" // relays in those of hosts
	FanOut  = "fan-out"
	Chain   = "chain"
)

// viaOf is how a system reaches several receivers.
func viaOf(system string) string {
	switch system {
	case FanOut:
		return rdmafabric.ViaFanOut
	case Chain:
		return rdmafabric.ViaChain
	}
	return rdmafabric.ViaGroup
}

// Options say what to measure.
type Options struct {
	Repetitions int
	Longer      int  // figure 8 has so many times as many requests; 0: as many
	Quick       bool // less of everything, to see that it works
	Figures     []int
	Progress    func(format string, args ...any)
}

// All are the figures of the paper that there are.
func All() []int { return []int{4, 5, 6, 7, 8, 9} }

// Measure measures.
func Measure(ctx context.Context, o Options) (*figures.Results, error) {
	main := &report.Result{Name: "multicast", Title: "Reliable multicast in a network in simulated time", Systems: []string{Group, ToROnly, FanOut, Chain}}
	var list []*figures.Figure
	for _, n := range o.Figures {
		f := map[int]func(Options) *figures.Figure{4: single, 5: fairness, 6: subflows, 7: lossy, 8: storage, 9: training}[n]
		if f == nil {
			return nil, fmt.Errorf("figure %d: there are %v", n, All())
		}
		x := f(o)
		x.Number, x.Apart = strconv.Itoa(n), n == 5 // a line over time
		list = append(list, x)
	}
	main.Set("repetitions", fmt.Sprintf("%d seeds", o.Repetitions))
	main.Set("links", "100 Gb/s, 500 ns; no PFC: queues of 64 MiB hold what PFC would stop at the sender")
	main.Set("switches", latency.Duration())
	main.Set("interfaces", fmt.Sprintf("post, receive, complete: %v each; a packet: %v", interfaceTime.Duration(), packetTime.Duration()))
	main.Set("programs", fmt.Sprintf("one thread posts, another takes completions: %v each", workTime.Duration()))
	return figures.Run(ctx, main, list, o.Progress)
}

// What hosts and switches take.
const (
	latency       = 400 * fabric.Nanosecond
	interfaceTime = 300 * fabric.Nanosecond
	packetTime    = 5 * fabric.Nanosecond   // 200 million a second, as the paper's RNICs (ConnectX-6) claim
	workTime      = 200 * fabric.Nanosecond // of a thread that posts a request to a queue pair, or polls a completion
	start         = 5 * fabric.Millisecond  // of the load: controllers have set up what there is by then
	limit         = 20 * fabric.Second      // of a run
)

// link is one of 100 Gb/s that marks as the paper's simulation has it, and has room for what a
// lossless network would stop at its sender.
func link() fabric.LinkConfig {
	return fabric.LinkConfig{Rate: 100e9, Delay: 500 * fabric.Nanosecond, Queue: 64 << 20, ECNMin: 50e3, ECNMax: 500e3, ECNChance: 0.01}
}

func base(kind string) fabric.TopologyConfig {
	return fabric.TopologyConfig{
		Kind: kind, Edge: rdmafabric.Program, Core: fabric.ProgramPlain, HostLink: link(), FabricLink: link(), Latency: latency, RouteDelay: fabric.Millisecond,
		Host:       fabric.HostConfig{Post: interfaceTime, Receive: interfaceTime, Complete: interfaceTime, CPU: fabric.Costs{Request: workTime, Completion: workTime}, Packet: packetTime},
		Controller: fabric.ControllerConfig{Delay: 50 * fabric.Microsecond, Write: fabric.Microsecond},
	}
}

// twoRacks is the paper's testbed: two programmable switches of four hosts each, and one between
// them that knows nothing of groups, without blocking. h1 to h4 are A1 to D1, h5 to h8 are A2
// to D2.
func twoRacks() fabric.TopologyConfig {
	c := base(fabric.LeafSpine)
	c.Leaves, c.Spines, c.Hosts = 2, 1, 4
	c.FabricLink.Rate = 400e9
	return c
}

// fatTree is the paper's simulated network, of 54 hosts.
func fatTree(system string) fabric.TopologyConfig {
	c := base(fabric.FatTree)
	c.K = 6
	switch system {
	case Group:
		c.Core = rdmafabric.Program
	case ToROnly: // copies' UDP source ports differ from packet to packet
		c.ECMP = fabric.ECMPAddresses
	case FanOut, Chain:
		c.Edge = fabric.ProgramPlain
	}
	return c
}

// congestion is the paper's DCQCN but for the additive increase: lines are faster than those that
// 40 Mb/s was chosen for, and runs are milliseconds.
func congestion() *dcqcn.Params { return &dcqcn.Params{RateAI: 400e6, RateHAI: 2e9} }

func build(seed uint64, c fabric.TopologyConfig, set rdmafabric.Settings) (*rdmafabric.Network, error) {
	f, err := rdmafabric.New(seed, set)
	if err == nil {
		err = f.Build(c)
	}
	if err != nil {
		return nil, err
	}
	return f, f.Start()
}

// finish runs until all loads are over, and says which is not, or answered what is not held.
func finish(f *rdmafabric.Network, loads ...*fabric.Load) error {
	if err := f.RunWhile(limit, func() bool { return slices.ContainsFunc(loads, func(l *fabric.Load) bool { return !l.Over() }) }); err != nil {
		return err
	}
	for _, l := range loads {
		if err := sound(l); err != nil {
			return err
		}
		if l.Result.Done < l.Config.Count {
			return fmt.Errorf("load %s: %d of %d requests were answered", l.Config.Name, l.Result.Done, l.Config.Count)
		}
	}
	return nil
}

func sound(l *fabric.Load) error {
	switch {
	case l.Result.Err != nil:
		return fmt.Errorf("load %s: %w", l.Config.Name, l.Result.Err)
	case l.Result.Unheld > 0:
		return fmt.Errorf("load %s: %d requests were answered that too few receivers hold", l.Config.Name, l.Result.Unheld)
	}
	return nil
}
