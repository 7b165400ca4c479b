package links

import (
	"cmp"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/roce/wire"
)

// Probe is how often an end is probed, and Hold how long it may hear nothing: the defaults of whoever drives Ends.
const (
	Probe = 200 * time.Millisecond
	Hold  = 5 * Probe
)

// Map is which ports of a network are down, and the routes through what is left.
type Map struct {
	net    *topology.Network
	down   map[topology.Place]bool
	routes *topology.Routes
}

// NewMap is a network in which everything works.
func NewMap(net *topology.Network) *Map {
	return &Map{net, map[topology.Place]bool{}, net.Routes(topology.Down{})}
}

// Set says whether a port works. When that is news, there are new routes.
func (m *Map) Set(p topology.Place, up bool) (news bool) {
	if m.down[p] == !up {
		return false
	}
	if up {
		delete(m.down, p)
	} else {
		m.down[p] = true
	}
	m.routes = m.net.Routes(topology.Down{Ports: maps.Clone(m.down)})
	return true
}

// Routes are those that there are now. They do not change.
func (m *Map) Routes() *topology.Routes { return m.routes }

// Down are the ports that do not work, in order.
func (m *Map) Down() []topology.Place {
	return slices.SortedFunc(maps.Keys(m.down), func(a, b topology.Place) int {
		return cmp.Or(cmp.Compare(a.Switch, b.Switch), cmp.Compare(a.Port, b.Port))
	})
}

// Island is the first of the switches that paths lead to from one, or it itself: those with the same one reach each other.
func (m *Map) Island(name string) string {
	for _, s := range m.net.Switches() {
		if s == name || len(m.routes.NextHops(name, s)) > 0 {
			return s
		}
	}
	return name
}

// Works reports whether no end of the link of a port is down.
func (m *Map) Works(p topology.Place) bool {
	far, linked := m.net.Peer(p)
	return linked && !m.down[p] && !m.down[far]
}

// Config is what an End needs.
type Config struct {
	Net    *topology.Network
	Switch string
	MAC    wire.MAC
	Hold   time.Duration
	// Send sends a frame out of a port of the switch.
	Send func(port uint16, frame []byte)
	// Set says whether a port works, and returns whether that is news (Map.Set).
	Set func(p topology.Place, up bool) (news bool)
	// Seen reports whether a switch has been in the controller's hands.
	Seen func(name string) bool
	// Ask has the end of another switch say at once that it is there (Say).
	Ask func(p topology.Place)
	Log func(level slog.Level, text string, args ...any)
}

// End is the ports of one switch that lead to others.
type End struct {
	c       Config
	ports   []uint16
	heard   map[uint16]time.Duration // by port, since the first probe
	dead    map[uint16]bool          // that do not work, as the switch says
	wrong   map[uint16]bool          // that are not wired as the topology says
	foreign uint64
}

// NewEnd is that of a switch of which nothing is known yet.
func NewEnd(c Config) *End {
	return &End{c: c, ports: c.Net.LinkPorts(c.Switch), heard: map[uint16]time.Duration{}, dead: map[uint16]bool{}, wrong: map[uint16]bool{}}
}

// Foreign is how many probes have come in where none was to be expected. They do not count.
func (e *End) Foreign() uint64 { return e.foreign }

// Unheard is called instead of Probe while the switch is not in the controller's hands: what is heard is not heeded.
func (e *End) Unheard() { clear(e.heard) }

// Probe sends a probe by each link, and looks which have been silent. A link is not looked at before the switch behind it
// has been there.
func (e *End) Probe(now time.Duration) {
	for _, port := range e.ports {
		at := topology.Place{Switch: e.c.Switch, Port: port}
		e.Say(port)
		far, _ := e.c.Net.Peer(at)
		switch last, ever := e.heard[port]; {
		case !ever && e.c.Seen(far.Switch):
			e.heard[port] = now // from now on there should be some
		case ever && now-last > e.c.Hold && e.c.Set(at, false):
			e.c.Log(slog.LevelWarn, "link is down", "port", at)
		}
	}
}

// Say sends a probe.
func (e *End) Say(port uint16) {
	e.c.Send(port, LLDP(e.c.MAC, topology.Place{Switch: e.c.Switch, Port: port}))
}

// Ports heeds what the switch says of its ports: a link whose end does not work is down at once. One that works again is up
// when a probe has come over it; both ends send one at once. An empty list says that nothing is known any more.
func (e *End) Ports(up map[uint32]bool) {
	if len(up) == 0 {
		clear(e.dead)
	}
	for _, port := range e.ports {
		works, known := up[uint32(port)]
		at := topology.Place{Switch: e.c.Switch, Port: port}
		switch {
		case !known:
		case works:
			if e.dead[port] {
				delete(e.dead, port)
				e.Say(port)
				if far, _ := e.c.Net.Peer(at); e.c.Net.Plain(far.Switch) { // it sends no probes
					e.c.Set(at, true)
				} else {
					e.c.Ask(far)
				}
			}
		default:
			e.dead[port] = true
			if e.c.Set(at, false) {
				e.c.Log(slog.LevelWarn, "link is down: its port is down", "port", at)
			}
		}
	}
}

// Packet takes a packet that has come in by a port, to nobody known. It returns false when it is no probe.
func (e *End) Packet(now time.Duration, port uint16, frame []byte) bool {
	from, ok := ParseLLDP(frame)
	if !ok {
		return false
	}
	at := topology.Place{Switch: e.c.Switch, Port: port}
	// Nobody speaks for another port, or for a switch that sends no probes: a port's state depends on what comes in there.
	if want, linked := e.c.Net.Peer(at); !linked || from != want || e.c.Net.Plain(want.Switch) {
		e.foreign++
		if !e.wrong[port] {
			e.wrong[port] = true
			e.c.Log(slog.LevelError, "a link is not wired as the topology says", "port", at, "wired_to", from)
		}
		return true
	}
	e.heard[port] = now
	if e.dead[port] {
		return true // it came before
	}
	if e.c.Set(at, true) {
		e.c.Log(slog.LevelInfo, "link is up again", "port", at)
	}
	return true
}
