package mu

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMembershipOnDisk: who leads under a membership has it on its own disk, and nobody is told of it
// before. Otherwise a server that all need to start again after a loss of power could be one that only
// the others know to be a member.
func TestMembershipOnDisk(t *testing.T) {
	// change has a leader of three decide that server 2 is removed; its state machine has applied nothing yet.
	change := func(t *testing.T) *alone {
		a := newAlone(t, 0, 3, nil)
		a.lead()
		a.tick(50 * ms)
		a.slow = true
		a.propose("x")
		a.tick(20 * ms)
		require.NoError(t, a.core.ChangeMembership(a.now, []Member{{ID: 0}, {ID: 1}}))
		a.tick(200 * ms)
		require.Len(t, a.given, 2, "it is decided")
		require.NotNil(t, a.given[1].Members)
		return a
	}
	told := func(a *alone, id ID) uint64 { return binary.LittleEndian.Uint64(a.peers[id].log[offCommit:]) }
	t.Run("a leader waits", func(t *testing.T) {
		a := change(t)
		term := a.core.promised
		for range 2 { // what comes before it is applied
			require.Len(t, a.core.members, 3)
			require.Equal(t, Leader, a.core.role)
			require.Equal(t, term, a.core.promised)
			for _, id := range []ID{1, 2} {
				require.Equal(t, a.given[0].Position, told(a, id), "others know what is before it")
			}
			_, ok, err := a.core.Propose(a.now, []byte("y"))
			require.NoError(t, err)
			require.False(t, ok, "nothing is proposed behind it")
			a.core.Applied(a.now, a.given[0].Position, 1)
			a.applied = 1
			a.tick(200 * ms)
		}
		a.slow = false
		a.apply()
		require.Len(t, a.core.members, 2)
		a.tick(50 * ms)
		require.Greater(t, a.core.promised, term)
		require.Equal(t, Leader, a.core.role)
		require.GreaterOrEqual(t, told(a, 1), a.given[1].Position)
	})
	t.Run("a leader that steps down meanwhile knows it", func(t *testing.T) {
		a := change(t)
		a.core.startCampaign() // as when a replica's permission is gone
		require.Equal(t, Follower, a.core.role)
		require.Len(t, a.core.members, 2)
		a.slow = false
		a.tick(100 * ms)
		require.Equal(t, Leader, a.core.role)
	})
	t.Run("a follower waits", func(t *testing.T) {
		a := newAlone(t, 1, 3, nil)
		a.follow()
		a.slow = true
		end := a.writes(entry{position: a.core.seen, index: a.core.seenIndex, term: 5 << 8, members: true, record: EncodeMembers([]Member{{ID: 1}, {ID: 2}})})
		a.commits(end)
		require.Len(t, a.core.members, 2)
		a.peers[0].still = true
		a.tick(500 * ms)
		require.Equal(t, Follower, a.core.role)
		a.slow = false
		a.apply()
		a.tick(100 * ms)
		require.Equal(t, Leader, a.core.role)
	})
}
