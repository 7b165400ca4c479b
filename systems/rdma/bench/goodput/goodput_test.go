package goodput

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/systems/rdma/bench/modes"
)

// made is a result of one size, whose ratio and use of the link are given.
func made(size int, ratio, directUse, acceleratedUse float64, repetitions int) *report.Result {
	r := New(Options{Options: modes.Options{Repetitions: repetitions}, Rate: 20e6})
	at := func(m string) report.Point { return report.Point{Metric: m, Case: modes.Case(2), X: float64(size)} }
	for i := range repetitions {
		for _, by := range modes.Baselines() {
			r.Add(at(Goodput), by, i, 5)
			r.Add(at(Link), by, i, directUse)
		}
		r.Add(at(Goodput), modes.Accelerated, i, 5*ratio)
		r.Add(at(Link), modes.Accelerated, i, acceleratedUse)
	}
	return r
}

func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		name    string
		r       *report.Result
		reached bool
		invalid string
	}{
		{"fulfilled", made(512, 1.95, 99, 99, 5), true, ""},
		{"missed", made(512, 1.9, 99, 99, 5), false, ""},
		{"direct not limited", made(512, 2, 89, 99, 5), false, "in %s mode the leader's link carried 89 %"},
		{"accelerated not limited", made(512, 2, 99, 50, 5), false, "in accelerated mode the leader's link carried 50 %"},
		{"too few", made(512, 2, 99, 99, 4), false, "4 of 5 repetitions"},
	} {
		judge(tt.r, 2, []int{64, 512})
		require.Len(t, tt.r.Verdicts, len(modes.Baselines()), tt.name)
		for i, by := range modes.Baselines() {
			v := tt.r.Verdicts[i]
			require.Equal(t, tt.reached, v.Reached, tt.name)
			if tt.invalid == "" {
				require.Empty(t, v.Invalid, tt.name)
			} else {
				require.Contains(t, v.Invalid, strings.ReplaceAll(tt.invalid, "%s", by), tt.name)
			}
		}
	}
	r := made(64, 2, 99, 99, 5)
	judge(r, 2, []int{64})
	judge(r, 3, []int{512})
	require.Empty(t, r.Verdicts, "what no target is about")
}

// What is to be sent fills the link for the time that is wanted.
func TestCount(t *testing.T) {
	o := Options{Rate: 8e6, Seconds: 1, Window: 16}
	require.Equal(t, 1_000_000/(880+header), o.count(880))
	o.Seconds = 0.001
	require.Equal(t, 32, o.count(880), "not less than two windows")
}
