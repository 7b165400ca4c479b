package kv

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

func takeImage(t require.TestingT, m *Machine) []byte {
	img, err := m.Snapshot()
	require.NoError(t, err)
	var b bytes.Buffer
	n, err := img.WriteTo(&b)
	require.NoError(t, err)
	require.Equal(t, int64(b.Len()), n)
	require.NoError(t, img.Close())
	return b.Bytes()
}

func TestImage(t *testing.T) {
	from, to := open(t, vfs.NewMem()), open(t, vfs.NewMem())
	defer from.Close()
	defer to.Close()
	empty := takeImage(t, from)
	big := strings.Repeat("v", frameTarget/2)
	for i := range 6 { // several frames
		apply(t, from, i, encode(record{time: 7, ops: []op{{code: opSet, n: int64(i), args: args(fmt.Sprint("k", i), big)}}}))
	}
	// An image is of its moment, whatever comes later.
	img, err := from.Snapshot()
	require.NoError(t, err)
	want := digest(t, from)
	apply(t, from, 6, set(8, "later", ""))
	var b bytes.Buffer
	_, err = img.WriteTo(&b)
	require.NoError(t, err)
	require.NoError(t, img.Close())
	require.NoError(t, img.Close(), "twice is once")

	apply(t, to, 0, set(100, "old", "1"))
	v, err := to.View(0)
	require.NoError(t, err)
	old, err := to.Snapshot()
	require.NoError(t, err)
	require.NoError(t, to.Restore(iotest.OneByteReader(bytes.NewReader(b.Bytes()))))
	require.Equal(t, want, digest(t, to))
	require.Equal(t, 6, applied(t, to))
	// Who looked at the old state still does.
	var keys []string
	_, err = v.Scan(0, 10, func(key []byte) bool {
		keys = append(keys, string(key))
		return true
	})
	require.NoError(t, err)
	require.Equal(t, []string{"old"}, keys)
	require.NoError(t, v.Close())
	b.Reset()
	_, err = old.WriteTo(&b)
	require.NoError(t, err)
	require.NoError(t, old.Close())
	require.NoError(t, to.Restore(&b))
	require.Equal(t, 1, applied(t, to))
	names, err := to.fs.List("/data")
	require.NoError(t, err)
	require.Len(t, slices.DeleteFunc(names, func(s string) bool { return !strings.HasPrefix(s, "db-") }), 1, "replaced databases are removed")

	require.NoError(t, to.Restore(bytes.NewReader(empty)))
	state, err := to.Load()
	require.NoError(t, err)
	require.Nil(t, state)
}

func TestImageDamaged(t *testing.T) {
	from := open(t, vfs.NewMem())
	defer from.Close()
	for i := range 5 {
		apply(t, from, i, set(7, fmt.Sprint("k", i), "value"))
	}
	img := takeImage(t, from)
	to := open(t, vfs.NewMem())
	defer to.Close()
	apply(t, to, 0, set(1, "old", "state"))
	want := digest(t, to)
	check := func(r io.Reader, text string) {
		t.Helper()
		require.ErrorContains(t, to.Restore(r), text)
		require.Equal(t, want, digest(t, to))
		require.Equal(t, 1, applied(t, to))
	}
	step := 1
	if testing.Short() {
		step = 17
	}
	for i := 0; i < len(img); i += step {
		check(bytes.NewReader(img[:i]), "truncated")
		bad := slices.Clone(img)
		bad[i] ^= 1 << (i % 8)
		check(bytes.NewReader(bad), "image")
		check(io.MultiReader(bytes.NewReader(img[:i]), iotest.ErrReader(errors.New("the peer died"))), "the peer died")
	}
	check(bytes.NewReader(append(slices.Clone(img), 'x')), "damaged")
	check(io.MultiReader(bytes.NewReader(img), iotest.ErrReader(errors.New("the peer died"))), "the peer died")
	require.NoError(t, to.Restore(bytes.NewReader(img)))
	require.Equal(t, digest(t, from), digest(t, to))
}

func FuzzRestore(f *testing.F) {
	from := open(f, vfs.NewMem())
	apply(f, from, 0, set(7, "k", "value"))
	img := takeImage(f, from)
	require.NoError(f, from.Close())
	f.Add(img, false)
	f.Add(img[:len(img)-3], true)
	f.Fuzz(func(t *testing.T, b []byte, mend bool) {
		if mend { // so that the checksums of what follows the magic hold
			b = mendFrames(imageMagic, b)
		}
		m := open(t, vfs.NewMem())
		before := digest(t, m)
		if err := m.Restore(bytes.NewReader(b)); err != nil {
			require.Equal(t, before, digest(t, m))
		}
		apply(t, m, 0, set(8, "k", "v"))
		require.NoError(t, m.Close())
	})
}

// mendFrames takes b for payloads and makes frames of it.
func mendFrames(magic string, b []byte) []byte {
	var out bytes.Buffer
	out.WriteString(magic)
	f := frameWriter{w: &out, sum: sha256.New()}
	for len(b) > 1 {
		n := min(int(b[1]), len(b)-2)
		f.payload = append(f.payload, b[2:2+n]...)
		f.frame(b[0])
		b = b[2+n:]
	}
	return out.Bytes()
}
