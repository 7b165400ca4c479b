package packet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/internal/mmsg"
	"github.com/p4ce/p4ce/link/internal/port"
	"github.com/p4ce/p4ce/link/neighbour"
	"github.com/p4ce/p4ce/roce/wire"
)

const batch = 64

// Wire is a link.Wire over an AF_PACKET socket.
type Wire struct {
	info     link.Info
	file     *os.File
	sock     *mmsg.Socket
	resolver *neighbour.Resolver
	port     *net.UDPConn
}

// Open opens a wire on an interface of the current network namespace. addr is
// one of its IPv4 addresses; the zero Addr means its first.
func Open(iface string, addr netip.Addr) (_ *Wire, err error) {
	ifi, info, err := port.Interface(iface, addr)
	if err != nil {
		return nil, fmt.Errorf("packet wire: %w", err)
	}
	w := &Wire{info: info}
	defer func() {
		if err != nil {
			_ = w.Close()
			err = fmt.Errorf("packet wire on %s: %w", iface, err)
		}
	}()
	// Protocol 0 receives nothing until bind, so no frame comes unfiltered.
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("AF_PACKET socket: %w (needs CAP_NET_RAW)", err)
	}
	w.file = os.NewFile(uintptr(fd), "af_packet:"+iface)
	if err := setOptions(fd, info.Addr); err != nil {
		return nil, err
	}
	if err := unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: htons(unix.ETH_P_IP), Ifindex: ifi.Index}); err != nil {
		return nil, fmt.Errorf("bind: %w", err)
	}
	raw, err := w.file.SyscallConn()
	if err != nil {
		return nil, err
	}
	w.sock = mmsg.NewSocket(raw, batch, info.MTU+wire.EthernetLen+64, 0, false)
	if w.port, err = port.Hold(info.Addr); err != nil {
		return nil, err
	}
	w.resolver, err = neighbour.New(ifi, w.port)
	return w, err
}

func htons(v uint16) uint16 { return v<<8 | v>>8 }

func setOptions(fd int, addr netip.Addr) error {
	f := filter(addr.As4())
	prog := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	if err := unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &prog); err != nil {
		return fmt.Errorf("filter: %w", err)
	}
	for _, o := range []struct {
		name int
		what string
	}{{unix.PACKET_QDISC_BYPASS, "PACKET_QDISC_BYPASS"}, {unix.PACKET_IGNORE_OUTGOING, "PACKET_IGNORE_OUTGOING (Linux 4.20)"}} {
		if err := unix.SetsockoptInt(fd, unix.SOL_PACKET, o.name, 1); err != nil {
			return fmt.Errorf("%s: %w", o.what, err)
		}
	}
	return mmsg.SetBuffers(fd)
}

// filter is the classic BPF program that lets unfragmented IPv4 UDP packets
// without options to addr, port 4791, through.
func filter(addr [4]byte) []unix.SockFilter {
	const (
		load8  = unix.BPF_LD | unix.BPF_B | unix.BPF_ABS
		load16 = unix.BPF_LD | unix.BPF_H | unix.BPF_ABS
		load32 = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		jeq    = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		jset   = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
		ret    = unix.BPF_RET | unix.BPF_K
	)
	dst := uint32(addr[0])<<24 | uint32(addr[1])<<16 | uint32(addr[2])<<8 | uint32(addr[3])
	// Each jump that fails goes to the last instruction.
	return []unix.SockFilter{
		{Code: load16, K: 12},
		{Code: jeq, K: wire.EtherTypeIPv4, Jf: 11},
		{Code: load8, K: 14},
		{Code: jeq, K: 0x45, Jf: 9},
		{Code: load8, K: 23},
		{Code: jeq, K: wire.ProtocolUDP, Jf: 7},
		{Code: load16, K: 20},
		{Code: jset, K: 0x3fff, Jt: 5},
		{Code: load32, K: 30},
		{Code: jeq, K: dst, Jf: 3},
		{Code: load16, K: 36},
		{Code: jeq, K: wire.UDPPort, Jf: 1},
		{Code: ret, K: 1 << 18},
		{Code: ret, K: 0},
	}
}

// Info implements link.Wire.
func (w *Wire) Info() link.Info { return w.info }

// Receive implements link.Wire.
func (w *Wire) Receive(frames [][]byte) (int, error) {
	n, err := w.sock.Receive(len(frames))
	if err != nil {
		return 0, err
	}
	rx := w.sock.RX()
	for i := range n {
		frames[i] = rx.Buf(i)[:rx.Received(i)]
	}
	return n, nil
}

// Buffer implements link.Wire.
func (w *Wire) Buffer() []byte {
	if w.sock.Full() {
		// Errors of single frames are losses, which the transport repairs.
		_ = w.sock.Flush()
	}
	tx, i := w.sock.TX()
	return tx.Buf(i)[:0]
}

// Send implements link.Wire.
func (w *Wire) Send(frame []byte) { w.sock.Queue(frame) }

// Flush implements link.Wire.
func (w *Wire) Flush() error { return w.sock.Flush() }

// SendErrors returns how many frames the kernel refused to send.
func (w *Wire) SendErrors() uint64 { return w.sock.SendErrors() }

// Resolve implements link.Wire.
func (w *Wire) Resolve(ctx context.Context, ip netip.Addr) (wire.MAC, error) {
	return w.resolver.Resolve(ctx, ip)
}

// Close implements link.Wire.
func (w *Wire) Close() error {
	var errs []error
	if w.file != nil {
		errs = append(errs, w.file.Close())
	}
	if w.resolver != nil {
		w.resolver.Close()
	}
	if w.port != nil {
		errs = append(errs, w.port.Close())
	}
	return errors.Join(errs...)
}
