package kv

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/replicated"
)

func open(t require.TestingT, fs vfs.FS) *Machine {
	m, err := Open(Options{Dir: "/data", FS: fs})
	require.NoError(t, err)
	return m
}

// apply executes records, with a state that says how many were executed.
func apply(t require.TestingT, m *Machine, from int, recs ...[]byte) []any {
	entries := make([]replicated.Entry, len(recs))
	for i, r := range recs {
		entries[i] = replicated.Entry{Index: uint64(from + i), Record: slices.Clone(r)}
	}
	results, err := m.Apply(entries, position(from+len(recs)))
	require.NoError(t, err)
	require.Len(t, results, len(recs))
	for _, e := range entries { // results must not refer to them
		clear(e.Record)
	}
	return results
}

func position(n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// applied is how many records a machine has executed.
func applied(t require.TestingT, m *Machine) int {
	state, err := m.Load()
	require.NoError(t, err)
	if state == nil {
		return 0
	}
	return int(binary.BigEndian.Uint64(state))
}

func digest(t require.TestingT, m *Machine) string {
	d, err := m.Digest()
	require.NoError(t, err)
	return fmt.Sprintf("%x", d)
}

// set is a record that sets a key.
func set(time int64, key, value string) []byte {
	return encode(record{time: time, ops: []op{{code: opSet, args: args(key, value)}}})
}

func TestMachineExpiredKeysAreRemoved(t *testing.T) {
	m := open(t, vfs.NewMem())
	defer m.Close()
	const keys = 2500
	n := 0
	for i := range keys {
		apply(t, m, n, encode(record{time: 10, ops: []op{{code: opSet, n: 5, args: args(fmt.Sprint(i), "x")}}}))
		n++
	}
	stored := func() (keys int) {
		require.NoError(t, m.save())
		it, err := m.cur.DB.NewIter(dataRange())
		require.NoError(t, err)
		for it.First(); it.Valid(); it.Next() {
			keys++
		}
		require.NoError(t, it.Close())
		return keys
	}
	require.Equal(t, keys, stored())
	// Beside other writes a few at a time; as many as possible when that is all.
	apply(t, m, n, set(15, "y", ""))
	require.Equal(t, keys-purgeBeside+1, stored())
	apply(t, m, n+1, encode(record{time: 15}))
	require.Equal(t, keys-purgeBeside-purgeMany+1, stored())
	apply(t, m, n+2, encode(record{time: 15}), encode(record{time: 15}))
	require.Equal(t, 1, stored())
	require.Equal(t, uint64(1), m.meta.keys)
	it, err := m.cur.DB.NewIter(expiryRange(1 << 60))
	require.NoError(t, err)
	require.False(t, it.First(), "the index of expiries is empty")
	require.NoError(t, it.Close())
}

func TestMachineAppendLimit(t *testing.T) {
	m := open(t, vfs.NewMem())
	defer m.Close()
	apply(t, m, 0, set(1, "k", strings.Repeat("x", MaxValue-1)))
	add := encode(record{time: 1, ops: []op{{code: opAppend, args: args("k", "y")}}})
	require.Equal(t, strconv.Itoa(MaxValue), apply(t, m, 1, add)[0].([]Reply)[0].String())
	require.Equal(t, textTooLong, apply(t, m, 2, add)[0].([]Reply)[0].String())
}

func TestMachineOneUser(t *testing.T) {
	dir := t.TempDir()
	m, err := Open(Options{Dir: dir})
	require.NoError(t, err)
	_, err = Open(Options{Dir: dir})
	require.ErrorContains(t, err, "data directory "+dir)
	require.ErrorContains(t, err, "another server")
	require.NoError(t, m.Close())
	require.NoError(t, m.Close(), "twice is once")
	_, err = m.Apply(nil, nil)
	require.ErrorIs(t, err, ErrClosed)
	m, err = Open(Options{Dir: dir})
	require.NoError(t, err)
	require.NoError(t, m.Close())
}

// Somebody removed a part of the folder: nothing is begun anew on top of it.
func TestMachinePartsMissing(t *testing.T) {
	fs := vfs.NewMem()
	m := open(t, fs)
	apply(t, m, 0, set(1, "k", "v"))
	require.NoError(t, m.Close())
	names, err := fs.List("/data")
	require.NoError(t, err)
	sort.Strings(names)
	require.Equal(t, []string{"LOCK", "db-1", "marker.current.000001.db-1", "synced", "synced.copy"}, names)
	require.NoError(t, fs.Rename("/data/marker.current.000001.db-1", "/aside"))
	_, err = Open(Options{Dir: "/data", FS: fs})
	require.ErrorContains(t, err, "db-1 has data")
	require.NoError(t, fs.Rename("/aside", "/data/marker.current.000001.db-1"))
	m = open(t, fs)
	require.Equal(t, 1, applied(t, m))
	require.NoError(t, m.Close())
	require.NoError(t, fs.RemoveAll("/data/db-1"))
	_, err = Open(Options{Dir: "/data", FS: fs})
	require.ErrorContains(t, err, "db-1 is missing")
}

func BenchmarkApply(b *testing.B) {
	for _, batch := range []int{1, 64} {
		b.Run(fmt.Sprintf("batch=%d", batch), func(b *testing.B) {
			m, err := Open(Options{Dir: b.TempDir()})
			require.NoError(b, err)
			defer m.Close()
			entries := make([]replicated.Entry, batch)
			i := 0
			for b.Loop() {
				for j := range entries {
					entries[j] = replicated.Entry{Record: set(int64(i), fmt.Sprint("key", i%100000), "value")}
					i++
				}
				if _, err := m.Apply(entries, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(i), "ns/record")
		})
	}
}

// Nobody else reads what is in a folder of data.
func TestFolderMode(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "data")
	m, err := Open(Options{Dir: dir})
	require.NoError(t, err)
	require.NoError(t, m.Close())
	st, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), st.Mode().Perm())
	require.NoError(t, os.Chmod(dir, 0o750))
	_, err = Open(Options{Dir: dir})
	require.ErrorContains(t, err, "has mode 0750: other users could read or change its contents")
}
