package smr

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/p4ce/p4ce/host/durable"
	"github.com/p4ce/p4ce/host/replicated"
	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// state is what the protocol stores with the state machine's state: position and index, 8 bytes each
// in little-endian order, and the membership.
type state struct {
	Position uint64 // in the log, behind the last entry applied
	Index    uint64 // of the next record
	Members  []Member
	members  []byte // encoded
}

func hasMember(members []Member, id mu.ID) bool {
	return slices.ContainsFunc(members, func(m Member) bool { return m.ID == id })
}

func loadState(m replicated.StateMachine) (state, error) {
	b, err := m.Load()
	if err != nil || len(b) == 0 {
		return state{}, err
	}
	return parseState(b)
}

func parseState(b []byte) (state, error) {
	if len(b) < 16 {
		return state{}, fmt.Errorf("stored state of %d bytes (the data is of another program, or damaged)", len(b))
	}
	s := state{Position: binary.LittleEndian.Uint64(b), Index: binary.LittleEndian.Uint64(b[8:])}
	if len(b) > 16 {
		var err error
		if s.Members, err = mu.DecodeMembers(b[16:]); err != nil {
			return s, fmt.Errorf("stored state: %w (the data is of another program, or damaged)", err)
		}
	}
	s.setMembers(s.Members)
	return s, nil
}

func (s *state) setMembers(members []Member) {
	s.Members, s.members = members, nil
	if len(members) > 0 {
		s.members = mu.EncodeMembers(members)
	}
}

// change processes a decided membership. A membership without this server is not stored: after a loss
// of power, servers that do not know it yet need this server as the member that it was.
func (s *state) change(members []Member, id mu.ID) {
	if hasMember(members, id) || !hasMember(s.Members, id) {
		s.setMembers(members)
	}
}

func (s *state) encode() []byte {
	b := make([]byte, 16, 16+len(s.members))
	binary.LittleEndian.PutUint64(b, s.Position)
	binary.LittleEndian.PutUint64(b[8:], s.Index)
	return append(b, s.members...)
}

// applier gives decided records to the state machine, in batches.
type applier struct {
	n *Node

	mu      sync.Mutex // guards the fields below
	cond    sync.Cond
	queue   []decided
	bytes   []byte // of the queue's records
	jobs    []func()
	stopped bool

	disk, syncs durable.Watch // of Apply and Sync
	st          state         // of the state machine; only the goroutine uses it
}

// decided is an entry in the queue.
type decided struct {
	index, position uint64
	at, len         int // size of the record in bytes
	members         []Member
	skip            bool   // the unused end of the ring
	p               *claim // the waiting proposal, on the leader
}

// maxBatch is the number of records of one call of Apply.
const maxBatch = 1024

func (a *applier) init(n *Node, st state) {
	a.n, a.st = n, st
	a.cond.L = &a.mu
}

// abandon ends proposals that were decided and are not applied on this server.
func (a *applier) abandon(queue []decided, err error) {
	for i := range queue {
		if p := queue[i].p; p != nil {
			p.done <- outcome{err: fmt.Errorf("%w: %w", replicated.ErrUnknownOutcome, err)}
		}
	}
}

// add queues an entry.
func (a *applier) add(d mu.Decided, p *claim) {
	a.mu.Lock()
	if a.stopped {
		a.mu.Unlock()
		a.abandon([]decided{{p: p}}, ErrNodeClosed)
		return
	}
	a.queue = append(a.queue, decided{d.Index, d.Position, len(a.bytes), len(d.Record), d.Members, d.Skip, p})
	a.bytes = append(a.bytes, d.Record...)
	a.cond.Signal()
	a.mu.Unlock()
}

// do runs f on the applying goroutine, after everything in the queue.
func (a *applier) do(f func()) {
	a.mu.Lock()
	a.jobs = append(a.jobs, f) // f never runs if the goroutine has stopped: callers also watch the node's context
	a.cond.Signal()
	a.mu.Unlock()
}

func (a *applier) stop() {
	a.mu.Lock()
	a.stopped = true
	a.cond.Broadcast()
	a.mu.Unlock()
}

// run is the goroutine that applies.
func (a *applier) run() {
	var queue, spare []decided
	var bytes, spareBytes []byte
	entries := make([]replicated.Entry, 0, maxBatch)
	for {
		a.mu.Lock()
		for len(a.queue) == 0 && len(a.jobs) == 0 && !a.stopped {
			a.cond.Wait()
		}
		if a.stopped {
			rest := a.queue
			a.queue = nil
			a.mu.Unlock()
			a.abandon(rest, ErrNodeClosed)
			return
		}
		queue, a.queue = a.queue, spare[:0]
		bytes, a.bytes = a.bytes, spareBytes[:0]
		jobs := a.jobs
		a.jobs = nil
		a.mu.Unlock()
		for rest := queue; len(rest) > 0; {
			n := min(len(rest), maxBatch)
			if err := a.batch(rest[:n], bytes, entries); err != nil {
				err = fmt.Errorf("state machine: %w", err)
				a.n.fail(err)
				a.abandon(rest, err)
				a.mu.Lock()
				a.stopped = true
				rest = a.queue
				a.queue = nil
				a.mu.Unlock()
				a.abandon(rest, err)
				return
			}
			rest = rest[n:]
		}
		for _, f := range jobs {
			f()
		}
		clear(queue)
		spare, spareBytes = queue, bytes
	}
}

// batch applies entries and ends their proposals.
func (a *applier) batch(queue []decided, bytes []byte, entries []replicated.Entry) error {
	entries = entries[:0]
	st := a.st
	for i := range queue {
		d := &queue[i]
		if d.position <= a.st.Position {
			continue // part of a snapshot
		}
		st.Position, st.Index = d.position, d.index
		if d.skip {
			continue
		}
		if d.members != nil {
			st.change(d.members, a.n.cfg.ID)
			continue
		}
		st.Index++
		entries = append(entries, replicated.Entry{Index: d.index, Record: bytes[d.at : d.at+d.len]})
	}
	if st.Position == a.st.Position {
		return nil
	}
	a.disk.Begin(a.n.now())
	defer a.disk.End()
	results, err := a.n.cfg.Machine.Apply(entries, st.encode())
	if err != nil {
		return err
	}
	if len(results) != len(entries) {
		return fmt.Errorf("%d results for %d records", len(results), len(entries))
	}
	skipped := a.st.Position
	if string(st.members) != string(a.st.members) {
		// After a loss of power it says which servers are needed to start again.
		if err := a.n.cfg.Machine.Sync(); err != nil {
			return fmt.Errorf("sync: %w", err)
		}
	}
	a.st = st
	n := a.n
	now := time.Now()
	n.lock.Lock()
	defer n.lock.Unlock()
	k := 0
	for i := range queue {
		d := &queue[i]
		if d.position <= skipped || d.members != nil || d.skip {
			continue
		}
		if p := d.p; p != nil {
			n.stats.decided(now.Sub(p.start))
			p.done <- outcome{results[k], d.index, nil}
		}
		k++
	}
	n.stats.applied += uint64(len(entries))
	n.index, n.position = st.Index, st.Position
	rest := n.applied[:0]
	for _, b := range n.applied {
		if b.index <= n.index {
			b.done <- nil
		} else {
			rest = append(rest, b)
		}
	}
	clear(n.applied[len(rest):])
	n.applied = rest
	if n.closed == nil {
		n.core.Applied(n.now(), st.Position, st.Index)
	}
	return nil
}

// sync is the goroutine that brings the state machine's state to disk. The journal need not keep what
// the state has.
func (a *applier) sync() {
	t := time.NewTicker(a.n.cfg.SyncEvery)
	defer t.Stop()
	n := a.n
	var synced uint64
	for {
		select {
		case <-t.C:
		case <-n.ctx.Done():
			return
		}
		n.lock.Lock()
		position := n.position
		n.lock.Unlock()
		if position == synced {
			continue
		}
		a.syncs.Begin(n.now())
		err := n.cfg.Machine.Sync()
		a.syncs.End()
		if err != nil {
			n.fail(fmt.Errorf("state machine: sync: %w", err))
			return
		}
		synced = position
		if n.journal != nil {
			if err := n.journal.Trim(position); err != nil {
				n.fail(err)
				return
			}
		}
	}
}

// errSuperseded is returned when a snapshot holds nothing new.
var errSuperseded = errors.New("snapshot is not newer than the state")
