package traffic

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/internal/history"
)

// A shard that comes back has other keys, so that they are gone is no fault. That what it has is of the life before, is one.
func TestPlace(t *testing.T) {
	done := func(name, by string, o history.Op) record {
		return record{history.Txn{Name: name, Begin: 1, End: 2, Fate: history.Done, Ops: []history.Op{o}}, []string{by}}
	}
	wrote := done("a", "s/1", history.Op{Key: "x", Wrote: "a"})
	gone, kept := done("b", "s/2", history.Op{Key: "x"}), done("b", "s/2", history.Op{Key: "x", Saw: "a"})
	gone.Begin, gone.End = 3, 4
	require.NoError(t, history.Check(place([]record{wrote, gone})))
	require.ErrorContains(t, history.Check(place([]record{wrote, kept})), "nobody wrote")
	same := done("b", "s/1", history.Op{Key: "x"})
	same.Begin, same.End = 3, 4
	require.Error(t, history.Check(place([]record{wrote, same})), "within a life, nothing is lost")

	// Nobody has said where it was executed. Who has seen it does.
	unknown := record{Txn: history.Txn{Name: "u", Ops: []history.Op{{Key: "x", Wrote: "u"}, {Key: "y", Wrote: "u"}}}}
	saw := done("b", "s/1", history.Op{Key: "x", Saw: "u"})
	require.NoError(t, history.Check(place([]record{unknown, saw})))
	require.Equal(t, []history.Op{{Key: "x@s/1", Wrote: "u"}}, place([]record{unknown, saw})[0].Ops)
	unknown.Fate = history.NotDone
	require.ErrorContains(t, history.Check(place([]record{unknown, saw})), "not done")
}
