package hosts

import (
	"slices"
	"time"

	"github.com/p4ce/p4ce/roce/wire"
)

// What a learned host costs is bounded per port, so that a port whose hosts are made up takes
// nothing from the others; and a host that has gone gives its place back.
//
//	heard --Age--> asked (askTries times, askEvery) --silent--> forgotten
//	  ^                |
//	  +----answers-----+
//
// Only ARP and connection management are heard of here, so a host that works without either is
// asked once per Age, and answers. One that is in use is not forgotten.
const (
	defaultPerPort = 256
	defaultAge     = 10 * time.Minute
	sweeps         = 8   // per Age
	maxProbes      = 256 // hosts that are asked at a time

	maxWaitingPerPort = 64 // addresses that one port has looked for
	maxClaimsPerPort  = 32
)

// probe asks a host that was silent for long.
type probe struct {
	tries int
	next  time.Duration
}

// setLimits fills in the defaults.
func (c *Config) setLimits() {
	if c.PerPort == 0 {
		c.PerPort = defaultPerPort
	}
	switch {
	case c.Age == 0:
		c.Age = defaultAge
	case c.Age < 0:
		c.Age = neverElapses
	}
	if c.InUse == nil {
		c.InUse = func(wire.Addr) bool { return false }
	}
}

// learned reports whether a host counts against its port's bound, and may be forgotten.
func (h Host) learned() bool { return !h.Static && !h.Routed }

// hasRoom reports whether one more host may be learned on a port.
func (t *Table) hasRoom(port uint16) bool { return t.perPort[port] < t.cfg.PerPort }

// taken is how many hosts take room of the switch's.
func (t *Table) taken() int {
	if t.cfg.Unnamed {
		return len(t.hosts) - t.routed
	}
	return len(t.hosts)
}

// enter and leave keep the counts of hosts.
func (t *Table) enter(h Host) {
	if h.learned() {
		t.perPort[h.Port]++
	}
	if h.Routed {
		t.routed++
	}
	t.hosts[h.IP] = h
}

func (t *Table) leave(ip wire.Addr) {
	if h, known := t.hosts[ip]; known {
		if h.learned() {
			t.perPort[h.Port]--
		}
		if h.Routed {
			t.routed--
		}
		delete(t.hosts, ip)
	}
}

// hear notes that a host is where it was.
func (t *Table) hear(now time.Duration, ip wire.Addr) {
	t.heard[ip] = now
	delete(t.probes, ip)
}

// tickAges asks those that were silent, and forgets those that do not answer.
func (t *Table) tickAges(now time.Duration) {
	if now >= t.sweep && t.cfg.Age != neverElapses {
		t.sweep = now + t.cfg.Age/sweeps
		for _, h := range t.List() {
			if h.learned() && t.probes[h.IP] == nil && now-t.heard[h.IP] >= t.cfg.Age && len(t.probes) < maxProbes {
				t.probes[h.IP] = &probe{next: now}
			}
		}
	}
	var due []wire.Addr
	for ip, p := range t.probes {
		if p.next <= now {
			due = append(due, ip)
		}
	}
	slices.SortFunc(due, func(a, b wire.Addr) int { return slices.Compare(a[:], b[:]) })
	for _, ip := range due {
		p, h := t.probes[ip], t.hosts[ip]
		if p.tries >= askTries {
			delete(t.probes, ip)
			if !t.cfg.InUse(ip) {
				t.forget(h)
			}
			continue
		}
		p.tries++
		p.next += askEvery
		t.askAt(h)
	}
}

// forget takes a host out of the table.
func (t *Table) forget(h Host) {
	t.leave(h.IP)
	delete(t.heard, h.IP)
	t.stats.Forgotten++
	t.changes = append(t.changes, Change{Old: &h, Gone: true})
}

// askAt asks a host whether it is where it is known to be.
func (t *Table) askAt(h Host) {
	src := wire.Addr{}
	if len(t.cfg.IPs) > 0 {
		src = t.cfg.IPs[0]
	}
	a := wire.ARP{Op: wire.ARPRequest, SenderMAC: t.cfg.MAC, Sender: src, Target: h.IP}
	t.send(h.Port, a.Frame(t.cfg.MAC, h.MAC))
}
