package control

import (
	"slices"

	"github.com/p4ce/p4ce/ctrl/topology"
	names "github.com/p4ce/p4ce/p4/onepipe"
	"github.com/p4ce/p4ce/systems/onepipe/private"
)

// What a host is told whose run has failed, when it is there again. It may hold reliable messages that it has not delivered, and
// must deliver those that the others do:
//
//	a host answers that it knows of the failure (private.Done) --> what it has sent counts below a time. It has taken back the rest
//	it fails, too --> what counts is below the time of its failure
//	all have answered, and the commit barrier has passed these times, so that they stay --> private.Outcome
//
// The times are in the journal, of the last run of each host that has failed.

// counted notes what counts of what a host has sent to those who have failed. What it has said first is right: it has taken back
// the rest.
func (c *Core) counted(h *host, list []private.Failed) bool {
	for _, f := range list {
		to := c.byAddr[f.Addr]
		if to == nil || !slices.Contains(c.procedure.failed, to) || f.First != to.first {
			continue
		}
		near := c.conf.Clock(c.now)
		at := near + uint64(int64((f.Time-near)<<16)>>16)
		before := to.counts
		to.counts = lowered(before, Count{h.name, h.first, h.have, at}, true)
		if !slices.Equal(before, to.counts) && !c.record(to) {
			to.counts = before
			return false
		}
	}
	return true
}

// lowered are counts of which none for a host is above another one. add says whether it is added, if there is none yet.
func lowered(list []Count, x Count, add bool) []Count {
	list = slices.Clone(list)
	for i := range list {
		if o := &list[i]; o.Host == x.Host && o.First == x.First {
			o.Time = min(o.Time, x.Time)
			return list
		}
	}
	if add {
		list = append(list, x)
	}
	return list
}

// lower notes that a host has failed: what it has sent to those who had failed before counts below that time only.
func (c *Core) lower(failed *host) {
	for _, n := range c.conf.Net.Hosts() {
		h := c.hosts[n.Name]
		before := h.counts
		h.counts = lowered(before, Count{failed.name, failed.first, failed.have, failed.failedAt}, false)
		if !slices.Equal(before, h.counts) {
			c.record(h)
		}
	}
}

// committed notes the commit barrier that hosts at a switch have got, and tells those who wait for it.
func (c *Core) committed(s *swtch) {
	waits := func(x topology.Host) bool { return c.hosts[x.Name].asks }
	if !slices.ContainsFunc(c.conf.Net.Hosts(), waits) {
		return
	}
	near := c.conf.Clock(c.now) >> names.BarrierShift
	for _, l := range s.inputs {
		if h := c.hosts[l.host]; h != nil && h.admitted && l.state == open {
			bits := uint32(s.values[kinds[1].promised][l.port])
			s.commit = max(s.commit, (near+uint64(int64(int32(bits-uint32(near)))))<<names.BarrierShift)
		}
	}
	for _, n := range c.conf.Net.Hosts() {
		if h := c.hosts[n.Name]; h.asks {
			c.expelled(h, h.ended)
		}
	}
}

// certain reports whether what counts for a host stays: the commit barrier has passed it, at all switches with hosts. Who fails
// now has failed later.
func (c *Core) certain(h *host) bool {
	for _, x := range h.counts {
		o := c.hosts[x.Host]
		if o == nil || o.token == 0 || o.first != x.First || o.failedAt != 0 {
			continue // it has failed, and the time is final
		}
		some := false
		for _, s := range c.order {
			if slices.ContainsFunc(s.inputs, func(l *link) bool { return l.host != "" && c.hosts[l.host].admitted }) {
				if some = true; s.commit < x.Time {
					return false
				}
			}
		}
		if !some {
			return false
		}
	}
	return true
}

// expelled tells a host that its run has ended, and what counts of what it has received, when that is certain.
func (c *Core) expelled(h *host, token uint64) {
	send := func(m *private.Message) {
		c.out = append(c.out, Send{h.at.name, h.link.port, c.frame(h, m)})
	}
	if token != h.ended || len(h.counts) == 0 {
		send(&private.Message{Kind: private.Joined, Token: token})
		return
	}
	if !c.certain(h) {
		h.asks = true
		return
	}
	h.asks = false
	var all []private.Failed
	for _, x := range h.counts {
		if o := c.hosts[x.Host]; o != nil {
			all = append(all, private.Failed{Addr: o.addr.IP, First: x.First, Have: x.Have, Time: x.Time & (1<<48 - 1)})
		}
	}
	at := 0
	for part := range slices.Chunk(all, private.MaxFailed) {
		send(&private.Message{Kind: private.Outcome, Token: token, Want: uint16(len(all)), Number: uint32(at), Failed: part})
		at += len(part)
	}
}
