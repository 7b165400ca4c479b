package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/bench/commit"
)

// sample is one load of one system.
type sample struct {
	System  string  `json:"system"`
	Servers int     `json:"servers"`
	Rep     int     `json:"rep"`
	Busy    float64 `json:"busy"` // part of the CPUs that others used just before
	event
}

// report is everything that was measured, and where.
type report struct {
	Machine  string            `json:"machine"`
	CPUs     int               `json:"cpus"`
	Kernel   string            `json:"kernel"`
	Commit   string            `json:"commit"`
	Go       string            `json:"go"`
	Time     time.Time         `json:"time"`
	Warmup   string            `json:"warmup"`
	Duration string            `json:"duration"`
	Reps     int               `json:"reps"`
	Modules  map[string]string `json:"modules"` // versions of the libraries
	Systems  map[string]string `json:"systems"` // what each is
	Missing  []string          `json:"missing,omitempty"`
	Failures []string          `json:"failures,omitempty"`
	Samples  []sample          `json:"samples"`
}

func newReport(o *benchOptions, missing []string) *report {
	r := &report{
		Machine: cpuModel(), CPUs: runtime.NumCPU(), Go: runtime.Version(), Time: time.Now().UTC().Truncate(time.Second),
		Warmup: o.warmup.String(), Duration: o.duration.String(), Reps: o.reps,
		Modules: map[string]string{}, Systems: map[string]string{}, Missing: missing,
	}
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		r.Kernel = unix.ByteSliceToString(u.Release[:])
	}
	if b, ok := debug.ReadBuildInfo(); ok {
		for _, m := range b.Deps {
			if strings.HasSuffix(m.Path, "/raft") || strings.HasSuffix(m.Path, "/raft/v3") || strings.Contains(m.Path, "etcd/client/v3") {
				r.Modules[m.Path] = m.Version
			}
		}
	}
	r.Commit = commit.Of()
	for _, s := range systems {
		r.Systems[s.name] = s.note
	}
	return r
}

func cpuModel() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(b)) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == "model name" {
			return strings.TrimSpace(v)
		}
	}
	return runtime.GOARCH
}

// maxBusy is how much others may use of the machine before a run counts as disturbed.
const maxBusy = 0.1

// busy measures what part of the CPUs is in use while we do nothing.
func busy(ctx context.Context) (float64, error) {
	read := func() (idle, all float64, err error) {
		b, err := os.ReadFile("/proc/stat")
		if err != nil {
			return 0, 0, err
		}
		line, _, _ := strings.Cut(string(b), "\n")
		for i, f := range strings.Fields(line)[1:9] { // proc_stat(5): user to steal
			var v float64
			if _, err := fmt.Sscan(f, &v); err != nil {
				return 0, 0, err
			}
			if all += v; i == 3 || i == 4 { // idle, iowait
				idle += v
			}
		}
		return idle, all, nil
	}
	i0, a0, err := read()
	if err != nil {
		return 0, err
	}
	select {
	case <-time.After(500 * time.Millisecond):
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	i1, a1, err := read()
	if err != nil || a1 == a0 {
		return 0, err
	}
	return 1 - (i1-i0)/(a1-a0), nil
}

func (r *report) add(s sample) { r.Samples = append(r.Samples, s) }

// failed notes what was not measured, and why.
func (r *report) failed(what string, err error) {
	r.Failures = append(r.Failures, fmt.Sprintf("FAILED: %s: %v", what, err))
}

// row is a line of the table: the medians of its repetitions.
type row struct {
	system, op             string
	servers, size, clients int
	pipeline               int
	reps                   int
	rate, lowRate, topRate float64
	p50, p99, p999         int64
	disturbed              int
}

func median[T int64 | float64](v []T) T {
	slices.Sort(v)
	if n := len(v); n%2 == 0 {
		return (v[n/2-1] + v[n/2]) / 2
	}
	return v[len(v)/2]
}

// rows are in the order of servers, operation, size, clients, and system as it ran.
func (r *report) rows() []row {
	type key struct {
		system, op                       string
		servers, size, clients, pipeline int
	}
	var order []key
	by := map[key][]sample{}
	for _, s := range r.Samples {
		k := key{s.System, s.Op, s.Servers, s.Size, s.Clients, s.Pipeline}
		if by[k] == nil {
			order = append(order, k)
		}
		by[k] = append(by[k], s)
	}
	// A store's SET stands beside what a log decides: both are one value each.
	ops := []string{"propose", "set", "get"}
	slices.SortStableFunc(order, func(a, b key) int {
		for _, d := range []int{a.servers - b.servers, slices.Index(ops, a.op) - slices.Index(ops, b.op), a.pipeline - b.pipeline, a.size - b.size, a.clients - b.clients} {
			if d != 0 {
				return d
			}
		}
		return 0
	})
	var out []row
	for _, k := range order {
		w := row{system: k.system, op: k.op, servers: k.servers, size: k.size, clients: k.clients, pipeline: k.pipeline, reps: len(by[k])}
		var rates []float64
		var p50, p99, p999 []int64
		for _, s := range by[k] {
			rates, p50, p99, p999 = append(rates, s.Rate), append(p50, s.P50), append(p99, s.P99), append(p999, s.P999)
			if s.Busy > maxBusy {
				w.disturbed++
			}
		}
		w.lowRate, w.topRate = slices.Min(rates), slices.Max(rates)
		w.rate, w.p50, w.p99, w.p999 = median(rates), median(p50), median(p99), median(p999)
		out = append(out, w)
	}
	return out
}

// write writes the table to w, and peers.csv and peers.json into a folder.
func (r *report) write(w io.Writer, dir string) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "peers.json"), append(b, '\n'), 0o644); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, "peers.csv"))
	if err != nil {
		return err
	}
	defer f.Close()
	c := csv.NewWriter(f)
	_ = c.Write([]string{"system", "op", "servers", "size_bytes", "clients", "pipeline", "reps", "rate_per_s", "rate_min", "rate_max", "p50_us", "p99_us", "p999_us", "disturbed_reps"})
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "SERVERS\tOP\tBYTES\tCLIENTS\tSYSTEM\tVALUES/S\tMIN..MAX\tP50 us\tP99 us\tP99.9 us\tREPS\tDISTURBED")
	us := func(ns int64) string { return fmt.Sprintf("%.1f", float64(ns)/1000) }
	for _, x := range r.rows() {
		fmt.Fprintf(tab, "%d\t%s\t%d\t%d\t%s\t%.0f\t%.0f..%.0f\t%s\t%s\t%s\t%d\t%d\n", x.servers, event{Op: x.op, Pipeline: x.pipeline}.name(), x.size, x.clients, x.system, x.rate, x.lowRate, x.topRate, us(x.p50), us(x.p99), us(x.p999), x.reps, x.disturbed)
		_ = c.Write([]string{x.system, x.op, fmt.Sprint(x.servers), fmt.Sprint(x.size), fmt.Sprint(x.clients), fmt.Sprint(max(x.pipeline, 1)), fmt.Sprint(x.reps), fmt.Sprintf("%.1f", x.rate), fmt.Sprintf("%.1f", x.lowRate), fmt.Sprintf("%.1f", x.topRate), us(x.p50), us(x.p99), us(x.p999), fmt.Sprint(x.disturbed)})
	}
	c.Flush()
	if err := c.Error(); err != nil {
		return err
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s, %d CPUs, Linux %s, commit %s; medians of %d; %s after %s of warm-up.\nEvery sample: %s\n", r.Machine, r.CPUs, r.Kernel, r.Commit, r.Reps, r.Duration, r.Warmup, filepath.Join(dir, "peers.json"))
	for _, m := range slices.Concat(r.Missing, r.Failures) {
		fmt.Fprintln(w, m)
	}
	if slices.ContainsFunc(r.Samples, func(s sample) bool { return s.Busy > maxBusy }) {
		fmt.Fprintf(w, "DISTURBED: before some runs others used more than %.0f %% of the CPUs; do not take these figures for clean ones.\n", 100*maxBusy)
	}
	return f.Close()
}
