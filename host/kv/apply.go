package kv

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/cockroachdb/pebble/v2"
)

// How many expired keys a record removes: few, beside writes; many, if that is what
// it is for.
const (
	purgeBeside = 16
	purgeMany   = 1024
)

// txn executes records on a batch.
type txn struct {
	b    *pebble.Batch
	meta meta
	next int64 // as Machine.next
	key  []byte
	val  []byte
}

// record executes a record and returns its result; an error is the disk's.
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
			old, err := t.get(key)
			if err != nil {
				return Reply{}, err
			}
			if !old.at(now).exists {
				continue
			}
			if err := t.del(key, old); err != nil {
				return Reply{}, err
			}
			n++
		}
		return Reply{kind: replyInt, n: n}, nil
	case opMSet:
		for i := 0; i < len(o.args); i += 2 {
			old, err := t.get(o.args[i])
			if err != nil {
				return Reply{}, err
			}
			if err := t.set(o.args[i], old, 0, o.args[i+1]); err != nil {
				return Reply{}, err
			}
		}
		return Reply{kind: replyOK}, nil
	}
	key := o.args[0]
	stored, err := t.get(key)
	if err != nil {
		return Reply{}, err
	}
	seen := stored.at(now)
	switch o.code {
	case opSet:
		if o.flags&flagNX != 0 && seen.exists || o.flags&flagXX != 0 && !seen.exists {
			return Reply{kind: replyNull}, nil
		}
		expiry := int64(0)
		if o.n > 0 {
			expiry = now + o.n
		}
		return Reply{kind: replyOK}, t.set(key, stored, expiry, o.args[1])
	case opIncr:
		n := int64(0)
		if seen.exists {
			var ok bool
			if n, ok = parseInt(seen.value); !ok {
				return Reply{kind: replyError, text: textNotInteger}, nil
			}
		}
		if o.n > 0 && n > math.MaxInt64-o.n || o.n < 0 && n < math.MinInt64-o.n {
			return Reply{kind: replyError, text: textOverflow}, nil
		}
		n += o.n
		return Reply{kind: replyInt, n: n}, t.set(key, stored, seen.expiry, strconv.AppendInt(nil, n, 10))
	case opAppend:
		if len(seen.value)+len(o.args[1]) > MaxValue {
			return Reply{kind: replyError, text: textTooLong}, nil
		}
		v := append(seen.value[:len(seen.value):len(seen.value)], o.args[1]...)
		return Reply{kind: replyInt, n: int64(len(v))}, t.set(key, stored, seen.expiry, v)
	default: // opExpire; decodeRecord lets no other pass
		if !seen.exists {
			return Reply{kind: replyInt, n: 0}, nil
		}
		if o.n <= 0 {
			err = t.del(key, stored)
		} else {
			err = t.set(key, stored, now+o.n, seen.value)
		}
		return Reply{kind: replyInt, n: 1}, err
	}
}

// get returns what is stored for a key, expired or not. The value is a copy.
func (t *txn) get(key []byte) (entry, error) {
	t.key = appendDataKey(t.key[:0], key)
	v, err := get(t.b, t.key)
	if v == nil || err != nil {
		return entry{}, err
	}
	return parseEntry(v)
}

// set replaces old, which is what get returned.
func (t *txn) set(key []byte, old entry, expiry int64, value []byte) error {
	if old.expiry != expiry {
		if old.expiry != 0 {
			t.key = appendExpiryKey(t.key[:0], old.expiry, key)
			if err := t.b.Delete(t.key, nil); err != nil {
				return err
			}
		}
		if expiry != 0 {
			t.next = min(t.next, expiry)
			t.key = appendExpiryKey(t.key[:0], expiry, key)
			if err := t.b.Set(t.key, nil, nil); err != nil {
				return err
			}
		}
	}
	if !old.exists {
		t.meta.keys++
	}
	t.key = appendDataKey(t.key[:0], key)
	t.val = binary.LittleEndian.AppendUint64(t.val[:0], uint64(expiry))
	t.val = append(t.val, value...)
	return t.b.Set(t.key, t.val, nil)
}

// del removes old, which is what get returned and exists.
func (t *txn) del(key []byte, old entry) error {
	if old.expiry != 0 {
		t.key = appendExpiryKey(t.key[:0], old.expiry, key)
		if err := t.b.Delete(t.key, nil); err != nil {
			return err
		}
	}
	t.meta.keys--
	t.key = appendDataKey(t.key[:0], key)
	return t.b.Delete(t.key, nil)
}

// purge removes keys that have expired, the first ones first.
func (t *txn) purge(limit int) error {
	if t.next > t.meta.time {
		return nil
	}
	it, err := t.b.NewIter(expiryRange(math.MaxInt64))
	if err != nil {
		return err
	}
	var keys [][]byte
	next := firstExpiry(it)
	for next <= t.meta.time && len(keys) < limit {
		keys = append(keys, append([]byte{}, it.Key()...))
		if next = math.MaxInt64; it.Next() {
			next = expiryOf(it.Key())
		}
	}
	if err := it.Close(); err != nil {
		return err
	}
	for _, k := range keys {
		if err := t.del(k[dataHeader:], entry{exists: true, expiry: expiryOf(k)}); err != nil {
			return err
		}
	}
	t.next = next
	return nil
}
