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

// What bench switch is asked for is looked at before anything is measured.
func TestBenchSwitchBadInput(t *testing.T) {
	for flag, want := range map[string]string{"--repetitions=0": "at least one", "--runs=0": "at least one", "--packets=-1": "at least one"} {
		c := benchSwitchCommand()
		c.SetArgs([]string{flag})
		c.SilenceUsage, c.SilenceErrors = true, true
		require.ErrorContains(t, c.Execute(), want, flag)
	}
}
