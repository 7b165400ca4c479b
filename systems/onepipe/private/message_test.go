package private

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/wire"
)

var sample = Message{Kind: Joined, Admitted: true, Token: 0x123456789abcdef0, Want: 2, First: 300, Have: 2, Number: 9, Failed: []Failed{{wire.Addr{10, 0, 0, 7}, 3, 2, 0xfedcba987654}, {wire.Addr{10, 0, 0, 8}, 1, 1, 5}}}

func frame(m *Message) []byte {
	return AppendFrame(nil, wire.MAC{2, 1}, wire.MAC{2, 2}, wire.Addr{10, 0, 0, 1}, wire.Addr{10, 0, 0, 2}, m)
}

func TestFrames(t *testing.T) {
	f := frame(&sample)
	from, to, m, ok := ParseFrame(append(bytes.Clone(f), 0, 0))
	require.True(t, ok)
	require.Equal(t, wire.Addr{10, 0, 0, 1}, from)
	require.Equal(t, wire.Addr{10, 0, 0, 2}, to)
	require.Equal(t, sample, m)
	forward := Message{Kind: Forward, Token: 3, Peer: wire.Addr{10, 0, 0, 3}, Packet: bytes.Repeat([]byte{7}, HeaderLen+5)}
	_, _, m, ok = ParseFrame(frame(&forward))
	require.True(t, ok)
	require.Equal(t, forward, m)
	for bit := 12 * 8; bit < 8*len(f); bit++ {
		g := bytes.Clone(f)
		g[bit/8] ^= 1 << (bit % 8)
		_, _, _, ok := ParseFrame(g)
		require.False(t, ok, "bit %d", bit)
	}
	for n := range f {
		_, _, _, ok := ParseFrame(f[:n])
		require.False(t, ok, "%d bytes", n)
	}
}

func TestMessages(t *testing.T) {
	var m Message
	require.ErrorIs(t, m.Parse(nil), ErrMessage)
	b := sample.Append(nil)
	b[0] = byte(lastKind) + 1
	require.ErrorContains(t, m.Parse(b), "kind 12")
	b = (&Message{Kind: Forward, Packet: make([]byte, HeaderLen-1)}).Append(nil)
	require.ErrorContains(t, m.Parse(b), "23 bytes")
	for _, i := range []int{1, 10, 11, 12, 13, 14, 15} { // what has no meaning here
		b = (&Message{Kind: Forward, Packet: make([]byte, HeaderLen)}).Append(nil)
		b[i] = 1
		require.ErrorContains(t, m.Parse(b), "and more", "byte %d", i)
	}
	for _, steady := range []bool{false, true} {
		want := sample
		want.Steady = steady
		require.NoError(t, m.Parse(want.Append(nil)))
		require.Equal(t, want, m)
	}
}

func FuzzParseFrame(f *testing.F) {
	f.Add(frame(&sample))
	f.Add(frame(&Message{Kind: Forward, Token: 3, Peer: wire.Addr{10, 0, 0, 3}, Packet: make([]byte, HeaderLen)}))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _, m, ok := ParseFrame(b)
		if !ok {
			return
		}
		_, _, again, ok := ParseFrame(frame(&m))
		require.True(t, ok)
		require.Equal(t, m, again)
	})
}
