package twophase

import (
	"encoding/binary"
	"errors"

	"github.com/p4ce/p4ce/systems/onepipe/txn"
)

// kind is what a message is.
type kind uint8

const (
	lock    kind = iota + 1 // ops
	alone                   // ops: of the only shard of its transaction
	commit                  // apply, and unlock
	abort                   // unlock
	granted                 // values
	refused
)

// message, in network byte order:
//
//	kind 8 | attempt 64 | lock, alone: write 8, key: length 8, bytes; value: length 16, bytes; ...
//	                    | granted: there 8, value: length 16, bytes; ...
type message struct {
	kind    kind
	attempt uint64
	ops     []txn.Op
	values  []txn.Value
}

var errMessage = errors.New("not a message of two-phase commit")

func (m *message) append(b []byte) []byte {
	be := binary.BigEndian
	b = be.AppendUint64(append(b, byte(m.kind)), m.attempt)
	for _, o := range m.ops {
		b = append(b, flag(o.Write), byte(len(o.Key)))
		b = append(b, o.Key...)
		b = append(be.AppendUint16(b, uint16(len(o.Value))), o.Value...)
	}
	for _, v := range m.values {
		b = append(be.AppendUint16(append(b, flag(v.There)), uint16(len(v.Data))), v.Data...)
	}
	return b
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// parse reads a message. Values are b's.
func parse(b []byte) (m message, err error) {
	if len(b) < 9 {
		return m, errMessage
	}
	m = message{kind: kind(b[0]), attempt: binary.BigEndian.Uint64(b[1:])}
	b = b[9:]
	bytes := func(head, n int) []byte {
		if len(b) < head+n {
			err, b = errMessage, nil
			return nil
		}
		v := b[head : head+n : head+n]
		b = b[head+n:]
		return v
	}
	size := func(at int) int {
		if len(b) < at+2 {
			return len(b) // more than there is
		}
		return int(binary.BigEndian.Uint16(b[at:]))
	}
	for len(b) > 0 {
		set := b[0] == 1
		switch m.kind {
		case lock, alone:
			n := len(b)
			if n > 1 {
				n = int(b[1])
			}
			key := string(bytes(2, n))
			m.ops = append(m.ops, txn.Op{Key: key, Write: set, Value: bytes(2, size(0))})
		case granted:
			m.values = append(m.values, txn.Value{There: set, Data: bytes(3, size(1))})
		default:
			return m, errMessage
		}
	}
	if m.kind < lock || m.kind > refused {
		err = errMessage
	}
	return m, err
}
