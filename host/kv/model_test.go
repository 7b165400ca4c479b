package kv

import (
	"io"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

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
		// Memory for all keys, or for a few at a time.
		limit := rapid.SampledFrom([]int{tableBytes, 3 * itemSize, 1}).Draw(t, "memory")
		m := open(t, fs)
		m.table.limit = limit
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
				m.table.limit = limit
				require.Equal(t, n, applied(t, m))
			},
			"save": func(t *rapid.T) { require.NoError(t, m.save()) },
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
	scanned := slices.Sorted(maps.Keys(got))
	require.Equal(t, slices.Sorted(maps.Keys(visible)), scanned)
	clear(got)
	var all []string
	for k := range want.keys {
		all = append(all, k)
	}
	found, at, err := m.Read(now, args(all...), nil)
	require.NoError(t, err)
	require.Equal(t, max(now, want.time), at)
	for i, k := range all {
		if found[i].exists {
			got[k] = modelEntry{string(found[i].value), found[i].expiry}
		}
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
