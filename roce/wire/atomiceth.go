package wire

import "encoding/binary"

const (
	// AtomicETHLen is the length of the atomic extended transport header.
	AtomicETHLen = 28
	// AtomicAckETHLen is the length of the atomic ACK extended header.
	AtomicAckETHLen = 8
)

// AtomicETH is a view of the atomic extended transport header.
//
//	0 VA(64) | 8 R_key(32) | 12 swap or add(64) | 20 compare(64)
type AtomicETH []byte

// VA returns the virtual address of the 8-byte word.
func (h AtomicETH) VA() uint64 { return binary.BigEndian.Uint64(h[0:]) }

// SetVA sets the virtual address of the 8-byte word.
func (h AtomicETH) SetVA(va uint64) { binary.BigEndian.PutUint64(h[0:], va) }

// RKey returns the key of the memory region.
func (h AtomicETH) RKey() uint32 { return binary.BigEndian.Uint32(h[8:]) }

// SetRKey sets the key of the memory region.
func (h AtomicETH) SetRKey(k uint32) { binary.BigEndian.PutUint32(h[8:], k) }

// SwapAdd returns the value to swap in or to add.
func (h AtomicETH) SwapAdd() uint64 { return binary.BigEndian.Uint64(h[12:]) }

// SetSwapAdd sets the value to swap in or to add.
func (h AtomicETH) SetSwapAdd(v uint64) { binary.BigEndian.PutUint64(h[12:], v) }

// Compare returns the value to compare with.
func (h AtomicETH) Compare() uint64 { return binary.BigEndian.Uint64(h[20:]) }

// SetCompare sets the value to compare with.
func (h AtomicETH) SetCompare(v uint64) { binary.BigEndian.PutUint64(h[20:], v) }

// AtomicAckETH is a view of the atomic ACK extended header: the value that the
// word had before.
type AtomicAckETH []byte

// Original returns the value that the word had before.
func (h AtomicAckETH) Original() uint64 { return binary.BigEndian.Uint64(h) }

// SetOriginal sets the value that the word had before.
func (h AtomicAckETH) SetOriginal(v uint64) { binary.BigEndian.PutUint64(h, v) }
