package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"

	"github.com/p4ce/p4ce/systems/amcast"
)

// Op is what a transaction does with a key.
type Op struct {
	Key   string // 1 to 255 bytes
	Write bool
	Value []byte // that is written
}

// Result is what an operation has found: the value that was read, or replaced.
type Result struct {
	Found bool
	Value []byte
}

// Errors of transactions.
var (
	// ErrAnswer: a partition has more to answer than a message has room for. The transaction has been executed.
	ErrAnswer = errors.New("amcast store: the transaction was executed; what it has read does not fit into an answer")
	// ErrLost: all replicas of a partition have failed.
	ErrLost = errors.New("amcast store: all replicas of a partition have failed")
	// ErrMessage: a message is not a transaction, or an answer not one of a partition.
	ErrMessage = errors.New("amcast store: malformed message")
)

// A transaction is, for each operation: 0 or 1 for a write, length of the key 1 byte, key; of a write length 2 bytes (big-endian),
// value. An answer is its status, and for each operation of the partition 0 or 1 for what was found, length 2 bytes, value.
const (
	executed = 0
	tooLong  = 1
	foreign  = 2 // the message is no transaction
)

// Encode makes the message of a transaction.
func Encode(ops []Op) (b []byte, err error) {
	if len(ops) == 0 {
		return nil, errors.New("amcast store: a transaction without operations")
	}
	for i, o := range ops {
		if len(o.Key) < 1 || len(o.Key) > 255 {
			return nil, fmt.Errorf("amcast store: a key of %d bytes: want 1 to 255", len(o.Key))
		}
		for _, other := range ops[:i] {
			if other.Key == o.Key {
				return nil, fmt.Errorf("amcast store: key %q is used twice in a transaction", o.Key)
			}
		}
		b = append(b, flag(o.Write), byte(len(o.Key)))
		b = append(b, o.Key...)
		if o.Write {
			if len(o.Value) > amcast.MaxPayload {
				return nil, fmt.Errorf("amcast store: a value of %d bytes: want at most %d", len(o.Value), amcast.MaxPayload)
			}
			b = append(binary.BigEndian.AppendUint16(b, uint16(len(o.Value))), o.Value...)
		}
	}
	if len(b) > amcast.MaxPayload {
		return nil, fmt.Errorf("amcast store: a transaction of %d bytes: want at most %d", len(b), amcast.MaxPayload)
	}
	return b, nil
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// Decode reads a transaction. Values are parts of b.
func Decode(b []byte) (ops []Op, err error) {
	for len(b) > 0 {
		if len(b) < 2 || b[0] > 1 || b[1] == 0 || len(b) < 2+int(b[1]) {
			return nil, ErrMessage
		}
		o := Op{Write: b[0] == 1, Key: string(b[2 : 2+int(b[1])])}
		b = b[2+int(b[1]):]
		if o.Write {
			if o.Value, b, err = value(b); err != nil {
				return nil, err
			}
		}
		for _, other := range ops {
			if other.Key == o.Key {
				return nil, ErrMessage
			}
		}
		ops = append(ops, o)
	}
	if len(ops) == 0 {
		return nil, ErrMessage
	}
	return ops, nil
}

// value takes a value off b.
func value(b []byte) (v, rest []byte, err error) {
	if len(b) < 2 {
		return nil, nil, ErrMessage
	}
	n := int(binary.BigEndian.Uint16(b))
	if len(b) < 2+n {
		return nil, nil, ErrMessage
	}
	return b[2 : 2+n : 2+n], b[2+n:], nil
}

// Partitions are the groups that have the keys. All clients and replicas have the same, in the same order.
type Partitions []uint8

// Of is the partition of a key.
func (p Partitions) Of(key string) uint8 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(key))
	return p[h.Sum32()%uint32(len(p))]
}

// Groups are the partitions of a transaction.
func (p Partitions) Groups(ops []Op) (amcast.Groups, error) {
	var list []uint8
	seen := map[uint8]bool{}
	for _, o := range ops {
		if g := p.Of(o.Key); !seen[g] {
			seen[g] = true
			list = append(list, g)
		}
	}
	return amcast.NewGroups(list...)
}

// Results puts the answers of partitions together: a result for each operation.
func (p Partitions) Results(ops []Op, answers map[uint8][]byte) ([]Result, error) {
	rest := map[uint8][]byte{}
	for _, o := range ops {
		g := p.Of(o.Key)
		if _, begun := rest[g]; begun {
			continue
		}
		a, ok := answers[g]
		switch {
		case !ok:
			return nil, fmt.Errorf("partition %d: %w", g, ErrLost)
		case len(a) == 0 || a[0] > foreign:
			return nil, fmt.Errorf("partition %d: %w", g, ErrMessage)
		case a[0] == tooLong:
			return nil, fmt.Errorf("partition %d: %w", g, ErrAnswer)
		case a[0] == foreign:
			return nil, fmt.Errorf("partition %d: it has not understood the transaction: %w", g, ErrMessage)
		}
		rest[g] = a[1:]
	}
	out := make([]Result, len(ops))
	for i, o := range ops {
		g := p.Of(o.Key)
		b := rest[g]
		if len(b) < 1 || b[0] > 1 {
			return nil, fmt.Errorf("partition %d: %w", g, ErrMessage)
		}
		v, b, err := value(b[1:])
		if err != nil {
			return nil, fmt.Errorf("partition %d: %w", g, err)
		}
		out[i] = Result{rest[g][0] == 1, v}
		rest[g] = b
	}
	for g, b := range rest {
		if len(b) > 0 {
			return nil, fmt.Errorf("partition %d: %w", g, ErrMessage)
		}
	}
	return out, nil
}
