package fabric

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/wire"
)

// A mark is for packets whose sender can do with it, and leaves them whole.
func TestMark(t *testing.T) {
	packet := func(tos uint8) []byte {
		h := wire.Header{Src: wire.Addr{10, 0, 0, 1}, Dst: wire.Addr{10, 0, 0, 2}, TOS: tos, Opcode: wire.SendOnly, DestQP: 9}
		return wire.AppendFrame(nil, &h, []byte("hello"))
	}
	var p wire.Packet
	for tos, want := range map[uint8]bool{0: false, 0xfc: false, 3: false, 0xfd: true, 2: true} {
		b := packet(tos)
		require.Equal(t, want, mark(b), "TOS %#x", tos)
		require.NoError(t, wire.Parse(b, &p))
		require.True(t, p.IP.ChecksumOK())
		require.True(t, p.ICRCOK())
		require.Equal(t, want || tos == 3, p.IP.ECN() == wire.CE)
		require.Equal(t, tos&^3, p.IP.TOS()&^3)
	}
	require.False(t, mark(make([]byte, 10)))
	require.False(t, mark(make([]byte, 100)), "no IPv4")
}

// A cut takes what waits, what is being sent and what is on the wire, although the link is whole
// again before that would have arrived; what comes afterwards arrives.
func TestCutLosesAll(t *testing.T) {
	f := New(1)
	c := rack(2)
	c.Edge = ProgramPlain
	c.HostLink.Delay = 10 * Microsecond
	require.NoError(t, f.Build(c))
	require.NoError(t, f.Start())
	h := f.Hosts[0].out
	for range 5 {
		h.send(f.copied(make([]byte, 1226))) // 100 ns each
	}
	f.At(150*Nanosecond, func() {
		require.Equal(t, 1, h.Flying())
		require.Equal(t, 4, h.Waiting())
		f.SetDown(h.Link, true)
		h.send(f.copied(make([]byte, 100)))
		f.SetDown(h.Link, false)
		h.send(f.copied(make([]byte, 100)))
		require.NoError(t, f.Check())
	})
	require.NoError(t, f.Run(Second))
	require.EqualValues(t, 6, h.Count.DropDown)
	require.EqualValues(t, 1, h.Count.Delivered)
	require.NoError(t, f.Check())
}

// A switch does not send to a link of its own that is down, whatever the routes say so far.
func TestOwnLinksAtOnce(t *testing.T) {
	f := New(1)
	c := rack(1)
	c.Kind, c.Leaves, c.Spines, c.Edge, c.Core = LeafSpine, 2, 4, ProgramPlain, ProgramPlain
	c.FabricLink, c.RouteDelay = fast(), Second
	require.NoError(t, f.Build(c))
	require.NoError(t, f.Start())
	for _, name := range []string{"leaf1-spine1", "leaf1-spine3"} {
		l, ok := f.Link(name)
		require.True(t, ok)
		f.SetDown(l, true)
	}
	a, b := f.Hosts[0], f.Hosts[1]
	const flows = 64
	for i := range uint16(flows) {
		h := wire.Header{SrcMAC: a.mac, DstMAC: b.mac, Src: a.addr, Dst: b.addr, SrcPort: i, Opcode: wire.SendOnly, DestQP: 9}
		a.out.send(f.copied(wire.AppendFrame(nil, &h, nil)))
	}
	require.NoError(t, f.Run(Millisecond))
	require.EqualValues(t, flows, b.Count.In)
	for _, name := range []string{"leaf1-spine2", "leaf1-spine4"} {
		l, _ := f.Link(name)
		require.NotZero(t, l.Half[0].Count.Delivered, "flows are spread")
	}
}

// again is an endpoint that asks to be asked while it is.
type again struct {
	h *Host
	n byte
}

func (a *again) Receive(time.Duration, []byte) {}

func (a *again) Next(_ time.Duration, b []byte) []byte {
	if a.n == 3 {
		return b
	}
	a.n++
	n := a.n
	a.h.Send()
	if n == 1 { // nothing yet: it is asked again
		return b
	}
	return append(b, append(make([]byte, 60), n)...)
}

// A host whose endpoint asks to be asked while it makes a frame sends one after the other.
func TestAskedWhileAsked(t *testing.T) {
	f := New(1)
	c := rack(2)
	require.NoError(t, f.Build(c))
	require.NoError(t, f.Start())
	h := f.Hosts[0]
	h.endpoint = &again{h: h}
	var got []byte
	f.Tap(TapFunc(func(_ Time, at *Half, b []byte) {
		if at == h.out {
			got = append(got, b[60])
		}
	}))
	h.Send()
	require.NoError(t, f.Run(Millisecond))
	require.Equal(t, []byte{2, 3}, got)
	require.NoError(t, f.Check())
}
