package udp

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/internal/mmsg"
	"github.com/p4ce/p4ce/link/internal/own"
	"github.com/p4ce/p4ce/roce/icrc"
	"github.com/p4ce/p4ce/roce/wire"
)

const (
	headers = wire.EthernetLen + wire.IPv4Len + wire.UDPLen
	batch   = 64
	// networkPort is the port as sin_port has it on a little-endian host.
	networkPort = wire.UDPPort&0xff<<8 | wire.UDPPort>>8
)

// Wire is a link.Wire over a UDP socket.
type Wire struct {
	conn *net.UDPConn
	raw  syscall.RawConn
	sock *mmsg.Socket
	addr wire.Addr
	mtu  int
	tos  int // of the socket
}

// Open binds to port 4791 of a local IPv4 address.
func Open(addr netip.Addr) (*Wire, error) {
	a, ok := wire.AddrFrom(addr)
	if !ok {
		return nil, fmt.Errorf("udp wire: address %v is not IPv4", addr)
	}
	mtu, err := linkMTU(addr)
	if err != nil {
		return nil, fmt.Errorf("udp wire on %v: %w", addr, err)
	}
	conn, err := own.Bind(addr, setOptions)
	if err != nil {
		return nil, fmt.Errorf("udp wire: %w", err)
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("udp wire on %v: %w", addr, err)
	}
	w := &Wire{conn: conn, raw: raw, addr: a, mtu: mtu}
	w.sock = mmsg.NewSocket(raw, batch, wire.MaxFrame+64, headers, w.frame, true)
	return w, nil
}

func setOptions(fd int) error {
	for _, o := range []struct {
		level, name, value int
		what               string
	}{
		// DO rather than PROBE would learn a smaller path MTU and refuse to
		// send; both set the flag that makes the identification 0.
		{unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, unix.IP_PMTUDISC_PROBE, "IP_MTU_DISCOVER"},
		{unix.IPPROTO_IP, unix.IP_RECVTOS, 1, "IP_RECVTOS"},
		{unix.SOL_SOCKET, unix.SO_NO_CHECK, 1, "SO_NO_CHECK"},
	} {
		if err := unix.SetsockoptInt(fd, o.level, o.name, o.value); err != nil {
			return fmt.Errorf("%s: %w", o.what, err)
		}
	}
	return mmsg.SetBuffers(fd)
}

// linkMTU finds the MTU of the interface that has addr.
func linkMTU(addr netip.Addr) (int, error) {
	ifs, err := net.Interfaces()
	if err != nil {
		return 0, err
	}
	for _, ifi := range ifs {
		as, err := ifi.Addrs()
		if err != nil {
			continue // the interface has just gone
		}
		for _, a := range as {
			p, err := netip.ParsePrefix(a.String())
			// All of 127/8 is local.
			if err == nil && (p.Addr() == addr || addr.IsLoopback() && p.Contains(addr)) {
				return ifi.MTU, nil
			}
		}
	}
	return 0, fmt.Errorf("no interface has the address")
}

// Info implements link.Wire.
func (w *Wire) Info() link.Info {
	return link.Info{Addr: w.addr.Netip(), MTU: w.mtu, SrcPort: wire.UDPPort}
}

// Receive implements link.Wire. The headers before the payload are made up from
// what the socket tells; Ethernet addresses are 0.
func (w *Wire) Receive(frames [][]byte) (int, error) { return w.sock.Receive(frames) }

// frame puts headers before a payload that was received.
func (w *Wire) frame(b *mmsg.Batch, i int) []byte {
	f := b.Buf(i)[:headers+b.Received(i)]
	name := b.Inet4(i)
	w.putHeaders(f, wire.Addr(name.Addr), name.Port>>8|name.Port<<8, b.TOS(i))
	return f
}

func (w *Wire) putHeaders(f []byte, src wire.Addr, port uint16, tos uint8) {
	clear(f[:headers])
	wire.Ethernet(f).SetEtherType(wire.EtherTypeIPv4)
	datagram := f[wire.EthernetLen:]
	ip := wire.IPv4(datagram)
	ip.SetVersionLen()
	ip.SetTOS(tos)
	ip.SetTotalLen(len(datagram))
	ip.SetDF()
	ip.SetTTL(wire.DefaultTTL)
	ip.SetProtocol(wire.ProtocolUDP)
	ip.SetSrc(src)
	ip.SetDst(w.addr)
	udp := wire.UDP(datagram[wire.IPv4Len:])
	udp.SetSrcPort(port)
	udp.SetDstPort(wire.UDPPort)
	udp.SetLen(len(datagram) - wire.IPv4Len)
	if id, ok := icrc.Identification(datagram); ok {
		ip.SetID(id)
	}
	ip.SetChecksum()
}

// Buffer implements link.Wire.
func (w *Wire) Buffer() []byte { return w.sock.Buffer() }

// Send implements link.Wire.
func (w *Wire) Send(frame []byte) {
	if len(frame) <= headers {
		return
	}
	ip := wire.IPv4(frame[wire.EthernetLen:])
	if tos := int(ip.TOS()); tos != w.tos {
		// Rare: the type of service belongs to the socket.
		_ = w.sock.Flush()
		_ = w.raw.Control(func(fd uintptr) { _ = unix.SetsockoptInt(int(fd), unix.IPPROTO_IP, unix.IP_TOS, tos) })
		w.tos = tos
		// The flush has moved the next buffer; the frame still lies in its own.
		frame = append(w.sock.Buffer(), frame...)
		ip = wire.IPv4(frame[wire.EthernetLen:])
	}
	name := w.sock.Name()
	name.Family = unix.AF_INET
	name.Port = networkPort
	name.Addr = ip.Dst()
	w.sock.Queue(frame[headers:])
}

// Flush implements link.Wire.
func (w *Wire) Flush() error { return w.sock.Flush() }

// SendErrors returns how many packets the kernel refused to send.
func (w *Wire) SendErrors() uint64 { return w.sock.SendErrors() }

// Resolve implements link.Wire: the kernel fills in Ethernet addresses.
func (w *Wire) Resolve(context.Context, netip.Addr) (wire.MAC, error) { return wire.MAC{}, nil }

// Close implements link.Wire.
func (w *Wire) Close() error { return w.conn.Close() }
