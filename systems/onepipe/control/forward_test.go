package control

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	names "github.com/p4ce/p4ce/p4/onepipe"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/onepipe/private"
)

// packetOf is what the controller looks at in a packet, from a process to another one, and something behind it.
func packetOf(op names.Opcode, from, to uint16, body string) []byte {
	b := make([]byte, 24, 24+len(body))
	b[14] = byte(op) << 4
	b[19], b[21] = byte(from), byte(to)
	return append(b, body...)
}

// handed is what a host hands over for another one.
func handed(token uint64, to wire.Addr, packet []byte) private.Message {
	return private.Message{Kind: private.Forward, Token: token, Peer: to, Packet: packet}
}

// apart is a core that h1 has asked about h2, which is there.
func apart(t *testing.T, now time.Duration) *Core {
	t.Helper()
	c, _ := admitted(t)
	list := said(t, c, now, 1, asking)
	require.Len(t, list, 1)
	require.Equal(t, private.Probe, list[0].Kind)
	list = said(t, c, now, 2, private.Message{Kind: private.Here, Token: 8, Number: list[0].Number})
	require.Len(t, list, 1)
	require.Equal(t, private.Offer, list[0].Kind)
	require.EqualValues(t, 7, list[0].Token, "to who has asked")
	require.Equal(t, []private.Failed{{Addr: h2, First: 1, Have: 1, Time: uint64(c.lease())}}, list[0].Failed)
	return c
}

var (
	h1, h2 = wire.Addr{10, 0, 1, 1}, wire.Addr{10, 0, 1, 2}
	asking = private.Message{Kind: private.Ask, Token: 7, Failed: []private.Failed{{Addr: h2, First: 1}}}
)

// A host that asks about one that is there is offered that packets are forwarded. They are, as they are, to that host; and so are the
// answers. The controller says nothing of its own.
func TestForward(t *testing.T) {
	const start = time.Hour
	c := apart(t, start)
	for _, op := range []names.Opcode{names.OpReliable, names.OpRecall} {
		p := packetOf(op, 1, 1, "with a body")
		list := said(t, c, start, 1, handed(7, h2, p))
		require.Equal(t, []private.Message{{Kind: private.Forward, Token: 8, Peer: h1, Packet: p}}, list)
	}
	probe := packetOf(names.OpData, 1, 1, "\x00\x00\x00\x00crc!")
	require.Len(t, said(t, c, start, 1, handed(7, h2, probe)), 1)
	for _, op := range []names.Opcode{names.OpACK, names.OpNAK, names.OpRecalled} {
		p := packetOf(op, 1, 1, "an answer")
		list := said(t, c, start, 2, handed(8, h1, p))
		require.Equal(t, []private.Message{{Kind: private.Forward, Token: 7, Peer: h2, Packet: p}}, list)
	}
	f := c.Forwarding()[0]
	require.Equal(t, []Pair{{"h1", "h2"}}, f.Pairs)
	require.EqualValues(t, 6, f.Packets)
	for why, n := range f.Dropped {
		require.Zero(t, n, why)
	}

	// As long as it asks, it goes on; and it is offered again.
	for now := start; now < start+time.Minute; now += c.conf.Patience / 4 {
		offers, packets := 0, 0
		list := said(t, c, now, 1, asking)
		list = append(list, said(t, c, now, 1, handed(7, h2, probe))...)
		for _, m := range list {
			switch m.Kind {
			case private.Probe:
				said(t, c, now, 2, private.Message{Kind: private.Here, Token: 8, Number: m.Number})
			case private.Offer:
				offers++
			case private.Forward:
				packets++
			}
		}
		require.Equal(t, []int{1, 1}, []int{offers, packets}, "after %v", now-start)
		require.False(t, c.hosts["h1"].link.held || c.hosts["h2"].link.held, "nobody has failed")
	}
}

// What is not to be forwarded is dropped, and counted.
func TestForwardDrops(t *testing.T) {
	const start = time.Hour
	good := packetOf(names.OpReliable, 1, 1, "x")
	for _, x := range []struct {
		why   Drop
		port  uint16
		m     private.Message
		about func(c *Core)
	}{
		{DropSender, 1, handed(6, h2, good), nil},
		{DropSender, 1, handed(7, h2, good), func(c *Core) { c.hosts["h1"].link.held = true }},
		{DropSender, 1, handed(7, h2, good), func(c *Core) { c.hosts["h1"].failedAt = 1 }},
		{DropSender, 1, handed(7, h2, good), func(c *Core) { c.hosts["h1"].admitted = false }},
		{DropProcess, 1, handed(7, h2, packetOf(names.OpReliable, 2, 1, "x")), nil},
		{DropProcess, 1, handed(7, h2, packetOf(names.OpReliable, 0, 1, "x")), nil},
		{DropReceiver, 1, handed(7, wire.Addr{10, 9, 9, 9}, good), nil},
		{DropReceiver, 1, handed(7, h2, packetOf(names.OpReliable, 1, 2, "x")), nil},
		{DropReceiver, 1, handed(7, h2, good), func(c *Core) { c.hosts["h2"].link.held = true }},
		{DropReceiver, 1, handed(7, h2, good), func(c *Core) { c.hosts["h2"].failedAt = 1 }},
		{DropReceiver, 1, handed(7, h2, good), func(c *Core) { c.hosts["h2"].admitted = false }},
		{DropUnasked, 1, handed(7, h1, good), nil},
		{DropUnasked, 2, handed(8, h1, good), nil},
		{DropUnasked, 1, handed(7, h2, packetOf(names.OpACK, 1, 1, "x")), nil},
		{DropUnasked, 1, handed(7, h2, good), func(c *Core) { c.doubts = nil }},
		{DropUnasked, 1, handed(7, h2, good), func(c *Core) { c.doubts[0].heard = start - c.conf.Patience - 1 }},
		{DropLarge, 1, handed(7, h2, packetOf(names.OpReliable, 1, 1, string(make([]byte, private.MaxPacket-23)))), nil},
		{DropKind, 1, handed(7, h2, packetOf(names.OpData, 1, 1, "\x00\x00\x00\x01best effort")), nil},
		{DropKind, 1, handed(7, h2, packetOf(names.OpData, 1, 1, "\x00\x00\x00\x00with data, CRC")), nil},
		{DropKind, 1, handed(7, h2, packetOf(names.OpBeacon, 1, 1, "")), nil},
		{DropKind, 1, handed(7, h2, packetOf(15, 1, 1, "x")), nil},
		{DropNoSwitch, 1, handed(7, h2, good), func(c *Core) { c.switches["s"].up = false }},
	} {
		c := apart(t, start)
		if x.about != nil {
			x.about(c)
		}
		c.PacketIn(start, "s", x.port, names.ReasonLocal, private.AppendFrame(nil, wire.MAC{2}, wire.MAC{2}, wire.Addr{10, 0, 1, byte(x.port)}, wire.Addr{10, 0, 0, 1}, &x.m))
		for o, ok := c.Poll(); ok; o, ok = c.Poll() {
			_, sent := o.(Send)
			require.False(t, sent, x.why)
		}
		require.EqualValues(t, 1, c.Forwarding()[0].Dropped[x.why.String()], x.why)
		require.Zero(t, c.Forwarding()[0].Packets)
	}

	c := apart(t, start)
	for range burst {
		require.Len(t, said(t, c, start, 1, handed(7, h2, good)), 1)
	}
	require.Empty(t, said(t, c, start, 1, handed(7, h2, good)))
	require.EqualValues(t, 1, c.Forwarding()[0].Dropped[DropTooMany.String()])
	require.NotEmpty(t, said(t, c, start+10*c.conf.Poll, 1, handed(7, h2, good)), "later it may again")
	require.EqualValues(t, burst+1, c.Forwarding()[0].Packets)
}

// What the controller cannot deliver makes the silent one failed, although it has answered before. What the sender has taken back, and could
// not tell it, is known to the controller that comes after: of the sender's messages, only those below a time count.
func TestForwardToSilent(t *testing.T) {
	n := newNetworkOf(t, pair)
	h1, h2 := n.c.hosts["h1"], n.c.hosts["h2"]
	ask := func() {
		n.say(h1, &private.Message{Kind: private.Ask, Token: h1.token, Failed: []private.Failed{{Addr: h2.addr.IP, First: h2.first}}})
	}
	ask()
	n.say(h2, &private.Message{Kind: private.Here, Token: h2.token, Number: n.c.doubts[0].number})
	n.mute["h1"], n.mute["h3"] = true, true
	answered := n.now
	n.until(func() bool { ask(); return h2.link.held })
	require.Equal(t, patience*n.c.conf.Patience, n.now-answered)
	require.False(t, h1.link.held)
	n.until(func() bool { return n.c.procedure != nil })
	recalled := n.at - 3
	n.done("h1", recalled)
	n.done("h3", n.at-1)
	n.until(func() bool { return n.c.procedure == nil })
	before := n.images()
	n.replace()
	n.c.Synced(n.now, "leaf", before["leaf"])
	n.c.Synced(n.now, "spine", before["spine"])
	n.drain()
	n.until(func() bool { n.outcome = nil; n.asks(); return n.outcome != nil })
	require.Equal(t, recalled, n.times(n.outcome)["h1"])
}
