package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/p4"
	names "github.com/p4ce/p4ce/p4/rdma"
)

// demo is a running demonstration.
type demo struct {
	o              demoOptions
	dir, input     string
	stdout, stderr io.Writer
	progress       bool     // stderr is a terminal
	lab            *lab.Lab // nil without root
	switchProc     *server
	controller     *server
	replicas       []*server
	leader         *server
	kv             []*kvDemoServer
	counters       *p4rtclient.Client
	info           *p4rtclient.Info
	servers        []*server     // those that are not to end
	failed         chan struct{} // one of them has ended
}

// server is a process of the demo and what it prints.
type server struct {
	name   string
	proc   process
	run    *lab.Proc  // the same, to be stopped
	events chan event // closed at the end of what it prints
	stdin  io.WriteCloser
	log    *logTail
	gone   chan struct{} // closed when it has ended and all that it printed has been read
	ready  bool          // it has been; after gone
	end    *event        // what it said of its end, nil if nothing; after gone
}

// logTail keeps the last lines of a process's log, for when it fails, and
// shows them all with --verbose.
type logTail struct {
	name string
	show io.Writer

	mu    sync.Mutex
	lines []string
	part  []byte
}

func (l *logTail) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.part = append(l.part, b...)
	for {
		i := bytes.IndexByte(l.part, '\n')
		if i < 0 {
			return len(b), nil
		}
		line := string(l.part[:i])
		l.part = l.part[i+1:]
		l.lines = append(l.lines, line)
		if len(l.lines) > 20 {
			l.lines = l.lines[1:]
		}
		if l.show != nil {
			fmt.Fprintf(l.show, "%-10s %s\n", l.name, line)
		}
	}
}

// tail is the last lines, indented, for an error.
func (l *logTail) tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := max(0, len(l.lines)-5)
	if len(l.lines) == 0 {
		return ""
	}
	return "\n  " + strings.Join(l.lines[n:], "\n  ")
}

func newDemo(o demoOptions, dir, input string, stdout, stderr io.Writer) (*demo, error) {
	d := &demo{o: o, dir: dir, input: input, stdout: stdout, stderr: stderr, progress: isTerminal(stderr), failed: make(chan struct{}, 1)}
	if os.Geteuid() != 0 {
		fmt.Fprintln(stdout, "Not root: the switch is the interpreter instead of XDP, and servers talk to it through datagram sockets.")
		return d, nil
	}
	fmt.Fprintf(stdout, "Building a network of %d servers around a switch, in network namespaces.\n", o.replicas+1)
	l, err := lab.New(o.replicas + 1)
	if err != nil {
		return nil, err
	}
	d.lab = l
	return d, nil
}

// isTerminal reports whether somebody watches what is written to w.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// start starts ourselves with other arguments, in the switch's namespace
// (host < 0) or in a host's. Its end is an error of the demo's.
func (d *demo) start(name string, host int, args ...string) (*server, error) {
	s, err := d.launch(name, host, nil, args...)
	if err != nil {
		return nil, err
	}
	d.watch(s)
	return s, nil
}

// watch makes the end of a server an error of the demo's.
func (d *demo) watch(s *server) {
	d.servers = append(d.servers, s)
	go func() {
		<-s.gone
		select {
		case d.failed <- struct{}{}:
		default:
		}
	}()
}

// launch is start for a process that may end. It inherits files.
func (d *demo) launch(name string, host int, files []*os.File, args ...string) (*server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &server{name: name, events: make(chan event, 64), log: &logTail{name: name}, gone: make(chan struct{})}
	if d.o.verbose {
		s.log.show = d.stderr
	}
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	spec := lab.Spec{Name: name, Args: append([]string{self}, args...), Stdin: inR, Stdout: outW, Stderr: s.log, Files: files}
	switch {
	case d.lab == nil:
		s.run, err = lab.Start(spec)
	case host < 0:
		s.run, err = d.lab.StartInSwitch(spec)
	default:
		s.run, err = d.lab.StartInHost(d.lab.Hosts[host], spec)
	}
	inR.Close()
	outW.Close()
	if err != nil {
		return nil, err
	}
	s.proc, s.stdin = s.run, inW
	go s.listen(outR)
	return s, nil
}

// listen takes what the server prints, until it has ended.
func (s *server) listen(out io.ReadCloser) {
	in := bufio.NewScanner(out)
	for in.Scan() {
		var e event
		if json.Unmarshal(in.Bytes(), &e) != nil {
			continue
		}
		switch e.Event {
		case "ready":
			s.ready = true
		case eventEnd:
			s.end = &e
			continue
		}
		select {
		case s.events <- e:
			continue
		default:
		}
		select {
		case s.events <- e:
		case <-s.proc.Done(): // and nobody asks for it
		}
	}
	close(s.events)
	out.Close()
	<-s.proc.Done()
	close(s.gone)
}

// errEnded says that a process has ended that should not have.
var errEnded = errors.New("a process has ended")

// wait waits for an event of a server, passing others to each.
func (d *demo) wait(ctx context.Context, s *server, kind string, each func(event)) (event, error) {
	for {
		select {
		case e, ok := <-s.events:
			switch {
			case !ok:
				// Its end is reported with its log.
				s.events = nil
			case e.Event == kind:
				return e, nil
			case each != nil:
				each(e)
			}
		case <-d.failed:
			return event{}, errEnded
		case <-ctx.Done():
			return event{}, fmt.Errorf("waiting for %s: %w%s", s.name, ctx.Err(), s.log.tail())
		}
	}
}

func (s *server) tell(command string) error {
	if _, err := fmt.Fprintln(s.stdin, command); err != nil {
		return &lostError{s, err}
	}
	return nil
}

// startTimeout bounds what should take a moment.
const startTimeout = time.Minute

// replicate runs the whole demonstration.
func (d *demo) replicate(ctx context.Context) ([]result, []digest, error) {
	if err := d.startAll(ctx); err != nil {
		return nil, nil, err
	}
	var results []result
	for _, mode := range []string{"direct", "accelerated"} {
		r, err := d.mode(ctx, mode)
		if err != nil {
			return nil, nil, err
		}
		results = append(results, r)
	}
	digests, err := d.digests(ctx)
	return results, digests, err
}

// address of host i, and the switch's.
func (d *demo) address(i int) string { return fmt.Sprintf("10.66.0.%d", 11+i) }

// p4rt is the address of the switch's P4Runtime server.
func (d *demo) p4rt() string { return "unix:" + filepath.Join(d.dir, "p4rt.sock") }

// startSwitch starts the switch and its controller, for n servers.
func (d *demo) startSwitch(ctx context.Context, n int) error {
	listen := d.p4rt()
	args := []string{"switch", "--target", d.o.target, "--listen", listen}
	if d.o.pcap != "" {
		abs, err := filepath.Abs(d.o.pcap)
		if err != nil {
			return err
		}
		args = append(args, "--capture", abs)
	}
	for i := range n {
		args = append(args, "--port", fmt.Sprintf("%d=%s", i+1, d.portInterface(i)))
	}
	var err error
	if d.switchProc, err = d.start("switch", -1, args...); err != nil {
		return err
	}
	if _, err = d.wait(ctx, d.switchProc, "ready", nil); err != nil {
		return err
	}
	fmt.Fprintf(d.stdout, "The switch runs (%s). Its controller loads p4/rdma/rdma.p4.\n", d.o.target)
	cargs := []string{"controller", "--switch", listen, "--admin", "unix:" + filepath.Join(d.dir, "admin.sock"),
		"--address", lab.SwitchIP.String(), "--mac", lab.SwitchMAC.String()}
	for i := range n {
		cargs = append(cargs, "--ports", fmt.Sprint(i+1))
	}
	cargs = append(cargs, d.staticHosts(n)...)
	if d.controller, err = d.start("controller", -1, cargs...); err != nil {
		return err
	}
	_, err = d.wait(ctx, d.controller, "ready", nil)
	return err
}

func (d *demo) startAll(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	n := d.o.replicas + 1
	err := d.startSwitch(ctx, n)
	if err != nil {
		return err
	}
	var addrs []string
	for i := 1; i < n; i++ {
		addrs = append(addrs, d.address(i))
		args := append([]string{"node", "--role", "replica", "--log-size", fmt.Sprint(demoLog)}, d.nodeWire(i)...)
		r, err := d.start(fmt.Sprintf("replica %d", i), i, args...)
		if err != nil {
			return err
		}
		d.replicas = append(d.replicas, r)
	}
	for _, r := range d.replicas {
		if _, err := d.wait(ctx, r, "ready", nil); err != nil {
			return err
		}
	}
	largs := append([]string{"node", "--role", "leader", "--replicas", strings.Join(addrs, ","), "--switch", lab.SwitchIP.String(),
		"--policy", d.o.policy, "--log-size", fmt.Sprint(demoLog), "--input", d.input, "--modes", "direct,accelerated",
		"--record-size", fmt.Sprint(d.o.recordSize), "--count", fmt.Sprint(d.o.count)}, d.nodeWire(0)...)
	if d.leader, err = d.start("leader", 0, largs...); err != nil {
		return err
	}
	e, err := d.wait(ctx, d.leader, "ready", nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.stdout, "%d replicas and a leader are connected; %d records to replicate.\n", d.o.replicas, e.Total)
	return d.openCounters(ctx, d.p4rt())
}

// portInterface is what is behind port i+1 of the switch.
func (d *demo) portInterface(i int) string {
	if d.lab != nil {
		return d.lab.Hosts[i].PortInterface()
	}
	return fmt.Sprintf("unix:%s,%s", d.socket("switch", i), d.socket("server", i))
}

func (d *demo) socket(end string, i int) string {
	return filepath.Join(d.dir, fmt.Sprintf("%s%d.sock", end, i))
}

// nodeWire are the flags that connect server i to the switch.
func (d *demo) nodeWire(i int) []string {
	if d.lab != nil {
		return []string{"--interface", lab.Interface, "--wire", d.o.wire}
	}
	return []string{"--wire", fmt.Sprintf("unix:%s,%s", d.socket("server", i), d.socket("switch", i)),
		"--address", d.address(i), "--mac", hostMAC(i), "--gateway-mac", lab.SwitchMAC.String()}
}

func hostMAC(i int) string { return fmt.Sprintf("02:66:00:00:00:%02x", 11+i) }

// staticHosts tells the controller who is where, when there is no ARP.
func (d *demo) staticHosts(n int) []string {
	if d.lab != nil {
		return nil
	}
	var out []string
	for i := range n {
		out = append(out, "--host", fmt.Sprintf("%s,%s,%d", d.address(i), hostMAC(i), i+1))
	}
	return out
}

// openCounters connects to the switch to read its port counters, as any
// P4Runtime client may.
func (d *demo) openCounters(ctx context.Context, address string) error {
	c, err := p4rtclient.New(p4rtclient.Options{Address: address, DeviceID: 1})
	if err != nil {
		return err
	}
	info, err := p4.Info("rdma")
	if err != nil {
		return err
	}
	d.counters, d.info = c, p4rtclient.NewInfo(info)
	return nil
}

// crossed is what has crossed the leader's link.
type crossed struct{ sent, received p4rtclient.CounterValue }

func (d *demo) readLink(ctx context.Context) (crossed, error) {
	var l crossed
	for name, dst := range map[string]*p4rtclient.CounterValue{names.CounterPortRx: &l.sent, names.CounterPortTx: &l.received} {
		v, err := d.counters.ReadCounter(ctx, d.info, name, 1)
		if status.Code(err) == codes.Unavailable {
			return l, &lostError{d.switchProc, err}
		}
		if err != nil {
			return l, err
		}
		if len(v) != 1 {
			return l, fmt.Errorf("switch: counter %s has no cell for port 1", name)
		}
		*dst = v[0]
	}
	return l, nil
}

// mode lets the leader replicate in one mode.
func (d *demo) mode(ctx context.Context, mode string) (result, error) {
	setup, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if _, err := d.wait(setup, d.leader, "mode", nil); err != nil {
		return result{}, err
	}
	before, err := d.readLink(ctx)
	if err != nil {
		return result{}, err
	}
	if err := d.leader.tell("go"); err != nil {
		return result{}, err
	}
	e, err := d.wait(ctx, d.leader, "done", func(e event) {
		if e.Event == "progress" && d.terminal() {
			fmt.Fprintf(d.stderr, "\r%-12s %d of %d records", mode, e.Records, e.Total)
		}
	})
	if d.terminal() {
		fmt.Fprint(d.stderr, "\r\x1b[K")
	}
	if err != nil {
		return result{}, err
	}
	after, err := d.readLink(ctx)
	if err != nil {
		return result{}, err
	}
	r := result{mode: mode, records: e.Records, bytes: e.Bytes, seconds: e.Seconds, writes: e.Writes, repairs: e.Repairs,
		sent:      after.sent.Packets - before.sent.Packets,
		packets:   after.sent.Packets - before.sent.Packets + after.received.Packets - before.received.Packets,
		linkBytes: after.sent.Bytes - before.sent.Bytes + after.received.Bytes - before.received.Bytes,
	}
	if e.Latency != nil {
		r.p50, r.p99 = e.Latency.P50, e.Latency.P99
	}
	fmt.Fprintf(d.stdout, "%-12s %d records in %.2f s\n", mode+":", r.records, r.seconds)
	return r, nil
}

// terminal reports whether progress can be shown on one line.
func (d *demo) terminal() bool {
	f, ok := d.stderr.(*os.File)
	if !ok {
		return false
	}
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}

// digests asks every server for its log.
func (d *demo) digests(ctx context.Context) ([]digest, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	e, err := d.wait(ctx, d.leader, "digest", nil)
	if err != nil {
		return nil, err
	}
	out := []digest{{"leader", e.Records, e.SHA256}}
	for i, r := range d.replicas {
		if err := r.tell("digest"); err != nil {
			return nil, err
		}
		e, err := d.wait(ctx, r, "digest", nil)
		if err != nil {
			return nil, err
		}
		out = append(out, digest{fmt.Sprintf("replica %d", i+1), e.Records, e.SHA256})
	}
	return out, nil
}

// checkResults holds the demo to what it claims: in accelerated mode the leader
// posts one WRITE per record, where it posts one per replica in direct mode. (A
// replica that lags gets several records in one WRITE, and packets on the link may
// be more: what a busy machine loses is sent again.)
func (d *demo) checkResults(results []result) error {
	for _, r := range results {
		if r.repairs > 0 {
			fmt.Fprintf(d.stdout, "\nIn %s mode a replica could not keep up, and got what it had missed directly from the leader (%d times).\n", r.mode, r.repairs)
			continue // by WRITEs that the claim is not about
		}
		if most := r.records + r.records/50 + 50; r.mode == "accelerated" && r.writes > most {
			return fmt.Errorf("accelerated mode posted %d WRITEs for %d records", r.writes, r.records)
		}
	}
	for _, r := range results {
		// A WRITE is as many packets as its records fill, at the path MTU of the
		// demo's links.
		want := r.writes * (1 + (r.bytes/max(r.records, 1)+64)/1024)
		if r.sent > want+want/10+500 {
			fmt.Fprintf(d.stdout, "\nIn %s mode the leader sent %d packets where %d would have done: a server could not keep up, and what it missed was sent again.\n", r.mode, r.sent, want)
		}
	}
	return nil
}

// keep leaves everything running until the user ends it.
func (d *demo) keep(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Fprintln(d.stdout, "\nEverything is still running. To look at it:")
	if d.lab != nil {
		names, err := d.lab.Keep("p4ce")
		if err != nil {
			return err
		}
		fmt.Fprintf(d.stdout, "  ip netns exec %s ip -s link        the switch's ports\n", names[0])
		fmt.Fprintf(d.stdout, "  ip netns exec %s ping -c 3 %s      a server pings the switch\n", names[1], lab.SwitchIP)
	}
	admin := "unix:" + filepath.Join(d.dir, "admin.sock")
	fmt.Fprintf(d.stdout, "  %s group list --controller %s\n  %s status --controller %s\n", self, admin, self, admin)
	fmt.Fprintln(d.stdout, "Ctrl-C ends it.")
	select {
	case <-ctx.Done():
		return nil
	case <-d.failed:
		return errEnded
	}
}

// close takes everything down: servers first, so that the group is dissolved.
func (d *demo) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if d.counters != nil {
		d.counters.Close()
	}
	stop := func(s *server) {
		if s != nil {
			_ = s.run.Stop(ctx)
			s.stdin.Close()
		}
	}
	stop(d.leader)
	for _, s := range d.kv {
		stop(s.server)
	}
	for _, r := range d.replicas {
		stop(r)
	}
	stop(d.controller)
	stop(d.switchProc)
	if d.lab != nil {
		d.lab.Close()
	}
}
