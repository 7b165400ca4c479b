package hosts

import (
	"encoding/binary"

	"github.com/p4ce/p4ce/roce/wire"
)

const protocolICMP = 1

var broadcast = wire.MAC{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}

// ipv4 returns source, destination and header length of an IPv4 frame.
func ipv4(frame []byte) (src, dst wire.Addr, ihl int, ok bool) {
	if len(frame) < wire.EthernetLen+wire.IPv4Len || binary.BigEndian.Uint16(frame[12:]) != wire.EtherTypeIPv4 {
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
	binary.BigEndian.PutUint16(r[10:], ^wire.Sum(0, r[:ihl]))
	icmp := r[ihl:total]
	icmp[0] = 0
	icmp[2], icmp[3] = 0, 0
	binary.BigEndian.PutUint16(icmp[2:], ^wire.Sum(0, icmp))
	return out
}

// linkLocal reports whether frames to an address are for the other end of the cable only: LLDP, pause frames and
// others. No bridge passes them on (IEEE 802.1Q, 8.6.3).
func linkLocal(m wire.MAC) bool {
	return [5]byte(m[:5]) == [5]byte{0x01, 0x80, 0xc2, 0, 0} && m[5] < 0x10
}

func unicast(m wire.MAC) bool { return m[0]&1 == 0 && m != wire.MAC{} }
