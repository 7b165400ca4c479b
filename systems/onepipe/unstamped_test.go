package onepipe

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/onepipe/private"
)

// The barriers of a packet that no switch has stamped deliver nothing, however high they are: they are its sender's.
func TestUnstamped(t *testing.T) {
	p := newPair(t, Config{Interval: 10 * time.Microsecond})
	p.run(50 * time.Microsecond)
	take := func(op Opcode, q packet, barrier uint32) []string {
		q.op, q.barrier, q.commit = op, barrier, barrier
		p.ends[1].Receive(p.now, q.append(nil, wire.MAC{2}, wire.MAC{2}, wire.NotECT))
		return append(p.received(1, false), p.received(1, true)...)
	}
	for _, reliable := range []bool{false, true} {
		p.send(0, reliable, "a")
		var q packet
		require.NoError(t, q.parse(p.ends[0].Next(p.now, nil)))
		q.flags |= flagUnstamped
		at := uint32(q.time>>Shift) + 1000
		require.Empty(t, take(q.op, q, at))
		for op := Ack; op < opcodes; op++ {
			require.Empty(t, take(op, packet{from: q.from, to: q.to, time: 1, flags: flagUnstamped}, at), "%v", op)
		}
		other := packet{from: q.from, to: q.to, time: 1}
		shared := packet{from: q.from, to: q.to, time: 1, flags: flagUnstamped, rest: other.appendMore(nil)}
		require.Empty(t, take(Ack, shared, at), "it shares the packet with an acknowledgement that has flags of its own")
		before, _ := p.ends[1].Barriers()
		require.Less(t, before>>Shift&0xffffffff, uint64(at))
		require.Equal(t, []string{"a"}, take(Beacon, packet{to: Process{Addr: beaconAddr}}, at), "a beacon delivers it")
		p.now += time.Millisecond
	}
}

// A switch marks a packet, and the packet's check sum is right as before.
func TestMarkKeepsChecksum(t *testing.T) {
	p := samples()[Data]
	f := p.append(nil, wire.MAC{2}, wire.MAC{2}, wire.NotECT)
	h := f[frameHeader : frameHeader+headerLen]
	h[14] |= flagUnstamped
	h[22], h[23] = 0, 0
	binary.BigEndian.PutUint16(h[22:], ^wire.Sum(0, h))
	var got packet
	require.NoError(t, got.parse(f))
	require.EqualValues(t, p.flags|flagUnstamped, got.flags)
	require.Equal(t, p.data, got.data)
}

// A host that is told so sends a beacon at every multiple of the interval, in front of all that it sends after that moment,
// although it always has something to send; of a scattering that is longer, the rest comes behind it.
func TestSteady(t *testing.T) {
	const interval = 10 * time.Microsecond
	p := newPair(t, Config{Interval: interval, Controller: wire.Addr{10, 0, 0, 9}, Token: 7})
	e := p.ends[0]
	joined := private.Message{Kind: private.Joined, Admitted: true, Steady: true, Token: 7}
	e.Receive(p.now, private.AppendFrame(nil, wire.MAC{2}, wire.MAC{2}, wire.Addr{10, 0, 0, 9}, e.c.Addr, &joined))
	long := string(make([]byte, 30*e.c.Fragment))
	beacons, behind := 0, 0
	end := p.now + 100*interval
	last := p.now - interval
	for ; p.now < end; p.now += 700 * time.Nanosecond {
		if e.sender.queued < 2 {
			p.send(0, false, long)
		}
		var q packet
		f := e.Next(p.now, nil)
		if _, _, _, ok := private.ParseFrame(f); ok {
			continue
		}
		switch {
		case len(f) == 0:
		case q.parse(f) != nil:
			require.NoError(t, q.parse(f))
		case q.op == Beacon:
			beacons++
			if p.now/interval == last/interval {
				behind++
				require.Nil(t, e.train.first(), "a second one comes behind a scattering only")
			}
			last = p.now
		default:
			require.Equal(t, last/interval, p.now/interval, "a packet is in front of the beacon of its interval")
			p.carry(0, f)
		}
		if a := p.ends[1].Next(p.now, nil); len(a) > 0 {
			p.carry(1, a)
		}
	}
	require.GreaterOrEqual(t, beacons-behind, 99)
	require.Positive(t, behind)
}
