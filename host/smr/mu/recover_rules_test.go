package mu

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a server announces is its incarnation, whatever is read meanwhile: when a second route to a peer comes up, the
// peer's incarnations are read once more, and the answer may land when the announcement was posted but not sent.
func TestAnnounces(t *testing.T) {
	a := newAlone(t, 1, 3, nil)
	a.now += ms
	a.core.Tick(a.now) // the incarnations of all are asked for
	for id := range a.peers {
		p := Path{Peer: id, Kind: Control, Route: 1}
		a.up[p] = true
		a.core.Up(a.now, p)
	}
	a.now += ms
	a.core.Tick(a.now) // and asked for again
	reads := 0
	for _, o := range a.ops {
		if o.Read && o.Region == ElectionRegion && o.Offset == offAnnounce+8*1 {
			reads++
		}
	}
	require.Equal(t, 4, reads)
	a.run() // which compares what a WRITE has when it is posted and executed
	a.tick(5 * ms)
	require.NotZero(t, a.core.incarnation)
	for id, p := range a.peers {
		require.Equal(t, a.core.incarnation, binary.LittleEndian.Uint64(p.vote[offAnnounce+8*1:]), "server %d", id)
	}
	require.True(t, a.core.recovered())
}
