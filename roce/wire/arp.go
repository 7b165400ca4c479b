package wire

import "encoding/binary"

const (
	// EtherTypeARP is the EtherType of ARP.
	EtherTypeARP = 0x0806
	// ARPLen is the length of an ARP packet for IPv4 over Ethernet.
	ARPLen = 28
	// ARPRequest and ARPReply are operations of ARP.
	ARPRequest = 1
	ARPReply   = 2
	// MinFrame is the shortest Ethernet frame, without FCS.
	MinFrame = 60
)

// ARP is an ARP packet for IPv4 over Ethernet (RFC 826).
type ARP struct {
	Op                   uint16
	SenderMAC, TargetMAC MAC
	Sender, Target       Addr
}

// ParseARP reads a frame; ok is false for what is neither a request nor a reply.
func ParseARP(frame []byte) (a ARP, ok bool) {
	if len(frame) < EthernetLen+ARPLen {
		return a, false
	}
	b := frame[EthernetLen:]
	be := binary.BigEndian
	if be.Uint16(frame[12:]) != EtherTypeARP || be.Uint16(b) != 1 || be.Uint16(b[2:]) != EtherTypeIPv4 || b[4] != 6 || b[5] != 4 {
		return a, false
	}
	a.Op = be.Uint16(b[6:])
	copy(a.SenderMAC[:], b[8:])
	copy(a.Sender[:], b[14:])
	copy(a.TargetMAC[:], b[18:])
	copy(a.Target[:], b[24:])
	return a, a.Op == ARPRequest || a.Op == ARPReply
}

// Frame is the packet in a frame between two Ethernet addresses.
func (a ARP) Frame(src, dst MAC) []byte {
	f := make([]byte, MinFrame)
	copy(f, dst[:])
	copy(f[6:], src[:])
	be := binary.BigEndian
	be.PutUint16(f[12:], EtherTypeARP)
	b := f[EthernetLen:]
	be.PutUint16(b, 1)
	be.PutUint16(b[2:], EtherTypeIPv4)
	b[4], b[5] = 6, 4
	be.PutUint16(b[6:], a.Op)
	copy(b[8:], a.SenderMAC[:])
	copy(b[14:], a.Sender[:])
	copy(b[18:], a.TargetMAC[:])
	copy(b[24:], a.Target[:])
	return f
}

// Reply answers a request: the target is at mac.
func (a ARP) Reply(mac MAC) ARP {
	return ARP{Op: ARPReply, SenderMAC: mac, Sender: a.Target, TargetMAC: a.SenderMAC, Target: a.Sender}
}
