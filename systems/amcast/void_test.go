package amcast

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// trio is the replicas of groups 1 (two) and 2 (one), and what is under way between them.
type trio struct {
	*testing.T
	at   map[To]*Replica
	dir  Directory
	now  time.Duration
	lost func(from, to To, p *Packet) bool
}

func seatOf(group uint8, index int) To { return To{Kind: ToReplica, Group: group, Index: index} }

func newTrio(t *testing.T) *trio {
	x := &trio{T: t, at: map[To]*Replica{}, dir: Directory{1: {2, 3}, 2: {1, 1}}}
	for _, to := range []To{seatOf(1, 0), seatOf(1, 1), seatOf(2, 0)} {
		r, err := NewReplica(ReplicaOptions{Group: to.Group, Index: to.Index, Window: 2, Cells: 4, Retry: time.Millisecond, Directory: x.dir})
		require.NoError(t, err)
		x.at[to] = r
	}
	return x
}

// proposed has a replica hear of a proposal of its group: message 2 of client 0, to both groups. Without the payload, a leader says
// so when it is asked for a cell.
func (x *trio) proposed(to To, payload bool) {
	p := Packet{Kind: MsgKnown, From: to.Group, By: to.Group, Groups: both, ID: ID{0, 2}, Epoch: 1, ByEpoch: 1, LTS: 1, Seq: 1, Clock: 1, Mark: 1, Digest: Digest([]byte{2})}
	if payload {
		p.Kind, p.Payload = MsgProp, []byte{2}
	}
	x.at[to].Receive(x.now, &p)
}

// failed has all replicas, or some, know that client 0 has failed.
func (x *trio) failed(list ...To) {
	for _, to := range list {
		x.at[to].ClientFailed(0)
	}
}

// dies takes a replica away, and tells those that are left.
func (x *trio) dies(to To) {
	delete(x.at, to)
	d := x.dir[to.Group]
	d.Alive &^= 1 << to.Index
	x.dir = Directory{1: x.dir[1], 2: x.dir[2]}
	x.dir[to.Group] = d
	for _, r := range x.at {
		r.SetDirectory(x.dir)
	}
}

// settle lets timers fire, and replicas hear from each other.
func (x *trio) settle() {
	for range 8 {
		x.now += time.Second
		for _, r := range x.at {
			r.Tick(x.now)
		}
		x.hear()
	}
}

func (x *trio) hear() {
	for again := true; again; {
		again = false
		for from, r := range x.at {
			for s, ok := r.Poll(); ok; s, ok = r.Poll() {
				if to := x.at[s.To]; s.To.Kind == ToReplica && to != nil && (x.lost == nil || !x.lost(from, s.To, &s.Packet)) {
					again = true
					to.Receive(x.now, &s.Packet)
				}
			}
		}
	}
}

func (x *trio) void() (n uint64) {
	for _, r := range x.at {
		n += r.Stats.Void
	}
	return n
}

var all = []To{seatOf(1, 0), seatOf(1, 1), seatOf(2, 0)}

// TestVoid: a message that nobody has the payload of is void everywhere, and holds up nothing; also where nobody has heard of it.
func TestVoid(t *testing.T) {
	x := newTrio(t)
	x.proposed(seatOf(1, 1), false)
	x.failed(all...)
	x.settle()
	require.EqualValues(t, 3, x.void())
	for to, r := range x.at {
		require.Empty(t, r.open, "%v", to)
		require.True(t, r.delivered(ID{0, 2}))
		_, ok := r.Next()
		require.False(t, ok)
	}
	r := x.at[seatOf(1, 1)]
	require.Zero(t, r.missing())
	// The payload comes after all: too late.
	x.proposed(seatOf(1, 0), true)
	x.at[seatOf(1, 0)].Receive(x.now, &Packet{Kind: MsgDeliver, From: 1, By: 1, Groups: both, ID: ID{0, 2}, Epoch: 1, LTS: 1, ByEpoch: 1, Clock: 5, Mark: 1, Flags: FlagMark, Digest: Digest([]byte{2})})
	_, ok := x.at[seatOf(1, 0)].Next()
	require.False(t, ok)
	// A replica that did not hear of it asks for the seq, and is told.
	r.Receive(x.now, &Packet{Kind: kindFetch, Flags: flagSeq, By: 1, Member: 0, Epoch: 1, Seq: 1})
	s, ok := r.Poll()
	for ; ok && s.Packet.Kind != kindVoid; s, ok = r.Poll() {
	}
	require.True(t, ok)
	require.Equal(t, ID{0, 2}, s.Packet.ID)
}

// TestVoidAlive: of a client that lives, nothing is void.
func TestVoidAlive(t *testing.T) {
	x := newTrio(t)
	x.proposed(seatOf(1, 1), false)
	x.settle()
	require.Zero(t, x.void())
	x.failed(seatOf(1, 0), seatOf(1, 1)) // one does not know yet
	x.settle()
	require.Zero(t, x.void())
}

// TestVoidHeld: one replica, of another group, has the payload: all get it.
func TestVoidHeld(t *testing.T) {
	x := newTrio(t)
	x.proposed(seatOf(1, 1), false)
	x.proposed(seatOf(2, 0), true)
	x.failed(all...)
	x.lost = func(_, _ To, p *Packet) bool { return p.Kind == kindFetch }
	x.settle()
	x.lost = nil // what the decider has, the others ask it for
	x.settle()
	require.Zero(t, x.void())
	for to, r := range x.at {
		require.True(t, to == seatOf(1, 0) && len(r.open) == 0 || r.Holds(ID{0, 2}), "%v", to)
	}
}

// TestVoidPromise: who has promised takes no payload from the network.
func TestVoidPromise(t *testing.T) {
	x := newTrio(t)
	x.proposed(seatOf(1, 1), false)
	x.failed(all...)
	x.lost = func(_, to To, p *Packet) bool { return p.Kind == kindGiveUp && to == seatOf(2, 0) } // so it is not decided
	x.settle()
	require.Zero(t, x.void(), "not everybody has promised")
	require.True(t, x.at[seatOf(1, 1)].open[ID{0, 2}].promised)
	x.proposed(seatOf(1, 1), true)
	require.False(t, x.at[seatOf(1, 1)].Holds(ID{0, 2}))
	x.lost = nil
	x.settle()
	require.EqualValues(t, 3, x.void())
}

// TestVoidDecider: the decider fails, and had given somebody the payload: the next one finds it there.
func TestVoidDecider(t *testing.T) {
	x := newTrio(t)
	x.proposed(seatOf(1, 1), false)
	x.failed(all...)
	x.lost = func(_, to To, _ *Packet) bool { return to == seatOf(2, 0) }
	x.settle() // 1/1 has promised to 1/0, and 2/0 hears nothing
	x.proposed(seatOf(1, 0), true)
	x.settle()
	require.True(t, x.at[seatOf(1, 1)].Holds(ID{0, 2}), "from the decider it takes it")
	x.dies(seatOf(1, 0))
	x.lost = nil
	x.proposed(seatOf(2, 0), false)
	x.settle()
	require.Zero(t, x.void())
	require.True(t, x.at[seatOf(2, 0)].Holds(ID{0, 2}))
}

// TestVoidOther: a payload that comes from somebody else than the decider does not count, since that one may have been waited for
// no longer.
func TestVoidOther(t *testing.T) {
	x := newTrio(t)
	x.proposed(seatOf(1, 1), false)
	x.failed(all...)
	x.lost = func(_, to To, p *Packet) bool { return p.Kind == kindGiveUp && to == seatOf(2, 0) }
	x.settle()
	m := x.at[seatOf(2, 0)].message(&Packet{ID: ID{0, 2}, Groups: both, Digest: Digest([]byte{2})})
	m.payload = []byte{2}
	have := x.at[seatOf(2, 0)].openPacket(m)
	x.at[seatOf(1, 1)].Receive(x.now, &have)
	require.False(t, x.at[seatOf(1, 1)].Holds(ID{0, 2}))
}

// TestVoidAlone: the only replica that is left declares a message void, and delivers what waited behind it, though nobody sends
// anything any more.
func TestVoidAlone(t *testing.T) {
	r, err := NewReplica(ReplicaOptions{Group: 1, Retry: time.Millisecond, Directory: Directory{1: {1, 1}}})
	require.NoError(t, err)
	one, err := NewGroups(1)
	require.NoError(t, err)
	p := Packet{Kind: MsgKnown, From: 1, By: 1, Groups: one, ID: ID{0, 1}, Epoch: 1, ByEpoch: 1, LTS: 1, Seq: 1, Clock: 2, Mark: 2, Digest: Digest([]byte{1})}
	r.Receive(0, &p)
	p.Kind, p.ID, p.LTS, p.Seq, p.Payload, p.Digest = MsgProp, ID{1, 1}, 2, 2, []byte{2}, Digest([]byte{2})
	r.Receive(0, &p)
	for _, d := range []struct {
		id ID
		at uint32
	}{{ID{0, 1}, 1}, {ID{1, 1}, 2}} {
		digest := Digest([]byte{byte(d.at)})
		r.Receive(0, &Packet{Kind: MsgDeliver, From: 1, By: 1, Groups: one, ID: d.id, Epoch: 1, LTS: d.at, Digest: digest})
	}
	_, ok := r.Next()
	require.False(t, ok, "the first waits for its payload")
	r.ClientFailed(0)
	for range doubtful {
		due, ok := r.Deadline()
		require.True(t, ok)
		r.Tick(due)
	}
	require.EqualValues(t, 1, r.Stats.Void)
	d, ok := r.Next()
	require.True(t, ok)
	require.Equal(t, ID{1, 1}, d.ID)
}

// TestVoidForeign: what does not concern a replica changes nothing.
func TestVoidForeign(t *testing.T) {
	x := newTrio(t)
	r := x.at[seatOf(1, 0)]
	r.ClientFailed(0)
	for _, p := range []Packet{
		{Kind: kindVoid, By: 2, Groups: 0x02000000, ID: ID{0, 2}},
		{Kind: kindVoid, By: 3, Groups: both, ID: ID{0, 2}},
		{Kind: kindGiveUp, By: 2, Member: 9, Groups: both, ID: ID{0, 2}},
		{Kind: kindGiveUp, By: 1, Member: 0, Groups: both, ID: ID{0, 2}},
		{Kind: kindVoid, By: 1, Member: 1, Groups: 0x02010000, ID: ID{0, 2}},
	} {
		r.Receive(0, &p)
	}
	require.EqualValues(t, 5, r.Stats.Foreign)
	require.Empty(t, r.open)
	r.Receive(0, &Packet{Kind: kindGiveUp, By: 2, Groups: both, ID: ID{0, 2}}) // it does not decide
	require.Empty(t, polled(r.Poll))
}
