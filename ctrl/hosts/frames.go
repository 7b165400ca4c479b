package hosts

import (
	"encoding/binary"

	"github.com/p4ce/p4ce/roce/wire"
)

const (
	etherTypeARP  = 0x0806
	etherTypeIPv4 = wire.EtherTypeIPv4
	arpLen        = 28
	arpRequest    = 1
	arpReply      = 2
	protocolICMP  = 1
	minFrame      = 60 // Ethernet's minimum without FCS
)

var broadcast = wire.MAC{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}

// arp is an ARP packet for IPv4 over Ethernet (RFC 826).
type arp struct {
	op                   uint16
	senderMAC, targetMAC wire.MAC
	sender, target       wire.Addr
}

func parseARP(frame []byte) (a arp, ok bool) {
	if len(frame) < wire.EthernetLen+arpLen {
		return a, false
	}
	b := frame[wire.EthernetLen:]
	be := binary.BigEndian
	if be.Uint16(frame[12:]) != etherTypeARP || be.Uint16(b) != 1 || be.Uint16(b[2:]) != etherTypeIPv4 || b[4] != 6 || b[5] != 4 {
		return a, false
	}
	a.op = be.Uint16(b[6:])
	copy(a.senderMAC[:], b[8:])
	copy(a.sender[:], b[14:])
	copy(a.targetMAC[:], b[18:])
	copy(a.target[:], b[24:])
	return a, a.op == arpRequest || a.op == arpReply
}

func (a arp) frame(src, dst wire.MAC) []byte {
	f := make([]byte, minFrame)
	copy(f, dst[:])
	copy(f[6:], src[:])
	be := binary.BigEndian
	be.PutUint16(f[12:], etherTypeARP)
	b := f[wire.EthernetLen:]
	be.PutUint16(b, 1)
	be.PutUint16(b[2:], etherTypeIPv4)
	b[4], b[5] = 6, 4
	be.PutUint16(b[6:], a.op)
	copy(b[8:], a.senderMAC[:])
	copy(b[14:], a.sender[:])
	copy(b[18:], a.targetMAC[:])
	copy(b[24:], a.target[:])
	return f
}

// ipv4 returns source, destination and header length of an IPv4 frame.
func ipv4(frame []byte) (src, dst wire.Addr, ihl int, ok bool) {
	if len(frame) < wire.EthernetLen+wire.IPv4Len || binary.BigEndian.Uint16(frame[12:]) != etherTypeIPv4 {
		return src, dst, 0, false
	}
	ip := frame[wire.EthernetLen:]
	ihl = int(ip[0]&0xf) * 4
	total := int(binary.BigEndian.Uint16(ip[2:]))
	if ip[0]>>4 != 4 || ihl < wire.IPv4Len || total < ihl || total > len(ip) {
		return src, dst, 0, false
	}
	copy(src[:], ip[12:])
	copy(dst[:], ip[16:])
	return src, dst, ihl, true
}

// echoReply turns an ICMP echo request into its reply, nil when it is none.
func echoReply(frame []byte, mac wire.MAC) []byte {
	src, dst, ihl, ok := ipv4(frame)
	if !ok {
		return nil
	}
	ip := frame[wire.EthernetLen:]
	total := int(binary.BigEndian.Uint16(ip[2:]))
	fragment := binary.BigEndian.Uint16(ip[6:]) & 0x3fff
	if ip[9] != protocolICMP || total < ihl+8 || ip[ihl] != 8 || fragment != 0 {
		return nil
	}
	out := append([]byte{}, frame...)
	copy(out, frame[6:12])
	copy(out[6:], mac[:])
	r := out[wire.EthernetLen:]
	copy(r[12:], dst[:])
	copy(r[16:], src[:])
	r[8] = wire.DefaultTTL
	r[10], r[11] = 0, 0
	binary.BigEndian.PutUint16(r[10:], ^sum(r[:ihl]))
	icmp := r[ihl:total]
	icmp[0] = 0
	icmp[2], icmp[3] = 0, 0
	binary.BigEndian.PutUint16(icmp[2:], ^sum(icmp))
	return out
}

// sum is the one's complement sum over 16-bit words.
func sum(b []byte) uint16 {
	var s uint32
	for ; len(b) >= 2; b = b[2:] {
		s += uint32(b[0])<<8 | uint32(b[1])
	}
	if len(b) == 1 {
		s += uint32(b[0]) << 8
	}
	for s > 0xffff {
		s = s>>16 + s&0xffff
	}
	return uint16(s)
}

// linkLocal reports whether frames to an address are for the other end of the cable only: LLDP, pause frames and
// others. No bridge passes them on (IEEE 802.1Q, 8.6.3).
func linkLocal(m wire.MAC) bool {
	return [5]byte(m[:5]) == [5]byte{0x01, 0x80, 0xc2, 0, 0} && m[5] < 0x10
}

func unicast(m wire.MAC) bool { return m[0]&1 == 0 && m != wire.MAC{} }
