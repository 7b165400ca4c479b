package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/systems/paxos/bench/simulated"
)

// Where the roles are: figure 2 of the paper, on this machine. The systems and the cases are those of it in simulated time, and beside
// them a packet that the switches only forward: one traversal of the network.

// onePacket is a packet to a replica's host and back, as long as a value.
const onePacket = "a packet, forwarded"

// Metrics of where the roles are.
const (
	OneMedian = "latency of one value (p50)"
	OneTail   = "latency of one value (p99)"
	Received  = "packets that switches receive, for a value"
	ByRoles   = "CPU time of roles that are programs, for a value"
)

// paperPlacement is the paper's factor: "at least x3" (section I), of one traversal of the network in place of three (figure 2).
const paperPlacement = 3

// PlacementOptions say what to measure of where the roles are.
type PlacementOptions struct{ Options }

// shorten leaves what shows that it works.
func (o *PlacementOptions) shorten() { o.Repetitions, o.For = 1, 50*time.Millisecond }

// NewPlacement describes a run.
func NewPlacement(o PlacementOptions) *report.Result {
	r := &report.Result{Name: "paxos-placement", Title: "Paxos: latency of one value, by where the roles are (figure 2), with switches in XDP", Systems: []string{simulated.OnPath, simulated.ByPods, simulated.Servers, onePacket},
		Metrics: []report.Metric{{Name: OneMedian, Unit: "us"}, {Name: OneTail, Unit: "us"}, {Name: Received, Unit: "1"}, {Name: ByRoles, Unit: "us", NoRatio: true}}}
	r.Set("repetitions", o.Repetitions)
	r.Set("values under way", 1)
	r.Set("each system for", o.For)
	r.Set("network", "eight switches in three tiers, six links from the proposer to a replica")
	r.Set("hosts", "UDP sockets in network namespaces")
	r.Set("programs", "leader and acceptors at hosts in other pods, the learner at a replica")
	return r
}

// MeasurePlacement measures, in turns, the latency of one value in one network, with the roles in switches on the path, in switches in
// several pods, and at servers.
func MeasurePlacement(ctx context.Context, o PlacementOptions) (*report.Result, error) {
	if err := o.prepare(); err != nil {
		return nil, err
	}
	r := NewPlacement(o)
	run, err := r.Begin()
	if err != nil {
		return nil, err
	}
	if err := o.measure(ctx, r); err != nil {
		return nil, err
	}
	if err := run.End(); err != nil {
		return nil, err
	}
	// The first is what the paper claims, the others whether traversals of the network alone explain it.
	at := report.Point{Metric: OneMedian, Case: simulated.ToReplica}
	r.AtLeast("until a replica has it, servers / switches on the path", at, simulated.Servers, simulated.OnPath, paperPlacement, "")
	r.Judge(report.Near("until a replica has it, switches on the path / a packet: one traversal", 1, ""), r.Ratio(at, simulated.OnPath, onePacket))
	r.Judge(report.Near("until a replica has it, servers / a packet: three traversals", paperPlacement, ""), r.Ratio(at, simulated.Servers, onePacket))
	return r, nil
}

func (o *PlacementOptions) measure(ctx context.Context, r *report.Result) error {
	setup, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	t, err := newTree(setup, o.Options)
	if err != nil {
		return err
	}
	defer t.Close()
	for i := -1; i < o.Repetitions; i++ { // the first warms up
		if err := t.lead(ctx); err != nil {
			return err
		}
		for _, s := range t.turns() {
			o.Progress("%s: %d of %d", s.name, i+1, o.Repetitions)
			before, err := t.used(ctx)
			if err != nil {
				return err
			}
			x, err := s.measure(ctx, o.For)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			after, err := t.used(ctx)
			if err != nil {
				return err
			}
			if i < 0 {
				continue
			}
			for _, c := range []struct {
				name  string
				times []time.Duration
			}{{simulated.ToReplica, x.first}, {simulated.ToAll, x.all}, {simulated.ToAnswer, x.answer}} {
				if len(c.times) == 0 {
					continue // a packet goes to one replica's host
				}
				all := &offered{times: c.times}
				r.Add(report.Point{Metric: OneMedian, Case: c.name}, s.name, i, us(all.quantile(0.5)))
				r.Add(report.Point{Metric: OneTail, Case: c.name}, s.name, i, us(all.quantile(0.99)))
			}
			r.Add(report.Point{Metric: Received}, s.name, i, float64(after.packets-before.packets)/float64(len(x.first)))
			r.Add(report.Point{Metric: ByRoles}, s.name, i, us(after.programs-before.programs)/float64(len(x.first)))
		}
	}
	return nil
}

// WritePlacement writes the table to w, and files and a figure into a folder.
func WritePlacement(r *report.Result, w io.Writer, dir string) error {
	return r.Write(w, dir, report.Figure{Name: "paxos-placement-xdp", Title: "Latency of one value, by where the roles are", Metric: OneMedian})
}

func placementCommand() *cobra.Command {
	var (
		o       PlacementOptions
		quick   bool
		out     string
		verbose bool
	)
	c := &cobra.Command{
		Use:   "paxos-placement",
		Short: "Measure where the roles of Paxos are: in switches on the path, or at servers",
		Long: `Measure where the roles of Paxos are: figure 2 of the P4xos paper, with switches in XDP.

In a tree of eight switches in three tiers, one value at a time is proposed: with the roles in switches
on the path to the replicas, with acceptors in three pods, and with leader, acceptors and learner as
programs at servers, for which the same switches forward IPv4. The benchmark measures how long it takes
until a replica has the value, and until the proposer is answered, the packets that switches receive for
it, and the CPU time of the programs; and how long a packet takes that the switches only forward.

All switches and hosts divide the CPUs of this machine, and a link takes no time. So the figure shows
what traversals of the network and programs that are woken cost here, and no latency of wires;
p4ce bench paxos-simulated --figures 2 has links and switches that take the time of real ones.`,
		Example: `  p4ce bench paxos-placement
  p4ce bench paxos-placement --repetitions 8 --for 1s`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if quick {
				o.shorten()
			}
			switch {
			case o.Repetitions < 1:
				return cli.Usagef("--repetitions %d: at least one", o.Repetitions)
			case o.For < 10*time.Millisecond || o.For > time.Minute:
				return cli.Usagef("--for %v: 10ms to 1m", o.For)
			}
			if err := Ready(); err != nil {
				return err
			}
			if err := report.Folder(out); err != nil {
				return err
			}
			dir, err := os.MkdirTemp("", "p4ce-bench-")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			o.Dir, o.Progress = dir, cli.Progress(cmd.ErrOrStderr())
			if verbose {
				o.Log = cmd.ErrOrStderr()
			}
			if o.Binary, err = cli.P4ce.Find(); err != nil {
				return err
			}
			r, err := MeasurePlacement(cmd.Context(), o)
			o.Progress("")
			if err != nil {
				return cli.Ended(cmd.Context(), err)
			}
			return WritePlacement(r, cmd.OutOrStdout(), out)
		},
	}
	f := c.Flags()
	f.IntVar(&o.Repetitions, "repetitions", report.Repetitions, fmt.Sprintf("repetitions of each case, in turns; a verdict takes at least %d", report.Repetitions))
	f.DurationVar(&o.For, "for", 300*time.Millisecond, "how long values are proposed in each system, in a repetition: 10ms to 1m")
	f.BoolVar(&quick, "quick", false, "one short repetition, to see that it works: no verdicts")
	f.StringVar(&out, "out", "out/paxos-placement", "folder for CSV, JSON and the figure")
	f.BoolVarP(&verbose, "verbose", "v", false, "show what all processes log")
	return c
}
