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
	"github.com/p4ce/p4ce/lab/launch"
)

func TestReport(t *testing.T) {
	r := Result{Servers: 3, Answers: map[Key][]time.Duration{}, Rounds: map[Key]int{}}
	add := func(event, mode string, took ...time.Duration) {
		for i, d := range took {
			r.Samples = append(r.Samples, Sample{event, mode, i, d})
		}
		r.Rounds[Key{event, mode}] = len(took)
		r.Answers[Key{event, mode}] = []time.Duration{-time.Millisecond, 0, 40 * time.Millisecond}
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
	require.Equal(t, report.Spread{N: 3, Median: 2, Min: 1, Max: 3, From: 1, To: 3}, result.Of(report.Point{Metric: Interruption, Case: CrashedReplica}, "direct"))
	require.Len(t, result.Verdicts, 6)
	for _, v := range result.Verdicts {
		require.NotEmpty(t, v.Invalid, "one round says nothing")
		require.Contains(t, v.What, "false alarms not measured")
	}
	for _, name := range []string{"failover.svg", "failover.png"} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Greater(t, info.Size(), int64(1000))
	}
}

// Beside each verdict stands how many false alarms there were.
func TestVerdicts(t *testing.T) {
	r := Result{Servers: 3}
	for i := range report.Repetitions {
		for _, mode := range modes {
			r.Samples = append(r.Samples, Sample{NoCrash, mode, i, time.Second}, Sample{CrashedLeader, mode, i, 4 * time.Millisecond}, Sample{CrashedSwitch, mode, i, 11 * time.Millisecond})
		}
		r.Samples = append(r.Samples, Sample{CrashedReplica, "direct", i, 1100 * time.Microsecond})
	}
	r.Alarms = []Alarms{
		{Mode: "direct", Over: 30 * time.Second, Answers: 1}, {Mode: "direct", Terms: 1, Over: 30 * time.Second, Answers: 1},
		{Mode: "accelerated", Terms: 2, Fallbacks: 3, Over: 10 * time.Second, Answers: 1},
	}
	var got []string
	result := r.Report()
	for _, v := range result.Verdicts {
		got = append(got, v.String())
	}
	const direct, accelerated = "(60 false alarms per hour under full load: 1 elections and 0 fall-backs in 1m0s)", "(1800 false alarms per hour under full load: 2 elections and 3 fall-backs in 10s)"
	require.Equal(t, []string{
		"crashed replica, direct mode " + direct + ": 1.10 ms, wanted at most 1 ms: missed",
		"crashed leader, direct mode " + direct + ": 4.00 ms, wanted at most 10 ms: reached",
		"crashed leader, accelerated mode " + accelerated + ": 4.00 ms, wanted at most 10 ms: reached",
		"crashed switch, direct mode " + direct + ": 11.0 ms, wanted at most 10 ms: missed",
		"crashed switch, accelerated mode " + accelerated + ": 11.0 ms, wanted at most 10 ms: missed",
	}, got)
	require.Equal(t, report.Spread{N: 2, Median: 60, Min: 0, Max: 120, From: 0, To: 120}, result.Of(report.Point{Metric: FalseAlarms, Case: fullLoad}, "direct"))
}

// One crash of each kind in each mode, for real.
func TestBench(t *testing.T) {
	needs.Root(t, "network namespaces")
	needs.Time(t, "crashes take their time")
	dir := t.TempDir()
	binary, err := launch.Build(dir, "p4ce")
	require.NoError(t, err)
	_, err = launch.Build(dir, "p4bench")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	out := t.TempDir()
	cmd := exec.CommandContext(ctx, binary, "bench", "failover", "--rounds", "1", "--calm", "1s", "--out", out, "--verbose")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if err != nil {
		t.Log(stderr.String())
	}
	require.NoError(t, err)
	for _, event := range []string{NoCrash, CrashedReplica, CrashedLeader, CrashedSwitch} {
		for _, mode := range []string{"direct", "accelerated"} {
			require.Regexp(t, event+" +"+mode+" +1 ", stdout.String())
		}
	}
	require.Regexp(t, `crashed leader, accelerated mode \(\d+ false alarms per hour under full load: \d+ elections and \d+ fall-backs in 1s\)`, stdout.String())
	require.Contains(t, stdout.String(), FormingOwn)
	require.FileExists(t, filepath.Join(out, "failover.svg"))
}
