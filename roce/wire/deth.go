package wire

import "encoding/binary"

const (
	// DETHLen is the length of the datagram extended transport header.
	DETHLen = 8
	// GSIQKey is the queue key of QP 1, the general services interface.
	GSIQKey = 0x80010000
	// GSIQP is the number of the general services queue pair.
	GSIQP = 1
)

// DETH is a view of the datagram extended transport header.
//
//	0 Q_Key(32) | 4 resv(8) | 5 SrcQP(24)
type DETH []byte

// QKey returns the queue key.
func (h DETH) QKey() uint32 { return binary.BigEndian.Uint32(h[0:]) }

// SetQKey sets the queue key.
func (h DETH) SetQKey(k uint32) { binary.BigEndian.PutUint32(h[0:], k) }

// SrcQP returns the source queue pair number.
func (h DETH) SrcQP() uint32 { return uint24(h[5:]) }

// SetSrcQP sets the source queue pair number and clears the reserved byte.
func (h DETH) SetSrcQP(qpn uint32) { h[4] = 0; putUint24(h[5:], qpn) }
