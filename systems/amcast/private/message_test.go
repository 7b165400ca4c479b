package private

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/wire"
)

var sample = Message{Kind: View, How: Admitted | Serves, Client: 7, Token: 0x123456789abcdef0, Number: 16, Failed: [32]byte{1: 4}, Groups: []Group{{1, 3, 5, 0x80000001}, {255, 0, 0, 0}}, Clients: []Client{{7, 2}, {255, 300}}}

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
	require.ErrorContains(t, m.Parse(b), "kind 4")
	require.NoError(t, m.Parse(sample.Append(nil)))
	require.Equal(t, sample, m)
	require.True(t, m.HasFailed(10))
	require.False(t, m.HasFailed(11))
	require.False(t, m.HasFailed(256))
	b = sample.Append(nil)
	b[48]++ // more groups than there are
	require.ErrorIs(t, m.Parse(b), ErrMessage)
}

func FuzzParseFrame(f *testing.F) {
	f.Add(frame(&sample))
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
