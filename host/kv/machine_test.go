package kv

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/p4ce/p4ce/host/smr"
)

func open(t require.TestingT, fs vfs.FS) *Machine {
	m, err := Open(Options{Dir: "/data", FS: fs})
	require.NoError(t, err)
	return m
}

// apply executes records, with a state that says how many were executed.
func apply(t require.TestingT, m *Machine, from int, recs ...[]byte) []any {
	entries := make([]smr.Entry, len(recs))
	for i, r := range recs {
		entries[i] = smr.Entry{Index: uint64(from + i), Record: slices.Clone(r)}
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

// model is what a Machine ought to be: a map.
type model struct {
	time int64
	keys map[string]modelEntry
}

type modelEntry struct {
	value  string
	expiry int64
}

func (m *model) get(key string) (modelEntry, bool) {
	e, ok := m.keys[key]
	if ok && e.expiry != 0 && e.expiry <= m.time {
		delete(m.keys, key)
		return modelEntry{}, false
	}
	return e, ok
}

func (m *model) op(o op) string {
	key := string(o.args[0])
	e, ok := m.get(key)
	switch o.code {
	case opSet:
		if o.flags&flagNX != 0 && ok || o.flags&flagXX != 0 && !ok {
			return "(nil)"
		}
		e = modelEntry{value: string(o.args[1])}
		if o.n > 0 {
			e.expiry = m.time + o.n
		}
		m.keys[key] = e
		return "OK"
	case opDel:
		n := 0
		for _, a := range o.args {
			if _, ok := m.get(string(a)); ok {
				delete(m.keys, string(a))
				n++
			}
		}
		return strconv.Itoa(n)
	case opIncr:
		n := int64(0)
		if ok {
			var err error
			if n, err = strconv.ParseInt(e.value, 10, 64); err != nil || strconv.FormatInt(n, 10) != e.value {
				return textNotInteger
			}
		}
		if (n+o.n > n) != (o.n > 0) && o.n != 0 {
			return textOverflow
		}
		e.value = strconv.FormatInt(n+o.n, 10)
		m.keys[key] = e
		return e.value
	case opAppend:
		e.value += string(o.args[1])
		m.keys[key] = e
		return strconv.Itoa(len(e.value))
	case opMSet:
		for i := 0; i < len(o.args); i += 2 {
			m.keys[string(o.args[i])] = modelEntry{value: string(o.args[i+1])}
		}
		return "OK"
	case opExpire:
		if !ok {
			return "0"
		}
		if e.expiry = m.time + o.n; o.n <= 0 {
			delete(m.keys, key)
		} else {
			m.keys[key] = e
		}
		return "1"
	}
	panic(o.code)
}

// visible is what a model holds at a time.
func (m *model) visible(now int64) map[string]modelEntry {
	v := map[string]modelEntry{}
	for k, e := range m.keys {
		if e.expiry == 0 || e.expiry > now {
			v[k] = e
		}
	}
	return v
}

// genOp draws a write on few keys.
func genOp() *rapid.Generator[op] {
	key := rapid.Custom(func(t *rapid.T) []byte {
		return []byte(rapid.SampledFrom([]string{"", "a", "b", "c", "d", "e\x00"}).Draw(t, "key"))
	})
	value := rapid.Custom(func(t *rapid.T) []byte {
		return []byte(rapid.SampledFrom([]string{"", "1", "-7", "07", "x", "9223372036854775807", "-9223372036854775808"}).Draw(t, "value"))
	})
	return rapid.Custom(func(t *rapid.T) op {
		o := op{code: opcode(rapid.IntRange(int(opSet), int(opExpire)).Draw(t, "op"))}
		switch o.code {
		case opSet:
			o.flags = rapid.SampledFrom([]uint8{0, 0, flagNX, flagXX}).Draw(t, "flags")
			o.n = rapid.SampledFrom([]int64{0, 1, 5, 50}).Draw(t, "ttl")
			o.args = [][]byte{key.Draw(t, "key"), value.Draw(t, "value")}
		case opDel:
			o.args = rapid.SliceOfN(key, 1, 3).Draw(t, "keys")
		case opIncr:
			o.n = rapid.SampledFrom([]int64{0, 1, -1, 7, 1<<63 - 1, -1 << 63}).Draw(t, "n")
			o.args = [][]byte{key.Draw(t, "key")}
		case opAppend:
			o.args = [][]byte{key.Draw(t, "key"), value.Draw(t, "value")}
		case opMSet:
			for range rapid.IntRange(1, 3).Draw(t, "pairs") {
				o.args = append(o.args, key.Draw(t, "key"), value.Draw(t, "value"))
			}
		case opExpire:
			o.n = rapid.SampledFrom([]int64{-5, 0, 1, 5, 50}).Draw(t, "ttl")
			o.args = [][]byte{key.Draw(t, "key")}
		}
		return o
	})
}

// genRecord draws writes at a time near now, which may be before it.
func genRecord(now int64) *rapid.Generator[record] {
	return rapid.Custom(func(t *rapid.T) record {
		return record{time: max(now+rapid.Int64Range(-5, 20).Draw(t, "dt"), 0), ops: rapid.SliceOfN(genOp(), 0, 4).Draw(t, "ops")}
	})
}

func TestMachineModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fs := vfs.NewMem()
		m := open(t, fs)
		defer func() { require.NoError(t, m.Close()) }()
		want := model{keys: map[string]modelEntry{}}
		n := 0
		t.Repeat(map[string]func(*rapid.T){
			"records": func(t *rapid.T) {
				var recs [][]byte
				var replies []string
				for range rapid.IntRange(1, 4).Draw(t, "records") {
					r := genRecord(want.time).Draw(t, "record")
					recs = append(recs, encode(r))
					want.time = max(want.time, r.time)
					for _, o := range r.ops {
						replies = append(replies, want.op(o))
					}
				}
				var got []string
				for _, res := range apply(t, m, n, recs...) {
					for _, r := range res.([]Reply) {
						got = append(got, r.String())
					}
				}
				n += len(recs)
				require.Equal(t, replies, got)
			},
			"nonsense": func(t *rapid.T) {
				before := digest(t, m)
				res := apply(t, m, n, rapid.SliceOfN(rapid.Byte(), 0, 9).Filter(func(b []byte) bool {
					_, err := decodeRecord(b)
					return err != nil
				}).Draw(t, "bytes"))
				n++
				require.IsType(t, &RecordError{}, res[0])
				require.Equal(t, before, digest(t, m))
			},
			"reopen": func(t *rapid.T) {
				require.NoError(t, m.Close())
				m = open(t, fs)
				require.Equal(t, n, applied(t, m))
			},
			"": func(t *rapid.T) {
				now := want.time + rapid.Int64Range(-3, 10).Draw(t, "now")
				compare(t, m, want, now)
			},
		})
	})
}

// compare reads everything at a time.
func compare(t *rapid.T, m *Machine, want model, now int64) {
	v, err := m.View(now)
	require.NoError(t, err)
	visible := want.visible(max(now, want.time))
	got := map[string]modelEntry{}
	cursor := uint64(0)
	for {
		cursor, err = v.Scan(cursor, rapid.IntRange(1, 3).Draw(t, "count"), func(k []byte) bool {
			require.NotContains(t, got, string(k))
			got[string(k)] = modelEntry{}
			return len(got) != 2
		})
		require.NoError(t, err)
		if cursor == 0 {
			break
		}
	}
	for k := range got {
		ok, err := v.Get([]byte(k), func(value []byte, expiry int64) { got[k] = modelEntry{string(value), expiry} })
		require.NoError(t, err)
		require.True(t, ok)
	}
	require.Equal(t, visible, got)
	keys, err := v.Keys()
	require.NoError(t, err)
	require.Equal(t, uint64(len(visible)), keys)
	require.NoError(t, v.Close())
}

// Machines that take the same records in batches of different sizes, that are closed
// and opened, and that get the others' images in place of records, are equal.
func TestMachinesEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var recs [][]byte
		now := int64(0)
		for range rapid.IntRange(1, 60).Draw(t, "records") {
			r := genRecord(now).Draw(t, "record")
			now = max(now, r.time)
			recs = append(recs, encode(r))
		}
		fs := []vfs.FS{vfs.NewMem(), vfs.NewMem(), vfs.NewMem()}
		machines := make([]*Machine, len(fs))
		for i := range fs {
			machines[i] = open(t, fs[i])
		}
		done := func(i int) bool { return applied(t, machines[i]) == len(recs) }
		for !done(0) || !done(1) || !done(2) {
			i := rapid.IntRange(0, 2).Draw(t, "machine")
			at := applied(t, machines[i])
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				require.NoError(t, machines[i].Close())
				machines[i] = open(t, fs[i])
			case 1:
				if from := rapid.IntRange(0, 2).Draw(t, "from"); applied(t, machines[from]) >= at {
					img, err := machines[from].Snapshot()
					require.NoError(t, err)
					r, w := io.Pipe()
					go func() {
						_, err := img.WriteTo(w)
						w.CloseWithError(err)
					}()
					require.NoError(t, machines[i].Restore(r))
					require.NoError(t, img.Close())
				}
			default:
				n := min(rapid.IntRange(1, 9).Draw(t, "batch"), len(recs)-at)
				apply(t, machines[i], at, recs[at:at+n]...)
			}
		}
		for _, m := range machines[1:] {
			require.Equal(t, digest(t, machines[0]), digest(t, m))
		}
		for _, m := range machines {
			require.NoError(t, m.Close())
		}
	})
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
		it, err := m.cur.db.NewIter(dataRange())
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
	it, err := m.cur.db.NewIter(expiryRange(1 << 60))
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
	require.Equal(t, []string{"LOCK", "db-1", "marker.current.000001.db-1"}, names)
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
	ok, err := v.Get([]byte("old"), func([]byte, int64) {})
	require.NoError(t, err)
	require.True(t, ok)
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
		check(bytes.NewReader(img[:i]), "cut short")
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
			b = mendImage(b)
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

// mendImage takes b for payloads and makes frames of it.
func mendImage(b []byte) []byte {
	var out bytes.Buffer
	out.WriteString(imageMagic)
	f := frameWriter{w: &out, sum: sha256.New()}
	for len(b) > 1 {
		n := min(int(b[1]), len(b)-2)
		f.payload = append(f.payload, b[2:2+n]...)
		f.frame(b[0])
		b = b[2+n:]
	}
	return out.Bytes()
}

// history is a machine's digest after every record.
type history struct {
	recs    [][]byte
	digests []string
}

func newHistory(t *testing.T, n int) *history {
	h := &history{}
	m := open(t, vfs.NewMem())
	h.digests = append(h.digests, digest(t, m))
	for i := range n {
		h.recs = append(h.recs, encode(record{time: int64(i), ops: []op{{code: opSet, n: int64(i % 7), args: args(fmt.Sprint("k", i%50), strings.Repeat("v", 100+i%300))}}}))
		apply(t, m, i, h.recs[i])
		h.digests = append(h.digests, digest(t, m))
	}
	require.NoError(t, m.Close())
	return h
}

// check opens a file system after a crash: it has executed min records at least, and
// whatever it has executed whole.
func (h *history) check(t *testing.T, fs vfs.FS, min int) {
	t.Helper()
	m := open(t, fs)
	n := applied(t, m)
	require.GreaterOrEqual(t, n, min)
	require.Equal(t, h.digests[n], digest(t, m))
	require.NoError(t, m.Close())
}

func TestMachineCrash(t *testing.T) {
	h := newHistory(t, 300)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	fs := vfs.NewCrashableMem()
	m := open(t, fs)
	synced := 0
	for n := 0; n < len(h.recs); {
		k := min(1+rng.IntN(10), len(h.recs)-n)
		apply(t, m, n, h.recs[n:n+k]...)
		n += k
		if rng.IntN(3) == 0 {
			require.NoError(t, m.Sync())
			synced = n
		}
		if rng.IntN(3) == 0 {
			h.check(t, fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng}), synced)
		}
	}
	require.NoError(t, m.Close())
}

// At every step of Restore a crash leaves the old state or the new one, whole.
func TestRestoreCrash(t *testing.T) {
	h := newHistory(t, 200)
	from := open(t, vfs.NewMem())
	apply(t, from, 0, h.recs...)
	img := takeImage(t, from)
	require.NoError(t, from.Close())

	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	fs := vfs.NewCrashableMem()
	var mu sync.Mutex
	var crashed []vfs.FS
	watch := errorfs.Toggle{Injector: errorfs.InjectorFunc(func(o errorfs.Op) error {
		if o.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			mu.Lock()
			defer mu.Unlock()
			crashed = append(crashed, fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: []int{0, 50, 100}[rng.IntN(3)], RNG: rng}))
		}
		return nil
	})}
	m := open(t, errorfs.Wrap(fs, &watch))
	const old = 120
	apply(t, m, 0, h.recs[:old]...)
	require.NoError(t, m.Sync())
	watch.On()
	require.NoError(t, m.Restore(bytes.NewReader(img)))
	watch.Off()
	mu.Lock()
	defer mu.Unlock()
	require.NotEmpty(t, crashed)
	states := map[int]int{}
	for _, fs := range crashed {
		m := open(t, fs)
		n := applied(t, m)
		states[n]++
		require.Equal(t, h.digests[n], digest(t, m))
		require.NoError(t, m.Close())
	}
	t.Logf("%d crashes; records executed: %v", len(crashed), states)
	require.Equal(t, len(crashed), states[old]+states[200])
	require.NotZero(t, states[old])
	require.NotZero(t, states[200])
	h.check(t, fs.CrashClone(vfs.CrashCloneCfg{}), 200)
	require.NoError(t, m.Close())
}

// faultyFS fails from the n-th write on, once it is switched on.
type faultyFS struct {
	mu   sync.Mutex
	on   bool
	left int
	err  error
}

func (f *faultyFS) String() string { return "faults" }

func (f *faultyFS) MaybeError(o errorfs.Op) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.on || o.Kind.ReadOrWrite() != errorfs.OpIsWrite {
		return nil
	}
	if f.left > 0 {
		f.left--
		return nil
	}
	return f.err
}

func (f *faultyFS) fail(after int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.on, f.left, f.err = true, after, err
}

// When the disk is full Apply says so, sooner or later, and ever after; what Sync
// promised is there.
func TestMachineDiskFull(t *testing.T) {
	h := newHistory(t, 60)
	full := &pathError{"write", syscall.ENOSPC}
	for after := range 12 {
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			fs := vfs.NewCrashableMem()
			fault := &faultyFS{}
			m := open(t, errorfs.Wrap(fs, fault))
			apply(t, m, 0, h.recs[:20]...)
			require.NoError(t, m.Sync())
			fault.fail(after, full)
			n, synced := 20, 20
			var err error
			for err == nil {
				if n < len(h.recs) {
					_, err = m.Apply([]smr.Entry{{Index: uint64(n), Record: h.recs[n]}}, position(n+1))
				} else { // the last one again and again: it changes nothing any more
					_, err = m.Apply(nil, position(n))
				}
				if err == nil {
					n = min(n+1, len(h.recs))
					if err = m.Sync(); err == nil {
						synced = n
					}
				}
			}
			require.ErrorIs(t, err, syscall.ENOSPC)
			require.ErrorContains(t, err, "disk (/data/db-1)")
			_, again := m.Apply(nil, nil)
			require.Equal(t, err.Error(), again.Error())
			require.Error(t, m.Sync())
			require.Error(t, m.Failure())
			_, err = m.View(0)
			require.Error(t, err)
			_, err = m.Snapshot()
			require.Error(t, err)
			require.Error(t, m.Restore(bytes.NewReader(nil)))
			h.check(t, fs.CrashClone(vfs.CrashCloneCfg{}), synced)
			require.Error(t, m.Close())
		})
	}
}

// A disk that fills up while an image arrives: the old state goes on, unless the
// pointer was moved perhaps.
func TestRestoreDiskFull(t *testing.T) {
	h := newHistory(t, 60)
	from := open(t, vfs.NewMem())
	apply(t, from, 0, h.recs...)
	img := takeImage(t, from)
	require.NoError(t, from.Close())
	outcomes := map[string]int{}
	for after := 0; ; after++ {
		fs := vfs.NewCrashableMem()
		fault := &faultyFS{}
		m := open(t, errorfs.Wrap(fs, fault))
		apply(t, m, 0, h.recs[:20]...)
		require.NoError(t, m.Sync())
		fault.fail(after, &pathError{"write", syscall.ENOSPC})
		err := m.Restore(bytes.NewReader(img))
		fault.mu.Lock()
		fault.on = false
		fault.mu.Unlock()
		if err == nil {
			h.check(t, fs.CrashClone(vfs.CrashCloneCfg{}), 60)
			_ = m.Close()
			outcomes["restored"]++
			break
		}
		require.ErrorIs(t, err, syscall.ENOSPC)
		if m.Failure() == nil {
			require.Equal(t, 20, applied(t, m))
			apply(t, m, 20, h.recs[20:]...)
			require.NoError(t, m.Sync())
			h.check(t, fs.CrashClone(vfs.CrashCloneCfg{}), 60)
			outcomes["as before"]++
		} else {
			h.check(t, fs.CrashClone(vfs.CrashCloneCfg{}), 20)
			outcomes["finished"]++
		}
		_ = m.Close()
	}
	t.Logf("%v", outcomes)
	require.NotZero(t, outcomes["as before"])
}

// pathError is an error of the operating system.
type pathError struct {
	op  string
	err error
}

func (e *pathError) Error() string { return e.op + ": " + e.err.Error() }
func (e *pathError) Unwrap() error { return e.err }

func BenchmarkApply(b *testing.B) {
	for _, batch := range []int{1, 64} {
		b.Run(fmt.Sprintf("batch=%d", batch), func(b *testing.B) {
			m, err := Open(Options{Dir: b.TempDir()})
			require.NoError(b, err)
			defer m.Close()
			entries := make([]smr.Entry, batch)
			i := 0
			for b.Loop() {
				for j := range entries {
					entries[j] = smr.Entry{Record: set(int64(i), fmt.Sprint("key", i%100000), "value")}
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
