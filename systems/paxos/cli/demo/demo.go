// Package demo has the demo of Paxos in switches: p4ce demo paxos.
package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/host/latency"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/internal/cli/demo"
	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/lab"
)

// Demos are the system's.
var Demos = []demo.Demo{{
	Command: command,
	About: `p4ce demo paxos builds five switches that run Paxos (see docs/paxos.md), and hosts that
propose values. A table compares the switches with the same roles as programs. Then the
demo kills the leader and an acceptor.`,
}}

func command() *cobra.Command {
	var applications int
	c := demo.Switches{
		Name: "paxos", Short: "Replicate a log with Paxos in five switches, without RDMA",
		Long: `Build a network of five switches that run Paxos (see docs/paxos.md), and hosts that propose values and
deliver chosen ones. A table compares the switches with the same roles as programs. Then the demo kills
the leader and an acceptor.

With --applications, several logs share the switches, each with two hosts of its own. A table compares
what each decides alone and beside the others. Then the demo kills a leader and an acceptor of all.`,
		Window: paxos.History / 4,
		Count:  20000,
		Run: func(ctx context.Context, r *demo.Run) error {
			if applications < 1 || applications > lab.MaxApplications {
				return cli.Usagef("--applications %d: 1 to %d", applications, lab.MaxApplications)
			}
			return show(ctx, r, applications)
		},
	}.Command()
	c.Flags().IntVar(&applications, "applications", 1, "number of logs that share the switches")
	return c
}

// network is that of the demo.
type network struct {
	*demo.Run
	net          *lab.Network
	applications int
	hosts        []*host // of the first application, or all
}

// host is a host's log, and what it was given.
type host struct {
	*paxos.Log
	mu   sync.Mutex
	seen []byte    // values, one after the other
	n    int       // how many
	last time.Time // when
}

func (h *host) apply(e paxos.Entry) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = time.Now()
	if e.Client != 0 {
		h.seen = append(h.seen, e.Value...)
		h.n++
	}
}

// show builds the network, shows what it does, and takes it down.
func show(ctx context.Context, r *demo.Run, applications int) error {
	d := &network{Run: r, applications: applications}
	defer d.close()
	if applications > 1 {
		return d.several(ctx)
	}
	return d.run(ctx)
}

func (d *network) close() {
	for _, h := range d.hosts {
		_ = h.Close()
	}
	if d.net != nil {
		d.net.Close()
	}
}

// options say how the lab builds what the demo runs in.
func (d *network) options() lab.Options {
	o := lab.Options{Binary: d.Self, Dir: d.Dir, Target: d.Target, Log: d.Log()}
	if d.applications > 1 {
		o.Deployment = lab.Applications(d.applications)
	}
	return o
}

// start builds the network.
func (d *network) start(ctx context.Context) (err error) {
	if d.net, err = lab.Start(ctx, d.options()); err != nil {
		return err
	}
	_, replicas := d.net.Logs()
	d.hosts, err = attachAll(slices.Concat(replicas...), d.net.Attach)
	return err
}

// attachAll makes hosts, in this process.
func attachAll(names []string, attach func(string, func(paxos.Entry)) (*paxos.Log, error)) (hosts []*host, err error) {
	for _, name := range names {
		h := &host{}
		if h.Log, err = attach(name, h.apply); err != nil {
			for _, h := range hosts {
				_ = h.Close()
			}
			return nil, err
		}
		hosts = append(hosts, h)
	}
	return hosts, nil
}

// measured is what proposing cost.
type measured struct {
	rate float64 // values per second
	latency.Summary
	gap time.Duration // the longest between two answers
	n   int           // values
}

// propose has values of an application decided, as many at once as the window says. hurt is called when half of
// them are, and as many are proposed when whoever it was is gone.
func propose(ctx context.Context, log *paxos.Log, app string, first, n, window int, hurt func() (gone <-chan struct{})) (m measured, err error) {
	h := latency.New()
	var mu sync.Mutex
	var failed error
	free, answered := make(chan struct{}, window), make(chan struct{}, 1)
	done, begin := 0, time.Now()
	last := begin
	var gone <-chan struct{} // whoever was hurt
	for i := 0; i < n || gone != nil; i++ {
		select {
		case free <- struct{}{}:
		case <-ctx.Done():
			return m, fmt.Errorf("%w: %d values were decided", ctx.Err(), done)
		}
		if i == n/2 && hurt != nil {
			gone = hurt()
		}
		select {
		case <-gone:
			gone, n = nil, i+(n+1)/2
		default:
		}
		sent := time.Now()
		answer := func(_ uint64, err error) {
			mu.Lock()
			now := time.Now()
			h.Add(now.Sub(sent))
			m.gap = max(m.gap, now.Sub(last))
			last, failed = now, errors.Join(failed, err)
			done++
			mu.Unlock()
			<-free
			select {
			case answered <- struct{}{}:
			default:
			}
		}
		for {
			err := log.Go(fmt.Appendf(nil, "%s value %d;", app, first+i), answer)
			if err == nil {
				break
			}
			// The oldest value is not decided yet, and so many later ones are.
			if !errors.Is(err, paxos.ErrWindow) || ctx.Err() != nil {
				return m, err
			}
			select {
			case <-answered:
			case <-ctx.Done():
			}
		}
	}
	for range window { // the last ones
		select {
		case free <- struct{}{}:
		case <-ctx.Done():
			return m, fmt.Errorf("%w: %d of %d values were decided", ctx.Err(), done, n)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	m.n = done
	m.rate, m.Summary = float64(done)/last.Sub(begin).Seconds(), h.Summary()
	return m, failed
}

func (d *network) run(ctx context.Context) error {
	out, n := d.Stdout, d.Count
	fmt.Fprintf(out, "Five switches, each a process: a leader (l), three acceptors (a1, a2, a3), and one between them (t) that counts votes. On %s.\nTwo hosts have the log; one of them proposes.\n\n", d.Where())
	setup, cancel := context.WithTimeout(ctx, demo.StartTimeout)
	defer cancel()
	if err := d.start(setup); err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	stop := lab.Checkpoints(d.hosts)
	defer stop()
	h := d.hosts[0]
	warm := n / 10
	if _, err := propose(limit, h.Log, lab.Log, 0, warm, d.Window, nil); err != nil {
		return err
	}
	one, err := propose(limit, h.Log, lab.Log, warm, n/20, 1, nil)
	if err != nil {
		return err
	}
	many, err := propose(limit, h.Log, lab.Log, warm+n/20, n, d.Window, nil)
	if err != nil {
		return err
	}
	softOne, softMany, err := d.software(limit, n)
	if err != nil {
		return fmt.Errorf("the roles as programs: %w", err)
	}
	tab := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tab, "\tONE AT A TIME, P50\tP99\t%d AT A TIME, VALUES/S\tP50\tP99\t\n", d.Window)
	for _, r := range []struct {
		what      string
		one, many measured
	}{{"roles in switches", one, many}, {"roles as programs", softOne, softMany}} {
		fmt.Fprintf(tab, "%s\t%v\t%v\t%.0f\t%v\t%v\t\n", r.what, demo.Micros(r.one.P50), demo.Micros(r.one.P99), r.many.rate, demo.Micros(r.many.P50), demo.Micros(r.many.P99))
	}
	tab.Flush()
	fmt.Fprintln(out, "\nThe programs are plain Go, a process each, and talk UDP over the loopback.")

	first := warm + n/20 + n
	for _, victim := range []struct{ name, what string }{{"l", "The leader"}, {"a3", "An acceptor"}} {
		m, err := propose(limit, h.Log, lab.Log, first, n, d.Window, func() <-chan struct{} {
			d.net.Kill(victim.name)
			return d.net.Switch(victim.name).Done()
		})
		if err != nil {
			return fmt.Errorf("after %s was killed: %w", victim.name, err)
		}
		first += m.n
		fmt.Fprintf(out, "%s (%s) is killed while %d values are proposed: all are decided; the longest wait was %v.\n", victim.what, victim.name, m.n, m.gap.Round(100*time.Microsecond))
	}
	a, err := d.net.Application(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Now %s leads, in round %d.\n", a.Leader, a.Round)
	if err := compare(limit, d.hosts, lab.Log, first); err != nil {
		return err
	}
	fmt.Fprintf(out, "Both hosts have all %d values, each once, in the same order.\n", first)
	return nil
}

// software measures the same with the roles as programs.
func (d *network) software(ctx context.Context, n int) (one, many measured, err error) {
	roles, err := lab.StartPrograms(ctx, d.options())
	if err != nil {
		return one, many, err
	}
	defer roles.Close()
	hosts, err := attachAll(lab.Hosts, roles.Attach)
	if err != nil {
		return one, many, err
	}
	defer func() {
		for _, h := range hosts {
			_ = h.Close()
		}
	}()
	stop := lab.Checkpoints(hosts)
	defer stop()
	if _, err = propose(ctx, hosts[0].Log, lab.Log, 0, n/10, d.Window, nil); err != nil {
		return one, many, err
	}
	if one, err = propose(ctx, hosts[0].Log, lab.Log, 0, n/20, 1, nil); err != nil {
		return one, many, err
	}
	many, err = propose(ctx, hosts[0].Log, lab.Log, 0, n, d.Window, nil)
	return one, many, err
}

// compare waits until both hosts of an application have everything, and sees that it is the same, and nothing is
// missing, there twice, or of another application.
func compare(ctx context.Context, hosts []*host, app string, n int) error {
	for {
		hosts[1].mu.Lock()
		got := hosts[1].n
		hosts[1].mu.Unlock()
		if got >= n {
			break
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: the other host has %d of %d values", app, got, n)
		case <-time.After(10 * time.Millisecond):
		}
	}
	var all [2][]byte
	for i, h := range hosts {
		h.mu.Lock()
		all[i] = slices.Clone(h.seen)
		got := h.n
		h.mu.Unlock()
		if got != n {
			return fmt.Errorf("%s: host %d has %d values, %d were proposed", app, i+1, got, n)
		}
	}
	if !bytes.Equal(all[0], all[1]) {
		return fmt.Errorf("%s: the logs of the two hosts differ", app)
	}
	seen := map[string]bool{}
	for v := range bytes.SplitSeq(bytes.TrimSuffix(all[0], []byte(";")), []byte(";")) {
		if seen[string(v)] {
			return fmt.Errorf("%s: %q is in the log twice", app, v)
		}
		if !bytes.HasPrefix(v, []byte(app+" value ")) {
			return fmt.Errorf("%s: %q is of another application", app, v)
		}
		seen[string(v)] = true
	}
	return nil
}
