package paxos

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	ctrlpaxos "github.com/p4ce/p4ce/ctrl/app/paxos"
	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/host/paxos"
	"github.com/p4ce/p4ce/host/paxos/frames"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/afxdp"
	"github.com/p4ce/p4ce/link/datagram"
	"github.com/p4ce/p4ce/link/packet"
	"github.com/p4ce/p4ce/roce/wire"
)

// Small is the network of the package's picture.
const Small = `{
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
    "replicas": ["h1", "h2"], "proposers": ["h1", "h2"], "state": {"h1": "unix:%[1]s/h1.state", "h2": "unix:%[1]s/h2.state"}
  }]
}
`

// Alone is the same with one switch that has every role, for what it takes by itself. Another one stands
// beside it: the controller reaches an acceptor by a neighbour.
const Alone = `{
  "controller": {"address": "10.0.0.250", "mac": "02:00:00:00:00:fa"},
  "switches": [
    {"name": "t", "p4runtime": "unix:%[1]s/t.rt", "mac": "02:00:00:00:01:01", "acceptor": "10.0.1.1", "learner": "10.0.2.1"},
    {"name": "l", "p4runtime": "unix:%[1]s/l.rt", "mac": "02:00:00:00:01:02"}
  ],
  "links": [["t:1", "l:1"]],
  "hosts": [
    {"name": "h1", "at": "t:11", "address": "10.0.3.1", "mac": "02:00:00:00:03:01"},
    {"name": "h2", "at": "t:12", "address": "10.0.3.2", "mac": "02:00:00:00:03:02"}
  ],
  "applications": [{
    "name": "log", "leader": {"address": "10.0.0.100", "mac": "02:00:00:00:00:64"},
    "leaders": ["t"], "acceptors": ["t"], "learners": ["t"], "replicas": ["h1", "h2"], "proposers": ["h1", "h2"]
  }]
}
`

// WithServer is Small with a server at t that may lead, after l: s, a switch in software.
func WithServer() string {
	s := Small
	for _, r := range [][2]string{
		{`"switches": [`, `"switches": [{"name": "s", "p4runtime": "unix:%[1]s/s.rt", "mac": "02:00:00:00:01:03"},`},
		{`"links": [`, `"links": [["t:5", "s:1"], `},
		{`"leaders": ["l", `, `"leaders": ["l", "s", `},
	} {
		s = strings.Replace(s, r[0], r[1], 1)
	}
	return s
}

// Hosts of these networks, and the name of their log.
var Hosts = []string{"h1", "h2"}

const Log = "log"

// cable is a link: what is plugged into which port, at both ends. A host's end has no port.
type cable struct{ from, port, to, farPort string }

func (c cable) String() string { return c.from + "-" + c.to }

// cables are the links of a deployment.
func cables(net *topology.Network) (all []cable) {
	for _, name := range net.Switches() {
		for port := range uint16(topology.MaxPort + 1) {
			at := topology.Place{Switch: name, Port: port}
			if far, ok := net.Peer(at); ok && at.String() < far.String() {
				all = append(all, cable{name, fmt.Sprint(port), far.Switch, fmt.Sprint(far.Port)})
			}
		}
	}
	for _, h := range net.Hosts() {
		all = append(all, cable{h.At.Switch, fmt.Sprint(h.At.Port), h.Name, ""})
	}
	return all
}

// Options say what to build.
type Options struct {
	Binary string    // p4ce
	Dir    string    // for sockets and the journal
	Target string    // xdp, in a network namespace, or interp
	Log    io.Writer // of the processes; nil: nowhere
	// Deployment is the file that the controller gets; Small if it is empty. In it, %[1]s is Dir:
	// there the switches listen, as NAME.rt.
	Deployment string
	// Bad are links that lose, double, hold back and damage packets: between switches by their
	// names in alphabetical order, "l-t", to a host "t-h1". On XDP only.
	Bad map[string]Rates
	// Software are switches that run on the interpreter, whatever Target is.
	Software []string
	// XDP has hosts send and receive by AF_XDP, past the kernel's packet sockets; with Target xdp.
	XDP bool
}

// Network is the switches and their controller.
type Network struct {
	o        Options
	lab      *lab.Lab // nil: datagram sockets
	switches map[string]*launch.Process
	control  *launch.Process
	config   *ctrlpaxos.Config
	cables   []cable
	args     map[string][]string // of the switches
	bad      map[string]*Relay
}

// Start builds the network, and waits until l leads.
func Start(ctx context.Context, o Options) (n *Network, err error) {
	n = &Network{o: o, switches: map[string]*launch.Process{}, args: map[string][]string{}, bad: map[string]*Relay{}}
	defer func() {
		if err != nil {
			n.Close()
			n = nil
		}
	}()
	text := o.Deployment
	if text == "" {
		text = Small
	}
	file := fmt.Appendf(nil, text, o.Dir)
	if n.config, err = ctrlpaxos.ParseConfig(file); err != nil {
		return n, err
	}
	if err := os.WriteFile(n.File(), file, 0o600); err != nil {
		return n, err
	}
	n.cables = cables(n.config.Net)
	if o.Target == "xdp" {
		if n.lab, err = lab.New(0); err != nil {
			return n, err
		}
		for _, c := range n.cables {
			if err := n.lay(c); err != nil {
				return n, err
			}
		}
	}
	if len(n.bad) != len(o.Bad) {
		return n, fmt.Errorf("of the bad links %v only %d are links", o.Bad, len(n.bad))
	}
	args := n.args
	for _, name := range n.config.Net.Switches() {
		target := o.Target
		if slices.Contains(o.Software, name) {
			target = "interp"
		}
		args[name] = []string{o.Binary, "switch", "--target", target, "--listen", "unix:" + filepath.Join(o.Dir, name+".rt"), "--cpu-interface", "cpu-" + name}
	}
	for _, c := range n.cables {
		args[c.from] = append(args[c.from], "--port", c.port+"="+n.end(c, false))
		if c.farPort != "" {
			args[c.to] = append(args[c.to], "--port", c.farPort+"="+n.end(c, true))
		}
	}
	for name, a := range args {
		if n.switches[name], err = n.process(name, a); err != nil {
			return n, err
		}
	}
	for name, s := range n.switches {
		if err := s.AwaitReady(ctx); err != nil {
			return n, fmt.Errorf("switch %s: %w\n%s", name, err, s.Tail())
		}
	}
	if err := n.StartController(ctx); err != nil {
		return n, err
	}
	for _, a := range n.config.Apps {
		if err := n.Lead(ctx, a.Name, a.Leaders[0]); err != nil {
			return n, err
		}
	}
	return n, nil
}

// LaunchController starts the controller, or starts it again. It need not be ready when this
// returns.
func (n *Network) LaunchController() (err error) {
	n.control, err = n.process("controller", []string{n.o.Binary, "controller", "--deployment", n.File(), "--journal", filepath.Join(n.o.Dir, "journal"), "--admin", n.admin()})
	return err
}

// StartController starts it, and waits until it has all switches.
func (n *Network) StartController(ctx context.Context) error {
	if err := n.LaunchController(); err != nil {
		return err
	}
	if err := n.control.AwaitReady(ctx); err != nil {
		return fmt.Errorf("controller: %w\n%s", err, n.control.Tail())
	}
	return nil
}

// Controller is the controller's process.
func (n *Network) Controller() *launch.Process { return n.control }

// Switch is a switch's process. When it is killed the switch is gone; when it is stopped, packets
// are forwarded on XDP, and nobody can change how.
func (n *Network) Switch(name string) *launch.Process { return n.switches[name] }

// StartSwitch starts a switch again, which has forgotten everything.
func (n *Network) StartSwitch(ctx context.Context, name string) (err error) {
	if n.switches[name], err = n.process(name, n.args[name]); err != nil {
		return err
	}
	if err := n.switches[name].AwaitReady(ctx); err != nil {
		return fmt.Errorf("switch %s: %w\n%s", name, err, n.switches[name].Tail())
	}
	return nil
}

// File is the deployment.
func (n *Network) File() string { return filepath.Join(n.o.Dir, "deployment.json") }

// lay makes a cable in the namespace; if it is a bad one, of two with a relay between them.
func (n *Network) lay(c cable) error {
	a, b := n.end(c, false), n.end(c, true)
	rates, bad := n.o.Bad[c.String()]
	if !bad {
		return n.lab.Cable(a, b)
	}
	if err := errors.Join(n.lab.Cable(a, a+".x"), n.lab.Cable(b, b+".x")); err != nil {
		return err
	}
	r, err := newRelay(n.lab, a+".x", b+".x", rates)
	if err != nil {
		return err
	}
	n.bad[c.String()] = r
	return nil
}

// BadLink is the relay of a link that is in Options.Bad.
func (n *Network) BadLink(name string) *Relay { return n.bad[name] }

func (n *Network) process(name string, args []string) (*launch.Process, error) {
	log := io.Discard
	if n.o.Log != nil {
		log = launch.Prefixed(n.o.Log, name)
	}
	return launch.Start(n.lab, launch.Options{Name: name, Args: args, Log: log})
}

// end is how an end of a cable is named to who uses it.
func (n *Network) end(c cable, far bool) string {
	a, b := c.from+"-"+c.to, c.to+"-"+c.from
	if far {
		a, b = b, a
	}
	if n.lab != nil {
		return a
	}
	return "unix:" + filepath.Join(n.o.Dir, a) + "," + filepath.Join(n.o.Dir, b)
}

// Close ends everything. Hosts are to be closed before.
func (n *Network) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if n.control != nil {
		n.control.End(ctx)
	}
	for _, s := range n.switches {
		if s != nil {
			s.End(ctx)
		}
	}
	for _, r := range n.bad {
		r.close()
	}
	if n.lab != nil {
		n.lab.Close()
	}
}

// Lead has a switch lead an application, and waits until it does.
func (n *Network) Lead(ctx context.Context, application, name string) error {
	c := ctrlpaxos.NewAdminClient(n.admin())
	var refused error
	for {
		a, err := c.Application(ctx, application)
		if err != nil {
			return err
		}
		if a.State == "running" {
			if a.Leader == name {
				return nil
			}
			if err := c.Lead(ctx, application, name); err != nil {
				refused = err // it may not be there yet
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s does not lead: %w\n%s", name, errors.Join(ctx.Err(), refused), n.control.Tail())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (n *Network) admin() string { return "unix:" + filepath.Join(n.o.Dir, "admin") }

// Application returns what the controller says of the log.
func (n *Network) Application(ctx context.Context) (*ctrlpaxos.Info, error) {
	list, err := ctrlpaxos.NewAdminClient(n.admin()).Applications(ctx)
	if err != nil {
		return nil, err
	}
	if len(list) != 1 {
		return nil, fmt.Errorf("the controller has %d applications", len(list))
	}
	return &list[0], nil
}

// Kill kills a switch, and does not wait until the kernel has taken away what it had.
func (n *Network) Kill(name string) { _ = n.switches[name].Signal(syscall.SIGKILL) }

// PIDs are the processes of the switches.
func (n *Network) PIDs() map[string]int {
	out := map[string]int{}
	for name, s := range n.switches {
		out[name] = s.PID()
	}
	return out
}

// Attach makes a host: h1 or h2.
func (n *Network) Attach(name string, apply func(paxos.Entry)) (*paxos.Log, error) {
	m, err := n.config.Place(0, name)
	if err != nil {
		return nil, err
	}
	var l link.Link
	for _, c := range n.cables {
		if c.to != name || c.farPort != "" {
			continue
		}
		if n.lab == nil {
			l, err = datagram.OpenPort(n.end(c, true))
		} else {
			err = n.lab.InSwitch(func() (err error) {
				if n.o.XDP {
					l, err = afxdp.Open(n.end(c, true), afxdp.Filter{UDPPort: m.Config.Leader.Port(), Addr: netip.AddrFrom4(m.At.IP)})
				} else {
					l, err = packet.OpenPort(n.end(c, true))
				}
				return err
			})
		}
		if err != nil {
			return nil, err
		}
	}
	m.Config.Proposer = paxos.ProposerOptions{Client: uint32(m.Number)<<16 | 1}
	m.Config.Apply = apply
	m.Config.Wire = frames.New(l, frames.Config{
		Addr: netip.AddrPortFrom(netip.AddrFrom4(m.At.IP), m.Config.Leader.Port()), MAC: m.At.MAC,
		Resolve: func(a netip.Addr) (wire.MAC, bool) { mac, ok := m.MACs[a]; return mac, ok },
	})
	log, err := paxos.Open(m.Config)
	if err != nil {
		return nil, errors.Join(err, m.Config.Wire.Close())
	}
	return log, nil
}
