package fabric

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/internal/history"
	"github.com/p4ce/p4ce/sim/fabric"
	onepipefabric "github.com/p4ce/p4ce/systems/onepipe/fabric"
	"github.com/p4ce/p4ce/systems/onepipe/txn"
)

var (
	seed0 = flag.Uint64("seed", 1, "the first seed of random tests")
	seeds = flag.Int("seeds", 16, "how many seeds TestRandom runs")
)

// world is a random network with clients that run transactions on a few keys. What they see is recorded.
type world struct {
	*Cluster
	t     *testing.T
	r     *rand.Rand
	each  int // transactions of a client
	keys  int
	list  []history.Txn
	open  map[[2]uint64]int // by client and number: the transaction
	begun []int
	ended []int
	dead  *fabric.Host
}

// build makes a rack, or leaves and spines: clocks are up to 100 us apart, each link has a delay, and losses, of its own.
func build(t *testing.T, seed uint64) *world {
	r := rand.New(rand.NewPCG(seed, 3))
	set := onepipefabric.Defaults()
	set.Interval = []fabric.Span{fabric.Span(3 * fabric.Microsecond), fabric.Span(10 * fabric.Microsecond), fabric.Span(50 * fabric.Microsecond)}[r.IntN(3)]
	set.Retry = []fabric.Span{fabric.Span(50 * fabric.Microsecond), fabric.Span(200 * fabric.Microsecond)}[r.IntN(2)]
	set.Processes, set.Window = 2+r.IntN(2), []int{8, 128}[r.IntN(2)]
	n, err := onepipefabric.New(seed, set)
	require.NoError(t, err)
	c, err := New(n, 1)
	require.NoError(t, err)
	w := &world{Cluster: c, t: t, r: r, keys: 2 + r.IntN(4), each: 60, open: map[[2]uint64]int{}}
	c.Done = w.done
	link := func(a, b fabric.Node) {
		l := fabric.LinkConfig{Rate: []uint64{10e9, 100e9}[r.IntN(2)], Delay: fabric.Time(r.Int64N(int64(3 * fabric.Microsecond)))}
		if r.IntN(3) > 0 {
			l.Faults = fabric.Faults{Loss: 0.05 * r.Float64(), Duplicate: 0.01 * r.Float64(), Corrupt: 0.01 * r.Float64()}
		}
		_, err := n.Connect(a, b, "", l)
		require.NoError(t, err)
	}
	sw := func(name string, level int) fabric.Switch {
		s, err := n.NewP4Switch(name, fabric.P4SwitchConfig{Latency: 400 * fabric.Nanosecond, Controller: fabric.ControllerConfig{Delay: 2 * fabric.Microsecond, Write: 100 * fabric.Nanosecond}})
		require.NoError(t, err)
		n.SetLevel(s, level)
		return s
	}
	leaves := []fabric.Node{sw("leaf1", 0)}
	if r.IntN(2) == 0 {
		leaves = append(leaves, sw("leaf2", 0))
		for i := range 1 + r.IntN(2) {
			spine := sw(fmt.Sprint("spine", i+1), 1)
			for _, l := range leaves {
				link(l, spine)
			}
		}
	}
	skew := []fabric.Time{0, fabric.Microsecond, 20 * fabric.Microsecond, 100 * fabric.Microsecond}[r.IntN(4)]
	for i := range 3 + r.IntN(3) {
		h, err := n.NewHost(fmt.Sprint("h", i+1), fabric.HostConfig{Clock: fabric.Clock{Offset: fabric.Time(r.Int64N(int64(2*skew+1))) - skew}})
		require.NoError(t, err)
		link(h, leaves[i%len(leaves)])
	}
	require.NoError(t, n.Start())
	require.NoError(t, n.RunWhile(100*fabric.Millisecond, func() bool { return !c.Ready() }))
	require.True(t, c.Ready(), "all hosts join")
	w.begun, w.ended = make([]int, c.Clients()), make([]int, c.Clients())
	return w
}

// begin has a client begin a transaction: each value is written once.
func (w *world) begin(client int) {
	if w.HostOf(client) == w.dead || w.begun[client] == w.each {
		return
	}
	w.begun[client]++
	t := history.Txn{Name: fmt.Sprintf("c%d.%d", client, w.begun[client]), Begin: int64(w.Now())}
	var ops []txn.Op
	reads := w.r.IntN(2) == 0
	for _, k := range w.r.Perm(w.keys)[:1+w.r.IntN(min(4, w.keys))] {
		o := txn.Op{Key: fmt.Sprint("k", k)}
		x := history.Op{Key: o.Key}
		if !reads && w.r.IntN(2) == 0 {
			o.Write, o.Value, x.Wrote = true, []byte(t.Name), t.Name
		}
		ops, t.Ops = append(ops, o), append(t.Ops, x)
	}
	number, err := w.Begin(client, ops...)
	require.NoError(w.t, err)
	w.open[[2]uint64{uint64(client), number}] = len(w.list)
	w.list = append(w.list, t)
}

// done records how a transaction has ended, and has its client begin another one soon.
func (w *world) done(client int, o txn.Outcome) {
	k := [2]uint64{uint64(client), o.Number}
	t := &w.list[w.open[k]]
	delete(w.open, k)
	w.ended[client]++
	t.End = int64(w.Now())
	switch {
	case o.Err == nil, errors.Is(o.Err, txn.ErrPartly):
		t.Fate = history.Done
		for i, v := range o.Saw {
			t.Ops[i].Saw = string(v.Data)
		}
		for _, i := range o.Missing {
			t.Ops[i].Blind = true
		}
	case errors.Is(o.Err, txn.ErrNotDone):
		t.Fate = history.NotDone
	}
	w.pause(client)
}

func (w *world) pause(client int) {
	w.At(w.Now()+fabric.Time(w.r.Int64N(int64(10*fabric.Microsecond))), func() { w.begin(client) })
}

// over reports whether all transactions have ended of clients that live.
func (w *world) over() bool {
	for i, n := range w.ended {
		if n < w.each && w.HostOf(i) != w.dead {
			return false
		}
	}
	return true
}

// run lets all clients run, each with two transactions at a time.
func (w *world) run() {
	for client := range w.Clients() {
		w.pause(client)
		w.pause(client)
	}
	require.NoError(w.t, w.RunWhile(w.Now()+fabric.Second, func() bool { return !w.over() }))
	require.True(w.t, w.over(), "all transactions end")
	require.NoError(w.t, w.Check())
	require.NoError(w.t, w.Verify())
	require.NoError(w.t, history.Check(w.list))
	for i := range w.Shards() {
		c := w.Shard(i).Counters
		require.Zero(w.t, c.Bad+c.Unsure+c.Abandoned)
	}
	for i := range w.Clients() {
		require.Zero(w.t, w.Client(i).Counters.Bad)
	}
}

// count is how many transactions have ended in a way.
func (w *world) count(f history.Fate) (n int) {
	for _, t := range w.list {
		if t.Fate == f {
			n++
		}
	}
	return n
}

// Whatever networks lose, and however far clocks are apart, what clients see is serializable, in the order of real time.
func TestRandom(t *testing.T) {
	var repeated, again uint64
	for n := range uint64(*seeds) {
		t.Run(fmt.Sprint(*seed0+n), func(t *testing.T) {
			w := build(t, *seed0+n)
			w.run()
			require.Equal(t, len(w.list), w.count(history.Done), "nothing has failed")
			for i := range w.Clients() {
				repeated += w.Client(i).Counters.Repeated
			}
			for i := range w.Shards() {
				again += w.Shard(i).Counters.Again
			}
		})
	}
	t.Logf("%d reads were repeated, %d answers sent again", repeated, again)
	require.Positive(t, repeated)
	require.Positive(t, again)
}

// A host dies, with its shard and its clients. What the others see is serializable; what they are told was not done has
// left no trace.
func TestHostDies(t *testing.T) {
	notDone := 0
	for n := range uint64(max(1, *seeds/3)) {
		t.Run(fmt.Sprint(*seed0+n), func(t *testing.T) {
			w := build(t, *seed0+n)
			h := w.Hosts[w.r.IntN(len(w.Hosts))]
			w.At(w.Now()+fabric.Time(w.r.Int64N(int64(200*fabric.Microsecond))), func() {
				w.Kill(h)
				w.dead = h
			})
			w.run()
			notDone += w.count(history.NotDone)
		})
	}
	require.Positive(t, notDone)
}
