package paxos

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestMessage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.Uint32()
		m := Message{
			Kind: Kind(rapid.IntRange(1, int(lastKind)).Draw(t, "kind")), Acceptor: rapid.Uint8().Draw(t, "acceptor"), Flags: rapid.Uint8().Draw(t, "flags"),
			Instance: word.Draw(t, "instance"), Round: word.Draw(t, "round"), VoteRound: word.Draw(t, "vote round"), Client: word.Draw(t, "client"),
			Sequence: word.Draw(t, "sequence"), Value: rapid.SliceOfN(rapid.Byte(), 0, MaxValue).Draw(t, "value"),
		}
		if rapid.Bool().Draw(t, "shared") {
			m.Shared = rapid.OneOf(rapid.Uint8Range(formLengths+2, formLengths+MaxValue), rapid.Uint8Range(formEqual+1, formEqual+mostEqual)).Draw(t, "form")
			n, ok := formBytes(m.Shared)
			require.True(t, ok)
			m.Value = rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "values")
		}
		b, err := m.Append([]byte("before"))
		require.NoError(t, err)
		var got Message
		require.NoError(t, got.Parse(b[len("before"):]))
		require.Equal(t, m, got)
	})
}

func TestMessageTooLong(t *testing.T) {
	m := Message{Kind: Request, Value: make([]byte, MaxValue+1)}
	_, err := m.Append(nil)
	require.ErrorIs(t, err, ErrValue)
	m = Message{Kind: Request, Shared: formEqual + 32, Value: make([]byte, 63)}
	_, err = m.Append(nil)
	require.ErrorIs(t, err, ErrMessage)
}

func TestParseRefuses(t *testing.T) {
	m := Message{Kind: Request, Value: []byte("0123456789abcdef0")}
	good, err := m.Append(nil)
	require.NoError(t, err)
	for what, bad := range map[string][]byte{
		"nothing":         nil,
		"short header":    good[:headerLen-1],
		"half a piece":    good[:len(good)-8],
		"a piece less":    good[:len(good)-pieceLen],
		"too long":        append(bytes.Clone(good), make([]byte, 4*pieceLen)...),
		"unknown kind":    append([]byte{byte(lastKind) + 1}, good[1:]...),
		"no kind":         append([]byte{0}, good[1:]...),
		"value too long":  append([]byte{1, 0, 0, 33}, good[4:]...),
		"values too long": append([]byte{1, 0, 0, formLengths + 33}, good[4:]...),
		"a form of later": append([]byte{1, 0, 0, formEqual + mostEqual + 1}, good[4:]...),
		"no form":         append([]byte{1, 0, 0, MaxValue + 1}, good[4:]...),
		"one of no bytes": append([]byte{1, 0, 0, formLengths}, good[4:]...),
		"equal, no bytes": append([]byte{1, 0, 0, formEqual}, good[4:]...),
		"another length":  append(append(bytes.Clone(good[:27]), good[27]+1), good[28:]...),
		"length of bytes": append(append(bytes.Clone(good[:26]), 0, 60), good[28:]...),
	} {
		var m Message
		require.ErrorIs(t, m.Parse(bad), ErrMessage, what)
	}
}

func FuzzParse(f *testing.F) {
	m := Message{Kind: Vote, Instance: 7, Round: 1, Value: []byte("value")}
	b, err := m.Append(nil)
	require.NoError(f, err)
	f.Add(b)
	for _, form := range []byte{formLengths + 2, formLengths + MaxValue, formEqual + 1, formEqual + mostEqual, formEqual + mostEqual + 1} {
		f.Add(append([]byte{b[0], b[1], b[2], form}, b[4:]...))
	}
	for k := Request; k <= lastKind; k++ {
		m := Message{Kind: k, Acceptor: 2, Flags: Silent | Gap, Instance: 1 << 31, Round: 7, VoteRound: 5, Client: 9, Sequence: 3, Value: []byte("seventeen bytes..")}
		b, err := m.Append(nil)
		require.NoError(f, err)
		f.Add(b)
		f.Add(b[:len(b)-1])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var m Message
		if m.Parse(b) != nil {
			return
		}
		again, err := m.Append(nil)
		require.NoError(t, err)
		var n Message
		require.NoError(t, n.Parse(again))
		require.Equal(t, m, n)
	})
}
