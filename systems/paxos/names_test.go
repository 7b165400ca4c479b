package paxos_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	names "github.com/p4ce/p4ce/p4/paxos"
	"github.com/p4ce/p4ce/systems/paxos"
)

// TestNames: the numbers on the wire are those of the program.
func TestNames(t *testing.T) {
	kinds := map[paxos.Kind]names.Message{
		paxos.Request: names.MsgRequest, paxos.Prepare: names.MsgPrepare, paxos.Promise: names.MsgPromise, paxos.Accept: names.MsgAccept,
		paxos.Vote: names.MsgVote, paxos.Floor: names.MsgFloor, paxos.Floored: names.MsgFloored, paxos.Query: names.MsgQuery,
		paxos.Deliver: names.MsgDeliver, paxos.Refused: names.MsgRefused,
	}
	for _, m := range names.Messages() {
		require.Contains(t, kinds, paxos.Kind(m), "the program's %v", m)
	}
	for k, m := range kinds {
		require.EqualValues(t, m, k, k)
	}
	for _, k := range []paxos.Kind{paxos.Report, paxos.Checkpoint, paxos.Answer} {
		require.NotContains(t, kinds, k, "the program does not know it: it passes through")
	}
	for r, d := range map[paxos.Reason]names.Drop{
		paxos.ReasonMessage: names.DropMessage, paxos.ReasonNoRole: names.DropNoRole, paxos.ReasonAmnesia: names.DropAmnesia, paxos.ReasonFull: names.DropFull,
		paxos.ReasonWindow: names.DropWindow, paxos.ReasonRound: names.DropRound, paxos.ReasonStale: names.DropStale, paxos.ReasonNotVoted: names.DropNotVoted, paxos.ReasonProposer: names.DropProposer,
	} {
		require.EqualValues(t, d, r, r)
	}
	require.EqualValues(t, names.FlagAgain, paxos.Again)
	require.EqualValues(t, names.PortFirst, paxos.PortFirst)
}
