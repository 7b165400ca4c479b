package fault

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/systems/rdma/lab/store"
)

// Servers come and go while clients write: one joins, a follower goes, and then the
// leader. Those who are members in the end have the same state.
func TestMembershipUnderLoad(t *testing.T) {
	r := openWith(t, 4*time.Minute, store.Options{Servers: 5, Spare: 2})
	r.load = startLoad(r.ctx, r.Store)
	r.progress()
	members := map[int]bool{0: true, 1: true, 2: true}
	joins := func(i int) {
		r.ok(r.Join(r.ctx, i))
		members[i] = true
		r.progress()
		r.ok(r.Full(r.ctx, i))
	}
	goes := func(i int) {
		r.ok(r.Remove(r.ctx, i))
		delete(members, i)
		r.progress() // it is there, and no member
		r.Kill(i)
		r.progress()
	}
	joins(3)
	leader := r.accelerated()
	for i := range members {
		if i != leader && i < 3 {
			goes(i)
			break
		}
	}
	joins(4)
	goes(r.accelerated())
	require.Contains(t, members, r.accelerated())
	r.load.stop(t)
	require.Eventually(t, func() bool {
		seen := map[string]bool{}
		for i := range members {
			_, sum, err := r.Digest(r.ctx, i)
			if err != nil {
				return false
			}
			seen[sum] = true
		}
		return len(seen) == 1
	}, time.Minute, 20*time.Millisecond, "the members' states differ")
}

// A dead server is removed, and at once the leader is killed and starts again: the two
// servers that are left are a majority of the new membership, and go on.
func TestLeaderRestartsAfterRemoval(t *testing.T) {
	for range 3 {
		r := start(t, 3, false)
		dead := (r.accelerated() + 1) % 3
		r.Kill(dead)
		r.progress()
		leader := r.leader()
		r.ok(r.Remove(r.ctx, dead))
		r.Kill(leader)
		r.ok(r.Restart(leader))
		r.leader()
		r.progress()
		r.load.stop(t)
		r.Close()
	}
}
