package figures

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bench/report"
)

func figure(number string, axis report.Metric) *Figure {
	return &Figure{Number: number, Result: &report.Result{Name: "f" + number, Systems: []string{"a"}, Axis: axis, Metrics: []report.Metric{{Name: "rate", Unit: "1/s"}}}}
}

// All samples come together, each with its seed, in the order of the figures; verdicts are those of all.
func TestRun(t *testing.T) {
	one, two, apart := figure("1", report.Metric{Name: "size", Unit: "B"}), figure("2", report.Metric{}), figure("3", report.Metric{})
	one.Repeat(5, func(seed uint64) ([]Sample, error) {
		return []Sample{Value("rate", "", 64, "a", float64(seed)), Value("rate", "twice", 64, "a", 2*float64(seed))}, nil
	})
	one.Draw = []report.Figure{{Name: "f1-rate", Metric: "rate"}}
	one.Then = func(f *Figure) { f.Above("rate of one", report.Point{Metric: "rate", X: 64}, "a", 1) }
	two.Repeat(1, func(uint64) ([]Sample, error) { return []Sample{Value("rate", "all", 0, "a", 7)}, nil })
	apart.Repeat(1, func(uint64) ([]Sample, error) { return []Sample{Value("rate", "", 0, "a", 8)}, nil })
	apart.Apart = true
	main := &report.Result{Name: "main", Title: "all"}
	main.Set("links", "fast")
	r, err := Run(context.Background(), main, []*Figure{one, two, apart}, nil)
	require.NoError(t, err)
	require.Equal(t, map[int]float64{0: 1, 1: 2, 2: 3, 3: 4, 4: 5}, main.Values(report.Point{Metric: "figure 1: rate", Case: "64 B"}, "a"))
	require.Equal(t, map[int]float64{0: 2, 1: 4, 2: 6, 3: 8, 4: 10}, main.Values(report.Point{Metric: "figure 1: rate", Case: "twice, 64 B"}, "a"))
	require.Equal(t, map[int]float64{0: 7}, main.Values(report.Point{Metric: "figure 2: rate", Case: "all"}, "a"))
	require.Len(t, main.Samples, 11)
	require.Len(t, main.Verdicts, 1)
	require.True(t, main.Verdicts[0].Reached)
	require.Equal(t, main.Settings, one.Settings)
	require.True(t, apart.Simulated)
	dir := t.TempDir()
	var out bytes.Buffer
	require.NoError(t, r.Write(&out, dir))
	for _, name := range []string{"main.json", "f1.csv", "f1-rate.png", "f3.csv"} {
		require.FileExists(t, filepath.Join(dir, name))
	}
}

// A run that fails is named, and so is its seed.
func TestRunFails(t *testing.T) {
	f := figure("9", report.Metric{})
	f.Repeat(3, func(seed uint64) ([]Sample, error) {
		if seed == 2 {
			return nil, errors.New("no order")
		}
		return nil, nil
	})
	_, err := Run(context.Background(), &report.Result{}, []*Figure{f}, nil)
	require.EqualError(t, err, "figure 9, seed 2: no order")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Run(ctx, &report.Result{}, []*Figure{figure("1", report.Metric{})}, nil)
	require.NoError(t, err, "nothing was to be done")
}
