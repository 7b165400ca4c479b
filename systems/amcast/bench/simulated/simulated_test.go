package simulated

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/amcast"
)

// The same seeds give the same samples, all files are written, and hosts are as fast as their CPUs allow.
func TestFigure4(t *testing.T) {
	o := Options{Repetitions: 1, Quick: true, Figures: []string{"4"}}
	a, err := Measure(context.Background(), o)
	require.NoError(t, err)
	b, err := Measure(context.Background(), o)
	require.NoError(t, err)
	require.Equal(t, a.Main.Samples, b.Main.Samples)
	dir := t.TempDir()
	var out bytes.Buffer
	require.NoError(t, a.Write(&out, dir))
	require.Contains(t, out.String(), "CPU time of a packet 100ns")
	for _, f := range []string{"amcast.json", "amcast-fig4.csv", "amcast-fig4.svg", "amcast-fig4.png"} {
		require.FileExists(t, filepath.Join(dir, f))
	}
	f := a.Figures[0]
	at := func(metric string, x float64, system string) float64 {
		return f.Of(report.Point{Metric: metric, Case: "150 B", X: x}, system).Median
	}
	require.Less(t, at(Latency, 1, P4mCast), at(Latency, 1, PrimCast))
	require.Less(t, at(Latency, 1, Skeen), at(Latency, 1, P4mCast))
	// A primary receives a message and two acknowledgements; a process of Skeen's only the message.
	require.InDelta(t, 10./3, at(Throughput, 32, PrimCast), 0.2)
	require.InDelta(t, 9, at(Throughput, 32, Skeen), 1.1)
	require.InDelta(t, 6, at(Packets, 1, PrimCast), 0.1, "received: START and two of PROP and ACK; sent: two of PROP or ACK, and DONE")
	require.InDelta(t, 2, at(Packets, 1, Skeen), 0.1)
	_, err = Measure(context.Background(), Options{Figures: []string{"7"}})
	require.ErrorContains(t, err, "figure 7")
}

// Messages to more groups take more of everything, and so do slower hosts.
func TestOthers(t *testing.T) {
	r, err := Measure(context.Background(), Options{Repetitions: 1, Quick: true, Figures: []string{"groups-2", "groups-4", "mixed", "cpu"}})
	require.NoError(t, err)
	two, four, mixed, cpu := r.Figures[0], r.Figures[1], r.Figures[2], r.Figures[3]
	for _, system := range systems {
		at := report.Point{Metric: Throughput, Case: "1400 B", X: 32}
		require.Greater(t, two.Of(at, system).Median, four.Of(at, system).Median, system)
		few, all := report.Point{Metric: Throughput, Case: "32 under way", X: 10}, report.Point{Metric: Throughput, Case: "32 under way", X: 100}
		require.Greater(t, mixed.Of(few, system).Median, mixed.Of(all, system).Median, system)
		fast, slow := report.Point{Metric: Latency, X: 100}, report.Point{Metric: Latency, X: 2000}
		require.Less(t, cpu.Of(fast, system).Median, cpu.Of(slow, system).Median, system)
	}
	for _, v := range r.Main.Verdicts {
		require.NotEmpty(t, v.Invalid, "one repetition is no verdict")
	}
}

// A run whose replicas deliver in another order, or at other timestamps, fails.
func TestDisorderIsSeen(t *testing.T) {
	id := func(n uint32) amcast.ID { return amcast.ID{Client: 1, Number: n} }
	for _, c := range []struct {
		second string
		d      amcast.Delivery
		want   string
	}{
		{"g1.1", amcast.Delivery{ID: id(1), Final: 1}, "behind"},
		{"g1.2", amcast.Delivery{ID: id(2), Final: 3}, "another replica has delivered at 2"},
		{"g1.1", amcast.Delivery{ID: id(2), Final: 2}, "behind"},
		{"g1.2", amcast.Delivery{ID: id(3), Final: 3}, "was not sent"},
	} {
		b, err := build(1, PrimCast, 1, PacketTime)
		require.NoError(t, err)
		l := &load{cluster: b, end: 10, last: map[string]amcast.Delivery{}, messages: map[amcast.ID]*underway{id(1): {left: 2}, id(2): {left: 2}}}
		l.take("g1.1", &amcast.Delivery{ID: id(2), Final: 2})
		require.NoError(t, l.Check())
		l.take(c.second, &c.d)
		require.ErrorContains(t, l.RunWhile(l.Now()+fabric.Microsecond, func() bool { return true }), c.want)
	}
}
