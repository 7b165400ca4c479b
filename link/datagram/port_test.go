package datagram_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/datagram"
)

var _ link.Port = (*datagram.Port)(nil)

func openPort(t testing.TB, spec string) *datagram.Port {
	t.Helper()
	p, err := datagram.OpenPort(spec)
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// learning returns the specification of a port that is to learn who is at the end of
// specs' link that the first is not.
func learning(spec string) string { return strings.SplitN(spec, ",", 2)[0] }

func exchange(t *testing.T, from, to link.Port) {
	t.Helper()
	for _, f := range []string{"first frame", "second"} {
		from.Send(append(from.Buffer(), f...))
		require.NoError(t, from.Flush())
		frames := make([][]byte, 8)
		n, err := to.Receive(frames)
		require.NoError(t, err)
		require.Equal(t, 1, n)
		require.Equal(t, f, string(frames[0]))
	}
}

// TestPortLearns: a port without a peer refuses frames until it has heard somebody, and
// sends to whom it has heard last.
func TestPortLearns(t *testing.T) {
	for _, network := range []string{"unix", "abstract", "udp127.0.0.1", "udp[::1]"} {
		t.Run(network, func(t *testing.T) {
			sp := specs(t, network)
			a := openPort(t, learning(sp[0]))
			require.False(t, a.Up())
			for range 2 {
				a.Send(append(a.Buffer(), "nobody's"...))
			}
			require.NoError(t, a.Flush())
			require.Equal(t, link.Counters{Refused: 2}, a.Counters())

			b := openPort(t, sp[1])
			require.True(t, b.Up())
			exchange(t, b, a)
			exchange(t, a, b)
			require.True(t, a.Up())
			require.Equal(t, link.Counters{Sent: 2, SentBytes: 17, Refused: 2}, a.Counters())

			_, own, _ := strings.Cut(learning(sp[0]), ":")
			if network != "unix" {
				other := specs(t, network)
				if network == "abstract" {
					other[1] = strings.ReplaceAll(sp[1], "test-b", "test-c")
				}
				name, _, _ := strings.Cut(other[1], ",")
				c := openPort(t, name+","+own)
				exchange(t, c, a)
				exchange(t, a, c)
			} else {
				c := openPort(t, "unix:"+own+"2,"+own)
				exchange(t, c, a)
				exchange(t, a, c)
			}
			exchange(t, b, a)
			exchange(t, a, b)
		})
	}
}

// TestPortUnnamed: a sender that has no address is heard, and is nobody's peer.
func TestPortUnnamed(t *testing.T) {
	sp := specs(t, "unix")
	a := openPort(t, learning(sp[0]))
	path := strings.TrimPrefix(learning(sp[0]), "unix:")
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"})
	require.NoError(t, err)
	defer c.Close()
	hear := func() {
		_, err = c.Write([]byte("frame"))
		require.NoError(t, err)
		frames := make([][]byte, 1)
		_, err = a.Receive(frames)
		require.NoError(t, err)
		require.Equal(t, "frame", string(frames[0]))
	}
	hear()
	require.False(t, a.Up())
	b := openPort(t, sp[1])
	exchange(t, b, a)
	hear()
	exchange(t, a, b)
}

// TestPortBurst: a peer may fall behind by more than the 10 frames that a Unix socket
// holds of senders that it is not connected to, and by more than the usual buffer of a
// socket has room for.
func TestPortBurst(t *testing.T) {
	sp := specs(t, "unix")
	a, b := openPort(t, sp[0]), openPort(t, sp[1])
	require.True(t, b.Up())
	for range 400 {
		a.Send(append(a.Buffer(), 1))
	}
	require.NoError(t, a.Flush())
	require.Eventually(t, func() bool { return a.Counters().Sent == 400 }, 20*time.Second, time.Millisecond)
}

// TestPortLengths: ports take frames of any length up to link.MaxFrame.
func TestPortLengths(t *testing.T) {
	sp := specs(t, "unix")
	a, b := openPort(t, sp[0]), openPort(t, sp[1])
	require.True(t, a.Up())
	frames := make([][]byte, 8)
	var bytesSent uint64
	for _, n := range []int{1, 60, 1514, 9014, link.MaxFrame, 2} {
		f := bytes.Repeat([]byte{byte(n)}, n)
		a.Send(append(a.Buffer(), f...))
		require.NoError(t, a.Flush())
		k, err := b.Receive(frames)
		require.NoError(t, err)
		require.Equal(t, 1, k)
		require.True(t, bytes.Equal(f, frames[0]), "%d bytes", n)
		bytesSent += uint64(n)
	}
	// A frame of no length is none; of one that is too long it is not half that arrives.
	a.Send(nil)
	require.NoError(t, a.Flush())
	for _, n := range []int{link.MaxFrame + 1, 3} {
		a.Send(append(a.Buffer(), bytes.Repeat([]byte{byte(n)}, n)...))
	}
	require.NoError(t, a.Flush())
	k, err := b.Receive(frames)
	require.NoError(t, err)
	require.Equal(t, [][]byte{{3, 3, 3}}, frames[:k])
	require.Equal(t, link.Counters{TooLong: 1}, b.Counters())
	require.Equal(t, link.Counters{Sent: 8, SentBytes: bytesSent + link.MaxFrame + 1 + 3, Refused: 1}, a.Counters())
}

// TestPortStuckPeer: a peer that does not read costs frames, and no time; what has been
// taken arrives in order.
func TestPortStuckPeer(t *testing.T) {
	sp := specs(t, "unix")
	for _, spec := range []string{sp[0], learning(sp[0])} {
		a, b := openPort(t, spec), openPort(t, sp[1])
		if spec != sp[0] {
			exchange(t, b, a)
		}
		const frames = 20000
		for i := range frames {
			a.Send(append(a.Buffer(), byte(i), byte(i>>8)))
			require.NoError(t, a.Flush())
		}
		lost := a.Counters().NoRoom
		require.NotZero(t, lost)
		require.Zero(t, a.Counters().Refused)
		buf := make([][]byte, 64)
		last := -1
		for got := 0; got < frames-int(lost); {
			n, err := b.Receive(buf)
			require.NoError(t, err)
			for _, f := range buf[:n] {
				i := int(f[0]) | int(f[1])<<8
				require.Greater(t, i, last)
				last = i
			}
			got += n
		}
		require.NoError(t, a.Close())
		require.NoError(t, b.Close())
	}
}

// TestPortPeerComesBack: a named peer may come, go and come back, and is heard though the
// port itself sends nothing.
func TestPortPeerComesBack(t *testing.T) {
	sp := specs(t, "unix")
	a := openPort(t, sp[0])
	a.Send(append(a.Buffer(), 1))
	require.NoError(t, a.Flush())
	require.Equal(t, link.Counters{Refused: 1}, a.Counters(), "nobody there")
	heard := make(chan error)
	for i := range 3 {
		b := openPort(t, sp[1])
		go func() {
			_, err := a.Receive(make([][]byte, 64))
			heard <- err
		}()
		for waiting := true; waiting; {
			// Refused until the port notices.
			b.Send(append(b.Buffer(), 1))
			require.NoError(t, b.Flush())
			select {
			case err := <-heard:
				require.NoError(t, err)
				waiting = false
			default:
				runtime.Gosched()
			}
		}
		a.Send(append(a.Buffer(), 2))
		require.NoError(t, a.Flush())
		require.Equal(t, link.Counters{Sent: uint64(i) + 1, SentBytes: uint64(i) + 1, Refused: 1}, a.Counters())
		require.NoError(t, b.Close())
	}
}

func TestPortClose(t *testing.T) {
	for _, network := range []string{"unix", "udp127.0.0.1"} {
		spec := learning(specs(t, network)[0])
		p := openPort(t, spec)
		_, err := datagram.OpenPort(spec)
		require.ErrorContains(t, err, "address already in use")
		closed := make(chan error)
		go func() { _, err := p.Receive(make([][]byte, 1)); closed <- err }()
		require.NoError(t, p.Close())
		require.ErrorIs(t, <-closed, net.ErrClosed)
		p.Send(append(p.Buffer(), 1))
		require.ErrorIs(t, p.Flush(), net.ErrClosed)
		if path, ok := strings.CutPrefix(spec, "unix:"); ok {
			require.NoFileExists(t, path)
			// The socket of a process that was killed does not stand in the way.
			c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
			require.NoError(t, err)
			require.NoError(t, c.Close())
			require.FileExists(t, path)
		}
		require.NoError(t, openPort(t, spec).Close())
	}
}

func TestOpenPortErrors(t *testing.T) {
	dir := t.TempDir()
	long := "/" + strings.Repeat("x", 107)
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, tt := range []struct{ spec, want string }{
		{"", "want unix:LOCAL or unix:LOCAL,PEER"},
		{"unix:", "want unix:LOCAL or unix:LOCAL,PEER"},
		{"unix:/a,", "want unix:LOCAL or unix:LOCAL,PEER"},
		{"unix:/a,/a", "both ends are the same"},
		{"unix:" + long, "108 bytes are too long for a socket (at most 107"},
		{"unix:/tmp/x," + long, "108 bytes are too long for a socket (at most 107"},
		{"unix:" + file, "exists and is not a socket"},
		{"udp:nonsense", "own address: not an ip:port (want udp:ADDRESS:PORT"},
		{"udp:127.0.0.1:1,nonsense", "peer's address: not an ip:port"},
		{"udp:127.0.0.1:1,0.0.0.0:1", "want a unicast address and a port"},
		{"udp:192.0.2.1:1", "cannot assign requested address"},
	} {
		_, err := datagram.OpenPort(tt.spec)
		require.ErrorContains(t, err, tt.want, tt.spec)
		require.ErrorContains(t, err, fmt.Sprintf("port %q: ", tt.spec))
	}
	require.True(t, datagram.IsPort("unix:x"))
	require.True(t, datagram.IsPort("udp:x"))
	require.False(t, datagram.IsPort("eth0"))
}

// TestPortNoAllocations: frames cost no memory, though the peer is learned.
func TestPortNoAllocations(t *testing.T) {
	for _, network := range []string{"unix", "udp127.0.0.1"} {
		sp := specs(t, network)
		a, b := openPort(t, sp[0]), openPort(t, learning(sp[1]))
		f, frames := make([]byte, 200), make([][]byte, 64)
		pass := func(from, to *datagram.Port) {
			for range 8 {
				from.Send(append(from.Buffer(), f...))
			}
			if err := from.Flush(); err != nil {
				t.Fatal(err)
			}
			for got := 0; got < 8; {
				n, err := to.Receive(frames)
				if err != nil {
					t.Fatal(err)
				}
				got += n
			}
		}
		round := func() {
			pass(a, b)
			pass(b, a)
		}
		round()
		require.Zero(t, testing.AllocsPerRun(1000, round))
	}
}

// TestPortFullNoAllocations: nor do those that are dropped.
func TestPortFullNoAllocations(t *testing.T) {
	sp := specs(t, "unix")
	a, b := openPort(t, sp[0]), openPort(t, sp[1])
	require.True(t, b.Up())
	f := make([]byte, 200)
	for a.Counters().NoRoom == 0 {
		a.Send(append(a.Buffer(), f...))
		require.NoError(t, a.Flush())
	}
	require.Zero(t, testing.AllocsPerRun(20000, func() { a.Send(append(a.Buffer(), f...)) }))
	require.Greater(t, a.Counters().NoRoom, uint64(1000))
}

// BenchmarkPort passes frames of 1024 bytes, 32 at a time.
func BenchmarkPort(b *testing.B) {
	sp := specs(b, "unix")
	from, to := openPort(b, sp[0]), openPort(b, sp[1])
	f, frames := make([]byte, 1024), make([][]byte, 64)
	b.ReportAllocs()
	b.SetBytes(int64(len(f)))
	start := time.Now()
	for done := 0; done < b.N; {
		for range 32 {
			from.Send(append(from.Buffer(), f...))
		}
		if err := from.Flush(); err != nil {
			b.Fatal(err)
		}
		for got := 0; got < 32; {
			n, err := to.Receive(frames)
			if err != nil {
				b.Fatal(err)
			}
			got += n
		}
		done += 32
	}
	b.ReportMetric(float64(b.N)/time.Since(start).Seconds(), "frames/s")
}
