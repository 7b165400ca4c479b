package cost

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bench/byhand"
	"github.com/p4ce/p4ce/doctor/needs"
)

// Both programs do the same with the packets of the benchmark: a figure compares what is equal.
func TestPrograms(t *testing.T) {
	needs.Root(t, "XDP")
	p4, err := newP4()
	needs.Kernel(t, err)
	p4.Close()
	r, err := Benchmark().Measure(t.Context(), byhand.Options{Repetitions: 1, Runs: 1000, Progress: t.Logf})
	require.NoError(t, err)
	require.Len(t, r.Points(byhand.Cost), 5)
}
