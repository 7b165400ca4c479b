package soak

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

type stats struct{ Runs, Odd int }

// Every seed runs once and is counted; those that fail come in order, and after some no more are begun.
func TestRun(t *testing.T) {
	repeat := func(seed uint64) string { return fmt.Sprint("repeat ", seed) }
	odd := func(seed uint64) (stats, error) { return stats{1, int(seed % 2)}, nil }
	total, failed := Run(t, 100, 1, repeat, odd)
	require.Equal(t, stats{100, 50}, total)
	require.Empty(t, failed)
	Busy(t, total)
	total, failed = Run(t, 1000, 1, repeat, func(seed uint64) (stats, error) {
		s, _ := odd(seed)
		if seed%10 != 0 {
			return s, nil
		}
		return s, errors.New("it is one of ten")
	})
	require.Subset(t, []uint64{10, 20, 30, 40, 50, 60, 70, 80, 90, 100}, failed)
	require.IsIncreasing(t, failed)
	require.GreaterOrEqual(t, len(failed), enough)
	require.Less(t, total.Runs, 200)
}
