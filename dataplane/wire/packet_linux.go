package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// packetWire is an AF_PACKET socket on a network interface.
type packetWire struct {
	name string
	f    *os.File
	raw  syscall.RawConn
	oob  []byte
	dst  unix.SockaddrLinklayer
}

func openPacket(name string) (Wire, error) {
	ifc, err := net.InterfaceByName(name)
	if err != nil {
		return nil, fmt.Errorf("interface %q does not exist in this network namespace", name)
	}
	proto := htons(unix.ETH_P_ALL)
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		if errors.Is(err, unix.EPERM) {
			return nil, fmt.Errorf("interface %q: packet socket: %w [needs CAP_NET_RAW; ports udp:… and unix:… need no privilege]", name, err)
		}
		return nil, fmt.Errorf("interface %q: packet socket: %w", name, err)
	}
	fail := func(what string, err error) (Wire, error) {
		unix.Close(fd)
		return nil, fmt.Errorf("interface %q: %s: %w", name, what, err)
	}
	// Without it the socket would see what it sends (Linux 4.20).
	if err := unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1); err != nil {
		return fail("PACKET_IGNORE_OUTGOING [needs Linux 4.20]", err)
	}
	if err := unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_AUXDATA, 1); err != nil {
		return fail("PACKET_AUXDATA", err)
	}
	mreq := unix.PacketMreq{Ifindex: int32(ifc.Index), Type: unix.PACKET_MR_PROMISC}
	if err := unix.SetsockoptPacketMreq(fd, unix.SOL_PACKET, unix.PACKET_ADD_MEMBERSHIP, &mreq); err != nil {
		return fail("promiscuous mode", err)
	}
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, udpBuffer) // root only; the default will do
	addr := unix.SockaddrLinklayer{Protocol: proto, Ifindex: ifc.Index}
	if err := unix.Bind(fd, &addr); err != nil {
		return fail("bind", err)
	}
	w := &packetWire{name: name, f: os.NewFile(uintptr(fd), "packet:"+name), oob: make([]byte, 128), dst: addr}
	if w.raw, err = w.f.SyscallConn(); err != nil {
		w.f.Close()
		return nil, fmt.Errorf("interface %q: %w", name, err)
	}
	return w, nil
}

func htons(v uint16) uint16 {
	var b [2]byte
	binary.BigEndian.PutUint16(b[:], v)
	return binary.NativeEndian.Uint16(b[:])
}

func (w *packetWire) ReadFrame(buf []byte) (int, error) {
	var n, oobn int
	var err error
	rerr := w.raw.Read(func(fd uintptr) bool {
		n, oobn, _, _, err = unix.Recvmsg(int(fd), buf, w.oob, 0)
		return !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EINTR)
	})
	if rerr != nil { // the file has been closed: there are no deadlines
		return 0, fmt.Errorf("interface %q: %w", w.name, net.ErrClosed)
	}
	if err != nil {
		return 0, fmt.Errorf("interface %q: receive: %w", w.name, err)
	}
	return w.restore(buf, n, w.oob[:oobn]), nil
}

// restore undoes what the kernel did to the frame on its way to the socket: it
// puts a VLAN tag back, and completes a transport checksum that the sender
// left to hardware that a virtual link does not have.
func (w *packetWire) restore(buf []byte, n int, oob []byte) int {
	msgs, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return n
	}
	for _, m := range msgs {
		if m.Header.Level != unix.SOL_PACKET || m.Header.Type != unix.PACKET_AUXDATA ||
			len(m.Data) < int(unsafe.Sizeof(unix.TpacketAuxdata{})) {
			continue
		}
		aux := (*unix.TpacketAuxdata)(unsafe.Pointer(&m.Data[0]))
		if aux.Status&unix.TP_STATUS_CSUMNOTREADY != 0 {
			completeChecksum(buf[:n])
		}
		if aux.Status&unix.TP_STATUS_VLAN_VALID != 0 && n >= 12 && n+4 <= len(buf) {
			tpid := uint16(unix.ETH_P_8021Q)
			if aux.Status&unix.TP_STATUS_VLAN_TPID_VALID != 0 {
				tpid = aux.Vlan_tpid
			}
			copy(buf[16:n+4], buf[12:n])
			binary.BigEndian.PutUint16(buf[12:], tpid)
			binary.BigEndian.PutUint16(buf[14:], aux.Vlan_tci)
			n += 4
		}
	}
	return n
}

func (w *packetWire) WriteFrame(frame []byte) error {
	var err error
	werr := w.raw.Write(func(fd uintptr) bool {
		err = unix.Sendto(int(fd), frame, 0, &w.dst)
		return !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EINTR)
	})
	if werr != nil {
		return fmt.Errorf("interface %q: %w", w.name, net.ErrClosed)
	}
	if err != nil {
		return fmt.Errorf("interface %q: send: %w", w.name, err)
	}
	return nil
}

// Up asks through the socket, which stays in the network namespace that it was
// made in, whatever thread the caller is on.
func (w *packetWire) Up() bool {
	req, err := unix.NewIfreq(w.name)
	if err != nil {
		return false
	}
	up := false
	_ = w.raw.Control(func(fd uintptr) {
		up = unix.IoctlIfreq(int(fd), unix.SIOCGIFFLAGS, req) == nil && req.Uint16()&unix.IFF_RUNNING != 0
	})
	return up
}

func (w *packetWire) Close() error { return w.f.Close() }
