package pcapng

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
	"github.com/stretchr/testify/require"
)

// TestRead: another reader finds what was written: names, times to the nanosecond, and bytes, whatever their number.
func TestRead(t *testing.T) {
	var file bytes.Buffer
	w := NewWriter(&file, "p4ce")
	at := time.Unix(1_700_000_000, 123_456_789).UTC()
	names := []string{"IN port1", "OUT p", "x"}
	var frames [][]byte
	for n := range 300 {
		if n < len(names) { // also after packets
			id, err := w.Interface(names[n])
			require.NoError(t, err)
			require.Equal(t, n, id)
		}
		f := bytes.Repeat([]byte{byte(n)}, n)
		frames = append(frames, f)
		require.NoError(t, w.Packet(min(n, n%len(names)), at.Add(time.Duration(n)), f))
	}
	require.NoError(t, w.Flush())
	r, err := pcapgo.NewNgReader(&file, pcapgo.DefaultNgReaderOptions)
	require.NoError(t, err)
	require.Equal(t, "p4ce", r.SectionInfo().Application)
	for n, f := range frames {
		b, info, err := r.ReadPacketData()
		require.NoError(t, err)
		require.True(t, bytes.Equal(f, b))
		require.Equal(t, len(f), info.Length)
		require.Equal(t, n%len(names), info.InterfaceIndex)
		require.True(t, at.Add(time.Duration(n)).Equal(info.Timestamp), "%v", info.Timestamp)
	}
	_, _, err = r.ReadPacketData()
	require.ErrorIs(t, err, io.EOF)
	for n, name := range names {
		i, err := r.Interface(n)
		require.NoError(t, err)
		require.Equal(t, name, i.Name)
		require.Equal(t, layers.LinkTypeEthernet, i.LinkType)
	}
}

type full struct{ room int }

func (f *full) Write(b []byte) (int, error) {
	if f.room -= len(b); f.room < 0 {
		return 0, errors.New("no space")
	}
	return len(b), nil
}

// TestFull: what cannot be written is an error, of that call or of those that follow.
func TestFull(t *testing.T) {
	w := NewWriter(&full{10000}, "p4ce")
	on, err := w.Interface("x")
	require.NoError(t, err)
	for n := 0; err == nil; n++ {
		require.Less(t, n, 100)
		err = w.Packet(on, time.Now(), make([]byte, 1000))
	}
	require.ErrorContains(t, err, "no space")
	require.ErrorContains(t, w.Flush(), "no space")
}
