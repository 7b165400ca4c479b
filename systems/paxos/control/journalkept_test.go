package control

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/store"
)

// refusing are records that a controller has that is not the primary.
type refusing struct {
	store.Records
	no bool
}

func (r *refusing) Put(key string, value []byte) error {
	if r.no {
		return store.ErrLost
	}
	return r.Records.Put(key, value)
}

// TestKeptJournal: what one controller has recorded the next one knows, in order; after a record that was not
// written there are no more.
func TestKeptJournal(t *testing.T) {
	kept := store.NewMemory()
	first := &refusing{Records: kept}
	j, err := OpenKeptJournal(first, "d")
	require.NoError(t, err)
	require.Empty(t, j.Records())
	members := []Member{{"s1", 1}, {"s2", 2}}
	for _, r := range []Record{
		{Kind: recordLife, App: "a", Switch: "s1", Life: 1}, {Kind: recordLife, App: "a", Switch: "s2", Life: 2},
		{Kind: recordBegin, App: "a", Round: 3, Members: members}, {Kind: recordLead, App: "a", Switch: "s1", Round: 3, Members: members},
		{Kind: recordRound, App: "a", Round: 20},
	} {
		require.NoError(t, j.Append(r))
	}
	first.no = true
	require.ErrorIs(t, j.Append(Record{Kind: recordRound, App: "a", Round: 21}), store.ErrLost)
	first.no = false
	require.ErrorIs(t, j.Append(Record{Kind: recordRound, App: "a", Round: 22}), store.ErrLost, "it would follow one that is missing")

	for range 3 { // and what is shortened says the same
		j, err = OpenKeptJournal(kept, "d")
		require.NoError(t, err)
		d := newLedger()
		for _, r := range j.Records() {
			d.apply(r)
		}
		require.Equal(t, uint32(20), d.round)
		require.Equal(t, "s1", d.leader)
		require.Equal(t, members, d.active.Members)
		require.Equal(t, map[string]uint32{"s1": 1, "s2": 2}, d.lives)
	}
	require.NoError(t, j.Append(Record{Kind: recordRound, App: "a", Round: 30}))
	require.NoError(t, j.Append(Record{Kind: recordRound, App: "a", Round: 40}))
	list, err := kept.List("paxos/d/")
	require.NoError(t, err)
	require.Len(t, list, 3, "a sum, and two")
	require.NoError(t, kept.Delete(list[0].Key))
	_, err = OpenKeptJournal(kept, "d")
	require.ErrorContains(t, err, "it is damaged")
	require.NoError(t, kept.Put(list[0].Key, list[0].Value))
	require.NoError(t, kept.Put(list[2].Key, []byte("{")))
	_, err = OpenKeptJournal(kept, "d")
	require.ErrorContains(t, err, "it is damaged")
}
