package fabric

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// valueTime is what a value of 64 bytes takes a leader who has nothing but values to do.
func valueTime(t *testing.T, costs fabric.Costs, via string, replicas int) fabric.Time {
	run := func(count int) fabric.Time {
		f := network(t, 1)
		c := rack(replicas + 1)
		c.Host.CPU = costs
		var to []string
		for i := range replicas {
			to = append(to, fmt.Sprint("h", i+2))
		}
		l := groupOf(count, to...)
		l.Via, l.Policy, l.Size, l.Outstanding = via, private.PolicyAll, 64, 64
		l.QP.AckTimeout = fabric.Second.Duration()
		load := build(t, f, c, l)[0]
		finish(t, f, load)
		require.NoError(t, load.Result.Err)
		require.Equal(t, count, load.Result.Done)
		require.NoError(t, f.Check())
		leader := f.Hosts[0].Threads()[0]
		require.Greater(t, leader.Utilization(), 0.97, leader.Name)
		return load.Result.Last - load.Result.First
	}
	return (run(1500) - run(500)) / 1000
}

// A value costs a leader F + P x paths: with a group there is one path, directly there are as many as replicas. No other figure
// than the costs decides how many values a second there are.
func TestPathsTakeTime(t *testing.T) {
	const f, p = 400 * fabric.Nanosecond, 1500 * fabric.Nanosecond
	costs := fabric.Costs{Value: f, Request: 300 * fabric.Nanosecond, Sent: 1000 * fabric.Nanosecond, Completion: 200 * fabric.Nanosecond, RunToCompletion: true}
	for _, n := range []int{2, 4} {
		require.Equal(t, f+p, valueTime(t, costs, ViaGroup, n), "%d replicas", n)
		require.Equal(t, f+fabric.Time(n)*p, valueTime(t, costs, ViaFanOut, n), "%d replicas", n)
	}
}

// The figures of the P4CE paper (V-C) come out, as far as a leader's CPU decides them: 2.3 million values a second with a group, 1.2 million
// directly with two replicas, 0.6 million with four.
func TestPaperRates(t *testing.T) {
	rate := func(via string, n int) float64 {
		return 1e6 / float64(valueTime(t, fabric.Measured["rnic"], via, n)) // millions per second
	}
	require.InDelta(t, 2.3, rate(ViaGroup, 2), 0.1)
	require.InDelta(t, 2.3, rate(ViaGroup, 4), 0.1)
	require.InDelta(t, 1.2, rate(ViaFanOut, 2), 0.05)
	require.InDelta(t, 0.6, rate(ViaFanOut, 4), 0.03)
}
