package kv

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
)

// Limits that are the same on all servers whatever their configuration, because the effect of a record
// must not depend on it.
const (
	// MaxKey is the longest key, in bytes.
	MaxKey = 64 << 10
	// MaxValue is the longest value, in bytes.
	MaxValue = 16 << 20
)

// maxTime limits times and durations in ms, so that sums of two do not overflow.
const maxTime = 1 << 53

// recordVersion is the first byte of a record.
const recordVersion = 1

// opcode says what an op does. The numbers are part of the log's format.
type opcode uint8

const (
	opSet       opcode = 1  // args: key, value; n: time to live in ms, 0 for ever; flags
	opDel       opcode = 2  // args: keys
	opIncr      opcode = 3  // args: key; n: the number to add
	opAppend    opcode = 4  // args: key, value
	opMSet      opcode = 5  // args: key, value, key, value ...; flags: flagNX, of all keys
	opExpire    opcode = 6  // args: key; n: time to live in ms, 0 or less: delete; flags
	opPersist   opcode = 7  // args: key
	opGetDel    opcode = 8  // args: key
	opGetEx     opcode = 9  // args: key; n: time to live in ms, 0: unchanged; flags: flagAt, flagPersist
	opIncrFloat opcode = 10 // args: key, the number to add
	opSetRange  opcode = 11 // args: key, value; n: where the value is put
	opCopy      opcode = 12 // args: from, to; flags: flagReplace, flagMove
	opFlush     opcode = 13 // deletes all keys
	opRead      opcode = 14 // args: keys; changes nothing
	opBegin     opcode = 15 // n: the following ops that take effect together, or not at all
	opCheck     opcode = 16 // args: key, its sum, or none if there is no such key; see entry.sum
)

// Flags of opSet, opMSet and opExpire, of which each knows some.
const (
	flagNX      uint8 = 1 << iota // only if the key does not exist, or has no expiry
	flagXX                        // only if it does
	flagAt                        // n is a time in ms since 1970
	flagKeepTTL                   // the expiry stays
	flagGet                       // reply with the previous value
	flagGT                        // only if the new expiry is later
	flagLT                        // only if it is earlier
)

// Flags of opGetEx and opCopy.
const (
	flagPersist uint8 = 1 << 7 // never expires
	flagReplace uint8 = 1 << 0 // even if the key exists
	flagMove    uint8 = 1 << 1 // and delete the first
)

// op is one write.
type op struct {
	code  opcode
	flags uint8
	n     int64
	args  [][]byte
}

// record is a list of writes that take effect together, in order, at one time. A record without writes
// only advances the time: it removes keys that have expired.
//
// On the wire it has a version byte, the time in ms since 1970 as a uvarint, and the writes one after
// the other: code, flags, n as a varint, the number of arguments, and each argument after its length.
// The number and the lengths are uvarints.
type record struct {
	time int64
	ops  []op
}

// appendRecordHeader begins a record; ops follow.
func appendRecordHeader(b []byte, time int64) []byte {
	return binary.AppendUvarint(append(b, recordVersion), uint64(time))
}

// maxRecordHeader is the longest header.
const maxRecordHeader = 1 + binary.MaxVarintLen64

func (o *op) append(b []byte) []byte {
	b = append(b, byte(o.code), o.flags)
	b = binary.AppendVarint(b, o.n)
	b = binary.AppendUvarint(b, uint64(len(o.args)))
	for _, a := range o.args {
		b = binary.AppendUvarint(b, uint64(len(a)))
		b = append(b, a...)
	}
	return b
}

// size returns the number of bytes that append adds, or a little more.
func (o *op) size() int {
	n := 2 + binary.MaxVarintLen64 + binary.MaxVarintLen32
	for _, a := range o.args {
		n += binary.MaxVarintLen32 + len(a)
	}
	return n
}

// form is what ops of a kind contain.
type form struct {
	least, most int   // arguments; -1: any number
	values      int   // arguments from here on are values, not keys; 0: none is
	pairs       bool  // keys and values take turns
	low, high   int64 // n
	flags       uint8 // that are known
}

// forms has the form of each operation, by its code.
var forms = [...]form{
	opSet:       {least: 2, most: 2, values: 1, high: maxTime, flags: flagNX | flagXX | flagAt | flagKeepTTL | flagGet},
	opDel:       {least: 1, most: -1},
	opIncr:      {least: 1, most: 1, low: math.MinInt64, high: math.MaxInt64},
	opAppend:    {least: 2, most: 2, values: 1},
	opMSet:      {least: 2, most: -1, pairs: true, flags: flagNX},
	opExpire:    {least: 1, most: 1, low: -maxTime, high: maxTime, flags: flagNX | flagXX | flagAt | flagGT | flagLT},
	opPersist:   {least: 1, most: 1},
	opGetDel:    {least: 1, most: 1},
	opGetEx:     {least: 1, most: 1, high: maxTime, flags: flagAt | flagPersist},
	opIncrFloat: {least: 2, most: 2, values: 1},
	opSetRange:  {least: 2, most: 2, values: 1, high: MaxValue},
	opCopy:      {least: 2, most: 2, flags: flagReplace | flagMove},
	opFlush:     {},
	opRead:      {least: 1, most: -1},
	opBegin:     {low: 1, high: math.MaxInt32},
	opCheck:     {least: 1, most: 2, values: 1},
}

// check finds contents that no server proposes.
func (o *op) check() error {
	if int(o.code) >= len(forms) || o.code == 0 {
		return fmt.Errorf("unknown operation %d (was it written by a newer version?)", o.code)
	}
	f := &forms[o.code]
	switch n := len(o.args); {
	case n < f.least, f.most >= 0 && n > f.most, f.pairs && n%2 != 0:
		return errArguments
	}
	for i, a := range o.args {
		most := MaxKey
		if f.pairs && i%2 == 1 || f.values > 0 && i >= f.values {
			most = MaxValue
		}
		if len(a) > most {
			return errLimits
		}
	}
	if o.flags&^f.flags != 0 {
		return errFlags
	}
	if o.n < f.low || o.n > f.high {
		return errLimits
	}
	return o.checkFlags()
}

// checkFlags finds flags that do not go together.
func (o *op) checkFlags() error {
	both := func(flags uint8) bool { return o.flags&flags == flags }
	switch o.code {
	case opSet:
		if both(flagNX|flagXX) || both(flagAt|flagKeepTTL) || o.n != 0 && both(flagKeepTTL) || o.n == 0 && both(flagAt) {
			return errFlags
		}
	case opExpire:
		if both(flagNX|flagXX) || both(flagNX|flagGT) || both(flagNX|flagLT) || both(flagGT|flagLT) {
			return errFlags
		}
	case opGetEx:
		if o.n != 0 && both(flagPersist) || o.n == 0 && both(flagAt) {
			return errFlags
		}
	case opCheck:
		if len(o.args) == 2 && len(o.args[1]) != sumLen {
			return errLimits
		}
	}
	return nil
}

var (
	errArguments = errors.New("wrong number of arguments")
	errFlags     = errors.New("unknown flags (was it written by a newer version?)")
	errLimits    = errors.New("number or length out of range")
	errTruncated = errors.New("cut short")
)

// RecordError is the result of a record that is malformed. Every server gets the same result, and none
// changes its state.
type RecordError struct{ Err error }

func (e *RecordError) Error() string { return "record: " + e.Err.Error() }
func (e *RecordError) Unwrap() error { return e.Err }

// decodeRecord decodes b. The arguments of the ops are parts of b.
func decodeRecord(b []byte) (record, error) {
	var r record
	if len(b) == 0 {
		return r, errTruncated
	}
	if b[0] != recordVersion {
		return r, fmt.Errorf("unknown version %d (was it written by a newer version?)", b[0])
	}
	d := decoder{b: b[1:]}
	t := d.uvarint()
	if t > maxTime {
		return r, errLimits
	}
	r.time = int64(t)
	for d.err == nil && len(d.b) > 0 {
		o := d.op()
		if d.err != nil {
			break
		}
		if err := o.check(); err != nil {
			return record{}, fmt.Errorf("operation %d: %w", len(r.ops), err)
		}
		r.ops = append(r.ops, o)
	}
	if d.err != nil {
		return record{}, d.err
	}
	return r, r.checkTransactions()
}

// checkTransactions makes sure that transactions are whole, and not in one another.
func (r *record) checkTransactions() error {
	left := int64(0)
	for i := range r.ops {
		o := &r.ops[i]
		switch {
		case o.code == opBegin && left > 0:
			return fmt.Errorf("operation %d: a transaction in a transaction", i)
		case o.code == opBegin:
			left = o.n
		case left > 0:
			left--
		case o.code == opCheck:
			return fmt.Errorf("operation %d: a check of no transaction", i)
		}
	}
	if left > 0 {
		return errTruncated
	}
	return nil
}

// decoder takes values from the front of b until there is an error.
type decoder struct {
	b    []byte
	err  error
	args [][]byte // of all ops: this needs few allocations, whatever their number
}

func (d *decoder) op() op {
	var o op
	if len(d.b) < 2 {
		d.err = errTruncated
		return o
	}
	o.code, o.flags = opcode(d.b[0]), d.b[1]
	d.b = d.b[2:]
	o.n = d.varint()
	argc := d.uvarint()
	// Each argument takes at least a byte.
	if d.err == nil && argc > uint64(len(d.b)) {
		d.err = errTruncated
	}
	if d.err != nil {
		return o
	}
	from := len(d.args)
	for range argc {
		d.args = append(d.args, d.bytes())
		if d.err != nil {
			return o
		}
	}
	o.args = d.args[from:len(d.args):len(d.args)]
	return o
}

func (d *decoder) uvarint() uint64 {
	if d.err != nil {
		return 0
	}
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.err = errTruncated
		if n < 0 {
			d.err = errLimits
		}
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) varint() int64 {
	u := d.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

// bytes takes a length and that many bytes.
func (d *decoder) bytes() []byte {
	n := d.uvarint()
	if d.err == nil && n > uint64(len(d.b)) {
		d.err = errTruncated
	}
	if d.err != nil {
		return nil
	}
	v := d.b[:n:n]
	d.b = d.b[n:]
	return v
}

// Reply is the answer to a write.
type Reply struct {
	kind  replyKind
	n     int64
	text  string
	found *found
}

// found is what a write, or a read in a transaction, has found.
type found struct {
	now     int64 // ms since 1970
	entries []entry
}

type replyKind uint8

const (
	replyOK    replyKind = iota // +OK
	replyNull                   // the null bulk string
	replyInt                    // n
	replyError                  // text
	replyText                   // text, as a bulk string
	replyFound                  // found
	replyNot                    // a transaction did not take effect: a key had changed
)

func (r Reply) String() string {
	switch r.kind {
	case replyOK:
		return "OK"
	case replyNull:
		return "(nil)"
	case replyInt:
		return fmt.Sprint(r.n)
	case replyFound:
		var b strings.Builder
		for i, e := range r.found.entries {
			if i > 0 {
				b.WriteByte(' ')
			}
			if e.exists {
				fmt.Fprintf(&b, "%q %d", e.value, e.expiry)
			} else {
				b.WriteString("(nil)")
			}
		}
		return b.String()
	case replyNot:
		return "(not)"
	}
	return r.text
}

// Texts of errors, as Redis words them.
const (
	textNotInteger = "ERR value is not an integer or out of range"
	textOverflow   = "ERR increment or decrement would overflow"
	textNotFloat   = "ERR value is not a valid float"
	textInfinite   = "ERR increment would produce NaN or Infinity"
	textNoKey      = "ERR no such key"
	textTooLong    = "ERR string exceeds maximum allowed size (16 MiB)"
)
