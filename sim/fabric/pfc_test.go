package fabric

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/wire"
)

// blast is an endpoint that sends frames to a host, one class after the other.
type blast struct {
	h       *Host
	to      *Host
	left    [Classes]int
	size    int
	heeds   bool // it gives nothing of a stopped class
	arrived [Classes]int
	last    [Classes]Time // when the last one arrived
}

func (e *blast) Receive(_ time.Duration, b []byte) {
	e.arrived[classOf(b)]++
	e.last[classOf(b)] = e.h.f.Now()
}

func (e *blast) Next(_ time.Duration, b []byte) []byte {
	for class := range e.left {
		if e.left[class] == 0 || e.heeds && e.h.Stopped()>>class&1 != 0 {
			continue
		}
		e.left[class]--
		h := wire.Header{
			SrcMAC: e.h.mac, DstMAC: e.to.mac, Src: e.h.addr, Dst: e.to.addr, TOS: ClassTOS(class), Opcode: wire.SendOnly, DestQP: 9, SrcPort: uint16(e.h.number),
		}
		return wire.AppendFrame(b, &h, make([]byte, e.size))
	}
	return b
}

// blasts gives every host such an endpoint.
func blasts(t *testing.T, c TopologyConfig) (*Fabric, []*blast) {
	f := New(1)
	require.NoError(t, f.Build(c))
	require.NoError(t, f.Start())
	var all []*blast
	for _, h := range f.Hosts {
		e := &blast{h: h, size: 1000, heeds: true}
		h.endpoint = e
		all = append(all, e)
	}
	return f, all
}

// calm demands that nothing is held, and nobody is stopped.
func calm(t *testing.T, f *Fabric) {
	t.Helper()
	require.NoError(t, f.Check())
	for _, l := range f.Links {
		for _, h := range l.Half {
			for class := range h.lanes {
				x := &h.lanes[class]
				require.False(t, x.paused || x.stopping, "%s: class %d is still stopped", h.Name, class)
				require.Zero(t, x.held, "%s: class %d", h.Name, class)
			}
		}
	}
}

// Without PFC a switch drops what comes too fast, whatever its queue; with PFC it drops nothing, and holds no more of a link than
// PFCStop and the headroom, which is what it takes: with a third of it frames are lost.
func TestLossless(t *testing.T) {
	run := func(stop, headroom int, delay Time) (drops uint64, most int, f *Fabric) {
		c := rack(8)
		c.HostLink.Queue, c.HostLink.Delay = 30<<10, delay
		c.HostLink.PFCStop, c.HostLink.PFCGo, c.HostLink.PFCHeadroom = stop, stop/2, headroom
		f, all := blasts(t, c)
		for _, e := range all[1:] {
			e.to, e.left[0], e.size = all[0].h, 400, 4000
			e.h.Send()
		}
		require.NoError(t, f.RunWhile(Second, func() bool {
			require.NoError(t, f.Check())
			for _, h := range f.Hosts {
				most = max(most, h.out.lanes[0].held)
			}
			return true
		}))
		calm(t, f)
		require.EqualValues(t, 7*400, uint64(all[0].arrived[0])+lost(f))
		return lost(f), most, f
	}
	drops, _, _ := run(0, 0, Microsecond)
	require.NotZero(t, drops)
	for _, delay := range []Time{100 * Nanosecond, Microsecond, 5 * Microsecond} {
		l := fast()
		l.Delay = delay
		room := l.Headroom(400 * Nanosecond)
		drops, most, f := run(20000, 0, delay)
		require.Zero(t, drops, "a delay of %v", delay)
		require.Greater(t, most, 20000)
		require.LessOrEqual(t, most, 20000+room)
		drops, _, _ = run(20000, room/3, delay)
		require.NotZero(t, drops, "a delay of %v, and a third of %d bytes", delay, room)
		c, stopped := f.Hosts[1].out.Class(0)
		require.False(t, stopped)
		require.NotZero(t, c.Pauses)
		require.Equal(t, f.Hosts[1].out.Count.Paused, c.Paused)
		c, _ = f.Hosts[1].out.Class(3)
		require.Zero(t, c)
	}
}

// A pause frame takes its own time, that of the wire, and that of the frame that is being sent before it.
func TestPauseTakesTime(t *testing.T) {
	for _, busy := range []bool{false, true} {
		c := rack(2)
		c.HostLink = LinkConfig{Rate: 10e9, Delay: 3 * Microsecond, PFCStop: 1000, PFCGo: 500}
		f, _ := blasts(t, c)
		h := f.Hosts[0].out
		want := 3*Microsecond + 67200*Picosecond // 84 bytes
		if busy {
			h.Reverse().send(f.copied(make([]byte, 1226))) // 1 us
			want += Microsecond
		}
		h.say(opStop, 5)
		at := Never
		require.NoError(t, f.RunWhile(Second, func() bool {
			if h.stopped != 0 {
				at = min(at, f.Now())
			}
			return true
		}))
		require.Equal(t, want, at)
		require.EqualValues(t, 1<<5, h.stopped)
		_, stopped := h.Class(5)
		require.True(t, stopped)
	}
}

// racks is two leaves of four hosts; a spine is between them, without blocking.
func racks(stop int, classes uint8) TopologyConfig {
	c := rack(4)
	c.Kind, c.Leaves, c.Spines, c.Core, c.FabricLink = LeafSpine, 2, 1, ProgramPlain, fast()
	c.FabricLink.Rate = 400e9
	for _, l := range []*LinkConfig{&c.HostLink, &c.FabricLink} {
		l.Queue, l.PFCStop, l.PFCGo, l.PFCClasses = 0, stop, stop/2, classes
	}
	return c
}

// Three hosts send to one behind two other switches: its switch stops the next one, that the next, and that the hosts. Another
// host of theirs, which sends elsewhere, is stopped with them (head-of-line blocking), unless it is of another class. Classes that are
// not lossless are not stopped.
func TestPauseSpreads(t *testing.T) {
	run := func(victim int, classes uint8) (f *Fabric, took Time) {
		f, all := blasts(t, racks(30000, classes))
		for _, e := range all[:3] {
			e.to, e.left[0] = f.Hosts[4], 2000
		}
		all[3].to, all[3].left[victim] = f.Hosts[5], 1000
		for _, e := range all[:4] {
			e.h.Send()
		}
		require.NoError(t, f.Run(Second))
		calm(t, f)
		require.Zero(t, lost(f))
		require.Equal(t, 6000, all[4].arrived[0])
		require.Equal(t, 1000, all[5].arrived[victim])
		return f, all[5].last[victim]
	}
	pauses := func(f *Fabric, name string, half int) uint64 {
		l, ok := f.Link(name)
		require.True(t, ok)
		return l.Half[half].Count.Pauses
	}
	f, blocked := run(0, 0)
	require.NotZero(t, pauses(f, "leaf2-spine1", 1), "the receiver's switch stops the spine")
	require.NotZero(t, pauses(f, "leaf1-spine1", 0), "the spine stops the senders' switch")
	for _, h := range f.Hosts[:4] {
		require.NotZero(t, h.out.Count.Pauses, "%s is stopped", h.name)
	}
	for _, h := range f.Hosts[4:] {
		require.Zero(t, h.out.Count.Pauses)
	}
	f, free := run(3, 0)
	require.Zero(t, f.Hosts[3].out.Count.Pauses)
	require.Greater(t, blocked, 2*free, "the victim waits for what it has nothing to do with")
	f, _ = run(3, 1<<3)
	for _, h := range f.Hosts {
		require.Zero(t, h.out.Count.Pauses, "class 0 is not lossless")
	}
}

// What a host gives of a stopped class waits, and what it gives after it, too; all leaves in order.
func TestStoppedFrameWaits(t *testing.T) {
	f, all := blasts(t, rack(2))
	e := all[0]
	e.heeds, e.to = false, f.Hosts[1]
	e.left[2], e.left[4] = 3, 3
	e.h.out.stop(2)
	e.h.Send()
	require.NoError(t, f.Run(Millisecond))
	require.Equal(t, 1, e.h.out.Waiting())
	require.Zero(t, all[1].arrived[2]+all[1].arrived[4])
	require.NoError(t, f.Check())
	e.h.out.resume(2)
	e.h.Send()
	require.NoError(t, f.Run(Second))
	require.Equal(t, 3, all[1].arrived[2])
	require.Equal(t, 3, all[1].arrived[4])
	calm(t, f)
}

// Classes that wait at a switch take turns.
func TestClassesTakeTurns(t *testing.T) {
	f, _ := blasts(t, rack(2))
	out := f.Hosts[1].out.Reverse()
	var got []int
	f.Tap(TapFunc(func(_ Time, h *Half, b []byte) {
		if h == out {
			got = append(got, classOf(b))
		}
	}))
	for _, class := range []int{0, 0, 0, 5, 5, 7} {
		e := &blast{h: f.Hosts[0], to: f.Hosts[1], size: 100}
		e.left[class] = 1
		out.send(f.copied(e.Next(0, nil)))
	}
	require.NoError(t, f.Run(Second))
	require.Equal(t, []int{0, 5, 7, 0, 5, 0}, got)
}

// Whatever is sent, by whom and when, and whichever links are cut meanwhile: nothing is dropped for want of room, and in the end
// nothing is held, and nobody stopped.
func TestPFCRandom(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 9))
			c := racks(2000+r.IntN(40000), uint8(r.Uint32()))
			c.Spines = 1 + r.IntN(3)
			c.FabricLink.Rate = []uint64{25e9, 100e9, 400e9}[r.IntN(3)]
			c.HostLink.Delay, c.FabricLink.Delay = Time(r.IntN(5000))*Nanosecond, Time(r.IntN(5000))*Nanosecond
			f, all := blasts(t, c)
			for i, e := range all {
				for e.to = f.Hosts[r.IntN(len(all))]; e.to == e.h; {
					e.to = f.Hosts[(i+1)%len(all)]
				}
				e.size, e.heeds = 100+r.IntN(3900), r.IntN(2) == 0
				for class := range e.left {
					if r.IntN(2) == 0 {
						e.left[class] = r.IntN(300)
					}
				}
				f.At(Time(r.IntN(50))*Microsecond, e.h.Send)
			}
			for range r.IntN(4) {
				l := f.Links[r.IntN(len(f.Links))]
				at := Time(r.IntN(200)) * Microsecond
				f.At(at, func() { f.SetDown(l, true) })
				f.At(at+Time(r.IntN(100))*Microsecond, func() { f.SetDown(l, false) })
			}
			n := 0
			require.NoError(t, f.RunWhile(Second, func() bool {
				if n++; n%97 == 0 {
					require.NoError(t, f.Check())
				}
				return true
			}))
			require.Zero(t, lost(f))
			calm(t, f)
			require.Zero(t, f.Held())
		})
	}
}
