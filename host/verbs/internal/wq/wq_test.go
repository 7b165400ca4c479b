package wq

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestModel: the queue is a list of entries; whatever is posted and completed,
// retiring number n removes exactly the entries up to n, and a full queue always has
// an entry that asks for a completion.
func TestModel(t *testing.T) {
	type posted struct {
		seq    uint32
		id     uint64
		signal bool
	}
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 17).Draw(t, "limit")
		q := New(limit)
		start := rapid.SampledFrom([]uint32{0, 1<<32 - 5, 1 << 31}).Draw(t, "start")
		q.head, q.tail = start, start
		var model []posted
		next := uint64(1)
		check := func() {
			require.Equal(t, len(model), q.Len())
			require.Equal(t, limit-len(model), q.Room())
			if len(model) == limit {
				require.True(t, slices.ContainsFunc(model, func(p posted) bool { return p.signal }), "a full queue drains")
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"": func(*rapid.T) { check() },
			"push": func(t *rapid.T) {
				if q.Room() == 0 {
					t.Skip("full")
				}
				silent := rapid.Bool().Draw(t, "silent")
				seq, signal := q.Push(Entry{ID: next, Silent: silent})
				require.True(t, signal || silent)
				model = append(model, posted{seq, next, signal})
				next++
			},
			"pop": func(t *rapid.T) {
				n := rapid.IntRange(0, len(model)).Draw(t, "n")
				q.Pop(n, func(e *Entry) {
					require.Equal(t, model[len(model)-1].id, e.ID)
					model = model[:len(model)-1]
				})
			},
			"retire": func(t *rapid.T) {
				if len(model) == 0 {
					t.Skip("empty")
				}
				i := rapid.IntRange(0, len(model)-1).Draw(t, "i")
				n := 0
				q.Retire(model[i].seq, func(e *Entry, last bool) {
					require.Equal(t, model[n].id, e.ID)
					require.Equal(t, n == i, last)
					n++
				})
				require.Equal(t, i+1, n)
				model = model[i+1:]
			},
			"retire what is not outstanding": func(t *rapid.T) {
				never := func(*Entry, bool) { t.Fatal("retired") }
				q.Retire(q.head-1, never)
				q.Retire(q.tail, never)
			},
			"flush": func(t *rapid.T) {
				q.Flush(func(e *Entry) {
					require.Equal(t, model[0].id, e.ID)
					model = model[1:]
				})
				require.Empty(t, model)
			},
		})
	})
}
