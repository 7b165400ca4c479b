package control

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/p4ce/p4ce/ctrl/hosts"
	"github.com/p4ce/p4ce/ctrl/links"
	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
)

// FabricSwitch is a switch of a Fabric.
type FabricSwitch struct {
	Name string
	// P4Runtime is where its server listens; empty for one that only routes, and is
	// nothing to this controller.
	P4Runtime string
	DeviceID  uint64 // default 1
	MAC       wire.MAC
	Addr      wire.Addr // leaders connect to it; a plain switch needs none
	// Pipes says on which pipe of the chip ports are (Wiring). All ports to other switches must be on one: a path may change to
	// any of them.
	Pipes topology.Pipes
}

// FabricHost is a server of a Fabric.
type FabricHost struct {
	Name string
	MAC  wire.MAC
	Addr wire.Addr
}

// Fabric are switches that form groups together: how they are wired, and which links are
// down. Each switch has an App; a group's home is the switch that its leader connects to, and
// the others copy for it where their receivers are.
//
//	        home's App (planter)            relays' Apps (planter)
//	Install --> tree --> relays, from the leaves up --> home's own entries --> Done
//	link down --> Fabric.routes --> the same for groups whose tree is another now;
//	              what is over goes last
//
// Methods may be called from any goroutine.
type Fabric struct {
	Net      *topology.Network
	Switches []FabricSwitch
	Hosts    []FabricHost
	// Probe is how often each end of a link says that it works (200 ms); the link is down when
	// Hold has passed without (1 s). They are to be changed before the switches are made.
	Probe, Hold time.Duration

	sw    map[string]*FabricSwitch
	names map[wire.Addr]string // of hosts and switches
	macs  map[string]wire.MAC  // of hosts

	mu    sync.Mutex
	links *links.Map
	apps  map[string]*App
	there map[string]bool // switches that have been in the controller's hands
}

// NewFabric checks addresses and finds the ways.
func NewFabric(net *topology.Network, switches []FabricSwitch, servers []FabricHost) (*Fabric, error) {
	n := &Fabric{
		Net: net, Switches: switches, Hosts: servers, Probe: links.Probe, Hold: links.Hold, links: links.NewMap(net),
		sw: map[string]*FabricSwitch{}, names: map[wire.Addr]string{}, macs: map[string]wire.MAC{}, apps: map[string]*App{}, there: map[string]bool{},
	}
	macs := map[wire.MAC]string{}
	take := func(m wire.MAC, a wire.Addr, who string) error {
		if old, dup := macs[m]; dup {
			return fmt.Errorf("%s: mac %s is that of %s", who, macString(m), old)
		}
		if old, dup := n.names[a]; dup {
			return fmt.Errorf("%s: address %v is that of %s", who, a, old)
		}
		macs[m] = who
		if a != (wire.Addr{}) {
			n.names[a] = who
		}
		return nil
	}
	for i := range n.Switches {
		s := &n.Switches[i]
		if err := take(s.MAC, s.Addr, s.Name); err != nil {
			return nil, err
		}
		if s.DeviceID == 0 {
			s.DeviceID = 1
		}
		if !n.Net.Plain(s.Name) && (s.Addr == wire.Addr{} || s.P4Runtime == "") {
			return nil, fmt.Errorf("switch %s: address and p4runtime are missing [leaders connect to the address, the controller to p4runtime]", s.Name)
		}
		if !net.IsSwitch(s.Name) {
			return nil, fmt.Errorf("switch %s: is not in the topology", s.Name)
		}
		n.sw[s.Name] = s
	}
	for _, name := range n.Net.Switches() {
		if n.sw[name] == nil {
			return nil, fmt.Errorf("switch %s: has no address", name)
		}
	}
	for _, h := range n.Hosts {
		if _, ok := n.Net.Host(h.Name); !ok {
			return nil, fmt.Errorf("host %s: has no switch", h.Name)
		}
		if err := take(h.MAC, h.Addr, h.Name); err != nil {
			return nil, err
		}
		n.macs[h.Name] = h.MAC
	}
	return n, nil
}

// Config is that of one of the switches; base has what is common to all.
func (f *Fabric) Config(base Config, name string) (Config, error) {
	s := f.sw[name]
	if s == nil || f.Net.Plain(name) {
		return base, fmt.Errorf("switch %s: this controller does not drive it", name)
	}
	if err := s.Pipes.Together(f.Net.LinkPorts(name)); err != nil && !base.GatherInEgress {
		return base, fmt.Errorf("switch %s: links to other switches: %w [--gather egress]", name, err)
	}
	base.MAC, base.IPs, base.fabric, base.name = s.MAC, []wire.Addr{s.Addr}, f, name
	base.Ports, base.Hosts, base.links = nil, f.places(name), f.Net.LinkPorts(name)
	for _, port := range base.links {
		far, _ := f.Net.Peer(topology.Place{Switch: name, Port: port})
		if m := f.sw[far.Switch].MAC; !slices.ContainsFunc(base.next, func(h hop) bool { return h.mac == m }) {
			base.next = append(base.next, hop{m, port})
		}
	}
	for _, h := range f.Net.Hosts() {
		if h.At.Switch == name {
			base.Ports = append(base.Ports, h.At.Port)
		}
	}
	if len(base.Ports) == 0 {
		base.Ports = base.links // not flooded, but there must be some
	}
	base.Wiring = Wiring{PortGroups: map[uint16]uint16{}, Pipes: s.Pipes}
	for i, ports := range f.Net.PortGroups(name) {
		for _, p := range ports {
			base.Wiring.PortGroups[p] = firstPortGroup + uint16(i)
		}
	}
	return base, nil
}

func (f *Fabric) join(name string, a *App) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.apps[name] = a
}

func (f *Fabric) isSynced(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.there[name] = true
}

func (f *Fabric) synced(name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.there[name]
}

func (f *Fabric) app(name string) *App {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.apps[name]
}

func (f *Fabric) now() *topology.Routes {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.links.Routes()
}

// large reports whether hosts and switches are so many that a switch has no room to name each, and itself learn some.
func (f *Fabric) large() bool { return len(f.names) > hosts.Max-maxLearned }

// maxLearned is how many hosts that a fabric does not know one of its switches may always learn.
const maxLearned = 256

// places is where a switch finds everybody: hosts of its own at their ports, others behind the
// next switch, or behind several that are as near. Who cannot be reached is left out.
func (f *Fabric) places(name string) (out []hosts.Host) {
	r := f.now()
	out = make([]hosts.Host, 0, len(f.Hosts)+len(f.Switches))
	shared := map[hosts.Paths]hosts.Paths{} // hosts behind the same ports share a string
	add := func(who string, mac wire.MAC, a wire.Addr) {
		port, ok := r.Port(name, who)
		if !ok {
			return
		}
		h := hosts.Host{IP: a, MAC: mac, Port: port}
		if next, isSwitch := f.Net.Peer(topology.Place{Switch: name, Port: port}); isSwitch {
			h.MAC, h.Routed = f.sw[next.Switch].MAC, true
			// What is for switches keeps to one way: their groups know by which port group it comes.
			if set := r.NextHops(name, who); len(set) > 1 && !f.Net.IsSwitch(who) {
				h.Paths = hosts.PathsOf(set)
				if p, ok := shared[h.Paths]; ok {
					h.Paths = p
				}
				shared[h.Paths] = h.Paths
			}
		}
		out = append(out, h)
	}
	for _, h := range f.Hosts {
		add(h.Name, h.MAC, h.Addr)
	}
	for _, s := range f.Switches {
		if s.Name != name && s.Addr != (wire.Addr{}) {
			add(s.Name, s.MAC, s.Addr)
		}
	}
	return out
}

// reachable says why nothing gets from a switch to a host.
func (f *Fabric) reachable(name string, a wire.Addr) error {
	who, known := f.names[a]
	if f.sw[who] != nil {
		return fmt.Errorf("%v is switch %s, not a host", a, who)
	}
	if _, isHost := f.Net.Host(who); !known || !isHost {
		return fmt.Errorf("%v is not a host of the topology", a)
	}
	if _, ok := f.now().Port(name, who); !ok {
		return fmt.Errorf("%s (%v) cannot be reached from switch %s", who, a, name)
	}
	return nil
}

// arrives is the port of a switch by which what a host, or another switch, sends to it
// comes in.
func (f *Fabric) arrives(name string, from wire.Addr) (port uint16, ok bool) {
	who, known := f.names[from]
	if !known {
		return 0, false
	}
	at := who
	if p, isHost := f.Net.Host(who); isHost {
		if p.Switch == name {
			return p.Port, true
		}
		at = p.Switch
	}
	return f.walk(f.now(), at, name, name)
}

// walk follows plain routing to a destination until a switch, and says by which port it
// gets there.
func (f *Fabric) walk(r *topology.Routes, at, to, until string) (port uint16, ok bool) {
	for at != until {
		out, ok := r.Port(at, to)
		if !ok {
			return 0, false
		}
		next, isSwitch := f.Net.Peer(topology.Place{Switch: at, Port: out})
		if !isSwitch {
			return 0, false
		}
		at, port = next.Switch, next.Port
	}
	return port, true
}

// relayAt is what a switch has to do for another's group.
type relayAt struct {
	sw     string
	rep    int    // the slot that what comes is addressed to
	port   uint16 // by which it comes
	copies []branch
}

// plant finds who copies what for a group, of which some switches are relays already. Relays come in the order in which they are set
// up, leaves first.
func (f *Fabric) plant(home string, p *group.Plan, have []string) (own []branch, relays []relayAt, err error) {
	slots := map[string][]int{} // several of a switch that gathers for several parts
	var receivers []string
	for i, s := range p.Slots {
		name, ok := f.names[s.Addr]
		if !ok {
			return nil, nil, fmt.Errorf("replica %d (%v) is not in the topology", i, s.Addr)
		}
		slots[name] = append(slots[name], i)
		receivers = append(receivers, name)
	}
	r := f.now()
	t, err := r.Tree(home, receivers, topology.Flow(fmt.Sprintf("%v/%d", p.Switch, p.BCastQP)), have...)
	if err != nil {
		return nil, nil, err
	}
	arrival := map[string]relayAt{}
	for _, at := range append(t.Relays(), home) {
		ra := arrival[at]
		for _, c := range t.Copies[at] {
			// What the group knows of a replica behind other switches is the next switch's address.
			b := branch{slot: slots[c.To][0], port: c.Port, mac: f.macs[c.To], relay: c.Next != ""}
			next, isSwitch := f.Net.Peer(topology.Place{Switch: at, Port: c.Port})
			if isSwitch {
				b.mac = f.sw[next.Switch].MAC
			}
			ra.copies = append(ra.copies, b)
			if c.Next == "" {
				if more := slots[c.To][1:]; len(more) > 0 {
					slots[c.To] = more
				}
				continue
			}
			in := next.Port
			if next.Switch != c.Next {
				var ok bool
				if in, ok = f.walk(r, next.Switch, c.To, c.Next); !ok {
					return nil, nil, fmt.Errorf("no path from switch %s to %s", next.Switch, c.Next)
				}
			}
			behind := arrival[c.Next]
			behind.sw, behind.rep, behind.port = c.Next, slots[c.To][0], in
			arrival[c.Next] = behind
		}
		arrival[at] = ra
	}
	for _, s := range t.Relays() {
		relays = append(relays, arrival[s])
	}
	return arrival[home].copies, relays, nil
}

// SetPort says whether a port works. When that is news, the ways are found anew, and all
// switches follow, each once for all that has changed before it comes to it.
func (f *Fabric) SetPort(p topology.Place, up bool) (news bool) {
	f.mu.Lock()
	if !f.links.Set(p, up) {
		f.mu.Unlock()
		return false
	}
	var all []*App
	for _, name := range slices.Sorted(maps.Keys(f.apps)) {
		all = append(all, f.apps[name])
	}
	f.mu.Unlock()
	for _, a := range all {
		a.tree.reroute()
	}
	return true
}

// DownPorts are those that do not work, in order.
func (f *Fabric) DownPorts() []topology.Place {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.links.Down()
}

var errNoRoom = errors.New("has no room for another relay")
