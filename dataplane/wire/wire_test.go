package wire

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func exchange(t *testing.T, a, b Wire) {
	t.Helper()
	buf := make([]byte, MaxFrame)
	for i, f := range []string{"first frame", "second"} {
		require.NoError(t, a.WriteFrame([]byte(f)))
		n, err := b.ReadFrame(buf)
		require.NoError(t, err)
		require.Equal(t, f, string(buf[:n]), i)
	}
}

func TestPipe(t *testing.T) {
	a, b := Pipe(2)
	exchange(t, a, b)
	exchange(t, b, a)
	require.True(t, a.Up())
	require.NoError(t, a.Close())
	_, err := b.ReadFrame(nil)
	require.True(t, Closed(err))
	require.False(t, b.Up())
}

// freeUDP returns an address that was free a moment ago.
func freeUDP(t *testing.T) string {
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	defer c.Close()
	return c.LocalAddr().String()
}

func TestUDP(t *testing.T) {
	la, lb := freeUDP(t), freeUDP(t)
	a, err := Open("udp:" + la) // learns its peer
	require.NoError(t, err)
	defer a.Close()
	require.ErrorIs(t, a.WriteFrame([]byte("x")), ErrNoPeer)
	require.False(t, a.Up())
	b, err := Open(fmt.Sprintf("udp:%s,%s", lb, la))
	require.NoError(t, err)
	exchange(t, b, a)
	exchange(t, a, b)
	require.True(t, a.Up())

	_, err = Open("udp:" + la)
	require.ErrorContains(t, err, "address already in use")
	_, err = Open("udp:nonsense")
	require.ErrorContains(t, err, `port "udp:nonsense": local address`)

	done := make(chan error)
	go func() { _, err := b.ReadFrame(make([]byte, 10)); done <- err }()
	require.NoError(t, b.Close())
	require.True(t, Closed(<-done))
}

func TestUnix(t *testing.T) {
	dir := t.TempDir()
	pa, pb := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	a, err := Open("unix:" + pa)
	require.NoError(t, err)
	require.ErrorIs(t, a.WriteFrame([]byte("x")), ErrNoPeer)
	b, err := Open("unix:" + pb + "," + pa)
	require.NoError(t, err)
	exchange(t, b, a)
	exchange(t, a, b)
	_, err = Open("unix:" + pa)
	require.ErrorContains(t, err, "address already in use")
	require.NoError(t, a.Close())
	require.NoFileExists(t, pa)
	require.Error(t, b.WriteFrame([]byte("x")), "nobody there")
	require.NoError(t, b.Close())

	// A socket that a killed process left behind does not stand in the way.
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: pa, Net: "unixgram"})
	require.NoError(t, err)
	require.NoError(t, c.Close())
	require.FileExists(t, pa)
	a, err = Open("unix:" + pa)
	require.NoError(t, err)
	require.NoError(t, a.Close())

	require.NoError(t, os.WriteFile(pa, nil, 0o600))
	_, err = Open("unix:" + pa)
	require.ErrorContains(t, err, "is not a socket")
	for _, spec := range []string{"unix:/" + strings.Repeat("x", 107), "unix:/tmp/x,/" + strings.Repeat("x", 107)} {
		_, err = Open(spec)
		require.ErrorContains(t, err, "108 bytes are too long for the path of a socket [at most 107")
	}
}

// TestUnixPeerComesBack: a named peer may come, go and come back, and is heard
// though the port itself sends nothing.
func TestUnixPeerComesBack(t *testing.T) {
	dir := t.TempDir()
	pa, pb := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	a, err := Open("unix:" + pa + "," + pb)
	require.NoError(t, err)
	require.Error(t, a.WriteFrame([]byte("x")), "nobody there")
	heard := make(chan error)
	for range 3 {
		b, err := Open("unix:" + pb + "," + pa)
		require.NoError(t, err)
		go func() {
			_, err := a.ReadFrame(make([]byte, 10))
			heard <- err
		}()
		for waiting := true; waiting; {
			_ = b.WriteFrame([]byte("frame")) // refused until the port notices
			select {
			case err := <-heard:
				require.NoError(t, err)
				waiting = false
			default:
				runtime.Gosched()
			}
		}
		require.NoError(t, a.WriteFrame([]byte("x")))
		require.NoError(t, b.Close())
	}
	require.NoError(t, a.Close())
}

func TestPacketNamesTheInterface(t *testing.T) {
	_, err := Open("no-such-if0")
	require.ErrorContains(t, err, `interface "no-such-if0" does not exist`)
}

// TestCompleteChecksum: a UDP datagram whose checksum field holds the sum of
// the pseudo header only, as a kernel with checksum offload leaves it.
func TestCompleteChecksum(t *testing.T) {
	frame := append(make([]byte, 12), 0x08, 0x00)
	frame = append(frame, 0x45, 0, 0, 33, 0, 0, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2)
	frame = append(frame, 0x30, 0x39, 0x12, 0xb7, 0, 13, 0x14, 0x21, 'h', 'e', 'l', 'l', 'o', 0, 0)
	completeChecksum(frame)
	// Verify as a receiver does: the sum over pseudo header and datagram is
	// all ones.
	sum := uint32(17 + 13)
	l4 := append(append([]byte{}, frame[26:34]...), frame[34:47]...)
	l4 = append(l4, 0)
	for i := 0; i+1 < len(l4); i += 2 {
		sum += uint32(l4[i])<<8 | uint32(l4[i+1])
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	require.Equal(t, uint32(0xffff), sum)
	require.Equal(t, []byte{0, 0}, frame[47:], "Ethernet padding is untouched")

	for n := range frame { // truncated frames are left alone
		completeChecksum(frame[:n])
	}
}

func FuzzCompleteChecksum(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x08\x00\x45\x00\x00\x1c\x00\x00\x00\x00\x40\x11\x00\x00\x0a\x00\x00\x01\x0a\x00\x00\x02\x00\x01\x00\x02\x00\x08\x00\x00"))
	f.Fuzz(func(_ *testing.T, b []byte) { completeChecksum(b) })
}
