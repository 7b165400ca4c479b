// Package beside brings what bench/peers has measured, p4ce beside others, into the form of
// all benchmarks, with verdicts. The measuring is a program of its own, peerd, whose
// libraries p4ce does not depend on.
package beside

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/p4ce/p4ce/bench/report"
)

// Metrics of a result, per operation: answers per second, and times of answers.
const (
	Rate = "rate"
	P50  = "p50"
	P99  = "p99"
)

// Operations, as peerd names them: a value decided, in the leader's process; a store's
// clients over TCP.
const (
	Propose = "propose"
	Set     = "set"
	Get     = "get"
)

// piped is an operation in pipelines of so many: the times are of a whole pipeline.
func piped(op string, n int) string {
	if n > 1 {
		return fmt.Sprintf("%s by %d", op, n)
	}
	return op
}

// Systems that verdicts are about, as peerd names them.
const (
	ours      = "p4ce-accelerated-shared"
	hashicorp = "hashicorp-raft"
	etcdRaft  = "etcd-raft"
	kv        = "kv-accelerated"
	lease     = "kv-lease"
	etcd      = "etcd"
	redis     = "redis-alone"
)

// ErrNoPeerd says that peerd was not found.
var ErrNoPeerd = errors.New("no program peerd: `make peers` builds it as bin/peerd; --peerd says where it is")

// Options say what to measure.
type Options struct {
	Peerd          string   // its path
	Args           []string // of peerd bench, without -out and -p4ce
	Binary         string   // p4ce
	Dir            string   // for peers.csv and peers.json
	Stdout, Stderr io.Writer
}

// Find finds peerd: where it is said to be, beside our own binary, or on the PATH.
func Find(said, binary string) (string, error) {
	if said != "" {
		if _, err := exec.LookPath(said); err != nil {
			return "", fmt.Errorf("peerd: %w", err)
		}
		return said, nil
	}
	for _, p := range []string{filepath.Join(filepath.Dir(binary), "peerd"), "peerd"} {
		if path, err := exec.LookPath(p); err == nil {
			return path, nil
		}
	}
	return "", ErrNoPeerd
}

// Measure runs peerd and reads what it has found.
func Measure(ctx context.Context, o Options) (*report.Result, error) {
	var begun report.Result
	run, err := begun.Begin()
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, o.Peerd, append([]string{"bench", "-p4ce", o.Binary, "-out", o.Dir}, o.Args...)...)
	c.Stdout, c.Stderr = o.Stdout, o.Stderr
	// It takes its servers down when it is asked to end.
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 20 * time.Second
	failed := c.Run()
	if err := run.End(); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	b, err := os.ReadFile(filepath.Join(o.Dir, "peers.json"))
	if err != nil {
		if failed != nil {
			err = fmt.Errorf("peerd: %w (it says why)", failed)
		}
		return nil, err
	}
	r, err := Read(b)
	if err != nil {
		return nil, err
	}
	r.Start, r.Took, r.Machine, r.Disturbed = begun.Start, begun.Took, begun.Machine, append(begun.Disturbed, r.Disturbed...)
	if failed != nil {
		r.Notes = append(r.Notes, fmt.Sprintf("peerd ended with %v: what has failed has no figures", failed))
	}
	return r, nil
}

// measured is what is read of peers.json.
type measured struct {
	Warmup   string   `json:"warmup"`
	Duration string   `json:"duration"`
	Reps     int      `json:"reps"`
	Missing  []string `json:"missing"`
	Failures []string `json:"failures"`
	Samples  []sample `json:"samples"`
}

type sample struct {
	System  string  `json:"system"`
	Servers int     `json:"servers"`
	Rep     int     `json:"rep"`
	Busy    float64 `json:"busy"`
	Op      string  `json:"op"`
	Clients int     `json:"clients"`
	Size    int     `json:"size"`
	Pipe    int     `json:"pipeline"`
	Rate    float64 `json:"rate"` // per second
	P50     int64   `json:"p50_ns"`
	P99     int64   `json:"p99_ns"`
}

// metric is the name of a metric of an operation.
func metric(op, what string) string { return op + ", " + what }

func place(op, what string, servers, size, clients int) report.Point {
	return report.Point{Metric: metric(op, what), Case: fmt.Sprintf("%d servers, %d B", servers, size), X: float64(clients)}
}

// maxBusy is what part of the CPUs others may use just before a sample.
const maxBusy = 0.1

// Read makes a result of a peers.json.
func Read(b []byte) (*report.Result, error) {
	var m measured
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, fmt.Errorf("peers.json: %w", err)
	}
	r := &report.Result{Name: "peers", Title: "Values per second, beside others", Axis: report.Metric{Name: "clients"},
		Notes: slices.Concat(m.Missing, m.Failures)}
	var ops []string
	for _, s := range m.Samples {
		if s.Op != Propose && s.Op != Set && s.Op != Get {
			return nil, fmt.Errorf("peers.json: unknown operation %q", s.Op)
		}
		if op := piped(s.Op, s.Pipe); !slices.Contains(ops, op) {
			ops = append(ops, op)
		}
	}
	order := func(op string) int { // writes first, pipelines behind them
		base, _, _ := strings.Cut(op, " ")
		return 100*slices.Index([]string{Propose, Set, Get}, base) + len(op)
	}
	slices.SortStableFunc(ops, func(a, b string) int { return order(a) - order(b) })
	for _, op := range ops {
		r.Metrics = append(r.Metrics, report.Metric{Name: metric(op, Rate), Unit: "1/s"}, report.Metric{Name: metric(op, P50), Unit: "us"}, report.Metric{Name: metric(op, P99), Unit: "us"})
	}
	// What others are compared with comes first.
	for _, name := range []string{hashicorp, etcdRaft, etcd, redis} {
		if slices.ContainsFunc(m.Samples, func(s sample) bool { return s.System == name }) {
			r.Systems = append(r.Systems, name)
		}
	}
	busy := 0
	for _, s := range m.Samples {
		if s.System == "" || s.Servers == 0 || s.Clients == 0 || s.Size == 0 || s.Rate == 0 || s.P50 == 0 || s.P99 == 0 {
			return nil, fmt.Errorf("peers.json: something is missing in %+v (is peerd of another version?)", s)
		}
		if !slices.Contains(r.Systems, s.System) {
			r.Systems = append(r.Systems, s.System)
		}
		op := piped(s.Op, s.Pipe)
		if s.Busy > maxBusy {
			busy++
		}
		r.Add(place(op, Rate, s.Servers, s.Size, s.Clients), s.System, s.Rep, s.Rate)
		r.Add(place(op, P50, s.Servers, s.Size, s.Clients), s.System, s.Rep, float64(s.P50)/1e3)
		r.Add(place(op, P99, s.Servers, s.Size, s.Clients), s.System, s.Rep, float64(s.P99)/1e3)
	}
	if busy > 0 {
		r.Disturbed = append(r.Disturbed, fmt.Sprintf("others used more than %.0f %% of the CPUs before %d of %d loads", 100*maxBusy, busy, len(m.Samples)))
	}
	r.Set("warm-up of each load", m.Warmup)
	r.Set("each load", m.Duration)
	r.Set("repetitions", m.Reps)
	judge(r)
	return r, nil
}

// judge adds the verdicts for what was measured.
func judge(r *report.Result) {
	type target struct {
		op, what, system, by string
		clients              []int
		wanted               float64
		atMost               bool
	}
	many := []int{64, 512}
	const pipeline = 16
	targets := []target{
		{Propose, Rate, ours, hashicorp, many, 10, false}, {Propose, P99, ours, hashicorp, many, 1, true},
		{Propose, Rate, ours, etcdRaft, many, 10, false}, {Propose, P99, ours, etcdRaft, many, 1, true},
		{Set, Rate, kv, etcd, []int{64}, 2.5, false}, {Set, Rate, kv, redis, []int{64}, 0.6, false},
		{Set, P50, kv, redis, []int{1}, 3, true}, {Get, P50, lease, redis, []int{1}, 1.5, true},
		{piped(Set, pipeline), Rate, kv, redis, []int{64}, 0.6, false}, {piped(Get, pipeline), Rate, lease, redis, []int{64}, 0.8, false},
	}
	for _, t := range targets {
		var points []report.Point
		for _, p := range r.Points(metric(t.op, t.what)) {
			at := r.At(p)
			if slices.Contains(t.clients, int(p.X)) && slices.Contains(at, t.system) && slices.Contains(at, t.by) {
				points = append(points, p)
			}
		}
		for _, p := range points {
			what := fmt.Sprintf("%s: %s of %d clients, %s / %s", p.Case, strings.ReplaceAll(metric(t.op, t.what), ",", ""), int(p.X), t.system, t.by)
			if t.atMost {
				r.AtMost(what, p, t.system, t.by, t.wanted, "")
			} else {
				r.AtLeast(what, p, t.system, t.by, t.wanted, "")
			}
		}
	}
}

// Figures are what is drawn of a result.
func Figures(r *report.Result) (out []report.Figure) {
	for _, m := range r.Metrics {
		op, what, _ := strings.Cut(m.Name, ", ")
		if what != P50 {
			out = append(out, report.Figure{Name: "peers-" + strings.ReplaceAll(op, " ", "-") + "-" + what, Title: m.Name, Metric: m.Name, LogX: true, LogY: true})
		}
	}
	return out
}
