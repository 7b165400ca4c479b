package mu

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRoomOfDisks: a leader hears how much room its peers have. It is short when less than a majority has enough, itself included; and
// does not write to one that has none, while enough others are left, until it has some again.
func TestRoomOfDisks(t *testing.T) {
	a := newAlone(t, 0, 3, nil)
	a.lead()
	a.tick(100 * ms)
	require.False(t, a.core.Short())
	says := func(id ID, r Room) {
		a.peers[id].st.room = r
		a.tick(50 * ms)
	}
	says(1, RoomLow)
	require.False(t, a.core.Short(), "two of three have room")
	require.True(t, a.core.Peers()[0].Confirmed, "what is decided goes to it")
	says(2, RoomLow)
	require.True(t, a.core.Short())
	says(1, RoomEnough)
	require.False(t, a.core.Short())
	a.core.SetRoom(a.now, RoomLow)
	require.EqualValues(t, RoomLow, a.status().room, "it says so itself")
	require.True(t, a.core.Short())
	a.core.SetRoom(a.now, RoomEnough)
	says(2, RoomEnough)
	require.False(t, a.core.Short())

	says(1, RoomNone)
	require.False(t, a.core.Peers()[0].Confirmed, "nothing is written to it")
	require.Equal(t, Leader, a.core.Status().Role)
	says(2, RoomNone)
	require.True(t, a.core.Peers()[1].Confirmed, "nobody else is left")
	a.tick(1000 * ms)
	require.False(t, a.core.Peers()[0].Confirmed)
	require.Equal(t, Leader, a.core.Status().Role)
	told := slices.DeleteFunc(slices.Clone(a.events), func(e string) bool { return !strings.Contains(e, "has no room") })
	require.Len(t, told, 1, "it is said once")
	says(1, RoomEnough)
	a.tick(1000 * ms)
	require.True(t, a.core.Peers()[0].Confirmed)
}

// TestRoomOfTheSilent: a link that goes is no lack of room; but who is not heard of does not make up for a disk that is low.
func TestRoomOfTheSilent(t *testing.T) {
	a := newAlone(t, 0, 3, nil)
	a.lead()
	a.tick(100 * ms)
	a.cut(1)
	a.cut(2)
	a.tick(5 * ms)
	require.Equal(t, Leader, a.core.role)
	require.False(t, a.core.peer(1).alive || a.core.peer(2).alive)
	require.False(t, a.core.Short())

	a = newAlone(t, 0, 3, nil)
	a.lead()
	a.tick(100 * ms)
	a.peers[2].st.room = RoomLow
	a.tick(50 * ms)
	require.False(t, a.core.Short())
	a.cut(1)
	a.tick(5 * ms)
	require.Equal(t, Leader, a.core.role)
	require.True(t, a.core.Short())
}

// Of several that have no room at once, as many are written to as are needed; and who has none is asked again after a while.
func TestRoomOfMany(t *testing.T) {
	a := leads(t, "FFFFF", nil)
	for _, p := range a.core.peers {
		p.st.room = RoomNone
	}
	last := a.core.peer(4)
	last.full = false
	a.core.roomStep(3)
	require.False(t, a.core.peer(1).live)
	require.True(t, a.core.peer(2).live && a.core.peer(3).live, "two are needed")
	require.False(t, last.live, "what it holds does not count")
	for _, p := range a.core.peers {
		if p.live {
			require.Zero(t, p.notBefore)
		} else {
			require.Equal(t, a.core.now+a.core.cfg.SlowAfter/4, p.notBefore)
		}
	}
	last.notBefore = a.core.now + time.Hour
	a.core.roomStep(2)
	require.Equal(t, a.core.now+time.Hour, last.notBefore)
	last.st.room, last.live, last.notBefore = RoomLow, true, 0
	a.core.roomStep(3)
	require.True(t, last.live)
	require.Zero(t, last.notBefore)
}
