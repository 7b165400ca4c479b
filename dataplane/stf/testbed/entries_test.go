package testbed_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
)

// TestInitialEntries: the entries of the program text are entries as any other. Who
// inserts one of them is refused, and it stays what it was; it can be changed
// and deleted.
func TestInitialEntries(t *testing.T) {
	for _, target := range targets {
		t.Run(target, func(t *testing.T) {
			pipe := small(t, "testdata/initial_entries.p4")
			sw := load(t, pipe, target)
			port := func(table int) dataplane.Port {
				out, err := sw.Inject(1, []byte{0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, byte(table), 0x88, 0xb5})
				require.NoError(t, err)
				require.Len(t, out, 1)
				return out[0].Port
			}
			for i, tb := range pipe.Program.Tables {
				t.Run(tb.Name, func(t *testing.T) {
					for _, e := range tb.Entries {
						was := dataplane.ProgramEntry(tb, e)
						other := *was
						other.Action.Args = [][]byte{{0, 9}}
						before := port(i)
						require.Equal(t, dataplane.Port(i+1), before)
						require.Error(t, sw.Insert(&other))
						require.Equal(t, before, port(i))
						require.NoError(t, sw.Modify(&other))
						require.Equal(t, dataplane.Port(9), port(i))
						require.NoError(t, sw.Delete(was))
						require.ErrorIs(t, sw.Delete(was), dataplane.ErrNotFound)
						require.NoError(t, sw.Insert(was))
						require.Equal(t, before, port(i))
					}
				})
			}
		})
	}
}
