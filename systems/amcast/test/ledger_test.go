package test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/systems/amcast"
	"github.com/p4ce/p4ce/systems/amcast/lab"
)

// ledger knows what was sent, and what each replica has delivered, and judges: integrity, agreement, and order (lab.Judge).
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

// orders are what replicas have delivered.
func (l *ledger) orders() (out []lab.Order) {
	for s, log := range l.logs {
		out = append(out, lab.Order{Group: s.group, Host: s.host, Log: log, Dead: l.dead[s.host]})
	}
	return out
}

// missing is a message that a replica that lives has not delivered, and should have: its sender lives, or another one has.
func (l *ledger) missing() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	must := map[amcast.ID]amcast.Groups{}
	for id, s := range l.sent {
		if !l.dead[s.by] {
			must[id] = s.groups
		}
	}
	return lab.Missing(l.orders(), must)
}

// judge checks what was delivered.
func (l *ledger) judge() {
	l.t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for s, log := range l.logs {
		for _, d := range log {
			x, ok := l.sent[d.ID]
			require.True(l.t, ok && x.text == string(d.Payload) && x.groups == d.Groups, "%v delivers %v, which was not sent to it", s, d.ID)
		}
	}
	require.NoError(l.t, lab.Judge(l.orders()))
}
