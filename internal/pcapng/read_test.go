package pcapng

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
	"github.com/stretchr/testify/require"
)

// frames are those of a capture.
func frames(file []byte) (all [][]byte, err error) {
	r, err := NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	for {
		switch b, err := r.Packet(); err {
		case nil:
			all = append(all, bytes.Clone(b))
		case io.EOF:
			return all, nil
		default:
			return all, err
		}
	}
}

var two = [][]byte{[]byte("a frame of fourteen"), []byte("and another")}

// captures are files with two frames: ours, and gopacket's of each form.
func captures(t testing.TB) map[string][]byte {
	all := map[string][]byte{}
	var b bytes.Buffer
	w := NewWriter(&b, "test")
	id, err := w.Interface("x")
	require.NoError(t, err)
	for _, f := range two {
		require.NoError(t, w.Packet(id, time.Unix(1, 2), f))
	}
	require.NoError(t, w.Flush())
	all["ours"] = bytes.Clone(b.Bytes())
	write := func(w interface {
		WritePacket(gopacket.CaptureInfo, []byte) error
	}) {
		for _, f := range two {
			require.NoError(t, w.WritePacket(gopacket.CaptureInfo{Timestamp: time.Unix(1, 0), Length: len(f), CaptureLength: len(f)}, f))
		}
	}
	b.Reset()
	ng, err := pcapgo.NewNgWriter(&b, layers.LinkTypeEthernet)
	require.NoError(t, err)
	write(ng)
	require.NoError(t, ng.Flush())
	all["pcapng"] = bytes.Clone(b.Bytes())
	b.Reset()
	p := pcapgo.NewWriter(&b)
	require.NoError(t, p.WriteFileHeader(65536, layers.LinkTypeEthernet))
	write(p)
	all["pcap"] = bytes.Clone(b.Bytes())
	b.Reset()
	p = pcapgo.NewWriterNanos(&b)
	require.NoError(t, p.WriteFileHeader(65536, layers.LinkTypeEthernet))
	write(p)
	all["pcap, ns"] = bytes.Clone(b.Bytes())
	// The other byte order, by hand.
	big := binary.BigEndian
	h := big.AppendUint32(nil, 0xa1b2c3d4)
	h = append(h, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1)
	for _, f := range two {
		h = append(h, 0, 0, 0, 1, 0, 0, 0, 0)
		h = big.AppendUint32(big.AppendUint32(h, uint32(len(f))), uint32(len(f)))
		h = append(h, f...)
	}
	all["pcap, big-endian"] = h
	return all
}

func TestReader(t *testing.T) {
	for name, file := range captures(t) {
		got, err := frames(file)
		require.NoError(t, err, name)
		require.Equal(t, two, got, name)
		// A file that is cut is an error, or ends between two packets.
		for n := range file {
			got, err := frames(file[:n])
			require.LessOrEqual(t, len(got), 2)
			for i, f := range got {
				require.Equal(t, two[i], f)
			}
			if err != nil {
				require.True(t, errors.Is(err, ErrFormat) || errors.Is(err, io.ErrUnexpectedEOF), "%s, %d bytes: %v", name, n, err)
			}
		}
	}
	var wifi bytes.Buffer
	require.NoError(t, pcapgo.NewWriter(&wifi).WriteFileHeader(65536, layers.LinkTypeIEEE80211Radio))
	for _, bad := range [][]byte{nil, []byte("abc"), []byte("a text file"), wifi.Bytes()} {
		_, err := frames(bad)
		require.ErrorIs(t, err, ErrFormat)
	}
}

func FuzzReader(f *testing.F) {
	for _, file := range captures(f) {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		got, _ := frames(file)
		n := 0
		for _, p := range got {
			n += len(p)
		}
		require.LessOrEqual(t, n, len(file))
	})
}
