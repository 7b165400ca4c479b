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
			r.Samples = append(r.Samples, Sample{event, mode, Default.Name, i, d})
		}
		r.Rounds[Key{event, mode, Default.Name}] = len(took)
		r.Answers[Key{event, mode, Default.Name}] = []time.Duration{-time.Millisecond, 0, 40 * time.Millisecond}
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
	require.Equal(t, report.Spread{N: 3, Median: 2, Min: 1, Max: 3, From: 1, To: 3}, result.Of(report.Point{Metric: Interruption, Case: CrashedReplica + ", default settings"}, "direct"))
	require.Len(t, result.Verdicts, 4)
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

// Each settings have verdicts of their own, and beside each stands what it costs.
func TestVerdicts(t *testing.T) {
	r := Result{Servers: 3}
	for i := range report.Repetitions {
		for _, set := range []Settings{Default, Tuned} {
			for _, mode := range modes {
				r.Samples = append(r.Samples, Sample{CrashedLeader, mode, set.Name, i, 4 * time.Millisecond}, Sample{CrashedSwitch, mode, set.Name, i, 900 * time.Microsecond})
			}
		}
	}
	r.Alarms = []Alarms{
		{Mode: "direct", Settings: Default.Name, Over: 30 * time.Second, Answers: 1}, {Mode: "direct", Settings: Default.Name, Terms: 1, Over: 30 * time.Second, Answers: 1},
		{Mode: "accelerated", Settings: Default.Name, Over: time.Minute, Answers: 1},
		{Mode: "accelerated", Settings: Tuned.Name, Terms: 2, Fallbacks: 3, Over: 10 * time.Second, Answers: 1},
	}
	var got []string
	result := r.Report()
	for _, v := range result.Verdicts {
		got = append(got, v.String())
	}
	require.Equal(t, []string{
		"crashed leader, default settings, direct mode (60 false alarms per hour under full load: 1 elections and 0 fall-backs in 1m0s): 4.00 ms, wanted at most 10 ms: reached",
		"crashed leader, default settings, accelerated mode (0 false alarms per hour under full load: 0 elections and 0 fall-backs in 1m0s): 4.00 ms, wanted at most 10 ms: reached",
		"crashed switch, default settings, direct mode (60 false alarms per hour under full load: 1 elections and 0 fall-backs in 1m0s): 0.90 ms, wanted at most 10 ms: reached",
		"crashed switch, default settings, accelerated mode (0 false alarms per hour under full load: 0 elections and 0 fall-backs in 1m0s): 0.90 ms, wanted at most 10 ms: reached",
		"crashed leader, tuned settings, direct mode (false alarms not measured): 4.00 ms, wanted at most 1 ms: missed",
		"crashed leader, tuned settings, accelerated mode (1800 false alarms per hour under full load: 2 elections and 3 fall-backs in 10s): 4.00 ms, wanted at most 1 ms: missed",
		"crashed switch, tuned settings, direct mode (false alarms not measured): 0.90 ms, wanted at most 1 ms: reached",
		"crashed switch, tuned settings, accelerated mode (1800 false alarms per hour under full load: 2 elections and 3 fall-backs in 10s): 0.90 ms, wanted at most 1 ms: reached",
	}, got)
	require.Equal(t, report.Spread{N: 2, Median: 60, Min: 0, Max: 120, From: 0, To: 120}, result.Of(report.Point{Metric: FalseAlarms, Case: Default.Name}, "direct"))
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
	for _, event := range []string{CrashedReplica, CrashedLeader, CrashedSwitch} {
		for _, mode := range []string{"direct", "accelerated"} {
			require.Regexp(t, event+" +"+mode+" +1 ", stdout.String())
		}
	}
	for _, set := range []Settings{Default, Tuned} {
		require.Regexp(t, "crashed leader, "+set.Name+`, accelerated mode \(\d+ false alarms per hour under full load: \d+ elections and \d+ fall-backs in 1s\)`, stdout.String())
	}
	require.Contains(t, stdout.String(), FormingOwn)
	require.FileExists(t, filepath.Join(out, "failover.svg"))
}
