package topology

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
)

// SetLevels gives switches the level that they are at: 0 for those of the hosts, 1 for those
// above, and so on. With levels, routing is up-down: nothing goes up again once it has gone
// down, so that queues that wait for each other (PFC) never do in a circle. Every switch
// needs a level, and a link joins two that are one apart: a link on one level is part of a
// loop that has no way up. It is called before Routes.
func (n *Network) SetLevels(levels map[string]int) error {
	for _, s := range n.switches {
		if _, ok := levels[s]; !ok {
			return fmt.Errorf("topology: switch %s has no level, but others have [give all switches levels, or none]", s)
		}
	}
	for _, s := range n.switches {
		for _, nb := range n.links[s] {
			if d := levels[s] - levels[nb.name]; d != 1 && d != -1 {
				what := "a link must join adjacent levels"
				if d == 0 {
					what = "up-down routing allows no loops"
				}
				return fmt.Errorf("topology: link %v - %v joins level %d and level %d: %s", Place{s, nb.port}, n.joined[Place{s, nb.port}], levels[s], levels[nb.name], what)
			}
		}
	}
	n.levels = levels
	r := n.Routes(Down{})
	for _, a := range n.hosts {
		for _, b := range n.hosts {
			if a.At.Switch != b.At.Switch && len(r.NextHops(a.At.Switch, b.Name)) == 0 {
				n.levels = nil
				return fmt.Errorf("topology: host %s cannot be reached from %s by going up and then down", b.Name, a.Name)
			}
		}
	}
	return nil
}

// DropLevels has any shortest way do: for packets between switches, which may be at one level.
func (n *Network) DropLevels() { n.levels = nil }

// Level is the level that a switch is at; 0 if there are no levels.
func (n *Network) Level(name string) int { return n.levels[name] }

// SetPlain says which switches only route: they know nothing of groups (ToR-only
// deployment). Those with hosts may be plain too; their hosts get a copy each.
func (n *Network) SetPlain(names ...string) error {
	n.plain = map[string]bool{}
	for _, s := range names {
		if !n.IsSwitch(s) {
			return fmt.Errorf("topology: no switch %q", s)
		}
		n.plain[s] = true
	}
	return nil
}

// Plain reports whether a switch only routes.
func (n *Network) Plain(name string) bool { return n.plain[name] }

// Down is what has failed. A link is down when either end of it is in Ports.
type Down struct {
	Switches map[string]bool
	Ports    map[Place]bool
}

func (d Down) link(a, b Place) bool {
	return d.Ports[a] || d.Ports[b] || d.Switches[a.Switch] || d.Switches[b.Switch]
}

// Routes are the ways through what is left of a network.
type Routes struct {
	net  *Network
	down Down
	next map[string]map[string][]uint16 // [switch][switch]: all first ports of shortest ways
	pick func(from string, set []uint16, flow uint64) (uint16, bool)
}

// Routes finds the shortest ways, of those that go up and then down if there are levels.
// What cannot be reached has none: that is no error.
func (n *Network) Routes(down Down) *Routes {
	r := &Routes{n, down, map[string]map[string][]uint16{}, Pick}
	for _, s := range n.switches {
		r.next[s] = map[string][]uint16{}
	}
	for _, to := range n.switches {
		if !down.Switches[to] {
			r.find(to)
		}
	}
	return r
}

// live are the neighbours over links that are not down.
func (r *Routes) live(s string, each func(nb neighbour)) {
	for _, nb := range r.net.links[s] {
		at := Place{s, nb.port}
		if !r.down.link(at, r.net.joined[at]) {
			each(nb)
		}
	}
}

// find is a search from the destination outwards. With levels, first come the switches above
// it, which go down to it; then, from the top, all others, which go up.
func (r *Routes) find(to string) {
	dist := map[string]int{to: 0}
	for queue := []string{to}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		r.live(at, func(nb neighbour) {
			if _, seen := dist[nb.name]; !seen && (r.net.levels == nil || r.net.levels[nb.name] > r.net.levels[at]) {
				dist[nb.name] = dist[at] + 1
				queue = append(queue, nb.name)
			}
		})
	}
	goesDown := map[string]bool{}
	for s := range dist {
		goesDown[s] = true
	}
	if r.net.levels != nil {
		fromTop := slices.Clone(r.net.switches)
		slices.SortStableFunc(fromTop, func(a, b string) int { return r.net.levels[b] - r.net.levels[a] })
		for _, s := range fromTop {
			if goesDown[s] || r.down.Switches[s] {
				continue
			}
			r.live(s, func(nb neighbour) {
				if d, ok := dist[nb.name]; ok && r.net.levels[nb.name] > r.net.levels[s] {
					if old, has := dist[s]; !has || d+1 < old {
						dist[s] = d + 1
					}
				}
			})
		}
	}
	for s, d := range dist {
		r.live(s, func(nb neighbour) {
			if other, ok := dist[nb.name]; !ok || other != d-1 {
				return
			}
			if r.net.levels != nil && goesDown[s] != (r.net.levels[nb.name] < r.net.levels[s]) {
				return
			}
			r.next[s][to] = append(r.next[s][to], nb.port)
		})
		slices.Sort(r.next[s][to])
	}
}

// NextHops is the set of ports of a switch by which a switch or a host is reached on a
// shortest way, in order: several where ways cost the same (ECMP). It is empty for the switch
// itself, for what cannot be reached, and for unknown names.
func (r *Routes) NextHops(from, to string) []uint16 {
	if p, isHost := r.net.at[to]; isHost {
		if p.Switch == from {
			if r.down.Ports[p] || r.down.Switches[from] {
				return nil
			}
			return []uint16{p.Port}
		}
		if r.down.Ports[p] {
			return nil
		}
		to = p.Switch
	}
	return r.next[from][to]
}

// Pick chooses one port of a set for a flow: a flow stays on one way. The choice is by
// rendezvous: each port has a rank for the flow, and the first of the set is taken. So when
// others of the set fail nothing changes, and of two sets that share the port that one has
// picked, the other picks no port that the first has: ways of a flow that part never meet
// again (the proof is with Tree).
func Pick(from string, set []uint16, flow uint64) (port uint16, ok bool) {
	var best uint64
	for _, p := range set {
		if rank := rank(Place{from, p}, flow); !ok || rank < best || rank == best && p < port {
			port, best, ok = p, rank, true
		}
	}
	return port, ok
}

// Deal deals flows 0 to n - 1 out over the ports of a set: flow i takes the port at i. No port has more than its share, rounded up.
// Of the ports that have room a flow takes the one that ranks first for it, as Pick does, so switches deal differently from each
// other, and few flows of other ports change when one fails (rendezvous hashing with bounded loads). It is nil for an empty set.
func Deal(from string, set []uint16, n int) []uint16 {
	if len(set) == 0 {
		return nil
	}
	share := (n + len(set) - 1) / len(set)
	taken := map[uint16]int{}
	out := make([]uint16, n)
	for flow := range out {
		room := slices.DeleteFunc(slices.Clone(set), func(p uint16) bool { return taken[p] == share })
		out[flow], _ = Pick(from, room, uint64(flow))
		taken[out[flow]]++
	}
	return out
}

func rank(at Place, flow uint64) uint64 {
	h := fnv.New64a()
	h.Write([]byte(at.Switch))
	v := h.Sum64() ^ uint64(at.Port)*0x9e3779b97f4a7c15 ^ flow*0xbf58476d1ce4e5b9
	for range 2 { // the finalizer of splitmix64: FNV alone mixes upwards only
		v ^= v >> 30
		v *= 0xbf58476d1ce4e5b9
		v ^= v >> 27
		v *= 0x94d049bb133111eb
		v ^= v >> 31
	}
	return v
}

// Flow is a flow's number from its name, for instance the destination of unicast.
func Flow(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// Port is the port that unicast to a switch or a host takes. With levels, hosts are dealt out:
// a switch of level 0 by the last digit of a host's number, the next by the one before it, in the
// base of how many ports there are. So in a fat tree the hosts of a pod share no way down to them,
// where a choice by lot has two of them meet on a link that others leave idle.
func (r *Routes) Port(from, to string) (port uint16, ok bool) {
	set := r.NextHops(from, to)
	number, isHost := r.net.number[to]
	if level := r.net.levels[from]; isHost && r.net.levels != nil && len(set) > 1 {
		for range level {
			number /= len(set)
		}
		return set[number%len(set)], true
	}
	return r.pick(from, set, Flow(to))
}

// PortGroups groups the ports of a switch. Ports that are in one set together are one port group,
// since what comes from behind a set may come in by any port of it. The port groups are as in
// the network with nothing down, so that a failure changes none. A port group has at least two
// ports.
func (n *Network) PortGroups(name string) (out [][]uint16) {
	r := n.Routes(Down{})
	group := map[uint16]uint16{} // by port, the first of its group
	for _, to := range n.switches {
		set := r.next[name][to]
		for _, p := range set {
			for _, q := range set {
				a, b := p, q
				if c, ok := group[p]; ok {
					a = c
				}
				if c, ok := group[q]; ok {
					b = c
				}
				for x, c := range group {
					if c == max(a, b) {
						group[x] = min(a, b)
					}
				}
				group[p], group[q] = min(a, b), min(a, b)
			}
		}
	}
	members := map[uint16][]uint16{}
	for p, c := range group {
		members[c] = append(members[c], p)
	}
	for _, ports := range members {
		if len(ports) > 1 {
			slices.Sort(ports)
			out = append(out, ports)
		}
	}
	slices.SortFunc(out, func(a, b []uint16) int { return int(a[0]) - int(b[0]) })
	return out
}

var errNoReceivers = errors.New("topology: a tree without receivers")
