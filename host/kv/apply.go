package kv

import (
	"bytes"
	"math"
	"strconv"

	"github.com/p4ce/p4ce/host/disk"
	"github.com/p4ce/p4ce/host/kv/resp"
)

// How many expired keys a record removes: few if it also writes, many if that is its purpose.
const (
	purgeBeside = 16
	purgeMany   = 1024
)

// txn executes records on a machine. Its user holds the machine's memory.
type txn struct {
	*Machine
	s *disk.Store
}

// record executes a record and returns its result. An error comes from the disk.
func (t *txn) record(rec []byte) (any, error) {
	r, err := decodeRecord(rec)
	if err != nil {
		return &RecordError{err}, nil
	}
	t.meta.time = max(t.meta.time, r.time)
	replies := make([]Reply, len(r.ops))
	for i := range r.ops {
		if replies[i], err = t.op(&r.ops[i]); err != nil {
			return nil, err
		}
	}
	limit := purgeBeside
	if len(r.ops) == 0 {
		limit = purgeMany
	}
	return replies, t.purge(limit)
}

func (t *txn) op(o *op) (Reply, error) {
	now := t.meta.time
	switch o.code {
	case opDel:
		n := int64(0)
		for _, key := range o.args {
			i, err := t.item(t.s, key)
			if err != nil {
				return Reply{}, err
			}
			if !i.at(now).exists {
				continue
			}
			t.del(i)
			n++
		}
		return Reply{kind: replyInt, n: n}, nil
	case opMSet:
		for k := 0; k < len(o.args); k += 2 {
			i, err := t.item(t.s, o.args[k])
			if err != nil {
				return Reply{}, err
			}
			t.set(i, 0, bytes.Clone(o.args[k+1]))
		}
		return Reply{kind: replyOK}, nil
	}
	i, err := t.item(t.s, o.args[0])
	if err != nil {
		return Reply{}, err
	}
	seen := i.at(now)
	switch o.code {
	case opSet:
		if o.flags&flagNX != 0 && seen.exists || o.flags&flagXX != 0 && !seen.exists {
			return Reply{kind: replyNull}, nil
		}
		expiry := int64(0)
		if o.n > 0 {
			expiry = now + o.n
		}
		t.set(i, expiry, bytes.Clone(o.args[1]))
		return Reply{kind: replyOK}, nil
	case opIncr:
		n := int64(0)
		if seen.exists {
			var ok bool
			if n, ok = resp.ParseInt(seen.value); !ok {
				return Reply{kind: replyError, text: textNotInteger}, nil
			}
		}
		if o.n > 0 && n > math.MaxInt64-o.n || o.n < 0 && n < math.MinInt64-o.n {
			return Reply{kind: replyError, text: textOverflow}, nil
		}
		n += o.n
		t.set(i, seen.expiry, strconv.AppendInt(nil, n, 10))
		return Reply{kind: replyInt, n: n}, nil
	case opAppend:
		if len(seen.value)+len(o.args[1]) > MaxValue {
			return Reply{kind: replyError, text: textTooLong}, nil
		}
		v := append(seen.value[:len(seen.value):len(seen.value)], o.args[1]...)
		t.set(i, seen.expiry, v)
		return Reply{kind: replyInt, n: int64(len(v))}, nil
	default: // opExpire; decodeRecord accepts no other
		switch {
		case !seen.exists:
			return Reply{kind: replyInt, n: 0}, nil
		case o.n <= 0:
			t.del(i)
		default:
			t.set(i, now+o.n, seen.value)
		}
		return Reply{kind: replyInt, n: 1}, nil
	}
}

// set replaces the contents of a key. The value must not change afterwards.
func (t *txn) set(i *item, expiry int64, value []byte) {
	if expiry != 0 {
		t.next = min(t.next, expiry)
	}
	if !i.exists {
		t.meta.keys++
	}
	t.table.size += len(value) - len(i.value)
	i.entry = entry{exists: true, expiry: expiry, value: value}
	t.table.mark(i, len(i.key)+len(value))
}

// del removes a key that exists.
func (t *txn) del(i *item) {
	t.meta.keys--
	t.table.size -= len(i.value)
	i.entry = entry{}
	t.table.mark(i, len(i.key))
}

// purge removes expired keys, in the order in which they expired.
func (t *txn) purge(limit int) error {
	for n := 0; n < limit && (len(t.due) > 0 || t.next <= t.meta.time); {
		if len(t.due) == 0 {
			if err := t.findDue(t.s); err != nil {
				return err
			}
			continue
		}
		d := t.due[0]
		t.due = t.due[1:]
		i, err := t.item(t.s, d.key)
		if err != nil {
			return err
		}
		if i.exists && i.expiry == d.expiry {
			t.del(i)
			n++
		}
	}
	return nil
}
