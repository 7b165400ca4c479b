package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var at = Point{Metric: "rate", Case: "2 replicas", X: 64}

// sample is a result whose ratios are known: 2, 2, 3, 2, 1.
func sample() *Result {
	r := &Result{Name: "x", Title: "An example", Systems: []string{"direct", "accelerated"}, Metrics: []Metric{{Name: "rate", Unit: "1/s"}}, Axis: Metric{Name: "size", Unit: "B"},
		Start: time.Unix(1, 0).UTC(), Machine: Machine{CPU: "a CPU", Cores: 2, Kernel: "6.1", Commit: "abc"}}
	r.Set("window", 64)
	for i, v := range [][2]float64{{100, 200}, {200, 400}, {100, 300}, {50, 100}, {1000, 1000}} {
		r.Add(at, "direct", i, v[0])
		r.Add(at, "accelerated", i, v[1])
		small := at
		small.X = 16
		r.Add(small, "direct", i, v[0]/2)
	}
	return r
}

func TestRatioIsOfRepetitions(t *testing.T) {
	r := sample()
	require.Equal(t, Spread{N: 5, Median: 100, Min: 50, Max: 1000, From: 50, To: 1000}, r.Of(at, "direct"))
	require.Equal(t, Spread{N: 5, Median: 300, Min: 100, Max: 1000, From: 100, To: 1000}, r.Of(at, "accelerated"))
	// Not 300 / 100.
	require.Equal(t, Spread{N: 5, Median: 2, Min: 1, Max: 3, From: 1, To: 3}, r.Ratio(at, "accelerated", "direct"))
	require.Zero(t, r.Ratio(Point{Metric: "rate", Case: "2 replicas", X: 16}, "accelerated", "direct"), "measured of one only")
	require.Equal(t, 2.5, spread([]float64{4, 1, 2, 3}).Median)
}

func TestVerdicts(t *testing.T) {
	r := sample()
	r.AtLeast("goodput", at, "accelerated", "direct", 1, "")
	r.AtLeast("goodput", at, "accelerated", "direct", 1.9, "")
	r.AtLeast("goodput", at, "accelerated", "direct", 3.1, "")
	r.AtMost("burst", at, "accelerated", "direct", 3, "")
	r.AtMost("burst", at, "accelerated", "direct", 2, "")
	r.AtMost("burst", at, "accelerated", "direct", 0.5, "")
	for _, paper := range []float64{2.2, 2.4, 2, 4, 0.5} {
		r.Judge(Near("as the paper", paper, ""), r.Ratio(at, "accelerated", "direct"))
	}
	r.Above("rate", at, "direct", 50)
	r.Above("rate", at, "direct", 2000)
	r.AtLeast("goodput", at, "accelerated", "direct", 1.9, "the CPU was not the limit")
	r.AtLeast("goodput", Point{Metric: "rate"}, "accelerated", "direct", 1.9, "")
	var got []string
	for _, v := range r.Verdicts {
		got = append(got, v.String())
	}
	require.Equal(t, []string{
		"goodput: x2.00 (1.00 .. 3.00), wanted at least 1: reached",
		"goodput: x2.00 (1.00 .. 3.00), wanted at least 1.9: undecided",
		"goodput: x2.00 (1.00 .. 3.00), wanted at least 3.1: missed",
		"burst: x2.00 (1.00 .. 3.00), wanted at most 3: reached",
		"burst: x2.00 (1.00 .. 3.00), wanted at most 2: undecided",
		"burst: x2.00 (1.00 .. 3.00), wanted at most 0.5: missed",
		"as the paper: x2.00 (1.00 .. 3.00), wanted 1.65 to 2.75: undecided",
		"as the paper: x2.00 (1.00 .. 3.00), wanted 1.8 to 3: undecided",
		"as the paper: x2.00 (1.00 .. 3.00), wanted 1.5 to 2.5: undecided",
		"as the paper: x2.00 (1.00 .. 3.00), wanted 3 to 5: undecided",
		"as the paper: x2.00 (1.00 .. 3.00), wanted 0.375 to 0.625: missed",
		"rate: 100 (50.0 .. 1000) 1/s, wanted at least 50 1/s: reached",
		"rate: 100 (50.0 .. 1000) 1/s, wanted at least 2000 1/s: missed",
		"goodput: x2.00 (1.00 .. 3.00), wanted at least 1.9: no verdict: the CPU was not the limit",
		"goodput: x0.00, wanted at least 1.9: no verdict: 0 of 5 repetitions",
	}, got)
	for _, v := range r.Verdicts {
		require.False(t, v.Reached && v.Undecided, v.What)
	}
	for _, v := range r.Verdicts[13:] {
		require.False(t, v.Reached || v.Undecided)
	}

	// Beside others, ratios stand, and what was reached in spite of them.
	require.Equal(t, r.Verdicts, r.Judged())
	r.Disturbed = []string{"others"}
	r.Judge(Verdict{What: "as the paper", Wanted: 50, High: 1000, Unit: "1/s"}, r.Of(at, "direct"))
	require.True(t, r.Verdicts[15].Reached)
	judged := r.Judged()
	require.Equal(t, r.Verdicts[:12], judged[:12])
	for _, i := range []int{12, 15} {
		require.Equal(t, "others used the machine", judged[i].Invalid)
		require.False(t, judged[i].Reached || judged[i].Undecided)
	}
	require.Equal(t, r.Verdicts[13:15], judged[13:15])
}

// The interval of a median has it with a confidence of 90 %: of values of any distribution, here of 1 to 1000 in equal parts.
func TestInterval(t *testing.T) {
	for n, k := range map[int]int{1: 0, 4: 0, 5: 0, 7: 0, 8: 1, 10: 1, 11: 2, 20: 5, 100: 41} {
		require.Equal(t, k, outside(n), "of %d values", n)
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{5, 8, 11, 20} {
		in := 0
		for range 2000 {
			var v []float64
			for range n {
				v = append(v, rnd.Float64())
			}
			if s := spread(v); s.From <= 0.5 && 0.5 <= s.To {
				in++
			}
		}
		require.Greater(t, in, 1780, "of %d values", n)
	}
}

func TestTable(t *testing.T) {
	r := sample()
	r.AtLeast("goodput", at, "accelerated", "direct", 1.9, "")
	var b bytes.Buffer
	require.NoError(t, r.Table(&b))
	require.Contains(t, b.String(), "2 replicas  64    100 (50.0 .. 1000)  300 (100 .. 1000)  x2.00 (1.00 .. 3.00)  5\n")
	require.Contains(t, b.String(), "2 replicas  16    50.0 (25.0 .. 500)  -                  -                     5\n")
	require.Contains(t, b.String(), "settings: window 64\na clean run")
	require.NotContains(t, b.String(), "disturbed")

	r.Metrics[0].NoRatio = true
	b.Reset()
	require.NoError(t, r.Table(&b))
	require.Contains(t, b.String(), "300 (100 .. 1000)  5\n")

	r.Disturbed = []string{"the load was 9.00 when it began"}
	b.Reset()
	require.NoError(t, r.Table(&b))
	require.Contains(t, b.String(), "a disturbed run, of which only ratios are to be quoted, with their intervals: the load was 9.00 when it began")
	require.NotContains(t, b.String(), "clean")
}

// Nobody has looked at what the machine did beside a run in simulated time, and nothing is said of it.
func TestTableSimulated(t *testing.T) {
	r := sample()
	r.BeginSimulated()
	var b bytes.Buffer
	require.NoError(t, r.Table(&b))
	require.Contains(t, b.String(), "settings: window 64\nin simulated time: what else used the machine was not looked at, and changes real times only\n")
	require.Contains(t, b.String(), r.Machine.Kernel)
	for _, s := range []string{"clean", "load ", "disturbed", "stolen"} {
		require.NotContains(t, b.String(), s)
	}
}

func TestRoundTrips(t *testing.T) {
	r := sample()
	r.AtLeast("goodput", at, "accelerated", "direct", 1.9, "")
	r.Samples[0].Value = 1.0 / 3
	r.Samples[1].Case = "2 replicas, \"and\" a comma"
	r.Title = "two\nlines"
	var b bytes.Buffer
	require.NoError(t, r.CSV(&b))
	got, err := readCSV(&b)
	require.NoError(t, err)
	require.Equal(t, r.Samples, got)

	b.Reset()
	require.NoError(t, r.JSON(&b))
	var back Result
	require.NoError(t, json.Unmarshal(b.Bytes(), &back))
	require.Equal(t, r, &back)

	for text, want := range map[string]string{
		"":      "the first line is not metric,unit",
		"a,b\n": "wrong number of fields",
		"metric,unit,case,x,system,repetition,value\nm,u,c,zero,s,0,1\n": "row 1",
	} {
		_, err := readCSV(bytes.NewBufferString(text))
		require.ErrorContains(t, err, want)
	}
}

func TestFigures(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	lines, bars := sample(), sample()
	bars.Name, bars.Axis = "y", Metric{}
	require.NoError(t, lines.Write(io.Discard, dir, Figure{Name: "lines", Title: "Lines", Metric: "rate", LogX: true}))
	require.NoError(t, bars.Write(io.Discard, dir, Figure{Name: "bars", Title: "Bars", Metric: "rate"}))
	for _, name := range []string{"lines", "bars"} {
		f, err := os.Open(filepath.Join(dir, name+".png"))
		require.NoError(t, err)
		img, err := png.Decode(f)
		require.NoError(t, err)
		f.Close()
		require.Greater(t, img.Bounds().Dx(), 300)
		svg, err := os.ReadFile(filepath.Join(dir, name+".svg"))
		require.NoError(t, err)
		d := xml.NewDecoder(bytes.NewReader(svg))
		for {
			if _, err = d.Token(); err != nil {
				break
			}
		}
		require.ErrorIs(t, err, io.EOF, "well-formed")
		for _, s := range []string{"rate (1/s)", "direct", "accelerated"} {
			require.Contains(t, string(svg), s)
		}
	}
	svg, err := os.ReadFile(filepath.Join(dir, "lines.svg"))
	require.NoError(t, err)
	require.Contains(t, string(svg), "size (B)")
	// One metric over another one.
	over := sample()
	over.Metrics = append(over.Metrics, Metric{Name: "delay", Unit: "us"})
	for i := range 5 {
		for _, system := range over.Systems {
			over.Add(Point{Metric: "delay", Case: at.Case, X: at.X}, system, i, 7)
		}
	}
	require.NoError(t, over.Draw(dir, Figure{Name: "over", Title: "Over", Metric: "delay", Over: "rate", LogX: true}))
	svg, err = os.ReadFile(filepath.Join(dir, "over.svg"))
	require.NoError(t, err)
	require.Contains(t, string(svg), "rate (1/s)")
	require.Contains(t, string(svg), "delay (us)")
	require.NotContains(t, string(svg), "size (B)")
	for _, name := range []string{"x.csv", "x.json", "y.csv", "y.json"} {
		require.FileExists(t, filepath.Join(dir, name))
	}
	require.ErrorContains(t, lines.Write(io.Discard, dir, Figure{Name: "n", Metric: "nothing"}), `nothing was measured of "nothing"`)
}

func TestFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	err := Folder(filepath.Join(file, "below"))
	require.ErrorContains(t, err, "cannot write to "+filepath.Join(file, "below")+": not a directory")
	require.Equal(t, err.Error(), sample().Write(io.Discard, filepath.Join(file, "below")).Error())
	dir := t.TempDir()
	require.NoError(t, Folder(dir))
	left, err := os.ReadDir(dir)
	require.NoError(t, errors.Join(err))
	require.Empty(t, left)
}

// The load is not a reason: it is still that of what was measured before.
func TestDisturbed(t *testing.T) {
	require.Empty(t, Machine{Cores: 2, LoadBefore: [3]float64{3}, OthersThen: 0.1, Others: 0.09, Stolen: 0.01}.disturbed(nil, nil))
	require.Equal(t, []string{"other processes used 0.30 CPUs just before it (cc 0.30); at most 0.10 are allowed",
		"other processes used 0.50 CPUs (go 0.40); at most 0.10 are allowed", "the hypervisor took 0.10 CPUs; at most 0.02 are allowed"},
		Machine{Cores: 2, OthersThen: 0.3, Others: 0.5, Stolen: 0.1}.disturbed([]string{"cc 0.30"}, []string{"go 0.40"}))
}

// What others use is what the machine did without what we did, those that have ended
// included, and without the kernel's threads.
func TestUsage(t *testing.T) {
	start := time.Now()
	before := usage{at: start, busy: 1000, stolen: 10, procs: map[int]proc{
		2: {name: "kthreadd"}, 3: {name: "ksoftirqd/0", parent: 2, own: 5, all: 5},
		10: {name: "p4ce", parent: 1, own: 10, all: 20}, 20: {name: "go", parent: 1, own: 100, all: 100}}}
	after := usage{at: start.Add(10 * time.Second), busy: 2000, stolen: 110, procs: map[int]proc{
		2: {name: "kthreadd"}, 3: {name: "ksoftirqd/0", parent: 2, own: 105, all: 105},
		10: {name: "p4ce", parent: 1, own: 60, all: 220}, 11: {name: "p4ce", parent: 10, own: 200, all: 200},
		20: {name: "go", parent: 1, own: 500, all: 500}}}
	after.mark(10)
	others, stolen, who := after.since(before)
	require.InDelta(t, (1000.0-100-200-200)/1000, others, 1e-9)
	require.InDelta(t, 0.1, stolen, 1e-9)
	require.Equal(t, []string{"go 0.40"}, who)
	// Packets that were counted as ours, and not as what the machine did, hide nobody.
	after.busy = 1200
	others, _, _ = after.since(before)
	require.InDelta(t, 0.4, others, 1e-9)
}

func TestParseProc(t *testing.T) {
	p, ok := parseProc("12 (a) b (c) S 7 12 12 0 -1 4194560 1 2 3 4 100 20 3000 400 20 0 1 0 5\n")
	require.True(t, ok)
	require.Equal(t, proc{name: "a) b (c", parent: 7, own: 120, all: 3520}, p)
	for _, s := range []string{"", "12 (a", "12 (a) S 7"} {
		_, ok := parseProc(s)
		require.False(t, ok, s)
	}
}

// A run knows its machine, and does not take itself for somebody else.
func TestRun(t *testing.T) {
	r := sample()
	run, err := r.Begin()
	require.NoError(t, err)
	require.NoError(t, run.End())
	require.NotEmpty(t, r.Machine.CPU)
	require.Positive(t, r.Machine.Cores)
	require.NotEqual(t, "unknown", r.Machine.Kernel)
	require.NotEmpty(t, r.Machine.Commit)
	u, err := used()
	require.NoError(t, err)
	require.True(t, u.procs[os.Getpid()].ours)
	require.False(t, u.procs[1].ours)
	require.Positive(t, u.busy)
}

// readCSV reads samples that CSV has written.
func readCSV(in io.Reader) ([]Sample, error) {
	c := csv.NewReader(in)
	c.Comment, c.FieldsPerRecord = '#', len(header)
	rows, err := c.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 || strings.Join(rows[0], ",") != strings.Join(header, ",") {
		return nil, fmt.Errorf("samples: the first line is not %s", strings.Join(header, ","))
	}
	var out []Sample
	for i, row := range rows[1:] {
		s := Sample{Metric: row[0], Case: row[2], System: row[4]}
		var errs [3]error
		s.X, errs[0] = strconv.ParseFloat(row[3], 64)
		s.Repetition, errs[1] = strconv.Atoi(row[5])
		s.Value, errs[2] = strconv.ParseFloat(row[6], 64)
		if err := errors.Join(errs[:]...); err != nil {
			return nil, fmt.Errorf("samples: row %d: %w", i+1, err)
		}
		out = append(out, s)
	}
	return out, nil
}
