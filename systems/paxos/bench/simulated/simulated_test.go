package simulated

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bench/report"
)

// On the path a value takes one traversal of the network, and at servers three; an answer takes another one. Programs take their time
// where they are.
func TestPlacement(t *testing.T) {
	r, err := Measure(context.Background(), Options{Repetitions: 1, Quick: true, Figures: []string{"2"}})
	require.NoError(t, err)
	f := r.Figures[0]
	at := func(metric, network string, x float64, system string) float64 {
		s := f.Of(report.Point{Metric: metric, Case: network, X: x}, system)
		require.Equal(t, 1, s.N)
		return s.Median
	}
	for _, n := range networks {
		path, servers, pods := at(ToReplica, n.name, 0, OnPath), at(ToReplica, n.name, 0, Servers), at(ToReplica, n.name, 0, ByPods)
		require.InDelta(t, 3, servers/path, 0.1)
		require.Greater(t, pods, path, "votes come from other pods")
		require.Less(t, pods, servers)
		require.InDelta(t, 2, at(ToAnswer, n.name, 0, Servers)/at(ToAnswer, n.name, 0, OnPath), 0.1)
		work := micros(paperWork)
		require.InDelta(t, 2*work, at(ToReplica, n.name, work, OnPath)-path, 0.1, "the proposer, a replica")
		require.InDelta(t, 5*work, at(ToReplica, n.name, work, Servers)-servers, 0.2, "the proposer, the leader, acceptors, two votes")
	}
	for _, v := range r.Main.Verdicts {
		require.NotEmpty(t, v.Invalid, "one repetition is no verdict")
	}
	_, err = Measure(context.Background(), Options{Figures: []string{"7"}})
	require.ErrorContains(t, err, "figure 7: there are")
}

// What has ports of its own costs Paxos nothing, and loses nothing. What meets it on links that are full costs both.
func TestSharing(t *testing.T) {
	r, err := Measure(context.Background(), Options{Repetitions: 1, Quick: true, Figures: []string{"sharing"}})
	require.NoError(t, err)
	f := r.Figures[0]
	at := func(metric, system string) float64 {
		s := f.Of(report.Point{Metric: metric}, system)
		require.Equal(t, 1, s.N, system)
		return s.Median
	}
	require.InDelta(t, at(PerSecond, NoTraffic), at(PerSecond, OtherPorts), 0.01*at(PerSecond, NoTraffic))
	require.InDelta(t, 600, at(Forwarded, OtherPorts), 5)
	require.Zero(t, at(Lost, OtherPorts))
	require.InDelta(t, 180, at(Forwarded, MostLinks), 5)
	require.Zero(t, at(Lost, MostLinks))
	require.Greater(t, at(One, MostLinks), at(One, NoTraffic))
	require.Positive(t, at(Lost, OverLinks))
	require.Greater(t, at(One, OverLinks), 2*at(One, NoTraffic))
	require.Less(t, at(PerSecond, OverLinks), 0.5*at(PerSecond, NoTraffic))
}
