package fabric

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// conserved says where frames have come from nothing, or gone without being counted.
func conserved(f *Fabric) error {
	var errs []error
	held := 0
	for _, l := range f.Links {
		for _, h := range l.Half {
			c := &h.Count
			in := c.Offered + c.Duplicated
			out := c.Delivered + c.DropFull + c.DropDown + c.Lost + uint64(h.Waiting()+h.Flying())
			if in != out {
				errs = append(errs, fmt.Errorf("%s: %d frames in, %d out: %+v", h.Name, in, out, *c))
			}
			held += h.Waiting() + h.Flying()
		}
	}
	for _, h := range f.Hosts {
		held += len(h.mads)
	}
	if held != f.Held() {
		errs = append(errs, fmt.Errorf("%d frames are on links, %d exist", held, f.Held()))
	}
	for _, s := range f.Switches {
		c := s.Counters()
		var drops uint64
		for _, n := range c.Drops {
			drops += n
		}
		if got := c.Out + c.Punted + drops; got != c.In+c.Multicast {
			errs = append(errs, fmt.Errorf("%s: %d frames and %d copies in, %d out: %+v", s.Name(), c.In, c.Multicast, got, *c))
		}
	}
	return errors.Join(errs...)
}

// lossy is a rack in which all goes wrong.
func lossy(seed uint64, w weak) (*Fabric, *Load) {
	f := New(seed)
	f.weak = w
	c := rack(4)
	c.HostLink.Faults = Faults{Loss: 0.01, Duplicate: 0.01, Corrupt: 0.01}
	c.HostClock = func(n int) Clock { return Clock{Offset: Time(n) * Millisecond, Drift: int64(n) * 10000} }
	lc := groupOf(500, "h2", "h3", "h4")
	lc.QP.AckTimeout = 200 * time.Microsecond
	if err := errors.Join(f.Build(c), f.Start()); err != nil {
		panic(err)
	}
	l, err := f.NewLoad(0, lc)
	if err != nil {
		panic(err)
	}
	return f, l
}

func hashOf(t *testing.T, seed uint64, w weak) (uint64, *Fabric, *Load) {
	f, l := lossy(seed, w)
	x := NewHash()
	f.Tap(x)
	finish(t, f, l)
	return x.Sum(), f, l
}

// One seed, one result; another seed, another.
func TestDeterministic(t *testing.T) {
	a, _, l := hashOf(t, 7, weak{})
	require.NoError(t, l.Result.Err)
	require.Equal(t, l.Config.Count, l.Result.Done)
	b, _, _ := hashOf(t, 7, weak{})
	require.Equal(t, a, b)
	c, _, _ := hashOf(t, 8, weak{})
	require.NotEqual(t, a, c)
	d, _, _ := hashOf(t, 7, weak{dice: true})
	require.NotEqual(t, a, d, "chance that does not come from the seed is seen")
}

// The same with many switches, whose controllers and routes have maps in them.
func TestDeterministicLeafSpine(t *testing.T) {
	run := func() uint64 {
		r, err := example(t, "leaf-spine").Begin()
		require.NoError(t, err)
		require.NoError(t, r.Fabric.Run(2500*Microsecond))
		return r.Hash.Sum()
	}
	require.Equal(t, run(), run())
}

func TestConservation(t *testing.T) {
	_, f, _ := hashOf(t, 3, weak{})
	require.NoError(t, conserved(f))
	var c HalfCounters
	for _, l := range f.Links {
		for _, h := range l.Half {
			c.Lost, c.Duplicated, c.Corrupted = c.Lost+h.Count.Lost, c.Duplicated+h.Count.Duplicated, c.Corrupted+h.Count.Corrupted
		}
	}
	require.NotZero(t, c.Lost)
	require.NotZero(t, c.Duplicated)
	require.NotZero(t, c.Corrupted)
	_, f, _ = hashOf(t, 3, weak{forget: true})
	require.Error(t, conserved(f), "a loss that is not counted is seen")
}

// What is answered is held: under loss, doubling and damage, with clocks that are wrong.
func TestHeld(t *testing.T) {
	for seed := range uint64(10) {
		_, f, l := hashOf(t, seed, weak{})
		require.NoError(t, l.Result.Err)
		require.Equal(t, l.Config.Count, l.Result.Done)
		require.Zero(t, l.Result.Unheld)
		require.NoError(t, conserved(f))
	}
	_, _, l := hashOf(t, 1, weak{early: true})
	require.NotZero(t, l.Result.Unheld, "memory that forgets what it has acknowledged is seen")
}

// overtaken reports whether frames of a link come out in another order than they went in.
func overtaken(t *testing.T, w weak) bool {
	f := New(1)
	f.weak = w
	c := rack(2)
	c.Edge = ProgramPlain
	require.NoError(t, f.Build(c))
	require.NoError(t, f.Start())
	h := f.Hosts[0].out
	var got []byte
	f.Tap(tapFunc(func(_ Time, at *Half, b []byte) {
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

type tapFunc func(Time, *Half, []byte)

func (fn tapFunc) Frame(at Time, h *Half, b []byte) { fn(at, h, b) }

func TestFIFO(t *testing.T) {
	require.False(t, overtaken(t, weak{}))
	require.True(t, overtaken(t, weak{jitter: true}), "frames that overtake each other are seen")
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
	f.Tap(tapFunc(func(now Time, h *Half, _ []byte) { at = append(at, now) }))
	out := f.Hosts[0].out
	out.send(f.copied(make([]byte, 1226))) // 1250 bytes with preamble, FCS and gap: 1 us
	out.send(f.copied(make([]byte, 10)))   // 84 bytes: as long as a frame is at least
	require.NoError(t, f.Run(Second))
	require.Equal(t, []Time{4 * Microsecond, 4*Microsecond + 67200*Picosecond}, at)
}

// incast is seven senders to one receiver.
func incast(t *testing.T, w weak, change func(*TopologyConfig)) (*Fabric, []*Load) {
	f := New(1)
	f.weak = w
	c := rack(8)
	c.Edge = ProgramPlain
	c.HostLink.Queue = 300 << 10
	change(&c)
	var loads []LoadConfig
	for i := range 7 {
		loads = append(loads, LoadConfig{
			Name: fmt.Sprint("s", i+2), From: fmt.Sprint("h", i+2), To: []string{"h1"}, Via: ViaFanOut, Size: 64 << 10, Count: 20,
			Outstanding: 4, QP: QPConfig{Window: 256, AckTimeout: 20 * time.Millisecond, ECN: true}, Policy: private.PolicyAll,
		})
	}
	l := build(t, f, c, loads...)
	finish(t, f, l...)
	require.NoError(t, conserved(f))
	for _, x := range l {
		require.NoError(t, x.Result.Err)
		require.Zero(t, x.Result.Unheld)
	}
	return f, l
}

// lost counts what queues had no room for.
func lost(f *Fabric) (n uint64) {
	for _, l := range f.Links {
		n += l.Half[0].Count.DropFull + l.Half[1].Count.DropFull
	}
	return n
}

// A full queue drops, PFC keeps it from being full; a sender that does not heed it is seen.
func TestPFC(t *testing.T) {
	f, _ := incast(t, weak{}, func(*TopologyConfig) {})
	require.NotZero(t, lost(f), "without PFC the queue runs over")
	// 30 KiB of each sender, and what comes until it has stopped, fit in.
	pfc := func(c *TopologyConfig) {
		c.HostLink.PFCStop, c.HostLink.PFCGo, c.HostLink.Queue = 30<<10, 20<<10, 600<<10
	}
	f, _ = incast(t, weak{}, pfc)
	require.Zero(t, lost(f))
	var c HalfCounters
	for _, l := range f.Links {
		c.Pauses += l.Half[0].Count.Pauses
		c.Paused += l.Half[0].Count.Paused
	}
	require.NotZero(t, c.Pauses)
	require.NotZero(t, c.Paused)
	require.Zero(t, f.Hosts[0].out.Reverse().Count.Pauses, "hosts take what comes")
	f, _ = incast(t, weak{ignorePause: true}, pfc)
	require.NotZero(t, lost(f), "a sender that goes on is seen")
}

// marked counts marks, and what hosts see of them.
func marked(f *Fabric) (marks, seen, told uint64) {
	for _, l := range f.Links {
		marks += l.Half[0].Count.Marked + l.Half[1].Count.Marked
	}
	for _, h := range f.Hosts {
		seen += h.Count.CE
		told += h.Count.CNP
	}
	return marks, seen, told
}

func TestECN(t *testing.T) {
	large := func(c *TopologyConfig) { c.HostLink.Queue = 16 << 20 }
	f, _ := incast(t, weak{}, large)
	marks, _, _ := marked(f)
	require.Zero(t, marks, "not asked for")
	at := func(c *TopologyConfig) { large(c); c.HostLink.ECNMin = 100 << 10 }
	f, l := incast(t, weak{}, at)
	marks, seen, told := marked(f)
	require.NotZero(t, marks)
	require.Equal(t, marks, seen, "marks arrive, in packets whose checksums are right")
	require.NotZero(t, told, "and the senders hear of them")
	for _, x := range l {
		c := x.channel.Senders()[0].rc.Counters()
		require.Zero(t, c.DropICRC)
		require.Zero(t, c.Retransmitted)
	}
	require.Zero(t, f.Hosts[0].Count.DropFrame)
	for _, l := range f.Links {
		for _, h := range l.Half {
			require.True(t, h.Count.Marked == 0 || h.Peak >= 100<<10, "%s marks below the threshold", h.Name)
		}
	}
	some, _ := incast(t, weak{}, func(c *TopologyConfig) { at(c); c.HostLink.ECNMax, c.HostLink.ECNChance = 16<<20, 0.5 })
	fewer, _, _ := marked(some)
	require.NotZero(t, fewer)
	require.Less(t, fewer, marks)
	none, _ := incast(t, weak{noMarks: true}, at)
	marks, _, _ = marked(none)
	require.Zero(t, marks, "and a queue that does not mark would be seen above")
}

// A link that is cut loses what is on it, and works again afterwards. The group's replica misses
// packets, and the quorum goes on.
func TestCut(t *testing.T) {
	f := New(1)
	lc := groupOf(2000, "h2", "h3", "h4")
	l := build(t, f, rack(4), lc)[0]
	cut, ok := f.Link("h4-s1")
	require.True(t, ok)
	f.At(2200*Microsecond, func() { f.SetDown(cut, true) })
	f.At(2300*Microsecond, func() { f.SetDown(cut, false) })
	finish(t, f, l)
	require.NoError(t, l.Result.Err)
	require.Equal(t, 2000, l.Result.Done)
	require.Zero(t, l.Result.Unheld)
	require.NoError(t, conserved(f))
	require.NotZero(t, cut.Half[0].Count.DropDown+cut.Half[1].Count.DropDown)
}

// A spine that dies: flows go by the other one, and all arrives once.
func TestSpineDies(t *testing.T) {
	f := New(1)
	c := rack(2)
	c.Kind, c.Leaves, c.Spines, c.Edge, c.Core = LeafSpine, 2, 2, ProgramPlain, ProgramPlain
	c.FabricLink, c.RouteDelay = fast(), 100*Microsecond
	lc := groupOf(4000, "h3", "h4")
	lc.Via, lc.Policy = ViaFanOut, private.PolicyAll
	other := lc
	other.Name, other.From = "other", "h2"
	l := build(t, f, c, lc, other)
	f.At(3*Millisecond, func() {
		for _, k := range f.Links {
			if k.Half[0].To.Name() == "spine1" {
				f.SetDown(k, true)
			}
		}
	})
	used := map[string]bool{}
	f.Tap(tapFunc(func(at Time, h *Half, _ []byte) {
		if at < 3*Millisecond {
			used[h.To.Name()] = true
		} else if at > 3200*Microsecond {
			require.NotEqual(t, "spine1", h.To.Name())
		}
	}))
	finish(t, f, l...)
	require.True(t, used["spine1"] && used["spine2"], "ECMP uses both")
	for _, x := range l {
		require.NoError(t, x.Result.Err)
		require.Equal(t, 4000, x.Result.Done)
		require.Zero(t, x.Result.Unheld)
	}
	require.NoError(t, conserved(f))
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
	f.Tap(tapFunc(func(_ Time, h *Half, fr []byte) {
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
	require.Equal(t, uint64(1), b.Count.DropQP)
	require.NoError(t, conserved(f))
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
