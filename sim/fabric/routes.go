package fabric

import "github.com/p4ce/p4ce/roce/wire"

// place is where a MAC address is: at a port of a switch; port 0 is the switch itself.
type place struct {
	node int
	port uint16
}

// routes are the shortest ways between switches over links that are up. They are those of the
// whole network, computed at once: what a routing protocol would agree on after a while.
type routes struct {
	at    map[wire.MAC]place
	macs  map[wire.Addr]wire.MAC
	next  [][][]*Half // by switch, by switch of the destination
	delay Time        // from a change until it is known everywhere
	ready bool
	again bool // they are about to be computed again
}

// ways are the links of a switch on the shortest ways to another.
func (r *routes) ways(from, to int) []*Half { return r.next[from][to] }

// SetRouteDelay says how long it takes until the switches know of a link that has gone down or
// come up. A switch knows of its own links at once.
func (f *Fabric) SetRouteDelay(d Time) { f.routes.delay = d }

// changed notes that a link has gone down or come up.
func (r *routes) changed(f *Fabric) {
	if !r.ready || r.again {
		return
	}
	r.again = true
	f.At(f.Now()+r.delay, func() {
		r.again = false
		f.Route()
	})
}

// Route computes the ways. It is called once when the network is built; afterwards links that
// change lead to it.
func (f *Fabric) Route() {
	r := &f.routes
	r.ready = true
	r.at, r.macs = map[wire.MAC]place{}, map[wire.Addr]wire.MAC{}
	index := map[Node]int{}
	for i, s := range f.Switches {
		index[s] = i
		r.at[s.MAC()] = place{i, 0}
		r.macs[s.Addr()] = s.MAC()
	}
	for i, s := range f.Switches {
		for _, h := range s.Ports() {
			if h == nil {
				continue
			}
			if to, ok := h.To.(*Host); ok {
				r.at[to.mac] = place{i, h.Port}
				r.macs[to.addr] = to.mac
			}
		}
	}
	n := len(f.Switches)
	r.next = make([][][]*Half, n)
	for i := range r.next {
		r.next[i] = make([][]*Half, n)
	}
	distance := make([]int, n)
	queue := make([]int, 0, n)
	for to := range f.Switches {
		for i := range distance {
			distance[i] = -1
		}
		distance[to] = 0
		queue = append(queue[:0], to)
		for len(queue) > 0 {
			i := queue[0]
			queue = queue[1:]
			for _, h := range f.Switches[i].Ports() {
				if h == nil || h.Link.Down {
					continue
				}
				j, ok := index[h.To]
				if !ok {
					continue
				}
				if distance[j] < 0 {
					distance[j] = distance[i] + 1
					queue = append(queue, j)
				}
				if distance[j] == distance[i]+1 {
					r.next[j][to] = append(r.next[j][to], h.Reverse())
				}
			}
		}
	}
}
