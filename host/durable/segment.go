package durable

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"
)

// A segment is
//
//	0            header: magic | sum of the rest | length of the name | name | start
//	headSize     slot 0
//	+slotSize    slot 1
//	dataAt       batches
//
// start is where the log stands when the segment begins. A batch is
//
//	sum | length | number of its first record | records: length | bytes
//
// where the sum covers everything behind it, and the sum of the batch before. A slot is
//
//	sum | offset of the batch in the segment | where the log stands behind it | the batch, if it fits
//
// All numbers are little-endian.
const (
	headSize  = 512
	slotSize  = 64 << 10
	dataAt    = headSize + 2*slotSize
	batchHead = 8 + 8 + 8
	slotHead  = 8 + 8 + stateSize + 8
	stateSize = 16
	maxName   = 256
	// maxBatch is what a length may be: more than is ever written.
	maxBatch = 1 << 30
)

var segmentMagic = []byte("p4ce log 1\n\x00\x00\x00\x00\x00")

// state is where a log stands: how many records it has had, and the chained sum.
type state struct{ number, sum uint64 }

var le = binary.LittleEndian

func (s state) append(b []byte) []byte { return le.AppendUint64(le.AppendUint64(b, s.number), s.sum) }

func parseState(b []byte) state { return state{le.Uint64(b), le.Uint64(b[8:])} }

// encodeHead is a segment's header.
func encodeHead(name string, segment uint64, start state) []byte {
	b := make([]byte, headSize)
	copy(b, segmentMagic)
	rest := b[len(segmentMagic)+8 : len(segmentMagic)+8]
	rest = le.AppendUint64(rest, segment)
	rest = start.append(rest)
	rest = le.AppendUint64(rest, uint64(len(name)))
	_ = append(rest, name...)
	le.PutUint64(b[len(segmentMagic):], xxhash.Sum64(b[len(segmentMagic)+8:]))
	return b
}

// parseHead is the opposite.
func parseHead(b []byte, name string, segment uint64) (state, error) {
	at := len(segmentMagic) + 8
	if len(b) < headSize || !bytes.HasPrefix(b, segmentMagic) || le.Uint64(b[len(segmentMagic):]) != xxhash.Sum64(b[at:headSize]) {
		return state{}, errors.New("its header is damaged")
	}
	n := le.Uint64(b[at+8+stateSize:])
	if n > maxName {
		return state{}, errors.New("its header is damaged")
	}
	if is := string(b[at+16+stateSize:][:n]); is != name {
		return state{}, fmt.Errorf("it belongs to %q, not %q", is, name)
	}
	if is := le.Uint64(b[at:]); is != segment {
		return state{}, fmt.Errorf("it is segment %d, not %d", is, segment)
	}
	return parseState(b[at+8:]), nil
}

// encodeBatch appends a batch of records behind a state, and returns the state behind it.
func encodeBatch(b []byte, s state, records [][]byte) ([]byte, state) {
	at := len(b)
	b = append(b, make([]byte, batchHead)...)
	for _, r := range records {
		b = le.AppendUint32(b, uint32(len(r)))
		b = append(b, r...)
	}
	le.PutUint64(b[at+8:], uint64(len(b)-at))
	le.PutUint64(b[at+16:], s.number)
	sum := chain(s.sum, b[at+8:])
	le.PutUint64(b[at:], sum)
	return b, state{s.number + uint64(len(records)), sum}
}

func chain(before uint64, b []byte) uint64 {
	d := xxhash.NewWithSeed(before)
	_, _ = d.Write(b)
	return d.Sum64()
}

// parseBatch reads the batch at the beginning of b that comes behind a state; its length is
// 0 if there is none.
func parseBatch(b []byte, s state, f func(record []byte) error) (n int, next state, err error) {
	if len(b) < batchHead {
		return 0, s, nil
	}
	length := le.Uint64(b[8:])
	if length < batchHead || length > maxBatch || length > uint64(len(b)) || le.Uint64(b[16:]) != s.number {
		return 0, s, nil
	}
	if next.sum = chain(s.sum, b[8:length]); next.sum != le.Uint64(b) {
		return 0, s, nil
	}
	next.number = s.number
	for rest := b[batchHead:length]; len(rest) > 0; next.number++ {
		if len(rest) < 4 || uint64(le.Uint32(rest)) > uint64(len(rest)-4) {
			return 0, s, nil
		}
		r := rest[4 : 4+le.Uint32(rest)]
		if rest = rest[4+len(r):]; f != nil {
			if err := f(r); err != nil {
				return 0, s, err
			}
		}
	}
	return int(length), next, nil
}

// encodeSlot is what a slot has of a batch that ends at a state. One that does not fit is
// left out.
func encodeSlot(b []byte, offset int64, s state, batch []byte) []byte {
	b = append(b[:0], make([]byte, 8)...)
	b = le.AppendUint64(b, uint64(offset))
	b = s.append(b)
	if len(batch) > slotSize-slotHead {
		batch = nil
	}
	b = le.AppendUint64(b, uint64(len(batch)))
	b = append(b, batch...)
	le.PutUint64(b, xxhash.Sum64(b[8:]))
	return b
}

// slot is the last batch, as it is known in its second place.
type slot struct {
	offset int64
	end    state
	batch  []byte // empty: it was too long
}

func parseSlot(b []byte) (s slot, ok bool) {
	if len(b) < slotHead {
		return s, false
	}
	n := le.Uint64(b[slotHead-8:])
	if n > uint64(len(b)-slotHead) || xxhash.Sum64(b[8:slotHead+n]) != le.Uint64(b) {
		return s, false
	}
	return slot{int64(le.Uint64(b[8:])), parseState(b[16:]), b[slotHead : slotHead+n]}, true
}

// content is what a segment has.
type content struct{ start, end state }

// readSegment reads a segment: what follows its last batch was never acknowledged, or it is
// an error.
func readSegment(r io.Reader, name string, segment uint64, f func(record []byte) error) (c content, err error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return c, err
	}
	if c.start, err = parseHead(b, name, segment); err != nil {
		return c, fmt.Errorf("%w: %w", err, ErrDamaged)
	}
	if len(b) < dataAt {
		// It is as long as this before it gets its name.
		return c, fmt.Errorf("it ends after %d bytes: %w", len(b), ErrDamaged)
	}
	c.end = c.start
	at := int64(dataAt)
	for {
		n, next, err := parseBatch(b[at:], c.end, f)
		if err != nil {
			return c, err
		}
		if n == 0 {
			break
		}
		at, c.end = at+int64(n), next
	}
	var last *slot
	for i := range 2 {
		if s, ok := parseSlot(b[headSize+i*slotSize : headSize+(i+1)*slotSize]); ok && (last == nil || s.end.number > last.end.number) {
			last = &s
		}
	}
	if last == nil || last.end.number <= c.end.number {
		return c, nil
	}
	n, next, err := parseBatch(last.batch, c.end, f)
	if err != nil {
		return c, err
	}
	if n == 0 || last.offset != at || next != last.end {
		return c, fmt.Errorf("it ends at record %d, at byte %d, but records up to %d were acknowledged: %w", c.end.number, at, last.end.number, ErrDamaged)
	}
	c.end = next // its slot is the one place that has it
	return c, nil
}
