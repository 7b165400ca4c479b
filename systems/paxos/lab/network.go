package lab

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
	"time"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/lab/network"
	"github.com/p4ce/p4ce/lab/runner"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/afxdp"
	"github.com/p4ce/p4ce/p4"
	names "github.com/p4ce/p4ce/p4/paxos"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/paxos"
	ctrlpaxos "github.com/p4ce/p4ce/systems/paxos/control"
	"github.com/p4ce/p4ce/systems/paxos/frames"
	"github.com/p4ce/p4ce/systems/paxos/udp"
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

// Two is the testbed of the paper: two switches, and three acceptors. l leads and has two of them, t counts votes and has one.
const Two = `{
  "controller": {"address": "10.0.0.250", "mac": "02:00:00:00:00:fa"},
  "switches": [
    {"name": "t", "p4runtime": "unix:%[1]s/t.rt", "mac": "02:00:00:00:01:01", "acceptor": "10.0.1.1", "learner": "10.0.2.1"},
    {"name": "l", "p4runtime": "unix:%[1]s/l.rt", "mac": "02:00:00:00:01:02", "acceptor": "10.0.1.2", "places": [{"name": "l2", "acceptor": "10.0.1.3"}]}
  ],
  "links": [["t:1", "l:1"]],
  "hosts": [
    {"name": "h1", "at": "t:11", "address": "10.0.3.1", "mac": "02:00:00:00:03:01"},
    {"name": "h2", "at": "t:12", "address": "10.0.3.2", "mac": "02:00:00:00:03:02"}
  ],
  "applications": [{
    "name": "log", "leader": {"address": "10.0.0.100", "mac": "02:00:00:00:00:64"},
    "leaders": ["l", "t"], "acceptors": ["t", "l", "l2"], "learners": ["t"], "replicas": ["h1", "h2"], "proposers": ["h1", "h2"]
  }]
}
`

// AloneThree is Alone with three acceptors, each with registers of its own, all on the one switch. They fail together: it is for
// comparisons. What the switch says to two of them, and these to it, goes by a cable from one of its ports to another.
func AloneThree() string {
	s := Alone
	for _, r := range [][2]string{
		{`"acceptor": "10.0.1.1", `, `"acceptor": "10.0.1.1", "places": [{"name": "t2", "acceptor": "10.0.1.2"}, {"name": "t3", "acceptor": "10.0.1.3"}], "loop": [21, 22], `},
		{`"acceptors": ["t"]`, `"acceptors": ["t", "t2", "t3"]`},
	} {
		s = strings.Replace(s, r[0], r[1], 1)
	}
	return s
}

// AloneSeats are hosts of AloneServers for the roles as programs, and its replicas.
func AloneSeats() Seats {
	return Seats{Leader: "pl", Acceptors: []string{"pa1", "pa2", "pa3"}, Learner: "pt", Controller: "pc", Replicas: Hosts, AtPorts: true}
}

// AloneServers is Alone with more hosts at its switch, for the roles as programs (AloneSeats).
func AloneServers() string {
	who, more := AloneSeats(), ""
	for i, name := range slices.Concat([]string{who.Leader, who.Learner, who.Controller}, who.Acceptors) {
		more += fmt.Sprintf("\n    {\"name\": \"%s\", \"at\": \"t:%d\", \"address\": \"10.0.3.%d\", \"mac\": \"02:00:00:00:03:%02x\"},", name, 31+i, 31+i, 31+i)
	}
	return strings.Replace(Alone, `"hosts": [`, `"hosts": [`+more, 1)
}

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

// WithGuest is Small with a host that only proposes: p.
func WithGuest() string {
	s := Small
	for _, r := range [][2]string{
		{`"hosts": [`, `"hosts": [{"name": "p", "at": "t:13", "address": "10.0.3.3", "mac": "02:00:00:00:03:03"},`},
		{`"proposers": [`, `"proposers": ["p", `},
	} {
		s = strings.Replace(s, r[0], r[1], 1)
	}
	return s
}

// WithTraffic is Small with two hosts at t that have no part in the log: x1 and x2.
func WithTraffic() string {
	return strings.Replace(Small, `"hosts": [`, `"hosts": [{"name": "x1", "at": "t:13", "address": "10.0.3.11", "mac": "02:00:00:00:03:11"},
    {"name": "x2", "at": "t:14", "address": "10.0.3.12", "mac": "02:00:00:00:03:12"},`, 1)
}

// Redundant is Small with two paths between any two switches: acceptors are wired to t and to l.
func Redundant() string {
	return strings.Replace(Small, `"links": [`, `"links": [["l:2", "a1:2"], ["l:3", "a2:2"], ["l:4", "a3:2"], `, 1)
}

// MaxApplications is how many applications can share a network.
const MaxApplications = names.MaxApps

// Applications is Small with several applications, 1 to MaxApplications: Log, log2, log3.., which share the switches. Each has two
// replicas of its own: h1 and h2, h3 and h4.. l and t lead by turns.
func Applications(n int) string {
	var hosts, apps []string
	for i := range n {
		name, leaders := Log, [2]string{"l", "t"}
		if i > 0 {
			name = fmt.Sprint(Log, i+1)
		}
		if i%2 == 1 {
			slices.Reverse(leaders[:])
		}
		var own [2]string
		for k := range own {
			x := 2*i + k + 1
			own[k] = fmt.Sprint("h", x)
			hosts = append(hosts, fmt.Sprintf(`{"name": "%s", "at": "t:%d", "address": "10.0.3.%d", "mac": "02:00:00:00:03:%02x"}`, own[k], x+10, x, x))
		}
		apps = append(apps, fmt.Sprintf(`{
    "name": "%s", "leader": {"address": "10.0.0.%d", "mac": "02:00:00:00:00:%02x"},
    "leaders": ["%s", "%s"], "acceptors": ["a1", "a2", "a3"], "learners": ["t"], "replicas": ["%[6]s", "%[7]s"], "proposers": ["%[6]s", "%[7]s"]
  }`, name, i+100, i+100, leaders[0], leaders[1], own[0], own[1]))
	}
	switches, _, _ := strings.Cut(Small, `"hosts"`)
	return switches + `"hosts": [` + strings.Join(hosts, ",\n    ") + "],\n  \"applications\": [" + strings.Join(apps, ", ") + "]\n}\n"
}

// Hosts of these networks, and the name of their log.
var Hosts = []string{"h1", "h2"}

const Log = "log"

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
	// Kept are the controller's flags that say where its rounds are kept; default: a journal in Dir.
	Kept []string
	// Namespaces are hosts in network namespaces of their own. They have UDP sockets there, whatever XDP says, and programs run
	// there (Network.StartPrograms). With Target xdp.
	Namespaces []string
}

// Rates are those of a bad link.
type Rates = network.Rates

// Network is the switches and their controller.
type Network struct {
	*network.Network
	o      Options
	config *ctrlpaxos.Config
	asked  string // the name of the controller that is asked
}

// Start builds the network, and waits until l leads.
func Start(ctx context.Context, o Options) (n *Network, err error) {
	n = &Network{o: o, asked: runner.Controller}
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
	n.Network, err = network.Start(ctx, n.config.Net, network.Options{
		Binary: o.Binary, Dir: o.Dir, Target: o.Target, Log: o.Log, Bad: o.Bad, Software: o.Software, Namespaces: o.Namespaces, Addresses: addresses(n.config),
		Loops: loops(n.config),
	})
	if err != nil {
		return n, err
	}
	if err := n.StartController(ctx); err != nil {
		return n, err
	}
	return n, n.LeadFirst(ctx)
}

// addresses are those of hosts, and those that are a role's wherever it is.
func addresses(c *ctrlpaxos.Config) map[string]network.Address {
	all := map[string]network.Address{}
	add := func(who string, ip wire.Addr, mac wire.MAC) {
		if ip != (wire.Addr{}) {
			all[who] = network.Address{IP: netip.AddrFrom4(ip), MAC: mac[:]}
		}
	}
	add("controller", c.Controller.IP, c.Controller.MAC)
	for name, h := range c.Hosts {
		add(name, h.IP, h.MAC)
	}
	for name, sw := range c.Switches {
		add("acceptor "+name, sw.Acceptor, sw.MAC)
		add("learner "+name, sw.Learner, sw.MAC)
	}
	for _, a := range c.Apps {
		add("leader of "+a.Name, a.Leader.IP, a.Leader.MAC)
	}
	return all
}

// loops are the switches with a cable to themselves.
func loops(c *ctrlpaxos.Config) map[string][2]uint16 {
	all := map[string][2]uint16{}
	for name, sw := range c.Switches {
		if sw.Loop != [2]uint16{} {
			all[name] = sw.Loop
		}
	}
	return all
}

// LeadFirst has each application be led by the first of its leaders, and waits until it is.
func (n *Network) LeadFirst(ctx context.Context) error {
	for _, a := range n.config.Apps {
		if err := n.Lead(ctx, a.Name, a.Leaders[0]); err != nil {
			return err
		}
	}
	return nil
}

// StartStandby starts one more controller, and waits until it stands by.
func (n *Network) StartStandby(ctx context.Context, name string, kept ...string) (*launch.Process, error) {
	err := n.Runner.StartController(ctx, name, append([]string{"--deployment", n.File()}, kept...)...)
	return n.Program(name), err
}

// Ask has another controller be asked from now on; the first one's name is "controller".
func (n *Network) Ask(name string) { n.asked = name }

// StartController starts the controller, or starts it again, and waits until it has all switches.
func (n *Network) StartController(ctx context.Context) error {
	kept := n.o.Kept
	if kept == nil {
		kept = []string{"--journal", filepath.Join(n.o.Dir, "journal")}
	}
	_, err := n.StartStandby(ctx, runner.Controller, kept...)
	return err
}

// Controller is the controller's process.
func (n *Network) Controller() *launch.Process { return n.Program(runner.Controller) }

// Options are those that the network was started with.
func (n *Network) Options() Options { return n.o }

// Replicas are the hosts that keep the log of the first application.
func (n *Network) Replicas() []string { return n.config.Apps[0].Replicas }

// Logs are the names of all applications, and the hosts that keep the log of each.
func (n *Network) Logs() (names []string, replicas [][]string) {
	for _, a := range n.config.Apps {
		names, replicas = append(names, a.Name), append(replicas, a.Replicas)
	}
	return names, replicas
}

// File is the deployment.
func (n *Network) File() string { return filepath.Join(n.o.Dir, "deployment.json") }

// Close ends everything. Hosts are to be closed before.
func (n *Network) Close() {
	if n.Network != nil {
		n.Network.Close()
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
			return fmt.Errorf("%s does not lead: %w\n%s", name, errors.Join(ctx.Err(), refused), n.Controller().Tail())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (n *Network) admin() string { return n.AdminOf(n.asked) }

// Down returns the ports to other switches that do not work, as the controller says, by switch.
func (n *Network) Down(ctx context.Context) (map[string][]uint16, error) {
	st, err := ctrlpaxos.NewAdminClient(n.admin()).Status(ctx)
	if err != nil {
		return nil, err
	}
	down := map[string][]uint16{}
	for i := range st.Switches {
		s, err := ctrlpaxos.StatusOf(&st.Switches[i])
		if err != nil {
			return nil, err
		}
		if len(s.Down) > 0 {
			down[st.Switches[i].Name] = s.Down
		}
	}
	return down, nil
}

// Application returns what the controller says of the first application.
func (n *Network) Application(ctx context.Context) (*ctrlpaxos.Info, error) {
	return n.ApplicationOf(ctx, n.config.Apps[0].Name)
}

// ApplicationOf returns what the controller says of an application.
func (n *Network) ApplicationOf(ctx context.Context, name string) (*ctrlpaxos.Info, error) {
	return ctrlpaxos.NewAdminClient(n.admin()).Application(ctx, name)
}

// Attach makes a host that is a replica of an application: of the first that it proposes to.
func (n *Network) Attach(name string, apply func(paxos.Entry)) (*paxos.Log, error) {
	return n.attachTo(n.first(name), name, apply)
}

// AttachTo is Attach for a host that may be a replica of several applications.
func (n *Network) AttachTo(application, name string, apply func(paxos.Entry)) (*paxos.Log, error) {
	app, ok := n.config.App(application)
	if !ok {
		return nil, fmt.Errorf("no application %q", application)
	}
	return n.attachTo(app, name, apply)
}

func (n *Network) attachTo(app int, name string, apply func(paxos.Entry)) (*paxos.Log, error) {
	m, w, err := n.attach(app, name)
	if err != nil {
		return nil, err
	}
	m.Config.Proposer = paxos.ProposerOptions{Client: uint32(m.Number)<<16 | 1}
	m.Config.Apply, m.Config.Wire = apply, w
	log, err := paxos.Open(m.Config)
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return log, nil
}

// AttachGuest makes a host that only proposes, to the first application that it is a proposer of.
func (n *Network) AttachGuest(name string) (*paxos.Guest, error) {
	return n.attachGuestTo(n.first(name), name)
}

// AttachGuestTo is AttachGuest for a host that may propose to several applications.
func (n *Network) AttachGuestTo(application, name string) (*paxos.Guest, error) {
	app, ok := n.config.App(application)
	if !ok {
		return nil, fmt.Errorf("no application %q", application)
	}
	return n.attachGuestTo(app, name)
}

func (n *Network) attachGuestTo(app int, name string) (*paxos.Guest, error) {
	m, w, err := n.attach(app, name)
	if err != nil {
		return nil, err
	}
	m.Guest.Proposer = paxos.ProposerOptions{Client: uint32(m.Number)<<16 | 1}
	m.Guest.Wire = w
	g, err := paxos.OpenGuest(m.Guest)
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return g, nil
}

// first is the first application that a host proposes to.
func (n *Network) first(name string) int {
	return max(0, slices.IndexFunc(n.config.Apps, func(a ctrlpaxos.Application) bool { return slices.Contains(a.Proposers, name) }))
}

// Open opens the link of a host that has no part in any log, for UDP to a port, and returns its addresses.
func (n *Network) Open(name string, port uint16) (link.Link, ctrlpaxos.Address, error) {
	at, ok := n.config.Hosts[name]
	if !ok {
		return nil, at, fmt.Errorf("no host %q", name)
	}
	l, err := n.Link(name, n.opener(netip.AddrPortFrom(netip.AddrFrom4(at.IP), port)))
	return l, at, err
}

// opener opens links to what comes to an address; nil: by a packet socket.
func (n *Network) opener(addr netip.AddrPort) func(string) (link.Link, error) {
	if !n.o.XDP {
		return nil
	}
	return func(iface string) (link.Link, error) {
		return afxdp.Open(iface, afxdp.Filter{UDPPort: addr.Port(), Addr: addr.Addr()})
	}
}

// attach finds a host's place in an application, and opens its link, or its socket.
func (n *Network) attach(app int, name string) (*ctrlpaxos.Place, paxos.Wire, error) {
	m, err := n.config.Place(app, name)
	if err != nil {
		return nil, nil, err
	}
	addr := netip.AddrPortFrom(netip.AddrFrom4(m.At.IP), ctrlpaxos.Port(app))
	if n.Host(name) != nil {
		w, err := n.Listen(name, addr)
		return m, w, err
	}
	l, err := n.Link(name, n.opener(addr))
	if err != nil {
		return nil, nil, err
	}
	return m, frames.New(l, frames.Config{
		Addr: addr, MAC: m.At.MAC, Resolve: func(a netip.Addr) (wire.MAC, bool) { mac, ok := m.MACs[a]; return mac, ok },
	}), nil
}

// Listen opens a UDP socket of this process at a host in a network namespace: for messages, at an address of the host.
func (n *Network) Listen(host string, at netip.AddrPort) (w paxos.Wire, err error) {
	h := n.Host(host)
	if h == nil {
		return nil, fmt.Errorf("host %q has no network namespace (Options.Namespaces)", host)
	}
	err = n.Lab().InHost(h, func() (err error) {
		w, err = udp.Listen(at, paxos.MaxMessage+1)
		return err
	})
	return w, err
}

// Received is how many packets each switch has received so far, from hosts and from other switches.
func (n *Network) Received(ctx context.Context) (map[string]uint64, error) {
	pipeline, err := p4.Info(ctrlpaxos.Program)
	if err != nil {
		return nil, err
	}
	info, out := p4rtclient.NewInfo(pipeline), map[string]uint64{}
	for _, name := range n.config.Net.Switches() {
		c, err := n.Reader(name)
		if err != nil {
			return nil, err
		}
		ports, err := c.ReadCounter(ctx, info, names.CounterPortRx, -1)
		if err != nil {
			return nil, fmt.Errorf("switch %s: %w", name, err)
		}
		for _, v := range ports {
			out[name] += v.Packets
		}
	}
	return out, nil
}
