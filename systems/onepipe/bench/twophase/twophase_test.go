package twophase

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/internal/history"
	"github.com/p4ce/p4ce/systems/onepipe/txn"
)

func TestMessages(t *testing.T) {
	for _, m := range []message{
		{kind: lock, attempt: 1 << 40, ops: []txn.Op{{Key: "a", Value: []byte{}}, {Key: "", Write: true, Value: []byte("x")}}},
		{kind: granted, attempt: 2, values: []txn.Value{{Data: []byte{}}, {There: true, Data: []byte("x")}}},
		{kind: commit, attempt: 3},
	} {
		got, err := parse(m.append(nil))
		require.NoError(t, err)
		require.Equal(t, m, got)
	}
	for _, bad := range []string{"", "123456789", "\x05\x00\x00\x00\x00\x00\x00\x00\x00\x01", "\x01\x00\x00\x00\x00\x00\x00\x00\x00\x01\x05a"} {
		_, err := parse([]byte(bad))
		require.ErrorIs(t, err, errMessage, "%q", bad)
	}
}

func FuzzParse(f *testing.F) {
	f.Add((&message{kind: lock, ops: []txn.Op{{Key: "a", Write: true, Value: []byte("x")}}}).append(nil))
	f.Add((&message{kind: granted, values: []txn.Value{{There: true, Data: []byte("x")}}}).append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := parse(b); err == nil {
			again, err := parse(m.append(nil))
			require.NoError(t, err)
			require.Equal(t, m, again)
		}
	})
}

// Messages are under way for random times. What clients see is serializable; nobody holds a lock in the end.
func TestRandom(t *testing.T) {
	const shards, clients, each, keys = 3, 4, 60, 4
	var refused uint64
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 2))
		var now int64
		type event struct {
			at int64
			do func()
		}
		var events []event
		after := func(do func()) { events = append(events, event{now + 1 + r.Int64N(20), do}) }
		var list []history.Txn
		at := map[[2]uint64]int{}
		ps, cs := make([]*Participant, shards), make([]*Coordinator, clients)
		for i := range ps {
			ps[i] = NewParticipant()
		}
		begun := make([]int, clients)
		begin := func(i int) {
			if begun[i]++; begun[i] > each {
				return
			}
			x := history.Txn{Name: fmt.Sprintf("c%d.%d", i, begun[i]), Begin: now}
			var ops []txn.Op
			for _, k := range r.Perm(keys)[:1+r.IntN(3)] {
				o := txn.Op{Key: fmt.Sprint("k", k), Write: r.IntN(2) == 0}
				h := history.Op{Key: o.Key}
				if o.Write {
					o.Value, h.Wrote = []byte(x.Name), x.Name
				}
				ops, x.Ops = append(ops, o), append(x.Ops, h)
			}
			list = append(list, x)
			at[[2]uint64{uint64(i), cs[i].Begin(ops...)}] = len(list) - 1
		}
		for i := range cs {
			c := NewCoordinator(shards)
			cs[i] = c
			c.Send = func(shard int, data []byte) {
				after(func() {
					if a := ps[shard].Take(i, data); a != nil {
						after(func() { c.Take(shard, a) })
					}
				})
			}
			c.Retry = func(_ int, again func()) { after(again) }
			c.Done = func(number uint64, saw []txn.Value) {
				x := &list[at[[2]uint64{uint64(i), number}]]
				x.Fate, x.End = history.Done, now
				for k, v := range saw {
					x.Ops[k].Saw = string(v.Data)
				}
				after(func() { begin(i) })
			}
			after(func() { begin(i) })
		}
		for steps := 0; len(events) > 0; steps++ {
			require.Less(t, steps, 100000, "seed %d: everything ends", seed)
			first := 0
			for i, e := range events {
				if e.at < events[first].at {
					first = i
				}
			}
			e := events[first]
			events = append(events[:first], events[first+1:]...)
			now = e.at
			e.do()
		}
		require.Len(t, list, clients*each)
		for _, x := range list {
			require.Equal(t, history.Done, x.Fate)
		}
		require.NoError(t, history.Check(list), "seed %d", seed)
		for _, p := range ps {
			require.Empty(t, p.locks)
			require.Empty(t, p.held)
			require.Zero(t, p.Bad)
		}
		for _, c := range cs {
			require.Zero(t, c.Bad)
			refused += c.Refused
		}
	}
	require.Positive(t, refused)
}
