package datagram_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/datagram"
	"github.com/p4ce/p4ce/roce/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// macs of the two ends; each is the other's gateway.
var macs = [2]net.HardwareAddr{{2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 2}}

func options(i int) datagram.Options {
	return datagram.Options{Addr: netip.AddrFrom4([4]byte{10, 66, 0, byte(1 + i)}), MAC: macs[i], Gateway: macs[1-i]}
}

// specs returns the specifications of two ends of one link.
func specs(t testing.TB, network string) [2]string {
	var ends [2]string
	switch network {
	case "unix":
		dir := t.TempDir()
		ends = [2]string{filepath.Join(dir, "a"), filepath.Join(dir, "b")}
	case "abstract":
		network = "unix"
		ends = [2]string{"@p4ce-test-a-" + fmt.Sprint(os.Getpid()), "@p4ce-test-b-" + fmt.Sprint(os.Getpid())}
	default:
		host := strings.TrimPrefix(network, "udp")
		network = "udp"
		for i := range ends {
			c, err := net.ListenPacket("udp", host+":0")
			if err != nil {
				needs.Hardware(t, fmt.Errorf("address %s: %w", host, err))
			}
			defer c.Close()
			ends[i] = c.LocalAddr().String()
		}
	}
	return [2]string{network + ":" + ends[0] + "," + ends[1], network + ":" + ends[1] + "," + ends[0]}
}

func open(t testing.TB, spec string, i int) *datagram.Wire {
	t.Helper()
	w, err := datagram.Open(spec, options(i))
	require.NoError(t, err)
	return w
}

func connect(t testing.TB, network string) (*roce.Conn, *roce.MR) {
	t.Helper()
	sp := specs(t, network)
	var d [2]*roce.Device
	for i := range d {
		var err error
		d[i], err = roce.Open(open(t, sp[i], i), roce.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { _ = d[i].Close() })
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	mr, err := d[1].RegisterMemory(make([]byte, 1<<18), rdma.LocalWrite|rdma.RemoteWrite|rdma.RemoteRead)
	require.NoError(t, err)
	l, err := d[1].Listen(1)
	require.NoError(t, err)
	accepted := make(chan error, 1)
	go func() {
		r, err := l.Accept(ctx)
		if err == nil {
			var qp *roce.QP
			if qp, err = d[1].CreateQP(roce.QPConfig{Access: rdma.RemoteRead | rdma.RemoteWrite}); err == nil {
				_, err = r.Accept(ctx, qp, nil)
			}
		}
		accepted <- err
	}()
	qp, err := d[0].CreateQP(roce.QPConfig{SendQueue: 512})
	require.NoError(t, err)
	conn, err := d[0].Dial(ctx, netip.AddrPortFrom(d[1].Addr(), 1), qp, nil)
	require.NoError(t, err)
	require.NoError(t, <-accepted)
	return conn, mr
}

func finish(t testing.TB, qp *roce.QP, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	buf := make([]rdma.Completion, 64)
	for n > 0 {
		require.NoError(t, qp.SendCQ().Wait(ctx))
		k := qp.SendCQ().Poll(buf)
		for _, c := range buf[:k] {
			require.NoError(t, roce.Status(c))
		}
		n -= k
	}
}

// TestTransfer moves data both ways, far more frames at once than a Unix socket
// holds.
func TestTransfer(t *testing.T) {
	for _, network := range []string{"unix", "abstract", "udp127.0.0.1", "udp[::1]"} {
		t.Run(network, func(t *testing.T) {
			conn, mr := connect(t, network)
			data := make([]byte, 1<<18)
			for i := range data {
				data[i] = byte(i * 31 >> 3)
			}
			into := make([]byte, len(data))
			_, err := conn.QP().PostSend(
				rdma.SendWR{Op: rdma.OpWrite, Local: data, VA: mr.Addr(), RKey: mr.Key()},
				rdma.SendWR{Op: rdma.OpRead, Local: into, VA: mr.Addr(), RKey: mr.Key()},
			)
			require.NoError(t, err)
			finish(t, conn.QP(), 2)
			require.True(t, bytes.Equal(data, into))
			require.Zero(t, conn.QP().Counters().DropICRC)
			require.NoError(t, conn.Close())
		})
	}
}

// send sends n frames, each with its number.
func send(t testing.TB, w *datagram.Wire, n int) {
	t.Helper()
	for i := range n {
		w.Send(append(w.Buffer(), byte(i), byte(i>>8), byte(i>>16)))
	}
	require.NoError(t, w.Flush())
}

func receive(t testing.TB, w *datagram.Wire) [][]byte {
	t.Helper()
	frames := make([][]byte, 64)
	n, err := w.Receive(frames)
	require.NoError(t, err)
	return frames[:n]
}

// TestNobodyThere: frames to a peer that is not there are lost and counted; when
// it comes, or comes again, the next ones arrive.
func TestNobodyThere(t *testing.T) {
	sp := specs(t, "unix")
	a := open(t, sp[0], 0)
	defer a.Close()
	for range 2 {
		before := a.Counters()
		send(t, a, 3)
		require.Equal(t, link.Counters{Sent: before.Sent, SentBytes: before.SentBytes, Refused: before.Refused + 3}, a.Counters())

		b := open(t, sp[1], 1)
		send(t, a, 1)
		require.Equal(t, [][]byte{{0, 0, 0}}, receive(t, b))
		require.NoError(t, b.Close())
	}
}

// TestPeerComesBack: an end that only listens hears a peer that has come back.
func TestPeerComesBack(t *testing.T) {
	sp := specs(t, "unix")
	a := open(t, sp[0], 0)
	defer a.Close()
	heard := make(chan error)
	for range 3 {
		b := open(t, sp[1], 1)
		go func() {
			_, err := a.Receive(make([][]byte, 64))
			heard <- err
		}()
		for waiting := true; waiting; {
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
		require.NoError(t, b.Close())
	}
}

// TestStuckPeer: a peer that does not read costs frames, and no time.
func TestStuckPeer(t *testing.T) {
	sp := specs(t, "unix")
	a, b := open(t, sp[0], 0), open(t, sp[1], 1)
	defer a.Close()
	defer b.Close()
	const frames = 100000
	send(t, a, frames) // returns, which is the point
	noRoom := a.Counters().NoRoom
	require.NotZero(t, noRoom)
	require.Less(t, noRoom, uint64(frames))
	require.Zero(t, a.Counters().Refused)
	// What was taken arrives in order, and nothing else.
	got := 0
	for got < frames-int(noRoom) {
		for _, f := range receive(t, b) {
			require.Equal(t, []byte{byte(got), byte(got >> 8), byte(got >> 16)}, f)
			got++
		}
	}
	// A peer that reads again gets frames again; all are accounted for.
	last := make(chan int)
	go func() {
		buf := make([][]byte, 64)
		for n := 0; ; {
			k, err := b.Receive(buf)
			if err != nil {
				last <- -1
				return
			}
			for _, f := range buf[:k] {
				if len(f) == 1 {
					last <- n
					return
				}
				n++
			}
		}
	}()
	send(t, a, frames)
	after := a.Counters().NoRoom
	for lost := after; ; {
		// The end mark may be lost too.
		a.Send(append(a.Buffer(), 0))
		require.NoError(t, a.Flush())
		if now := a.Counters().NoRoom; now == lost {
			break
		} else {
			lost = now
		}
	}
	n := <-last
	require.NotZero(t, n)
	require.Equal(t, frames-int(after-noRoom), n)
	require.Zero(t, a.Counters().Refused)
}

func TestInfo(t *testing.T) {
	sp := specs(t, "unix")
	o := options(0)
	o.MTU = 9000
	w, err := datagram.Open(sp[0], o)
	require.NoError(t, err)
	require.Equal(t, link.Info{Addr: o.Addr, MAC: wire.MAC(o.MAC), MTU: 9000}, w.Info())
	require.GreaterOrEqual(t, cap(w.Buffer()), 9014)
	gw, err := w.Resolve(context.Background(), netip.MustParseAddr("192.0.2.1"))
	require.NoError(t, err)
	require.Equal(t, wire.MAC(o.Gateway), gw)

	closed := make(chan error)
	go func() { _, err := w.Receive(make([][]byte, 1)); closed <- err }()
	require.NoError(t, w.Close())
	require.ErrorIs(t, <-closed, net.ErrClosed)
	w.Send(append(w.Buffer(), 1))
	require.ErrorIs(t, w.Flush(), net.ErrClosed)
	local := strings.Split(strings.TrimPrefix(sp[0], "unix:"), ",")[0]
	require.NoFileExists(t, local)
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	long := filepath.Join(dir, strings.Repeat("x", 108))
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, tt := range []struct{ spec, want string }{
		{"", "want unix:LOCAL,PEER"},
		{"tcp:1.2.3.4:1,1.2.3.4:2", "want unix:LOCAL,PEER"},
		{"unix:", "want unix:LOCAL,PEER"},
		{"unix:/a", "want unix:LOCAL,PEER"},
		{"unix:,/a", "want unix:LOCAL,PEER"},
		{"unix:/a,/a", "both ends are the same"},
		{"unix:" + long + ",/a", "too long for a socket (at most 107"},
		{"unix:/a," + long, "too long for a socket (at most 107"},
		{"unix:" + file + ",/a", "exists and is not a socket"},
		{"unix:" + dir + "/no/such,/a", "no such file or directory"},
		{"udp:127.0.0.1:1", "want unix:LOCAL,PEER"},
		{"udp:localhost:1,127.0.0.1:2", "own address"},
		{"udp:127.0.0.1:1,127.0.0.1", "peer's address"},
		{"udp:127.0.0.1:1,127.0.0.1:0", "want a unicast address and a port"},
		{"udp:127.0.0.1:1,0.0.0.0:1", "want a unicast address and a port"},
		{"udp:127.0.0.1:1,[::1]:1", "one end is IPv4"},
		{"udp:192.0.2.1:1,127.0.0.1:1", "cannot assign requested address"},
	} {
		_, err := datagram.Open(tt.spec, options(0))
		require.ErrorContains(t, err, tt.want, tt.spec)
		require.ErrorContains(t, err, fmt.Sprintf("datagram wire %q: ", tt.spec))
	}
	good := specs(t, "unix")
	require.NoError(t, datagram.Check(good[0]))
	require.ErrorContains(t, datagram.Check("unix:/a"), `datagram wire "unix:/a": want unix:LOCAL,PEER`)
	for _, tt := range []struct {
		change func(*datagram.Options)
		want   string
	}{
		{func(o *datagram.Options) { o.Addr = netip.Addr{} }, "is not IPv4"},
		{func(o *datagram.Options) { o.Addr = netip.MustParseAddr("::1") }, "address ::1 is not IPv4"},
		{func(o *datagram.Options) { o.MAC = nil }, `own ethernet address "": want 6 bytes`},
		{func(o *datagram.Options) { o.Gateway = nil }, `gateway's ethernet address "": want 6 bytes`},
		{func(o *datagram.Options) { o.MAC = net.HardwareAddr{1, 0, 0, 0, 0, 0} }, "is a multicast address"},
		{func(o *datagram.Options) { o.MTU = 200 }, "mtu 200"},
		{func(o *datagram.Options) { o.MTU = 1 << 17 }, "mtu 131072"},
	} {
		o := options(0)
		tt.change(&o)
		_, err := datagram.Open(good[0], o)
		require.ErrorContains(t, err, "datagram wire: ")
		require.ErrorContains(t, err, tt.want)
	}
}

func TestBusy(t *testing.T) {
	for _, network := range []string{"unix", "abstract", "udp127.0.0.1"} {
		sp := specs(t, network)
		w := open(t, sp[0], 0)
		_, err := datagram.Open(sp[0], options(0))
		require.ErrorContains(t, err, "is another server running?")
		require.NoError(t, w.Close())
	}
	// The socket of a process that was killed does not stand in the way.
	sp := specs(t, "unix")
	local := strings.Split(strings.TrimPrefix(sp[0], "unix:"), ",")[0]
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: local, Net: "unixgram"})
	require.NoError(t, err)
	require.NoError(t, c.Close())
	require.FileExists(t, local)
	require.NoError(t, open(t, sp[0], 0).Close())
}

func TestNoAllocations(t *testing.T) {
	for _, network := range []string{"unix", "udp127.0.0.1"} {
		conn, mr := connect(t, network)
		wr := rdma.SendWR{Op: rdma.OpWrite, Local: make([]byte, 64), VA: mr.Addr(), RKey: mr.Key()}
		buf := make([]rdma.Completion, 4)
		round := func() {
			if _, err := conn.QP().PostSend(wr); err != nil {
				t.Fatal(err)
			}
			for conn.QP().SendCQ().Poll(buf) == 0 {
				<-conn.QP().SendCQ().Ready()
			}
		}
		for range 100 {
			round()
		}
		require.Zero(t, testing.AllocsPerRun(1000, round))
	}
}
