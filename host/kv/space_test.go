package kv

import (
	"cmp"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/host/replicated"
	"github.com/p4ce/p4ce/internal/long"
)

// TestDiskReserve: below the reserve what needs room is refused, and nothing else; it ends by itself.
func TestDiskReserve(t *testing.T) {
	const reserve = 100 << 20
	mem := vfs.NewMem()
	room := func(free uint64) { mem.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: free, TotalBytes: 1 << 30}) }
	room(1 << 30)
	m, err := Open(Options{Dir: "data", FS: mem, Reserve: reserve})
	require.NoError(t, err)
	log := &oneServer{m: m, entered: make(chan struct{}, 100)}
	s, err := NewServer(Config{Machine: m, Log: log, MaxRecord: 1 << 20, Version: "test", Client: self, Purge: time.Hour})
	require.NoError(t, err)
	c := dial(t, served(t, s, m))
	for _, k := range []string{"a", "b", "c"} {
		require.Equal(t, "OK", c.do("SET", k, "v"))
	}
	require.NoError(t, s.Health())
	const no = "(error) " + textNoRoom
	until := func(low bool) {
		require.Eventually(t, func() bool { return m.space.isLow() == low }, 10*time.Second, time.Millisecond)
	}
	room(reserve/2 - 1)
	until(true)
	for _, cmd := range []string{"SET a w", "MSET a w b w", "APPEND a w", "INCR n", "INCRBY n 2"} {
		require.Equal(t, no, c.do(strings.Fields(cmd)...), cmd)
	}
	require.Equal(t, `"v"`, c.do("GET", "a"))
	require.Equal(t, "(integer) 1", c.do("EXPIRE", "a", "1000"))
	c.send([]string{"SET", "x", "y"}, []string{"DEL", "b"}, []string{"SET", "x", "y"}, []string{"EXISTS", "a", "b", "x"})
	for _, want := range []string{no, "(integer) 1", no, "(integer) 1"} {
		require.Equal(t, want, c.reply())
	}
	require.Equal(t, replicated.RoomLow, m.Room(), "the others hear of it")
	require.EqualError(t, s.Health(), fmt.Sprintf("disk low: %d bytes are free, and %d must be (--disk-reserve): this server refuses writes that need room", reserve-1, reserve))
	_, err = m.Take()
	require.ErrorIs(t, err, errNoRoomToTake)
	room(1) // the ballast goes
	require.Eventually(t, func() bool { return m.Room() == replicated.RoomNone }, 10*time.Second, time.Millisecond)
	require.False(t, m.space.mayTidy(), "the database does nothing that needs room")
	require.ErrorContains(t, s.Health(), "takes nothing from the leader")
	room(reserve + 1)
	require.Eventually(t, func() bool { return m.Room() == replicated.RoomLow }, 10*time.Second, time.Millisecond, "an eighth more is enough")
	require.True(t, m.space.mayTidy())
	room(reserve + reserve/8)
	until(false)
	require.Equal(t, replicated.RoomEnough, m.Room())
	require.NoError(t, s.Health())
	require.Equal(t, "OK", c.do("SET", "a", "w"))

	// There is room here, but not where a majority is.
	log.short.Store(true)
	require.Equal(t, "(error) "+textNoRoomElsewhere, c.do("SET", "a", "w"))
	require.Equal(t, "(integer) 1", c.do("DEL", "a"))
	require.ErrorContains(t, s.Health(), "no majority")
	log.short.Store(false)
	require.Equal(t, "OK", c.do("SET", "a", "w"))
}

// TestFullBeforeALook: the disk becomes full between two looks at it. The write that finds it so has the ballast given up, and nothing
// fails.
func TestFullBeforeALook(t *testing.T) {
	for _, file := range []string{"", "synced.new"} { // whichever is written first
		t.Run(cmp.Or(file, "any"), func(t *testing.T) { fullBeforeALook(t, file) })
	}
}

func fullBeforeALook(t *testing.T, file string) {
	mem := vfs.NewMem()
	mem.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 1 << 30, TotalBytes: 1 << 30})
	ballast := func() bool { _, err := mem.Stat("data/" + ballastName); return err == nil }
	full := errorfs.Toggle{Injector: errorfs.InjectorFunc(func(o errorfs.Op) error {
		if o.Kind == errorfs.OpFileWrite && strings.HasSuffix(o.Path, file) && ballast() {
			return &fs.PathError{Op: "write", Path: o.Path, Err: unix.ENOSPC}
		}
		return nil
	})}
	m, err := Open(Options{Dir: "data", FS: errorfs.Wrap(mem, &full), Reserve: 100 << 20})
	require.NoError(t, err)
	require.True(t, ballast())
	full.On()
	for i := range 20 {
		apply(t, m, i, encode(record{time: 10, ops: []op{{code: opSet, args: args(fmt.Sprint("k", i), strings.Repeat("x", 1<<20))}}}))
	}
	require.NoError(t, m.Sync())
	require.False(t, ballast())
	require.NoError(t, m.Failure())
	mem.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 50 << 20, TotalBytes: 1 << 30})
	require.True(t, m.space.release(), "another write has released it")
	mem.TestingSetDiskUsage(vfs.DiskUsage{TotalBytes: 1 << 30})
	require.False(t, m.space.release(), "nothing is left")
	require.NoError(t, m.Close())
}

// TestDiskFull: a disk that somebody fills to the last byte. The server refuses writes before, takes deletes meanwhile, starts
// again, and goes on by itself when there is room.
func TestDiskFull(t *testing.T) {
	long.Test(t)
	needs.Root(t, "a small disk")
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=512m"); err != nil {
		needs.Kernel(t, fmt.Errorf("a small disk: mount tmpfs: %w", err))
	}
	t.Cleanup(func() { require.NoError(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	options := Options{Dir: filepath.Join(dir, "data"), Reserve: 128 << 20}
	m, err := Open(options)
	require.NoError(t, err)
	value := make([]byte, 1<<20)
	random := rand.NewChaCha8([32]byte{})
	n := 0
	index := 0
	do := func(ops ...op) {
		apply(t, m, index, encode(record{time: 10, ops: ops}))
		index++
		require.NoError(t, m.Sync())
	}
	for ; !m.space.isLow(); n++ {
		_, _ = random.Read(value) // never fails, and cannot be compressed
		do(op{code: opSet, args: args(fmt.Sprint("k", n), string(value))})
		require.Less(t, n, 512, "it refuses before the disk is full")
	}
	// Somebody else takes the rest.
	other, err := os.Create(filepath.Join(dir, "other"))
	require.NoError(t, err)
	defer other.Close()
	fill := func() {
		b := make([]byte, 1<<20)
		for len(b) > 0 {
			if _, err := other.Write(b); err != nil {
				b = b[:len(b)/2]
			}
		}
	}
	require.NoError(t, m.Close())
	fill()
	if _, err := os.Stat(filepath.Join(options.Dir, ballastName)); err != nil {
		// The database has needed the ballast's room by itself, and does when it starts.
		st, err := other.Stat()
		require.NoError(t, err)
		require.NoError(t, other.Truncate(max(0, st.Size()-int64(options.Reserve/2))))
	}
	m, err = Open(options)
	require.NoError(t, err, "it starts on a full disk")
	do(op{code: opDel, args: args("k0", "k1")})
	require.NoError(t, m.Close())

	require.NoError(t, other.Truncate(0))
	m, err = Open(options)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return !m.space.isLow() }, 30*time.Second, 10*time.Millisecond)
	require.NoError(t, m.Close())
}

// TestStartNeedsRoom: a server that starts gives its ballast up where one that runs keeps it, because opening a database needs room.
func TestStartNeedsRoom(t *testing.T) {
	const reserve = 100 << 20
	mem := vfs.NewMem()
	room := func(free uint64) { mem.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: free, TotalBytes: 1 << 30}) }
	room(1 << 30)
	o := Options{Dir: "data", FS: mem, Reserve: reserve}
	m, err := Open(o)
	require.NoError(t, err)
	room(reserve/2 - 1)
	require.NoError(t, m.space.look())
	require.True(t, m.space.ballast)
	require.NoError(t, m.Close())
	m, err = Open(o)
	require.NoError(t, err)
	require.False(t, m.space.ballast)
	_, err = mem.Stat("data/" + ballastName)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, m.Close())
}

// slowDisk is one that is asked for its room and does not answer before goOn is closed.
type slowDisk struct {
	vfs.FS
	asked, goOn chan struct{}
}

func (d *slowDisk) GetDiskUsage(path string) (vfs.DiskUsage, error) {
	d.asked <- struct{}{}
	<-d.goOn
	return d.FS.GetDiskUsage(path)
}

// TestRoomOfSlowDisk: one asks a disk that does not answer for its room; the others go on by what was known.
func TestRoomOfSlowDisk(t *testing.T) {
	d := &slowDisk{vfs.NewMem(), make(chan struct{}, 10), make(chan struct{})}
	s := &space{fs: d, dir: "data", reserve: 1 << 20, note: func(string, uint64) {}, begun: time.Now().Add(-time.Hour)}
	first, other := make(chan struct{}), make(chan struct{})
	go func() { s.isLow(); close(first) }()
	<-d.asked
	s.looked.Store(0) // long ago
	go func() { s.isLow(); close(other) }()
	select {
	case <-other:
	case <-time.After(20 * time.Second):
		t.Error("it waits for the disk")
	}
	close(d.goOn)
	<-first
	<-other
}
