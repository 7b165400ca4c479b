package smr

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/replicated"
	"github.com/p4ce/p4ce/systems/rdma/internal/hosttest"
	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// disk is a state machine whose steps the test sees and holds up.
type disk struct {
	sum
	mu     sync.Mutex
	events []string
	state  []byte // the last that was stored
	onSync func() error
	wrong  bool // results of another number
}

func (s *disk) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, fmt.Sprintf(format, args...))
}

func (s *disk) noted() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.events)
}

func (s *disk) Apply(entries []replicated.Entry, state []byte) ([]any, error) {
	for _, e := range entries {
		s.note("apply %d %s", e.Index, e.Record)
	}
	s.mu.Lock()
	s.state = bytes.Clone(state)
	s.mu.Unlock()
	results, err := s.sum.Apply(entries, state)
	if s.wrong {
		results = append(results, nil)
	}
	return results, err
}

func (s *disk) Sync() error {
	s.note("sync")
	if s.onSync != nil {
		return s.onSync()
	}
	return nil
}

// decided gives the node decided entries, as its core does.
func (d *driven) decided(list ...mu.Decided) {
	d.call(func(e *env) {
		for _, x := range list {
			e.Apply(x)
		}
	})
}

// propose makes a claim for the record at an index, as if it had been proposed.
func (d *driven) propose(index uint64, record string) *claim {
	p := &claim{record: []byte(record), start: time.Now(), done: make(chan outcome, 1), index: index}
	d.call(func(*env) { d.proposed[index] = p })
	return p
}

func entryOf(index uint64, record string) mu.Decided {
	return mu.Decided{Index: index, Position: 100 * (index + 1), Record: []byte(record)}
}

// answered waits for the outcome of a claim.
func (d *driven) answered(p *claim) outcome {
	d.t.Helper()
	select {
	case o := <-p.done:
		return o
	case <-hosttest.Context(d.t).Done():
		d.t.Fatal("no outcome")
	}
	return outcome{}
}

// TestApplyOnceInOrder: what is decided is applied once and in order, and who has
// proposed a record gets the result of that one.
func TestApplyOnceInOrder(t *testing.T) {
	m := &disk{}
	d := newDriven(t, func(c *Config) { c.Machine = m })
	a, b := d.propose(0, "a"), d.propose(1, "b")
	d.decided(entryOf(0, "a"))
	require.Equal(t, outcome{"a", 0, nil}, d.answered(a))
	d.decided(entryOf(0, "a"), entryOf(1, "b"))
	require.Equal(t, outcome{"b", 1, nil}, d.answered(b))
	require.Equal(t, []string{"apply 0 a", "apply 1 b"}, m.noted())
	st, err := parseState(m.state)
	require.NoError(t, err)
	require.EqualValues(t, 2, st.Index)
	require.EqualValues(t, 200, st.Position)
}

// TestMembershipBeforeApplied: a membership is on the disk before anybody hears that it
// has been applied; one without this server is not stored.
func TestMembershipBeforeApplied(t *testing.T) {
	m := &disk{}
	d := newDriven(t, func(c *Config) { c.Machine = m; c.SyncEvery = time.Hour })
	with := []Member{{ID: 1, Addrs: addrPorts(1)}, {ID: 2, Addrs: addrPorts(2)}}
	without := []Member{{ID: 2, Addrs: addrPorts(2)}, {ID: 3, Addrs: addrPorts(3)}}
	checked := make(chan uint64, 1)
	m.onSync = func() error {
		d.lock.Lock()
		defer d.lock.Unlock()
		checked <- d.index
		return nil
	}
	// The records around the membership show how far the server says it is.
	p := d.propose(0, "v")
	d.decided(entryOf(0, "v"), mu.Decided{Index: 1, Position: 150, Members: with})
	require.EqualValues(t, 0, recv(t, checked), "nothing has been reported yet")
	require.NoError(t, d.answered(p).err)
	stored := func() []Member {
		st, err := parseState(m.state)
		require.NoError(t, err)
		return st.Members
	}
	d.until(func() bool { return d.index == 1 })
	require.Len(t, stored(), 2)
	require.Equal(t, mu.ID(1), stored()[0].ID)
	q := d.propose(1, "w")
	d.decided(mu.Decided{Index: 1, Position: 160, Members: without}, entryOf(1, "w"))
	require.NoError(t, d.answered(q).err)
	require.Equal(t, mu.ID(1), stored()[0].ID, "the members that know of this server")
	// A server that is no member stores what it hears of others.
	m2 := &disk{}
	d2 := newDriven(t, func(c *Config) { c.Machine = m2 })
	r := d2.propose(0, "v")
	d2.decided(mu.Decided{Position: 50, Members: without}, entryOf(0, "v"))
	require.NoError(t, d2.answered(r).err)
	st, err := parseState(m2.state)
	require.NoError(t, err)
	require.Equal(t, mu.ID(2), st.Members[0].ID)
}

// TestMembershipThatIsNotSynced: a disk that does not take a membership ends the server.
func TestMembershipThatIsNotSynced(t *testing.T) {
	m := &disk{onSync: func() error { return errTest }}
	d := newDriven(t, func(c *Config) { c.Machine = m; c.SyncEvery = time.Hour })
	d.decided(mu.Decided{Position: 50, Members: []Member{{ID: 1, Addrs: addrPorts(1)}}})
	recv(t, d.Done())
	require.ErrorIs(t, d.Err(), errTest)
}

// TestSyncFails: a disk that fails ends the server.
func TestSyncFails(t *testing.T) {
	m := &disk{onSync: func() error { return errTest }}
	d := newDriven(t, func(c *Config) { c.Machine = m; c.SyncEvery = time.Millisecond })
	d.decided(entryOf(0, "a"))
	recv(t, d.Done())
	require.ErrorIs(t, d.Err(), errTest)
}

// TestWrongResults: a state machine that does not answer each record ends the server, and
// nobody gets another one's result.
func TestWrongResults(t *testing.T) {
	d := newDriven(t, func(c *Config) { c.Machine = &disk{wrong: true} })
	a := d.propose(0, "a")
	d.decided(entryOf(0, "a"))
	require.ErrorIs(t, d.answered(a).err, replicated.ErrUnknownOutcome)
	recv(t, d.Done())
	require.ErrorContains(t, d.Err(), "2 results for 1 records")
}

// TestMembershipIsNobodysRecord: the entry of a membership has the index of the record
// behind it, and is not that record.
func TestMembershipIsNobodysRecord(t *testing.T) {
	d := newDriven(t, func(c *Config) { c.Machine = &disk{} })
	a := d.propose(0, "a")
	d.decided(mu.Decided{Index: 0, Position: 50, Members: []Member{{ID: 1, Addrs: addrPorts(1)}}})
	d.until(func() bool { return d.proposed[0] == a })
	d.decided(entryOf(0, "a"))
	require.Equal(t, outcome{"a", 0, nil}, d.answered(a))
}

// TestSkipIsNobodysRecord: the unused end of the ring moves the position that is stored with the state, and nothing else.
func TestSkipIsNobodysRecord(t *testing.T) {
	m := &disk{}
	d := newDriven(t, func(c *Config) { c.Machine = m })
	a := d.propose(0, "a")
	d.decided(mu.Decided{Index: 0, Position: 64, Skip: true})
	d.until(func() bool { return d.position == 64 })
	d.call(func(*env) {
		require.Same(t, a, d.proposed[0])
		require.Zero(t, d.index)
	})
	next := entryOf(0, "a")
	next.Position += 64
	d.decided(next)
	require.Equal(t, outcome{"a", 0, nil}, d.answered(a))
	d.call(func(*env) { require.EqualValues(t, 1, d.index) })
}

// TestSteppedDown: what was proposed and is not applied has an unknown outcome, and reads wait
// no longer.
func TestSteppedDown(t *testing.T) {
	d := newDriven(t, nil)
	a := d.propose(0, "a")
	w := &claim{record: []byte("w"), done: make(chan outcome, 1)}
	b := &barrier{done: make(chan error, 1)}
	d.call(func(e *env) {
		d.waiting = append(d.waiting, w)
		d.barriers[9] = b
		e.SteppedDown()
		e.Role(mu.Status{Role: mu.Follower})
	})
	require.ErrorIs(t, d.answered(a).err, replicated.ErrUnknownOutcome)
	var not *replicated.NotLeaderError
	err := d.answered(w).err
	require.ErrorAs(t, err, &not, "it was never proposed")
	require.NotErrorIs(t, err, replicated.ErrUnknownOutcome)
	require.ErrorAs(t, recv(t, b.done), &not)
	d.call(func(e *env) { e.Confirmed(9, 0); require.Empty(t, d.proposed); require.Empty(t, d.barriers) })
	require.Empty(t, b.done, "one answer")
}

// TestBarrierWaitsForTheStateMachine: a read is answered when all that was decided before
// it has been applied.
func TestBarrierWaitsForTheStateMachine(t *testing.T) {
	d := newDriven(t, func(c *Config) { c.Machine = &disk{} })
	at := func(index uint64) *barrier {
		b := &barrier{done: make(chan error, 1)}
		d.call(func(e *env) { d.barriers[index] = b; e.Confirmed(index, index) })
		return b
	}
	zero, one, two := at(0), at(1), at(2)
	require.NoError(t, recv(t, zero.done))
	require.Empty(t, one.done)
	p := d.propose(0, "a")
	d.decided(entryOf(0, "a"))
	require.NoError(t, d.answered(p).err)
	require.NoError(t, recv(t, one.done))
	require.Empty(t, two.done)
	d.decided(entryOf(1, "b"))
	require.NoError(t, recv(t, two.done))
}

// TestSnapshots: an image replaces an older state, is itself not replaced by an older one,
// and leaves no claim that might be another's record.
func TestSnapshots(t *testing.T) {
	image := func(position, index uint64, records ...string) []byte {
		var s sum
		for i, r := range records {
			_, err := s.Apply([]replicated.Entry{{Index: uint64(i), Record: []byte(r)}}, nil)
			require.NoError(t, err)
		}
		st := state{Position: position, Index: index}
		s.State = st.encode()
		b := binary.LittleEndian.AppendUint32([]byte{roundLast}, uint32(len(s.State)))
		b = append(b, s.State...)
		i, err := s.Snapshot()
		require.NoError(t, err)
		var buf bytes.Buffer
		_, err = i.WriteTo(&buf)
		require.NoError(t, err)
		return append(b, buf.Bytes()...)
	}
	m := &disk{}
	d := newDriven(t, func(c *Config) { c.Machine = m })
	settle := func() {
		done := make(chan struct{})
		d.apply.do(func() { close(done) })
		recv(t, done)
	}
	a := d.propose(0, "a")
	require.NoError(t, d.takeFrom(bytes.NewReader(image(300, 3, "x", "y", "z")), func([]byte) error { return nil }))
	settle()
	require.ErrorIs(t, d.answered(a).err, replicated.ErrUnknownOutcome)
	require.EqualValues(t, 3, d.index)
	require.EqualValues(t, 3, m.Count)
	require.ErrorIs(t, d.takeFrom(bytes.NewReader(image(200, 2, "x", "y")), func([]byte) error { return nil }), errSuperseded)
	settle()
	require.EqualValues(t, 3, m.Count, "an older image is none")
	// What the image holds is not applied again, and what follows is.
	d.decided(entryOf(2, "z"), entryOf(3, "w"))
	settle()
	require.EqualValues(t, 4, m.Count)
	for _, bad := range [][]byte{nil, {1, 0}, {0xff, 0, 0, 0, 1}, image(900, 9)[:10]} {
		require.Error(t, d.takeFrom(bytes.NewReader(bad), func([]byte) error { return nil }))
	}
	settle()
	require.EqualValues(t, 4, m.Count)
	require.EqualValues(t, 4, d.index)
	require.NoError(t, d.Err())
}

// TestSnapshotIsOfOnePoint: the state that goes with an image is that of the image, and
// the ring is kept from there on before anybody gets it.
func TestSnapshotIsOfOnePoint(t *testing.T) {
	m := &disk{}
	d := newDriven(t, func(c *Config) { c.Machine = m })
	d.call(func(e *env) { e.Connect([]Member{{ID: 2, Addrs: addrPorts(2)}}) })
	p := d.propose(0, "a")
	d.decided(entryOf(0, "a"))
	require.NoError(t, d.answered(p).err)
	r := d.arrive(peerRequest(2, kindSnapshot), hosttest.Addr(2))
	c := recv(t, r.accepted)
	close(r.goOn)
	require.Zero(t, c.qp.access&^0x2, "to read, and nothing else")
	require.NoError(t, c.Close())
	recv(t, r.over)
}

// TestStoredWithoutUs: a state whose members are others is that of a server that waits to
// be added: it must not begin to decide among them.
func TestStoredWithoutUs(t *testing.T) {
	st := state{Position: 8, Index: 1}
	st.setMembers([]Member{{ID: 2, Addrs: addrPorts(2)}, {ID: 3, Addrs: addrPorts(3)}})
	d := newDriven(t, func(c *Config) { c.Machine = &disk{sum: sum{State: st.encode(), Count: 1}} })
	require.True(t, d.waits())
	require.EqualValues(t, 1, d.index)
	// And a membership that it knows counts more than what it was started with.
	st.setMembers([]Member{{ID: 1, Addrs: addrPorts(1)}, {ID: 3, Addrs: addrPorts(3)}})
	d = newDriven(t, func(c *Config) {
		c.Machine = &disk{sum: sum{State: st.encode(), Count: 1}}
		c.Members = []Member{{ID: 1, Addrs: addrPorts(1)}, {ID: 2, Addrs: addrPorts(2)}}
	})
	require.Equal(t, mu.ID(3), d.Status().Members[1].ID)
	x := d.dialled()
	require.Equal(t, netip.AddrPortFrom(hosttest.Addr(3), hosttest.Port), x.to)
}

// TestClosedServerAnswers: a server that ends answers everybody who waits.
func TestClosedServerAnswers(t *testing.T) {
	d := newDriven(t, func(c *Config) { c.Machine = &disk{} })
	proposed := d.propose(1, "b")
	d.decided(entryOf(0, "a"))
	d.until(func() bool { return d.index == 1 })
	waiting := &claim{done: make(chan outcome, 1)}
	b, applied := &barrier{done: make(chan error, 1)}, &barrier{done: make(chan error, 1)}
	d.call(func(e *env) {
		d.waiting = append(d.waiting, waiting)
		d.barriers[1], d.barriers[2] = b, applied
		e.Confirmed(2, 7)
	})
	require.NoError(t, d.Close())
	require.ErrorIs(t, d.answered(proposed).err, replicated.ErrUnknownOutcome)
	err := d.answered(waiting).err
	require.ErrorIs(t, err, ErrNodeClosed)
	require.NotErrorIs(t, err, replicated.ErrUnknownOutcome)
	require.ErrorIs(t, recv(t, b.done), ErrNodeClosed)
	require.ErrorIs(t, recv(t, applied.done), ErrNodeClosed)
	_, err = d.Propose(context.Background(), []byte("x"))
	require.ErrorIs(t, err, ErrNodeClosed)
	require.ErrorIs(t, d.Barrier(context.Background()), ErrNodeClosed)
	// What is decided later is not applied, and whoever proposed it hears so.
	late := &claim{done: make(chan outcome, 1)}
	d.apply.add(entryOf(1, "b"), late)
	require.ErrorIs(t, d.answered(late).err, replicated.ErrUnknownOutcome)
	require.True(t, errors.Is(d.Err(), ErrNodeClosed))
}
