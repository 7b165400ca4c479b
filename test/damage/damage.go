package damage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

// Image is files, by their path below a folder.
type Image map[string][]byte

// Read takes the image of a folder. What a program removes meanwhile may not be in it.
func Read(t testing.TB, fs vfs.FS, dir string) Image {
	t.Helper()
	img := Image{}
	var walk func(rel string)
	walk = func(rel string) {
		at := fs.PathJoin(dir, rel)
		names, err := fs.List(at)
		if errors.Is(err, os.ErrNotExist) && rel != "" {
			return
		}
		require.NoError(t, err)
		for _, n := range names {
			info, err := fs.Stat(fs.PathJoin(at, n))
			if errors.Is(err, os.ErrNotExist) {
				continue // just now
			}
			require.NoError(t, err)
			if info.IsDir() {
				walk(path.Join(rel, n))
				continue
			}
			f, err := fs.Open(fs.PathJoin(at, n))
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			require.NoError(t, err)
			b, err := io.ReadAll(f)
			require.NoError(t, err)
			require.NoError(t, f.Close())
			img[path.Join(rel, n)] = b
		}
	}
	walk("")
	return img
}

// Write puts an image into a folder, which has nothing.
func (img Image) Write(t testing.TB, fs vfs.FS, dir string) {
	t.Helper()
	require.NoError(t, fs.MkdirAll(dir, 0o700))
	for name, b := range img {
		at := fs.PathJoin(dir, name)
		require.NoError(t, fs.MkdirAll(fs.PathDir(at), 0o700))
		f, err := fs.Create(at, vfs.WriteCategoryUnspecified)
		require.NoError(t, err)
		_, err = f.Write(bytes.Clone(b))
		require.NoError(t, err)
		require.NoError(t, f.Sync())
		require.NoError(t, f.Close())
	}
}

// FS is a file system in memory with the image in a folder.
func (img Image) FS(t testing.TB, dir string) *vfs.MemFS {
	t.Helper()
	fs := vfs.NewMem()
	img.Write(t, fs, dir)
	return fs
}

// Damaged is an image after a fault.
type Damaged struct {
	Image
	Kind string // of the fault
	File string // that has it
	What string // has happened
}

func (d Damaged) String() string { return fmt.Sprintf("%s: %s: %s", d.Kind, d.File, d.What) }

// The kinds of faults.
const (
	Flip        = "flip"        // a bit
	Truncate    = "truncate"    // what comes behind some byte is gone
	Empty       = "empty"       // a file is there, and has nothing
	Missing     = "missing"     // a file is not
	Zero        = "zero"        // a block was never written
	StaleBlock  = "stale block" // a block is what it was before
	Stale       = "stale"       // a whole file is: what was flushed since was lost
	Misdirected = "misdirected" // a block is that of another place
	Swapped     = "swapped"     // a file is another one
)

// Kinds are all of them.
var Kinds = []string{Flip, Truncate, Empty, Missing, Zero, StaleBlock, Stale, Misdirected, Swapped}

const block = 512

// Of draws n faults of an image: each changes something. Older is the image of a moment
// before.
func Of(seed uint64, img, older Image, n int) iter.Seq[Damaged] {
	return func(yield func(Damaged) bool) {
		rng := rand.New(rand.NewPCG(seed, 0x64616d61))
		names := slices.Sorted(maps.Keys(img))
		names = slices.DeleteFunc(names, func(n string) bool { return len(img[n]) == 0 })
		if len(names) == 0 {
			return
		}
		for tries := 100 * n; n > 0 && tries > 0; tries-- {
			name := names[rng.IntN(len(names))]
			d := Damaged{Image: maps.Clone(img), Kind: Kinds[rng.IntN(len(Kinds))], File: name}
			b := bytes.Clone(img[name])
			d.What, b = hurt(rng, d.Kind, b, img, older, name, names)
			if b == nil && d.What == "" || bytes.Equal(b, img[name]) && d.Kind != Missing {
				continue
			}
			if d.Image[name] = b; d.Kind == Missing {
				delete(d.Image, name)
			}
			n--
			if !yield(d) {
				return
			}
		}
	}
}

// hurt damages the content of a file; no text: there is nothing to do.
func hurt(rng *rand.Rand, kind string, b []byte, img, older Image, name string, names []string) (string, []byte) {
	// Content is rare in files that are mostly zeros: most faults hit some.
	at := rng.IntN(len(b))
	for range 20 {
		if b[at] != 0 {
			break
		}
		at = rng.IntN(len(b))
	}
	from := at / block * block
	part := b[from:min(from+block, len(b))]
	switch kind {
	case Flip:
		bit := rng.IntN(8)
		b[at] ^= 1 << bit
		return fmt.Sprintf("bit %d of byte %d of %d", bit, at, len(b)), b
	case Truncate:
		return fmt.Sprintf("%d bytes of %d are left", at, len(b)), b[:at]
	case Empty:
		return "it has nothing", []byte{}
	case Missing:
		return "it is not there", nil
	case Zero:
		clear(part)
		return fmt.Sprintf("bytes %d to %d are zero", from, from+len(part)), b
	case StaleBlock:
		old, ok := older[name]
		if !ok || len(old) <= from {
			return "", nil
		}
		copy(part, old[from:])
		return fmt.Sprintf("bytes %d to %d are those of before", from, from+len(part)), b
	case Stale:
		old, ok := older[name]
		if !ok {
			return "", nil
		}
		return fmt.Sprintf("it has the %d bytes of before", len(old)), bytes.Clone(old)
	case Misdirected:
		other := names[rng.IntN(len(names))]
		o := img[other]
		i := rng.IntN(len(o)) / block * block
		copy(part, o[i:])
		return fmt.Sprintf("bytes %d to %d are those at %d of %s", from, from+len(part), i, other), b
	case Swapped:
		other := names[rng.IntN(len(names))]
		// In one folder, and of one kind: what a wrong rename can do.
		if path.Dir(other) != path.Dir(name) || path.Ext(strings.TrimSuffix(other, ".copy")) != path.Ext(strings.TrimSuffix(name, ".copy")) {
			return "", nil
		}
		return "it is " + other, bytes.Clone(img[other])
	}
	panic(kind)
}
