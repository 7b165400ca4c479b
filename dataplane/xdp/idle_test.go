package xdp_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/bpf/build"
	"github.com/p4ce/p4ce/bpf/gen"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/p4/lang"
)

// TestLastHit: entries of every kind of table know when a packet last matched them; an
// entry that is written is as good as hit; and those of a list keep it when the list is
// replaced because of another entry.
func TestLastHit(t *testing.T) {
	prog, diags := lang.Compile(lang.Options{Path: "testdata/idle.p4"})
	require.NoError(t, diags.Err())
	run := func(t *testing.T, object []byte, target interface {
		dataplane.Target
		InjectAt(dataplane.Port, []byte, uint64) ([]dataplane.Out, error)
	}) {
		defer target.Close()
		require.NoError(t, target.Load(&dataplane.Pipeline{Program: prog, Object: object}))
		entry := func(table string, key uint64, action string) *dataplane.Entry {
			prefix := 0
			if table == "by_lpm" {
				prefix = 24
			}
			e := dataplane.NewEntry(prog, table, []uint64{key}, prefix, action, 7)
			if table == "by_list" {
				e.Priority, e.Matches[0].Mask = int32(key), []byte{0xff}
			}
			return e
		}
		// For each kind an entry that the packet matches, and one that it does not.
		hit := []*dataplane.Entry{
			entry("by_exact", 0x0a000001, "exact_is"), entry("by_index", 3, "index_is"),
			entry("by_lpm", 0x0a000000, "lpm_is"), entry("by_list", 5, "list_is"),
		}
		miss := []*dataplane.Entry{
			entry("by_exact", 0x0a000002, "exact_is"), entry("by_index", 4, "index_is"),
			entry("by_lpm", 0x0a000100, "lpm_is"), entry("by_list", 6, "list_is"),
		}
		written := make([]uint64, len(miss))
		for i := range hit {
			_, _, err := target.LastHit(hit[i])
			require.ErrorIs(t, err, dataplane.ErrNotFound)
			require.NoError(t, target.Insert(hit[i]))
			require.NoError(t, target.Insert(miss[i]))
			at, now, err := target.LastHit(miss[i])
			require.NoError(t, err)
			require.LessOrEqual(t, at, now)
			written[i] = at
		}
		_, now, err := target.LastHit(hit[0])
		require.NoError(t, err)
		moment := now + 1e12 // no time of a writing
		_, err = target.InjectAt(1, append([]byte{0, 0, 0, 0, 0, 0, 10, 0, 0, 1, 3, 5}, make([]byte, 48)...), moment)
		require.NoError(t, err)
		check := func(what string, e *dataplane.Entry, want uint64) {
			t.Helper()
			at, _, err := target.LastHit(e)
			require.NoError(t, err)
			require.Equal(t, want, at, "%s: %s, %v", what, e.Table.Name, e.Matches)
		}
		for i := range hit {
			check("hit", hit[i], moment)
			check("not hit", miss[i], written[i])
		}
		require.NoError(t, target.Insert(entry("by_list", 9, "list_is")))
		require.NoError(t, target.Delete(miss[3]))
		check("after a change of the list", hit[3], moment)
		for _, e := range hit {
			require.NoError(t, target.Modify(e))
			at, now, err := target.LastHit(e)
			require.NoError(t, err)
			require.LessOrEqual(t, at, now)
			require.NoError(t, target.Delete(e))
			_, _, err = target.LastHit(e)
			require.ErrorIs(t, err, dataplane.ErrNotFound)
		}
	}
	t.Run("interp", func(t *testing.T) { run(t, nil, interp.New(interp.Options{})) })
	t.Run("xdp", func(t *testing.T) {
		needs.Root(t, "XDP")
		source, err := gen.Generate(prog)
		require.NoError(t, err)
		object, err := build.Object(gen.CFile(prog.Name), source, bpf.Headers)
		if errors.Is(err, build.ErrNoClang) {
			needs.Tools(t, err)
		}
		require.NoError(t, err)
		target, err := xdp.New(xdp.Config{CPUPort: 64, PacketTest: true})
		require.NoError(t, err)
		run(t, object, target)
	})
}
