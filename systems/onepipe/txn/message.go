package txn

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Limits. A part, and its answer, is then below what a message may have.
const (
	MaxOps   = 32   // of a transaction
	MaxKey   = 255  // bytes
	MaxValue = 1024 // bytes
)

// Op reads a key, or writes it.
type Op struct {
	Key    string
	Write  bool
	Delete bool   // of a write: the key is there no more
	Value  []byte // of a write that does not delete
}

// What an Op is in a message.
const (
	opRead   = 0
	opWrite  = 1
	opDelete = 2
)

func (o *Op) code() byte {
	switch {
	case !o.Write:
		return opRead
	case o.Delete:
		return opDelete
	}
	return opWrite
}

// Value is what a key was.
type Value struct {
	There bool
	Data  []byte
}

// kind is what a message is.
type kind uint8

const (
	request kind = 1 // to a shard
	answer  kind = 2 // to a client
)

// Messages, in network byte order:
//
//	request: kind 8 | attempt 64 | count 8 | ops: code 8, key: length 8, bytes; of opWrite, value: length 16, bytes
//	answer:  kind 8 | attempt 64 | count 8 | time 64 | tries 8 | values: there 8; if it is, length 16, bytes
//
// An attempt has a number that its client's process gives to no other.
type message struct {
	kind    kind
	attempt uint64
	ops     []Op
	time    uint64 // of the transaction, in the order
	tries   uint8  // how often the answer was lost
	values  []Value
}

var errMessage = errors.New("not a message of a transaction")

func (m *message) append(b []byte) []byte {
	be := binary.BigEndian
	b = append(b, byte(m.kind))
	b = be.AppendUint64(b, m.attempt)
	if m.kind == request {
		b = append(b, byte(len(m.ops)))
		for i := range m.ops {
			o := &m.ops[i]
			b = append(b, o.code(), byte(len(o.Key)))
			b = append(b, o.Key...)
			if o.code() == opWrite {
				b = append(be.AppendUint16(b, uint16(len(o.Value))), o.Value...)
			}
		}
		return b
	}
	b = append(b, byte(len(m.values)))
	b = append(be.AppendUint64(b, m.time), m.tries)
	for _, v := range m.values {
		if b = append(b, flag(v.There)); v.There {
			b = append(be.AppendUint16(b, uint16(len(v.Data))), v.Data...)
		}
	}
	return b
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// reader takes a message apart. What is too short, or not canonical, makes it bad.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) take(n int) []byte {
	if n > len(r.b) {
		r.bad, r.b = true, nil
		return make([]byte, n)
	}
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) flag() bool {
	v := r.take(1)[0]
	r.bad = r.bad || v > 1
	return v == 1
}

func (r *reader) value() []byte {
	n := int(binary.BigEndian.Uint16(r.take(2)))
	if n > MaxValue {
		r.bad = true
		return nil
	}
	return r.take(n)
}

// parse reads a message. Values are b's.
func parse(b []byte) (m message, err error) {
	r := reader{b: b}
	m = message{kind: kind(r.take(1)[0]), attempt: binary.BigEndian.Uint64(r.take(8))}
	count := int(r.take(1)[0])
	if r.bad || count == 0 || count > MaxOps {
		return m, errMessage
	}
	switch m.kind {
	case request:
		seen := map[string]bool{}
		for range count {
			code := r.take(1)[0]
			o := Op{Write: code != opRead, Delete: code == opDelete}
			o.Key = string(r.take(int(r.take(1)[0])))
			if code == opWrite {
				o.Value = r.value()
			}
			r.bad = r.bad || code > opDelete || seen[o.Key]
			seen[o.Key] = true
			m.ops = append(m.ops, o)
		}
	case answer:
		m.time, m.tries = binary.BigEndian.Uint64(r.take(8)), r.take(1)[0]
		for range count {
			v := Value{There: r.flag()}
			if v.There {
				v.Data = r.value()
			}
			m.values = append(m.values, v)
		}
	default:
		return m, errMessage
	}
	if r.bad || len(r.b) > 0 {
		return m, errMessage
	}
	return m, nil
}

// check says what is wrong with a transaction.
func check(ops []Op) error {
	if len(ops) == 0 || len(ops) > MaxOps {
		return fmt.Errorf("txn: a transaction of %d keys: want 1 to %d", len(ops), MaxOps)
	}
	seen := map[string]bool{}
	for _, o := range ops {
		switch {
		case len(o.Key) > MaxKey:
			return fmt.Errorf("txn: a key of %d bytes: want %d at most", len(o.Key), MaxKey)
		case len(o.Value) > MaxValue:
			return fmt.Errorf("txn: key %q: a value of %d bytes: want %d at most", o.Key, len(o.Value), MaxValue)
		case o.Delete && !o.Write:
			return fmt.Errorf("txn: key %q: an operation that deletes is one that writes", o.Key)
		case seen[o.Key]:
			return fmt.Errorf("txn: key %q: a transaction has a key once [a write returns what it replaces]", o.Key)
		}
		seen[o.Key] = true
	}
	return nil
}
