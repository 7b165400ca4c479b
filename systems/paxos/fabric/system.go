// Package fabric puts Paxos into networks in simulated time (package sim/fabric). The roles of an application are in switches, which
// run p4/paxos with systems/paxos/control, or they are programs on hosts (systems/paxos/soft). Hosts run the cores of systems/paxos.
//
//	fabric.Load ── client ── Proposer ══▶ p4/paxos, or soft: leader, acceptors, learners ══▶ Replica
//	                                                                                           │
//	Verify: integrity, order, answers  <───────────────────── what each replica has delivered ─┤
//	        one value of an instance   <───────────────────── the packets of each link         │
//	Agree:  all replicas alike         <───────────────────────────────────────────────────────┘
//
// A request of a load is a value. It is answered when the proposer's own replica has applied it, or, if the proposer is no replica,
// when the answer of a replica has come.
//
// # What hosts take
//
// A program on a host takes fabric.Costs.Completion for each message that it receives, one after the other, and its answers leave then.
// Another thread takes as long for each value that is proposed. Post and Complete are the ways from a program to the interface and back.
// What programs on one host tell each other takes no time: a replica and its learner, for instance, are one process. The orders of the
// controller of roles at hosts take no time either, but its messages do.
package fabric

import (
	"embed"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/control"
	"github.com/p4ce/p4ce/systems/paxos/frames"
)

//go:embed scenarios/*.yaml
var scenarios embed.FS

// System is systems/paxos for the fabric.
var System = &fabric.System{
	Name: control.Program, Program: control.Program, Scenarios: fabric.Folder(scenarios, "scenarios"), Describe: frames.Describe,
	Labels: []fabric.Column{{CSV: "application", Table: "log"}},
	Counts: []fabric.Column{{CSV: "resent", Table: "resent"}, {CSV: "refused", Table: "refused"}},
	Settings: func() fabric.Settings {
		ms := func(n fabric.Time) fabric.Span { return fabric.Span(n * fabric.Millisecond) }
		return &Settings{Window: 256, Retry: ms(5), Gap: ms(5), Report: ms(50), Ask: ms(20), Silent: ms(500), Replace: ms(1000), Checkpoint: 1024}
	},
	Load: func() fabric.LoadSettings { return new(Load) },
	New: func(f *fabric.Fabric, s fabric.Settings) (fabric.Instance, error) {
		return &Network{Fabric: f, Set: s.(*Settings), macs: map[netip.Addr]wire.MAC{}, log: newLedger()}, nil
	},
}

// Application is one replicated log. Its roles are names of switches, or all of them are names of hosts.
type Application struct {
	Name      string   `yaml:"name"`
	Leaders   []string `yaml:"leaders"`
	Acceptors []string `yaml:"acceptors"`
	Spares    []string `yaml:"spares"` // switches
	Learners  []string `yaml:"learners"`
	Replicas  []string `yaml:"replicas"`  // hosts
	Proposers []string `yaml:"proposers"` // hosts, beside the replicas
	Instances uint32   `yaml:"instances"` // that may be under way; 0: as many as there is room for
	// Controller is the host with the controller of roles at hosts.
	Controller string `yaml:"controller"`
}

// Settings are what a scenario says of Paxos.
type Settings struct {
	Applications []Application `yaml:"applications"`
	Window       int           `yaml:"window"`     // values of a host that may be under way
	Retry        fabric.Span   `yaml:"retry"`      // after which a request is sent again
	Gap          fabric.Span   `yaml:"gap"`        // after which acceptors are asked for what is missing
	Report       fabric.Span   `yaml:"report"`     // the pause between two reports of a replica
	Ask          fabric.Span   `yaml:"ask"`        // after which a controller asks an acceptor again
	Silent       fabric.Span   `yaml:"silent"`     // how long one host alone must hear nothing before the leader changes
	Replace      fabric.Span   `yaml:"replace"`    // after which a spare takes the place of an acceptor that is gone
	Checkpoint   int           `yaml:"checkpoint"` // instances from one checkpoint of a replica to the next
	// Traffic is what hosts send beside Paxos.
	Traffic []Traffic `yaml:"traffic"`
	// Kill says which hosts end without a word, and when.
	Kill map[string]fabric.Span `yaml:"kill"`
}

// maxInstances is how many instances of an application may be under way at most: replicas have room for no more.
const maxInstances = 1 << 16

// Check implements fabric.Settings.
func (s *Settings) Check(*fabric.TopologyConfig) error {
	switch {
	case len(s.Applications) == 0:
		return errors.New("applications: missing: want logs with leaders, acceptors, learners and replicas")
	case s.Checkpoint < 1:
		return fmt.Errorf("checkpoint: %d instances: want 1 or more", s.Checkpoint)
	case s.Window < 1 || s.Window > paxos.History:
		return fmt.Errorf("window: %d: want 1 to %d", s.Window, paxos.History)
	case min(s.Retry, s.Gap, s.Report, s.Ask, s.Silent, s.Replace) <= 0:
		return errors.New("retry, gap, report, ask, silent and replace: want more than 0")
	}
	for i, a := range s.Applications {
		if a.Name == "" || slices.ContainsFunc(s.Applications[:i], func(o Application) bool { return o.Name == a.Name }) {
			return fmt.Errorf("application %q: want a unique name", a.Name)
		}
		if a.Instances > maxInstances {
			return fmt.Errorf("application %s: %d instances: want at most %d", a.Name, a.Instances, maxInstances)
		}
	}
	return nil
}

// Load is what a scenario says of the values of a load.
type Load struct {
	Application string `yaml:"application"` // by default the first
}

// Addressed implements fabric.Addressed.
func (*Load) Addressed() {}

// Labels implements fabric.LoadSettings.
func (l *Load) Labels() []string { return []string{l.Application} }

// Check implements fabric.LoadSettings.
func (*Load) Check(c *fabric.LoadConfig) error {
	if c.Size > paxos.MaxValue {
		return fmt.Errorf("values of %d bytes: want at most %d", c.Size, paxos.MaxValue)
	}
	return nil
}

// Network is a network of this system.
type Network struct {
	*fabric.Fabric
	Set *Settings
	// Driver has the hosts, if it is not nil, in place of loads, or beside them: benchmarks.
	Driver Driver

	apps    []*application
	macs    map[netip.Addr]wire.MAC // who is at which address
	log     *ledger
	conf    *control.Config    // of the applications whose roles are in switches
	control *control.Simulated // nil: there are none
	clock   fabric.Clock
	timer   *fabric.Timer
	waiting []*fabric.Load
	streams []*stream
	ready   bool
}

// application is one log.
type application struct {
	*Application
	index   int // among all
	number  int // among those with roles in switches, and of all others
	hosted  bool
	members []*member // in the order of the hosts
	cluster *cluster  // if hosted
}

// Driver is what runs the hosts of a network without loads.
type Driver interface {
	// Delivered is a value that a replica of a host has delivered. The value is the replica's.
	Delivered(h *fabric.Host, application int, e *paxos.Entry)
	// Answered is a value of a host whose proposer has been told that it is delivered.
	Answered(h *fabric.Host, application int, sequence uint32)
}

// New makes an empty network.
func New(seed uint64, set Settings) (*Network, error) {
	f := fabric.New(seed)
	if err := f.Use(System, &set); err != nil {
		return nil, err
	}
	return f.System().(*Network), set.Check(nil)
}

// Defaults are the settings of a scenario that says nothing but its applications.
func Defaults() Settings { return *System.Settings().(*Settings) }

// Endpoint implements fabric.Instance.
func (n *Network) Endpoint(h *fabric.Host) fabric.Endpoint {
	return &station{net: n, h: h, programs: map[uint16]*program{}, heard: map[netip.Addr]*stream{}}
}

// Addresses that are not those of nodes: of roles, and of the controller of switches.
var (
	learnerAt    = func(s fabric.Switch) wire.Addr { a := s.Addr(); a[1]--; return a }
	leaderAt     = func(i int) control.Address { return virtual(252, 2, i) }
	controllerAt = virtual(253, 1, 0)
)

func virtual(net, kind byte, i int) control.Address {
	return control.Address{MAC: wire.MAC{2, 0x50, 0x34, 2, kind, byte(i + 1)}, IP: wire.Addr{10, net, 0, byte(i + 1)}}
}

// Ready implements fabric.Instance.
func (n *Network) Ready() error {
	for _, h := range n.Hosts {
		n.macs[netip.AddrFrom4(h.Addr())] = h.MAC()
	}
	switched := 0
	for i := range n.Set.Applications {
		a := &application{Application: &n.Set.Applications[i], index: i}
		for _, r := range a.Replicas {
			if !slices.Contains(a.Proposers, r) {
				a.Proposers = append(slices.Clone(a.Proposers), r)
			}
		}
		hosted, err := n.hosted(a.Application)
		if err != nil {
			return fmt.Errorf("application %s: %w", a.Name, err)
		}
		if a.hosted = hosted; !hosted {
			a.number = switched
			switched++
		}
		n.apps = append(n.apps, a)
	}
	if switched > 0 {
		if err := n.configure(); err != nil {
			return err
		}
	} else if i := slices.IndexFunc(n.Switches, isP4); i >= 0 {
		return fmt.Errorf("switch %s: runs %s, and no application has roles in switches [edge: plain]", n.Switches[i].Name(), control.Program)
	}
	for _, a := range n.apps {
		if a.hosted {
			if err := n.cluster(a); err != nil {
				return fmt.Errorf("application %s: %w", a.Name, err)
			}
		}
		if err := n.join(a); err != nil {
			return fmt.Errorf("application %s: %w", a.Name, err)
		}
	}
	if err := n.traffic(); err != nil {
		return err
	}
	n.Tap(n.log)
	for name, at := range n.Set.Kill {
		x, _ := n.Node(name)
		h, ok := x.(*fabric.Host)
		if !ok {
			return fmt.Errorf("kill: no host %s", name)
		}
		n.At(fabric.Time(at), h.Endpoint().(*station).kill)
	}
	return nil
}

func isHost(x fabric.Node) bool { _, ok := x.(*fabric.Host); return ok }

func isP4(s fabric.Switch) bool { _, ok := s.(*fabric.P4Switch); return ok }

// hosted says whether the roles of an application are at hosts, all of them.
func (n *Network) hosted(a *Application) (bool, error) {
	hosts, switches := 0, 0
	for _, name := range slices.Concat(a.Leaders, a.Acceptors, a.Learners) {
		x, ok := n.Node(name)
		if !ok {
			return false, fmt.Errorf("%q: does not exist", name)
		}
		if isHost(x) {
			hosts++
		} else {
			switches++
		}
	}
	switch {
	case hosts > 0 && switches > 0:
		return false, errors.New("roles are either all in switches, or all at hosts")
	case hosts > 0 && len(a.Spares) > 0:
		return false, errors.New("spares: acceptors at hosts are not replaced")
	case hosts > 0 && a.Controller == "":
		return false, errors.New("controller: missing [the host that has the controller of roles at hosts]")
	case hosts == 0 && a.Controller != "":
		return false, errors.New("controller: is of roles at hosts; that of switches is none of the hosts")
	}
	return hosts > 0, nil
}

// configure makes the controller of all switches.
func (n *Network) configure() error {
	net, err := n.Topology()
	if err != nil {
		return err
	}
	net.DropLevels() // roles are at any level
	c := &control.Config{Net: net, Controller: controllerAt, Switches: map[string]*control.Switch{}, Hosts: map[string]control.Address{}}
	c.Timing.Resend = fabric.Time(n.Set.Ask).Duration()
	c.Timing.Silent, c.Timing.Replace = fabric.Time(n.Set.Silent).Duration(), fabric.Time(n.Set.Replace).Duration()
	for _, s := range n.Switches {
		p, ok := s.(*fabric.P4Switch)
		if !ok {
			return fmt.Errorf("switch %s is plain: all switches of a network with roles in switches run %s [core: %s]", s.Name(), control.Program, control.Program)
		}
		c.Timing.Hold = fabric.Time(p.Controller.Config.Hold).Duration()
		c.Switches[s.Name()] = &control.Switch{Name: s.Name(), P4Runtime: "sim", MAC: s.MAC(), Acceptor: s.Addr(), Learner: learnerAt(s)}
	}
	for _, h := range n.Hosts {
		c.Hosts[h.Name()] = control.Address{MAC: h.MAC(), IP: h.Addr()}
	}
	for _, a := range n.apps {
		if !a.hosted {
			c.Apps = append(c.Apps, control.Application{
				Name: a.Name, Leader: leaderAt(a.number), Leaders: a.Leaders, Acceptors: a.Acceptors, Spares: a.Spares, Learners: a.Learners,
				Replicas: a.Replicas, Proposers: a.Proposers, Instances: a.Instances,
			})
		}
	}
	if err := c.Check(); err != nil {
		return err
	}
	now := func() time.Duration { return n.Now().Duration() }
	if n.control, err = control.NewSimulated(c, now, n.Rand("controller"), nil); err != nil {
		return err
	}
	n.conf, n.timer = c, n.NewTimer(&n.clock, n.control)
	n.control.Drained = func() {
		n.timer.Arm()
		n.begin()
	}
	n.timer.Arm()
	return nil
}

// join has the hosts of an application join it.
func (n *Network) join(a *application) error {
	for _, name := range a.Proposers {
		if x, _ := n.Node(name); !isHost(x) {
			return fmt.Errorf("no host %q", name)
		}
	}
	for _, h := range n.Hosts {
		if !slices.Contains(a.Proposers, h.Name()) {
			continue
		}
		m := &member{st: h.Endpoint().(*station), app: a}
		if a.hosted {
			m.place(n)
		} else {
			p, err := n.conf.Place(a.number, h.Name())
			if err != nil {
				return err
			}
			for at, mac := range p.MACs {
				n.macs[at] = mac
			}
			m.own = netip.AddrPortFrom(netip.AddrFrom4(h.Addr()), control.Port(a.number))
			m.conf, m.guest = p.Config, p.Guest
		}
		a.members = append(a.members, m)
		if err := m.begin(slices.Contains(a.Replicas, h.Name())); err != nil {
			return fmt.Errorf("host %s: %w", h.Name(), err)
		}
	}
	return nil
}

// App implements fabric.Instance.
func (n *Network) App(s *fabric.P4Switch) (fabric.App, error) { return n.control.App(s.Name()), nil }

// Running reports whether all applications have a leader, and all switches what they shall have.
func (n *Network) Running() bool {
	if n.control != nil && !n.control.Running() {
		return false
	}
	return !slices.ContainsFunc(n.apps, func(a *application) bool { return a.hosted && a.cluster.control.Leading() == 0 })
}

// begin has loads begin, once all applications run.
func (n *Network) begin() {
	if !n.ready {
		if n.ready = n.Running(); !n.ready {
			return
		}
		n.flow()
	}
	for _, l := range n.waiting {
		n.At(n.Now(), l.Connected)
	}
	n.waiting = nil
}

// Client implements fabric.Instance.
func (n *Network) Client(l *fabric.Load, own fabric.LoadSettings) (fabric.Client, error) {
	o := own.(*Load)
	i := 0
	if o.Application != "" {
		i = slices.IndexFunc(n.apps, func(a *application) bool { return a.Name == o.Application })
	}
	if i < 0 {
		return nil, fmt.Errorf("no application %q", o.Application)
	}
	m := n.member(l.From, i)
	if m == nil || !slices.Contains(n.apps[i].Proposers, l.From.Name()) {
		return nil, fmt.Errorf("host %s is not a proposer of %s", l.From.Name(), n.apps[i].Name)
	}
	c := &client{load: l, member: m, under: map[uint32]*fabric.Request{}}
	m.clients = append(m.clients, c)
	n.waiting = append(n.waiting, l)
	n.begin()
	return c, nil
}

// member is a host's part in an application; nil: it has none.
func (n *Network) member(h *fabric.Host, application int) *member {
	for _, m := range n.apps[application].members {
		if m.st.h == h {
			return m
		}
	}
	return nil
}

// Submit has a host propose a value, and returns its number.
func (n *Network) Submit(h *fabric.Host, application int, value []byte) (uint32, error) {
	return n.member(h, application).submit(value)
}

// Kill ends a host without a word, with all that it runs.
func (n *Network) Kill(h *fabric.Host) { h.Endpoint().(*station).kill() }

// Info is how the controller of switches sees the applications.
func (n *Network) Info() []control.Info { return n.control.Info() }

// Lead has the controller of switches have one of them lead an application.
func (n *Network) Lead(application, name string) error { return n.control.Lead(application, name) }

// LeadHost has another host lead an application whose roles are at hosts: by its place among the leaders.
func (n *Network) LeadHost(application, leader int) {
	c := n.apps[application].cluster
	c.leads = leader
	c.control.Lead(c.now(), leader)
	c.flush()
}

// SwitchDies has a switch end: what it holds is lost, and nothing passes it.
func (n *Network) SwitchDies(s *fabric.P4Switch) {
	n.links(s, true)
	n.control.Lost(s.Name())
}

// SwitchForgets has a switch lose what it holds, and go on with nothing: amnesia.
func (n *Network) SwitchForgets(s *fabric.P4Switch) {
	n.control.Lost(s.Name())
	n.begins(s)
}

// SwitchReturns has a switch that died begin again, with nothing.
func (n *Network) SwitchReturns(s *fabric.P4Switch) {
	n.links(s, false)
	n.begins(s)
}

// begins has a switch begin with nothing.
func (n *Network) begins(s *fabric.P4Switch) {
	if err := s.Forget(); err != nil {
		n.Fail(err)
		return
	}
	n.At(n.Now()+s.Controller.Config.Delay, func() { n.control.Begins(s.Name()) })
}

// links takes the links of a switch down, or up.
func (n *Network) links(s *fabric.P4Switch, down bool) {
	for _, l := range n.Links {
		if l.Half[0].From == fabric.Node(s) || l.Half[1].From == fabric.Node(s) {
			n.SetDown(l, down)
		}
	}
}

// Agree says what a replica that lives has not delivered and must, or which host still waits: "" if all is well. It is for the end of a
// run, when everything has had its time.
func (n *Network) Agree() string {
	for _, a := range n.apps {
		if what := n.log.missing(a); what != "" {
			return fmt.Sprintf("application %s: %s", a.Name, what)
		}
	}
	return ""
}

// Verify implements fabric.Verifier.
func (n *Network) Verify() error { return n.log.err }
