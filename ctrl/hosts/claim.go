package hosts

import (
	"slices"
	"time"

	"github.com/p4ce/p4ce/roce/wire"
)

// A claim is what an ARP packet says about a known host: that it is somewhere else.
// Anybody can say so. Whoever is at the old place is asked; when it answers, the
// claim was false, and when it does not for claimAfter, the host has moved. While
// a claim is open, nothing that it says is passed on. A host that something depends on must be
// silent for much longer: a machine that stands still for a second has not moved.
type claim struct {
	new   Host
	old   []Host // whom the claim would replace: the same address, or the same MAC
	again time.Duration
	until time.Duration
	long  bool // something depends on one of old
}

const (
	claimAgain = 400 * time.Millisecond
	claimAfter = time.Second
	inUseAfter = 15 * time.Second
	maxClaims  = 256
)

// replaced are the known hosts that would not be where they are if h was where it
// says.
func (t *Table) replaced(h Host) (out []Host) {
	for _, o := range t.hosts {
		samePlace := o.MAC == h.MAC && o.Port == h.Port
		if o.IP == h.IP && !samePlace || o.IP != h.IP && o.MAC == h.MAC && o.Port != h.Port {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, func(a, b Host) int { return slices.Compare(a.IP[:], b.IP[:]) })
	return out
}

// dispute opens a claim, or counts one that is open or not to be believed.
func (t *Table) dispute(now time.Duration, h Host, old []Host) {
	t.stats.Conflicts++
	mine := 0
	for _, c := range t.claims {
		if c.new.Port == h.Port {
			mine++
		}
	}
	switch {
	case t.claims[h.IP] != nil || slices.ContainsFunc(old, func(o Host) bool { return o.Static }):
		return
	case mine >= maxClaimsPerPort:
		t.stats.PortFull++
		return
	case len(t.claims) >= maxClaims:
		t.stats.ClaimsFull++
		return
	}
	c := &claim{new: h, old: old, again: now + claimAgain, until: now + claimAfter}
	if t.inUse(c) {
		c.until = now + inUseAfter
	}
	t.claims[h.IP] = c
	t.askOld(c)
}

// inUse reports whether something depends on whom a claim would replace.
func (t *Table) inUse(c *claim) bool {
	c.long = slices.ContainsFunc(c.old, func(o Host) bool { return t.cfg.InUse(o.IP) })
	return c.long
}

// askOld asks those at the old places whether they are there.
func (t *Table) askOld(c *claim) {
	for _, o := range c.old {
		t.askAt(o)
	}
}

// defend ends the claims that a host contradicts by being where it was.
func (t *Table) defend(h Host) {
	for ip, c := range t.claims {
		if slices.ContainsFunc(c.old, func(o Host) bool { return o.IP == h.IP && o.MAC == h.MAC && o.Port == h.Port }) {
			delete(t.claims, ip)
		}
	}
}

// tickClaims asks again, and believes what nobody has contradicted.
func (t *Table) tickClaims(now time.Duration) {
	for _, ip := range t.claimed() {
		c := t.claims[ip]
		if c == nil {
			continue // gone with another one
		}
		if c.until <= now {
			if !c.long && t.inUse(c) { // since it began
				c.until = now + inUseAfter
				continue
			}
			delete(t.claims, ip)
			if _, known := t.hosts[c.new.IP]; !known && !t.hasRoom(c.new.Port) {
				t.stats.PortFull++
				continue
			}
			for _, o := range c.old { // other addresses of a MAC move with it
				n := c.new
				n.IP = o.IP
				t.place(n)
				t.hear(now, n.IP)
			}
			t.place(c.new)
			t.hear(now, c.new.IP)
			continue
		}
		if c.again <= now {
			c.again = now + claimAgain
			t.askOld(c)
		}
	}
}

func (t *Table) claimed() []wire.Addr {
	out := make([]wire.Addr, 0, len(t.claims))
	for ip := range t.claims {
		out = append(out, ip)
	}
	slices.SortFunc(out, func(a, b wire.Addr) int { return slices.Compare(a[:], b[:]) })
	return out
}
