package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bench/peers/closed"
	"github.com/p4ce/p4ce/doctor/needs"
)

// TestMain makes this binary the processes that bench starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "serve" || os.Args[1] == "load") {
		if err := run(context.Background(), os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestArguments(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "usage"},
		{[]string{"dance"}, "usage"},
		{[]string{"bench", "now"}, `unknown argument "now"`},
		{[]string{"bench", "-servers", "2"}, "-servers 2"},
		{[]string{"bench", "-servers", "3,10"}, "-servers 10"},
		{[]string{"bench", "-servers", "three"}, "is no number"},
		{[]string{"bench", "-reps", "0"}, "-reps 0"},
		{[]string{"bench", "-clients", "0"}, "clients 0"},
		{[]string{"bench", "-sizes", "64,0"}, "size 0"},
		{[]string{"bench", "-duration", "0s"}, "duration"},
		{[]string{"bench", "-systems", "etcd,consul"}, `unknown "consul"`},
		{[]string{"bench", "-pipeline", "0"}, "-pipeline 0"},
		{[]string{"bench", "-pipeline", "64"}, "pipeline of 64: 1 to 32"},
		{[]string{"bench", "-pipeline-clients", "0"}, "clients 0"},
		{[]string{"load", "-kind", "etcd", "-servers", "a:1", "-pipeline", "2"}, "no pipelines with etcd"},
		{[]string{"serve", "-kind", "paxos", "-servers", "a:1"}, `-kind "paxos"`},
		{[]string{"serve", "-kind", "p4ce", "-servers", "here"}, "-servers"},
		{[]string{"serve", "-kind", "p4ce", "-servers", "10.0.0.1,10.0.0.2", "-switch", "there"}, "-switch"},
		{[]string{"load", "-kind", "etcd", "-servers", "a:1", "-ops", "incr"}, "unknown operation"},
		{[]string{"load", "-kind", "memcached", "-servers", "a:1"}, "unknown kind"},
	} {
		err := run(t.Context(), c.args)
		var u usageError
		require.ErrorAs(t, err, &u, "%q", c.args)
		require.ErrorContains(t, err, c.want)
	}
}

// What is missing is said, and is an error if it was asked for.
func TestPrograms(t *testing.T) {
	here, err := os.Executable()
	require.NoError(t, err)
	o := benchOptions{p4ce: here, etcd: "/nowhere/etcd", redis: here}
	have, missing, err := o.find(systems)
	require.NoError(t, err)
	require.Len(t, have, len(systems)-1)
	require.Len(t, missing, 1)
	require.Contains(t, missing[0], "etcd is left out")
	o.systems = []string{"etcd"}
	_, _, err = o.find(systems)
	require.ErrorContains(t, err, "etcd needs etcd")
	_, _, err = (&benchOptions{p4ce: "/nowhere/p4ce", etcd: here, redis: here}).find(systems)
	require.ErrorContains(t, err, "make build")
}

func TestInMemory(t *testing.T) {
	require.ErrorContains(t, inMemory("/proc"), "not on tmpfs")
	require.ErrorContains(t, inMemory("/nowhere"), "no such file")
}

func TestReport(t *testing.T) {
	r := &report{Reps: 3}
	for i, rate := range []float64{300, 100, 200} {
		r.add(sample{System: "a", Servers: 3, Rep: i, Busy: 0.2 * float64(i), event: event{Op: "get", Clients: 8, Size: 64, Result: closed.Result{Rate: rate, P50: int64(rate)}}})
		r.add(sample{System: "b", Servers: 3, Rep: i, event: event{Op: "set", Clients: 8, Size: 64, Pipeline: 16, Result: closed.Result{Rate: 10 * rate}}})
		r.add(sample{System: "b", Servers: 3, Rep: i, event: event{Op: "set", Clients: 8, Size: 64, Result: closed.Result{Rate: rate}}})
	}
	rows := r.rows()
	require.Len(t, rows, 3)
	require.Equal(t, "b", rows[0].system, "writes come before reads")
	require.Equal(t, row{system: "b", op: "set", servers: 3, size: 64, clients: 8, pipeline: 16, reps: 3, rate: 2000, lowRate: 1000, topRate: 3000}, rows[1], "pipelines are apart")
	require.Zero(t, rows[0].disturbed)
	require.Equal(t, row{system: "a", op: "get", servers: 3, size: 64, clients: 8, reps: 3, rate: 200, lowRate: 100, topRate: 300, p50: 200, disturbed: 2}, rows[2])
	require.EqualValues(t, 3, median([]int64{4, 2}))

	r.failed("c, 3 servers", errors.New("it fell over"))
	dir := t.TempDir()
	var table bytes.Buffer
	require.NoError(t, r.write(&table, dir))
	require.Contains(t, table.String(), "DISTURBED:")
	require.Contains(t, table.String(), "FAILED: c, 3 servers: it fell over")
	f, err := os.Open(filepath.Join(dir, "peers.csv"))
	require.NoError(t, err)
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	require.Len(t, lines, 4)
	b, err := os.ReadFile(filepath.Join(dir, "peers.json"))
	require.NoError(t, err)
	var back report
	require.NoError(t, json.Unmarshal(b, &back))
	require.Equal(t, r.Samples, back.Samples)
}

// A system that cannot run is reported, and is an error in the end.
func TestBenchFails(t *testing.T) {
	needs.Root(t, "network namespaces")
	broken, err := exec.LookPath("false")
	require.NoError(t, err)
	out := t.TempDir()
	err = run(t.Context(), []string{"bench", "-systems", "p4ce-direct", "-p4ce", broken, "-servers", "3", "-reps", "1", "-out", out})
	require.ErrorContains(t, err, "1 loads have failed")
	b, err := os.ReadFile(filepath.Join(out, "peers.json"))
	require.NoError(t, err)
	require.Contains(t, string(b), "p4ce-direct, 3 servers: switch has ended")
}

// The libraries are measured in network namespaces, for each load once.
func TestBench(t *testing.T) {
	needs.Root(t, "network namespaces")
	out := t.TempDir()
	require.NoError(t, run(t.Context(), []string{
		"bench", "-systems", "hashicorp-raft,etcd-raft", "-servers", "3", "-clients", "1,4", "-sizes", "64", "-reps", "1", "-warmup", "0s", "-duration", "50ms", "-out", out,
	}))
	b, err := os.ReadFile(filepath.Join(out, "peers.json"))
	require.NoError(t, err)
	var r report
	require.NoError(t, json.Unmarshal(b, &r))
	require.Len(t, r.Samples, 4)
	for _, s := range r.Samples {
		require.NotZero(t, s.Count, "%+v", s)
	}
}
