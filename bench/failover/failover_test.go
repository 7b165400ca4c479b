package failover

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/lab/cluster"
)

func TestReport(t *testing.T) {
	r := Result{Servers: 3, Answers: map[[2]string][]time.Duration{}, Rounds: map[[2]string]int{}}
	add := func(event, mode string, took ...time.Duration) {
		for i, d := range took {
			r.Samples = append(r.Samples, Sample{event, mode, i, d})
		}
		r.Rounds[[2]string{event, mode}] = len(took)
		r.Answers[[2]string{event, mode}] = []time.Duration{-time.Millisecond, 0, 40 * time.Millisecond}
	}
	ms := time.Millisecond
	add(CrashedReplica, "direct", 1*ms, 3*ms, 2*ms)
	add(CrashedReplica, "accelerated", 2*ms, 2*ms, 2*ms)
	add(CrashedLeader, "direct", 10*ms)
	add(CrashedLeader, "accelerated", 12*ms)
	add(CrashedSwitch, "direct", 30*ms)
	add(CrashedSwitch, "accelerated", 61*ms)
	add(FormingGroup, "accelerated", 9*ms)
	add(FormingOwn, "accelerated", 4*ms)
	dir := t.TempDir()
	var out bytes.Buffer
	require.NoError(t, r.Write(&out, dir))
	require.Regexp(t, `crashed replica +direct +3 +2\.00 ms +3\.00 ms +3\.00 ms +0\.1 ms +40\.1 ms`, out.String())
	require.Contains(t, out.String(), "crashed leader: accelerated / direct = 1.20")
	require.Equal(t, []string{
		"a crashed switch costs 61ms (aim: less than 60ms)",
		"crashed leader: accelerated mode is interrupted for longer than direct mode",
	}, r.Over())
	result := r.Report()
	require.Len(t, result.Samples, len(r.Samples))
	require.Equal(t, report.Spread{N: 3, Median: 2, Min: 1, Max: 3}, result.Of(report.Point{Metric: Interruption, Case: CrashedReplica}, "direct"))
	require.Len(t, result.Verdicts, 4)
	for _, v := range result.Verdicts {
		require.NotEmpty(t, v.Invalid, "one round says nothing")
	}
	for _, name := range []string{"failover.svg", "failover.png"} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Greater(t, info.Size(), int64(1000))
	}
}

// One crash of each kind in each mode, for real.
func TestBench(t *testing.T) {
	needs.Root(t, "network namespaces")
	needs.Time(t, "crashes take their time")
	binary, err := cluster.Build(t.TempDir())
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	out := t.TempDir()
	cmd := exec.CommandContext(ctx, binary, "bench", "failover", "--rounds", "1", "--out", out, "--verbose")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if err != nil {
		t.Log(stderr.String())
	}
	require.NoError(t, err)
	for _, event := range []string{CrashedReplica, CrashedLeader, CrashedSwitch} {
		for _, mode := range []string{"direct", "accelerated"} {
			require.Regexp(t, event+" +"+mode+" +1 ", stdout.String())
		}
	}
	require.Contains(t, stdout.String(), FormingOwn)
	require.FileExists(t, filepath.Join(out, "failover.svg"))
}
