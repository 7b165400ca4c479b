package control

import (
	"log/slog"
	"slices"
	"time"

	"github.com/p4ce/p4ce/ctrl/hosts"
	"github.com/p4ce/p4ce/ctrl/topology"
	names "github.com/p4ce/p4ce/p4/amcast"
	"github.com/p4ce/p4ce/systems/amcast/private"
)

// host is what is known of a host.
type host struct {
	HostRecord
	conf  *Host
	at    topology.Place
	gone  bool          // it is not configured any more
	heard time.Duration // when it said Hello last
	told  bool          // it is admitted, and its switches know
	// cut is a run that has ended, until all switches have cut it off: until then the others wait for it.
	cut bool
}

// admitted reports whether the host's run may send.
func (h *host) admitted() bool {
	return !h.gone && h.Token != 0 && !h.Failed && !h.Left
}

func (h *host) copy() *HostRecord {
	r := h.HostRecord
	r.Clients = slices.Clone(r.Clients)
	return &r
}

// nextClient is the lowest number that no client has had.
func (c *Core) nextClient() (next uint16) {
	for _, h := range c.hosts {
		if h.Token != 0 {
			next = max(next, h.Client+1)
		}
		for _, n := range h.Clients {
			next = max(next, n+1)
		}
	}
	return next
}

// PacketIn takes a packet that a switch sent up.
func (c *Core) PacketIn(now time.Duration, sw string, port uint16, reason names.Reason, frame []byte) {
	c.now = now
	s := c.switches[sw]
	defer c.answer(s)
	if reason == names.ReasonARP {
		s.arp.ARP(now, port, frame)
		return
	}
	from, to, m, ok := private.ParseFrame(frame)
	if reason == names.ReasonLocal && !ok {
		s.arp.Local(now, port, frame) // a ping
		return
	}
	h := c.byAddr[from]
	if reason != names.ReasonLocal || !ok || to != c.conf.Switches[sw].IP || h == nil || h.at != (topology.Place{Switch: sw, Port: port}) {
		c.stats.Foreign++
		return
	}
	if c.halted != nil {
		return
	}
	switch m.Kind {
	case private.Hello:
		c.stats.Hellos++
		c.hello(h, m.Token)
	case private.Leave:
		if h.Token == m.Token && h.admitted() {
			c.leave(h, m.Number)
		}
	default:
		c.stats.Foreign++
	}
	c.advance()
}

// answer sends what a switch answers to hosts by itself.
func (c *Core) answer(s *swtch) {
	frames, _ := s.arp.Poll()
	for _, f := range frames {
		c.out = append(c.out, Send{s.name, f.Port, f.Frame})
	}
}

// static are the hosts, where a switch sees them.
func (c *Config) static(sw string) (list []hosts.Host) {
	for _, h := range c.Net.Hosts() {
		port, ok := h.At.Port, h.At.Switch == sw
		if !ok {
			port, ok = c.Net.Port(sw, h.Name)
		}
		if ok {
			list = append(list, hosts.Host{IP: c.Hosts[h.Name].IP, MAC: c.Hosts[h.Name].MAC, Port: port, Static: true})
		}
	}
	return list
}

// hello is for a run that is there.
func (c *Core) hello(h *host, token uint64) {
	switch {
	case h.Token == token:
		h.heard = c.now
	case h.admitted():
		c.fail(h, "it has begun again")
		return // it says so again
	case h.cut:
		return
	default:
		c.join(h, token)
	}
	c.show(h)
}

// join admits a run. It gets the client of the run before, if that has left, and goes on behind its messages; else
// another one, since nobody knows which numbers were used. Replicas of a run that has ended are lost.
func (c *Core) join(h *host, token uint64) {
	r := h.copy()
	if h.Token == 0 || h.Failed {
		if h.Failed {
			r.Clients = append(r.Clients, h.Client)
		}
		next := c.nextClient()
		if next >= names.MaxClients {
			c.note(slog.LevelError, "a host cannot join: all numbers of clients have been used [begin with an empty store and restarted switches]", "host", h.Host)
			return
		}
		r.Client, r.First = next, names.Window
	}
	r.Token, r.Left, r.Failed = token, false, false
	if !c.record(Record{Host: r}) {
		return
	}
	h.HostRecord, h.heard, h.told = *r, c.now, false
	c.note(slog.LevelInfo, "host joins", "host", h.Host, "client", h.Client)
	c.refresh()
}

// leave ends a run whose messages are all finished.
func (c *Core) leave(h *host, next uint32) {
	r := h.copy()
	r.Left, r.First = true, next
	r.Lost = r.Lost || len(c.conf.replicasOn(h.Host)) > 0
	if c.record(Record{Host: r}) {
		h.HostRecord, h.cut = *r, true
		c.note(slog.LevelInfo, "host leaves", "host", h.Host)
		c.refresh()
	}
}

// fail ends a run that is not there any more. Switches cut it off first: what it would deliver from then on, others might
// not.
func (c *Core) fail(h *host, why string) {
	r := h.copy()
	r.Failed = true
	r.Lost = r.Lost || len(c.conf.replicasOn(h.Host)) > 0
	if c.record(Record{Host: r}) {
		c.stats.Failed++
		h.HostRecord, h.cut = *r, true
		c.note(slog.LevelWarn, "host has failed", "host", h.Host, "client", h.Client, "why", why)
		c.refresh()
	}
}

// silent looks for hosts that have not been heard of for too long. Nothing is heard of hosts whose switch is not in our
// hands. It has more time to come back, and then its hosts have the usual time.
func (c *Core) silent() {
	for _, x := range c.conf.Net.Hosts() {
		h, s := c.hosts[x.Name], c.switches[x.At.Switch]
		since, patience := max(h.heard, s.upAt), c.conf.Silence
		if !s.up {
			since, patience = max(h.heard, s.lostAt), 3*c.conf.Silence
		}
		if h.admitted() && c.now-since >= patience {
			c.fail(h, "nothing was heard of it for "+patience.String())
		}
	}
}

// admit tells hosts what has changed, when the switches know it.
func (c *Core) admit() {
	if !c.quiet() {
		return
	}
	changed := false
	for _, h := range c.hosts {
		if h.cut || h.admitted() && !h.told {
			h.cut, h.told, changed = false, h.admitted(), true
		}
	}
	if changed {
		c.tell()
	}
}

// tell sends all hosts what there is to know.
func (c *Core) tell() {
	for _, x := range c.conf.Net.Hosts() {
		if h := c.hosts[x.Name]; h.admitted() {
			c.show(h)
		}
	}
}

// show sends a host what there is to know. A replica that has failed counts as alive until it is cut off.
func (c *Core) show(h *host) {
	if h.gone || !c.switches[h.at.Switch].up {
		return
	}
	m := &private.Message{Kind: private.View, Token: h.Token, Client: h.Client, Number: h.First}
	switch {
	case !h.admitted():
		m.How = private.Ended
	case h.told:
		m.How = private.Admitted
	}
	if !h.Lost {
		m.How |= private.Serves
	}
	for _, other := range c.hosts {
		for _, n := range other.Clients {
			m.SetFailed(n)
		}
		if other.Failed && !other.cut {
			m.SetFailed(other.Client)
		}
	}
	for i, x := range c.conf.Net.Hosts() {
		if other := c.hosts[x.Name]; other.admitted() {
			m.Clients = append(m.Clients, private.Client{Number: other.Client, Host: uint16(i)})
		}
	}
	for _, g := range c.conf.Groups {
		now := c.groups[g.Number]
		out := private.Group{Number: g.Number, Epoch: now.complete}
		if now.complete > 0 {
			out.Leader = uint8(slices.Index(c.conf.Net.Switches(), now.members[0]))
		}
		for i, r := range g.Replicas {
			if x := c.hosts[r]; !x.Lost || x.cut {
				out.Alive |= 1 << i
			}
		}
		m.Groups = append(m.Groups, out)
	}
	own := c.conf.Switches[h.at.Switch]
	c.out = append(c.out, Send{h.at.Switch, h.at.Port, private.AppendFrame(nil, own.MAC, h.conf.MAC, own.IP, h.conf.IP, m)})
}
