package smr

import (
	"context"
	"sync"

	"github.com/p4ce/p4ce/host/smr/mu"
)

// Status is a server's view of its cluster.
type Status = mu.Status

// Status returns a snapshot.
func (n *Node) Status() Status {
	n.lock.Lock()
	defer n.lock.Unlock()
	return n.core.Status()
}

// Peers returns what this server knows about the others.
func (n *Node) Peers() []mu.PeerStatus {
	n.lock.Lock()
	defer n.lock.Unlock()
	return n.core.Peers()
}

// Leader returns the address at which the leader serves clients; ok is false if none
// is known.
func (n *Node) Leader() (client string, ok bool) {
	n.lock.Lock()
	defer n.lock.Unlock()
	st := n.core.Status()
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
