package multicast

import (
	"bytes"
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The same seeds give the same samples; all files are written.
func TestQuick(t *testing.T) {
	o := Options{Repetitions: 1, Quick: true, Figures: []int{4, 7}}
	a, err := Measure(context.Background(), o)
	require.NoError(t, err)
	b, err := Measure(context.Background(), o)
	require.NoError(t, err)
	require.Equal(t, a.Main.Samples, b.Main.Samples)
	require.NotEmpty(t, a.Main.Verdicts)
	dir := t.TempDir()
	var out bytes.Buffer
	require.NoError(t, a.Write(&out, dir))
	require.Contains(t, out.String(), "in simulated time")
	for _, f := range a.Figures {
		require.True(t, f.Simulated, f.Name)
	}
	for _, f := range []string{"multicast.json", "multicast.csv", "multicast-fig4.csv", "multicast-fig4-latency.svg", "multicast-fig7-goodput.png"} {
		require.FileExists(t, filepath.Join(dir, f))
	}
	_, err = Measure(context.Background(), Options{Figures: []int{3}})
	require.ErrorContains(t, err, "figure 3")
}

// What is drawn has the mean and the quantiles that are published.
func TestSizes(t *testing.T) {
	for _, w := range workloads {
		r := rand.New(rand.NewPCG(1, 1))
		const n = 200000
		sum, below := 0., make([]float64, len(w.points))
		for range n {
			v := w.draw(r)
			sum += float64(v)
			for i, p := range w.points {
				if float64(v) <= p.bytes/w.scale {
					below[i]++
				}
			}
		}
		require.InEpsilon(t, w.mean(), sum/n, 0.03, w.name)
		for i, p := range w.points[1:] {
			require.InDelta(t, p.percent, 100*below[i+1]/n, 0.5, w.name)
		}
	}
}

// A small network full of groups: a core switch is lost, all groups are whole again, and before and
// after there is one copy per link.
func TestScale(t *testing.T) {
	r, err := Scale(context.Background(), ScaleOptions{K: 4, Groups: 40, Receivers: 3, Hold: 5 * time.Millisecond, Write: time.Microsecond, Seed: 1})
	require.NoError(t, err)
	require.True(t, r.Simulated)
	got := map[string]float64{}
	for _, s := range r.Samples {
		got[s.Metric+" "+s.Case] = s.Value
	}
	require.Equal(t, got[Least+" before"], got[Carried+" before"])
	require.Equal(t, got[Least+" after"], got[Carried+" after"])
	require.Positive(t, got[Affected+" "])
	require.Greater(t, got[Whole+" "], 4.)
	require.Less(t, got[Whole+" "], 20.)
	require.Greater(t, got[Entries+" of all switches"], 20*got[Entries+" of the switch that has most"]/2)
	require.Less(t, got[Entries+" of all switches"], 20*got[Entries+" of the switch that has most"])
	require.Greater(t, got[Entries+" of the switch that has most"], 36.) // who is where, and groups
	require.Positive(t, got[CPUTime+" "])
	require.Greater(t, got[Memory+" "], 10.)
}

func TestLeastLinks(t *testing.T) {
	for _, c := range []struct {
		to   []int
		want int
	}{
		{[]int{1}, 2},         // the same edge
		{[]int{2}, 4},         // the same pod
		{[]int{4}, 6},         // another pod
		{[]int{4, 5, 6}, 9},   // two racks of another pod
		{[]int{1, 2, 4}, 9},   // everywhere
		{[]int{4, 8, 12}, 12}, // three pods: 1 + 3 + 3 + 1 + 3 + 1
	} {
		require.Equal(t, c.want, leastLinks(4, 0, c.to), c.to)
	}
}
