package control

import (
	"encoding/binary"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/paxos"
)

// Frames that the controller reads and writes itself: ARP, and messages in UDP.

const (
	etherTypeARP = 0x0806
	arpLen       = 28
	protocolUDP  = 17
	minFrame     = 60 // Ethernet's minimum without FCS
)

// arpReply answers an ARP request (RFC 826) by who has the address that is asked for. ok is
// false for what is no request.
func arpReply(frame []byte, find func(wire.Addr) (wire.MAC, bool)) (reply []byte, known, ok bool) {
	be := binary.BigEndian
	if len(frame) < wire.EthernetLen+arpLen || be.Uint16(frame[12:]) != etherTypeARP {
		return nil, false, false
	}
	b := frame[wire.EthernetLen:]
	if be.Uint16(b) != 1 || be.Uint16(b[2:]) != wire.EtherTypeIPv4 || b[4] != 6 || b[5] != 4 || be.Uint16(b[6:]) != 1 {
		return nil, false, false
	}
	mac, known := find(wire.Addr(b[24:28]))
	if !known {
		return nil, false, true
	}
	out := make([]byte, minFrame)
	copy(out, b[8:14])
	copy(out[6:], mac[:])
	copy(out[12:], frame[12:14])
	r := out[wire.EthernetLen:]
	copy(r, b[:6])
	r[7] = 2
	copy(r[8:], mac[:])
	copy(r[14:], b[24:28])
	copy(r[18:], b[8:18])
	return out, true, true
}

// datagram is a message, from whom, and to which port.
type datagram struct {
	src  wire.Addr
	dst  wire.Addr
	port uint16
	paxos.Message
}

// parseDatagram reads a message from a frame. The program has checked the checksums of what
// it knows; this checks those of what comes here.
func parseDatagram(frame []byte) (d datagram, ok bool) {
	be := binary.BigEndian
	if len(frame) < wire.EthernetLen+wire.IPv4Len+8 || be.Uint16(frame[12:]) != wire.EtherTypeIPv4 {
		return d, false
	}
	ip := frame[wire.EthernetLen:]
	total := int(be.Uint16(ip[2:]))
	if ip[0] != 0x45 || ip[9] != protocolUDP || be.Uint16(ip[6:])&0x3fff != 0 || total > len(ip) || total < wire.IPv4Len+8 || sum(0, ip[:wire.IPv4Len]) != 0xffff {
		return d, false
	}
	udp := ip[wire.IPv4Len:total]
	if int(be.Uint16(udp[4:])) != len(udp) || be.Uint16(udp[6:]) == 0 || sum(pseudo(ip, len(udp)), udp) != 0xffff {
		return d, false
	}
	d.src, d.dst, d.port = wire.Addr(ip[12:16]), wire.Addr(ip[16:20]), be.Uint16(udp[2:])
	return d, d.Parse(udp[8:]) == nil
}

// appendDatagram makes the frame of a message; both UDP ports are the application's.
func appendDatagram(b []byte, from, to Address, port uint16, m *paxos.Message) ([]byte, error) {
	be := binary.BigEndian
	start := len(b)
	b = append(b, to.MAC[:]...)
	b = append(b, from.MAC[:]...)
	b = be.AppendUint16(b, wire.EtherTypeIPv4)
	b = append(b, 0x45, 0, 0, 0, 0, 0, 0x40, 0, wire.DefaultTTL, protocolUDP, 0, 0)
	b = append(b, from.IP[:]...)
	b = append(b, to.IP[:]...)
	b = be.AppendUint16(b, port)
	b = be.AppendUint16(b, port)
	b = append(b, 0, 0, 0, 0)
	b, err := m.Append(b)
	if err != nil {
		return b[:start], err
	}
	ip := b[start+wire.EthernetLen:]
	udp := ip[wire.IPv4Len:]
	be.PutUint16(ip[2:], uint16(len(ip)))
	be.PutUint16(udp[4:], uint16(len(udp)))
	be.PutUint16(ip[10:], ^sum(0, ip[:wire.IPv4Len]))
	check := ^sum(pseudo(ip, len(udp)), udp)
	if check == 0 {
		check = 0xffff // RFC 768: 0 would mean none
	}
	be.PutUint16(udp[6:], check)
	return b, nil
}

// pseudo is the sum of UDP's pseudo header.
func pseudo(ip []byte, length int) uint32 {
	return uint32(sum(0, ip[12:20])) + protocolUDP + uint32(length)
}

// sum is the one's complement sum over 16-bit words (RFC 1071).
func sum(s uint32, b []byte) uint16 {
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
