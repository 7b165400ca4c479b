package xdp_test

import (
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/builtin"
	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/lab"
)

// sniffer is a packet socket on a host's interface.
type sniffer struct{ fd int }

func newSniffer(t *testing.T, l *lab.Lab, h *lab.Host) *sniffer {
	s := &sniffer{}
	require.NoError(t, l.InHost(h, func() error {
		ifi, err := net.InterfaceByName(lab.Interface)
		if err != nil {
			return err
		}
		all := uint16(unix.ETH_P_ALL<<8 | unix.ETH_P_ALL>>8)
		if s.fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, int(all)); err != nil {
			return err
		}
		tv := unix.NsecToTimeval(int64(5 * time.Second))
		if err := unix.SetsockoptTimeval(s.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &tv); err != nil {
			return err
		}
		return unix.Bind(s.fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: ifi.Index})
	}))
	t.Cleanup(func() { unix.Close(s.fd) })
	return s
}

// next returns the next frame with the given EtherType that the host receives.
func (s *sniffer) next(t *testing.T, etherType uint16) []byte {
	t.Helper()
	b := make([]byte, 4096)
	for {
		n, from, err := unix.Recvfrom(s.fd, b, 0)
		require.NoError(t, err, "no frame of type %#x came", etherType)
		if ll, ok := from.(*unix.SockaddrLinklayer); ok && ll.Pkttype == unix.PACKET_OUTGOING {
			continue
		}
		if n >= 14 && uint16(b[12])<<8|uint16(b[13]) == etherType {
			return b[:n]
		}
	}
}

func (s *sniffer) send(t *testing.T, frame []byte) {
	t.Helper()
	_, err := unix.Write(s.fd, frame)
	require.NoError(t, err)
}

// TestCPUPort sends a frame from the controller out of a port, and one from a
// host up to the controller.
func TestCPUPort(t *testing.T) {
	needs.Root(t, "XDP")
	l, err := lab.New(2)
	require.NoError(t, err)
	defer l.Close()
	pipeline, err := builtin.Pipeline("rdma")
	require.NoError(t, err)
	var target *xdp.Target
	var mu sync.Mutex
	up := make(chan []byte, 16)
	require.NoError(t, l.InSwitch(func() error {
		var err error
		if target, err = xdp.New(xdp.Config{CPUPort: 64}); err != nil {
			return err
		}
		target.SetEvents(dataplane.Events{PacketIn: func(frame []byte) {
			mu.Lock()
			defer mu.Unlock()
			select {
			case up <- append([]byte(nil), frame...):
			default:
			}
		}})
		for _, h := range l.Hosts {
			if err := target.AddPort(dataplane.Port(h.Port), h.PortInterface()); err != nil {
				return err
			}
		}
		return target.Load(pipeline)
	}))
	defer l.InSwitch(target.Close)

	// Down: packet_out {egress_port 2}, then the frame.
	host := newSniffer(t, l, l.Hosts[1])
	frame := append([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 9, 0x88, 0xb5}, make([]byte, 46)...)
	require.NoError(t, l.InSwitch(func() error { return target.PacketOut(append([]byte{0, 2, 0, 0}, frame...)) }))
	got := host.next(t, 0x88b5)
	require.Equal(t, frame, got, "drops: %v", target.Drops())

	// Up: an unknown destination goes to the CPU with its port and reason.
	host.send(t, frame)
	deadline := time.After(5 * time.Second)
	for {
		select {
		case f := <-up:
			if len(f) > 18 && f[4+12] == 0x88 {
				require.Equal(t, []byte{0, 2, 0, 2}, f[:4])
				require.Equal(t, frame, f[4:])
				return
			}
		case <-deadline:
			t.Fatalf("no packet-in came; drops: %v", target.Drops())
		}
	}
}

// TestFlood: the program l2 on real interfaces. A broadcast frame comes out of every port
// but its own, once, and its sender is reported; the answer goes one way.
func TestFlood(t *testing.T) {
	needs.Root(t, "XDP")
	l, err := lab.New(3)
	require.NoError(t, err)
	defer l.Close()
	pipeline, err := builtin.Pipeline("l2")
	require.NoError(t, err)
	var target *xdp.Target
	digests := make(chan [][]byte, 256)
	require.NoError(t, l.InSwitch(func() error {
		var err error
		if target, err = xdp.New(xdp.Config{CPUPort: 64}); err != nil {
			return err
		}
		target.SetEvents(dataplane.Events{Digest: func(d dataplane.Digest) {
			select {
			case digests <- d.Fields:
			default:
			}
		}})
		var all []dataplane.Replica
		for _, h := range l.Hosts {
			all = append(all, dataplane.Replica{Port: dataplane.Port(h.Port)})
			if err := target.AddPort(dataplane.Port(h.Port), h.PortInterface()); err != nil {
				return err
			}
		}
		if err := target.Load(pipeline); err != nil {
			return err
		}
		return target.SetGroup(1, all)
	}))
	defer l.InSwitch(target.Close)
	var at []*sniffer
	for _, h := range l.Hosts {
		at = append(at, newSniffer(t, l, h))
	}
	frame := func(dst, src, n byte) []byte {
		return append([]byte{dst, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, src, 0x88, 0xb5, n}, make([]byte, 45)...)
	}
	at[0].send(t, frame(0xff, 1, 1))
	require.Equal(t, frame(0xff, 1, 1), at[1].next(t, 0x88b5))
	require.Equal(t, frame(0xff, 1, 1), at[2].next(t, 0x88b5))
	for learned := false; !learned; {
		select {
		case d := <-digests: // hosts speak IPv6 of their own accord
			learned = string(d[0]) == "\x02\x00\x00\x00\x00\x01"
			if learned {
				require.Equal(t, []byte{0, 1}, d[1])
			}
		case <-time.After(5 * time.Second):
			t.Fatal("no digest came")
		}
	}
	// Had the first come back to its sender, or twice to the others, it would be there
	// before the second.
	at[1].send(t, frame(0xff, 2, 2))
	require.Equal(t, frame(0xff, 2, 2), at[0].next(t, 0x88b5))
	require.Equal(t, frame(0xff, 2, 2), at[2].next(t, 0x88b5))
	require.NoError(t, target.Insert(dataplane.NewEntry(pipeline.Program, "destination", []uint64{0x02ffffffffff}, 0, "forward", 3)))
	at[0].send(t, frame(2, 1, 3))
	require.Equal(t, frame(2, 1, 3), at[2].next(t, 0x88b5))
	at[2].send(t, frame(0xff, 3, 4))
	require.Equal(t, frame(0xff, 3, 4), at[0].next(t, 0x88b5))
	require.Equal(t, frame(0xff, 3, 4), at[1].next(t, 0x88b5), "the third went to port 3 only")
}

// TestManyCopies: a group may have more copies than the map that it has at first. Each copy comes out once, also when the group grows and
// shrinks.
func TestManyCopies(t *testing.T) {
	needs.Root(t, "XDP")
	l, err := lab.New(3)
	require.NoError(t, err)
	defer l.Close()
	pipeline, err := builtin.Pipeline("l2")
	require.NoError(t, err)
	var target *xdp.Target
	require.NoError(t, l.InSwitch(func() error {
		var err error
		if target, err = xdp.New(xdp.Config{CPUPort: 64}); err != nil {
			return err
		}
		for _, h := range l.Hosts {
			if err := target.AddPort(dataplane.Port(h.Port), h.PortInterface()); err != nil {
				return err
			}
		}
		return target.Load(pipeline)
	}))
	defer l.InSwitch(target.Close)
	from, second, third := newSniffer(t, l, l.Hosts[0]), newSniffer(t, l, l.Hosts[1]), newSniffer(t, l, l.Hosts[2])
	frame := func(n byte) []byte {
		return append([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 9, 0x88, 0xb5, n}, make([]byte, 45)...)
	}
	set := func(copies int) error { // in turn to hosts 2 and 3
		var list []dataplane.Replica
		for i := range copies {
			list = append(list, dataplane.Replica{Port: dataplane.Port(l.Hosts[1+i%2].Port), Instance: uint16(i)})
		}
		return l.InSwitch(func() error { return target.SetGroup(1, list) })
	}
	var n byte
	for _, copies := range []int{4, 16, 17, 64, 20, 2, 18} {
		require.NoError(t, set(copies))
		n++
		from.send(t, frame(n))
		for range copies / 2 {
			require.Equal(t, frame(n), third.next(t, 0x88b5), "%d copies", copies)
		}
		for range copies - copies/2 {
			require.Equal(t, frame(n), second.next(t, 0x88b5), "%d copies", copies)
		}
	}
	require.ErrorIs(t, set(65), dataplane.ErrFull)
	n++
	from.send(t, frame(n)) // a copy too many would be there before these
	for range 9 {
		require.Equal(t, frame(n), third.next(t, 0x88b5))
		require.Equal(t, frame(n), second.next(t, 0x88b5))
	}
}
