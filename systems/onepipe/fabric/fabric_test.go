package fabric

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/sim/fabric"
)

var systems = fabric.Systems{System}

func begin(t *testing.T, text string) *fabric.Run {
	t.Helper()
	s, err := systems.Scenario([]byte(text))
	require.NoError(t, err)
	run, err := s.Begin()
	require.NoError(t, err)
	return run
}

func finish(t *testing.T, run *fabric.Run) {
	t.Helper()
	require.NoError(t, run.Finish())
	var table bytes.Buffer
	require.NoError(t, run.Write(&table))
	t.Log("\n" + table.String())
	for _, r := range run.Rows() {
		require.NoError(t, r.Err)
		require.Equal(t, r.Requests, r.Done, r.Load)
	}
}

func TestRack(t *testing.T) {
	text, err := systems.Example("onepipe-rack")
	require.NoError(t, err)
	finish(t, begin(t, string(text)))
}

func TestLeafSpine(t *testing.T) {
	text, err := systems.Example("onepipe-leaf-spine")
	require.NoError(t, err)
	finish(t, begin(t, string(text)))
}
