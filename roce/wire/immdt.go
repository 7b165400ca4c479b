package wire

import "encoding/binary"

const (
	// ImmDtLen is the length of the immediate data header.
	ImmDtLen = 4
	// IETHLen is the length of the invalidate extended header.
	IETHLen = 4
)

// ImmDt is a view of the immediate data header.
type ImmDt []byte

// Value returns the immediate data as a number in network byte order.
func (h ImmDt) Value() uint32 { return binary.BigEndian.Uint32(h) }

// SetValue sets the immediate data.
func (h ImmDt) SetValue(v uint32) { binary.BigEndian.PutUint32(h, v) }
