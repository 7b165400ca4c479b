package amcast

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/amcast/private"
)

func endOf(n byte, port uint16) End {
	return End{MAC: wire.MAC{2, 0, 0, 0, 0, n}, IP: wire.Addr{10, 0, 0, n}, Port: port}
}

// twoGroups is the place of a host that has replicas of two groups; another one has the second replica of the first.
func twoGroups() *Place {
	return &Place{
		Self: endOf(1, HostPort), Controller: endOf(9, 0), Hosts: []End{endOf(1, HostPort), endOf(2, HostPort)}, Switches: []wire.Addr{endOf(7, 0).IP, endOf(8, 0).IP, endOf(9, 0).IP},
		Groups: map[uint8]*private.GroupPlace{
			1: {Own: 0, Replicas: []End{endOf(1, PortFirst), endOf(2, PortFirst)}, Leaders: map[uint8]End{0: endOf(8, PortFirst)}},
			2: {Own: 0, Replicas: []End{endOf(1, PortFirst+1)}, Leaders: map[uint8]End{0: endOf(8, PortFirst+1), 1: endOf(7, PortFirst)}},
			3: {Own: -1, Replicas: []End{endOf(2, PortFirst+1)}, Leaders: map[uint8]End{}},
		},
	}
}

func view(how uint8, change func(*private.Message)) []byte {
	m := &private.Message{
		Kind: private.View, How: how, Client: 5, Token: 77, Number: 16, Clients: []private.Client{{Number: 5, Host: 0}, {Number: 6, Host: 1}},
		Groups: []private.Group{{Number: 1, Epoch: 1, Alive: 3}, {Number: 2, Leader: 1, Epoch: 2, Alive: 1}, {Number: 3, Alive: 1}, {Number: 9, Epoch: 1, Alive: 1}},
	}
	if change != nil {
		change(m)
	}
	c, s := endOf(9, 0), endOf(1, 0)
	return private.AppendFrame(nil, c.MAC, s.MAC, c.IP, s.IP, m)
}

func joined(t testing.TB) *Endpoint {
	h, err := New(Config{Place: twoGroups(), Token: 77})
	require.NoError(t, err)
	h.Receive(0, view(private.Admitted|private.Serves, nil))
	require.True(t, h.Admitted())
	return h
}

// TestEndpointJoins: a host says Hello until it is admitted, and after that; it may send then.
func TestEndpointJoins(t *testing.T) {
	h, err := New(Config{Place: twoGroups(), Token: 77})
	require.NoError(t, err)
	_, err = h.Multicast(0, one, []byte("x"))
	require.ErrorIs(t, err, ErrAdmission)
	for now := range time.Duration(3) {
		h.Tick(now * 100 * time.Millisecond)
		_, to, m, ok := private.ParseFrame(h.Poll(0, nil))
		require.True(t, ok)
		require.Equal(t, endOf(9, 0).IP, to)
		require.Equal(t, private.Hello, m.Kind)
		require.Empty(t, h.Poll(0, nil))
		h.Receive(0, view(private.Serves, nil))
		require.False(t, h.Admitted(), "its switches do not know it yet")
	}
	h.Receive(0, view(private.Admitted|private.Serves, func(m *private.Message) { m.Token = 78 }))
	require.False(t, h.Admitted(), "it is another run's")
	h.Receive(0, view(private.Admitted|private.Serves, nil))
	id, err := h.Multicast(0, one, []byte("x"))
	require.NoError(t, err)
	require.Equal(t, ID{5, 16}, id)
}

// TestEndpointWays: packets go where the newest epoch's leader is; nobody knows the way to a group without one.
func TestEndpointWays(t *testing.T) {
	h := joined(t)
	to := func(group uint8) wire.Addr {
		g, err := NewGroups(group)
		require.NoError(t, err)
		_, err = h.Multicast(0, g, []byte("x"))
		require.NoError(t, err)
		var e Ends
		for f := h.Poll(0, nil); len(f) > 0; f = h.Poll(0, nil) {
			var p Packet
			e, err = p.Parse(f)
			require.NoError(t, err)
		}
		return e.Dst
	}
	require.Equal(t, endOf(8, 0).IP, to(1))
	require.Equal(t, endOf(7, 0).IP, to(2))
	h.Receive(0, view(private.Admitted|private.Serves, func(m *private.Message) { m.Groups[1].Leader, m.Groups[1].Epoch = 0, 1 }))
	require.Equal(t, endOf(7, 0).IP, to(2), "an old epoch's leader does not lead")
	h.Receive(0, view(private.Admitted|private.Serves, func(m *private.Message) { m.Groups[1].Leader, m.Groups[1].Epoch = 0, 3 }))
	require.Equal(t, endOf(8, 0).IP, to(2))
	require.Zero(t, h.Stats().NoWay)
	to(3)
	require.NotZero(t, h.Stats().NoWay)
}

// TestEndpointFails: who has failed has failed for good; a run that has ended does nothing; replicas that were lost are none.
func TestEndpointFails(t *testing.T) {
	h := joined(t)
	h.Receive(0, view(private.Admitted|private.Serves, func(m *private.Message) { m.Groups[0].Alive = 1 }))
	h.Receive(0, view(private.Admitted|private.Serves, nil))
	require.EqualValues(t, 1, h.dir[1].Alive)
	h.Receive(0, view(private.Admitted, nil))
	_, _, err := h.Next(1)
	require.ErrorIs(t, err, ErrLost)
	_, _, err = h.Next(3)
	require.ErrorIs(t, err, ErrLost)
	h.Receive(0, view(private.Ended, nil))
	require.True(t, h.Ended())
	h.Tick(time.Hour)
	require.Empty(t, h.Poll(0, nil))
	_, err = h.Multicast(0, one, []byte("x"))
	require.ErrorIs(t, err, ErrEnded)
}

// TestEndpointSelf: what a host says to itself needs no network: its replica tells its client that it has delivered.
func TestEndpointSelf(t *testing.T) {
	h := joined(t)
	id, err := h.Multicast(0, 0x02000000, []byte("x"))
	require.NoError(t, err)
	for len(h.Poll(0, nil)) > 0 {
	}
	say := func(p Packet) {
		p.Groups, p.ID, p.Epoch, p.Digest = 0x02000000, id, 2, Digest([]byte("x"))
		l, s := endOf(7, PortFirst), endOf(1, PortFirst+1)
		h.Receive(0, p.Append(nil, Ends{l.MAC, s.MAC, l.IP, s.IP, l.Port, s.Port}))
	}
	say(Packet{Kind: MsgProp, From: 2, By: 2, LTS: 3, Seq: 1, ByEpoch: 2, Clock: 3, Mark: 1, Payload: []byte("x")})
	say(Packet{Kind: MsgDeliver, From: 2, By: 2, LTS: 3, ByEpoch: 2, Clock: 3, Mark: 1, Flags: FlagMark})
	d, ok, err := h.Next(2)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "x", string(d.Payload))
	require.Equal(t, 1, h.Open())
	require.Empty(t, h.Poll(0, nil))
	require.Zero(t, h.Open(), "all its replicas have it")
	h.Leave()
	_, _, m, ok := private.ParseFrame(h.Poll(0, nil))
	require.True(t, ok)
	require.Equal(t, private.Leave, m.Kind)
	require.EqualValues(t, 17, m.Number)
}

// TestEndpointGenuine: a packet counts only if it is from who may send it.
func TestEndpointGenuine(t *testing.T) {
	host, other, stranger, leader := endOf(2, 0).IP, endOf(1, 0).IP, endOf(3, 0).IP, endOf(8, 0).IP
	for _, c := range []struct {
		p    Packet
		from wire.Addr
		want bool
	}{
		{Packet{Kind: MsgProp, From: 1}, leader, true},
		{Packet{Kind: MsgProp, From: 1}, host, false},
		{Packet{Kind: MsgMark, By: 1}, stranger, false},
		{Packet{Kind: kindDone, By: 1, Member: 1}, host, true},
		{Packet{Kind: kindDone, By: 1, Member: 1}, stranger, false},
		{Packet{Kind: kindDone, By: 1, Member: 0}, host, false},
		{Packet{Kind: kindDone, By: 1, Member: 9}, host, false},
		{Packet{Kind: kindVoid, By: 2, Member: 0}, host, false},
		{Packet{Kind: kindHave, ID: ID{6, 16}}, host, true},
		{Packet{Kind: kindHave, ID: ID{6, 16}}, other, false},
		{Packet{Kind: kindHave, ID: ID{7, 16}}, host, false},
		{Packet{Kind: kindHave, By: 1, Member: 1, ID: ID{5, 16}}, host, true},
	} {
		require.Equal(t, c.want, joined(t).genuine(&c.p, c.from), "%+v from %v", c.p, c.from)
	}
	h := joined(t)
	p, s := Packet{Kind: MsgMark, By: 1, Groups: one, ByEpoch: 1, Clock: 9}, endOf(1, PortFirst)
	before := h.Stats().Foreign
	h.Receive(0, p.Append(nil, Ends{SrcMAC: s.MAC, DstMAC: s.MAC, Src: host, Dst: s.IP, SrcPort: PortFirst, DstPort: s.Port}))
	require.EqualValues(t, 1, h.Stats().Foreign-before)
	require.Zero(t, h.replicas[1].clock)
}

// FuzzEndpoint: whatever comes, with checksums that are right, a host goes on.
func FuzzEndpoint(f *testing.F) {
	f.Add(uint8(MsgProp), uint8(0), uint8(1), uint8(1), uint8(0), uint32(one), uint16(5), uint32(16), uint32(1), uint32(1), uint32(1), uint32(1), uint32(1), uint8(0), []byte("x"))
	f.Add(uint8(MsgTold), uint8(0), uint8(1), uint8(1), uint8(0), uint32(both), uint16(5), uint32(16), uint32(1), uint32(RingHere|5), uint32(1), uint32(9), uint32(9), uint8(0), []byte{})
	f.Add(uint8(kindVoid), uint8(4), uint8(1), uint8(1), uint8(1), uint32(both), uint16(5), uint32(16), uint32(1), uint32(0), uint32(1), uint32(9), uint32(9), uint8(0), []byte{})
	f.Fuzz(func(t *testing.T, kind, flags, from, by, member uint8, groups uint32, client uint16, number, epoch, lts, seq, clock, mark uint32, port uint8, payload []byte) {
		if len(payload) > MaxPayload {
			return
		}
		h := joined(t)
		if _, err := h.Multicast(0, both, []byte("mine")); err != nil {
			t.Fatal(err)
		}
		s := endOf(1, PortFirst+uint16(port%16))
		for n := range uint32(4) { // each kind, and then what is said about it
			p := Packet{Kind: Message(kind), Flags: flags, From: from, By: by, Groups: Groups(groups), ID: ID{client, number + n}, Member: member, Epoch: epoch, LTS: lts, Seq: seq + n, ByEpoch: epoch, Clock: clock, Mark: mark, Digest: Digest(payload), Payload: payload}
			h.Receive(time.Duration(n), p.Append(nil, Ends{SrcMAC: s.MAC, DstMAC: s.MAC, Src: endOf([]byte{7, 2, 1}[port%3], 0).IP, Dst: s.IP, SrcPort: PortFirst, DstPort: s.Port}))
			kind = kind%40 + 1
			h.Tick(time.Duration(n+1) * time.Second)
			for i := 0; len(h.Poll(0, nil)) > 0; i++ {
				if i > 100000 {
					t.Fatal("it does not stop")
				}
			}
		}
	})
}
