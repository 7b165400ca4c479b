package mirror

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
)

func entry(table string, key, arg byte) Thing {
	return EntryThing(p4rtclient.Entry{
		Table: table, Match: []p4rtclient.Field{{Name: "k", Value: []byte{key}}}, Action: "do", Args: []p4rtclient.Field{{Name: "a", Value: []byte{arg}}},
	})
}

func texts(list []Update) (out []string) {
	for _, u := range list {
		out = append(out, u.String())
	}
	return out
}

// What a switch has becomes what it shall have: things in the order of their tables, what goes in the reverse order,
// nothing that is as it should be.
func TestWant(t *testing.T) {
	m := New([]string{"late", "", "early"})
	group := func(ports ...uint16) Thing {
		var copies []p4rtclient.Replica
		for _, p := range ports {
			copies = append(copies, p4rtclient.Replica{Port: p, Instance: 1})
		}
		return GroupThing(7, copies)
	}
	first := []Thing{entry("early", 1, 1), group(2, 1), entry("late", 1, 1), entry("late", 2, 1)}
	require.Equal(t, []string{
		"insert late 01 -> do 01", "insert late 02 -> do 01", "insert group 7 [{1 1} {2 1}]", "insert early 01 -> do 01",
	}, texts(m.Want(first)))
	require.Empty(t, m.Want(first))
	require.Equal(t, []string{"modify late 02 -> do 05", "delete early 01 -> do 01", "delete group 7 [{1 1} {2 1}]"},
		texts(m.Want([]Thing{entry("late", 1, 1), entry("late", 2, 5)})))

	// A switch that was read has what it says, however long its values are.
	im := &Image{
		Entries: []p4rtclient.Entry{{Table: "late", Match: []p4rtclient.Field{{Value: []byte{0, 0, 1}}}, Action: "do", Args: []p4rtclient.Field{{Value: []byte{0, 1}}}}},
		Groups:  map[uint16][]p4rtclient.Replica{7: {{Port: 2, Instance: 1}, {Port: 1, Instance: 1}}},
	}
	require.True(t, im.Has(entry("late", 1, 1)))
	require.False(t, im.Has(entry("late", 1, 2)), "it says something else")
	require.False(t, im.Has(entry("late", 2, 1)))
	m.Adopt(im)
	require.Empty(t, m.Want([]Thing{entry("late", 1, 1), group(1, 2)}))
	require.Equal(t, []string{"modify group 7 [{3 1}]", "delete late 000001 -> do 0001"}, texts(m.Want([]Thing{group(3)})))
}

// TestPrune: of some tables, what goes is gone before anything new comes.
func TestPrune(t *testing.T) {
	m := New([]string{"late", "early"})
	m.Want([]Thing{entry("early", 1, 1), entry("early", 2, 1), entry("late", 1, 1)})
	want := []Thing{entry("early", 2, 5), entry("early", 3, 1)}
	require.Equal(t, []string{"delete early 01 -> do 01"}, texts(m.Prune(want, "early")))
	require.Equal(t, []string{"modify early 02 -> do 05", "insert early 03 -> do 01", "delete late 01 -> do 01"}, texts(m.Want(want)))
	require.Empty(t, m.Prune(want, "early", "late"))
	require.Equal(t, "set r[3] = 4 5", Update{Op: Set, Register: &Register{Name: "r", Index: 3, Value: 4, Rest: []uint64{5}}}.String())
}
