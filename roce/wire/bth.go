package wire

import "encoding/binary"

const (
	// BTHLen is the length of the base transport header.
	BTHLen = 12
	// DefaultPKey is the partition key of the default partition, full member.
	DefaultPKey = 0xffff
	// QPNMask selects the 24 bits of a queue pair number.
	QPNMask = 1<<24 - 1
)

// BTH is a view of the base transport header.
//
//	0 opcode | 1 SE MigReq Pad(2) TVer(4) | 2 PKey | 4 FECN BECN resv(6)
//	5 DestQP(24) | 8 AckReq resv(7) | 9 PSN(24)
type BTH []byte

// Opcode returns the operation code.
func (h BTH) Opcode() Opcode { return Opcode(h[0]) }

// SetOpcode sets the operation code.
func (h BTH) SetOpcode(o Opcode) { h[0] = byte(o) }

// Solicited returns the solicited event bit.
func (h BTH) Solicited() bool { return h[1]&0x80 != 0 }

// SetSolicited sets the solicited event bit.
func (h BTH) SetSolicited(v bool) { setBit(h, 1, 0x80, v) }

// MigReq returns the migration request bit.
func (h BTH) MigReq() bool { return h[1]&0x40 != 0 }

// SetMigReq sets the migration request bit.
func (h BTH) SetMigReq(v bool) { setBit(h, 1, 0x40, v) }

// PadCount returns the number of pad bytes between payload and ICRC.
func (h BTH) PadCount() int { return int(h[1] >> 4 & 3) }

// SetPadCount sets the number of pad bytes, 0 to 3.
func (h BTH) SetPadCount(n int) { h[1] = h[1]&^0x30 | byte(n&3)<<4 }

// TVer returns the transport header version; 0 is the only one there is.
func (h BTH) TVer() uint8 { return h[1] & 0xf }

// SetTVer sets the transport header version.
func (h BTH) SetTVer(v uint8) { h[1] = h[1]&^0xf | v&0xf }

// PKey returns the partition key.
func (h BTH) PKey() uint16 { return binary.BigEndian.Uint16(h[2:]) }

// SetPKey sets the partition key.
func (h BTH) SetPKey(k uint16) { binary.BigEndian.PutUint16(h[2:], k) }

// FECN returns the forward congestion bit.
func (h BTH) FECN() bool { return h[4]&0x80 != 0 }

// SetFECN sets the forward congestion bit.
func (h BTH) SetFECN(v bool) { setBit(h, 4, 0x80, v) }

// BECN returns the backward congestion bit, which a CNP carries.
func (h BTH) BECN() bool { return h[4]&0x40 != 0 }

// SetBECN sets the backward congestion bit.
func (h BTH) SetBECN(v bool) { setBit(h, 4, 0x40, v) }

// DestQP returns the destination queue pair number.
func (h BTH) DestQP() uint32 { return uint24(h[5:]) }

// SetDestQP sets the destination queue pair number.
func (h BTH) SetDestQP(qpn uint32) { putUint24(h[5:], qpn) }

// AckReq reports whether the packet asks for an acknowledgement.
func (h BTH) AckReq() bool { return h[8]&0x80 != 0 }

// SetAckReq sets whether the packet asks for an acknowledgement.
func (h BTH) SetAckReq(v bool) { setBit(h, 8, 0x80, v) }

// PSN returns the packet sequence number.
func (h BTH) PSN() PSN { return PSN(uint24(h[9:])) }

// SetPSN sets the packet sequence number.
func (h BTH) SetPSN(p PSN) { putUint24(h[9:], uint32(p)) }

func setBit(h []byte, i int, mask byte, v bool) {
	h[i] &^= mask
	if v {
		h[i] |= mask
	}
}

func uint24(b []byte) uint32 {
	return uint32(b[0])<<16 | uint32(b[1])<<8 | uint32(b[2])
}

func putUint24(b []byte, v uint32) {
	_ = b[2]
	b[0], b[1], b[2] = byte(v>>16), byte(v>>8), byte(v)
}
