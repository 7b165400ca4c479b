package control

import (
	"encoding/binary"
	"log/slog"
	"slices"
	"time"

	names "github.com/p4ce/p4ce/p4/onepipe"
	"github.com/p4ce/p4ce/systems/onepipe/private"
)

// Forwarding (section 5.2 of the paper): two hosts reach the controller, and do not reach each other. So that neither has to go:
//
//	a host asks about another one (doubt.go), which answers probes --> private.Offer
//	it hands over what is for the other one, which is forwarded -----> the other one hands over its answers, which are, too
//
// The controller keeps nothing of what it forwards, changes nothing, and answers nothing: what is lost here is handed over again, and the
// sender's commit barrier waits until the receiver has answered. It forwards only between hosts that are part of the order. If
// one of them fails, what the sender has taken back and could not tell it is known by the time below which its messages count (outcome.go),
// which is in the journal until the host is there again.

// burst is how many packets of a host are forwarded in 10 of Config.Poll.
const burst = 512

// lease is for how long a host is offered that packets are forwarded. It asks more often.
func (c *Core) lease() time.Duration { return c.conf.Patience / 2 }

// budget is what a host may still hand over.
type budget struct {
	left  int
	until time.Duration
}

// Drop is why a packet was not forwarded.
type Drop int

// The reasons.
const (
	DropSender   Drop = iota // its sender is not part of the order
	DropProcess              // it is of a process of another host
	DropReceiver             // the receiver is not part of the order
	DropUnasked              // neither has asked about the other one
	DropLarge                // it is longer than any packet
	DropKind                 // it is neither for a receiver of reliable messages nor for a sender
	DropTooMany              // its sender has handed over too many
	DropNoSwitch             // the receiver's switch is not in our hands
	drops
)

var dropNames = [drops]string{"sender", "process", "receiver", "unasked", "large", "kind", "too_many", "no_switch"}

func (d Drop) String() string { return dropNames[d] }

// forwarding is what was forwarded of hosts at a switch.
type forwarding struct {
	packets uint64
	drops   [drops]uint64
}

// offer tells a host that what is for another one is forwarded for a while.
func (c *Core) offer(x *complaint, about *host) {
	h := x.host
	if !x.offered {
		x.offered = true
		c.note(slog.LevelWarn, "hosts do not reach each other: what they send is forwarded", "from", h.name, "to", about.name)
	}
	m := private.Message{Kind: private.Offer, Token: h.token, Failed: []private.Failed{{Addr: about.addr.IP, First: about.first, Have: about.have, Time: uint64(c.lease())}}}
	c.out = append(c.out, Send{h.at.name, h.link.port, c.frame(h, &m)})
}

// asksAbout reports whether a host has asked about another one, which is there.
func (c *Core) asksAbout(h, about *host) bool {
	for _, d := range c.doubts {
		if d.about == about && c.isHere(d) && slices.ContainsFunc(d.by, func(x complaint) bool { return x.host == h }) {
			return true
		}
	}
	return false
}

// inOrder reports whether a host is part of the order. What one hands over that was taken out may be what others have been told to
// discard.
func inOrder(h *host) bool { return h.admitted && h.failedAt == 0 && !h.link.held }

// route is what the controller looks at in a packet that is to be forwarded.
type route struct {
	from, to uint16 // processes
	message  bool   // it is for a receiver: a fragment of a reliable message, a probe, or a recall
	answer   bool   // it is for a sender: an acknowledgement, a refusal, or the answer to a recall
}

// probeLen is the length of a probe: the header, index, count and checksum.
const probeLen = private.HeaderLen + 4 + 4

// routeOf reads it. What is neither for a receiver nor for a sender is not forwarded: best-effort messages, and beacons.
func routeOf(p []byte) (r route) {
	be := binary.BigEndian
	r.from, r.to = be.Uint16(p[18:]), be.Uint16(p[20:])
	switch names.Opcode(p[14] >> 4) {
	case names.OpReliable, names.OpRecall:
		r.message = true
	case names.OpData:
		r.message = len(p) == probeLen && be.Uint32(p[private.HeaderLen:]) == 0
	case names.OpACK, names.OpNAK, names.OpRecalled:
		r.answer = true
	}
	return r
}

// forward forwards a packet of a host.
func (c *Core) forward(h *host, m *private.Message) {
	if why := c.mayForward(h, m); why != drops {
		h.at.forwards.drops[why]++
		return
	}
	to := c.byAddr[m.Peer]
	h.at.forwards.packets++
	own := private.Message{Kind: private.Forward, Token: to.token, Peer: h.addr.IP, Packet: m.Packet}
	c.out = append(c.out, Send{to.at.name, to.link.port, c.frame(to, &own)})
}

// mayForward says why a packet of a host is not forwarded, or drops.
func (c *Core) mayForward(h *host, m *private.Message) Drop {
	r, to := routeOf(m.Packet), c.byAddr[m.Peer]
	switch {
	case m.Token != h.token || !inOrder(h):
		return DropSender
	case r.from-h.first >= h.have:
		return DropProcess
	case to == nil || !inOrder(to) || r.to-to.first >= to.have:
		return DropReceiver
	case len(m.Packet) > private.MaxPacket:
		return DropLarge
	case !r.message && !r.answer:
		return DropKind
	case r.message && !c.asksAbout(h, to) || r.answer && !c.asksAbout(to, h):
		return DropUnasked
	case !to.at.up:
		return DropNoSwitch
	}
	if b := &h.hands; c.now >= b.until {
		*b = budget{burst, c.now + 10*c.conf.Poll}
	}
	if h.hands.left == 0 {
		return DropTooMany
	}
	h.hands.left--
	return drops
}
