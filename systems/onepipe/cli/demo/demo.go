// Package demo has the demo of 1Pipe: p4ce demo onepipe.
package demo

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/host/latency"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/internal/cli/demo"
	"github.com/p4ce/p4ce/systems/onepipe"
	"github.com/p4ce/p4ce/systems/onepipe/lab"
)

// Demos are the system's.
var Demos = []demo.Demo{{
	Command: command,
	About: `p4ce demo onepipe builds two leaves and a spine that run 1Pipe, and eight processes on four
hosts that send to each other. All of them deliver all messages in the same order. Then the
demo kills a leaf.`,
}}

func command() *cobra.Command {
	var beacons string
	c := demo.Switches{
		Name: "onepipe", Short: "Deliver messages in one order at eight processes, without a sequencer",
		Long: `Build a network of two leaves and a spine that run 1Pipe, and four hosts with two processes each.
All processes send to all, at the same time. Every process delivers all messages in the same order.
Then the demo kills a leaf, and the hosts of the other one go on.`,
		Window: 1024,
		Count:  4000,
		Run: func(ctx context.Context, r *demo.Run) error {
			switch beacons {
			case "chip":
				return show(ctx, r, nil)
			case "cpu":
				return show(ctx, r, []string{"leaf1", "leaf2", "spine"})
			}
			return cli.Usagef("--beacons %q: chip or cpu", beacons)
		},
	}.Command()
	c.Flags().StringVar(&beacons, "beacons", "chip", "who computes the barriers and sends the beacons: chip, the switches' data planes; cpu, their agents")
	return c
}

// member is a process of the demo, and what it was given.
type member struct {
	*onepipe.Proc
	name  string
	order []entry
	took  []time.Duration // from the timestamp to the process
	gap   time.Duration   // the longest between two messages
}

// entry is a message's place in the order.
type entry struct {
	time uint64
	from onepipe.Process
}

// show runs the demo. cpu are the switches whose agents send the beacons.
func show(ctx context.Context, r *demo.Run, cpu []string) error {
	out := r.Stdout
	fmt.Fprintf(out, "Two leaves and a spine, each a process, on %s. Four hosts with two processes each.\n", r.Where())
	if len(cpu) > 0 {
		fmt.Fprintln(out, "The data planes only forward. The switches' agents compute the barriers, and send the beacons.")
	}
	fmt.Fprintln(out)
	setup, cancel := context.WithTimeout(ctx, demo.StartTimeout)
	defer cancel()
	net, err := lab.Start(setup, lab.Options{Binary: r.Self, Dir: r.Dir, Target: r.Target, Log: r.Log(), CPU: cpu})
	if err != nil {
		return err
	}
	defer net.Close()
	var hosts []*onepipe.Host
	defer func() {
		for _, h := range hosts {
			_ = h.Close()
		}
	}()
	for _, name := range net.Hosts() {
		h, err := net.Attach(name, onepipe.Config{Processes: 2}, onepipe.Events{})
		if err != nil {
			return err
		}
		hosts = append(hosts, h)
	}
	var members []*member
	for i, h := range hosts {
		procs, err := h.Wait(setup)
		if err != nil {
			return err
		}
		for _, p := range procs {
			members = append(members, &member{Proc: p, name: fmt.Sprintf("%s/%d", net.Hosts()[i], p.Process().Number)})
		}
	}
	limit, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	each := max(1, r.Count/len(members))
	if r.Target == "interp" { // more at once would only wait, and be sent again
		r.Window = 2 * len(members)
	}
	tab := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tab, "SERVICE\tMESSAGES DELIVERED\tPER SECOND\tLATENCY P50\tP99\tORDER\t\n")
	for _, reliable := range []bool{false, true} {
		took, err := broadcast(limit, members, each, r.Window/len(members), reliable, nil)
		if err != nil {
			return err
		}
		n, hist := 0, latency.New()
		for _, m := range members {
			n += len(m.order)
			for _, d := range m.took {
				hist.Add(d)
			}
		}
		name, verdict := "best effort", "the same everywhere"
		if reliable {
			name = "reliable"
		}
		if err := agree(members, reliable); err != nil {
			return err
		}
		s := hist.Summary()
		fmt.Fprintf(tab, "%s\t%d of %d\t%.0f\t%v\t%v\t%s\t\n", name, n, each*len(members)*len(members), float64(n)/took.Seconds(), demo.Micros(s.P50), demo.Micros(s.P99), verdict)
	}
	tab.Flush()
	for i, h := range hosts {
		if n := h.Counters().Violations; n > 0 {
			return fmt.Errorf("host %s: %d reliable messages came below a barrier that the network had sent", net.Hosts()[i], n)
		}
	}
	fmt.Fprintf(out, "\nThe order that each process saw, of reliable messages:\n")
	for _, m := range members {
		fmt.Fprintf(out, "  %s  %016x\n", m.name, m.digest())
	}
	return survive(limit, r, net, members[:len(members)/2], each)
}

// survive kills a leaf while the hosts of the other one send to each other.
func survive(ctx context.Context, r *demo.Run, net *lab.Network, members []*member, each int) error {
	const leaf = "leaf2"
	if _, err := broadcast(ctx, members, each, r.Window/len(members), true, func() { net.Kill(leaf) }); err != nil {
		return fmt.Errorf("after %s was killed: %w", leaf, err)
	}
	if err := agree(members, true); err != nil {
		return fmt.Errorf("after %s was killed: %w", leaf, err)
	}
	var gap time.Duration
	for _, m := range members {
		gap = max(gap, m.gap)
	}
	fmt.Fprintf(r.Stdout, "\nSwitch %s is killed while the processes of the other leaf send %d reliable scatterings to each other.\nAll four deliver all of them in the same order; the longest wait was %v.\n",
		leaf, each*len(members), gap.Round(time.Millisecond))
	return nil
}

// digest is a number for what a process has received, in its order.
func (m *member) digest() uint64 {
	h := fnv.New64a()
	for _, e := range m.order {
		fmt.Fprintln(h, e.time, e.from)
	}
	return h.Sum64()
}

// broadcast has all send to all, each so many scatterings, and so many at once. midway, if not nil, is called when the first
// of them has sent a third.
func broadcast(ctx context.Context, members []*member, each, window int, reliable bool, midway func()) (took time.Duration, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	begin := time.Now()
	var all sync.WaitGroup
	errs := make([]error, 2*len(members))
	for i, m := range members {
		m.order, m.took, m.gap = nil, nil, 0
		call := midway
		if i > 0 {
			call = nil
		}
		own := make(chan struct{}, max(1, window)) // scatterings of its own that it has not received
		all.Go(func() { errs[2*i] = m.send(ctx, members, each, reliable, own, call) })
		all.Go(func() { errs[2*i+1] = m.receive(ctx, each*len(members), reliable, own) })
	}
	all.Wait()
	return time.Since(begin), errors.Join(errs...)
}

func (m *member) send(ctx context.Context, members []*member, each int, reliable bool, own chan<- struct{}, midway func()) error {
	send := m.Send
	if reliable {
		send = m.SendReliable
	}
	for n := range each {
		if n == each/3 && midway != nil {
			midway()
		}
		var late <-chan time.Time
		if !reliable {
			late = time.After(lost)
		}
		select {
		case own <- struct{}{}:
		case <-late: // it was lost
		case <-ctx.Done():
			return ctx.Err()
		}
		parts := make([]onepipe.Part, len(members))
		data := make([]byte, 64)
		for i, to := range members {
			parts[i] = onepipe.Part{To: to.Process(), Data: data}
		}
		if err := send(ctx, parts...); err != nil {
			return err
		}
	}
	return nil
}

// lost is how long nothing must come of best effort until what is missing counts as lost.
const lost = 500 * time.Millisecond

// receive takes what comes, until it is all there, or nothing comes any more.
func (m *member) receive(ctx context.Context, n int, reliable bool, own <-chan struct{}) error {
	take := m.Receive
	if reliable {
		take = m.ReceiveReliable
	}
	last := time.Now()
	for len(m.order) < n {
		wait, cancel := ctx, context.CancelFunc(func() {})
		if !reliable {
			wait, cancel = context.WithTimeout(ctx, lost)
		}
		msg, err := take(wait)
		cancel()
		switch {
		case err == nil:
		case !reliable && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
			return nil
		default:
			return fmt.Errorf("process %s has received %d of %d messages: %w", m.name, len(m.order), n, err)
		}
		now := time.Now()
		m.gap, last = max(m.gap, now.Sub(last)), now
		m.took = append(m.took, time.Duration(now.UnixNano()-int64(msg.Time)))
		m.order = append(m.order, entry{msg.Time, msg.From})
		if msg.From == m.Process() {
			select {
			case <-own:
			default: // it counted as lost
			}
		}
	}
	return nil
}

// agree checks that all have received in one order: the order of (timestamp, sender), and of reliable
// messages the same ones.
func agree(members []*member, reliable bool) error {
	for _, m := range members {
		for i := 1; i < len(m.order); i++ {
			a := onepipe.Message{Time: m.order[i-1].time, From: m.order[i-1].from}
			b := onepipe.Message{Time: m.order[i].time, From: m.order[i].from}
			if !a.Before(&b) {
				return fmt.Errorf("process %s has received a message after a later one", m.name)
			}
		}
		if reliable && m.digest() != members[0].digest() {
			return fmt.Errorf("processes %s and %s have received reliable messages in different orders", m.name, members[0].name)
		}
	}
	return nil
}
