package latency

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/systems/rdma/bench/modes"
)

func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		name          string
		ratio         float64
		direct, accel float64 // served
		repetitions   int
		reached       bool
		invalid       string
	}{
		{"fulfilled", 0.9, 100, 100, 5, true, ""},
		{"equal", 1, 100, 100, 5, true, ""},
		{"missed", 1.1, 100, 100, 5, false, ""},
		{"direct cannot follow", 0.5, 90, 100, 5, false, "in direct mode 90 % of what was offered"},
		{"accelerated cannot follow", 0.5, 100, 10, 5, false, "in accelerated mode 10 % of what was offered"},
		{"too few", 0.9, 100, 100, 3, false, "3 of 5 repetitions"},
	} {
		r := New(Options{})
		at := func(m string, x float64) report.Point { return report.Point{Metric: m, Case: modes.Case(2), X: x} }
		for i := range tt.repetitions {
			r.Add(at(Median, 1000), modes.Direct, i, 50)
			r.Add(at(Median, 1000), modes.Accelerated, i, 50*tt.ratio)
			r.Add(at(Served, 1000), modes.Direct, i, tt.direct)
			r.Add(at(Served, 1000), modes.Accelerated, i, tt.accel)
			// Another rate is another matter.
			r.Add(at(Median, 9000), modes.Direct, i, 50)
			r.Add(at(Median, 9000), modes.Accelerated, i, 5)
		}
		judge(r, 2, 1000)
		require.Len(t, r.Verdicts, 1, tt.name)
		require.Equal(t, tt.reached, r.Verdicts[0].Reached, tt.name)
		if tt.invalid == "" {
			require.Empty(t, r.Verdicts[0].Invalid, tt.name)
		} else {
			require.Contains(t, r.Verdicts[0].Invalid, tt.invalid, tt.name)
		}
	}
}
