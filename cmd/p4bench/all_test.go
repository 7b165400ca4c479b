package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/lab/launch"
)

// TestBenchAll: every benchmark runs and is in the report; the one whose program is not there
// is named, and does not keep the others from it.
func TestBenchAll(t *testing.T) {
	needs.Root(t, "network namespaces")
	needs.Time(t, "benchmarks take their time")
	dir := t.TempDir()
	binary, err := launch.Build(dir, "p4ce")
	require.NoError(t, err)
	_, err = launch.Build(dir, "p4bench")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	out := t.TempDir()
	c := exec.CommandContext(ctx, binary, "bench", "all", "--quick", "--out", out, "--only", "goodput,rate,latency,burst,switch,multicast,cast,scale,peers") // others: tests of their packages
	c.Env = append(os.Environ(), "PATH="+t.TempDir())
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if !errors.As(c.Run(), &exit) || exit.ExitCode() != 1 {
		t.Log(stdout.String(), stderr.String())
		require.Fail(t, "without peerd it ends with status 1")
	}
	require.Contains(t, stderr.String(), "1 of 9 benchmarks have failed")
	b, err := os.ReadFile(filepath.Join(out, "report.md"))
	require.NoError(t, err)
	for _, name := range []string{"goodput", "rate", "latency", "burst", "switch"} {
		require.FileExists(t, filepath.Join(out, name, name+".csv"))
		require.Contains(t, string(b), "| "+name+" |")
		require.Contains(t, string(b), "\n## "+name+"\n")
	}
	require.Contains(t, string(b), "no result: no program peerd")
	require.NotContains(t, string(b), "\n## failover\n")
}
