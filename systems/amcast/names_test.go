package amcast

import (
	"testing"

	"github.com/stretchr/testify/require"

	names "github.com/p4ce/p4ce/p4/amcast"
)

// What hosts and switches have in common is what the program says.
func TestNames(t *testing.T) {
	require.EqualValues(t, names.Overhead, 8+headerLen)
	for want, got := range map[int]int{
		names.MaxPayload: MaxPayload, names.Window: Window, names.MaxClients: MaxClients, names.MaxGroups: MaxGroups, names.PortFirst: PortFirst, names.RingHere: RingHere,
	} {
		require.Equal(t, want, got)
	}
	require.EqualValues(t, names.FlagAgain, FlagAgain)
	require.EqualValues(t, names.FlagMark, FlagMark)
	for want, got := range map[names.Message]Message{
		names.MsgStart: MsgStart, names.MsgProp: MsgProp, names.MsgACK: MsgACK, names.MsgDeliver: MsgDeliver, names.MsgMark: MsgMark,
		names.MsgAsk: MsgAsk, names.MsgTold: MsgTold, names.MsgLook: MsgLook, names.MsgKnown: MsgKnown, names.MsgRefused: MsgRefused,
	} {
		require.EqualValues(t, want, got)
	}
	require.Less(t, int(MsgRefused), int(kindDone), "kinds of hosts and switches")
	require.Zero(t, (flagFinal|flagSeq)&(FlagAgain|FlagMark))
	require.Equal(t, int(names.Ring), int(names.MaxClients*names.Window))
}
