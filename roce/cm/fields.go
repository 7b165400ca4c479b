package cm

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Lengths of the private data, after the message's fixed fields.
const (
	REQPrivateLen  = 92
	MRAPrivateLen  = 222
	REJPrivateLen  = 148
	REPPrivateLen  = 196
	RTUPrivateLen  = 224
	DREQPrivateLen = 220
	DREPPrivateLen = 224
	// ARILen is the length of the additional reject information.
	ARILen = 72
)

func put24(b []byte, v uint32) { b[0], b[1], b[2] = byte(v>>16), byte(v>>8), byte(v) }

func get24(b []byte) uint32 { return uint32(b[0])<<16 | uint32(b[1])<<8 | uint32(b[2]) }

// flag returns mask if v is set.
func flag(v bool, mask byte) byte {
	if v {
		return mask
	}
	return 0
}

func putIDs(b []byte, local, remote uint32) {
	binary.BigEndian.PutUint32(b[0:], local)
	binary.BigEndian.PutUint32(b[4:], remote)
}

func getIDs(b []byte) (local, remote uint32) {
	return binary.BigEndian.Uint32(b[0:]), binary.BigEndian.Uint32(b[4:])
}

func putPrivate(a Attribute, dst, data []byte) error {
	if len(data) > len(dst) {
		return fmt.Errorf("cm: %v private data of %d bytes (at most %d fit)", a, len(data), len(dst))
	}
	copy(dst, data)
	return nil
}

func getPrivate(b []byte) []byte { return bytes.Clone(b) }
