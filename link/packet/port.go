package packet

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/internal/mmsg"
	"github.com/p4ce/p4ce/link/internal/own"
)

const (
	// queue is how many frames may wait for the interface.
	queue = 2048
	// tagLen is the length of a VLAN tag, for which there is room before each frame
	// that is received.
	tagLen = 4
)

// Port is a link.Port over an AF_PACKET socket: all frames of an interface, which is
// in promiscuous mode.
type Port struct {
	*socket
	name string
	rx   *mmsg.Receiver
	tx   *mmsg.Sender
}

// OpenPort opens a port on an interface of the current network namespace.
func OpenPort(iface string) (*Port, error) {
	ifi, err := own.Interface(iface)
	if err != nil {
		return nil, err
	}
	p := &Port{name: iface}
	p.socket, err = open(ifi, unix.ETH_P_ALL, func(fd int) error {
		mreq := unix.PacketMreq{Ifindex: int32(ifi.Index), Type: unix.PACKET_MR_PROMISC}
		if err := unix.SetsockoptPacketMreq(fd, unix.SOL_PACKET, unix.PACKET_ADD_MEMBERSHIP, &mreq); err != nil {
			return fmt.Errorf("promiscuous mode: %w", err)
		}
		return setOption(fd, unix.PACKET_AUXDATA, "PACKET_AUXDATA")
	})
	if err != nil {
		return nil, fmt.Errorf("interface %q: %w", iface, err)
	}
	p.rx = mmsg.NewReceiver(p.raw, batch, tagLen+link.MaxFrame, tagLen, restore)
	p.tx = mmsg.NewSender(p.raw, p.file.SetWriteDeadline, queue, 0)
	return p, nil
}

// Receive implements link.Port. What the kernel did to a frame on its way to the socket
// is undone: a VLAN tag is put back, and a transport checksum completed that the sender
// left to hardware that a virtual link does not have.
func (p *Port) Receive(frames [][]byte) (int, error) { return p.rx.Receive(frames) }

// restore makes the frame that was sent of one that was received.
func restore(b *mmsg.Batch, i int) []byte {
	buf := b.Buf(i)[:tagLen+b.Received(i)]
	frame := buf[tagLen:]
	aux, _ := b.Auxdata(i)
	if aux.Status&unix.TP_STATUS_CSUMNOTREADY != 0 {
		completeChecksum(frame)
	}
	const addresses = 12
	if aux.Status&unix.TP_STATUS_VLAN_VALID == 0 || len(frame) < addresses {
		return frame
	}
	tpid := uint16(unix.ETH_P_8021Q)
	if aux.Status&unix.TP_STATUS_VLAN_TPID_VALID != 0 {
		tpid = aux.Vlan_tpid
	}
	copy(buf, frame[:addresses])
	binary.BigEndian.PutUint16(buf[addresses:], tpid)
	binary.BigEndian.PutUint16(buf[addresses+2:], aux.Vlan_tci)
	return buf
}

// Buffer implements link.Port. It never waits.
func (p *Port) Buffer() []byte { return p.tx.Buffer() }

// Send implements link.Port.
func (p *Port) Send(frame []byte) { p.tx.Queue(frame) }

// Flush implements link.Port. It never waits.
func (p *Port) Flush() error { return p.tx.Flush() }

// Counters implements link.Port.
func (p *Port) Counters() link.Counters {
	c := p.tx.Counters()
	c.TooLong = p.rx.TooLong()
	return c
}

// Up implements link.Port: the interface has a carrier. It asks through the socket,
// which stays in the network namespace that it was made in, whatever thread the caller
// is on.
func (p *Port) Up() bool {
	req, err := unix.NewIfreq(p.name)
	if err != nil {
		return false
	}
	up := false
	_ = p.raw.Control(func(fd uintptr) {
		up = unix.IoctlIfreq(int(fd), unix.SIOCGIFFLAGS, req) == nil && req.Uint16()&unix.IFF_RUNNING != 0
	})
	return up
}

// Close implements link.Port.
func (p *Port) Close() error {
	err := p.file.Close()
	if err == nil {
		p.tx.Close()
	}
	return err
}
