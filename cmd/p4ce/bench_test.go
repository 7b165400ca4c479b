package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A measurement that this machine cannot make says why.
func TestBenchNeeds(t *testing.T) {
	require.NoError(t, benchNeeds(0, 2))
	require.ErrorContains(t, benchNeeds(1000, 2), "needs root")
	require.ErrorContains(t, benchNeeds(0, 1), "at least 2 CPUs, and may use 1")
}
