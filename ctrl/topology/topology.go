package topology

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
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
	at       map[string]Place // of the hosts
	number   map[string]int   // of the hosts, from 0, in the order given
	index    map[string]int   // of the switches, in the order given
	links    [][]neighbour    // by switch, in the order given
	joined   map[Place]Place  // the ends of links
	ports    [][]int32        // [switch][switch]: the port of the way there, or -1
	levels   map[string]int   // nil: any shortest way will do
	level    []int            // the same
	plain    map[string]bool  // switches that only route

	whole func() *Routes // with nothing down, once they are asked for
}

// neighbour is a switch behind a port.
type neighbour struct {
	port, far uint16 // and its own port
	to        int
}

// New checks that names and ports are unique and known, and that everybody can reach
// everybody.
func New(switches []string, links []Link, hosts []Host) (*Network, error) {
	n := &Network{switches: switches, hosts: hosts, at: map[string]Place{}, number: map[string]int{}, joined: map[Place]Place{}, index: map[string]int{}, links: make([][]neighbour, len(switches))}
	n.whole = sync.OnceValue(func() *Routes { return n.Routes(Down{}) })
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
	for i, s := range switches {
		if err := name("switch", s); err != nil {
			return nil, err
		}
		n.index[s] = i
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
		a, b := n.index[l.A.Switch], n.index[l.B.Switch]
		n.links[a] = append(n.links[a], neighbour{l.A.Port, l.B.Port, b})
		n.links[b] = append(n.links[b], neighbour{l.B.Port, l.A.Port, a})
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
	n.route()
	for i, s := range switches {
		if i > 0 && n.ports[0][i] < 0 {
			return nil, fmt.Errorf("topology: switch %s cannot be reached from %s [is a link missing?]", s, switches[0])
		}
	}
	return n, nil
}

// route finds the ways to each switch, from it outwards: the next one on the way is always
// nearer, so that no frame goes in a circle.
func (n *Network) route() {
	n.ports = make([][]int32, len(n.switches))
	for i := range n.ports {
		n.ports[i] = slices.Repeat([]int32{-1}, len(n.switches))
	}
	queue := make([]int, 0, len(n.switches))
	for to := range n.switches {
		queue = append(queue[:0], to)
		for i := 0; i < len(queue); i++ {
			at := queue[i]
			for _, nb := range n.links[at] {
				if nb.to == to || n.ports[nb.to][to] >= 0 {
					continue
				}
				for _, back := range n.links[nb.to] { // the first link, if there are several
					if back.to == at {
						n.ports[nb.to][to] = int32(back.port)
						break
					}
				}
				queue = append(queue, nb.to)
			}
		}
	}
}

// Switches are those of the network, in the order in which they were given.
func (n *Network) Switches() []string { return n.switches }

// Hosts are those of the network.
func (n *Network) Hosts() []Host { return n.hosts }

// IsSwitch reports whether there is a switch of this name.
func (n *Network) IsSwitch(name string) bool { _, ok := n.index[name]; return ok }

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
	a, known := n.index[from]
	b, ok := n.index[to]
	if !known || !ok || n.ports[a][b] < 0 {
		return 0, false
	}
	return uint16(n.ports[a][b]), true
}

// Neighbours are the switches with a link to one, each once, in the order of the links.
func (n *Network) Neighbours(name string) (out []string) {
	seen := map[int]bool{}
	for _, nb := range n.linksOf(name) {
		if !seen[nb.to] {
			seen[nb.to] = true
			out = append(out, n.switches[nb.to])
		}
	}
	return out
}

// Peer is the port at the other end of the link of a port.
func (n *Network) Peer(p Place) (Place, bool) { q, ok := n.joined[p]; return q, ok }

// LinkPorts are the ports of a switch that lead to others, in the order of the links.
func (n *Network) LinkPorts(name string) (out []uint16) {
	for _, nb := range n.linksOf(name) {
		out = append(out, nb.port)
	}
	return out
}

// linksOf are the links of a switch; there are none if it is unknown.
func (n *Network) linksOf(name string) []neighbour {
	if i, ok := n.index[name]; ok {
		return n.links[i]
	}
	return nil
}
