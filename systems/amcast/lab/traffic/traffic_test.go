package traffic

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/internal/history"
	"github.com/p4ce/p4ce/systems/amcast"
	"github.com/p4ce/p4ce/systems/amcast/store"
)

// two has two partitions and two replicas of each. Client 1 has written a key of both, then client 2 has read both.
func two(t *testing.T) *Traffic {
	x := &Traffic{partitions: store.Partitions{1, 2}, sets: subsets(store.Partitions{1, 2}), clients: map[uint16]string{1: "h1", 2: "h2"}}
	x.keys = map[uint8][]string{x.partitions.Of("k0"): {"k0"}, x.partitions.Of("k1"): {"k1"}}
	require.Len(t, x.keys, 2)
	groups, err := x.partitions.Groups([]store.Op{{Key: "k0"}, {Key: "k1"}})
	require.NoError(t, err)
	add := func(begin, end int64, host string, ops ...history.Op) {
		x.list = append(x.list, record{Txn: history.Txn{Name: host, Begin: begin, End: end, Fate: history.Done, Ops: ops}, message: message{host, host}, groups: groups})
	}
	add(0, 10, "h1", history.Op{Key: "k0", Wrote: "h1"}, history.Op{Key: "k1", Wrote: "h1"})
	add(20, 40, "h2", history.Op{Key: "k0", Saw: "h1"}, history.Op{Key: "k1", Saw: "h1"})
	log := []amcast.Delivery{
		{Final: 1, ID: amcast.ID{Client: 1, Number: 16}, Groups: groups, Payload: []byte("h1")},
		{Final: 2, ID: amcast.ID{Client: 2, Number: 16}, Groups: groups, Payload: []byte("h2")},
	}
	for _, host := range []string{"h1", "h2"} {
		for _, p := range x.partitions {
			x.replicas = append(x.replicas, &replica{group: p, host: host, log: slices.Clone(log), at: []time.Duration{5, 30}})
		}
	}
	return x
}

func TestJudge(t *testing.T) {
	seen, err := two(t).Judge()
	require.NoError(t, err)
	require.Equal(t, 4, seen)
	both := func(x *Traffic, do func(*replica)) { // the replicas of a partition
		for _, r := range x.replicas {
			if r.group == 2 {
				do(r)
			}
		}
	}
	more := func(payload string) func(*replica) { // one more message
		return func(r *replica) {
			d := r.log[1]
			d.Final, d.ID.Number, d.Payload = 3, 17, []byte(payload)
			r.log = append(r.log, d)
		}
	}
	for _, c := range []struct {
		want  string
		wrong func(x *Traffic)
	}{
		{"has executed 0 of 1 transactions of h2", func(x *Traffic) { both(x, func(r *replica) { r.log = r.log[:1] }) }},
		{"which was not sent", func(x *Traffic) { both(x, more("other")) }},
		{"or not so often", func(x *Traffic) { both(x, more("h2")) }},
		{"has delivered 1/16 after 2/16", func(x *Traffic) { both(x, func(r *replica) { slices.Reverse(r.log) }) }},
		{"replicas h1 and h2 of group 2 have delivered in different orders", func(x *Traffic) { x.replicas[3].log = x.replicas[3].log[1:] }},
		{"not serializable: h1 -wr", func(x *Traffic) { x.list[1].Ops[1].Saw = "" }},
		{"part 2: serializable, and not in the order of real time", func(x *Traffic) { x.list[1].Ops = []history.Op{{Key: x.keys[2][0]}} }},
		{"nobody wrote", func(x *Traffic) { x.list[1].Ops[0].Saw = "x" }},
	} {
		x := two(t)
		c.wrong(x)
		_, err := x.Judge()
		require.ErrorContains(t, err, c.want)
	}
	// One that has not ended may have been executed, or not.
	x := two(t)
	x.list[1].Fate = history.Unknown
	_, err = x.Judge()
	require.NoError(t, err)
	for _, r := range x.replicas {
		r.log = r.log[:1]
	}
	_, err = x.Judge()
	require.NoError(t, err)
}

func TestCounts(t *testing.T) {
	x := two(t)
	x.list = append(x.list, record{Txn: history.Txn{Name: "open"}, groups: 1 << 24}, record{Txn: history.Txn{Fate: history.Done}, groups: 1 << 24, last: true})
	counts := x.Counts()
	require.Len(t, counts, 3)
	for i, want := range []struct {
		partitions, open int
		ended            int64
	}{{1, 1, 0}, {2, 0, 2}, {0, 1, 2}} {
		require.Equal(t, want.partitions, counts[i].Partitions)
		require.Equal(t, want.open, counts[i].Open)
		require.Equal(t, want.ended, counts[i].Took.Count)
	}
	gap, of := x.Gap()
	require.Equal(t, time.Duration(30), gap)
	require.EqualValues(t, 1, of)
	for _, r := range x.Replicas() {
		require.Equal(t, time.Duration(25), r.Gap)
		require.Equal(t, time.Duration(5), r.Took.Min)
		require.Equal(t, time.Duration(10), r.Took.Max)
	}
}
