package durable_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/disk"
	"github.com/p4ce/p4ce/host/durable"
	"github.com/p4ce/p4ce/test/damage"
)

// TestPut: a file is what was put last, whatever happens to one of its places; and what was
// being written when the power failed is the old or the new one.
func TestPut(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	mem := vfs.NewCrashableMem()
	require.NoError(t, durable.MakeDir(disk.Files(mem), "/a/b"))
	_, err := durable.Get(disk.Files(mem), "/a/b/x")
	require.ErrorIs(t, err, fs.ErrNotExist)
	for i := range 100 {
		require.NoError(t, durable.Put(disk.Files(mem), "/a/b/x", fmt.Appendf(nil, "value %d", i)))
		if i%3 == 0 {
			require.NoError(t, durable.PutLazily(disk.Files(mem), "/a/b/x", fmt.Appendf(nil, "lazy %d", i)))
			got, err := durable.Get(disk.Files(mem), "/a/b/x")
			require.NoError(t, err)
			require.Equal(t, fmt.Sprint("lazy ", i), string(got))
		}
		after := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng})
		got, err := durable.Get(disk.Files(after), "/a/b/x")
		require.NoError(t, err)
		require.Contains(t, []string{fmt.Sprint("value ", i), fmt.Sprint("lazy ", i)}, string(got))
		names, err := durable.Names(disk.Files(after), "/a/b", "")
		require.NoError(t, err)
		require.Equal(t, []string{"x"}, names)
		require.NoError(t, durable.Tidy(disk.Files(after), "/a/b"))
		left, err := after.List("/a/b")
		require.NoError(t, err)
		require.ElementsMatch(t, []string{"x", "x.copy"}, left)
	}
	require.NoError(t, durable.Remove(disk.Files(mem), "/a/b/x"))
	_, err = durable.Get(disk.Files(mem.CrashClone(vfs.CrashCloneCfg{})), "/a/b/x")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, durable.Remove(disk.Files(mem), "/a/b/x"))
	require.NoError(t, durable.Remove(disk.Files(mem), "/nowhere/x"))
}

func TestPutDamaged(t *testing.T) {
	mem := vfs.NewMem()
	require.NoError(t, durable.MakeDir(disk.Files(mem), "/d"))
	want := map[string]string{}
	put := func(i int) {
		for _, n := range []string{"one.json", "two.json", "three.json"} {
			want[n] = fmt.Sprintf("%s is %d", n, i)
			require.NoError(t, durable.Put(disk.Files(mem), "/d/"+n, []byte(want[n])))
		}
	}
	put(1)
	older := damage.Read(t, mem, "/d")
	put(2)
	for d := range damage.Of(1, damage.Read(t, mem, "/d"), older, 1000) {
		at := d.FS(t, "/d")
		names, err := durable.Names(disk.Files(at), "/d", ".json")
		require.NoError(t, err)
		require.Len(t, names, 3, d.String())
		for _, n := range names {
			got, err := durable.Get(disk.Files(at), "/d/"+n)
			require.NoError(t, err, d.String())
			require.Equal(t, want[n], string(got), d.String())
		}
	}
	// Both places: it is said.
	img := damage.Read(t, mem, "/d")
	for _, b := range []string{"", "p4ce", "p4ce-durable 1 2 13 0000000000000000\none.json is 2"} {
		img["one.json"], img["one.json.copy"] = []byte(b), []byte(b)
		_, err := durable.Get(disk.Files(img.FS(t, "/d")), "/d/one.json")
		require.ErrorIs(t, err, durable.ErrDamaged)
		require.ErrorContains(t, err, "one.json")
		require.NoError(t, durable.Put(disk.Files(img.FS(t, "/d")), "/d/one.json", []byte("new")), "it can be replaced")
	}
	// A build before had no sums.
	delete(img, "one.json.copy")
	img["one.json"] = []byte(`{"a": 1}`)
	got, err := durable.Get(disk.Files(img.FS(t, "/d")), "/d/one.json")
	require.NoError(t, err)
	require.Equal(t, `{"a": 1}`, string(got))
}

// On a disk, files are for their owner only, and leave nothing behind.
func TestPutOnDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x", "y")
	require.NoError(t, durable.MakeDir(durable.Disk, dir))
	require.NoError(t, durable.Put(durable.Disk, filepath.Join(dir, "f"), []byte("data")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f.new"), []byte("half"), 0o600))
	names, err := durable.Names(durable.Disk, dir, "")
	require.NoError(t, err)
	require.Equal(t, []string{"f"}, names)
	require.NoError(t, durable.Tidy(durable.Disk, dir))
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, list, 2)
	for _, e := range list {
		info, err := e.Info()
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o600), info.Mode())
	}
}

// listed is a file system that lists a folder at every moment of a Put.
type listed struct {
	vfs.FS
	list func()
}

func (l listed) Rename(from, to string) error { l.list(); return l.FS.Rename(from, to) }

// A reader lists the folder while a file is being written: the Put succeeds, and the reader sees no half of it.
func TestNamesBesidePut(t *testing.T) {
	mem := vfs.NewMem()
	require.NoError(t, durable.MakeDir(disk.Files(mem), "/d"))
	var seen [][]string
	at := listed{mem, func() {
		names, err := durable.Names(disk.Files(mem), "/d", "")
		require.NoError(t, err)
		seen = append(seen, names)
	}}
	require.NoError(t, durable.Put(disk.Files(at), "/d/x", []byte("one")))
	require.Equal(t, [][]string{nil, {"x"}}, seen, "nothing before the first place, the file before the second")
	require.NoError(t, mem.Rename("/d/x", "/d/x.new"))
	require.NoError(t, durable.Remove(disk.Files(mem), "/d/x"))
	left, err := mem.List("/d")
	require.NoError(t, err)
	require.Empty(t, left, "and nothing stays of a Put that did not end")
}

// FuzzGet: whatever a file has, it is what was put, or damaged, or of a build before.
func FuzzGet(f *testing.F) {
	f.Add([]byte("p4ce-durable 1 2 1 0000000000000000\nx"), []byte{})
	f.Fuzz(func(t *testing.T, a, b []byte) {
		img := damage.Image{"x": a, "x.copy": b}
		got, err := durable.Get(disk.Files(img.FS(t, "/d")), "/d/x")
		if err == nil {
			require.NoError(t, durable.Put(disk.Files(img.FS(t, "/d")), "/d/x", got))
			return
		}
		require.ErrorIs(t, err, durable.ErrDamaged)
	})
}
