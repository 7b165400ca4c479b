package topology

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// MaxPort is the largest number that a port has (PortId_t has 9 bits, and the last is the
// chip's for no port).
const MaxPort = 510

// Place is a port of a switch.
type Place struct {
	Switch string
	Port   uint16
}

// ParsePlace reads "SWITCH:PORT".
func ParsePlace(s string) (Place, error) {
	i := strings.LastIndexByte(s, ':')
	if i <= 0 {
		return Place{}, fmt.Errorf("%q: want SWITCH:PORT, for instance t:1", s)
	}
	n, err := strconv.ParseUint(s[i+1:], 10, 16)
	if err != nil {
		return Place{}, fmt.Errorf("%q: port %q is not a number", s, s[i+1:])
	}
	if n > MaxPort {
		return Place{}, fmt.Errorf("%q: ports go from 0 to %d", s, MaxPort)
	}
	return Place{s[:i], uint16(n)}, nil
}

func (p Place) String() string { return fmt.Sprintf("%s:%d", p.Switch, p.Port) }

// Link joins two ports of different switches.
type Link struct{ A, B Place }

// Host is a host at a port.
type Host struct {
	Name string
	At   Place
}

// Network is what is wired to what.
type Network struct {
	switches []string
	hosts    []Host
	at       map[string]Place             // of the hosts
	number   map[string]int               // of the hosts, from 0, in the order given
	links    map[string][]neighbour       // by switch, in the order given
	joined   map[Place]Place              // the ends of links
	ports    map[string]map[string]uint16 // [switch][switch]: the way there
	levels   map[string]int               // nil: any shortest way will do
	plain    map[string]bool              // switches that only route
}

// neighbour is a switch behind a port.
type neighbour struct {
	port uint16
	name string
}

// New checks that names and ports are unique and known, and that everybody can reach
// everybody.
func New(switches []string, links []Link, hosts []Host) (*Network, error) {
	n := &Network{switches: switches, hosts: hosts, at: map[string]Place{}, number: map[string]int{}, joined: map[Place]Place{}, links: map[string][]neighbour{}, ports: map[string]map[string]uint16{}}
	if len(switches) == 0 {
		return nil, errors.New("topology: no switch")
	}
	known := map[string]string{}
	name := func(what, s string) error {
		if s == "" {
			return fmt.Errorf("topology: a %s without a name", what)
		}
		if old, dup := known[s]; dup {
			return fmt.Errorf("topology: %s %s: a %s has that name", what, s, old)
		}
		known[s] = what
		return nil
	}
	for _, s := range switches {
		if err := name("switch", s); err != nil {
			return nil, err
		}
		n.links[s] = nil
	}
	used := map[Place]string{}
	plug := func(p Place, what string) error {
		if known[p.Switch] != "switch" {
			return fmt.Errorf("topology: %s: no switch %q", what, p.Switch)
		}
		if old, dup := used[p]; dup {
			return fmt.Errorf("topology: %s: port %v already belongs to %s", what, p, old)
		}
		used[p] = what
		return nil
	}
	for _, l := range links {
		what := fmt.Sprintf("link %v - %v", l.A, l.B)
		if l.A.Switch == l.B.Switch {
			return nil, fmt.Errorf("topology: %s: from a switch to itself", what)
		}
		for _, p := range []Place{l.A, l.B} {
			if err := plug(p, what); err != nil {
				return nil, err
			}
		}
		n.joined[l.A], n.joined[l.B] = l.B, l.A
		n.links[l.A.Switch] = append(n.links[l.A.Switch], neighbour{l.A.Port, l.B.Switch})
		n.links[l.B.Switch] = append(n.links[l.B.Switch], neighbour{l.B.Port, l.A.Switch})
	}
	for _, h := range hosts {
		if err := name("host", h.Name); err != nil {
			return nil, err
		}
		if err := plug(h.At, "host "+h.Name); err != nil {
			return nil, err
		}
		n.at[h.Name] = h.At
		n.number[h.Name] = len(n.number)
	}
	for _, to := range switches {
		n.route(to)
	}
	for _, s := range switches[1:] {
		if _, ok := n.ports[switches[0]][s]; !ok {
			return nil, fmt.Errorf("topology: switch %s cannot be reached from %s [is a link missing?]", s, switches[0])
		}
	}
	return n, nil
}

// route finds the ways to a switch, from it outwards: the next one on the way is always
// nearer, so that no frame goes in a circle.
func (n *Network) route(to string) {
	seen := map[string]bool{to: true}
	for queue := []string{to}; len(queue) > 0; queue = queue[1:] {
		for _, nb := range n.links[queue[0]] {
			if seen[nb.name] {
				continue
			}
			seen[nb.name] = true
			if n.ports[nb.name] == nil {
				n.ports[nb.name] = map[string]uint16{}
			}
			for _, back := range n.links[nb.name] { // the first link, if there are several
				if back.name == queue[0] {
					n.ports[nb.name][to] = back.port
					break
				}
			}
			queue = append(queue, nb.name)
		}
	}
}

// Switches are those of the network, in the order in which they were given.
func (n *Network) Switches() []string { return n.switches }

// Hosts are those of the network.
func (n *Network) Hosts() []Host { return n.hosts }

// IsSwitch reports whether there is a switch of this name.
func (n *Network) IsSwitch(name string) bool { _, ok := n.links[name]; return ok }

// Host finds a host.
func (n *Network) Host(name string) (Place, bool) { p, ok := n.at[name]; return p, ok }

// Port is the port of a switch by which a switch or a host is reached. ok is false for the
// switch itself, and for unknown names.
func (n *Network) Port(from, to string) (port uint16, ok bool) {
	if p, isHost := n.at[to]; isHost {
		if p.Switch == from {
			return p.Port, true
		}
		to = p.Switch
	}
	port, ok = n.ports[from][to]
	return port, ok
}

// Neighbours are the switches with a link to one, each once, in the order of the links.
func (n *Network) Neighbours(name string) (out []string) {
	seen := map[string]bool{}
	for _, nb := range n.links[name] {
		if !seen[nb.name] {
			seen[nb.name] = true
			out = append(out, nb.name)
		}
	}
	return out
}

// Peer is the port at the other end of the link of a port.
func (n *Network) Peer(p Place) (Place, bool) { q, ok := n.joined[p]; return q, ok }

// LinkPorts are the ports of a switch that lead to others, in the order of the links.
func (n *Network) LinkPorts(name string) (out []uint16) {
	for _, nb := range n.links[name] {
		out = append(out, nb.port)
	}
	return out
}
