package udp_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/lab/ownnet"
	"github.com/p4ce/p4ce/link/udp"
	"github.com/p4ce/p4ce/roce/icrc"
	"github.com/p4ce/p4ce/roce/wire"
)

func TestMain(m *testing.M) {
	ownnet.Enter()
	goleak.VerifyTestMain(m)
}

func device(t testing.TB, s string) *roce.Device {
	t.Helper()
	w, err := udp.Open(netip.MustParseAddr(s))
	require.NoError(t, err)
	d, err := roce.Open(w, roce.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func pair(t testing.TB, from, to string, cfg roce.QPConfig) (*roce.Conn, *roce.MR) {
	t.Helper()
	a, b := device(t, from), device(t, to)
	mr, err := b.RegisterMemory(make([]byte, 1<<16), rdma.LocalWrite|rdma.RemoteWrite|rdma.RemoteRead)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	l, err := b.Listen(1)
	require.NoError(t, err)
	accepted := make(chan error, 1)
	go func() {
		r, err := l.Accept(ctx)
		if err == nil {
			var qp *roce.QP
			if qp, err = b.CreateQP(roce.QPConfig{Access: rdma.RemoteRead | rdma.RemoteWrite}); err == nil {
				_, err = r.Accept(ctx, qp, nil)
			}
		}
		accepted <- err
	}()
	qp, err := a.CreateQP(cfg)
	require.NoError(t, err)
	conn, err := a.Dial(ctx, netip.AddrPortFrom(b.Addr(), 1), qp, nil)
	require.NoError(t, err)
	require.NoError(t, <-accepted)
	return conn, mr
}

func finish(t testing.TB, qp *roce.QP, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	buf := make([]rdma.Completion, 8)
	for n > 0 {
		require.NoError(t, qp.SendCQ().Wait(ctx))
		k := qp.SendCQ().Poll(buf)
		for _, c := range buf[:k] {
			require.NoError(t, roce.Status(c))
		}
		n -= k
	}
}

// TestTransfer moves data between two loopback addresses; the type of service
// differs between connections, so that the socket's must follow.
func TestTransfer(t *testing.T) {
	conn, mr := pair(t, "127.0.0.1", "127.0.0.2", roce.QPConfig{TOS: uint8(wire.ECT0)})
	data := bytes.Repeat([]byte("0123456789abcdef"), 4096)
	into := make([]byte, len(data))
	_, err := conn.QP().PostSend(
		rdma.SendWR{Op: rdma.OpWrite, Local: data, VA: mr.Addr(), RKey: mr.Key()},
		rdma.SendWR{Op: rdma.OpRead, Local: into, VA: mr.Addr(), RKey: mr.Key()},
	)
	require.NoError(t, err)
	finish(t, conn.QP(), 2)
	require.Equal(t, data, into)
	require.Zero(t, conn.QP().Counters().DropICRC)
	require.NoError(t, conn.Close())
}

// TestIdentification receives a packet with an identification that the socket
// does not show, and a damaged one.
func TestIdentification(t *testing.T) {
	w, err := udp.Open(netip.MustParseAddr("127.0.0.3"))
	require.NoError(t, err)
	defer w.Close()
	conn, err := net.DialUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 4)}, &net.UDPAddr{IP: net.IPv4(127, 0, 0, 3), Port: wire.UDPPort})
	require.NoError(t, err)
	defer conn.Close()
	f := wire.AppendFrame(nil, &wire.Header{
		Src: wire.Addr{127, 0, 0, 4}, Dst: wire.Addr{127, 0, 0, 3}, ID: 0x1234, Opcode: wire.WriteOnly,
		SrcPort: uint16(conn.LocalAddr().(*net.UDPAddr).Port),
	}, []byte("payload!"))
	receive := func() *wire.Packet {
		frames := make([][]byte, 4)
		n, err := w.Receive(frames)
		require.NoError(t, err)
		require.Equal(t, 1, n)
		p := new(wire.Packet)
		require.NoError(t, wire.Parse(frames[0], p))
		return p
	}
	_, err = conn.Write(f[42:])
	require.NoError(t, err)
	p := receive()
	require.True(t, p.ICRCOK())
	require.EqualValues(t, 0x1234, p.IP.ID())
	f[80] ^= 1
	_, err = conn.Write(f[42:])
	require.NoError(t, err)
	require.False(t, receive().ICRCOK())
}

// TestWhatTheKernelSends checks, on the loopback interface, the assumption that
// sending rests on: identification 0, don't-fragment, no checksum, and so a valid
// ICRC of the whole packet.
func TestWhatTheKernelSends(t *testing.T) {
	htons := func(v uint16) uint16 { return v<<8 | v>>8 }
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, int(htons(unix.ETH_P_IP)))
	if errors.Is(err, unix.EPERM) {
		needs.Root(t, "packet sockets")
	}
	require.NoError(t, err)
	defer unix.Close(fd)
	lo, err := net.InterfaceByName("lo")
	require.NoError(t, err)
	// Of the two endpoints alone: loopback may be busy with something else.
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 14 + 12}, // IPv4 source
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: 0x7f000005, Jt: 1},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: 0x7f000006, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: 1 << 16},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0},
	}
	require.NoError(t, unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}))
	require.NoError(t, unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: htons(unix.ETH_P_IP), Ifindex: lo.Index}))
	require.NoError(t, unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 10}))

	conn, mr := pair(t, "127.0.0.5", "127.0.0.6", roce.QPConfig{})
	_, err = conn.QP().PostSend(rdma.SendWR{Op: rdma.OpWrite, Local: make([]byte, 5000), VA: mr.Addr(), RKey: mr.Key()})
	require.NoError(t, err)
	finish(t, conn.QP(), 1)
	buf := make([]byte, 1<<16)
	for seen := 0; seen < 6; {
		n, err := unix.Read(fd, buf)
		require.NoError(t, err)
		var p wire.Packet
		if wire.Parse(buf[:n], &p) != nil {
			continue
		}
		seen++
		require.Zero(t, p.IP.ID())
		require.Zero(t, p.UDP.Checksum())
		require.True(t, icrc.Check(p.Datagram()), "%v", &p)
	}
}

func TestOpenErrors(t *testing.T) {
	_, err := udp.Open(netip.MustParseAddr("::1"))
	require.ErrorContains(t, err, "not IPv4")
	_, err = udp.Open(netip.MustParseAddr("203.0.113.9"))
	require.ErrorContains(t, err, "no interface has the address")
	w, err := udp.Open(netip.MustParseAddr("127.0.0.7"))
	require.NoError(t, err)
	_, err = udp.Open(netip.MustParseAddr("127.0.0.7"))
	require.ErrorContains(t, err, "udp wire: udp port 4791 of 127.0.0.7: listen udp4 127.0.0.7:4791: bind: address already in use (is another endpoint running?)")
	require.NoError(t, w.Close())
	_, err = w.Receive(make([][]byte, 1))
	require.ErrorIs(t, err, net.ErrClosed)
}

func TestNoAllocations(t *testing.T) {
	conn, mr := pair(t, "127.0.0.8", "127.0.0.9", roce.QPConfig{})
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

func FuzzReceive(f *testing.F) {
	frame := wire.AppendFrame(nil, &wire.Header{Opcode: wire.WriteOnly}, []byte("payload"))
	f.Add(frame[42:])
	f.Add(binary.BigEndian.AppendUint64(nil, 1))
	f.Fuzz(func(t *testing.T, payload []byte) {
		if len(payload) > 4000 {
			return
		}
		w, err := udp.Open(netip.MustParseAddr("127.0.0.10"))
		if err != nil {
			t.Skip(err) // another worker of the fuzzer has the port
		}
		defer w.Close()
		conn, err := net.Dial("udp4", "127.0.0.10:4791")
		require.NoError(t, err)
		defer conn.Close()
		_, err = conn.Write(payload)
		require.NoError(t, err)
		frames := make([][]byte, 1)
		n, err := w.Receive(frames)
		require.NoError(t, err)
		require.Equal(t, 1, n)
		require.Equal(t, payload, append([]byte{}, frames[0][42:]...))
		var p wire.Packet
		_ = wire.Parse(frames[0], &p)
	})
}
