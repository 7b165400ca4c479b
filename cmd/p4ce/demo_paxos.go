package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"text/tabwriter"
	"time"

	ctrlpaxos "github.com/p4ce/p4ce/ctrl/app/paxos"
	"github.com/p4ce/p4ce/host/latency"
	"github.com/p4ce/p4ce/host/paxos"
	"github.com/p4ce/p4ce/host/paxos/soft"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/datagram"
	"github.com/p4ce/p4ce/link/packet"
)

// The demo of Paxos in switches: a leader, three acceptors, and a switch between them to which
// hosts are attached, and which counts the votes. Two hosts have the log.
const paxosDeployment = `{
  "controller": {"address": "10.0.0.250", "mac": "02:00:00:00:00:fa"},
  "switches": [
    {"name": "t",  "p4runtime": "unix:%[1]s/t.rt",  "mac": "02:00:00:00:01:01", "learner": "10.0.2.1"},
    {"name": "l",  "p4runtime": "unix:%[1]s/l.rt",  "mac": "02:00:00:00:01:02"},
    {"name": "a1", "p4runtime": "unix:%[1]s/a1.rt", "mac": "02:00:00:00:01:11", "acceptor": "10.0.1.1"},
    {"name": "a2", "p4runtime": "unix:%[1]s/a2.rt", "mac": "02:00:00:00:01:12", "acceptor": "10.0.1.2"},
    {"name": "a3", "p4runtime": "unix:%[1]s/a3.rt", "mac": "02:00:00:00:01:13", "acceptor": "10.0.1.3"}
  ],
  "links": [["t:1", "l:1"], ["t:2", "a1:1"], ["t:3", "a2:1"], ["t:4", "a3:1"]],
  "hosts": [
    {"name": "h1", "at": "t:11", "address": "10.0.3.1", "mac": "02:00:00:00:03:01"},
    {"name": "h2", "at": "t:12", "address": "10.0.3.2", "mac": "02:00:00:00:03:02"}
  ],
  "applications": [{
    "name": "log", "leader": {"address": "10.0.0.100", "mac": "02:00:00:00:00:64"},
    "leaders": ["l", "t"], "acceptors": ["a1", "a2", "a3"], "learners": ["t"],
    "replicas": ["h1", "h2"], "proposers": ["h1", "h2"]
  }]
}
`

// paxosCables are the links: what is plugged into which port of a switch, at both ends. A host's
// end has no port.
var paxosCables = [][4]string{{"t", "1", "l", "1"}, {"t", "2", "a1", "1"}, {"t", "3", "a2", "1"}, {"t", "4", "a3", "1"}, {"t", "11", "h1", ""}, {"t", "12", "h2", ""}}

// paxosValues is how many values are proposed by default.
const paxosValues = 20000

// paxosDemo is the network of the demo.
type paxosDemo struct {
	o        demoOptions
	dir      string
	self     string
	lab      *lab.Lab // nil: datagram sockets
	stdout   io.Writer
	stderr   io.Writer
	switches map[string]*launch.Process
	control  *launch.Process
	hosts    []*paxosLog
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
	d := &paxosDemo{o: o, dir: dir, self: self, stdout: stdout, stderr: stderr, switches: map[string]*launch.Process{}}
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
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if d.control != nil {
		d.control.End(ctx)
	}
	for _, s := range d.switches {
		s.End(ctx)
	}
	if d.lab != nil {
		d.lab.Close()
	}
}

// end is how an end of a cable is named to who uses it.
func (d *paxosDemo) end(cable [4]string, far bool) string {
	a, b := cable[0]+"-"+cable[2], cable[2]+"-"+cable[0]
	if far {
		a, b = b, a
	}
	if d.lab != nil {
		return a
	}
	return "unix:" + filepath.Join(d.dir, a) + "," + filepath.Join(d.dir, b)
}

// start builds the network.
func (d *paxosDemo) start(ctx context.Context) error {
	if d.o.target == "xdp" {
		l, err := lab.New(0)
		if err != nil {
			return err
		}
		d.lab = l
		for _, c := range paxosCables {
			if err := l.Cable(d.end(c, false), d.end(c, true)); err != nil {
				return err
			}
		}
	}
	args := map[string][]string{}
	for _, name := range []string{"t", "l", "a1", "a2", "a3"} {
		args[name] = []string{d.self, "switch", "--target", d.o.target, "--listen", "unix:" + filepath.Join(d.dir, name+".rt"), "--cpu-interface", "cpu-" + name}
	}
	for _, c := range paxosCables {
		args[c[0]] = append(args[c[0]], "--port", c[1]+"="+d.end(c, false))
		if c[3] != "" {
			args[c[2]] = append(args[c[2]], "--port", c[3]+"="+d.end(c, true))
		}
	}
	process := func(name string, args []string) (*launch.Process, error) {
		log := io.Discard
		if d.o.verbose {
			log = launch.Prefixed(d.stderr, name)
		}
		return launch.Start(d.lab, launch.Options{Name: name, Args: args, Log: log})
	}
	var err error
	for name, a := range args {
		if d.switches[name], err = process(name, a); err != nil {
			return err
		}
	}
	for name, s := range d.switches {
		if err := s.AwaitReady(ctx); err != nil {
			return fmt.Errorf("switch %s: %w\n%s", name, err, s.Tail())
		}
	}
	file := filepath.Join(d.dir, "deployment.json")
	if err := os.WriteFile(file, fmt.Appendf(nil, paxosDeployment, d.dir), 0o600); err != nil {
		return err
	}
	d.control, err = process("controller", []string{d.self, "controller", "--deployment", file, "--journal", filepath.Join(d.dir, "journal"), "--admin", d.admin()})
	if err != nil {
		return err
	}
	if err := d.control.AwaitReady(ctx); err != nil {
		return fmt.Errorf("controller: %w\n%s", err, d.control.Tail())
	}
	if err := d.lead(ctx, "l"); err != nil {
		return err
	}
	for i, name := range []string{"h1", "h2"} {
		if err := d.attach(name, paxosCables[len(paxosCables)-2+i], file); err != nil {
			return err
		}
	}
	return nil
}

// lead waits until a switch leads. The controller takes the first that is there.
func (d *paxosDemo) lead(ctx context.Context, name string) error {
	c := ctrlpaxos.NewAdminClient(d.admin())
	for {
		list, err := c.Applications(ctx)
		if err != nil {
			return err
		}
		if len(list) == 1 && list[0].State == "running" {
			if list[0].Leader == name {
				return nil
			}
			if err := c.Lead(ctx, list[0].Name, name); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no leader: %w\n%s", ctx.Err(), d.control.Tail())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (d *paxosDemo) admin() string { return "unix:" + filepath.Join(d.dir, "admin") }

// attach makes a host, in this process.
func (d *paxosDemo) attach(name string, cable [4]string, file string) error {
	o := paxosEnd{deployment: file}
	m, err := o.member(name)
	if err != nil {
		return err
	}
	var l link.Port
	if d.lab == nil {
		l, err = datagram.OpenPort(d.end(cable, true))
	} else {
		err = d.lab.InSwitch(func() (err error) {
			l, err = packet.OpenPort(d.end(cable, true))
			return err
		})
	}
	if err != nil {
		return err
	}
	h := &paxosLog{}
	m.Config.Proposer = paxos.ProposerOptions{Client: uint32(m.Number)<<16 | 1}
	m.Config.Apply = h.apply
	m.Config.Wire = m.wire(l)
	if h.Log, err = paxos.Open(m.Config); err != nil {
		return errors.Join(err, m.Config.Wire.Close())
	}
	d.hosts = append(d.hosts, h)
	return nil
}

// measured is what proposing cost.
type measured struct {
	rate float64 // values per second
	latency.Summary
	gap time.Duration // the longest between two answers
}

// propose has values decided, as many at once as the window says. hurt is called when half of
// them are.
func propose(ctx context.Context, log *paxos.Log, first, n, window int, hurt func()) (m measured, err error) {
	h := latency.New()
	var mu sync.Mutex
	var failed error
	free, answered := make(chan struct{}, window), make(chan struct{}, 1)
	done, begin := 0, time.Now()
	last := begin
	for i := range n {
		select {
		case free <- struct{}{}:
		case <-ctx.Done():
			return m, fmt.Errorf("%w: %d of %d values were decided", ctx.Err(), done, n)
		}
		if i == n/2 && hurt != nil {
			hurt()
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
	m.rate, m.Summary = float64(n)/last.Sub(begin).Seconds(), h.Summary()
	return m, failed
}

func (d *paxosDemo) run(ctx context.Context) error {
	out, n := d.stdout, d.o.count
	if n < 0 {
		n = paxosValues
	}
	where := "XDP, in a network namespace"
	if d.lab == nil && d.o.target != "xdp" {
		where = "the interpreter, over datagram sockets (as root: XDP)"
	}
	fmt.Fprintf(out, "Five switches, each a process: a leader (l), three acceptors (a1, a2, a3), and one between them (t) that counts votes. On %s.\nTwo hosts have the log; one of them proposes.\n\n", where)
	setup, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := d.start(setup); err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(ctx, 2*time.Minute)
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
	fmt.Fprintln(out, "\nThe programs are plain Go, talk UDP over the loopback, and share this process with the host.")

	first := warm + n/20 + n
	for _, victim := range []struct{ name, what string }{{"l", "The leader"}, {"a3", "An acceptor"}} {
		m, err := propose(limit, h.Log, first, n, d.o.window, func() { d.switches[victim.name].Kill() })
		if err != nil {
			return fmt.Errorf("after %s was killed: %w", victim.name, err)
		}
		first += n
		fmt.Fprintf(out, "%s (%s) is killed while %d values are proposed: all are decided; the longest wait was %v.\n", victim.what, victim.name, n, m.gap.Round(100*time.Microsecond))
	}
	list, err := ctrlpaxos.NewAdminClient(d.admin()).Applications(ctx)
	if err != nil {
		return err
	}
	for _, a := range list {
		fmt.Fprintf(out, "Now %s leads, in round %d.\n", a.Leader, a.Round)
	}
	return d.compare(limit, first)
}

// micros rounds for a table.
func micros(d time.Duration) time.Duration { return d.Round(time.Microsecond) }

// software measures the same with the roles as programs.
func (d *paxosDemo) software(ctx context.Context, n int) (one, many measured, err error) {
	any := netip.MustParseAddrPort("127.0.0.1:0")
	roles, err := soft.StartCluster(soft.ClusterConfig{Leaders: []netip.AddrPort{any}, Acceptors: []netip.AddrPort{any, any, any}, Learner: any, Controller: any})
	if err != nil {
		return one, many, err
	}
	defer roles.Close()
	var hosts []*paxosLog
	var addrs []netip.AddrPort
	for i := range 2 {
		h := &paxosLog{}
		c := paxos.Config{
			Listen: any, Host: uint32(i + 1), Leader: roles.Leaders[0].Addr(), Learners: []netip.AddrPort{roles.Learner.Addr()}, Controller: roles.Addr(),
			Proposer: paxos.ProposerOptions{Client: uint32(i+1)<<16 | 1}, Apply: h.apply,
		}
		for _, a := range roles.Acceptors {
			c.Acceptors = append(c.Acceptors, a.Addr())
		}
		if h.Log, err = paxos.Open(c); err != nil {
			return one, many, err
		}
		defer h.Close()
		hosts, addrs = append(hosts, h), append(addrs, h.Addr())
	}
	roles.Replicas(addrs)
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
