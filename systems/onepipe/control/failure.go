package control

import (
	"cmp"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/p4ce/p4ce/ctrl/topology"
	names "github.com/p4ce/p4ce/p4/onepipe"
	"github.com/p4ce/p4ce/systems/onepipe/private"
)

// How failures are handled:
//
//	a barrier stands still --> fence: nothing of the link passes or counts, but for the commit barrier
//	   --> its commit register is read: when those behind it have failed
//	   --> is there another way? then the link is let go, and packets take the other way
//	   --> no: the time is recorded, all other hosts are told, and forget, take back, and answer
//	   --> all have answered: the link is let go, and the commit barrier goes on without it
//
// The commit register is read after the fence: otherwise a late packet could raise what is read. Each step can be done
// again: a controller that starts in the middle finds fenced links in the switches, and the times in its journal.

// procedure is one that is under way: processes have failed, and others are told.
type procedure struct {
	number uint32
	failed []*host
	asked  map[*host]bool // that have not answered
	broken int            // links that had failed when packets were given another way last
	repeat time.Duration
	until  time.Duration // who has not answered by then has failed, too
}

// watch looks whether the barriers of a switch's inputs move.
func (c *Core) watch(s *swtch) {
	if c.conf.Silence < 0 {
		return
	}
	for _, l := range s.inputs {
		if l.state < joining {
			continue
		}
		var now [2]uint32
		for i := range kinds {
			now[i] = uint32(s.values[kinds[i].links[l.place%radix]][l.place/radix])
		}
		// While a switch waits for somebody, its links are not silent: what it says next is still on its way to the others when it
		// has just gone on.
		if now[0] != l.said[0] || l.moved == 0 || !c.isDead(s, l, now[0]) {
			l.said, l.moved = now, c.now
		}
		switch {
		case c.now-l.moved <= c.conf.Silence:
		case l.state == joining:
			c.giveUp(s, l)
		default:
			c.fence(s, l, "its barrier stands still")
		}
	}
}

// giveUp forgets a host that joins, and says nothing: all others wait for every link that joins. A switch may say nothing
// for as long as nobody joins below it.
func (c *Core) giveUp(s *swtch, l *link) {
	h := c.hosts[l.host]
	if h == nil {
		return
	}
	c.note(slog.LevelWarn, "host does not join", "host", h.name, "why", "no barrier comes from it")
	h.token, h.admitted, h.have = 0, false, 0
	c.record(h)
	l.state, l.ready = off, false
	c.write(s, nil, after{what: ready, link: l})
}

// isDead reports whether a silent input is silent by itself, and not because what is behind it waits for somebody.
func (c *Core) isDead(s *swtch, l *link, held uint32) bool {
	if l.host != "" {
		return true
	}
	from := c.switches[l.target]
	// A switch that waits for nobody says nothing of its own: of those above nobody who is below them waits.
	waits := func(in *link) bool { return in.state >= counting && (l.above || !in.above) }
	if !slices.ContainsFunc(from.inputs, waits) {
		return true
	}
	peer, ok := c.conf.Net.Peer(topology.Place{Switch: s.name, Port: l.port})
	if !from.up || !ok || from.promised == nil {
		return !from.up
	}
	// It has said more than has come, and goes on saying more: the last word of one that waits may be lost, and is not said again.
	return int32(uint32(from.promised[peer.Port])-held) > 0 && c.now-from.rose[peer.Port] <= c.conf.Silence/2
}

// fence lets nothing of a link pass any more.
func (c *Core) fence(s *swtch, l *link, why string) {
	level := slog.LevelWarn
	if h := c.hosts[l.host]; h != nil && h.leaves {
		level = slog.LevelInfo
	}
	c.note(level, "link ends", "switch", s.name, "port", l.port, "from", cmp.Or(l.host, l.target), "why", why)
	l.state, l.ready = off, false
	l.failed, l.held, l.known = true, true, false
	if h := c.hosts[l.host]; h != nil {
		if p := c.procedure; p != nil {
			delete(p.asked, h)
		}
	}
	c.write(s, nil, after{what: fenced, link: l})
}

const whyAnew = "the switch behind it has begun anew"

// distrust takes out the links from a switch that has begun anew. Others have acted upon what it had promised, and it
// does not know that any more: it must promise nothing before the links at both ends have joined again.
func (c *Core) distrust(s *swtch) {
	if !slices.ContainsFunc(s.inputs, func(l *link) bool { return l.held && (s.fresh || l.known && l.blank) }) {
		return
	}
	for _, n := range c.conf.Net.Neighbours(s.name) {
		for _, o := range c.switches[n].inputs {
			switch {
			case o.target != s.name:
			case o.state >= counting:
				c.fence(c.switches[n], o, whyAnew)
			case o.state == joining: // what it has heard is of before
				o.state, o.ready = off, false
				c.write(c.switches[n], nil, after{what: ready, link: o})
			}
		}
	}
}

func (c *Core) readSoon(s *swtch) { s.readAt = min(s.readAt, c.now) }

// learn notes when those behind fenced links have failed.
func (c *Core) learn(s *swtch) {
	for _, l := range s.inputs {
		if l.held && l.ready && !l.known {
			bits := uint32(s.values[kinds[1].links[l.place%radix]][l.place/radix])
			near := c.conf.Clock(c.now) >> names.BarrierShift
			l.at = (near + uint64(int64(int32(bits-uint32(near))))) << names.BarrierShift
			// What counts is not far below what is promised: see initial.
			l.known, l.blank = true, int32(bits+behind/2-s.floor(&kinds[1], l)) < 0
			s.anew = s.anew || l.blank
		}
	}
}

// determine finds out who has failed, when the times of all fenced links are known. Hosts that have failed while others are
// told of earlier ones are told of as well: who is to answer may be waiting for what they will never say.
func (c *Core) determine() {
	for _, s := range c.order {
		c.distrust(s)
	}
	c.muffle()
	if c.awaited() {
		return
	}
	held := false
	for _, s := range c.order {
		for _, l := range s.inputs {
			if l.held && !l.known && s.up {
				return
			}
			held = held || l.held
		}
	}
	if !held {
		return
	}
	down := c.broken()
	lost := c.cutOff(down, (*host).known)
	if p := c.procedure; p != nil {
		lost = slices.DeleteFunc(lost, func(h *host) bool { return slices.Contains(p.failed, h) })
	}
	if c.enclose(lost) {
		return // the times of more links are to be known
	}
	for _, h := range lost {
		if h.failedAt != 0 {
			continue // others may know this time already
		}
		h.ended, h.counts = 0, nil // of the run before
		h.failedAt = cmp.Or(timeOf(c.lastHeard(h)), h.link.at, c.conf.Clock(c.now)-uint64(time.Second))
		if !c.record(h) {
			h.failedAt = 0
			return
		}
		c.lower(h)
	}
	switch {
	case len(lost) > 0:
		c.announce(lost)
	case c.procedure == nil:
		c.note(slog.LevelInfo, "packets take another way")
		c.release()
	case len(down.Ports) > c.procedure.broken: // the commit barrier still waits, for the answers
		c.note(slog.LevelInfo, "packets take another way")
		c.procedure.broken = len(down.Ports)
		c.rewrite()
	}
}

// awaited reports whether a neighbour of a switch that has begun anew may come into our hands for the first time. Until it does,
// nothing is known of what is behind it: the switch does not hear it because it has begun anew.
func (c *Core) awaited() bool {
	if c.now-c.began >= c.conf.Patience {
		return false
	}
	for _, s := range c.order {
		if s.anew && slices.ContainsFunc(c.conf.Net.Neighbours(s.name), func(n string) bool { return !c.switches[n].seen }) {
			return true
		}
	}
	return false
}

// broken are the links between switches that have failed.
func (c *Core) broken() topology.Down {
	down := topology.Down{Ports: map[topology.Place]bool{}}
	for _, s := range c.order {
		for _, l := range s.inputs {
			if l.failed && l.host == "" {
				down.Ports[topology.Place{Switch: s.name, Port: l.port}] = true
			}
		}
	}
	return down
}

// ways are the routes around links that have failed.
type ways struct {
	down   topology.Down
	routes *topology.Routes
}

// routes are those around the links that have failed by now. They are computed when these are others than before.
func (c *Core) routes() *topology.Routes {
	if down := c.broken(); c.ways == nil || !maps.Equal(down.Ports, c.ways.down.Ports) {
		c.ways = &ways{down, c.conf.Net.Routes(down)}
	}
	return c.ways.routes
}

// known reports whether others may know of a host. It waits to be admitted otherwise: it has joined a part of the network that
// does not reach them.
func (h *host) known() bool { return h.admitted || h.token == h.kept }

// cutOff are the hosts that have joined and have failed, and those of the ones that count that cannot reach the others: all but
// those of the largest part.
func (c *Core) cutOff(down topology.Down, counts func(*host) bool) (lost []*host) {
	routes := c.conf.Net.Routes(down)
	var in []*host
	for _, x := range c.conf.Net.Hosts() {
		h := c.hosts[x.Name]
		switch {
		case h.token == 0:
		case h.link.failed || !h.at.up && c.unreachable(h.at):
			lost = append(lost, h)
		case counts(h):
			in = append(in, h)
		}
	}
	var best []*host
	for _, h := range in {
		var part []*host
		for _, o := range in {
			if reach(routes, h, o) {
				part = append(part, o)
			}
		}
		if len(part) > len(best) {
			best = part
		}
	}
	for _, h := range in {
		if !slices.Contains(best, h) {
			lost = append(lost, h)
		}
	}
	return lost
}

// reach reports whether there is a way between two hosts, in both directions.
func reach(routes *topology.Routes, a, b *host) bool {
	if a.at == b.at {
		return true
	}
	_, there := routes.Port(a.at.name, b.name)
	_, back := routes.Port(b.at.name, a.name)
	return there && back
}

// apart reports whether a host that joins does not reach all that are admitted, by links that have not failed; if nobody is,
// whether it is not of the largest part.
func (c *Core) apart(h *host) bool {
	down := c.broken()
	if len(down.Ports) == 0 {
		return false
	}
	routes, some := c.conf.Net.Routes(down), false
	for _, x := range c.conf.Net.Hosts() {
		if o := c.hosts[x.Name]; o.admitted {
			if some = true; !reach(routes, h, o) {
				return true
			}
		}
	}
	return !some && slices.Contains(c.cutOff(down, func(*host) bool { return true }), h)
}

// unreachable reports whether no neighbour hears a switch any more.
func (c *Core) unreachable(s *swtch) bool {
	for _, n := range c.conf.Net.Neighbours(s.name) {
		for _, l := range c.switches[n].inputs {
			if l.target == s.name && !l.failed {
				return false
			}
		}
	}
	return true
}

// lastHeard are the links by which others have heard of a host last, as far as their switches are in our hands: its own one; if
// its switch is gone, those from there, and from others that are gone and by way of which something could come. A switch that
// has begun anew does not know what it had heard: those behind links from there do. What links in other directions have heard
// is not of the host.
func (c *Core) lastHeard(h *host) (list []*link) {
	heard := func(l *link) bool { return (l.failed || l.state >= counting) && !l.blank }
	if h.at.up && heard(h.link) {
		list = append(list, h.link)
	}
	knows := func(s *swtch) bool {
		return s.up && !slices.ContainsFunc(s.inputs, func(l *link) bool { return l.held && l.blank })
	}
	here := knows(h.at)
	gone := []*swtch{h.at}
	for i := 0; i < len(gone); i++ {
		for _, n := range c.conf.Net.Neighbours(gone[i].name) {
			s := c.switches[n]
			if !knows(s) {
				if !here && !slices.Contains(gone, s) {
					gone = append(gone, s)
				}
				continue
			}
			for _, l := range s.inputs {
				if l.target == gone[i].name && heard(l) && (!here || l.failed) {
					list = append(list, l)
				}
			}
		}
	}
	return list
}

// enclose fences all links by which something of hosts that have failed may still come, and reports whether one was not
// fenced before.
func (c *Core) enclose(lost []*host) (some bool) {
	for _, h := range lost {
		for _, s := range c.order {
			for _, l := range s.inputs {
				if h.failedAt == 0 && l.state >= counting && slices.Contains(c.lastHeard(h), l) {
					c.fence(s, l, "hosts behind it have no way to the others")
					some = true
				}
			}
		}
	}
	return some
}

// timeOf is when those have failed who were heard by these links: what has been heard of their commit barrier. Of several,
// the highest is right: it was true, and somebody may have acted upon it. 0: nobody knows, and nobody
// who is there has acted upon anything.
func timeOf(links []*link) (at uint64) {
	for _, l := range links {
		at = max(at, l.at)
	}
	return at
}

// announce tells all others of processes that have failed, and again of those of which they are being told.
func (c *Core) announce(lost []*host) {
	all := lost
	if c.procedure != nil {
		all = slices.Concat(c.procedure.failed, lost)
	}
	c.number++
	p := &procedure{number: c.number, failed: all, asked: map[*host]bool{}, until: c.now + c.conf.Patience, broken: len(c.broken().Ports)}
	for _, x := range c.conf.Net.Hosts() {
		h := c.hosts[x.Name]
		// A controller that has begun anew does not know whom the one before has admitted.
		may := h.admitted || h.link.state == open || !h.at.up
		if h.token != 0 && may && !slices.Contains(all, h) {
			p.asked[h] = true
		}
	}
	for _, h := range lost {
		level, text := slog.LevelWarn, "host has failed"
		if h.leaves {
			level, text = slog.LevelInfo, "host has left"
		}
		c.note(level, text, "host", h.name, "at", h.failedAt)
		h.admitted = false
		if l := h.link; l.state != off { // its own link has not failed: it must not go on without the others
			l.state, l.ready = off, false
			c.write(h.at, nil, after{what: ready, link: l})
		}
	}
	c.procedure = p
	c.tell()
}

// over reports whether the commit barrier may go on: all have answered, and who has failed gets no barriers any more. That
// is also so of those who were fenced meanwhile, of whom others will be told next. A switch that is not in our hands waits for
// its inputs, which are silent: nobody sends it barriers.
func (c *Core) over() bool {
	p := c.procedure
	if len(p.asked) > 0 || slices.ContainsFunc(p.failed, func(h *host) bool { return h.at.up && !h.link.ready }) {
		return false
	}
	for _, s := range c.order {
		for _, l := range s.inputs {
			if h := c.hosts[l.host]; l.held && !l.known && (s.up || h != nil && !slices.Contains(p.failed, h)) {
				return false
			}
			if s.up && l.failed && l.target != "" && !c.switches[l.target].up && !(l.state == off && l.mute && len(s.writing) == 0) {
				return false
			}
		}
	}
	return true
}

// tell tells those who have not answered.
func (c *Core) tell() {
	p := c.procedure
	if p == nil {
		return
	}
	if c.over() {
		c.resume()
		return
	}
	p.repeat = c.now + 10*c.conf.Poll
	m := private.Message{Kind: private.Failures, Number: p.number}
	for _, h := range p.failed {
		m.Failed = append(m.Failed, private.Failed{Addr: h.addr.IP, First: h.first, Have: h.have, Time: h.failedAt & (1<<48 - 1)})
	}
	for _, x := range c.conf.Net.Hosts() {
		if h := c.hosts[x.Name]; p.asked[h] {
			own := m
			own.Token = h.token
			c.out = append(c.out, Send{h.at.name, h.link.port, c.frame(h, &own)})
		}
	}
}

// done takes the answer of a host.
func (c *Core) done(h *host, m *private.Message) {
	if p := c.procedure; p != nil && p.number == m.Number && p.asked[h] {
		if !c.counted(h, m.Failed) {
			return // it cannot be recorded
		}
		delete(p.asked, h)
		if c.over() {
			c.resume()
		}
	}
}

// late has those fail who do not answer.
func (c *Core) late() {
	p := c.procedure
	for _, x := range c.conf.Net.Hosts() {
		if h := c.hosts[x.Name]; p.asked[h] {
			delete(p.asked, h)
			c.fence(h.at, h.link, "it does not answer")
		}
	}
	p.until = Never
	c.determine() // those whose switches are not in our hands; of the others the time is read first
	c.tell()
}

// resume ends a procedure: the commit barrier goes on without those who have failed.
func (c *Core) resume() {
	for _, h := range c.procedure.failed {
		for _, o := range c.procedure.failed {
			h.counts = lowered(h.counts, Count{o.name, o.first, o.have, o.failedAt}, true)
		}
	}
	for _, h := range c.procedure.failed {
		h.ended, h.token, h.failedAt, h.have, h.asks = h.token, 0, 0, 0, true
		if h.leaves {
			h.counts = nil // it has ended, and does not come back
		}
		c.record(h)
		c.expelled(h, h.ended)
		h.link.failed = false // it may join again, as another one
	}
	c.note(slog.LevelInfo, "the order goes on", "without", len(c.procedure.failed))
	c.procedure = nil
	c.release()
	c.settle()
}

// release lets the commit barrier go on without the links that are known to have failed, and packets go another way.
func (c *Core) release() {
	for _, s := range c.order {
		for _, l := range s.inputs {
			l.held = l.held && !l.known
		}
	}
	c.rewrite()
}

// rewrite gives all switches what they shall have.
func (c *Core) rewrite() {
	for _, s := range c.order {
		if s.up && !s.fresh {
			c.write(s, nil, after{})
		}
	}
}
