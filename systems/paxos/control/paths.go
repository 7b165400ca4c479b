package control

import (
	"log/slog"
	"time"

	"github.com/p4ce/p4ce/ctrl/links"
	"github.com/p4ce/p4ce/ctrl/topology"
)

// Which paths messages take: shortest ones over the links that work. Switches that no working link joins are on islands of
// their own; an application uses those of one.

// linkGroup is the port group of all ports to other switches (p4/lib/ports.p4), above all port numbers. What switches let through
// there has been looked at where it came in: nobody's address is believed at the port of another host (sources). So a path may change,
// and by which of these ports a message comes in does not matter.
const linkGroup = uint16(topology.MaxPort + 2)

// newEnd is what is known of a switch's links.
func (c *Core) newEnd(name string) *links.End {
	return links.NewEnd(links.Config{
		Net: c.conf.Net, Switch: name, MAC: c.conf.Switches[name].MAC, Hold: c.conf.Timing.Hold, Set: c.setPort,
		Send: func(port uint16, frame []byte) {
			if c.switches[name].up {
				c.out = append(c.out, Send{name, port, frame})
			}
		},
		Seen: func(other string) bool { return c.switches[other].seen },
		Ask:  func(p topology.Place) { c.switches[p.Switch].links.Say(p.Port) },
		Log:  func(level slog.Level, text string, args ...any) { c.note(level, nil, text, args...) },
	})
}

// Ports takes what a switch says of its ports, by number; nil: nothing is known of any.
func (c *Core) Ports(now time.Duration, name string, up map[uint32]bool) {
	c.now = now
	c.switches[name].links.Ports(up)
	c.advance()
}

// probe says by all links that they work, and looks which have been silent.
func (c *Core) probe() {
	if c.now < c.probeAt {
		return
	}
	if c.probeAt = c.now + c.conf.Timing.Hold/5; c.halted != nil {
		return
	}
	for _, name := range c.conf.Net.Switches() {
		if s := c.switches[name]; s.up {
			s.links.Probe(c.now)
		} else {
			s.links.Unheard()
		}
	}
}

// setPort says whether a port to another switch works. When that is news, all take other paths.
func (c *Core) setPort(p topology.Place, up bool) (news bool) {
	if !c.links.Set(p, up) {
		return false
	}
	c.pathsAt++
	if c.halted == nil {
		c.refreshAll()
	}
	return true
}

// port is the port of a switch that leads to another switch or to a host; ok is false for the switch itself, and for nobody. What has no
// path keeps the port of before any failure. Nothing gets there, and nothing circles: of switches without a path each is nearer than
// the last one, as things were.
func (c *Core) port(from, to string) (port uint16, ok bool) {
	if port, ok = c.links.Routes().Port(from, to); ok {
		return port, true
	}
	return c.conf.Net.Port(from, to)
}

// around is a port of a switch behind which what is for it comes back: the way of messages between roles on one switch that do not meet
// in it. It is the switch's own loop, or a link to another switch, which sends it back.
func (c *Core) around(name string) uint16 {
	if sw := c.conf.Switches[name]; sw.loops() {
		return sw.Loop[0]
	}
	if port, _, ok := c.beside(name); ok {
		return port
	}
	port, _ := c.port(name, c.conf.Net.Neighbours(name)[0]) // an acceptor's switch has one
	return port
}

// regarded is what regard depends on.
type regarded struct {
	paths  uint64
	active *Term
}

// regard notes which switches of an application are cut off from it: those that are not on the island with most of its acceptors.
func (c *Core) regard(a *app) {
	if now := (regarded{c.pathsAt, a.d.active}); a.regarded != now {
		a.regarded = now
	} else {
		return
	}
	var acceptors []string
	if a.d.active == nil {
		acceptors = a.conf.Acceptors
	} else {
		for _, m := range a.d.active.Members {
			acceptors = append(acceptors, m.Switch)
		}
	}
	on := map[string]int{}
	a.island = ""
	for _, name := range acceptors {
		island := c.links.Island(c.conf.at(name))
		if on[island]++; on[island] > on[a.island] {
			a.island = island
		}
	}
	for name := range a.parts {
		if _, was := a.cut[name]; c.links.Island(c.conf.at(name)) == a.island {
			delete(a.cut, name)
		} else if !was {
			a.cut[name] = c.now
		}
	}
}

// reaches reports whether a path leads from the application's acceptors to one of its switches.
func (a *app) reaches(name string) bool { _, cut := a.cut[name]; return !cut }

// gone reports whether a switch is missing, or cut off, for at least so long.
func (c *Core) gone(a *app, name string, since time.Duration) bool {
	at, cut := a.cut[name]
	return c.missing(name, since) || cut && c.now-at >= since
}

// beside is a port of a switch by which it has a neighbour that the controller reaches, and the other end of that link, which works.
func (c *Core) beside(name string) (port uint16, far topology.Place, ok bool) {
	name = c.conf.at(name)
	for _, port := range c.conf.Net.LinkPorts(name) {
		at := topology.Place{Switch: name, Port: port}
		if far, _ := c.conf.Net.Peer(at); c.links.Works(at) && c.switches[far.Switch].up {
			return port, far, true
		}
	}
	return 0, topology.Place{}, false
}
