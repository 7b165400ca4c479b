package door

import (
	"bytes"
	"fmt"

	"github.com/p4ce/p4ce/host/kv/resp"
	"github.com/p4ce/p4ce/systems/onepipe/txn"
)

// maxNamed is how often the commands of a transaction may name keys, of which there are at most txn.MaxOps.
const maxNamed = 4 * txn.MaxOps

// What a step does with its keys.
type verb uint8

const (
	get   verb = iota // a key
	mget              // keys
	set               // a key, to a value
	mset              // keys, to values
	del               // keys
	shard             // says who has a key
)

// step is a command of a batch.
type step struct {
	verb   verb
	keys   []int    // places in batch.ops
	values [][]byte // by key, of set and mset
}

// batch is a transaction: commands in their order, and an operation for each key.
type batch struct {
	steps []step
	ops   []txn.Op
	place map[string]int // by key, in ops
	named int
}

// verbs are the commands of a batch. A key has so many arguments.
var verbs = map[string]struct {
	verb   verb
	one    bool // a single key
	ofEach int
}{
	"get": {get, true, 1}, "mget": {mget, false, 1}, "set": {set, true, 2}, "mset": {mset, false, 2}, "del": {del, false, 1}, "shard": {shard, true, 1},
}

// add adds a command, and says what is wrong with it. Nothing is kept of args. A batch to which something was added that is
// wrong is not to be executed.
func (b *batch) add(name string, args [][]byte) (wrong string) {
	v := verbs[name]
	switch {
	case v.verb == set && len(args) > v.ofEach:
		return "ERR SET has no options here: want SET key value"
	case len(args) == 0, len(args)%v.ofEach != 0, v.one && len(args) != v.ofEach:
		return resp.Arguments(name)
	}
	s := step{verb: v.verb}
	for ; len(args) > 0; args = args[v.ofEach:] {
		key := args[0]
		if len(key) > txn.MaxKey {
			return fmt.Sprintf("ERR key is too long (%d bytes, at most %d)", len(key), txn.MaxKey)
		}
		at, there := b.place[string(key)]
		if !there {
			if len(b.ops) == txn.MaxOps {
				return fmt.Sprintf("ERR too many keys: a transaction has at most %d", txn.MaxOps)
			}
			if b.place == nil {
				b.place = map[string]int{}
			}
			at = len(b.ops)
			b.ops = append(b.ops, txn.Op{Key: string(key)})
			b.place[string(key)] = at
		}
		if b.named++; b.named > maxNamed {
			return fmt.Sprintf("ERR the transaction is too long: its commands name keys more than %d times", maxNamed)
		}
		s.keys = append(s.keys, at)
		o := &b.ops[at]
		switch v.verb {
		case set, mset:
			if len(args[1]) > txn.MaxValue {
				return fmt.Sprintf("ERR value is too long (%d bytes, at most %d)", len(args[1]), txn.MaxValue)
			}
			value := bytes.Clone(args[1])
			o.Write, o.Delete, o.Value = true, false, value
			s.values = append(s.values, value)
		case del:
			o.Write, o.Delete, o.Value = true, true, nil
		}
	}
	b.steps = append(b.steps, s)
	return ""
}

// reply writes the replies of all commands, from what the transaction's keys were before it.
func (b *batch) reply(w *resp.Writer, o *txn.Outcome) {
	now := o.Saw // and what they are between two commands
	write := func(at int) {
		if now[at].There {
			w.WriteBulk(now[at].Data)
		} else {
			w.WriteNull()
		}
	}
	for _, s := range b.steps {
		switch s.verb {
		case get:
			write(s.keys[0])
		case mget:
			w.WriteArray(len(s.keys))
			for _, at := range s.keys {
				write(at)
			}
		case set, mset:
			for i, at := range s.keys {
				now[at] = txn.Value{There: true, Data: s.values[i]}
			}
			w.WriteString("OK")
		case del:
			n := 0
			for _, at := range s.keys {
				if now[at].There {
					n++
				}
				now[at] = txn.Value{}
			}
			w.WriteInt(n)
		case shard:
			w.WriteBulkString(o.By[s.keys[0]].String())
		}
	}
}
