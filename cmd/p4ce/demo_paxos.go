package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/p4ce/p4ce/host/latency"
	"github.com/p4ce/p4ce/systems/paxos"
	paxoslab "github.com/p4ce/p4ce/systems/paxos/lab"
)

// paxosValues is how many values are proposed by default.
const paxosValues = 20000

// paxosDemo is the network of the demo.
type paxosDemo struct {
	o      demoOptions
	dir    string
	self   string
	net    *paxoslab.Network
	stdout io.Writer
	stderr io.Writer
	hosts  []*paxosLog
}

// paxosLog is a host's log, and what it was given.
type paxosLog struct {
	*paxos.Log
	mu   sync.Mutex
	seen []byte    // values, one after the other
	n    int       // how many
	last time.Time // when
}

func (h *paxosLog) apply(e paxos.Entry) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = time.Now()
	if e.Client != 0 {
		h.seen = append(h.seen, e.Value...)
		h.n++
	}
}

func runPaxosDemo(ctx context.Context, o demoOptions, stdout, stderr io.Writer) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	dir, err := os.MkdirTemp("", "p4ce-demo-")
	if err != nil {
		return fmt.Errorf("temporary folder: %w (TMPDIR says where)", err)
	}
	defer os.RemoveAll(dir)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	d := &paxosDemo{o: o, dir: dir, self: self, stdout: stdout, stderr: stderr}
	defer d.close()
	if err := d.run(ctx); err != nil {
		if ctx.Err() != nil {
			return errors.New("interrupted; everything has been taken down")
		}
		return err
	}
	return nil
}

func (d *paxosDemo) close() {
	for _, h := range d.hosts {
		_ = h.Close()
	}
	if d.net != nil {
		d.net.Close()
	}
}

// options say how the lab builds what the demo runs in.
func (d *paxosDemo) options() paxoslab.Options {
	o := paxoslab.Options{Binary: d.self, Dir: d.dir, Target: d.o.target}
	if d.o.verbose {
		o.Log = d.stderr
	}
	return o
}

// start builds the network.
func (d *paxosDemo) start(ctx context.Context) (err error) {
	if d.net, err = paxoslab.Start(ctx, d.options()); err != nil {
		return err
	}
	d.hosts, err = attachAll(d.net.Attach)
	return err
}

// attachAll makes all hosts, in this process.
func attachAll(attach func(string, func(paxos.Entry)) (*paxos.Log, error)) (hosts []*paxosLog, err error) {
	for _, name := range paxoslab.Hosts {
		h := &paxosLog{}
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

// propose has values decided, as many at once as the window says. hurt is called when half of
// them are, and as many are proposed when whoever it was is gone.
func propose(ctx context.Context, log *paxos.Log, first, n, window int, hurt func() (gone <-chan struct{})) (m measured, err error) {
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
			err := log.Go(fmt.Appendf(nil, "value %d;", first+i), answer)
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

func (d *paxosDemo) run(ctx context.Context) error {
	out, n := d.stdout, d.o.count
	if n < 0 {
		n = paxosValues
	}
	where := "XDP, in a network namespace"
	if d.o.target != "xdp" {
		where = "the interpreter, over datagram sockets (as root: XDP)"
	}
	fmt.Fprintf(out, "Five switches, each a process: a leader (l), three acceptors (a1, a2, a3), and one between them (t) that counts votes. On %s.\nTwo hosts have the log; one of them proposes.\n\n", where)
	setup, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := d.start(setup); err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	stop := checkpoints(d.hosts)
	defer stop()
	h := d.hosts[0]
	warm := n / 10
	if _, err := propose(limit, h.Log, 0, warm, d.o.window, nil); err != nil {
		return err
	}
	one, err := propose(limit, h.Log, warm, n/20, 1, nil)
	if err != nil {
		return err
	}
	many, err := propose(limit, h.Log, warm+n/20, n, d.o.window, nil)
	if err != nil {
		return err
	}
	softOne, softMany, err := d.software(limit, n)
	if err != nil {
		return fmt.Errorf("the roles as programs: %w", err)
	}
	tab := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tab, "\tONE AT A TIME, P50\tP99\t%d AT A TIME, VALUES/S\tP50\tP99\t\n", d.o.window)
	for _, r := range []struct {
		what      string
		one, many measured
	}{{"roles in switches", one, many}, {"roles as programs", softOne, softMany}} {
		fmt.Fprintf(tab, "%s\t%v\t%v\t%.0f\t%v\t%v\t\n", r.what, micros(r.one.P50), micros(r.one.P99), r.many.rate, micros(r.many.P50), micros(r.many.P99))
	}
	tab.Flush()
	fmt.Fprintln(out, "\nThe programs are plain Go, a process each, and talk UDP over the loopback.")

	first := warm + n/20 + n
	for _, victim := range []struct{ name, what string }{{"l", "The leader"}, {"a3", "An acceptor"}} {
		m, err := propose(limit, h.Log, first, n, d.o.window, func() <-chan struct{} {
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
	return d.compare(limit, first)
}

// micros rounds for a table.
func micros(d time.Duration) time.Duration { return d.Round(time.Microsecond) }

// software measures the same with the roles as programs.
func (d *paxosDemo) software(ctx context.Context, n int) (one, many measured, err error) {
	roles, err := paxoslab.StartPrograms(ctx, d.options())
	if err != nil {
		return one, many, err
	}
	defer roles.Close()
	hosts, err := attachAll(roles.Attach)
	if err != nil {
		return one, many, err
	}
	defer func() {
		for _, h := range hosts {
			_ = h.Close()
		}
	}()
	stop := checkpoints(hosts)
	defer stop()
	if _, err = propose(ctx, hosts[0].Log, 0, n/10, d.o.window, nil); err != nil {
		return one, many, err
	}
	if one, err = propose(ctx, hosts[0].Log, 0, n/20, 1, nil); err != nil {
		return one, many, err
	}
	many, err = propose(ctx, hosts[0].Log, 0, n, d.o.window, nil)
	return one, many, err
}

// checkpoints says again and again that what hosts have seen is in a checkpoint: here it
// need not outlive them. It returns what ends that.
func checkpoints(hosts []*paxosLog) (stop func()) {
	done := make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		t := time.NewTicker(20 * time.Millisecond)
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-t.C:
				for _, h := range hosts {
					h.Checkpoint(h.Status().Position)
				}
			}
		}
	})
	return func() { close(done); ended.Wait() }
}

// compare waits until both hosts have everything, and sees that it is the same and nothing is
// missing or there twice.
func (d *paxosDemo) compare(ctx context.Context, n int) error {
	for {
		d.hosts[1].mu.Lock()
		got := d.hosts[1].n
		d.hosts[1].mu.Unlock()
		if got >= n {
			break
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the other host has %d of %d values", got, n)
		case <-time.After(10 * time.Millisecond):
		}
	}
	var all [2][]byte
	for i, h := range d.hosts {
		h.mu.Lock()
		all[i] = slices.Clone(h.seen)
		got := h.n
		h.mu.Unlock()
		if got != n {
			return fmt.Errorf("host %d has %d values, %d were proposed", i+1, got, n)
		}
	}
	if !bytes.Equal(all[0], all[1]) {
		return errors.New("the logs of the two hosts differ")
	}
	seen := map[string]bool{}
	for v := range bytes.SplitSeq(bytes.TrimSuffix(all[0], []byte(";")), []byte(";")) {
		if seen[string(v)] {
			return fmt.Errorf("%q is in the log twice", v)
		}
		seen[string(v)] = true
	}
	fmt.Fprintf(d.stdout, "Both hosts have all %d values, each once, in the same order.\n", n)
	return nil
}
