package onepipe

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/p4ce/p4ce/roce/wire"
)

// ControlPort is the UDP port of what hosts and the controller say to each other. Datagrams to it
// are no packets of 1Pipe: switches pass on those to a switch's address to the controller.
const ControlPort = 0x8861

// ControlKind is the kind of a message between a host and the controller.
type ControlKind uint8

// The kinds.
const (
	// Join asks to be admitted, and for numbers for processes. The host repeats it: until it is
	// admitted, and when it wants more numbers.
	Join ControlKind = 1
	// Joined is the answer.
	Joined ControlKind = 2
	// Leave says that the host has nothing more to send.
	Leave ControlKind = 3
)

// Control is a message between a host and the controller.
type Control struct {
	Kind     ControlKind
	Admitted bool   // Joined: the host may send
	Token    uint64 // of the host's run: another one is a host that has restarted
	Want     uint16 // Join: how many processes the host has, or is to have
	First    uint16 // Joined: the number of the first of them; the others follow
	Have     uint16 // Joined: how many numbers there are from First on
}

const controlLen = 16

// ErrControl is the error of Control.Parse.
var ErrControl = errors.New("onepipe: malformed control message")

// Append appends the message to b.
func (m *Control) Append(b []byte) []byte {
	be := binary.BigEndian
	admitted := byte(0)
	if m.Admitted {
		admitted = 1
	}
	b = append(b, byte(m.Kind), admitted)
	b = be.AppendUint64(b, m.Token)
	b = be.AppendUint16(b, m.Want)
	b = be.AppendUint16(b, m.First)
	return be.AppendUint16(b, m.Have)
}

// Parse reads a message.
func (m *Control) Parse(b []byte) error {
	if len(b) != controlLen {
		return fmt.Errorf("%w: %d bytes, not %d", ErrControl, len(b), controlLen)
	}
	be := binary.BigEndian
	*m = Control{
		Kind: ControlKind(b[0]), Admitted: b[1] == 1, Token: be.Uint64(b[2:]), Want: be.Uint16(b[10:]), First: be.Uint16(b[12:]),
		Have: be.Uint16(b[14:]),
	}
	if m.Kind < Join || m.Kind > Leave || b[1] > 1 {
		return fmt.Errorf("%w: kind %d", ErrControl, m.Kind)
	}
	return nil
}

// AppendControl appends the frame of a control message to b, which is empty.
func AppendControl(b []byte, srcMAC, dstMAC wire.MAC, src, dst wire.Addr, m *Control) []byte {
	b = append(append(append(b, dstMAC[:]...), srcMAC[:]...), 0x08, 0x00)
	b = append(b, 0x45, 0, 0, 0, 0, 0, 0x40, 0, wire.DefaultTTL, wire.ProtocolUDP, 0, 0) // may not be cut
	b = append(append(b, src[:]...), dst[:]...)
	b = append(b, ControlPort>>8, ControlPort&0xff, ControlPort>>8, ControlPort&0xff, 0, 0, 0, 0)
	b = m.Append(b)
	ip := wire.IPv4(b[wire.EthernetLen:])
	ip.SetTotalLen(len(ip))
	ip.SetChecksum()
	udp := wire.UDP(ip[wire.IPv4Len:])
	udp.SetLen(len(udp))
	wire.SetSumUDP(src, dst, udp)
	return b
}

// ParseControl reads a control message from a frame of that form, and checks its checksums.
func ParseControl(frame []byte) (from, to wire.Addr, m Control, ok bool) {
	if len(frame) < wire.EthernetLen+wire.IPv4Len+wire.UDPLen || wire.Ethernet(frame).EtherType() != wire.EtherTypeIPv4 {
		return from, to, m, false
	}
	ip := wire.IPv4(frame[wire.EthernetLen:])
	total := ip.TotalLen()
	if ip[0] != 0x45 || ip.Protocol() != wire.ProtocolUDP || ip.Fragment() || total > len(ip) || total < wire.IPv4Len+wire.UDPLen || !ip.ChecksumOK() {
		return from, to, m, false
	}
	udp := wire.UDP(ip[wire.IPv4Len:total])
	if udp.Len() != len(udp) || udp.DstPort() != ControlPort || udp.Checksum() == 0 || wire.SumUDP(ip.Src(), ip.Dst(), udp) != 0xffff {
		return from, to, m, false
	}
	return ip.Src(), ip.Dst(), m, m.Parse(udp[wire.UDPLen:]) == nil
}
