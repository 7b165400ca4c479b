package wire

import "encoding/binary"

// RETHLen is the length of the RDMA extended transport header.
const RETHLen = 16

// RETH is a view of the RDMA extended transport header. It is present in the
// first packet of a WRITE and in READ requests only.
//
//	0 VA(64) | 8 R_key(32) | 12 length(32) of the whole message
type RETH []byte

// VA returns the virtual address at the responder.
func (h RETH) VA() uint64 { return binary.BigEndian.Uint64(h[0:]) }

// SetVA sets the virtual address at the responder.
func (h RETH) SetVA(va uint64) { binary.BigEndian.PutUint64(h[0:], va) }

// RKey returns the key of the memory region at the responder.
func (h RETH) RKey() uint32 { return binary.BigEndian.Uint32(h[8:]) }

// SetRKey sets the key of the memory region at the responder.
func (h RETH) SetRKey(k uint32) { binary.BigEndian.PutUint32(h[8:], k) }

// Length returns the length of the whole message in bytes.
func (h RETH) Length() uint32 { return binary.BigEndian.Uint32(h[12:]) }

// SetLength sets the length of the whole message in bytes.
func (h RETH) SetLength(n uint32) { binary.BigEndian.PutUint32(h[12:], n) }
