package smr

import (
	"context"
	"sync"
	"time"

	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// Status is a server's view of its cluster.
type Status = mu.Status

// Status returns a snapshot.
func (n *Node) Status() Status {
	return n.sees().status
}

// Peers returns what this server knows about the others.
func (n *Node) Peers() []mu.PeerStatus {
	return n.sees().peers
}

// view is the visible part of the core.
type view struct {
	status Status
	peers  []mu.PeerStatus
}

func (n *Node) sees() (v view) {
	if before := n.look(func() { v = view{n.core.Status(), n.core.Peers()} }); before != nil {
		return *before
	}
	return v
}

// lookAgain is the pause between attempts to look at a busy core.
const lookAgain = 50 * time.Microsecond

// look runs f with the lock. While the lock's holder writes a promise, look does not wait for the
// disk: it does not run f, and returns what was visible before.
func (n *Node) look(f func()) (before *view) {
	for !n.lock.TryLock() {
		if before := n.promising.Load(); before != nil {
			return before
		}
		time.Sleep(lookAgain)
	}
	defer n.lock.Unlock()
	f()
	return nil
}

// Leader returns the address at which the leader serves clients. ok is false if no leader is known.
func (n *Node) Leader() (client string, ok bool) {
	st := n.Status()
	for _, m := range st.Members {
		if st.Known && m.ID == st.Leader {
			return m.Client, true
		}
	}
	return "", false
}

// notifier calls Config.Notify.
type notifier struct {
	mu    sync.Mutex
	queue []Status
	ready chan struct{}
}

func (t *notifier) init() { t.ready = make(chan struct{}, 1) }

func (t *notifier) add(s Status) {
	t.mu.Lock()
	t.queue = append(t.queue, s)
	t.mu.Unlock()
	select {
	case t.ready <- struct{}{}:
	default:
	}
}

func (t *notifier) run(ctx context.Context, f func(Status)) {
	for {
		select {
		case <-t.ready:
		case <-ctx.Done():
			return
		}
		t.mu.Lock()
		queue := t.queue
		t.queue = nil
		t.mu.Unlock()
		for _, s := range queue {
			if f != nil {
				f(s)
			}
		}
	}
}
