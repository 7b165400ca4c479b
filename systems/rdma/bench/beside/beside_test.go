package beside

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bench/report"
)

// run makes a peers.json of so many repetitions; rates differ by system.
func run(t *testing.T, reps int, busy float64, rates map[string]float64) []byte {
	m := measured{Reps: reps}
	for rep := range reps {
		for system, rate := range rates {
			op := Set
			if system == ours || system == hashicorp {
				op = Propose
			}
			m.Samples = append(m.Samples, sample{System: system, Servers: 3, Rep: rep, Busy: busy, Op: op, Clients: 64, Size: 64, Rate: rate, P50: int64(1e9 / rate), P99: int64(2e9 / rate)})
		}
	}
	b, err := json.Marshal(m)
	require.NoError(t, err)
	return b
}

func verdicts(r *report.Result) map[string]string {
	out := map[string]string{}
	for _, v := range r.Verdicts {
		out[v.What] = v.String()
	}
	return out
}

func TestRead(t *testing.T) {
	r, err := Read(run(t, report.Repetitions, 0, map[string]float64{ours: 1000, hashicorp: 100, kv: 50, etcd: 25, redis: 80}))
	require.NoError(t, err)
	require.Empty(t, r.Disturbed)
	v := verdicts(r)
	require.Len(t, v, 4)
	require.Contains(t, v["3 servers, 64 B: propose rate of 64 clients, p4ce-accelerated-shared / hashicorp-raft"], "x10.00, wanted at least 10: reached")
	require.Contains(t, v["3 servers, 64 B: propose p99 of 64 clients, p4ce-accelerated-shared / hashicorp-raft"], "x0.10, wanted at most 1: reached")
	require.Contains(t, v["3 servers, 64 B: set rate of 64 clients, kv-accelerated / etcd"], "x2.00, wanted at least 2.5: missed")
	require.Contains(t, v["3 servers, 64 B: set rate of 64 clients, kv-accelerated / redis-alone"], "reached")
	var out bytes.Buffer
	dir := t.TempDir()
	require.NoError(t, r.Write(&out, dir, Figures(r)...))
	require.FileExists(t, filepath.Join(dir, "peers-propose-rate.svg"))
	require.FileExists(t, filepath.Join(dir, "peers.csv"))
}

// Pipelines have verdicts of their own.
func TestPipelines(t *testing.T) {
	var m measured
	for rep := range report.Repetitions {
		for _, s := range []sample{
			{System: kv, Op: Set, Pipe: 16, Rate: 59}, {System: redis, Op: Set, Pipe: 16, Rate: 100}, {System: redis, Op: Get, Pipe: 16, Rate: 200}, {System: lease, Op: Get, Pipe: 16, Rate: 170},
			{System: kv, Op: Set, Rate: 10}, {System: redis, Op: Set, Rate: 10},
		} {
			s.Servers, s.Clients, s.Size, s.Rep, s.P50, s.P99 = 3, 64, 64, rep, 1, 2
			m.Samples = append(m.Samples, s)
		}
	}
	b, err := json.Marshal(m)
	require.NoError(t, err)
	r, err := Read(b)
	require.NoError(t, err)
	v := verdicts(r)
	require.Len(t, v, 3)
	require.Contains(t, v["3 servers, 64 B: set by 16 rate of 64 clients, kv-accelerated / redis-alone"], "x0.59, wanted at least 0.6: missed")
	require.Contains(t, v["3 servers, 64 B: get by 16 rate of 64 clients, kv-lease / redis-alone"], "x0.85, wanted at least 0.8: reached")
	require.Contains(t, v["3 servers, 64 B: set rate of 64 clients, kv-accelerated / redis-alone"], "x1.00")
	var names []string
	for _, m := range r.Metrics {
		names = append(names, m.Name)
	}
	require.Equal(t, []string{"set, rate", "set, p50", "set, p99", "set by 16, rate", "set by 16, p50", "set by 16, p99", "get by 16, rate", "get by 16, p50", "get by 16, p99"}, names)
	dir := t.TempDir()
	require.NoError(t, r.Write(&bytes.Buffer{}, dir, Figures(r)...))
	require.FileExists(t, filepath.Join(dir, "peers-set-by-16-rate.svg"))
}

func TestReadDisturbed(t *testing.T) {
	r, err := Read(run(t, 1, 0.5, map[string]float64{kv: 100, etcd: 10}))
	require.NoError(t, err)
	require.Len(t, r.Disturbed, 1)
	require.Len(t, r.Verdicts, 1)
	require.Contains(t, r.Verdicts[0].String(), "no verdict: 1 of 5 repetitions")
}

func TestReadRefuses(t *testing.T) {
	_, err := Read([]byte("{"))
	require.ErrorContains(t, err, "peers.json")
	_, err = Read([]byte(`{"samples": [{"op": "put"}]}`))
	require.ErrorContains(t, err, `unknown operation "put"`)
	_, err = Read([]byte(`{"samples": [{"op": "set", "system": "etcd", "servers": 3, "clients": 1, "size": 64, "rate": 5, "p50": 3, "p99": 4}]}`))
	require.ErrorContains(t, err, "something is missing")
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	_, err := Find("", filepath.Join(dir, "sub", "p4ce"))
	require.ErrorIs(t, err, ErrNoPeerd)
	_, err = Find(filepath.Join(dir, "nothing"), "")
	require.ErrorContains(t, err, "nothing")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "peerd"), []byte("#!/bin/sh\nexit 3\n"), 0o755))
	path, err := Find("", filepath.Join(dir, "p4ce"))
	require.NoError(t, err)
	// It ends without having measured anything.
	_, err = Measure(context.Background(), Options{Peerd: path, Dir: t.TempDir()})
	require.ErrorContains(t, err, "exit status 3")
}
