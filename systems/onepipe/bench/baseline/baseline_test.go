package baseline

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/sim/fabric"
)

// orders has eight processes on four hosts behind two leaves broadcast at random moments, and returns what each has
// delivered, as sender and number.
func orders(t *testing.T, kind Kind, seed uint64) [][][2]int {
	const processes, each = 8, 40
	got := make([][][2]int, processes)
	n, err := New(seed, Config{Kind: kind, Hosts: 4, Each: 2, Exchange: 5 * fabric.Microsecond, Burst: 4, Deliver: func(at, from int, data []byte) {
		require.Len(t, data, 64)
		got[at] = append(got[at], [2]int{from, int(binary.BigEndian.Uint64(data))})
	}})
	require.NoError(t, err)
	link := fabric.LinkConfig{Rate: 10e9, Delay: 500 * fabric.Nanosecond}
	top, err := n.NewPlain("top", 400*fabric.Nanosecond)
	require.NoError(t, err)
	var leaves []fabric.Node
	for _, name := range []string{"a", "b"} {
		leaf, err := n.NewPlain(name, 400*fabric.Nanosecond)
		require.NoError(t, err)
		_, err = n.Connect(leaf, top, "", link)
		require.NoError(t, err)
		leaves = append(leaves, leaf)
	}
	for i := range 4 {
		h, err := n.NewHost(string(rune('p'+i)), fabric.HostConfig{Packet: 50 * fabric.Nanosecond})
		require.NoError(t, err)
		_, err = n.Connect(h, leaves[i%2], "", link)
		require.NoError(t, err)
	}
	if kind.Sequenced() {
		h, err := n.NewHost("sequencer", fabric.HostConfig{})
		require.NoError(t, err)
		_, err = n.Connect(h, top, "", link)
		require.NoError(t, err)
	}
	require.NoError(t, n.Start())
	r := rand.New(rand.NewPCG(seed, 1))
	for from := range processes {
		var at fabric.Time
		for number := range each {
			at += fabric.Time(r.Int64N(int64(20 * fabric.Microsecond)))
			n.At(at, func() {
				data := make([]byte, 64)
				binary.BigEndian.PutUint64(data, uint64(number))
				n.Broadcast(from, data)
			})
		}
	}
	require.NoError(t, n.RunWhile(fabric.Second, func() bool {
		return slices.ContainsFunc(got, func(list [][2]int) bool { return len(list) < processes*each })
	}))
	require.NoError(t, n.Check())
	for at, list := range got {
		next := make([]int, processes)
		for _, x := range list {
			require.Equal(t, next[x[0]], x[1], "process %d, from %d: each once, in order", at, x[0])
			next[x[0]]++
		}
		for _, k := range next {
			require.Equal(t, each, k, "process %d", at)
		}
	}
	return got
}

// Everybody delivers everything in one order, which the unordered network does not do.
func TestOrder(t *testing.T) {
	for _, kind := range Kinds {
		t.Run(string(kind), func(t *testing.T) {
			for seed := range uint64(3) {
				got := orders(t, kind, seed+1)
				same := !slices.ContainsFunc(got, func(list [][2]int) bool { return !slices.Equal(list, got[0]) })
				require.Equal(t, kind != Unordered, same)
			}
		})
	}
}

// A frame is as long as one of 1Pipe that carries the same.
func TestFrame(t *testing.T) {
	want := packet{what: token, from: 300, to: -1, number: 1 << 40, data: []byte("data")}
	b := want.frame(Address{MAC: wire.MAC{1}, IP: wire.Addr{2}}, Address{MAC: wire.MAC{3}, IP: wire.Addr{4}}, nil)
	require.Len(t, b, 14+20+8+24+4+4+4)
	var got packet
	require.True(t, got.parse(b))
	require.Equal(t, want, got)
	require.False(t, got.parse(b[:50]))
}
