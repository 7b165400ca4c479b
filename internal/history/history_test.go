package history

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// read and write are operations that have seen a value.
func read(key, saw string) Op        { return Op{Key: key, Saw: saw} }
func write(key, put, saw string) Op  { return Op{Key: key, Wrote: put, Saw: saw} }
func done(n string, ops ...Op) Txn   { return Txn{Name: n, End: 1, Fate: Done, Ops: ops} }
func at(begin, end int64, t Txn) Txn { t.Begin, t.End = begin, end; return t }
func fate(f Fate, t Txn) Txn         { t.Fate = f; return t }

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		what string
		list []Txn
		want string // of the error; "": there is an order
	}{
		{"nothing", nil, ""},
		{"one after the other", []Txn{
			at(0, 1, done("a", write("x", "1", ""))), at(2, 3, done("b", write("x", "2", "1"))), at(4, 5, done("c", read("x", "2"))),
		}, ""},
		{"lost update: two have replaced the same value", []Txn{
			done("a", write("x", "1", "")), done("b", write("x", "2", "1")), done("c", write("x", "3", "1")),
		}, "not serializable: b -rw x-> c -rw x-> b"},
		{"lost update: of no value", []Txn{done("a", write("x", "1", "")), done("b", write("x", "2", ""))}, "not serializable: a -rw x-> b -rw x-> a"},
		{"write skew: each has read what the other one replaces", []Txn{
			done("a", write("x", "x1", ""), read("y", "")), done("b", write("y", "y1", ""), read("x", "")),
		}, "not serializable: a -rw y-> b -rw x-> a"},
		{"long fork: two see two writes in different orders", []Txn{
			done("a", write("x", "x1", "")), done("b", write("y", "y1", "")),
			done("c", read("x", "x1"), read("y", "")), done("d", read("x", ""), read("y", "y1")),
		}, "not serializable: a -wr x-> c -rw y-> b -wr y-> d -rw x-> a"},
		{"a transaction is seen in part", []Txn{
			done("a", write("x", "x1", ""), write("y", "y1", "")), done("b", read("x", "x1"), read("y", "")),
		}, "not serializable: a -wr x-> b -rw y-> a"},
		{"two transactions cross", []Txn{
			done("a", write("x", "x1", "x2"), write("y", "y1", "")), done("b", write("x", "x2", ""), write("y", "y2", "y1")),
		}, "not serializable: a -ww y-> b -ww x-> a"},
		{"stale read: of a value that was replaced before", []Txn{
			at(0, 1, done("a", write("x", "1", ""))), at(2, 3, done("b", read("x", ""))),
		}, "serializable, and not in the order of real time: a -before-> b -rw x-> a"},
		{"a read at the same time may come before", []Txn{at(0, 2, done("a", write("x", "1", ""))), at(2, 3, done("b", read("x", "")))}, ""},
		{"a value goes back", []Txn{
			at(0, 9, done("a", write("x", "1", ""))), at(1, 2, done("b", read("x", "1"))), at(3, 4, done("c", read("x", ""))),
		}, "serializable, and not in the order of real time: a -wr x-> b -before-> c -rw x-> a"},
		{"the past of what has long ended", []Txn{
			at(0, 1, done("a", write("x", "1", ""))), at(2, 3, done("b", read("y", ""))), at(4, 5, done("c", read("y", ""))),
			at(6, 7, done("d", read("x", ""))),
		}, "serializable, and not in the order of real time: a -before-> d -rw x-> a"},
		{"a value from the future", []Txn{at(4, 5, done("a", write("x", "1", ""))), at(0, 1, done("b", read("x", "1")))}, "not in the order of real time: a -wr x-> b -before-> a"},
		{"what was not done is not seen", []Txn{fate(NotDone, done("a", write("x", "1", ""))), done("b", read("x", ""))}, ""},
		{"what was not done is seen", []Txn{fate(NotDone, done("a", write("x", "1", ""))), done("b", read("x", "1"))}, "that was not done"},
		{"from nowhere", []Txn{done("b", read("x", "1"))}, "nobody wrote"},
		{"its own value", []Txn{done("b", write("x", "1", "1"))}, "its own value"},
		{"a value twice", []Txn{done("a", write("x", "1", "")), done("b", write("x", "1", ""))}, "cannot be judged"},
		{"what is unknown has happened", []Txn{fate(Unknown, done("a", write("x", "1", ""))), done("b", read("x", "1"))}, ""},
		{"or it has not", []Txn{fate(Unknown, done("a", write("x", "1", ""))), at(2, 3, done("b", read("x", "")))}, ""},
		{"what is unknown is seen in part", []Txn{
			fate(Unknown, done("a", write("x", "x1", ""), write("y", "y1", ""))), done("b", read("x", "x1"), read("y", "")),
		}, "not serializable: a -wr x-> b -rw y-> a"},
		{"what is unknown has not happened before it began", []Txn{
			at(4, 0, fate(Unknown, done("a", write("x", "1", "")))), at(0, 1, done("b", read("x", "1"))),
		}, "not in the order of real time: a -wr x-> b -before-> a"},
		{"a blind write", []Txn{done("a", Op{Key: "x", Wrote: "1", Blind: true}), done("b", write("x", "2", "1")), done("c", read("x", "1"))}, ""},
	} {
		err := Check(c.list)
		if c.want == "" {
			require.NoError(t, err, c.what)
		} else {
			require.ErrorContains(t, err, c.want, c.what)
		}
	}
}

// Of transactions without a common part, the order of real time is not asked for; of others, and any order at all, it is.
func TestCheckParts(t *testing.T) {
	part := func(key string) byte { return key[0] }
	for _, c := range []struct {
		what string
		list []Txn
		want string
	}{
		{"nothing", nil, ""},
		{"the past of another part", []Txn{ // b has seen what c comes behind, and not a, which had ended when c began
			at(0, 1, done("a", write("x", "1", ""))), at(2, 3, done("c", write("y", "1", ""))), at(0, 9, done("b", read("x", ""), read("y", "1"))),
		}, ""},
		{"the past of a part", []Txn{
			at(0, 1, done("a", write("x", "1", ""), read("y", ""))), at(2, 3, done("b", read("x", ""), read("z", ""))),
		}, "part 120: serializable, and not in the order of real time: a -before-> b -rw x-> a"},
		{"no order", []Txn{
			done("a", write("x", "x1", ""), read("y", "")), done("b", write("y", "y1", ""), read("x", "")),
		}, "not serializable: a -rw y-> b -rw x-> a"},
		{"from nowhere", []Txn{done("b", read("x", "1"))}, "nobody wrote"},
	} {
		err := CheckParts(c.list, part)
		if c.want == "" {
			require.NoError(t, err, c.what)
		} else {
			require.ErrorContains(t, err, c.want, c.what)
		}
	}
	require.Error(t, Check([]Txn{
		at(0, 1, done("a", write("x", "1", ""))), at(2, 3, done("c", write("y", "1", ""))), at(0, 9, done("b", read("x", ""), read("y", "1"))),
	}), "and of the whole it is asked for")
}

// The shortest cycle of a long history is found among others that are long, and what comes before and behind them.
func TestLong(t *testing.T) {
	const n = 20000
	list := []Txn{done("first", write("before", "first", ""))}
	key, value := func(i int) string { return fmt.Sprint("k", i) }, func(i int) string { return fmt.Sprint("v", i) }
	for i := range n { // each has seen what the next one replaces: a chain, and with the last one a cycle
		list = append(list, done(fmt.Sprint("t", i), write(key(i), value(i), ""), read(key((i+1)%n), "")))
	}
	var c *Cycle
	require.ErrorAs(t, Check(list), &c)
	require.Len(t, c.Txns, n)
	list = append(list, done("a", write("x", "a", ""), read("y", "")), done("b", write("y", "b", ""), read("x", "")))
	for i := range n { // behind both
		list = append(list, done(fmt.Sprint("behind", i), read(key(0), value(0)), read("x", "a")))
	}
	require.EqualError(t, Check(list), "not serializable: a -rw y-> b -rw x-> a")
}

// store executes transactions in an order, and gives each the time in which it was under way: around its place.
func store(r *rand.Rand, count, keys int) (list []Txn) {
	now := map[string]string{}
	for i := range count {
		t := Txn{Name: fmt.Sprint("t", i), Fate: Done, Begin: int64(10*i - r.IntN(50)), End: int64(10*i + 1 + r.IntN(50))}
		for _, k := range r.Perm(keys)[:1+r.IntN(3)] {
			key := fmt.Sprint("k", k)
			o := Op{Key: key, Saw: now[key]}
			if r.IntN(2) == 0 {
				o.Wrote = fmt.Sprint("v", i)
				now[key] = o.Wrote
			}
			t.Ops = append(t.Ops, o)
		}
		list = append(list, t)
	}
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// What was executed in an order has one. When a transaction has seen values of another moment, after somebody has replaced
// them and has ended, it has none.
func TestRandom(t *testing.T) {
	broken := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		list := store(r, 60, 4)
		require.NoError(t, Check(list), "seed %d", seed)
		i := r.IntN(len(list))
		list[i] = Txn{Name: list[i].Name, Fate: Done, Begin: list[i].Begin, End: list[i].End, Ops: slices.Clone(list[i].Ops)}
		o := &list[i].Ops[0]
		for _, x := range list { // it sees what another one has seen, much earlier
			at := slices.IndexFunc(x.Ops, func(p Op) bool { return p.Key == o.Key && p.Saw != o.Saw && p.Wrote != "" })
			if at >= 0 && x.End < list[i].Begin {
				o.Saw = x.Ops[at].Saw
				broken++
				var c *Cycle
				require.ErrorAs(t, Check(list), &c, "seed %d", seed)
				break
			}
		}
	}
	require.Greater(t, broken, 100)
}
