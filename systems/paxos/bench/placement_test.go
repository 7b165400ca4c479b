package bench

import (
	"context"
	"hash/fnv"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/bench/simulated"
)

// TestPlacement: in each system all values are decided and the replicas agree, else there is an error; and their packets pass the
// switches as often as the places of the roles say.
func TestPlacement(t *testing.T) {
	long.Test(t)
	needs.Root(t, "XDP and network namespaces")
	needs.Time(t, "it runs a network of processes")
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	o := PlacementOptions{Options{Binary: p4ce, Dir: t.TempDir(), Log: t.Output()}}
	o.shorten()
	r, err := MeasurePlacement(ctx, o)
	require.NoError(t, err)
	of := func(metric, kase, system string) float64 {
		s := r.Of(report.Point{Metric: metric, Case: kase}, system)
		require.Equal(t, 1, s.N, "%s, %s, %s", metric, kase, system)
		return s.Median
	}
	for _, system := range []string{simulated.OnPath, simulated.ByPods, simulated.Servers} {
		for _, metric := range []string{OneMedian, OneTail} {
			first, all := of(metric, simulated.ToReplica, system), of(metric, simulated.ToAll, system)
			require.Positive(t, first)
			require.GreaterOrEqual(t, all, first)
			require.Positive(t, of(metric, simulated.ToAnswer, system))
		}
	}
	// On the path: three switches to the leader, three acceptors, three votes at the learner, and two answers over five switches. At
	// servers everything passes five, but for what the learner tells its own host, and the other one in its rack. There are reports of
	// hosts and probes of links, too.
	for system, packets := range map[string]float64{
		simulated.OnPath: 3 + 3 + 3 + 2*5, simulated.ByPods: 3 + 3 + 1 + 2*3 + 2*5, simulated.Servers: 5 + 3*5 + 3*5 + 1 + 2*5, onePacket: 2 * 5,
	} {
		got := of(Received, "", system)
		require.Greater(t, got, packets-1, system)
		require.Less(t, got, packets+10, system)
	}
	require.Greater(t, of(ByRoles, "", simulated.Servers), of(ByRoles, "", simulated.OnPath)+1, "five programs handle seven messages")
	require.Len(t, r.Verdicts, 3)
	for _, v := range r.Verdicts {
		require.NotEmpty(t, v.Invalid, "one repetition is no verdict")
	}
	dir := t.TempDir()
	require.NoError(t, WritePlacement(r, t.Output(), dir))
	for _, name := range []string{"paxos-placement.csv", "paxos-placement.json", "paxos-placement-xdp.svg", "paxos-placement-xdp.png"} {
		require.FileExists(t, filepath.Join(dir, name))
	}
}

// TestAgree: a replica that lacks a value, has one twice or has them in another order is noticed.
func TestAgree(t *testing.T) {
	for _, c := range []struct {
		second []uint64
		want   string
	}{
		{[]uint64{1, 2, 3}, ""},
		{[]uint64{1, 2}, "a replica has 2 values, 3 were proposed"},
		{[]uint64{1, 2, 2, 3}, "a replica has 4 values, 3 were proposed"},
		{[]uint64{1, 3, 2}, "the logs of the replicas differ"},
	} {
		s := &placed{values: 3}
		for _, log := range [][]uint64{{1, 2, 3}, c.second} {
			h := &replica{digest: fnv.New128a()}
			s.replicas = append(s.replicas, h)
			for _, n := range log {
				s.applied(h, paxos.Entry{Client: 1, Value: numbered(n)})
			}
			s.applied(h, paxos.Entry{}) // a no-op is no value
		}
		if err := s.agree(); c.want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, c.want)
		}
	}
}

// TestPlacementFlags: what cannot be measured is refused before anything is.
func TestPlacementFlags(t *testing.T) {
	for want, args := range map[string][]string{
		"--for 1ms: 10ms to 1m":         {"--for", "1ms"},
		"--for 2m0s: 10ms to 1m":        {"--for", "2m"},
		"--repetitions 0: at least one": {"--repetitions", "0"},
	} {
		c := placementCommand()
		c.SetArgs(args)
		c.SetOut(t.Output())
		c.SetErr(t.Output())
		c.SilenceUsage = true
		require.ErrorContains(t, c.Execute(), want)
	}
}
