package fabric

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/wire"
)

// overtaken reports whether frames of a link come out in another order than they went in.
func overtaken(t *testing.T) bool {
	f := New(1)
	c := rack(2)
	c.Edge = ProgramPlain
	require.NoError(t, f.Build(c))
	require.NoError(t, f.Start())
	h := f.Hosts[0].out
	var got []byte
	f.Tap(TapFunc(func(_ Time, at *Half, b []byte) {
		if at == h {
			got = append(got, b[60])
		}
	}))
	for i := range byte(100) {
		fr := f.copied(make([]byte, 64+int(i)%3*400))
		fr.B[60] = i
		h.send(fr)
	}
	require.NoError(t, f.Run(Second))
	require.Len(t, got, 100)
	for i, n := range got {
		if int(n) != i {
			return true
		}
	}
	return false
}

func TestFIFO(t *testing.T) {
	require.False(t, overtaken(t))
}

// A frame arrives when rate, length and delay say.
func TestTiming(t *testing.T) {
	f := New(1)
	c := rack(2)
	c.Edge = ProgramPlain
	c.HostLink = LinkConfig{Rate: 10e9, Delay: 3 * Microsecond}
	require.NoError(t, f.Build(c))
	require.NoError(t, f.Start())
	var at []Time
	f.Tap(TapFunc(func(now Time, h *Half, _ []byte) { at = append(at, now) }))
	out := f.Hosts[0].out
	out.send(f.copied(make([]byte, 1226))) // 1250 bytes with preamble, FCS and gap: 1 us
	out.send(f.copied(make([]byte, 10)))   // 84 bytes: as long as a frame is at least
	require.NoError(t, f.Run(Second))
	require.Equal(t, []Time{4 * Microsecond, 4*Microsecond + 67200*Picosecond}, at)
}

// Clocks are monotonic, and Global is the first time at which Local is reached.
func TestClock(t *testing.T) {
	for _, c := range []Clock{{}, {Offset: Second}, {Drift: 50_000}, {Offset: Millisecond, Drift: -50_000}, {Drift: 1_000_000}} {
		for _, at := range []Time{0, 1, 999, Microsecond + 1, Second - 1, 1000*Second + 7} {
			local := c.Local(at)
			g := c.Global(local)
			require.LessOrEqual(t, g, at)
			require.GreaterOrEqual(t, c.Local(g), local)
			require.Less(t, c.Local(g-1), local)
		}
	}
	require.Equal(t, Never, (&Clock{}).Global(Never))
	fast := Clock{Drift: 100_000}
	require.Equal(t, Second+100*Microsecond, fast.Local(Second))
}

// A plain switch routes what is addressed to itself, and does not let it go in circles.
func TestPlainRoutes(t *testing.T) {
	f := New(1)
	c := rack(2)
	c.Edge = ProgramPlain
	require.NoError(t, f.Build(c))
	require.NoError(t, f.Start())
	s, a, b := f.Switches[0], f.Hosts[0], f.Hosts[1]
	packet := func(ttl uint8) *Frame {
		h := wire.Header{SrcMAC: a.mac, DstMAC: s.MAC(), Src: a.addr, Dst: b.addr, TTL: ttl, Opcode: wire.SendOnly, DestQP: 9}
		return f.copied(wire.AppendFrame(nil, &h, []byte("hello")))
	}
	var p wire.Packet
	n := 0
	f.Tap(TapFunc(func(_ Time, h *Half, fr []byte) {
		if h.To == Node(b) {
			n++
			require.NoError(t, wire.Parse(fr, &p))
			require.Equal(t, uint8(8), p.IP.TTL())
			require.Equal(t, s.MAC(), p.Eth.Src())
			require.True(t, p.ICRCOK())
		}
	}))
	a.out.send(packet(9))
	a.out.send(packet(1))
	stranger := packet(9)
	copy(stranger.B, []byte{2, 9, 9, 9, 9, 9})
	a.out.send(stranger)
	require.NoError(t, f.Run(Second))
	require.Equal(t, 1, n)
	require.Equal(t, map[string]uint64{DropTTL: 1, DropNoRoute: 1}, s.Counters().Drops)
	require.NoError(t, f.Check())
}

// Each of time, place and bytes is in the hash.
func TestHashIsOfEverything(t *testing.T) {
	sum := func(at Time, name string, b byte) uint64 {
		x := NewHash()
		x.Frame(at, &Half{Name: name}, []byte{b})
		return x.Sum()
	}
	require.Equal(t, sum(1, "a>b", 1), sum(1, "a>b", 1))
	for _, other := range []uint64{sum(2, "a>b", 1), sum(1, "b>a", 1), sum(1, "a>b", 2)} {
		require.NotEqual(t, sum(1, "a>b", 1), other)
	}
}

// A host's CPUs take their time for each frame: what comes faster waits, and is still there.
func TestPacketsTakeTime(t *testing.T) {
	c := rack(3)
	c.Host.Packet = Microsecond
	f, _ := echoing(t, 1, c)
	last := map[*Half]Time{}
	waited := 0
	f.Tap(TapFunc(func(at Time, h *Half, _ []byte) {
		if _, ok := h.From.(*Host); ok {
			if before, ok := last[h]; ok {
				require.GreaterOrEqual(t, at-before, Microsecond, h.Name)
			}
			last[h] = at
		}
	}))
	h := f.Hosts[0]
	require.NoError(t, f.RunWhile(700*Microsecond, func() bool {
		require.NoError(t, f.Check())
		waited = max(waited, h.waiting)
		return true
	}))
	require.Greater(t, waited, 10, "two hosts send to one")
	require.Zero(t, h.waiting)
	require.EqualValues(t, 600, h.Count.In)
	require.EqualValues(t, 600, h.Count.Out)
	require.GreaterOrEqual(t, last[h.out], 600*Microsecond)
}

// A frame is damaged once at most, on however many links, and so is a duplicate.
func TestDamagedOnce(t *testing.T) {
	f := New(1)
	c := rack(2)
	c.HostLink.Faults = Faults{Corrupt: 1, Duplicate: 0.5}
	require.NoError(t, f.Build(c))
	require.NoError(t, f.Start())
	a, b := f.Hosts[0], f.Hosts[1]
	h := wire.Header{SrcMAC: a.mac, DstMAC: b.mac, Src: a.addr, Dst: b.addr, TTL: 9, Opcode: wire.SendOnly, DestQP: 9}
	sent := wire.AppendFrame(nil, &h, make([]byte, 500))
	arrived := 0
	f.Tap(TapFunc(func(_ Time, h *Half, got []byte) {
		if h.To == Node(b) {
			arrived++
			flipped := 0
			for i := range got {
				flipped += bits.OnesCount8(got[i] ^ sent[i])
			}
			require.Equal(t, 1, flipped)
		}
	}))
	for range 100 {
		a.out.send(f.copied(sent))
	}
	require.NoError(t, f.Run(Second))
	require.Greater(t, arrived, 100)
}
