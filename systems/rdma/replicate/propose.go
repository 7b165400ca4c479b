package replicate

import (
	"context"
	"fmt"
	"sync"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// waiter is what Propose waits with; it is used again and again.
type waiter struct {
	ch   chan error
	done func(error)
}

var waiters = sync.Pool{New: func() any {
	w := &waiter{ch: make(chan error, 1)}
	w.done = func(err error) { w.ch <- err }
	return w
}}

// Propose appends a record and returns nil when it is decided. When ctx ends
// first the outcome is unknown: the record may be decided later. rec may be used
// again when Propose returns.
func (l *Leader) Propose(ctx context.Context, rec []byte) error {
	w := waiters.Get().(*waiter)
	if err := l.submit(ctx, rec, w.done); err != nil {
		waiters.Put(w)
		return err
	}
	select {
	case err := <-w.ch:
		waiters.Put(w)
		return err
	case <-ctx.Done():
		return ctx.Err() // the waiter is still in use
	}
}

// ProposeAsync appends a record and returns; done is called when the record is
// decided, with nil, or when the leader has failed. Calls are made in the order of
// the records, from the leader's goroutine: done must not block, and must not call
// ProposeAsync or Propose. ProposeAsync waits while the window or the log is full.
// If it returns an error, done is not called. rec may be used again when it
// returns.
func (l *Leader) ProposeAsync(rec []byte, done func(error)) error {
	return l.submit(context.Background(), rec, done)
}

// TryPropose is ProposeAsync that does not wait: ok is false if there is no room at the moment. done may call it, in
// contrast to the others: a client that proposes the next record when one is decided takes part in no other
// goroutine's work. What is proposed by the calls of one batch of completions is posted together.
func (l *Leader) TryPropose(rec []byte, done func(error)) (ok bool, err error) {
	if err := l.check(rec); err != nil {
		return false, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.mayAppend(len(rec)) {
		return false, nil
	}
	if l.err != nil {
		return false, l.err
	}
	l.append(rec, done)
	return true, nil
}

// Together calls f, which proposes records with TryPropose, and posts them with one doorbell. done may be called before it
// returns: the caller holds no lock that done takes.
func (l *Leader) Together(f func()) {
	rdma.Together(l.cfg.Device, func() {
		l.mu.Lock()
		l.calling++
		l.mu.Unlock()
		f()
		l.mu.Lock()
		l.calling--
		l.push(true)
		l.finish()
	})
}

// check refuses a record that can never be appended.
func (l *Leader) check(rec []byte) error {
	if len(rec) == 0 {
		return fmt.Errorf("%w: empty", mu.ErrRecord)
	}
	if len(rec) > l.cfg.MaxRecord {
		return fmt.Errorf("%w: %d bytes (at most %d)", mu.ErrRecord, len(rec), l.cfg.MaxRecord)
	}
	return nil
}

// append appends a record that fits. The lock is held.
func (l *Leader) append(rec []byte, done func(error)) {
	l.core.append(rec, l.now(), done)
	l.stats.Proposed++
	if l.calling == 0 {
		l.push(false)
	}
	l.wakeTend()
}

func (l *Leader) submit(ctx context.Context, rec []byte, done func(error)) error {
	if err := l.check(rec); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.mayAppend(len(rec)) {
		if err := l.await(ctx, func() bool { return l.mayAppend(len(rec)) }); err != nil {
			l.blocked = 0 // others who wait begin anew
			return err
		}
	}
	if l.err != nil {
		return l.err
	}
	l.append(rec, done)
	return nil
}

// mayAppend reports whether a record of n bytes can be appended now, or never.
func (l *Leader) mayAppend(n int) bool {
	if l.err != nil {
		return true
	}
	if l.quiesce {
		return false
	}
	ok, space := l.core.fits(n)
	if !space {
		l.blocked = 0
	} else if l.blocked == 0 {
		l.blocked = l.now()
		l.makeRoom()
		l.wakeTend()
	}
	return ok
}

// await waits until cond, which is looked at whenever something has changed.
func (l *Leader) await(ctx context.Context, cond func() bool) error {
	stop := context.AfterFunc(ctx, func() {
		l.mu.Lock()
		l.room.Broadcast()
		l.mu.Unlock()
	})
	defer stop()
	for !cond() {
		if err := ctx.Err(); err != nil {
			return err
		}
		l.room.Wait()
	}
	return nil
}

// push posts what the paths must carry. Unless all is set, paths with many
// outstanding entries wait for their next completion.
func (l *Leader) push(all bool) {
	if l.err != nil {
		return
	}
	for i, r := range l.remotes {
		p := &l.core.peers[i]
		if p.live && (all || p.open < l.core.batchFrom()) {
			l.post(r, &p.track, l.core.until(p))
		}
	}
	if g := &l.core.group; g.live && (all || g.open < l.core.batchFrom()) {
		l.post(l.group, g, l.core.tail)
	}
}

// post posts the entries that one path must carry next, with one call.
func (l *Leader) post(r *remote, t *track, until uint64) {
	wrs := l.wrs[:0]
	for len(wrs) < cap(wrs) {
		data, pos, end, ok := l.core.next(t, until)
		if !ok {
			break
		}
		wrs = append(wrs, rdma.SendWR{
			ID: kindEntry | end, Op: rdma.OpWrite, Local: data, VA: r.log.VA + l.core.geo.Slot(pos), RKey: r.log.RKey,
		})
	}
	if len(wrs) == 0 {
		return
	}
	l.stats.Writes += uint64(len(wrs))
	if _, err := r.path.QP().PostSend(wrs...); err != nil {
		// The queue has room for all that the core lets out, so this is the end
		// of the path.
		l.lost(r, err)
	}
}

func (l *Leader) headRead(r *remote) rdma.SendWR {
	return rdma.SendWR{ID: kindHead, Op: rdma.OpRead, Local: r.buf[:], VA: r.log.VA + offHead, RKey: r.log.RKey}
}

// readHeads reads the heads of the replicas that are behind.
func (l *Leader) readHeads() {
	for i, r := range l.remotes {
		p := &l.core.peers[i]
		if !p.live || p.readOpen || p.head >= l.core.tail {
			continue
		}
		p.readOpen = true
		if _, err := r.path.QP().PostSend(l.headRead(r)); err != nil {
			l.lost(r, err)
		}
	}
}

// writeCommits tells the replicas what is decided, while nothing else does.
func (l *Leader) writeCommits() {
	send := func(r *remote, t *track) {
		data, ok := l.core.commitWrite(t)
		if !ok {
			return
		}
		_, err := r.path.QP().PostSend(rdma.SendWR{ID: kindCommit, Op: rdma.OpWrite, Local: data, VA: r.log.VA, RKey: r.log.RKey})
		if err != nil {
			l.lost(r, err)
		}
	}
	accelerated := l.core.mode == mu.Accelerated
	if accelerated {
		send(l.group, &l.core.group)
	}
	for i, r := range l.remotes {
		if p := &l.core.peers[i]; !accelerated || p.repairUntil > 0 {
			send(r, &p.track)
		}
	}
}
