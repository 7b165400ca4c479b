// Package fabric puts atomic multicast into networks in simulated time (package sim/fabric): switches run p4/amcast with
// systems/amcast/control, hosts run amcast.Endpoint.
//
//	fabric.Load ── client ── Endpoint ══▶ p4/amcast: leaders, followers, deliverers ══▶ Endpoint
//	                                                                                       │
//	Verify: integrity, order, contents  <───────────────────── what each replica has delivered
//	        genuineness                 <───────────────────── the packets of each link
//	Agreement: all replicas alike       <──────────────────────────────────────────────────┘
//
// A request of a load is a message to groups. It is answered when every replica of every group that lives has delivered it.
package fabric

import (
	"embed"
	"fmt"
	"slices"
	"time"

	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/amcast"
	"github.com/p4ce/p4ce/systems/amcast/control"
	"github.com/p4ce/p4ce/systems/amcast/private"
)

//go:embed scenarios/*.yaml
var scenarios embed.FS

// System is systems/amcast for the fabric.
var System = &fabric.System{
	Name: control.Program, Program: control.Program, Scenarios: fabric.Folder(scenarios, "scenarios"), Describe: amcast.Describe,
	Labels: []fabric.Column{{CSV: "groups", Table: "groups"}},
	Counts: []fabric.Column{{CSV: "resent", Table: "resent"}},
	Settings: func() fabric.Settings {
		return &Settings{
			Window: 16, Retry: fabric.Span(100 * fabric.Microsecond), Hello: fabric.Span(100 * fabric.Microsecond),
			Silence: fabric.Span(2 * fabric.Millisecond), Replace: fabric.Span(fabric.Millisecond),
		}
	},
	Load: func() fabric.LoadSettings { return new(Load) },
	New: func(f *fabric.Fabric, s fabric.Settings) (fabric.Instance, error) {
		return &Network{Fabric: f, Set: s.(*Settings), log: newLedger(), conf: &control.Config{Switches: map[string]*control.Switch{}, Hosts: map[string]*control.Host{}}}, nil
	},
}

// Group is a destination of messages.
type Group struct {
	Number     uint8    `yaml:"number"`
	Members    []string `yaml:"members"` // switches, the leader first
	Spares     []string `yaml:"spares"`
	Deliverers []string `yaml:"deliverers"` // by default the switches that replicas are attached to
	Replicas   []string `yaml:"replicas"`   // hosts
}

// Settings are what a scenario says of atomic multicast.
type Settings struct {
	Groups  []Group     `yaml:"groups"`
	Window  int         `yaml:"window"`  // messages of a host that may be under way
	Retry   fabric.Span `yaml:"retry"`   // after which a message is started again
	Hello   fabric.Span `yaml:"hello"`   // the pause between two words of a host to the controller
	Silence fabric.Span `yaml:"silence"` // after which a silent host has failed
	Replace fabric.Span `yaml:"replace"` // after which a spare takes the place of a follower that is gone
	// Kill says which hosts end without a word, and when.
	Kill map[string]fabric.Span `yaml:"kill"`
}

// Check implements fabric.Settings.
func (s *Settings) Check(*fabric.TopologyConfig) error {
	if len(s.Groups) == 0 {
		return fmt.Errorf("groups: missing: want destinations of messages")
	}
	return nil
}

// Load is what a scenario says of the messages of a load: the numbers of the groups that they go to.
type Load struct {
	Groups []uint8 `yaml:"groups"`
}

// Addressed implements fabric.Addressed.
func (*Load) Addressed() {}

// Labels implements fabric.LoadSettings.
func (l *Load) Labels() []string { return []string{fmt.Sprint(l.Groups)} }

// Check implements fabric.LoadSettings.
func (l *Load) Check(c *fabric.LoadConfig) error {
	if c.Size > amcast.MaxPayload {
		return fmt.Errorf("messages of %d bytes: want at most %d", c.Size, amcast.MaxPayload)
	}
	_, err := amcast.NewGroups(l.Groups...)
	return err
}

// Network is a network of this system.
type Network struct {
	*fabric.Fabric
	Set  *Settings
	conf *control.Config
	log  *ledger
	// Driver has the hosts, if it is not nil, in place of loads.
	Driver Driver

	control *control.Simulated
	clock   fabric.Clock
	timer   *fabric.Timer
	waiting []*fabric.Load
}

// Driver is what runs the hosts of a network without loads: benchmarks.
type Driver interface {
	// Admitted is a host that may send.
	Admitted(h *fabric.Host)
	// Delivered is a message that a replica of a host has delivered.
	Delivered(h *fabric.Host, group uint8, d *amcast.Delivery)
	// Room is a host some of whose messages are finished.
	Room(h *fabric.Host)
}

// New makes an empty network.
func New(seed uint64, set Settings) (*Network, error) {
	f := fabric.New(seed)
	if err := f.Use(System, &set); err != nil {
		return nil, err
	}
	return f.System().(*Network), nil
}

// Defaults are the settings of a scenario that says nothing but its groups.
func Defaults() Settings { return *System.Settings().(*Settings) }

// Multicast sends a message of a host.
func (n *Network) Multicast(h *fabric.Host, groups amcast.Groups, payload []byte) (amcast.ID, error) {
	st := h.Endpoint().(*station)
	id, err := st.endpoint.Multicast(h.Now(), groups, payload)
	if err == nil {
		n.log.sent(h, id, groups, payload)
		st.act()
	}
	return id, err
}

// Call is Multicast, and waits for answers: see amcast.Endpoint.
func (n *Network) Call(h *fabric.Host, groups amcast.Groups, payload []byte) (amcast.ID, error) {
	st := h.Endpoint().(*station)
	id, err := st.endpoint.Call(h.Now(), groups, payload)
	if err == nil {
		n.log.sent(h, id, groups, payload)
		st.act()
	}
	return id, err
}

// Host is a host's end of atomic multicast.
func (n *Network) Host(h *fabric.Host) *amcast.Endpoint { return h.Endpoint().(*station).endpoint }

// Dead reports whether a host has ended.
func (n *Network) Dead(h *fabric.Host) bool { return h.Endpoint().(*station).dead }

// Agree looks whether all replicas that live have delivered what they must: "" if they have.
func (n *Network) Agree() string { return n.log.missing(func(amcast.ID) bool { return false }) }

// Kill ends a host without a word.
func (n *Network) Kill(h *fabric.Host) { h.Endpoint().(*station).kill() }

// Groups is how the controller sees the groups.
func (n *Network) Groups() []control.GroupStatus { return n.control.Groups() }

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

// restart is how long a switch takes to begin: what was being written into it when it ended is not written any more.
const restart = 500 * fabric.Microsecond

// begins has a switch begin with nothing.
func (n *Network) begins(s *fabric.P4Switch) {
	forget := func() {
		if err := s.Forget(); err != nil {
			n.Fail(err)
		}
	}
	forget()
	n.At(n.Now()+restart, func() {
		forget()
		n.control.Synced(s.Name())
	})
}

// links takes the links of a switch down, or up.
func (n *Network) links(s *fabric.P4Switch, down bool) {
	for _, l := range n.Links {
		if l.Half[0].From == fabric.Node(s) || l.Half[1].From == fabric.Node(s) {
			n.SetDown(l, down)
		}
	}
}

// Endpoint implements fabric.Instance.
func (n *Network) Endpoint(h *fabric.Host) fabric.Endpoint {
	return &station{net: n, h: h, program: h.NewThread("program")}
}

// Ready implements fabric.Instance.
func (n *Network) Ready() error {
	net, err := n.Topology()
	if err != nil {
		return err
	}
	net.DropLevels() // members are at any level
	c := n.conf
	c.Net, c.Silence, c.Replace = net, fabric.Time(n.Set.Silence).Duration(), fabric.Time(n.Set.Replace).Duration()
	for _, s := range n.Switches {
		if net.Plain(s.Name()) {
			return fmt.Errorf("switch %s is plain: all switches of a network of atomic multicast run it [core: %s]", s.Name(), control.Program)
		}
		c.Switches[s.Name()] = &control.Switch{Address: control.Address{MAC: s.MAC(), IP: s.Addr()}}
	}
	for _, h := range n.Hosts {
		c.Hosts[h.Name()] = &control.Host{Address: control.Address{MAC: h.MAC(), IP: h.Addr()}, Window: n.Set.Window}
	}
	for _, g := range n.Set.Groups {
		c.Groups = append(c.Groups, &control.Group{Number: g.Number, Members: g.Members, Spares: g.Spares, Deliverers: g.Deliverers, Replicas: g.Replicas})
	}
	slices.SortFunc(c.Groups, func(a, b *control.Group) int { return int(a.Number) - int(b.Number) })
	if err := c.Check(); err != nil {
		return err
	}
	now := func() time.Duration { return n.Now().Duration() }
	if n.control, err = control.NewSimulated(c, now, nil); err != nil {
		return err
	}
	n.timer = n.NewTimer(&n.clock, n.control)
	n.control.Drained = n.timer.Arm
	n.timer.Arm()
	n.log.parties, n.log.exact = n.parties()
	n.Tap(n.log)
	for _, h := range n.Hosts {
		st := h.Endpoint().(*station)
		n.At(0, st.begin)
		if at, ok := n.Set.Kill[h.Name()]; ok {
			n.At(fabric.Time(at), st.kill)
		}
	}
	return nil
}

// App implements fabric.Instance.
func (n *Network) App(s *fabric.P4Switch) (fabric.App, error) { return n.control.App(s.Name()), nil }

// place is what a host knows of the deployment.
func (n *Network) place(h *fabric.Host) (*private.Place, error) { return n.conf.Place(h.Name()) }

// admitted is called when a host may send. A load begins when its sender, and all replicas, may.
func (n *Network) admitted() {
	for _, g := range n.Set.Groups {
		for _, r := range g.Replicas {
			h, _ := n.Node(r) // Check has looked
			if st := h.(*fabric.Host).Endpoint().(*station); !st.admitted && !st.dead {
				return
			}
		}
	}
	n.waiting = slices.DeleteFunc(n.waiting, func(l *fabric.Load) bool {
		if !l.From.Endpoint().(*station).admitted {
			return false
		}
		n.At(n.Now(), l.Connected)
		return true
	})
}

// Client implements fabric.Instance.
func (n *Network) Client(l *fabric.Load, own fabric.LoadSettings) (fabric.Client, error) {
	groups, err := amcast.NewGroups(own.(*Load).Groups...)
	if err != nil {
		return nil, err
	}
	st := l.From.Endpoint().(*station)
	c := &client{load: l, station: st, groups: groups}
	st.clients = append(st.clients, c)
	n.waiting = append(n.waiting, l)
	n.admitted()
	return c, nil
}

// Verify implements fabric.Verifier.
func (n *Network) Verify() error { return n.log.err }
