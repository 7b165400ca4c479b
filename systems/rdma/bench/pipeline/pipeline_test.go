package pipeline

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/roce/icrc"
)

// TestMeasure runs everything once, in small: all packets arrive, with the programs that are
// compared, and every figure has something to draw.
func TestMeasure(t *testing.T) {
	long.Test(t)
	needs.Root(t, "XDP")
	r, err := Measure(context.Background(), Options{Repetitions: 1, Runs: 100, Packets: maxGroups})
	require.NoError(t, err)
	for _, f := range Figures() {
		if f.Metric == CPUs && runtime.NumCPU() < 2 {
			continue
		}
		require.NotEmpty(t, r.Points(f.Metric), f.Metric)
	}
	for _, n := range fanOut {
		require.Equal(t, []string{hand, p4, clone}, r.At(report.Point{Metric: Packet, Case: scatterTo(n)}))
	}
	require.Equal(t, []string{hand, p4}, r.At(report.Point{Metric: Packet, Case: gatherName}))
	require.Equal(t, []string{p4, redirect}, r.At(report.Point{Metric: Packet, Case: forwardName}))
	require.Equal(t, []string{groups(1), groups(64), groups(maxGroups)}, r.At(report.Point{Metric: Groups, Case: gatherName}))
	require.NotEmpty(t, r.Verdicts)
	for _, v := range r.Verdicts {
		require.True(t, v.Invalid != "" || v.AtMost && v.Wanted == 1, "one repetition says nothing: %v", v)
	}
	require.NoError(t, r.Write(t.Output(), t.TempDir(), Figures()...))
}

// TestGroupsOfAPacket: what the generator makes of the packet for group 0 is a packet for
// the group that it says.
func TestGroupsOfAPacket(t *testing.T) {
	g := newGroup(0, 4, 0, 1)
	s := gathered(nil, g, maxGroups)
	base := s.frame(0)
	at := func(f []byte) (v [4]byte) { return [4]byte(f[icrcAt:]) }
	for _, group := range []int{0, 1, tableSize - 1, tableSize, 1234, maxGroups - 1} {
		low, high := at(s.packet(group%tableSize)), at(s.packet(group/tableSize*tableSize))
		f := append([]byte(nil), s.packet(group)...)
		want, first := at(f), at(base)
		for i := range want {
			require.Equal(t, want[i], first[i]^low[i]^first[i]^high[i]^first[i], "group %d", group)
		}
		require.True(t, icrc.Check(f[14:]), "group %d", group)
	}
}
