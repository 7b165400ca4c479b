package baseline

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/amcast"
)

// world is a leaf-spine network, its clients, and what processes have delivered.
type world struct {
	*Network
	sent map[amcast.ID][]byte
	got  map[int][]amcast.Delivery
	over map[amcast.ID]int
}

// newWorld has hosts of groups behind three leaves and two spines, and two clients.
func newWorld(t *testing.T, kind Kind, groups int, seed uint64) *world {
	w := &world{sent: map[amcast.ID][]byte{}, got: map[int][]amcast.Delivery{}, over: map[amcast.ID]int{}}
	each := 3
	if kind == Skeen {
		each = 1
	}
	c := Config{
		Kind: kind, Groups: Groups{}, Hosts: groups*each + 2,
		Deliver: func(at int, d *amcast.Delivery) {
			require.Equal(t, w.sent[d.ID], d.Payload)
			w.got[at] = append(w.got[at], *d)
		},
		Finished: func(from int, id amcast.ID) {
			require.EqualValues(t, from, id.Client)
			w.over[id]++
		},
	}
	for g := range groups {
		for i := range each {
			c.Groups[uint8(g+1)] = append(c.Groups[uint8(g+1)], g*each+i)
		}
	}
	n, err := New(seed, c)
	require.NoError(t, err)
	w.Network = n
	r := rand.New(rand.NewPCG(seed, 2))
	link := func() fabric.LinkConfig {
		return fabric.LinkConfig{Rate: 10e9, Delay: fabric.Time(r.Int64N(int64(3 * fabric.Microsecond)))}
	}
	var spines []fabric.Node
	for i := range 2 {
		s, err := n.NewPlain(fmt.Sprint("spine", i), 400*fabric.Nanosecond)
		require.NoError(t, err)
		n.SetLevel(s, 1)
		spines = append(spines, s)
	}
	var leaves []fabric.Node
	for i := range 3 {
		leaf, err := n.NewPlain(fmt.Sprint("leaf", i), 400*fabric.Nanosecond)
		require.NoError(t, err)
		for _, s := range spines {
			_, err = n.Connect(leaf, s, "", link())
			require.NoError(t, err)
		}
		leaves = append(leaves, leaf)
	}
	for i := range c.Hosts {
		h, err := n.NewHost(fmt.Sprint("h", i), fabric.HostConfig{Packet: 50 * fabric.Nanosecond})
		require.NoError(t, err)
		_, err = n.Connect(h, leaves[i%3], "", link())
		require.NoError(t, err)
	}
	require.NoError(t, n.Start())
	return w
}

// members of a group have delivered the same, each message once; what comes before what has no cycles over all groups; and
// all that was sent is delivered, and its client told.
func TestOrder(t *testing.T) {
	for _, kind := range Kinds {
		for _, groups := range []int{1, 2, 4} {
			t.Run(fmt.Sprint(kind, " ", groups), func(t *testing.T) {
				for seed := range uint64(5) {
					order(t, kind, groups, seed+1)
				}
			})
		}
	}
}

func order(t *testing.T, kind Kind, groups int, seed uint64) {
	const messages = 300
	w := newWorld(t, kind, groups, seed)
	r := rand.New(rand.NewPCG(seed, 3))
	var at fabric.Time
	deliveries := map[uint8]int{}
	for number := range messages {
		at += fabric.Time(r.Int64N(int64(2 * fabric.Microsecond)))
		var list []uint8
		for _, g := range r.Perm(groups)[:1+r.IntN(groups)] {
			list = append(list, uint8(g+1))
			deliveries[uint8(g+1)]++
		}
		to, err := amcast.NewGroups(list...)
		require.NoError(t, err)
		from := r.IntN(w.Config.Hosts) // members send, too
		w.At(at, func() {
			payload := fmt.Append(nil, number)
			w.sent[amcast.ID{Client: uint16(from), Number: w.stations[from].process.sent + 1}] = payload
			_, err := w.Multicast(from, to, payload)
			require.NoError(t, err)
		})
	}
	require.NoError(t, w.Run(fabric.Millisecond+at))
	require.NoError(t, w.Check())

	require.Len(t, w.over, messages)
	for id, n := range w.over {
		require.Equal(t, 1, n, id)
	}
	after := map[amcast.ID]map[amcast.ID]bool{} // what somebody has delivered directly behind it
	for g, list := range w.Groups {
		first := w.got[list[0]]
		require.Len(t, first, deliveries[g])
		seen := map[amcast.ID]bool{}
		for i, d := range first {
			require.True(t, d.Groups.Has(g))
			require.False(t, seen[d.ID], "%v twice", d.ID)
			seen[d.ID] = true
			if i > 0 {
				if before := first[i-1].ID; after[before] == nil {
					after[before] = map[amcast.ID]bool{d.ID: true}
				} else {
					after[before][d.ID] = true
				}
			}
		}
		for _, p := range list[1:] {
			require.Equal(t, first, w.got[p], "process %d of group %d", p, g)
		}
	}
	acyclic(t, after)
	for i, s := range w.stations {
		require.Zero(t, s.process.Open())
		if s.process.member != nil {
			require.Empty(t, s.process.member.open, "process %d keeps messages", i)
			require.Empty(t, s.process.member.queue)
		}
	}
}

// acyclic fails if an order has a cycle.
func acyclic(t *testing.T, after map[amcast.ID]map[amcast.ID]bool) {
	const under, over = 1, 2
	state := map[amcast.ID]int{}
	var visit func(amcast.ID)
	visit = func(id amcast.ID) {
		require.NotEqual(t, under, state[id], "%v comes after itself", id)
		if state[id] == over {
			return
		}
		state[id] = under
		for next := range after[id] {
			visit(next)
		}
		state[id] = over
	}
	for id := range after {
		visit(id)
	}
}

// A message takes the steps that the protocols are known for: from a client over one wire to each next one.
func TestSteps(t *testing.T) {
	for _, c := range []struct {
		kind   Kind
		groups int
		steps  fabric.Time
	}{{Skeen, 1, 1}, {Skeen, 2, 2}, {PrimCast, 1, 3}, {PrimCast, 2, 3}} {
		w := newWorld(t, c.kind, c.groups, 1)
		const wire = fabric.Millisecond
		for _, l := range w.Links {
			l.Config.Delay = 0
		}
		for _, h := range w.Fabric.Hosts {
			h.Link().Link.Config.Delay = wire / 2
		}
		var list []uint8
		for g := range c.groups {
			list = append(list, uint8(g+1))
		}
		to, err := amcast.NewGroups(list...)
		require.NoError(t, err)
		from := w.Config.Hosts - 1
		w.sent[amcast.ID{Client: uint16(from), Number: 1}] = []byte{1}
		times := map[int]fabric.Time{}
		old := w.Config.Deliver
		w.Config.Deliver = func(at int, d *amcast.Delivery) {
			old(at, d)
			times[at] = w.Now()
		}
		_, err = w.Multicast(from, to, []byte{1})
		require.NoError(t, err)
		require.NoError(t, w.Run(10*wire))
		require.Len(t, times, w.Config.Hosts-2)
		for _, at := range times {
			require.LessOrEqual(t, at/wire, c.steps, "%s, %d groups", c.kind, c.groups)
		}
		require.Equal(t, c.steps, times[0]/wire, "%s, %d groups: at a primary", c.kind, c.groups)
	}
}

// A message is delivered without one follower of another group, and not without two: a quorum of each group acknowledges.
func TestQuorum(t *testing.T) {
	both, err := amcast.NewGroups(1, 2)
	require.NoError(t, err)
	for _, down := range [][]int{{4}, {4, 5}} {
		w := newWorld(t, PrimCast, 2, 1)
		for _, p := range down {
			w.SetDown(w.Fabric.Hosts[p].Link().Link, true)
		}
		w.sent[amcast.ID{Client: 6, Number: 1}] = []byte{1}
		_, err := w.Multicast(6, both, []byte{1})
		require.NoError(t, err)
		require.NoError(t, w.Run(fabric.Millisecond))
		if len(down) > 1 {
			require.Empty(t, w.got)
			continue
		}
		for p := range 6 {
			if p != down[0] {
				require.Len(t, w.got[p], 1, "process %d", p)
			}
		}
	}
}

// Groups that cannot be.
func TestBadGroups(t *testing.T) {
	for _, c := range []struct {
		kind   Kind
		groups Groups
		want   string
	}{
		{Skeen, Groups{1: {0, 1}}, "group 1: 2 processes"},
		{PrimCast, Groups{1: {}}, "group 1: 0 processes"},
		{PrimCast, Groups{1: {0, 5}}, "process 5"},
		{PrimCast, Groups{1: {0}, 2: {0}}, "process 0"},
	} {
		_, err := New(1, Config{Kind: c.kind, Hosts: 5, Groups: c.groups})
		require.ErrorContains(t, err, c.want)
	}
	w := newWorld(t, Skeen, 1, 1)
	to, err := amcast.NewGroups(1, 2)
	require.NoError(t, err)
	_, err = w.Multicast(0, to, []byte{1})
	require.ErrorContains(t, err, "group 2 is not known")
}
