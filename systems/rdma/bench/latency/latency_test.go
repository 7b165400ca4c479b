package latency

import (
	"strings"
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
		{"direct cannot follow", 0.5, 90, 100, 5, false, "in %s mode 90 % of what was offered"},
		{"accelerated cannot follow", 0.5, 100, 10, 5, false, "in accelerated mode 10 % of what was offered"},
		{"too few", 0.9, 100, 100, 3, false, "3 of 5 repetitions"},
	} {
		r := New(Options{})
		at := func(m string, x float64) report.Point { return report.Point{Metric: m, Case: modes.Case(2), X: x} }
		for i := range tt.repetitions {
			for _, by := range modes.Baselines() {
				r.Add(at(Median, 1000), by, i, 50)
				r.Add(at(Served, 1000), by, i, tt.direct)
				r.Add(at(Median, 9000), by, i, 50) // another rate is another matter
			}
			r.Add(at(Median, 1000), modes.Accelerated, i, 50*tt.ratio)
			r.Add(at(Served, 1000), modes.Accelerated, i, tt.accel)
			r.Add(at(Median, 9000), modes.Accelerated, i, 5)
		}
		judge(r, 2, 1000)
		require.Len(t, r.Verdicts, len(modes.Baselines()), tt.name)
		for i, by := range modes.Baselines() {
			require.Equal(t, tt.reached, r.Verdicts[i].Reached, tt.name)
			if tt.invalid == "" {
				require.Empty(t, r.Verdicts[i].Invalid, tt.name)
			} else {
				require.Contains(t, r.Verdicts[i].Invalid, strings.ReplaceAll(tt.invalid, "%s", by), tt.name)
			}
		}
	}
}
