package disk_test

import (
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/disk"
)

// Whatever it is that cannot be written any more, the store ends, with that error, and nothing
// else does: a log that pebble cannot make, or cannot close, when the next one is due.
func TestFullAtAnyWrite(t *testing.T) {
	for _, c := range []struct {
		what string
		op   errorfs.OpKind
		file string
	}{
		{"the next log cannot be made", errorfs.OpCreate, ".log"},
		{"a log is used again", errorfs.OpReuseForWrite, ".log"},
		{"a log cannot be written", errorfs.OpFileWrite, ".log"},
		{"a log cannot be flushed", errorfs.OpFileSyncData, ".log"},
		{"a table cannot be made", errorfs.OpCreate, ".sst"},
		{"a table cannot be written", errorfs.OpFileWrite, ".sst"},
	} {
		t.Run(c.what, func(t *testing.T) {
			broken := errorfs.Toggle{Injector: errorfs.InjectorFunc(func(o errorfs.Op) error {
				if o.Kind == c.op && strings.HasSuffix(o.Path, c.file) {
					return errorfs.ErrInjected
				}
				return nil
			})}
			s, err := disk.Open(errorfs.Wrap(vfs.NewMem(), &broken), "db", true, nil, slog.New(slog.DiscardHandler))
			require.NoError(t, err)
			value := make([]byte, 100<<10)
			broken.On()
			for i := range 1000 { // logs are changed at 256 KiB, then at twice as much, up to 32 MiB
				if err = s.Run(func() error { return s.DB.Set(fmt.Append(nil, i), value, pebble.NoSync) }); err != nil {
					break
				}
			}
			require.ErrorIs(t, err, errorfs.ErrInjected)
			require.ErrorIs(t, s.Failure(), errorfs.ErrInjected)
			require.ErrorIs(t, s.Run(func() error { t.Error("it was used"); return nil }), errorfs.ErrInjected)
			require.ErrorIs(t, s.Release(), errorfs.ErrInjected)
		})
	}
}

// TestTidies: a database compacts when it may, and by itself as soon as it may again; until then it takes what is written.
func TestTidies(t *testing.T) {
	var room atomic.Bool
	s, err := disk.Open(vfs.NewMem(), "db", true, room.Load, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	write := func(n int) {
		for range n {
			for i := range 10 {
				require.NoError(t, s.DB.Set(fmt.Append(nil, i), make([]byte, 1000), pebble.NoSync))
			}
			require.NoError(t, s.DB.Flush())
		}
	}
	write(8) // Pebble compacts what overlaps four times
	require.Zero(t, s.DB.Metrics().Compact.Count)
	room.Store(true)
	require.Eventually(t, func() bool { return s.DB.Metrics().Compact.Count > 0 }, 10*time.Second, time.Millisecond)
	require.NoError(t, s.Release())
}
