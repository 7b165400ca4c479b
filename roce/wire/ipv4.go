package wire

import (
	"encoding/binary"
	"net/netip"
)

const (
	// IPv4Len is the length of an IPv4 header without options, the only form
	// that RoCEv2 endpoints use.
	IPv4Len = 20
	// ProtocolUDP is the IPv4 protocol number of UDP.
	ProtocolUDP = 17

	flagDF   = 0x4000
	fragMask = 0x3fff // more fragments, and the fragment offset
)

// ECN is the explicit congestion notification field, the low two bits of the
// type of service (RFC 3168).
type ECN uint8

// The values of ECN.
const (
	NotECT ECN = 0
	ECT1   ECN = 1
	ECT0   ECN = 2
	CE     ECN = 3
)

// Addr is an IPv4 address in network byte order.
type Addr [4]byte

// AddrFrom converts a netip.Addr that is an IPv4 or IPv4-mapped address; ok is
// false for every other.
func AddrFrom(a netip.Addr) (_ Addr, ok bool) {
	a = a.Unmap()
	if !a.Is4() {
		return Addr{}, false
	}
	return a.As4(), true
}

// Netip converts to a netip.Addr.
func (a Addr) Netip() netip.Addr { return netip.AddrFrom4(a) }

func (a Addr) String() string { return a.Netip().String() }

// IPv4 is a view of an IPv4 header without options.
type IPv4 []byte

// Version returns the IP version.
func (h IPv4) Version() int { return int(h[0] >> 4) }

// HeaderLen returns the header length in bytes.
func (h IPv4) HeaderLen() int { return int(h[0]&0xf) * 4 }

// SetVersionLen marks the header as version 4 without options.
func (h IPv4) SetVersionLen() { h[0] = 0x45 }

// TOS returns the type of service: DSCP and ECN.
func (h IPv4) TOS() uint8 { return h[1] }

// SetTOS sets the type of service.
func (h IPv4) SetTOS(v uint8) { h[1] = v }

// ECN returns the congestion bits of the type of service.
func (h IPv4) ECN() ECN { return ECN(h[1] & 3) }

// TotalLen returns the length of header and payload in bytes.
func (h IPv4) TotalLen() int { return int(binary.BigEndian.Uint16(h[2:])) }

// SetTotalLen sets the length of header and payload in bytes.
func (h IPv4) SetTotalLen(n int) { binary.BigEndian.PutUint16(h[2:], uint16(n)) }

// ID returns the identification.
func (h IPv4) ID() uint16 { return binary.BigEndian.Uint16(h[4:]) }

// SetID sets the identification.
func (h IPv4) SetID(id uint16) { binary.BigEndian.PutUint16(h[4:], id) }

// Fragment reports whether the packet is a piece of a fragmented one.
func (h IPv4) Fragment() bool { return binary.BigEndian.Uint16(h[6:])&fragMask != 0 }

// SetDF clears the fragment fields and sets "don't fragment".
func (h IPv4) SetDF() { binary.BigEndian.PutUint16(h[6:], flagDF) }

// TTL returns the time to live.
func (h IPv4) TTL() uint8 { return h[8] }

// SetTTL sets the time to live.
func (h IPv4) SetTTL(v uint8) { h[8] = v }

// Protocol returns the protocol number.
func (h IPv4) Protocol() uint8 { return h[9] }

// SetProtocol sets the protocol number.
func (h IPv4) SetProtocol(v uint8) { h[9] = v }

// Checksum returns the header checksum as stored.
func (h IPv4) Checksum() uint16 { return binary.BigEndian.Uint16(h[10:]) }

// SetChecksum computes and stores the header checksum.
func (h IPv4) SetChecksum() {
	h[10], h[11] = 0, 0
	binary.BigEndian.PutUint16(h[10:], ^h.sum())
}

// ChecksumOK reports whether the stored header checksum is right.
func (h IPv4) ChecksumOK() bool { return h.sum() == 0xffff }

// sum is the one's complement sum of the 20 header bytes (RFC 1071).
func (h IPv4) sum() uint16 {
	h = h[:IPv4Len]
	var s uint64
	s += uint64(binary.BigEndian.Uint32(h[0:]))
	s += uint64(binary.BigEndian.Uint32(h[4:]))
	s += uint64(binary.BigEndian.Uint32(h[8:]))
	s += uint64(binary.BigEndian.Uint32(h[12:]))
	s += uint64(binary.BigEndian.Uint32(h[16:]))
	s = s>>32 + s&0xffffffff
	s = s>>16 + s&0xffff
	s = s>>16 + s&0xffff
	s = s>>16 + s&0xffff
	return uint16(s)
}

// Src returns the source address.
func (h IPv4) Src() Addr { return Addr(h[12:16]) }

// SetSrc sets the source address.
func (h IPv4) SetSrc(a Addr) { copy(h[12:16], a[:]) }

// Dst returns the destination address.
func (h IPv4) Dst() Addr { return Addr(h[16:20]) }

// SetDst sets the destination address.
func (h IPv4) SetDst(a Addr) { copy(h[16:20], a[:]) }
