package control

import (
	"encoding/binary"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/paxos"
)

// Frames that the controller reads and writes itself: ARP, and messages in UDP.

// arpReply answers an ARP request by who has the address that is asked for. ok is
// false for what is no request.
func arpReply(frame []byte, find func(wire.Addr) (wire.MAC, bool)) (reply []byte, known, ok bool) {
	a, ok := wire.ParseARP(frame)
	if !ok || a.Op != wire.ARPRequest {
		return nil, false, false
	}
	mac, known := find(a.Target)
	if !known {
		return nil, false, true
	}
	return a.Reply(mac).Frame(mac, a.SenderMAC), true, true
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
	if ip[0] != 0x45 || ip[9] != wire.ProtocolUDP || be.Uint16(ip[6:])&0x3fff != 0 || total > len(ip) || total < wire.IPv4Len+8 || wire.Sum(0, ip[:wire.IPv4Len]) != 0xffff {
		return d, false
	}
	udp := ip[wire.IPv4Len:total]
	if int(be.Uint16(udp[4:])) != len(udp) || be.Uint16(udp[6:]) == 0 || wire.SumUDP(wire.Addr(ip[12:16]), wire.Addr(ip[16:20]), udp) != 0xffff {
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
	b = append(b, 0x45, 0, 0, 0, 0, 0, 0x40, 0, wire.DefaultTTL, wire.ProtocolUDP, 0, 0)
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
	be.PutUint16(ip[10:], ^wire.Sum(0, ip[:wire.IPv4Len]))
	wire.SetSumUDP(from.IP, to.IP, udp)
	return b, nil
}
