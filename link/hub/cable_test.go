package hub

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/link"
)

var (
	_ link.Port = (*End)(nil)
	_ link.Wire = (*Port)(nil)
)

func receive(t *testing.T, e *End, most int) [][]byte {
	t.Helper()
	frames := make([][]byte, most)
	n, err := e.Receive(frames)
	require.NoError(t, err)
	return frames[:n]
}

func TestCable(t *testing.T) {
	a, b := Cable(3)
	for _, ends := range [][2]*End{{a, b}, {b, a}} {
		from, to := ends[0], ends[1]
		for _, f := range []string{"no IP address is looked for", "two", "three", "four"} {
			from.Send(append(from.Buffer(), f...))
			require.NoError(t, from.Flush())
		}
		require.Equal(t, link.Counters{Sent: 3, SentBytes: 35, NoRoom: 1}, from.Counters())
		first := receive(t, to, 2)
		require.Equal(t, [][]byte{[]byte("no IP address is looked for"), []byte("two")}, first)
		from.Send([]byte("five"))
		from.Send([]byte("six"))
		require.Equal(t, "two", string(first[1]), "valid until the next Receive")
		require.Equal(t, [][]byte{[]byte("three"), []byte("five"), []byte("six")}, receive(t, to, 8))
	}
	require.True(t, a.Up())
	require.True(t, b.Up())
	a.Send(nil)
	a.Send(make([]byte, link.MaxFrame+1))
	require.Equal(t, uint64(2), a.Counters().Refused)

	// Closing one end closes both; what is on its way arrives.
	a.Send([]byte("last"))
	closed := make(chan error)
	go func() { _, err := a.Receive(make([][]byte, 1)); closed <- err }()
	require.NoError(t, b.Close())
	require.ErrorIs(t, <-closed, net.ErrClosed)
	require.False(t, a.Up())
	require.False(t, b.Up())
	require.Equal(t, [][]byte{[]byte("last")}, receive(t, b, 1))
	_, err := b.Receive(make([][]byte, 1))
	require.ErrorIs(t, err, net.ErrClosed)
	a.Send([]byte("nobody's"))
	require.Equal(t, uint64(3), a.Counters().Refused)
}

func TestCableNoAllocations(t *testing.T) {
	a, b := Cable(8)
	f, frames := make([]byte, 1500), make([][]byte, 8)
	round := func() {
		for range 5 {
			a.Send(append(a.Buffer(), f...))
		}
		for got := 0; got < 5; {
			n, err := b.Receive(frames)
			if err != nil {
				t.Fatal(err)
			}
			got += n
		}
	}
	for range 10 {
		round()
	}
	require.Zero(t, testing.AllocsPerRun(1000, round))
}
