package kv

import (
	"encoding/binary"
	"errors"
	"fmt"
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
	opSet    opcode = 1 // args: key, value; n: time to live in ms, 0 for ever; flags
	opDel    opcode = 2 // args: keys
	opIncr   opcode = 3 // args: key; n: the number to add
	opAppend opcode = 4 // args: key, value
	opMSet   opcode = 5 // args: key, value, key, value ...
	opExpire opcode = 6 // args: key; n: time to live in ms, 0 or less: delete
)

// Flags of opSet.
const (
	flagNX uint8 = 1 << iota // only if the key does not exist
	flagXX                   // only if it does
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

// check finds contents that no server proposes.
func (o *op) check() error {
	keys, values := o.args, [][]byte(nil)
	switch o.code {
	case opSet, opAppend:
		if len(o.args) != 2 {
			return errArguments
		}
		keys, values = o.args[:1], o.args[1:]
	case opIncr, opExpire:
		if len(o.args) != 1 {
			return errArguments
		}
	case opDel:
		if len(o.args) == 0 {
			return errArguments
		}
	case opMSet:
		if len(o.args) == 0 || len(o.args)%2 != 0 {
			return errArguments
		}
		keys = nil
		for i := 0; i < len(o.args); i += 2 {
			if len(o.args[i]) > MaxKey || len(o.args[i+1]) > MaxValue {
				return errLimits
			}
		}
	default:
		return fmt.Errorf("unknown operation %d (was it written by a newer version?)", o.code)
	}
	for _, k := range keys {
		if len(k) > MaxKey {
			return errLimits
		}
	}
	for _, v := range values {
		if len(v) > MaxValue {
			return errLimits
		}
	}
	switch o.code {
	case opSet:
		if o.flags&^(flagNX|flagXX) != 0 || o.flags == flagNX|flagXX {
			return errFlags
		}
		if o.n < 0 || o.n > maxTime {
			return errLimits
		}
		return nil
	case opExpire:
		if o.n > maxTime || o.n < -maxTime {
			return errLimits
		}
	case opIncr:
	default:
		if o.n != 0 {
			return errLimits
		}
	}
	if o.flags != 0 {
		return errFlags
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
	return r, nil
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
	kind replyKind
	n    int64
	text string
}

type replyKind uint8

const (
	replyOK    replyKind = iota // +OK
	replyNull                   // the null bulk string
	replyInt                    // n
	replyError                  // text
)

func (r Reply) String() string {
	switch r.kind {
	case replyOK:
		return "OK"
	case replyNull:
		return "(nil)"
	case replyInt:
		return fmt.Sprint(r.n)
	}
	return r.text
}

// Texts of errors, as Redis words them.
const (
	textNotInteger = "ERR value is not an integer or out of range"
	textOverflow   = "ERR increment or decrement would overflow"
	textTooLong    = "ERR string exceeds maximum allowed size (16 MiB)"
)
