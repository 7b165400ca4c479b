package replicate

import (
	"fmt"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// serve processes the completions, and what is due by time.
func (l *Leader) serve() (again time.Duration) {
	for {
		n := l.queue.Poll(l.completions[:])
		l.mu.Lock()
		if n == 0 {
			again = l.tend()
			l.finish()
			return again
		}
		for i := range l.completions[:n] {
			l.complete(&l.completions[i])
		}
		l.decide()
		l.push(true)
		l.finish()
	}
}

// complete handles one completion.
func (l *Leader) complete(c *rdma.Completion) {
	r, t, p := l.find(c.QPN)
	if r == nil || !t.live {
		return // of a path that was given up
	}
	if c.Status != rdma.StatusOK {
		l.lost(r, fmt.Errorf("%v: %w", c.Op, c.Status.Err()))
		return
	}
	switch c.ID & kindMask {
	case kindEntry:
		l.core.ack(t, c.ID&^kindMask)
	case kindCommit:
		t.commitOpen = false
	case kindHead:
		p.readOpen = false
		l.core.headRead(p, r.buf[:], l.now())
		l.room.Broadcast()
	}
}

// find returns the path with a queue pair number; p is nil for the switch's.
func (l *Leader) find(qpn uint32) (r *remote, t *track, p *peer) {
	if l.group != nil && l.group.qpn == qpn {
		return l.group, &l.core.group, nil
	}
	for i, r := range l.remotes {
		if r.qpn == qpn {
			return r, &l.core.peers[i].track, &l.core.peers[i]
		}
	}
	return nil, nil, nil
}

// decide ends the proposals that are decided.
func (l *Leader) decide() {
	any, now := false, l.now()
	for {
		p, ok := l.core.pop()
		if !ok {
			break
		}
		any = true
		var record []byte
		record, l.hashed = l.core.record(l.hashed)
		l.digest.add(record)
		l.stats.Decided++
		// The value is clamped to the histogram's range.
		l.latency.Add(now - p.start)
		if p.done != nil {
			l.calls = append(l.calls, call{p.done, nil})
		}
	}
	if any {
		l.idleFrom = now
		l.room.Broadcast()
	}
}

// finish releases the lock and makes the calls that have gathered. Only one
// goroutine at a time has calls of decided records, so they keep their order.
func (l *Leader) finish() {
	for len(l.calls) > 0 {
		calls := l.calls
		l.calls = nil
		l.calling++
		l.mu.Unlock()
		for _, c := range calls {
			c.done(c.err)
		}
		l.mu.Lock()
		l.calling--
		if l.calls == nil {
			l.calls = calls[:0]
		}
		l.push(true) // what they have proposed
	}
	l.mu.Unlock()
}

// makeRoom does what lets replicas go on in a full log: it tells them what is
// decided, without waiting for idleness, and looks where they are.
func (l *Leader) makeRoom() {
	if l.err != nil {
		return
	}
	l.writeCommits()
	l.readHeads()
}

// lost gives a path up. The lock is held.
func (l *Leader) lost(r *remote, err error) {
	if r.failed || l.err != nil {
		return
	}
	r.failed = true
	l.cfg.Log.Warn("path lost", "path", r.name, "err", err)
	// Closing makes sure that nothing is sent from the log any more.
	_ = r.path.Close()
	if r == l.group {
		l.stats.FallBacks++
		l.core.direct()
		if l.cfg.RetrySwitch > 0 {
			l.retrySwitch()
		}
	} else {
		for i := range l.remotes {
			if l.remotes[i] == r {
				l.core.peers[i].live = false
				l.core.peers[i].readOpen = false
				l.core.peers[i].commitOpen = false
				l.core.peers[i].open = 0
			}
		}
	}
	if l.core.mode == mu.Direct && l.core.live() < l.core.need {
		l.fail(fmt.Errorf("%w: %d of %d needed, last lost %s: %w", ErrNoQuorum, l.core.live(), l.core.need, r.name, err))
		return
	}
	l.room.Broadcast()
	l.wakeTend()
	l.push(true)
}

// fail ends the leader; every undecided proposal hears why.
func (l *Leader) fail(err error) {
	l.err = err
	for i := l.core.first; i < len(l.core.queue); i++ {
		l.stats.Failed++
		if done := l.core.queue[i].done; done != nil {
			l.calls = append(l.calls, call{done, err})
		}
	}
	l.core.queue, l.core.first = l.core.queue[:0], 0
	l.room.Broadcast()
}

// tick is the resolution of the leader's own timers.
const tick = time.Millisecond

// blockedTick is the same while the log is full. More often than that, looking for room costs what makes it.
const blockedTick = 250 * time.Microsecond

// headEvery is the number of ticks between looks at heads that are behind.
const headEvery = 5

// wakeTend begins tending if it rests. The lock is held.
func (l *Leader) wakeTend() {
	if !l.tending && l.service != nil {
		l.tending, l.tendAt = true, l.now()+tick
		l.service.Kick()
	}
}

// tend does what is due by time: commit writes when idle, heads that lag, repairs, slow replicas. It rests
// while there is nothing of that. It returns when it is to be called again, if ever. The lock is held.
func (l *Leader) tend() (again time.Duration) {
	now := l.now()
	switch {
	case !l.tending:
		return -1
	case now < l.tendAt:
		return l.tendAt - now
	}
	again = tick
	if l.blocked != 0 {
		again = blockedTick
	}
	l.tendAt = now + again
	l.ticks++
	if l.err == nil {
		if l.core.undecided() == 0 && now-l.idleFrom >= l.cfg.IdleCommit {
			l.writeCommits()
		}
		if l.ticks%headEvery == 0 || l.blocked != 0 {
			l.readHeads()
		}
		l.repair(now)
		l.dropSlow(now)
	}
	if l.err != nil || l.core.resting() {
		l.tending = false
		return -1
	}
	return again
}

func (l *Leader) repair(now time.Duration) {
	any := false
	for i := range l.core.peers {
		if l.core.repair(&l.core.peers[i], now, l.cfg.RepairAfter) {
			any = true
			l.stats.Repairs++
		}
	}
	if any {
		l.push(true)
	}
}

// dropSlow drops the replica that has held up a full log for too long, if enough
// others are left.
func (l *Leader) dropSlow(now time.Duration) {
	if l.blocked == 0 || now-l.blocked < l.cfg.SlowAfter || l.core.live() <= l.core.need {
		return
	}
	slowest := -1
	for i := range l.core.peers {
		if p := &l.core.peers[i]; p.live && (slowest < 0 || p.head < l.core.peers[slowest].head) {
			slowest = i
		}
	}
	l.blocked = now
	l.stats.Dropped++
	l.lost(l.remotes[slowest], fmt.Errorf("head has held up the log for %v", l.cfg.SlowAfter))
}
