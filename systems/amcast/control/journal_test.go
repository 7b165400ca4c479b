package control

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/store"
	"github.com/p4ce/p4ce/host/durable"
	names "github.com/p4ce/p4ce/p4/amcast"
)

var sampleRecords = []Record{
	{Salt: 7},
	{Group: &GroupRecord{Number: 3, Last: 5, Complete: 4, Members: []string{"a", "b"}, Order: []string{"b"}, Merged: &Merged{Clock: 9, Cells: map[int]Cell{4: cell(20, 5, 3, 1)}}}},
	{Host: &HostRecord{Host: "h/1", Token: 1 << 60, Client: 3, First: 40, Lost: true, Clients: []uint16{1, 2}}},
}

// TestJournal: the last record of each name is there again.
func TestJournal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	j, err := OpenJournal(dir)
	require.NoError(t, err)
	require.Empty(t, j.Records())
	require.NoError(t, j.Append(Record{Group: &GroupRecord{Number: 3, Last: 1}}))
	for _, r := range sampleRecords {
		require.NoError(t, j.Append(r))
	}
	j, err = OpenJournal(dir)
	require.NoError(t, err)
	require.ElementsMatch(t, sampleRecords, j.Records())
	require.NoError(t, durable.Put(durable.Disk, filepath.Join(dir, "group-3.json"), []byte("{")))
	_, err = OpenJournal(dir)
	require.ErrorContains(t, err, "an epoch, or the number of a client, might be used again")
}

// TestKeptJournal: the same in etcd's place.
func TestKeptJournal(t *testing.T) {
	kept := store.NewMemory()
	j, err := OpenKeptJournal(kept)
	require.NoError(t, err)
	for _, r := range sampleRecords {
		require.NoError(t, j.Append(r))
	}
	j, err = OpenKeptJournal(kept)
	require.NoError(t, err)
	require.ElementsMatch(t, sampleRecords, j.Records())
}

// TestMerged: a state that was kept is what it was, in another epoch.
func TestMerged(t *testing.T) {
	m := Merge(1, 2, []State{wide(9, map[int]Cell{0: cell(16, 1, 3, 2), 17: cell(33, 1, 8, 5)})})
	want := Merge(1, 3, []State{wide(9, map[int]Cell{0: cell(16, 1, 3, 2), 17: cell(33, 1, 8, 5)})})
	require.Equal(t, want, *m.kept().state(3))
}

// wide is a state of all cells.
func wide(clock uint32, list map[int]Cell) State {
	s := State{Clock: clock, Cells: make([]Cell, names.Ring)}
	for i, c := range list {
		s.Cells[i] = c
	}
	return s
}
