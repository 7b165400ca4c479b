package proto

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFramesComeAsTheyWereSent(t *testing.T) {
	var b bytes.Buffer
	sent := []Frame{{Kind: Ready, Data: []byte{}}, {Kind: Stdout, ID: 7, Data: []byte("hello")}, {Kind: Stdin, ID: 1<<32 - 1, Data: make([]byte, MaxData)}}
	for _, f := range sent {
		require.NoError(t, Write(&b, f))
	}
	for _, f := range sent {
		got, err := Read(&b)
		require.NoError(t, err)
		require.Equal(t, f, got)
	}
	_, err := Read(&b)
	require.Equal(t, io.EOF, err)
}

func TestBadFrames(t *testing.T) {
	require.ErrorContains(t, Write(io.Discard, Frame{Kind: Stdin, Data: make([]byte, MaxData+1)}), "at most")
	var b bytes.Buffer
	require.NoError(t, Write(&b, Frame{Kind: Stdout, ID: 1, Data: []byte("cut")}))
	_, err := Read(bytes.NewReader(b.Bytes()[:b.Len()-1]))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	_, err = Read(bytes.NewReader(b.Bytes()[:headerLen]))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	_, err = Read(bytes.NewReader(b.Bytes()[:3]))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	for _, bad := range [][]byte{{0, 0, 0, 0, 0, 0, 0, 0, 0}, {200, 0, 0, 0, 0, 0, 0, 0, 0}, {1, 0, 0, 0, 0, 0xff, 0, 0, 0}} {
		_, err := Read(bytes.NewReader(bad))
		require.ErrorContains(t, err, "no frame")
	}
}
