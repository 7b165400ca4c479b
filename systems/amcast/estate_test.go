package amcast

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// final has a replica hear what the message of proposed is delivered at, and its leader's watermark.
func (x *trio) final(to To) {
	x.at[to].Receive(x.now, &Packet{Kind: MsgDeliver, From: to.Group, By: to.Group, Groups: both, ID: ID{0, 2}, Epoch: 1, LTS: 1, ByEpoch: 1, Clock: 5, Mark: 1, Flags: FlagMark, Digest: Digest([]byte{2})})
}

// delivers reports whether a replica has delivered that message.
func (x *trio) delivers(to To) bool {
	d, ok := x.at[to].Next()
	if ok {
		require.Equal(x, ID{0, 2}, d.ID)
	}
	return ok
}

// TestEstate: a client dies, whose message one replica has delivered, and the others have never heard of. They hear of it, however
// often it is lost, until they have delivered it.
func TestEstate(t *testing.T) {
	for _, late := range []bool{false, true} {
		x := newTrio(t)
		heir := seatOf(1, 0)
		if late { // it is delivered when the client has already failed
			x.failed(all...)
		}
		x.proposed(heir, true)
		x.final(heir)
		require.True(t, x.delivers(heir))
		_, waits := x.at[heir].Deadline()
		require.Equal(t, late, waits, "a client that lives repeats its messages")
		x.failed(all...)
		x.failed(all...) // they are told more than once
		losses := 0
		x.lost = func(_, _ To, p *Packet) bool {
			losses++
			return losses < 6 // of HAVE and DONE
		}
		x.settle()
		require.Greater(t, losses, 6)
		for _, to := range all[1:] {
			require.True(t, x.at[to].Holds(ID{0, 2}), "%v", to)
			require.False(t, x.delivers(to), "the leader has to say its watermark")
		}
		_, waits = x.at[heir].Deadline()
		require.True(t, waits, "nobody has said that it has delivered it")
		x.final(seatOf(1, 1))
		x.proposed(seatOf(2, 0), false)
		x.final(seatOf(2, 0))
		for _, to := range all[1:] {
			require.True(t, x.delivers(to), "%v", to)
		}
		x.settle()
		for _, to := range all {
			_, waits := x.at[to].Deadline()
			require.False(t, waits, "%v: all have it", to)
			require.Empty(t, x.at[to].estate.left)
		}
	}
}

// TestEstateOfDead: nobody waits for a replica that has failed.
func TestEstateOfDead(t *testing.T) {
	x := newTrio(t)
	heir := seatOf(1, 0)
	x.proposed(heir, true)
	x.final(heir)
	x.failed(all...)
	x.lost = func(From, to To, p *Packet) bool { return true }
	x.settle()
	x.dies(seatOf(1, 1))
	x.settle()
	_, waits := x.at[heir].Deadline()
	require.True(t, waits)
	x.dies(seatOf(2, 0))
	x.settle()
	_, waits = x.at[heir].Deadline()
	require.False(t, waits)
}

// TestEstateForeign: word of messages that nobody has inherited, or from replicas that are not there, changes nothing.
func TestEstateForeign(t *testing.T) {
	x := newTrio(t)
	r := x.at[seatOf(1, 0)]
	for _, p := range []Packet{{By: 1, Member: 1, ID: ID{0, 3}}, {By: 1, Member: 2, ID: ID{0, 2}}, {By: 9, ID: ID{0, 2}}, {By: 0, ID: ID{0, 2}}} {
		x.proposed(seatOf(1, 0), true)
		x.final(seatOf(1, 0))
		x.failed(all...)
		p.Kind = kindDone
		before := r.Stats.Foreign
		r.Receive(x.now, &p)
		require.Equal(t, before+1, r.Stats.Foreign)
		require.Empty(t, r.estate.left[ID{0, 2}])
	}
}
