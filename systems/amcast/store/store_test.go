package store

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/internal/history"
	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/amcast"
	amfabric "github.com/p4ce/p4ce/systems/amcast/fabric"
)

// world is a network in simulated time with three partitions of three replicas, and clients on all hosts. Every value is written
// once.
type world struct {
	*amfabric.Network
	t     *testing.T
	r     *rand.Rand
	all   Partitions
	parts map[*fabric.Host]map[uint8]*Partition
	ready map[*fabric.Host]bool
	list  []history.Txn
	open  map[*fabric.Host]*call
	begun map[*fabric.Host]int
	each  int
	keys  int
}

type call struct {
	id  amcast.ID
	ops []Op
	txn int
}

func newWorld(t *testing.T, seed uint64) *world {
	set := amfabric.Defaults()
	set.Silence, set.Replace = fabric.Span(5*fabric.Millisecond), fabric.Span(2*fabric.Millisecond)
	for g := range uint8(3) {
		set.Groups = append(set.Groups, amfabric.Group{
			Number: g + 1, Members: []string{"spine1", "spine2", "spine3"}, Deliverers: []string{fmt.Sprint("leaf", g%2+1)},
			Replicas: []string{fmt.Sprint("h", g+1), fmt.Sprint("h", (g+3)%6+1), fmt.Sprint("h", (g+4)%6+1)},
		})
	}
	n, err := amfabric.New(seed, set)
	require.NoError(t, err)
	w := &world{
		Network: n, t: t, r: rand.New(rand.NewPCG(seed, 1)), all: Partitions{1, 2, 3}, parts: map[*fabric.Host]map[uint8]*Partition{},
		ready: map[*fabric.Host]bool{}, open: map[*fabric.Host]*call{}, begun: map[*fabric.Host]int{}, each: 40, keys: 6,
	}
	n.Driver = w
	faults := fabric.Faults{Loss: 0.01 * w.r.Float64(), Duplicate: 0.01 * w.r.Float64(), Corrupt: 0.01 * w.r.Float64()}
	link := fabric.LinkConfig{Rate: 10e9, Delay: fabric.Microsecond, Faults: faults}
	require.NoError(t, n.Build(fabric.TopologyConfig{
		Kind: fabric.LeafSpine, Hosts: 3, Leaves: 2, Spines: 3, Edge: "amcast", Core: "amcast", HostLink: link, FabricLink: link, Latency: 400 * fabric.Nanosecond,
		Controller: fabric.ControllerConfig{Delay: 2 * fabric.Microsecond, Write: 100 * fabric.Nanosecond},
	}))
	require.NoError(t, n.Start())
	for _, h := range n.Hosts {
		w.parts[h] = map[uint8]*Partition{}
		for _, g := range w.all {
			w.parts[h][g] = NewPartition(g, w.all)
		}
	}
	require.NoError(t, n.RunWhile(100*fabric.Millisecond, func() bool { return len(w.ready) < len(n.Hosts) }))
	require.Len(t, w.ready, len(n.Hosts))
	return w
}

// Admitted implements amfabric.Driver.
func (w *world) Admitted(h *fabric.Host) { w.ready[h] = true }

// Delivered implements amfabric.Driver.
func (w *world) Delivered(h *fabric.Host, group uint8, d *amcast.Delivery) {
	require.NoError(w.t, w.Host(h).Answer(group, d.ID, w.parts[h][group].Execute(d.Payload)))
	h.Send()
}

// Room implements amfabric.Driver.
func (w *world) Room(h *fabric.Host) {
	c := w.open[h]
	if c == nil {
		return
	}
	answers, ok := w.Host(h).Answers(c.id)
	if !ok {
		return
	}
	delete(w.open, h)
	t := &w.list[c.txn]
	results, err := w.all.Results(c.ops, answers)
	require.NoError(w.t, err)
	t.Fate, t.End = history.Done, int64(w.Now())
	for i, r := range results {
		t.Ops[i].Saw = string(r.Value)
	}
	w.At(w.Now()+fabric.Time(w.r.Int64N(int64(20*fabric.Microsecond))), func() { w.begin(h) })
}

// begin has a client begin a transaction.
func (w *world) begin(h *fabric.Host) {
	if w.Dead(h) || w.begun[h] == w.each {
		return
	}
	w.begun[h]++
	t := history.Txn{Name: fmt.Sprintf("%s.%d", h.Name(), w.begun[h]), Begin: int64(w.Now())}
	c := &call{txn: len(w.list)}
	for _, k := range w.r.Perm(w.keys)[:1+w.r.IntN(4)] {
		o := Op{Key: fmt.Sprint("k", k), Write: w.r.IntN(2) == 0}
		x := history.Op{Key: o.Key}
		if o.Write {
			o.Value, x.Wrote = []byte(t.Name), t.Name
		}
		c.ops, t.Ops = append(c.ops, o), append(t.Ops, x)
	}
	b, err := Encode(c.ops)
	require.NoError(w.t, err)
	groups, err := w.all.Groups(c.ops)
	require.NoError(w.t, err)
	w.list = append(w.list, t)
	w.open[h] = c
	c.id, err = w.Call(h, groups, b)
	require.NoError(w.t, err)
}

// over reports whether all transactions of clients that live have ended.
func (w *world) over() bool {
	for _, h := range w.Hosts {
		if !w.Dead(h) && (w.begun[h] < w.each || w.open[h] != nil) {
			return false
		}
	}
	return true
}

// Transactions over several partitions are serializable, and in a partition in the order of real time, whatever is lost and whoever
// dies: judged from what clients have seen. Replicas of a partition end with the same.
func TestSerializable(t *testing.T) {
	for _, fails := range []string{"nothing", "host", "leader", "amnesia"} {
		t.Run(fails, func(t *testing.T) {
			for seed := range uint64(6) {
				w := newWorld(t, seed+1)
				for _, h := range w.Hosts {
					w.At(w.Now(), func() { w.begin(h) })
				}
				at := w.Now() + fabric.Time(w.r.Int64N(int64(500*fabric.Microsecond)))
				spine, ok := w.Node("spine1") // leads all groups
				require.True(t, ok)
				switch fails {
				case "host":
					w.At(at, func() { w.Kill(w.Hosts[w.r.IntN(len(w.Hosts))]) })
				case "leader":
					w.At(at, func() { w.SwitchDies(spine.(*fabric.P4Switch)) })
				case "amnesia":
					w.At(at, func() { w.SwitchForgets(spine.(*fabric.P4Switch)) })
				}
				require.NoError(t, w.RunWhile(2*fabric.Second, func() bool { return !w.over() || w.Now() < at || w.Agree() != "" }))
				require.True(t, w.over(), "seed %d: %d transactions begun", seed+1, len(w.list))
				require.Empty(t, w.Agree())
				require.NoError(t, w.Verify())
				require.NoError(t, history.CheckParts(w.list, w.all.Of), "seed %d", seed+1)
				for _, g := range w.Set.Groups {
					var first map[string][]byte
					for _, name := range g.Replicas {
						n, _ := w.Node(name)
						h := n.(*fabric.Host)
						if w.Dead(h) {
							continue
						}
						table := w.parts[h][g.Number].table
						if first == nil {
							first = table
						}
						require.Equal(t, first, table, "seed %d: partition %d", seed+1, g.Number)
					}
				}
			}
		})
	}
}

func TestMessages(t *testing.T) {
	all := Partitions{1, 2, 3}
	ops := []Op{{Key: "a"}, {Key: "b", Write: true, Value: []byte("x")}, {Key: "c", Write: true}}
	b, err := Encode(ops)
	require.NoError(t, err)
	got, err := Decode(b)
	require.NoError(t, err)
	require.Equal(t, "b", got[1].Key)
	require.Equal(t, []byte("x"), got[1].Value)
	for n := range b {
		if _, err := Decode(b[:n]); err == nil {
			again, err := Decode(b[:n])
			require.NoError(t, err)
			require.Less(t, len(again), len(ops))
		}
	}
	for _, bad := range [][]Op{
		nil, {{Key: ""}}, {{Key: strings.Repeat("k", 256)}}, {{Key: "a"}, {Key: "a"}}, {{Key: "a", Write: true, Value: make([]byte, amcast.MaxPayload)}},
		{{Key: "a", Write: true, Value: make([]byte, amcast.MaxPayload+1)}},
	} {
		_, err := Encode(bad)
		require.Error(t, err)
	}
	// What is no transaction is answered, too, and changes nothing.
	p := NewPartition(1, Partitions{1})
	_, err = Partitions{1}.Results([]Op{{Key: "a"}}, map[uint8][]byte{1: p.Execute([]byte("nonsense"))})
	require.ErrorIs(t, err, ErrMessage)
	require.Zero(t, p.Keys())
	// An answer that has no room.
	one := Partitions{1}
	for i := range 2 {
		b, err := Encode([]Op{{Key: fmt.Sprint(i), Write: true, Value: make([]byte, 1000)}})
		require.NoError(t, err)
		p.Execute(b)
	}
	reads := []Op{{Key: "0"}, {Key: "1"}}
	b, err = Encode(reads)
	require.NoError(t, err)
	_, err = one.Results(reads, map[uint8][]byte{1: p.Execute(b)})
	require.ErrorIs(t, err, ErrAnswer)
	_, err = one.Results(reads, nil)
	require.ErrorIs(t, err, ErrLost)
	for _, answer := range [][]byte{{}, {9}, {0}, {0, 1}, {0, 2, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 9}} {
		_, err = one.Results(reads, map[uint8][]byte{1: answer})
		require.ErrorIs(t, err, ErrMessage, "%v", answer)
	}
	// Keys of more partitions than a message may go to.
	many := Partitions{1, 2, 3, 4, 5, 6, 7, 8}
	var wide []Op
	for i := range 100 {
		wide = append(wide, Op{Key: fmt.Sprint(i)})
	}
	_, err = many.Groups(wide)
	require.ErrorContains(t, err, "8 destination groups: want 1 to 4")
	g, err := all.Groups(ops)
	require.NoError(t, err)
	require.True(t, g.Valid())
}

func FuzzDecode(f *testing.F) {
	b, err := Encode([]Op{{Key: "a"}, {Key: "b", Write: true, Value: []byte("x")}})
	require.NoError(f, err)
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		ops, err := Decode(b)
		if err != nil {
			return
		}
		again, err := Encode(ops)
		if len(b) > amcast.MaxPayload {
			return
		}
		require.NoError(t, err)
		require.Equal(t, b, again)
	})
}

func FuzzResults(f *testing.F) {
	f.Add([]byte{0, 1, 0, 1, 'x'})
	f.Fuzz(func(_ *testing.T, b []byte) {
		_, _ = Partitions{1}.Results([]Op{{Key: "a"}}, map[uint8][]byte{1: b})
	})
}
