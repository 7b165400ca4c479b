package test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/systems/amcast"
	"github.com/p4ce/p4ce/systems/amcast/lab"
)

// ledger knows what was sent, and what each replica has delivered, and judges: integrity, agreement, prefix order, and
// acyclic order over all groups.
type ledger struct {
	t     *testing.T
	net   *lab.Network
	hosts map[string]*amcast.Host

	mu      sync.Mutex
	changed chan struct{}
	sent    map[amcast.ID]sent
	logs    map[seat][]amcast.Delivery
	dead    map[string]bool // hosts
	err     error
}

// seat is a replica of a group.
type seat struct {
	group uint8
	host  string
}

type sent struct {
	groups amcast.Groups
	text   string
	by     string // host
}

// newLedger makes a ledger, and has all replicas deliver.
func newLedger(t *testing.T, n *lab.Network, hosts map[string]*amcast.Host) *ledger {
	l := &ledger{t: t, net: n, hosts: hosts, changed: make(chan struct{}, 1), sent: map[amcast.ID]sent{}, logs: map[seat][]amcast.Delivery{}, dead: map[string]bool{}}
	for _, g := range n.Config().Groups {
		for _, r := range g.Replicas {
			l.logs[seat{g.Number, r}] = nil
			go l.deliver(seat{g.Number, r}, hosts[r])
		}
	}
	return l
}

func (l *ledger) deliver(s seat, h *amcast.Host) {
	for {
		d, err := h.Deliver(context.Background(), s.group)
		l.mu.Lock()
		if err != nil {
			if !errors.Is(err, net.ErrClosed) && !errors.Is(err, amcast.ErrEnded) {
				l.err = errors.Join(l.err, fmt.Errorf("%v: %w", s, err))
			}
			l.mu.Unlock()
			l.signal()
			return
		}
		l.logs[s] = append(l.logs[s], d)
		l.mu.Unlock()
		l.signal()
	}
}

func (l *ledger) signal() {
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// multicast has hosts send so many messages each, at the same time, to destinations by lot.
func (l *ledger) multicast(ctx context.Context, each int, names ...string) {
	l.t.Helper()
	var all sync.WaitGroup
	errs := make([]error, len(names))
	for i, name := range names {
		all.Go(func() { errs[i] = l.send(ctx, name, each) })
	}
	all.Wait()
	require.NoError(l.t, errors.Join(errs...))
}

func (l *ledger) send(ctx context.Context, name string, n int) error {
	sets := l.net.Config().Sets
	for range n {
		groups := sets[rand.IntN(len(sets))]
		text := fmt.Sprintf("%s %d", name, rand.Uint64())
		l.mu.Lock() // it may be delivered before Multicast returns
		id, err := l.hosts[name].Multicast(ctx, groups, []byte(text))
		if err == nil {
			l.sent[id] = sent{groups, text, name}
		}
		l.mu.Unlock()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// await waits until all that live have delivered what hosts that live have sent, and judges.
func (l *ledger) await(ctx context.Context) {
	l.t.Helper()
	for {
		missing := l.missing()
		l.mu.Lock()
		err := l.err
		l.mu.Unlock()
		require.NoError(l.t, err)
		if missing == "" {
			break
		}
		select {
		case <-l.changed:
		case <-ctx.Done():
			for name, h := range l.hosts {
				l.t.Logf("%s: %+v", name, h.Stats())
			}
			require.Fail(l.t, "not everything is delivered", "%v: %s", ctx.Err(), missing)
		}
	}
	l.judge()
}

// missing is a message that a replica that lives has not delivered, and should have: its sender lives, or another one has.
func (l *ledger) missing() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	has := map[seat]map[amcast.ID]bool{}
	must := map[amcast.ID]bool{}
	for id, s := range l.sent {
		must[id] = !l.dead[s.by]
	}
	for s, log := range l.logs {
		has[s] = map[amcast.ID]bool{}
		for _, d := range log {
			has[s][d.ID] = true
			if !l.dead[s.host] {
				must[d.ID] = true
			}
		}
	}
	for id, x := range l.sent {
		for s := range l.logs {
			if must[id] && x.groups.Has(s.group) && !l.dead[s.host] && !has[s][id] {
				return fmt.Sprintf("%v of %s to %v at %v", id, x.by, x.groups, s)
			}
		}
	}
	return ""
}

// judge checks what was delivered.
func (l *ledger) judge() {
	l.t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	after := map[amcast.ID]map[amcast.ID]bool{} // what came directly after what
	for s, log := range l.logs {
		seen := map[amcast.ID]bool{}
		for i, d := range log {
			x, ok := l.sent[d.ID]
			require.True(l.t, ok && x.text == string(d.Payload) && x.groups == d.Groups && d.Groups.Has(s.group), "%v delivers %v, which was not sent to it", s, d.ID)
			require.False(l.t, seen[d.ID], "%v delivers %v twice", s, d.ID)
			seen[d.ID] = true
			if i > 0 {
				require.True(l.t, log[i-1].Before(&d), "%v delivers %v after %v", s, d.ID, log[i-1].ID)
				if after[log[i-1].ID] == nil {
					after[log[i-1].ID] = map[amcast.ID]bool{}
				}
				after[log[i-1].ID][d.ID] = true
			}
		}
	}
	// Prefix order.
	for a, la := range l.logs {
		for b, lb := range l.logs {
			if a.group == b.group && !l.dead[a.host] && !l.dead[b.host] { // who has failed may have been alone in having a payload
				n := min(len(la), len(lb))
				require.True(l.t, slices.EqualFunc(la[:n], lb[:n], func(x, y amcast.Delivery) bool { return x.ID == y.ID && x.Final == y.Final }), "%v and %v deliver in two orders", a, b)
			}
		}
	}
	acyclic(l.t, after)
}

// acyclic checks that nothing comes after itself.
func acyclic(t *testing.T, after map[amcast.ID]map[amcast.ID]bool) {
	t.Helper()
	state := map[amcast.ID]int{} // 1: on the way, 2: done
	var visit func(id amcast.ID)
	visit = func(id amcast.ID) {
		require.NotEqual(t, 1, state[id], "%v comes after itself", id)
		if state[id] == 2 {
			return
		}
		state[id] = 1
		for next := range after[id] {
			visit(next)
		}
		state[id] = 2
	}
	for _, id := range slices.Collect(maps.Keys(after)) {
		visit(id)
	}
}
