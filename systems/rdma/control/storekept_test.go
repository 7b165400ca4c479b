package control

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/store"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
)

func TestKeptStore(t *testing.T) {
	kept := store.NewMemory()
	s := NewKeptStore(kept)
	a, b, c := group.Record{Index: 7, BCastQP: 1, Term: 1 << 60}, group.Record{Index: 30}, group.Record{Index: 200}
	for _, r := range []group.Record{c, b, a} {
		require.NoError(t, s.Save("unix:/a/b", r))
	}
	require.NoError(t, s.Save("unix:/a", b))
	made := group.Static{Name: "x.y", Port: 1, Policy: "all", Receivers: []group.Receiver{at(2)}}
	require.NoError(t, s.SaveStatic("unix:/a/b", made))
	again := NewKeptStore(kept)
	list, err := again.Load("unix:/a/b")
	require.NoError(t, err)
	require.Equal(t, []group.Record{a, b, c}, list, "by index, not by key")
	got, err := again.LoadStatic("unix:/a/b")
	require.NoError(t, err)
	require.Equal(t, []group.Static{made}, got)
	require.NoError(t, s.Forget("unix:/a/b", 30))
	require.NoError(t, s.ForgetStatic("unix:/a/b", "x.y"))
	list, err = again.Load("unix:/a/b")
	require.NoError(t, err)
	require.Equal(t, []group.Record{a, c}, list)
	got, err = again.LoadStatic("unix:/a/b")
	require.NoError(t, err)
	require.Empty(t, got)
	list, err = again.Load("unix:/a")
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.NoError(t, kept.Put("rdma/unix:%2Fa/groups/30", []byte("{")))
	_, err = again.Load("unix:/a")
	require.ErrorContains(t, err, "record rdma/unix:%2Fa/groups/30: ")
}
