package bench

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/long"
)

// TestForwarding: values are decided while packets are forwarded, which arrive at the other host.
func TestForwarding(t *testing.T) {
	long.Test(t)
	needs.Root(t, "XDP and network namespaces")
	needs.Time(t, "it runs a network of processes")
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	o := ForwardOptions{Options: Options{Binary: p4ce, Dir: t.TempDir(), Repetitions: 1, For: 50 * time.Millisecond, XDP: true}, Window: 16, Size: 300}
	r, err := MeasureForwarding(ctx, o)
	require.NoError(t, err)
	for _, part := range parts {
		for _, system := range []string{alone, beside} {
			for _, metric := range []string{Most, MostTail, LightMedian, LightTail, Forwarded} {
				s := r.Of(report.Point{Metric: metric, Case: partOf(part)}, system)
				require.Equal(t, 1, s.N)
				require.Positive(t, s.Median, "%s, %s", metric, system)
			}
		}
	}
	for _, v := range r.Verdicts {
		require.NotEmpty(t, v.Invalid, "one repetition is no verdict")
	}
	dir := t.TempDir()
	require.NoError(t, WriteForwarding(r, t.Output(), dir))
	require.FileExists(t, filepath.Join(dir, "paxos-forwarding.csv"))
}
