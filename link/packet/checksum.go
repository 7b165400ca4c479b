package packet

import (
	"encoding/binary"

	"github.com/p4ce/p4ce/roce/wire"
)

const (
	etherTypeIPv4 = 0x0800
	etherTypeIPv6 = 0x86dd
	protocolTCP   = 6
	protocolUDP   = 17
)

// completeChecksum fills in the TCP or UDP checksum of an IP packet, in VLANs or not. The
// kernel leaves the sum of the pseudo header in the field when it counts on the device to
// do the rest. Anything else is left as it is: IPv6 packets with extension headers too.
func completeChecksum(frame []byte) {
	const ethLen, ipv6Len = 14, 40
	at := ethLen
	for len(frame) >= at && isTag(binary.BigEndian.Uint16(frame[at-2:])) {
		at += tagLen
	}
	if len(frame) < at+20 {
		return
	}
	ip := frame[at:]
	var protocol byte
	var addresses, l4 []byte
	switch binary.BigEndian.Uint16(frame[at-2:]) {
	case etherTypeIPv4:
		ihl, total := int(ip[0]&0xf)*4, int(binary.BigEndian.Uint16(ip[2:]))
		if ip[0]>>4 != 4 || ihl < 20 || total < ihl || total > len(ip) {
			return
		}
		protocol, addresses, l4 = ip[9], ip[12:20], ip[ihl:total]
	case etherTypeIPv6:
		if len(ip) < ipv6Len || ip[0]>>4 != 6 {
			return
		}
		length := int(binary.BigEndian.Uint16(ip[4:]))
		if length > len(ip)-ipv6Len {
			return
		}
		protocol, addresses, l4 = ip[6], ip[8:40], ip[ipv6Len:ipv6Len+length]
	}
	field := 0
	switch {
	case protocol == protocolTCP && len(l4) >= 20:
		field = 16
	case protocol == protocolUDP && len(l4) >= 8:
		field = 6
	default:
		return
	}
	l4[field], l4[field+1] = 0, 0
	v := ^wire.Sum(uint32(wire.Sum(0, addresses))+uint32(protocol)+uint32(len(l4)), l4)
	if v == 0 && protocol == protocolUDP { // 0 would mean "no checksum"
		v = 0xffff
	}
	binary.BigEndian.PutUint16(l4[field:], v)
}

func isTag(etherType uint16) bool { return etherType == 0x8100 || etherType == 0x88a8 }
