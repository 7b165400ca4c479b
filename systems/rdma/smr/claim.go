package smr

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/p4ce/p4ce/host/replicated"
	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// claim is a record on its way.
type claim struct {
	record []byte
	start  time.Time
	done   chan outcome
	index  uint64
}

type outcome struct {
	result any
	index  uint64
	err    error
}

type barrier struct {
	index uint64
	done  chan error
}

// Propose replicates a record, and returns the state machine's result for this very record, never
// for another. When ctx ends first, the outcome is unknown, as with replicated.ErrUnknownOutcome. A
// server that does not lead returns a *replicated.NotLeaderError. The caller may reuse record when
// Propose returns.
func (n *Node) Propose(ctx context.Context, record []byte) (any, error) {
	if err := n.refuses(); err != nil {
		return nil, err
	}
	p := &claim{record: record, start: time.Now(), done: make(chan outcome, 1)}
	n.lock.Lock()
	if err := n.submit(p); err != nil {
		n.lock.Unlock()
		return nil, err
	}
	n.core.Flush(n.now())
	n.lock.Unlock()
	select {
	case o := <-p.done:
		return o.result, o.err
	case <-ctx.Done():
	}
	n.lock.Lock()
	for i, w := range n.waiting {
		if w == p {
			n.waiting = append(n.waiting[:i], n.waiting[i+1:]...)
			n.lock.Unlock()
			return nil, fmt.Errorf("not proposed: %w", context.Cause(ctx))
		}
	}
	n.lock.Unlock()
	select {
	case o := <-p.done:
		return o.result, o.err
	default:
		return nil, fmt.Errorf("%w: %w", replicated.ErrUnknownOutcome, context.Cause(ctx))
	}
}

// ProposeAll replicates records in this order, and returns one outcome for each. It costs less than
// as many calls of Propose.
func (n *Node) ProposeAll(ctx context.Context, records [][]byte) (results []any, errs []error) {
	ps := make([]*claim, len(records))
	results, errs = make([]any, len(records)), make([]error, len(records))
	if err := n.refuses(); err != nil {
		for i := range errs {
			errs[i] = err
		}
		return results, errs
	}
	n.lock.Lock()
	for i, r := range records {
		p := &claim{record: r, start: time.Now(), done: make(chan outcome, 1)}
		if err := n.submit(p); err != nil {
			errs[i] = err
			continue
		}
		ps[i] = p
	}
	if n.closed == nil {
		n.core.Flush(n.now())
	}
	n.lock.Unlock()
	for i, p := range ps {
		if p == nil {
			continue
		}
		select {
		case o := <-p.done:
			results[i], errs[i] = o.result, o.err
		case <-ctx.Done():
			errs[i] = fmt.Errorf("%w: %w", replicated.ErrUnknownOutcome, context.Cause(ctx))
			// The record belongs to the caller again: nothing that still waits may read it.
			n.lock.Lock()
			for j, w := range n.waiting {
				if w == p {
					n.waiting = append(n.waiting[:j], n.waiting[j+1:]...)
					errs[i] = fmt.Errorf("not proposed: %w", context.Cause(ctx))
					break
				}
			}
			n.lock.Unlock()
		}
	}
	return results, errs
}

// submit proposes a record, or queues it until there is room. The lock is held.
func (n *Node) submit(p *claim) error {
	if n.closed != nil {
		return n.closed
	}
	if len(n.waiting) == 0 {
		done, err := n.try(p)
		if err != nil || done {
			return err
		}
	} else if len(p.record) > n.core.MaxRecord() {
		return fmt.Errorf("%w of %d bytes (this log takes up to %d)", ErrRecord, len(p.record), n.core.MaxRecord())
	}
	n.waiting = append(n.waiting, p)
	return nil
}

// try proposes if there is room.
func (n *Node) try(p *claim) (bool, error) {
	index, ok, err := n.core.Propose(n.now(), p.record)
	if errors.Is(err, mu.ErrNotLeader) {
		return false, n.notLeader()
	}
	if err != nil || !ok {
		return false, err
	}
	n.stats.proposed++
	p.index = index
	n.proposed[index] = p
	return true, nil
}

// room proposes the waiting records. The lock is held.
func (n *Node) room() {
	for len(n.waiting) > 0 {
		p := n.waiting[0]
		ok, err := n.try(p)
		if err == nil && !ok {
			break
		}
		n.waiting[0] = nil
		n.waiting = n.waiting[1:]
		if err != nil {
			p.done <- outcome{err: err}
		}
	}
	n.core.Flush(n.now())
}

// notLeader returns an error that names the leader. The lock is held.
func (n *Node) notLeader() error {
	st := n.core.Status()
	e := &replicated.NotLeaderError{Known: st.Known && st.Leader != n.cfg.ID, ID: uint16(st.Leader)}
	for _, m := range st.Members {
		if m.ID == st.Leader {
			e.Client = m.Client
		}
	}
	return e
}

// Barrier returns when the state machine of this server can be read with everything that was decided
// before the call. This server was the leader after the call. Reads are then linearizable.
func (n *Node) Barrier(ctx context.Context) error {
	if err := n.refuses(); err != nil {
		return err
	}
	b := &barrier{done: make(chan error, 1)}
	n.lock.Lock()
	if n.closed != nil {
		n.lock.Unlock()
		return n.closed
	}
	n.barrier++
	id := n.barrier
	n.barriers[id] = b
	if err := n.core.Barrier(n.now(), id); err != nil {
		delete(n.barriers, id)
		err := n.notLeader()
		n.lock.Unlock()
		return err
	}
	n.lock.Unlock()
	select {
	case err := <-b.done:
		return err
	case <-ctx.Done():
	}
	n.lock.Lock()
	delete(n.barriers, id)
	n.lock.Unlock()
	return context.Cause(ctx)
}

// Leased reports whether this server leads by a lease (mu.Config.Lease). If so, reads of its state
// machine after the call are linearizable without a barrier.
func (n *Node) Leased() bool {
	until := n.lease.Load()
	return until != 0 && int64(n.now()) < until && n.ctx.Err() == nil
}
