package amcast

import (
	"testing"

	"github.com/stretchr/testify/require"

	names "github.com/p4ce/p4ce/p4/amcast"
)

// What hosts and switches have in common is what the program says.
func TestNames(t *testing.T) {
	require.EqualValues(t, names.Overhead, 8+headerLen)
	require.EqualValues(t, names.MaxPayload, MaxPayload)
	require.Less(t, int(names.MsgRefused), int(kindDone), "kinds of hosts and switches")
	require.Zero(t, (flagFinal|flagSeq)&(names.FlagAgain|names.FlagMark))
	require.Equal(t, int(names.Ring), int(names.MaxClients*names.Window))
}
