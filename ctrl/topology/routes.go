package topology

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"sync"
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
	level := make([]int, len(n.switches))
	for i, s := range n.switches {
		level[i] = levels[s]
		for _, nb := range n.links[i] {
			far := n.switches[nb.to]
			if d := levels[s] - levels[far]; d != 1 && d != -1 {
				what := "a link must join adjacent levels"
				if d == 0 {
					what = "up-down routing allows no loops"
				}
				return fmt.Errorf("topology: link %v - %v joins level %d and level %d: %s", Place{s, nb.port}, Place{far, nb.far}, levels[s], levels[far], what)
			}
		}
	}
	n.setLevels(levels, level)
	some := map[string]Host{} // one of each switch: its hosts are reached the same way
	for _, h := range n.hosts {
		if _, ok := some[h.At.Switch]; !ok {
			some[h.At.Switch] = h
		}
	}
	for _, a := range n.hosts {
		if some[a.At.Switch] != a {
			continue
		}
		for _, b := range n.hosts {
			if some[b.At.Switch] == b && a != b && len(n.whole().NextHops(a.At.Switch, b.Name)) == 0 {
				n.setLevels(nil, nil)
				return fmt.Errorf("topology: host %s cannot be reached from %s by going up and then down", b.Name, a.Name)
			}
		}
	}
	return nil
}

func (n *Network) setLevels(levels map[string]int, level []int) {
	n.levels, n.level = levels, level
	n.whole = sync.OnceValue(func() *Routes { return n.Routes(Down{}) })
}

// DropLevels has any shortest way do: for packets between switches, which may be at one level.
func (n *Network) DropLevels() { n.setLevels(nil, nil) }

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
	next [][][]uint16 // [switch][switch]: all first ports of shortest ways, in order
	pick func(from string, set []uint16, flow uint64) (uint16, bool)
}

// Routes finds the shortest ways, of those that go up and then down if there are levels.
// What cannot be reached has none: that is no error. It searches from each switch: this takes 6 ms for 320 switches, and
// 60 ms for 720 (BenchmarkFatTree).
func (n *Network) Routes(down Down) *Routes {
	size := len(n.switches)
	r := &Routes{net: n, down: down, next: make([][][]uint16, size), pick: Pick}
	for i := range r.next {
		r.next[i] = make([][]uint16, size)
	}
	f := finder{r: r, live: make([][]neighbour, size), dist: make([]int, size), goesDown: make([]bool, size), queue: make([]int, 0, size)}
	for i, s := range n.switches {
		for _, nb := range n.links[i] {
			if !down.link(Place{s, nb.port}, Place{n.switches[nb.to], nb.far}) {
				f.live[i] = append(f.live[i], nb)
			}
		}
		if n.levels != nil && !down.Switches[s] {
			f.fromTop = append(f.fromTop, i)
		}
	}
	slices.SortStableFunc(f.fromTop, func(a, b int) int { return n.level[b] - n.level[a] })
	for to, name := range n.switches {
		if !down.Switches[name] {
			f.find(to)
		}
	}
	return r
}

// finder finds the ways to one switch after the other. Switches are numbers.
type finder struct {
	r        *Routes
	live     [][]neighbour // links that are not down
	fromTop  []int         // the switches by level; without levels none
	dist     []int         // links to the destination; -1: there is no way
	goesDown []bool        // the way begins with a link down
	queue    []int
}

// find is a search from the destination outwards. With levels, first come the switches above
// it, which go down to it; then, from the top, all others, which go up.
func (f *finder) find(to int) {
	n := f.r.net
	for i := range f.dist {
		f.dist[i], f.goesDown[i] = -1, false
	}
	f.dist[to], f.goesDown[to] = 0, true
	f.queue = append(f.queue[:0], to)
	for i := 0; i < len(f.queue); i++ {
		at := f.queue[i]
		for _, nb := range f.live[at] {
			if f.dist[nb.to] < 0 && (n.levels == nil || n.level[nb.to] > n.level[at]) {
				f.dist[nb.to], f.goesDown[nb.to] = f.dist[at]+1, true
				f.queue = append(f.queue, nb.to)
			}
		}
	}
	for _, s := range f.fromTop {
		if f.goesDown[s] {
			continue
		}
		for _, nb := range f.live[s] {
			if d := f.dist[nb.to]; d >= 0 && n.level[nb.to] > n.level[s] && (f.dist[s] < 0 || d+1 < f.dist[s]) {
				f.dist[s] = d + 1
			}
		}
	}
	for s, d := range f.dist {
		if d < 0 {
			continue
		}
		var set []uint16
		for _, nb := range f.live[s] {
			if f.dist[nb.to] < 0 || f.dist[nb.to] != d-1 || n.levels != nil && f.goesDown[s] != (n.level[nb.to] < n.level[s]) {
				continue
			}
			set = append(set, nb.port)
		}
		slices.Sort(set)
		f.r.next[s][to] = set
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
	a, known := r.net.index[from]
	b, ok := r.net.index[to]
	if !known || !ok {
		return nil
	}
	return r.next[a][b]
}

// SameFrom reports whether a switch reaches everybody by the same next hops as through what was left of the network by other
// routes (nil: there are none). It costs much less than to ask for each host. It may be false where all are the same.
func (r *Routes) SameFrom(o *Routes, from string) bool {
	at, known := r.net.index[from]
	return known && o != nil && o.net == r.net && r.down.Switches[from] == o.down.Switches[from] &&
		slices.EqualFunc(r.next[at], o.next[at], slices.Equal[[]uint16]) && r.noHostLost(o) && o.noHostLost(r)
}

// noHostLost reports whether no port of a host is down that others have up.
func (r *Routes) noHostLost(o *Routes) bool {
	for p, down := range r.down.Ports {
		if _, isLink := r.net.joined[p]; down && !isLink && !o.down.Ports[p] {
			return false
		}
	}
	return true
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
	at, ok := n.index[name]
	if !ok {
		return nil
	}
	above := map[uint16]uint16{} // by port, a lower one of its group; the lowest has itself
	lowest := func(p uint16) uint16 {
		for above[p] != p {
			p = above[p]
		}
		return p
	}
	for _, set := range n.whole().next[at] {
		for _, p := range set {
			if _, ok := above[p]; !ok {
				above[p] = p
			}
			a, b := lowest(set[0]), lowest(p)
			above[max(a, b)] = min(a, b)
		}
	}
	members := map[uint16][]uint16{}
	for p := range above {
		members[lowest(p)] = append(members[lowest(p)], p)
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
