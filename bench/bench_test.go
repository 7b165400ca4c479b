package bench

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A measurement that this machine cannot make says why.
func TestReady(t *testing.T) {
	require.NoError(t, ready(0, 2))
	require.ErrorContains(t, ready(1000, 2), "needs root")
	require.ErrorContains(t, ready(0, 1), "at least 2 CPUs, and may use 1")
}
