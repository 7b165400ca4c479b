package txn

import (
	"hash/fnv"
	"slices"

	"github.com/p4ce/p4ce/systems/onepipe"
)

// ShardOf is the shard of a key, of so many.
func ShardOf(key string, shards int) int {
	h := fnv.New64a()
	_, _ = h.Write([]byte(key))
	return int(h.Sum64() % uint64(shards))
}

// ShardCounters count since the start.
type ShardCounters struct {
	Executed  uint64 // parts
	Bad       uint64 // messages that are no part, or keys of other shards: dropped
	Unsure    uint64 // parts that write, and came by best effort: dropped, other shards may not have theirs
	Again     uint64 // answers that were lost, and are sent again
	Abandoned uint64 // answers that were lost too often: the client is not there
}

// maxTries is how often an answer is sent.
const maxTries = 64

// Shard has the keys of a process, in memory.
type Shard struct {
	Counters ShardCounters

	number, of int
	values     map[string][]byte
	bytes      int // of keys and values
}

// NewShard makes a shard, of so many.
func NewShard(number, of int) *Shard {
	return &Shard{number: number, of: of, values: map[string][]byte{}}
}

// Keys is how many there are, and Bytes how long they are, with their values.
func (s *Shard) Keys() int  { return len(s.values) }
func (s *Shard) Bytes() int { return s.bytes }

// put sets a key, or removes it.
func (s *Shard) put(o *Op) {
	old, there := s.values[o.Key]
	if there {
		s.bytes -= len(o.Key) + len(old)
	}
	if o.Delete {
		delete(s.values, o.Key)
		return
	}
	s.bytes += len(o.Key) + len(o.Value)
	s.values[o.Key] = slices.Clone(o.Value)
}

// Execute takes the next message in the order of both services, and makes the answer, which is to be sent by best effort.
// It keeps nothing of the message.
func (s *Shard) Execute(m *onepipe.Message, reliable bool) (onepipe.Part, bool) {
	r, err := parse(m.Data)
	if err != nil || r.kind != request || slices.ContainsFunc(r.ops, func(o Op) bool { return ShardOf(o.Key, s.of) != s.number }) {
		s.Counters.Bad++
		return onepipe.Part{}, false
	}
	if !reliable && slices.ContainsFunc(r.ops, func(o Op) bool { return o.Write }) {
		s.Counters.Unsure++
		return onepipe.Part{}, false
	}
	s.Counters.Executed++
	a := message{kind: answer, attempt: r.attempt, time: m.Time}
	for i := range r.ops {
		o := &r.ops[i]
		v, there := s.values[o.Key]
		a.values = append(a.values, Value{there, v})
		if o.Write {
			s.put(o)
		}
	}
	return onepipe.Part{To: m.From, Data: a.append(nil)}, true
}

// Lost takes an answer that is reported lost, and makes it anew. The transaction is not executed again. The client may get
// an answer twice: of a best-effort message only the acknowledgement may be lost.
func (s *Shard) Lost(f *onepipe.Failure) (onepipe.Part, bool) {
	a, err := parse(f.Data)
	if err != nil || a.kind != answer {
		s.Counters.Bad++
		return onepipe.Part{}, false
	}
	if a.tries++; a.tries >= maxTries {
		s.Counters.Abandoned++
		return onepipe.Part{}, false
	}
	s.Counters.Again++
	return onepipe.Part{To: f.To, Data: a.append(nil)}, true
}
