package smr

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/p4ce/p4ce/host/replicated"
	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// await waits until cond holds. It checks cond whenever the status changes, and every few
// milliseconds.
func (n *Node) await(ctx context.Context, cond func() (bool, error)) error {
	t := time.NewTicker(5 * time.Millisecond)
	defer t.Stop()
	for {
		n.lock.Lock()
		if n.closed != nil {
			n.lock.Unlock()
			return n.closed
		}
		ok, err := cond()
		changed := n.changed
		n.lock.Unlock()
		if ok || err != nil {
			return err
		}
		select {
		case <-changed:
		case <-t.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func checkAddrs(m Member) error {
	if len(m.Addrs) == 0 {
		return fmt.Errorf("server %d has no address", m.ID)
	}
	return nil
}

// ErrAbsent is the error of AddServer for a server that does not answer. It can be added when it does.
var ErrAbsent = errors.New("it does not answer")

// AddServer brings a server up to date, and makes it a member. Only the leader can do that. If the server cannot be
// reached, AddServer returns ErrAbsent after the first attempt.
func (n *Node) AddServer(ctx context.Context, m Member) error {
	if err := checkAddrs(m); err != nil {
		return fmt.Errorf("%w: %w", ErrMembership, err)
	}
	n.lock.Lock()
	delete(n.dialed, m.ID)
	err := n.core.AddLearner(n.now(), &m)
	n.lock.Unlock()
	if err != nil {
		return n.membershipError(err)
	}
	err = n.await(ctx, func() (bool, error) {
		if n.core.Status().Role != mu.Leader {
			return false, n.notLeader()
		}
		if ok, why := n.connected(m.ID); !ok && why != nil {
			return false, fmt.Errorf("%w: %w (start it with an empty folder and without --member, and ask again)", ErrAbsent, why)
		}
		return n.core.CaughtUp(m.ID), nil
	})
	if err == nil {
		return n.change(ctx, func(members []Member) []Member { return append(members, m) })
	}
	n.lock.Lock()
	_ = n.core.AddLearner(n.now(), nil)
	n.lock.Unlock()
	if errors.Is(err, ErrAbsent) {
		return fmt.Errorf("server %d: %w", m.ID, err)
	}
	return fmt.Errorf("server %d has not caught up: %w", m.ID, err)
}

// RemoveServer removes a server from the membership. The leader can remove itself.
func (n *Node) RemoveServer(ctx context.Context, id mu.ID) error {
	return n.change(ctx, func(members []Member) []Member {
		var rest []Member
		for _, m := range members {
			if m.ID != id {
				rest = append(rest, m)
			}
		}
		return rest
	})
}

// change decides a change of membership. It waits until so many servers know it that it survives any
// failure that the new membership survives.
func (n *Node) change(ctx context.Context, f func([]Member) []Member) error {
	n.lock.Lock()
	want := f(append([]Member(nil), n.core.Status().Members...))
	err := n.core.ChangeMembership(n.now(), want)
	n.lock.Unlock()
	if err != nil {
		return n.membershipError(err)
	}
	decided := false
	err = n.await(ctx, func() (bool, error) {
		got := n.core.Status()
		if string(mu.EncodeMembers(got.Members)) == string(mu.EncodeMembers(want)) {
			decided = true // and continues in another term, whichever server leads in it
			return got.Agreed, nil
		}
		if !decided && got.Role != mu.Leader {
			return false, fmt.Errorf("%w: %w", replicated.ErrUnknownOutcome, n.notLeader())
		}
		return decided, nil // another change has happened since
	})
	if err != nil && decided {
		return fmt.Errorf("the change is decided, but fewer than a majority of the %d servers know it so far: %w", len(want), err)
	}
	return err
}

func (n *Node) membershipError(err error) error {
	if errors.Is(err, mu.ErrNotLeader) {
		n.lock.Lock()
		defer n.lock.Unlock()
		return n.notLeader()
	}
	return err
}
