package kv

import (
	"bytes"
	"math"
	"math/big"
	"strconv"
	"strings"

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
	var tx transaction
	for i := range r.ops {
		if tx.begins(i, &r.ops[i]); tx.failed() {
			replies[i] = Reply{kind: replyNot}
			continue
		}
		if replies[i], err = t.op(&r.ops[i]); err != nil {
			return nil, err
		}
		if replies[i].kind == replyNot {
			tx.fail(replies)
		}
	}
	limit := purgeBeside
	if len(r.ops) == 0 {
		limit = purgeMany
	}
	return replies, t.purge(limit)
}

// transaction follows the transactions of a record.
type transaction struct {
	from, left int // its first op, and how many are left
	not        bool
}

// begins notes the next op, number i.
func (x *transaction) begins(i int, o *op) {
	switch {
	case o.code == opBegin:
		*x = transaction{from: i, left: int(o.n)}
	case x.left > 0:
		x.left--
	default:
		*x = transaction{}
	}
}

func (x *transaction) failed() bool { return x.not }

// fail ends a transaction of which a check has failed. Checks come first, so nothing has changed.
func (x *transaction) fail(replies []Reply) {
	x.not = true
	replies[x.from] = Reply{kind: replyNot}
}

func (t *txn) op(o *op) (Reply, error) {
	now := t.meta.time
	switch o.code {
	case opBegin:
		return Reply{}, nil
	case opFlush:
		t.flush()
		return Reply{}, nil
	case opRead:
		f := &found{now: now, entries: make([]entry, 0, len(o.args))}
		for _, key := range o.args {
			i, err := t.item(t.s, key)
			if err != nil {
				return Reply{}, err
			}
			f.entries = append(f.entries, i.at(now))
		}
		return Reply{kind: replyFound, found: f}, nil
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
		if o.flags&flagNX != 0 {
			for k := 0; k < len(o.args); k += 2 {
				i, err := t.item(t.s, o.args[k])
				if err != nil {
					return Reply{}, err
				}
				if i.at(now).exists {
					return Reply{kind: replyNull}, nil
				}
			}
		}
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
		reply := Reply{kind: replyOK}
		if o.flags&flagGet != 0 {
			reply = foundOne(now, seen)
		}
		if o.flags&flagNX != 0 && seen.exists || o.flags&flagXX != 0 && !seen.exists {
			if o.flags&flagGet == 0 {
				reply.kind = replyNull
			}
			return reply, nil
		}
		switch value := bytes.Clone(o.args[1]); {
		case o.flags&flagKeepTTL != 0:
			t.set(i, seen.expiry, value)
		case o.n > 0:
			t.put(i, o.until(now), value)
		default:
			t.set(i, 0, value)
		}
		return reply, nil
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
	case opIncrFloat:
		sum, text := addFloats(seen, o.args[1])
		if text != "" {
			return Reply{kind: replyError, text: text}, nil
		}
		t.set(i, seen.expiry, []byte(sum))
		return Reply{kind: replyText, text: sum}, nil
	case opAppend:
		if len(seen.value)+len(o.args[1]) > MaxValue {
			return Reply{kind: replyError, text: textTooLong}, nil
		}
		v := append(seen.value[:len(seen.value):len(seen.value)], o.args[1]...)
		t.set(i, seen.expiry, v)
		return Reply{kind: replyInt, n: int64(len(v))}, nil
	case opSetRange:
		end := int(o.n) + len(o.args[1])
		switch {
		case len(o.args[1]) == 0:
			return Reply{kind: replyInt, n: int64(len(seen.value))}, nil
		case end > MaxValue:
			return Reply{kind: replyError, text: textTooLong}, nil
		}
		v := make([]byte, max(end, len(seen.value)))
		copy(v, seen.value)
		copy(v[o.n:], o.args[1])
		t.set(i, seen.expiry, v)
		return Reply{kind: replyInt, n: int64(len(v))}, nil
	case opPersist:
		if !seen.exists || seen.expiry == 0 {
			return Reply{kind: replyInt}, nil
		}
		t.set(i, 0, seen.value)
		return Reply{kind: replyInt, n: 1}, nil
	case opGetDel:
		if seen.exists {
			t.del(i)
		}
		return foundOne(now, seen), nil
	case opGetEx:
		switch {
		case !seen.exists:
		case o.flags&flagPersist != 0:
			t.set(i, 0, seen.value)
		case o.n > 0:
			t.put(i, o.until(now), seen.value)
		}
		return foundOne(now, seen), nil
	case opCopy:
		return t.copy(o, seen)
	case opCheck:
		if seen.exists != (len(o.args) == 2) || seen.exists && !bytes.Equal(seen.sum(), o.args[1]) {
			return Reply{kind: replyNot}, nil
		}
		return Reply{}, nil
	default: // opExpire; decodeRecord accepts no other
		until := o.until(now)
		switch has := seen.expiry; {
		case !seen.exists,
			o.flags&flagNX != 0 && has != 0,
			o.flags&flagXX != 0 && has == 0,
			o.flags&flagGT != 0 && (has == 0 || until <= has),
			o.flags&flagLT != 0 && has != 0 && until >= has:
			return Reply{kind: replyInt, n: 0}, nil
		}
		t.put(i, until, seen.value)
		return Reply{kind: replyInt, n: 1}, nil
	}
}

// until is the time that n means.
func (o *op) until(now int64) int64 {
	if o.flags&flagAt != 0 {
		return o.n
	}
	return now + o.n
}

func foundOne(now int64, e entry) Reply {
	return Reply{kind: replyFound, found: &found{now, []entry{e}}}
}

// copy copies what is seen of a key to another one. Its reply is whether it has.
func (t *txn) copy(o *op, seen entry) (Reply, error) {
	if !seen.exists {
		return Reply{kind: replyError, text: textNoKey}, nil
	}
	to, err := t.item(t.s, o.args[1])
	if err != nil {
		return Reply{}, err
	}
	if to.at(t.meta.time).exists && o.flags&flagReplace == 0 {
		return Reply{kind: replyInt, n: 0}, nil
	}
	if bytes.Equal(o.args[0], o.args[1]) {
		return Reply{kind: replyInt, n: 1}, nil
	}
	t.set(to, seen.expiry, seen.value)
	if o.flags&flagMove != 0 {
		from, err := t.item(t.s, o.args[0])
		if err != nil {
			return Reply{}, err
		}
		t.del(from)
	}
	return Reply{kind: replyInt, n: 1}, nil
}

// addFloats adds two decimal numbers as Redis does on x86, with 64 bits of precision and 17 digits behind the
// point. A key that does not exist is 0. It returns the sum, or the text of an error.
func addFloats(e entry, increment []byte) (sum, text string) {
	a, ok := new(big.Float).SetPrec(64), true
	if e.exists {
		a, ok = parseFloat(e.value)
	}
	b, also := parseFloat(increment)
	if !ok || !also {
		return "", textNotFloat
	}
	a.Add(a, b)
	if f, _ := a.Float64(); math.IsInf(f, 0) {
		return "", textInfinite
	}
	sum = a.Text('f', 17)
	sum = strings.TrimRight(strings.TrimRight(sum, "0"), ".")
	if sum == "-0" || sum == "" {
		sum = "0"
	}
	return sum, ""
}

// parseFloat reads a decimal number that fits into 64 bits.
func parseFloat(b []byte) (*big.Float, bool) {
	const most = 400 // the digits of the largest one, and some
	if len(b) > most || bytes.ContainsFunc(b, func(r rune) bool { return !strings.ContainsRune("0123456789.eE+-", r) }) {
		return nil, false
	}
	if _, err := strconv.ParseFloat(string(b), 64); err != nil {
		return nil, false
	}
	f, _, err := big.ParseFloat(string(b), 10, 64, big.ToNearestEven)
	return f, err == nil
}

// put is set for a key that expires, perhaps in the past.
func (t *txn) put(i *item, expiry int64, value []byte) {
	switch {
	case expiry > t.meta.time:
		t.set(i, expiry, value)
	case i.exists:
		t.del(i)
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

// flush removes all keys.
func (t *txn) flush() {
	t.meta.keys = 0
	t.due, t.next = nil, math.MaxInt64
	t.table.clear()
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
