package store

import (
	"bytes"
	"context"
	"encoding/binary"

	"github.com/p4ce/p4ce/systems/amcast"
)

// Partition is a replica of a partition: a state machine.
type Partition struct {
	group uint8
	all   Partitions
	table map[string][]byte
}

// NewPartition makes an empty one.
func NewPartition(group uint8, all Partitions) *Partition {
	return &Partition{group, all, map[string][]byte{}}
}

// Keys is how many keys there are.
func (p *Partition) Keys() int { return len(p.table) }

// Execute executes what is this partition's of a transaction, and returns the answer. It is to be called for each message that is
// delivered, in the order of delivery.
func (p *Partition) Execute(message []byte) []byte {
	ops, err := Decode(message)
	if err != nil {
		return []byte{foreign}
	}
	answer := []byte{executed}
	for _, o := range ops {
		if p.all.Of(o.Key) != p.group {
			continue
		}
		old, found := p.table[o.Key]
		answer = append(answer, flag(found))
		answer = append(binary.BigEndian.AppendUint16(answer, uint16(len(old))), old...)
		if o.Write {
			p.table[o.Key] = bytes.Clone(o.Value)
		}
	}
	if len(answer) > amcast.MaxPayload {
		return []byte{tooLong}
	}
	return answer
}

// Serve executes and answers what is delivered to the replica of a group on a host, until ctx ends or the host does. done, if it
// is not nil, is told of each transaction.
func Serve(ctx context.Context, h *amcast.Host, p *Partition, done func(amcast.Delivery)) error {
	for {
		d, err := h.Deliver(ctx, p.group)
		if err != nil {
			return err
		}
		if err := h.Answer(p.group, d.ID, p.Execute(d.Payload)); err != nil {
			return err
		}
		if done != nil {
			done(d)
		}
	}
}

// Do executes a transaction, and returns a result for each operation. When ctx ends, it is not known whether the transaction was
// executed, or will be.
func (p Partitions) Do(ctx context.Context, h *amcast.Host, ops ...Op) ([]Result, error) {
	b, err := Encode(ops)
	if err != nil {
		return nil, err
	}
	groups, err := p.Groups(ops)
	if err != nil {
		return nil, err
	}
	answers, err := h.Call(ctx, groups, b)
	if err != nil {
		return nil, err
	}
	return p.Results(ops, answers)
}
