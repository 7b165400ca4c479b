package onepipe

import (
	"testing"

	"github.com/stretchr/testify/require"

	names "github.com/p4ce/p4ce/p4/onepipe"
)

// What hosts and switches have in common is what the program says.
func TestNames(t *testing.T) {
	require.EqualValues(t, names.PortOnepipe, Port)
	require.EqualValues(t, names.BarrierShift, Shift)
	require.EqualValues(t, names.FlagEnd, flagEnd)
	require.EqualValues(t, names.FlagEcho, flagEcho)
	require.EqualValues(t, names.FlagReliable, flagReliable)
	require.EqualValues(t, names.FlagUnstamped, flagUnstamped)
	for op, want := range map[Opcode]names.Opcode{
		Beacon: names.OpBeacon, Data: names.OpData, Reliable: names.OpReliable, Ack: names.OpACK, Nak: names.OpNAK,
		Recall: names.OpRecall, Recalled: names.OpRecalled,
	} {
		require.EqualValues(t, want, op)
	}
}
