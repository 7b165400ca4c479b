package packet

import (
	"fmt"
	"net"
	"net/netip"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/link/internal/mmsg"
	"github.com/p4ce/p4ce/link/internal/own"
	"github.com/p4ce/p4ce/link/tune"
	"github.com/p4ce/p4ce/roce/wire"
)

const batch = 64

// Wire is a link.Wire over an AF_PACKET socket.
type Wire struct {
	*socket
	*own.Place
	io *mmsg.Socket
}

// Open opens a wire on an interface of the current network namespace. addr is
// one of its IPv4 addresses; the zero Addr means its first.
func Open(iface string, addr netip.Addr) (*Wire, error) {
	ifi, err := own.Interface(iface)
	if err != nil {
		return nil, fmt.Errorf("packet wire: %w", err)
	}
	info, err := own.Describe(ifi, addr)
	if err != nil {
		return nil, fmt.Errorf("packet wire: %w", err)
	}
	w := &Wire{}
	// The filter is there before the first frame.
	w.socket, err = open(ifi, unix.ETH_P_IP, func(fd int) error {
		f := filter(info.Addr.As4())
		prog := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
		if err := unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &prog); err != nil {
			return fmt.Errorf("filter: %w", err)
		}
		return setOption(fd, unix.PACKET_QDISC_BYPASS, "PACKET_QDISC_BYPASS")
	})
	if err != nil {
		return nil, fmt.Errorf("packet wire on %s: %w", iface, err)
	}
	w.io = mmsg.NewSocket(w.raw, batch, info.MTU+wire.EthernetLen+64, 0, nil, false)
	if w.Place, err = own.Take(ifi, info, tune.Packet, func(ifi *net.Interface) error { return w.rebind(ifi, unix.ETH_P_IP) }); err != nil {
		_ = w.file.Close()
		return nil, fmt.Errorf("packet wire on %s: %w", iface, err)
	}
	return w, nil
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
	// What came in a VLAN lies there as if it had not. The kernel calls it another host's, as it does what is to another
	// Ethernet address (SKF_AD_OFF + SKF_AD_PKTTYPE).
	const packetType = 1<<32 - 0x1000 + 4
	// Each jump that fails goes to the last instruction.
	return []unix.SockFilter{
		{Code: load32, K: packetType},
		{Code: jeq, K: unix.PACKET_OTHERHOST, Jt: 13},
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

// Receive implements link.Wire.
func (w *Wire) Receive(frames [][]byte) (int, error) { return w.io.Receive(frames) }

// Buffer implements link.Wire.
func (w *Wire) Buffer() []byte { return w.io.Buffer() }

// Send implements link.Wire.
func (w *Wire) Send(frame []byte) { w.io.Queue(frame) }

// Flush implements link.Wire.
func (w *Wire) Flush() error { return w.io.Flush() }

// SendErrors returns how many frames the kernel refused to send.
func (w *Wire) SendErrors() uint64 { return w.io.SendErrors() }

// Close implements link.Wire.
func (w *Wire) Close() error {
	if err := w.file.Close(); err != nil { // closed already
		return err
	}
	return w.Leave()
}
