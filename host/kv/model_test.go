package kv

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
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

// record executes the ops of a record. In a transaction of which a check fails, nothing takes effect.
func (m *model) record(ops []op) (replies []string) {
	for i := 0; i < len(ops); i++ {
		if ops[i].code != opBegin {
			replies = append(replies, m.op(ops[i]))
			continue
		}
		n := int(ops[i].n)
		tx := ops[i+1 : i+1+n]
		if slices.ContainsFunc(tx, func(o op) bool { return o.code == opCheck && !m.unchanged(o) }) {
			begun := slices.IndexFunc(tx, func(o op) bool { return o.code == opCheck && !m.unchanged(o) })
			replies = append(replies, "(not)")
			for k := range tx {
				if k < begun {
					replies = append(replies, "OK")
				} else {
					replies = append(replies, "(not)")
				}
			}
		} else {
			replies = append(replies, "OK")
			for _, o := range tx {
				replies = append(replies, m.op(o))
			}
		}
		i += n
	}
	return replies
}

func (m *model) unchanged(o op) bool {
	e, ok := m.get(string(o.args[0]))
	if len(o.args) == 1 {
		return !ok
	}
	return ok && string(entry{true, e.expiry, []byte(e.value)}.sum()) == string(o.args[1])
}

// found is the reply that has what was there.
func (e modelEntry) found(ok bool) string {
	if !ok {
		return "(nil)"
	}
	return fmt.Sprintf("%q %d", e.value, e.expiry)
}

// put stores an entry that expires, perhaps in the past.
func (m *model) put(key string, e modelEntry) {
	if e.expiry <= m.time {
		delete(m.keys, key)
	} else {
		m.keys[key] = e
	}
}

func (m *model) op(o op) string {
	if o.code == opFlush {
		clear(m.keys)
		return "OK"
	}
	key := string(o.args[0])
	e, ok := m.get(key)
	until := m.time + o.n
	if o.flags&flagAt != 0 {
		until = o.n
	}
	switch o.code {
	case opCheck:
		return "OK" // or nothing of the transaction was executed
	case opSet:
		reply := e.found(ok)
		if o.flags&flagNX != 0 && ok || o.flags&flagXX != 0 && !ok {
			if o.flags&flagGet == 0 {
				reply = "(nil)"
			}
			return reply
		}
		if o.flags&flagGet == 0 {
			reply = "OK"
		}
		set := modelEntry{value: string(o.args[1])}
		switch {
		case o.flags&flagKeepTTL != 0:
			set.expiry = e.expiry
			m.keys[key] = set
		case o.n > 0:
			set.expiry = until
			m.put(key, set)
		default:
			m.keys[key] = set
		}
		return reply
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
	case opIncrFloat:
		sum, text := addFloats(entry{exists: ok, value: []byte(e.value)}, o.args[1])
		if text != "" {
			return text
		}
		e.value = sum
		m.keys[key] = e
		return sum
	case opAppend:
		e.value += string(o.args[1])
		m.keys[key] = e
		return strconv.Itoa(len(e.value))
	case opSetRange:
		if len(o.args[1]) > 0 {
			for int64(len(e.value)) < o.n {
				e.value += "\x00"
			}
			rest := ""
			if end := int(o.n) + len(o.args[1]); end < len(e.value) {
				rest = e.value[end:]
			}
			e.value = e.value[:o.n] + string(o.args[1]) + rest
			m.keys[key] = e
		}
		return strconv.Itoa(len(e.value))
	case opMSet:
		for i := 0; i < len(o.args); i += 2 {
			if _, ok := m.get(string(o.args[i])); ok && o.flags&flagNX != 0 {
				return "(nil)"
			}
		}
		for i := 0; i < len(o.args); i += 2 {
			m.keys[string(o.args[i])] = modelEntry{value: string(o.args[i+1])}
		}
		return "OK"
	case opExpire:
		forever := e.expiry == 0
		switch {
		case !ok, o.flags&flagNX != 0 && !forever, o.flags&flagXX != 0 && forever,
			o.flags&flagGT != 0 && (forever || until <= e.expiry), o.flags&flagLT != 0 && !forever && until >= e.expiry:
			return "0"
		}
		e.expiry = until
		m.put(key, e)
		return "1"
	case opPersist:
		if !ok || e.expiry == 0 {
			return "0"
		}
		e.expiry = 0
		m.keys[key] = e
		return "1"
	case opGetDel:
		delete(m.keys, key)
		return e.found(ok)
	case opGetEx:
		set := e
		if set.expiry = until; ok && o.flags&flagPersist != 0 {
			m.keys[key] = modelEntry{value: e.value}
		} else if ok && o.n > 0 {
			m.put(key, set)
		}
		return e.found(ok)
	case opRead:
		var all []string
		for _, a := range o.args {
			all = append(all, func() string { e, ok := m.get(string(a)); return e.found(ok) }())
		}
		return strings.Join(all, " ")
	case opCopy:
		to := string(o.args[1])
		_, there := m.get(to)
		switch {
		case !ok:
			return textNoKey
		case there && o.flags&flagReplace == 0:
			return "0"
		}
		if o.flags&flagMove != 0 {
			delete(m.keys, key)
		}
		m.keys[to] = e
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
		o := op{code: opcode(rapid.IntRange(int(opSet), int(opRead)).Draw(t, "op"))}
		switch o.code {
		case opSet:
			o.flags = rapid.SampledFrom([]uint8{0, 0, flagNX, flagXX, flagGet, flagGet | flagNX, flagKeepTTL, flagKeepTTL | flagXX, flagAt, flagAt | flagGet}).Draw(t, "flags")
			switch o.n = rapid.SampledFrom([]int64{0, 1, 5, 50}).Draw(t, "ttl"); {
			case o.flags&flagKeepTTL != 0:
				o.n = 0
			case o.flags&flagAt != 0:
				o.n++
			}
			o.args = [][]byte{key.Draw(t, "key"), value.Draw(t, "value")}
		case opDel:
			o.args = rapid.SliceOfN(key, 1, 3).Draw(t, "keys")
		case opIncr:
			o.n = rapid.SampledFrom([]int64{0, 1, -1, 7, 1<<63 - 1, -1 << 63}).Draw(t, "n")
			o.args = [][]byte{key.Draw(t, "key")}
		case opAppend:
			o.args = [][]byte{key.Draw(t, "key"), value.Draw(t, "value")}
		case opMSet:
			o.flags = rapid.SampledFrom([]uint8{0, 0, flagNX}).Draw(t, "flags")
			for range rapid.IntRange(1, 3).Draw(t, "pairs") {
				o.args = append(o.args, key.Draw(t, "key"), value.Draw(t, "value"))
			}
		case opExpire:
			o.flags = rapid.SampledFrom([]uint8{0, 0, 0, flagNX, flagXX, flagGT, flagLT, flagAt, flagAt | flagGT, flagXX | flagLT}).Draw(t, "flags")
			o.n = rapid.SampledFrom([]int64{-5, 0, 1, 5, 50}).Draw(t, "ttl")
			o.args = [][]byte{key.Draw(t, "key")}
		case opPersist, opGetDel:
			o.args = [][]byte{key.Draw(t, "key")}
		case opGetEx:
			o.flags = rapid.SampledFrom([]uint8{0, flagPersist, flagAt}).Draw(t, "flags")
			if o.flags != flagPersist {
				o.n = rapid.SampledFrom([]int64{1, 5, 50}).Draw(t, "ttl")
			}
			o.args = [][]byte{key.Draw(t, "key")}
		case opIncrFloat:
			o.args = [][]byte{key.Draw(t, "key"), []byte(rapid.SampledFrom([]string{"1", "-0.5", "1e300", "x", "1.5.", ""}).Draw(t, "number"))}
		case opSetRange:
			o.n = rapid.Int64Range(0, 5).Draw(t, "at")
			o.args = [][]byte{key.Draw(t, "key"), value.Draw(t, "value")}
		case opCopy:
			o.flags = rapid.SampledFrom([]uint8{0, flagReplace, flagMove, flagMove | flagReplace}).Draw(t, "flags")
			o.args = [][]byte{[]byte(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "from")), []byte(rapid.SampledFrom([]string{"c", "d", ""}).Draw(t, "to"))}
		case opFlush:
			if rapid.IntRange(0, 3).Draw(t, "really") > 0 {
				return op{code: opRead, args: [][]byte{[]byte("a")}}
			}
		case opRead:
			o.args = rapid.SliceOfN(key, 1, 3).Draw(t, "keys")
		}
		return o
	})
}

// genRecord draws writes at a time near now, which may be before it.
func genRecord(now int64) *rapid.Generator[record] {
	return rapid.Custom(func(t *rapid.T) record {
		r := record{time: max(now+rapid.Int64Range(-5, 20).Draw(t, "dt"), 0), ops: rapid.SliceOfN(genOp(), 0, 4).Draw(t, "ops")}
		if n := rapid.IntRange(-3, 3).Draw(t, "transaction"); n > 0 {
			// Sums of what there may be, and of what there is not.
			var tx []op
			for range rapid.IntRange(0, 2).Draw(t, "checks") {
				c := op{code: opCheck, args: args(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key"))}
				if rapid.Bool().Draw(t, "exists") {
					e := entry{exists: true, value: []byte(rapid.SampledFrom([]string{"", "1", "x"}).Draw(t, "value"))}
					c.args = append(c.args, e.sum())
				}
				tx = append(tx, c)
			}
			tx = append(tx, rapid.SliceOfN(genOp(), n, n).Draw(t, "in it")...)
			r.ops = append(append(r.ops, op{code: opBegin, n: int64(len(tx))}), tx...)
			r.ops = append(r.ops, rapid.SliceOfN(genOp(), 0, 1).Draw(t, "behind")...)
		}
		return r
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
					replies = append(replies, want.record(r.ops)...)
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
