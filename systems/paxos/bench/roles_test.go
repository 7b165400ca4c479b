package bench

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/long"
)

// TestRoles measures every role once, in small: in both programs each message becomes what
// it should.
func TestRoles(t *testing.T) {
	long.Test(t)
	needs.Root(t, "XDP")
	o := Options{Repetitions: 1, Runs: 999, Progress: t.Logf}
	r := New(o).Main
	require.NoError(t, measureRoles(context.Background(), o, r))
	for _, x := range roles() {
		want := []string{byHand, inP4}
		if x.hand == nil {
			want = want[1:]
		}
		for _, m := range []string{PerMessage, Ingress, Egress, PerSecond} {
			require.Equal(t, want, r.At(report.Point{Metric: m, Case: x.name}), x.name)
		}
	}
	judgeRoles(r)
	require.NoError(t, r.Table(t.Output()))
}
