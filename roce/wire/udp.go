package wire

import "encoding/binary"

const (
	// UDPLen is the length of a UDP header.
	UDPLen = 8
	// UDPPort is the destination port of RoCEv2.
	UDPPort = 4791
)

// UDP is a view of a UDP header.
type UDP []byte

// SrcPort returns the source port.
func (h UDP) SrcPort() uint16 { return binary.BigEndian.Uint16(h[0:]) }

// SetSrcPort sets the source port.
func (h UDP) SetSrcPort(p uint16) { binary.BigEndian.PutUint16(h[0:], p) }

// DstPort returns the destination port.
func (h UDP) DstPort() uint16 { return binary.BigEndian.Uint16(h[2:]) }

// SetDstPort sets the destination port.
func (h UDP) SetDstPort(p uint16) { binary.BigEndian.PutUint16(h[2:], p) }

// Len returns the length of header and payload in bytes.
func (h UDP) Len() int { return int(binary.BigEndian.Uint16(h[4:])) }

// SetLen sets the length of header and payload in bytes.
func (h UDP) SetLen(n int) { binary.BigEndian.PutUint16(h[4:], uint16(n)) }

// Checksum returns the checksum; 0 means that there is none, as is usual for
// RoCEv2.
func (h UDP) Checksum() uint16 { return binary.BigEndian.Uint16(h[6:]) }

// SetChecksum stores a checksum.
func (h UDP) SetChecksum(c uint16) { binary.BigEndian.PutUint16(h[6:], c) }
