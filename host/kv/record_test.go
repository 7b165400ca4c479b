package kv

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/kv/resp"
)

func encode(r record) []byte {
	b := appendRecordHeader(nil, r.time)
	for i := range r.ops {
		b = r.ops[i].append(b)
	}
	return b
}

func args(s ...string) [][]byte {
	b := make([][]byte, len(s))
	for i := range s {
		b[i] = []byte(s[i])
	}
	return b
}

func TestRecordRoundTrip(t *testing.T) {
	for name, r := range map[string]record{
		"nothing": {time: 5},
		"set":     {time: maxTime, ops: []op{{code: opSet, flags: flagXX, n: maxTime, args: args("k", "")}}},
		"all": {time: 1, ops: []op{
			{code: opDel, args: args("", "b")},
			{code: opIncr, n: math.MinInt64, args: args("k")},
			{code: opAppend, args: args("k", "v\x00\xff")},
			{code: opMSet, args: args("a", "1", "b", "2")},
			{code: opExpire, n: -1, args: args("k")},
			{code: opSet, args: args(strings.Repeat("k", MaxKey), "v")},
		}},
		"more": {time: 1, ops: []op{
			{code: opFlush},
			{code: opBegin, n: 3},
			{code: opCheck, args: args("a")},
			{code: opCheck, args: args("a", strings.Repeat("s", sumLen))},
			{code: opRead, args: args("a", "b")},
			{code: opCopy, flags: flagMove, args: args("a", "b")},
			{code: opGetEx, flags: flagAt, n: 5, args: args("a")},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b := encode(r)
			size := maxRecordHeader
			for i := range r.ops {
				size += r.ops[i].size()
			}
			require.LessOrEqual(t, len(b), size)
			got, err := decodeRecord(b)
			require.NoError(t, err)
			require.Equal(t, r, got)
			for n := range len(b) {
				// Cut anywhere it is an error, or a shorter list of writes.
				if got, err := decodeRecord(b[:n]); err == nil {
					require.Less(t, len(got.ops), max(len(r.ops), 1))
				}
			}
		})
	}
}

func TestRecordRefused(t *testing.T) {
	one := func(o op) []byte { return encode(record{time: 1, ops: []op{o}}) }
	for name, c := range map[string]struct {
		b    []byte
		want string
	}{
		"empty":             {nil, "cut short"},
		"version":           {[]byte{2, 1}, "unknown version 2"},
		"no time":           {[]byte{1}, "cut short"},
		"time":              {appendRecordHeader(nil, maxTime+1), "out of range"},
		"time overflows":    {[]byte{1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1}, "out of range"},
		"opcode":            {one(op{code: 77, args: args("k")}), "unknown operation 77"},
		"set without value": {one(op{code: opSet, args: args("k")}), "wrong number of arguments"},
		"del of nothing":    {one(op{code: opDel}), "wrong number of arguments"},
		"mset odd":          {one(op{code: opMSet, args: args("a", "b", "c")}), "wrong number of arguments"},
		"incr of two":       {one(op{code: opIncr, args: args("a", "b")}), "wrong number of arguments"},
		"set nx xx":         {one(op{code: opSet, flags: flagNX | flagXX, args: args("a", "b")}), "unknown flags"},
		"flags of del":      {one(op{code: opDel, flags: flagNX, args: args("a")}), "unknown flags"},
		"negative ttl":      {one(op{code: opSet, n: -1, args: args("a", "b")}), "out of range"},
		"endless ttl":       {one(op{code: opExpire, n: maxTime + 1, args: args("a")}), "out of range"},
		"number with del":   {one(op{code: opDel, n: 1, args: args("a")}), "out of range"},
		"long key":          {one(op{code: opIncr, args: [][]byte{make([]byte, MaxKey+1)}}), "out of range"},
		"long key in mset":  {one(op{code: opMSet, args: [][]byte{make([]byte, MaxKey+1), nil}}), "out of range"},
		"long value":        {one(op{code: opSet, args: [][]byte{nil, make([]byte, MaxValue+1)}}), "out of range"},
		"value of get":      {one(op{code: opGetDel, args: args("a", "b")}), "wrong number of arguments"},
		"keepttl and ttl":   {one(op{code: opSet, flags: flagKeepTTL, n: 1, args: args("a", "b")}), "unknown flags"},
		"nx gt":             {one(op{code: opExpire, flags: flagNX | flagGT, n: 1, args: args("a")}), "unknown flags"},
		"persist and ttl":   {one(op{code: opGetEx, flags: flagPersist, n: 1, args: args("a")}), "unknown flags"},
		"far":               {one(op{code: opSetRange, n: MaxValue + 1, args: args("a", "b")}), "out of range"},
		"short sum":         {encode(record{ops: []op{{code: opBegin, n: 1}, {code: opCheck, args: args("a", "b")}}}), "out of range"},
		"empty transaction": {one(op{code: opBegin}), "out of range"},
		"open transaction":  {one(op{code: opBegin, n: 1}), "cut short"},
		"check of nothing":  {one(op{code: opCheck, args: args("a")}), "a check of no transaction"},
		"in a transaction":  {encode(record{ops: []op{{code: opBegin, n: 2}, {code: opBegin, n: 1}, {code: opFlush}}}), "a transaction in a transaction"},
		"many arguments":    {append(appendRecordHeader(nil, 1), byte(opDel), 0, 0, 255, 255, 255, 255, 15), "cut short"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := decodeRecord(c.b)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func FuzzDecodeRecord(f *testing.F) {
	f.Add([]byte{})
	f.Add(encode(record{time: 5}))
	f.Add(encode(record{time: 1, ops: []op{{code: opMSet, args: args("a", "1", "b", "2")}, {code: opSet, n: 5, args: args("a", "b")}}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := decodeRecord(b)
		if err != nil {
			return
		}
		again, err := decodeRecord(encode(r))
		require.NoError(t, err)
		require.Equal(t, r, again)
	})
}

func TestParseInt(t *testing.T) {
	for _, n := range []int64{0, 1, -1, 10, math.MaxInt64, math.MinInt64} {
		got, ok := resp.ParseInt([]byte(strconv.FormatInt(n, 10)))
		require.True(t, ok)
		require.Equal(t, n, got)
	}
	for _, s := range []string{"", "-", "-0", "+1", "01", " 1", "1 ", "1.0", "9223372036854775808", "-9223372036854775809", "18446744073709551616", "99999999999999999999", "0x1"} {
		_, ok := resp.ParseInt([]byte(s))
		require.False(t, ok, s)
	}
}

// The cases follow Redis's own tests of string matching.
func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, s string
		want       bool
	}{
		{"", "", true}, {"", "a", false}, {"*", "", true}, {"*", "abc", true}, {"a*c", "abbc", true}, {"a*c", "abcd", false},
		{"?", "", false}, {"a?c", "abc", true}, {"h[ae]llo", "hello", true}, {"h[ae]llo", "hillo", false}, {"h[^e]llo", "hello", false},
		{"h[^e]llo", "hallo", true}, {"h[a-c]llo", "hbllo", true}, {"h[c-a]llo", "hbllo", true}, {"h[a-c]llo", "hdllo", false},
		{"a\\*b", "a*b", true}, {"a\\*b", "axb", false}, {"a\\", "a\\", true}, {"[a", "a", true}, {"[", "a", false}, {"[]", "a", false},
		{"[\\]]", "]", true}, {"[\\-]", "-", true}, {"*a*b*", "xxaxxbxx", true}, {"**", "x", true}, {"a[b-]c", "a-c", false},
	} {
		require.Equal(t, c.want, globMatch([]byte(c.pattern), []byte(c.s)), "%q %q", c.pattern, c.s)
	}
	// Many stars take no time.
	require.False(t, globMatch([]byte(strings.Repeat("a*", 5000)+"b"), []byte(strings.Repeat("a", 20000))))
}

func FuzzGlob(f *testing.F) {
	f.Add("a[b-d]*\\?", "abc?")
	f.Fuzz(func(t *testing.T, pattern, s string) {
		globMatch([]byte(pattern), []byte(s))
		require.True(t, globMatch([]byte("*"), []byte(s)))
	})
}
