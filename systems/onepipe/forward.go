package onepipe

import (
	"errors"
	"maps"
	"time"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/onepipe/private"
)

// What the controller forwards between two hosts that reach it and do not reach each other (section 5.2 of the paper):
//
//	a process does not answer --> the controller is asked about it (Ask); it answers the controller --> Offer
//	   --> what is for it and not acknowledged is handed over (Forward): reliable fragments, probes, and recalls
//	   --> the receiver takes it as what comes by the wire, but for barriers, and hands its answer over
//
// As long as the offer lasts, what is sent for the first time goes both ways, and what is sent again goes by one after the other: so it
// shows when the wire has mended. Nothing counts as received before the receiver says so. Until then, the sender's commit barrier waits, as on the
// wire: what comes late is below nobody's commit barrier. Of best-effort messages, the order does not wait for any. They are
// lost.

// maxOffer is how long an offer lasts at most.
const maxOffer = 10 * time.Second

// offered takes an offer of the controller. What waits for it is handed over at once.
func (e *Endpoint) offered(m *private.Message) {
	maps.DeleteFunc(e.offers, func(_ wire.Addr, until time.Duration) bool { return until <= e.now })
	for _, x := range m.Failed {
		until, before := e.offers[x.Addr]
		if e.offers == nil {
			e.offers = map[wire.Addr]time.Duration{}
		}
		e.offers[x.Addr] = max(until, e.now+min(time.Duration(x.Time&timeMask), maxOffer))
		if !before {
			e.handOverAll(x.Addr)
		}
	}
}

// handOverAll sends again what is for a host whose processes do not answer.
func (e *Endpoint) handOverAll(host wire.Addr) {
	s := &e.sender
	for _, k := range keysOf(s.conns, func(k connKey) bool { return k.to.Addr == host }) {
		c := s.conns[k]
		if !e.byController(c) {
			continue
		}
		if c.claims.n > 0 && c.flying() == 0 {
			s.probeOnce(c)
		}
		if k.service == 0 {
			continue
		}
		for psn := c.una; psnDiff(psn, c.next) < 0; psn = (psn + 1) & psnMask {
			if f := c.at(psn); !f.closed && f.part.state == partOpen {
				s.resend.push(outRef{c, psn})
			}
		}
		for i := range s.unresolved.n {
			for j, x := 0, *s.unresolved.at(i); j < len(x.parts); j++ {
				if p := &x.parts[j]; p.conn == c && p.state == partRecalled {
					e.recallOnce(p)
				}
			}
		}
	}
}

// byController reports whether the controller forwards what is for the process at the end of a connection.
func (e *Endpoint) byController(c *outConn) bool {
	return c.silent != 0 && e.now-c.silent >= e.doubtful() && e.now < e.offers[c.key.to.Addr]
}

// inTurn reports whether the controller is to have what is sent again. last says whether it had it the last time.
func (e *Endpoint) inTurn(c *outConn, last *bool) bool {
	*last = !*last && e.byController(c)
	return *last
}

// answered notes that a process has said something. On the wire, it answers what has come there, or says that it has room again:
// that shows only one direction.
func (c *outConn) answered(p *packet, both bool) {
	c.mute = 0
	if both && !p.forwarded {
		c.silent = 0
	}
}

// muteFor is for how long a process has said nothing at all.
func (c *outConn) muteFor(now time.Duration) time.Duration {
	if c.mute == 0 {
		return 0
	}
	return now - c.mute
}

// handOver makes the frame by which the controller gets a packet that it forwards, nil if it is none of these.
func (e *Endpoint) handOver(p *packet, b []byte) []byte {
	if !p.forwarded {
		return nil
	}
	e.Counters.HandedOver++
	p.barrier, p.commit = 0, 0
	e.handed = p.appendHeader(e.handed[:0])
	return e.tell(&private.Message{Kind: private.Forward, Token: e.c.Token, Peer: p.to.Addr, Packet: e.handed}, b)
}

// forwarded takes a packet that the controller has forwarded.
func (e *Endpoint) forwarded(m *private.Message) {
	if e.expelled {
		return
	}
	var p packet
	switch err := p.parseHeader(m.Packet, m.Peer, e.c.Addr); {
	case errors.Is(err, errChecksum):
		e.Counters.Checksums++
		return
	case err != nil || p.op == Beacon || len(p.rest) > 0: // what is handed over shares no packet
		e.Counters.Malformed++
		return
	}
	e.Counters.Forwarded++
	p.forwarded = true
	e.take(e.now, &p)
}
