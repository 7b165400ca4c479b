package smr

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/proof"
)

// ErrNotMember is why a server ends: all the others that it knows say that the cluster does not have it.
var ErrNotMember = errors.New("replication: this server is not a member of the cluster")

const (
	// standingEvery is how often a server that knows no leader asks the others whether it is a member.
	standingEvery = time.Second
	// standingAsks is how many times in a row all of them must deny it. A server that was added a moment ago is not
	// known to all.
	standingAsks = 3
)

// noMember is the refusal of a server that is none.
func noMember(id mu.ID, addr netip.Addr) error {
	return fmt.Errorf("the cluster has no member %d at %v", id, addr)
}

// standing ends the server when it was removed. A server to which nobody speaks does not hear of it in any other way. It
// stays while one of the others is away: one that has lost its disk may need it, to learn who the members are.
func (n *Node) standing() {
	t := time.NewTicker(standingEvery)
	defer t.Stop()
	denied := 0
	for {
		select {
		case <-t.C:
		case <-n.ctx.Done():
			return
		}
		n.lock.Lock()
		st := n.core.Status()
		var others []Member
		for _, m := range n.members {
			others = append(others, m)
		}
		n.lock.Unlock()
		if st.Known || st.Role == mu.Leader || len(others) == 0 || !n.denied(others) {
			denied = 0
			continue
		}
		if denied++; denied < standingAsks {
			continue
		}
		var ids []string
		for _, m := range others {
			ids = append(ids, fmt.Sprint("server ", m.ID))
		}
		slices.Sort(ids)
		n.fail(fmt.Errorf("%w: %s know no server %d at its address. It was removed, or never added (to add it, start it with an empty folder, without saying who the members are, and ask the leader: CLUSTER ADD)",
			ErrNotMember, strings.Join(ids, ", "), n.cfg.ID))
		return
	}
}

// denied asks servers whether they know this one as a member, and reports whether all of them deny it. The answer
// of a stranger in their place does not count.
func (n *Node) denied(others []Member) bool {
	ctx, cancel := context.WithCancel(n.ctx)
	defer cancel()
	answers := make(chan bool, len(others))
	for _, m := range others {
		n.wg.Go(func() {
			r := n.request(0, m.ID, kindQuestion)
			r.About, r.AboutAddr = uint16(n.cfg.ID), n.cfg.Devices[0].Addr()
			conn, err := n.dialPeer(ctx, 0, &r, m.Addrs[0])
			if err == nil {
				_ = conn.Close() // no server answers like that
			}
			var answer *proof.Refused
			answers <- errors.As(err, &answer) && answer.Text == noMember(n.cfg.ID, r.AboutAddr).Error()
		})
	}
	for range others {
		if !<-answers {
			return false
		}
	}
	return true
}

// attempt notes how the last attempt to connect to a server ended: err is nil if it has not failed.
func (n *Node) attempt(id mu.ID, err error) {
	n.lock.Lock()
	defer n.lock.Unlock()
	if _, ok := n.members[id]; ok {
		n.dialed[id] = err
	}
}

// connected reports whether any path to a server is there, or else why not. The lock is held.
func (n *Node) connected(id mu.ID) (bool, error) {
	for path := range n.out {
		if path.Peer == id {
			return true, nil
		}
	}
	return false, n.dialed[id]
}
