package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/internal/cli/demo"
	"github.com/p4ce/p4ce/internal/event"
	"github.com/p4ce/p4ce/internal/units"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/lab/runner"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/systems/rdma/cli/node"
	"github.com/p4ce/p4ce/systems/rdma/lab/cluster"
)

// network is that of a demo, which runs.
type network struct {
	o              options
	dir, input     string
	self           string // our binary
	stdout, stderr io.Writer
	progress       func(format string, args ...any)
	lab            *lab.Lab // nil without root
	cluster        *cluster.Cluster
	replicas       []*server
	leader         *server
	kv             []*storeServer
	watch          *launch.Watch // of those that are not to end
}

// server is a process of the demo and what it prints.
type server struct {
	*launch.Process
	events chan node.Event
}

func build(o options, dir, input string, stdout, stderr io.Writer) (*network, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	d := &network{o: o, dir: dir, input: input, self: self, stdout: stdout, stderr: stderr, progress: cli.Progress(stderr), watch: launch.NewWatch()}
	if os.Geteuid() != 0 {
		fmt.Fprintln(stdout, "Not root: the switch is the interpreter instead of XDP, and servers talk to it through datagram sockets.")
		return d, nil
	}
	fmt.Fprintf(stdout, "Building a network of %s around a switch, in network namespaces.\n", units.Count(o.replicas+1, "server"))
	l, err := lab.New(o.replicas + 1)
	if err != nil {
		return nil, err
	}
	d.lab = l
	return d, nil
}

// start starts ourselves with other arguments, as a server on a host. Its end is an
// error of the demo's.
func (d *network) start(name string, host int, args ...string) (*server, error) {
	s := &server{events: make(chan node.Event, 64)}
	p, err := d.launch(name, host, nil, s.took, args...)
	if err != nil {
		return nil, err
	}
	s.Process = p
	d.watch.Add(p)
	return s, nil
}

// launch is start for a process that may end. It inherits files.
func (d *network) launch(name string, host int, files []*os.File, took func(*launch.Process, []byte), args ...string) (*launch.Process, error) {
	o := launch.Options{Name: name, Args: args, Files: files, Event: took}
	if d.lab != nil {
		o.Host = d.lab.Hosts[host]
	}
	return d.cluster.Start(o)
}

// took takes what the server prints.
func (s *server) took(p *launch.Process, line []byte) {
	var e node.Event
	if json.Unmarshal(line, &e) != nil {
		return
	}
	select {
	case s.events <- e:
		return
	default:
	}
	select {
	case s.events <- e:
	case <-p.Done(): // and nobody asks for it
	}
}

// wait waits for an event of a server, passing others to each.
func (d *network) wait(ctx context.Context, s *server, kind event.Kind, each func(node.Event)) (node.Event, error) {
	for {
		select {
		case e := <-s.events:
			switch {
			case e.Event == kind:
				return e, nil
			case each != nil:
				each(e)
			}
		case <-d.watch.Failed():
			return node.Event{}, launch.ErrEnded
		case <-ctx.Done():
			return node.Event{}, fmt.Errorf("waiting for %s: %w%s", s.Name, ctx.Err(), s.Tail())
		}
	}
}

// replicate runs the whole demonstration.
func (d *network) replicate(ctx context.Context) ([]result, []digest, error) {
	if err := d.startAll(ctx); err != nil {
		return nil, nil, err
	}
	var results []result
	for _, mode := range d.o.modes() {
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
func (d *network) address(i int) string { return fmt.Sprintf("10.66.0.%d", 11+i) }

// startSwitch starts the switch and its controller, for n servers.
func (d *network) startSwitch(ctx context.Context, n int) error {
	o := cluster.Options{
		Options: runner.Options{Lab: d.lab, Binary: d.self, Dir: d.dir, Watch: d.watch}, Switch: []string{"--target", d.o.Target}, Controller: d.staticHosts(n),
	}
	if d.o.Verbose {
		o.Logs = runner.Prefixed(d.stderr)
	}
	if d.o.pcap != "" {
		abs, err := filepath.Abs(d.o.pcap)
		if err != nil {
			return err
		}
		o.Switch = append(o.Switch, "--capture", abs)
	}
	for i := range n {
		if d.lab == nil {
			o.Ports = append(o.Ports, runner.Port{Number: uint16(i + 1), Interface: fmt.Sprintf("unix:%s,%s", d.socket("switch", i), d.socket("server", i))})
		}
	}
	var err error
	if d.cluster, err = cluster.New(o); err != nil {
		return err
	}
	if err := d.cluster.StartSwitch(ctx); err != nil {
		return err
	}
	fmt.Fprintf(d.stdout, "The switch runs (%s). Its controller loads p4/rdma/rdma.p4.\n", d.o.Target)
	return d.cluster.StartController(ctx)
}

func (d *network) startAll(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, demo.StartTimeout)
	defer cancel()
	n := d.o.replicas + 1
	err := d.startSwitch(ctx, n)
	if err != nil {
		return err
	}
	var addrs []string
	for i := 1; i < n; i++ {
		addrs = append(addrs, d.address(i))
		args := append([]string{"node", "--role", "replica", "--log-size", fmt.Sprint(logSize)}, d.nodeWire(i)...)
		r, err := d.start(fmt.Sprintf("replica %d", i), i, args...)
		if err != nil {
			return err
		}
		d.replicas = append(d.replicas, r)
	}
	for _, r := range d.replicas {
		if _, err := d.wait(ctx, r, launch.Ready, nil); err != nil {
			return err
		}
	}
	largs := append([]string{"node", "--role", "leader", "--replicas", strings.Join(addrs, ","), "--switch", lab.SwitchIP.String(),
		"--policy", d.o.policy, "--log-size", fmt.Sprint(logSize), "--input", d.input, "--modes", strings.Join(d.o.modes(), ","),
		"--record-size", fmt.Sprint(d.o.recordSize), "--window", fmt.Sprint(d.o.Window), "--share", fmt.Sprint(max(d.o.share, 1)), "--count", fmt.Sprint(d.o.count)}, d.nodeWire(0)...)
	if d.leader, err = d.start("leader", 0, largs...); err != nil {
		return err
	}
	e, err := d.wait(ctx, d.leader, launch.Ready, nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.stdout, "A leader and %s are connected; %s to replicate.\n", units.Count(d.o.replicas, "replica"), units.Count(e.Total, "record"))
	return nil
}

func (d *network) socket(end string, i int) string {
	return filepath.Join(d.dir, fmt.Sprintf("%s%d.sock", end, i))
}

// nodeWire are the flags that connect server i to the switch.
func (d *network) nodeWire(i int) []string {
	if d.lab != nil {
		return []string{"--interface", lab.Interface, "--wire", d.o.wire}
	}
	return []string{"--wire", fmt.Sprintf("unix:%s,%s", d.socket("server", i), d.socket("switch", i)),
		"--address", d.address(i), "--mac", hostMAC(i), "--gateway-mac", lab.SwitchMAC.String()}
}

func hostMAC(i int) string { return fmt.Sprintf("02:66:00:00:00:%02x", 11+i) }

// staticHosts tells the controller who is where, when there is no ARP.
func (d *network) staticHosts(n int) []string {
	if d.lab != nil {
		return nil
	}
	var out []string
	for i := range n {
		out = append(out, "--host", fmt.Sprintf("%s,%s,%d", d.address(i), hostMAC(i), i+1))
	}
	return out
}

// crossed is what has crossed the leader's link.
type crossed struct{ sent, received p4rtclient.CounterValue }

func (d *network) readLink(ctx context.Context) (crossed, error) {
	var l crossed
	for name, dst := range map[string]*p4rtclient.CounterValue{names.CounterPortRx: &l.sent, names.CounterPortTx: &l.received} {
		v, err := d.cluster.P4RT.ReadCounter(ctx, d.cluster.Info, name, 1)
		if status.Code(err) == codes.Unavailable {
			return l, &launch.LostError{Party: d.cluster.Switch(), Err: err}
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
func (d *network) mode(ctx context.Context, mode string) (result, error) {
	setup, cancel := context.WithTimeout(ctx, demo.StartTimeout)
	defer cancel()
	if _, err := d.wait(setup, d.leader, "mode", nil); err != nil {
		return result{}, err
	}
	before, err := d.readLink(ctx)
	if err != nil {
		return result{}, err
	}
	if err := d.leader.Tell("go"); err != nil {
		return result{}, err
	}
	e, err := d.wait(ctx, d.leader, "done", func(e node.Event) {
		if e.Event == "progress" {
			d.progress("%-19s %d of %d records", mode, e.Records, e.Total)
		}
	})
	d.progress("")
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
	fmt.Fprintf(d.stdout, "%-19s %d records in %.2f s\n", mode+":", r.records, r.seconds)
	return r, nil
}

// digests asks every server for its log.
func (d *network) digests(ctx context.Context) ([]digest, error) {
	ctx, cancel := context.WithTimeout(ctx, demo.StartTimeout)
	defer cancel()
	e, err := d.wait(ctx, d.leader, "digest", nil)
	if err != nil {
		return nil, err
	}
	out := []digest{{"leader", e.Records, e.SHA256}}
	for i, r := range d.replicas {
		if err := r.Tell("digest"); err != nil {
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
func (d *network) checkResults(results []result) error {
	for _, r := range results {
		if r.repairs > 0 {
			fmt.Fprintf(d.stdout, "\nIn %s mode a replica could not keep up, and got the missing entries directly from the leader (%d times).\n", r.mode, r.repairs)
			continue // by WRITEs that the claim is not about
		}
		if most := r.records + r.records/50 + 50; strings.HasPrefix(r.mode, "accelerated") && r.writes > most {
			return fmt.Errorf("%s mode posted %d WRITEs for %d records", r.mode, r.writes, r.records)
		}
	}
	for _, r := range results {
		// A WRITE is as many packets as its records fill, at the path MTU of the
		// demo's links.
		want := r.writes * (1 + (r.bytes/max(r.records, 1)+64)/1024)
		if strings.HasSuffix(r.mode, node.Shared) {
			want += r.writes * uint64(d.o.share) / 1024
		}
		if r.sent > want+want/10+500 {
			fmt.Fprintf(d.stdout, "\nIn %s mode the leader sent %d packets where %d would have done: a server could not keep up, and the leader sent missing packets again.\n", r.mode, r.sent, want)
		}
	}
	return nil
}

// keep leaves everything running until the user ends it.
func (d *network) keep(ctx context.Context) error {
	fmt.Fprintln(d.stdout, "\nEverything is still running. To look at it:")
	if d.lab != nil {
		names, err := d.lab.Keep("p4ce")
		if err != nil {
			return err
		}
		fmt.Fprintf(d.stdout, "  ip netns exec %s ip -s link        the switch's ports\n", names[0])
		fmt.Fprintf(d.stdout, "  ip netns exec %s ping -c 3 %s      a server pings the switch\n", names[1], lab.SwitchIP)
	}
	admin := d.cluster.AdminOf(runner.Controller)
	fmt.Fprintf(d.stdout, "  %s group list --controller %s\n  %s status --controller %s\n", d.self, admin, d.self, admin)
	fmt.Fprintln(d.stdout, "Ctrl-C ends it.")
	select {
	case <-ctx.Done():
		return nil
	case <-d.watch.Failed():
		return launch.ErrEnded
	}
}

// close takes everything down: servers first, so that the group is dissolved.
func (d *network) close() {
	if d.cluster != nil {
		d.cluster.Close()
	}
	if d.lab != nil {
		d.lab.Close()
	}
}
