package onepipe

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/wire"
)

// samples are a packet of each kind.
func samples() []packet {
	a, b := Process{wire.Addr{10, 0, 0, 1}, 7}, Process{wire.Addr{10, 0, 1, 2}, 65535}
	base := packet{from: a, to: b, time: 0xfedcba987654, barrier: 0x89abcdef, commit: 0x89abcdee, psn: 0xabcdef}
	var out []packet
	for op := range Opcode(opcodes) {
		p := base
		p.op = op
		switch op {
		case Beacon:
			p.to = Process{Addr: beaconAddr}
		case Data, Reliable:
			p.flags, p.index, p.count, p.data = flagEnd, 2, 3, []byte("payload")
		case Ack:
			p.flags, p.next, p.limit, p.bits = flagReliable, 0xabcdf0, 0x000010, 0x8000000000000001
		case Nak:
			p.reason, p.refused = ReasonLate, 9
		case Recall, Recalled:
			p.count = 3
		}
		out = append(out, p)
	}
	// Packets that others share.
	data, ack := out[Reliable], out[Ack]
	data.flags, data.index, data.count = flagEnd|flagMore, 0, 1
	data.rest = appendMessage(nil, &packet{from: Process{Number: 7}, to: Process{Number: 3}, psn: 0xfffffe, data: []byte("second")}, 0)
	data.rest = appendMessage(data.rest, &packet{to: Process{Number: 4}, psn: 5}, maxAfter)
	ack.rest = ack.appendMore(ack.appendMore(nil))
	return append(out, data, ack)
}

// What is appended is what is parsed; and any bit of it that is flipped is noticed, but in the Ethernet
// addresses, the fields of UDP that do not matter, and the padding.
func TestPackets(t *testing.T) {
	for _, p := range samples() {
		f := p.append(nil, wire.MAC{2, 0, 0, 0, 0, 1}, wire.MAC{2, 0, 0, 0, 0, 2}, wire.NotECT)
		var got packet
		require.NoError(t, got.parse(append(bytes.Clone(f), 0, 0, 0)), "%v, with padding", p.op)
		require.Equal(t, p, got)
		for bit := range 8 * len(f) {
			if at := bit / 8; at < 12 || at == wire.EthernetLen+wire.IPv4Len || at == wire.EthernetLen+wire.IPv4Len+1 {
				continue // Ethernet addresses, UDP source port
			}
			g := bytes.Clone(f)
			g[bit/8] ^= 1 << (bit % 8)
			require.Error(t, got.parse(g), "%v: bit %d", p.op, bit)
		}
		for n := range f {
			require.Error(t, got.parse(f[:n]), "%v: %d bytes", p.op, n)
		}
	}
}

// Forms that a switch does not look at are not taken.
func TestForeignForms(t *testing.T) {
	p := samples()[Data]
	f := p.append(nil, wire.MAC{2}, wire.MAC{2}, wire.NotECT)
	tagged := append(append(append([]byte{}, f[:12]...), 0x81, 0, 0, 0), f[12:]...)
	fragment := bytes.Clone(f)
	fragment[wire.EthernetLen+6] = 0x20
	wire.IPv4(fragment[wire.EthernetLen:]).SetChecksum()
	summed := bytes.Clone(f)
	summed[wire.EthernetLen+wire.IPv4Len+7] = 1
	var got packet
	require.ErrorIs(t, got.parse(tagged), errForeign)
	require.ErrorIs(t, got.parse(fragment), errForeign)
	require.ErrorIs(t, got.parse(summed), errPacket)
}

// PSNs, times and barriers wrap.
func TestWrap(t *testing.T) {
	require.Equal(t, 2, psnDiff(1, psnMask))
	require.Equal(t, -2, psnDiff(psnMask, 1))
	for range 1000 {
		near := rand.Uint64() >> 2
		off := rand.Int64N(1<<46) - 1<<45
		at := near + uint64(off)
		require.Equal(t, at, extendTime(at&timeMask, near))
		at = near + uint64(off>>10)
		require.Equal(t, at>>Shift<<Shift, extendBarrier(uint32(at>>Shift), near))
	}
}

func FuzzParse(f *testing.F) {
	for _, p := range samples() {
		f.Add(p.append(nil, wire.MAC{2}, wire.MAC{2}, wire.ECT0))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var p, again packet
		if p.parse(b) != nil || p.op == Beacon {
			return
		}
		require.NoError(t, again.parse(p.append(nil, wire.MAC{2}, wire.MAC{2}, wire.NotECT)))
		again.marked = p.marked
		require.Equal(t, p, again)
	})
}

// FuzzReceive has an endpoint take frames as they may come: it does not fail, and what it sends is well formed.
func FuzzReceive(f *testing.F) {
	for _, p := range samples() {
		f.Add(p.append(nil, wire.MAC{2}, wire.MAC{2}, wire.ECT0))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := New(Config{Addr: wire.Addr{10, 0, 1, 2}, Resolve: anyone})
		require.NoError(t, err)
		e.Admit()
		p, err := e.Open(65535)
		require.NoError(t, err)
		require.NoError(t, p.Send(1e9, true, Part{To: Process{wire.Addr{10, 0, 0, 1}, 7}, Data: []byte("x")}))
		for i := range 4 {
			e.Receive(1e9, b)
			out := e.Next(1e9, nil)
			if len(out) > 0 {
				var q packet
				require.NoError(t, q.parse(out), i)
			}
			p.Receive(true)
			p.Receive(false)
		}
	})
}

func anyone(wire.Addr) (wire.MAC, bool) { return wire.MAC{2}, true }
