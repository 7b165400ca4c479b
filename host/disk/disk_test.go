package disk_test

import (
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

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
			s, err := disk.Open(errorfs.Wrap(vfs.NewMem(), &broken), "db", true, disk.Room{}, slog.New(slog.DiscardHandler))
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

// TestReleases: a write that finds the disk full has its user give up what that keeps, and is tried again, once.
func TestReleases(t *testing.T) {
	for _, c := range []struct {
		what string
		op   errorfs.OpKind
		file string
	}{
		{"a log is made", errorfs.OpCreate, ".log"},
		{"a log is written", errorfs.OpFileWrite, ".log"},
		{"a table is made", errorfs.OpCreate, ".sst"},
		{"a table is written", errorfs.OpFileWrite, ".sst"},
	} {
		t.Run(c.what, func(t *testing.T) {
			for _, kept := range []int64{1, 2} {
				var left, releases atomic.Int64
				left.Store(kept)
				full := errorfs.Toggle{Injector: errorfs.InjectorFunc(func(o errorfs.Op) error {
					if left.Load() > 0 && o.Kind == c.op && strings.HasSuffix(o.Path, c.file) {
						return &fs.PathError{Op: "write", Path: o.Path, Err: syscall.ENOSPC}
					}
					return nil
				})}
				room := disk.Room{Release: func() bool {
					releases.Add(1)
					return left.Add(-1) >= 0
				}}
				s, err := disk.Open(errorfs.Wrap(vfs.NewMem(), &full), "db", true, room, slog.New(slog.DiscardHandler))
				require.NoError(t, err)
				full.On()
				for i := range 100 { // some tables
					if err = s.Run(func() error { return s.DB.Set(fmt.Append(nil, i), make([]byte, 100<<10), pebble.NoSync) }); err != nil {
						break
					}
				}
				if err == nil {
					err = s.Run(s.DB.Flush)
				}
				require.EqualValues(t, 1, releases.Load())
				if kept == 1 {
					require.NoError(t, err)
					require.NoError(t, s.Release())
					continue
				}
				require.ErrorIs(t, err, syscall.ENOSPC, "the disk is full still")
				require.ErrorIs(t, s.Release(), syscall.ENOSPC)
			}
		})
	}
}

// TestLogsInReserve: the log of a database takes no more at once than its user keeps free.
func TestLogsInReserve(t *testing.T) {
	dir := t.TempDir()
	const reserve = 16 << 20
	s, err := disk.Open(vfs.Default, dir, true, disk.Room{Reserve: reserve}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	for i := range 20 {
		require.NoError(t, s.Run(func() error { return s.DB.Set(fmt.Append(nil, i), make([]byte, 1<<20), pebble.Sync) }), "records larger than a table")
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range entries {
			var st unix.Stat_t
			if unix.Stat(filepath.Join(dir, e.Name()), &st) == nil && filepath.Ext(e.Name()) == ".log" {
				require.LessOrEqual(t, st.Blocks*512, int64(reserve/4), e.Name())
			}
		}
	}
	require.NoError(t, s.Release())
}

// TestTidies: a database compacts when it may, and by itself as soon as it may again; until then it takes what is written.
func TestTidies(t *testing.T) {
	var room atomic.Bool
	s, err := disk.Open(vfs.NewMem(), "db", true, disk.Room{Tidy: room.Load}, slog.New(slog.DiscardHandler))
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
