package txn

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMessages(t *testing.T) {
	for _, m := range []message{
		{kind: request, attempt: 1 << 40, ops: []Op{{Key: "a"}, {Key: "", Write: true, Value: []byte("x")}, {Key: "b", Write: true, Value: []byte{}}, {Key: "c", Write: true, Delete: true}}},
		{kind: answer, attempt: 7, time: 1 << 50, tries: 3, values: []Value{{}, {true, []byte("x")}, {true, []byte{}}}},
	} {
		b := m.append(nil)
		got, err := parse(b)
		require.NoError(t, err)
		require.Equal(t, m, got)
		for n := range b {
			_, err := parse(b[:n])
			require.ErrorIs(t, err, errMessage, "%d bytes", n)
		}
		_, err = parse(append(b, 0))
		require.ErrorIs(t, err, errMessage)
	}
	long := bytes.Repeat([]byte("v"), MaxValue+1)
	for what, m := range map[string]message{
		"no operation": {kind: request},
		"many":         {kind: answer, values: make([]Value, MaxOps+1)},
		"a kind":       {kind: 3, values: make([]Value, 1)},
		"a key twice":  {kind: request, ops: []Op{{Key: "a"}, {Key: "a"}}},
		"a long value": {kind: request, ops: []Op{{Key: "a", Write: true, Value: long}}},
	} {
		_, err := parse(m.append(nil))
		require.ErrorIs(t, err, errMessage, what)
	}
}

func FuzzParse(f *testing.F) {
	f.Add((&message{kind: request, ops: []Op{{Key: "a"}, {Key: "b", Write: true, Value: []byte("x")}, {Key: "c", Write: true, Delete: true}}}).append(nil))
	f.Add((&message{kind: answer, values: []Value{{}, {true, []byte("x")}}}).append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := parse(b); err == nil {
			require.Equal(t, b, m.append(nil))
		}
	})
}

func TestLimits(t *testing.T) {
	c := NewClient(nodes[:1])
	for _, bad := range [][]Op{
		nil, make([]Op, MaxOps+1), {{Key: strings.Repeat("k", MaxKey+1)}}, {{Key: "a"}, {Key: "a", Write: true}},
		{{Key: "a", Write: true, Value: make([]byte, MaxValue+1)}}, {{Key: "a", Delete: true}},
	} {
		_, err := c.Begin(bad...)
		require.Error(t, err)
	}
	var ops []Op
	for i := range MaxOps {
		ops = append(ops, Op{Key: strings.Repeat("k", MaxKey-1) + string(rune('0'+i)), Write: true, Value: make([]byte, MaxValue)})
	}
	_, err := c.Begin(ops...)
	require.NoError(t, err)
	parts, reliable, ok := c.Next()
	require.True(t, ok && reliable)
	require.LessOrEqual(t, len(parts[0].Data), 64<<10, "the longest part is a message")
}
