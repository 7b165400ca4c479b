package fabric

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/p4ce/p4ce/ctrl/topology"
)

// Kinds of topologies.
const (
	Rack      = "rack"       // hosts at one switch
	LeafSpine = "leaf-spine" // hosts at leaves, each leaf with a link to each spine
	FatTree   = "fat-tree"   // of k: Al-Fares et al., SIGCOMM 2008
)

// Plain switches run no program.
const ProgramPlain = "plain"

// What plain switches hash to pick one of equal ways.
const (
	ECMPPorts     = "ports"     // addresses and UDP ports
	ECMPAddresses = "addresses" // addresses alone
)

// TopologyConfig says what there is. Names are h1, h2, ... for hosts, in order of their switches;
// s1 for the switch of a rack; leaf1, spine1; edge1, agg1, core1. A link's name is its ends',
// the lower one first: h1-leaf1, leaf1-spine2.
type TopologyConfig struct {
	Kind   string
	Hosts  int // rack: all; leaf-spine: of each leaf; fat-tree: of each edge switch, 0: k/2
	Leaves int
	Spines int
	K      int
	Pods   int // fat-tree: 0: k

	Edge string // what the switches run that hosts are at: ProgramPlain, or the system's name
	Core string // and the others

	Host       HostConfig
	HostLink   LinkConfig
	FabricLink LinkConfig
	Latency    Time   // of switches
	ECMP       string // what plain switches hash: ECMPPorts (the default) or ECMPAddresses
	Controller ControllerConfig
	// HostClock and SwitchClock make the clock of each, by its number from 1; nil: they are right.
	HostClock, SwitchClock func(n int) Clock
	RouteDelay             Time
}

func (c *TopologyConfig) check(s *System) error {
	between := func(what string, n, lo, hi int) error {
		if n < lo || n > hi {
			return fmt.Errorf("%s: %d: want %d to %d", what, n, lo, hi)
		}
		return nil
	}
	program := func(what, p string) error {
		switch {
		case p == ProgramPlain || p == s.Name && s.Program != "":
			return nil
		case s.Program == "":
			return fmt.Errorf("%s: %q: want %s", what, p, ProgramPlain)
		}
		return fmt.Errorf("%s: %q: want %s or %s", what, p, s.Name, ProgramPlain)
	}
	errs := []error{program("edge", c.Edge)}
	if c.ECMP != "" && c.ECMP != ECMPPorts && c.ECMP != ECMPAddresses {
		errs = append(errs, fmt.Errorf("ecmp: %q: want %s or %s", c.ECMP, ECMPPorts, ECMPAddresses))
	}
	if c.Kind != Rack {
		errs = append(errs, program("core", c.Core))
	}
	switch c.Kind {
	case Rack:
		errs = append(errs, between("hosts", c.Hosts, 1, 256))
	case LeafSpine:
		errs = append(errs, between("hosts", c.Hosts, 1, 128), between("leaves", c.Leaves, 1, 64), between("spines", c.Spines, 1, 64))
	case FatTree:
		if c.K%2 != 0 {
			errs = append(errs, fmt.Errorf("k: %d: want an even number", c.K))
		}
		errs = append(errs, between("k", c.K, 2, 32), between("hosts", c.Hosts, 0, 128), between("pods", c.Pods, 0, 64))
	default:
		errs = append(errs, fmt.Errorf("kind: %q: want %s, %s or %s", c.Kind, Rack, LeafSpine, FatTree))
	}
	return errors.Join(errs...)
}

// builder collects the first error.
type builder struct {
	f   *Fabric
	c   TopologyConfig
	err error
}

// Build makes the nodes and links of a topology. Start is next.
func (f *Fabric) Build(c TopologyConfig) error {
	if err := c.check(f.system); err != nil {
		return fmt.Errorf("topology: %w", err)
	}
	f.SetRouteDelay(c.RouteDelay)
	b := &builder{f: f, c: c}
	switch c.Kind {
	case Rack:
		b.hosts(b.sw("s1", c.Edge, 0), c.Hosts)
	case LeafSpine:
		spines := b.switches("spine", c.Spines, c.Core, 1)
		for i := range c.Leaves {
			leaf := b.sw(fmt.Sprintf("leaf%d", i+1), c.Edge, 0)
			b.hosts(leaf, c.Hosts)
			for _, s := range spines {
				b.link(leaf, s, c.FabricLink)
			}
		}
	case FatTree:
		b.fatTree(c.K/2, cmp.Or(c.Pods, c.K), cmp.Or(c.Hosts, c.K/2))
	}
	return b.err
}

// fatTree: pods of half edge and half aggregation switches; core switch number i*half+j is
// linked to the ith aggregation switch of each pod.
func (b *builder) fatTree(half, pods, hosts int) {
	core := b.switches("core", half*half, b.c.Core, 2)
	for pod := range pods {
		var aggs []Switch
		for i := range half {
			agg := b.sw(fmt.Sprintf("agg%d", pod*half+i+1), b.c.Core, 1)
			aggs = append(aggs, agg)
			for _, c := range core[i*half : (i+1)*half] {
				b.link(agg, c, b.c.FabricLink)
			}
		}
		for i := range half {
			edge := b.sw(fmt.Sprintf("edge%d", pod*half+i+1), b.c.Edge, 0)
			b.hosts(edge, hosts)
			for _, a := range aggs {
				b.link(edge, a, b.c.FabricLink)
			}
		}
	}
}

func (b *builder) switches(prefix string, n int, program string, level int) (out []Switch) {
	for i := range n {
		out = append(out, b.sw(fmt.Sprint(prefix, i+1), program, level))
	}
	return out
}

func (b *builder) sw(name, program string, level int) Switch {
	if b.err != nil {
		return nil
	}
	b.f.levels[name] = level
	var s Switch
	if program == ProgramPlain {
		p, err := b.f.NewPlain(name, b.c.Latency)
		if err != nil {
			b.err = err
			return nil
		}
		p.Addresses = b.c.ECMP == ECMPAddresses
		return p
	}
	conf := P4SwitchConfig{Latency: b.c.Latency, Controller: b.c.Controller}
	if b.c.SwitchClock != nil {
		conf.Clock = b.c.SwitchClock(len(b.f.Switches) + 1)
	}
	s, b.err = b.f.NewP4Switch(name, conf)
	return s
}

func (b *builder) hosts(s Switch, n int) {
	for range n {
		if b.err != nil {
			return
		}
		conf := b.c.Host
		if b.c.HostClock != nil {
			conf.Clock = b.c.HostClock(len(b.f.Hosts) + 1)
		}
		var h *Host
		if h, b.err = b.f.NewHost(fmt.Sprintf("h%d", len(b.f.Hosts)+1), conf); b.err == nil {
			b.link(h, s, b.c.HostLink)
		}
	}
}

func (b *builder) link(lower, upper Node, c LinkConfig) {
	if b.err == nil {
		_, b.err = b.f.Connect(lower, upper, "", c)
	}
}

// SetLevel says how high a switch is that was made by hand (topology.Network.SetLevels). Build knows it of its own.
func (f *Fabric) SetLevel(s Switch, level int) { f.levels[s.Name()] = level }

// Start computes the routes, and has the controllers begin. The network is complete.
func (f *Fabric) Start() error {
	for _, h := range f.Hosts {
		if h.out == nil {
			return fmt.Errorf("host %s: has no link", h.name)
		}
	}
	f.Route()
	if f.instance == nil {
		return f.err
	}
	if err := f.instance.Ready(); err != nil {
		return err
	}
	for _, s := range f.Switches {
		if r, ok := s.(*P4Switch); ok {
			if err := r.Controller.begin(); err != nil {
				return fmt.Errorf("controller of %s: %w", r.name, err)
			}
		}
	}
	return f.err
}

// Topology is the network as controllers know it.
func (f *Fabric) Topology() (*topology.Network, error) {
	var switches, plain []string
	var links []topology.Link
	var servers []topology.Host
	levels := true
	for _, s := range f.Switches {
		switches = append(switches, s.Name())
		if _, ok := s.(*P4Switch); !ok {
			plain = append(plain, s.Name())
		}
		if _, ok := f.levels[s.Name()]; !ok {
			levels = false
		}
	}
	for _, l := range f.Links {
		a, b := l.Half[0], l.Half[1]
		if _, ok := b.From.(*Host); ok {
			a, b = b, a
		}
		at := topology.Place{Switch: b.From.Name(), Port: b.Port}
		if h, ok := a.From.(*Host); ok {
			servers = append(servers, topology.Host{Name: h.name, At: at})
			continue
		}
		links = append(links, topology.Link{A: topology.Place{Switch: a.From.Name(), Port: a.Port}, B: at})
	}
	net, err := topology.New(switches, links, servers)
	if err == nil && levels {
		err = net.SetLevels(f.levels)
	}
	if err == nil {
		err = net.SetPlain(plain...)
	}
	return net, err
}
