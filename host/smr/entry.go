package smr

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/bits"
)

// Offsets in the region.
const (
	offProposal  = 0
	offCommit    = 8
	leaderLen    = 16 // what a commit write covers
	offHead      = 64
	offHeadIndex = 72
	headLen      = 16
	ringStart    = 256
)

// Offsets in an entry.
const (
	entryLength   = 4
	entryPosition = 8
	entryIndex    = 16
	entryCommit   = 24
	entryTerm     = 32
	entryHeader   = 40

	skipFlag = 1 << 31
)

// MinLogSize is the smallest size of a log's region.
const MinLogSize = 4096

// ErrLogSize is wrapped by errors about the size of the log.
var ErrLogSize = errors.New("log size")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// geometry is the shape of a log.
//
// Invariant: ring is a multiple of 8, and every entry is at most ring/4 long.
type geometry struct {
	ring uint64
}

func newGeometry(size int) (geometry, error) {
	if size < MinLogSize || size > 1<<40 || bits.OnesCount64(uint64(size)) != 1 {
		return geometry{}, fmt.Errorf("%w: %d (want a power of two from %d)", ErrLogSize, size, MinLogSize)
	}
	return geometry{ring: uint64(size - ringStart)}, nil
}

// maxRecord is the longest record that fits.
func (g geometry) maxRecord() int { return int(g.ring/4)&^7 - entryHeader }

// slot returns the offset of a position in the region.
func (g geometry) slot(pos uint64) uint64 { return ringStart + pos%g.ring }

// left returns the number of bytes from pos to the end of the ring.
func (g geometry) left(pos uint64) uint64 { return g.ring - pos%g.ring }

// entrySize returns the bytes that an entry with a record of n bytes takes.
func entrySize(n int) uint64 { return uint64(entryHeader+n+7) &^ 7 }

// entry is a decoded entry. record aliases the log.
type entry struct {
	position uint64
	index    uint64
	commit   uint64 // entries with a lower index are decided
	term     uint64
	record   []byte
	size     uint64 // bytes of log, the rest of the ring for a skip
	skip     bool
}

// encode writes an entry at its place in the region and returns the bytes to
// write to replicas.
func (g geometry) encode(region []byte, e *entry) []byte {
	b := region[g.slot(e.position):]
	n := uint32(len(e.record))
	if e.skip {
		n = skipFlag
	}
	le := binary.LittleEndian
	le.PutUint32(b[entryLength:], n)
	le.PutUint64(b[entryPosition:], e.position)
	le.PutUint64(b[entryIndex:], e.index)
	le.PutUint64(b[entryCommit:], e.commit)
	le.PutUint64(b[entryTerm:], e.term)
	end := entryHeader + copy(b[entryHeader:], e.record)
	le.PutUint32(b, crc32.Checksum(b[entryLength:end], castagnoli))
	return b[:end]
}

// decode reads the entry at pos. ok is false if none is complete there.
func (g geometry) decode(region []byte, pos uint64) (e entry, ok bool) {
	left := g.left(pos)
	if left < entryHeader {
		// No header fits: the rest of the ring is skipped without an entry.
		return entry{position: pos, size: left, skip: true}, true
	}
	b := region[g.slot(pos):]
	le := binary.LittleEndian
	n := le.Uint32(b[entryLength:])
	e = entry{
		position: le.Uint64(b[entryPosition:]), index: le.Uint64(b[entryIndex:]),
		commit: le.Uint64(b[entryCommit:]), term: le.Uint64(b[entryTerm:]),
	}
	if e.position != pos {
		return entry{}, false
	}
	end := entryHeader
	if n == skipFlag {
		e.skip, e.size = true, left
	} else {
		if uint64(n) > g.ring/4 || entrySize(int(n)) > left {
			return entry{}, false
		}
		end += int(n)
		e.record, e.size = b[entryHeader:end], entrySize(int(n))
	}
	if le.Uint32(b) != crc32.Checksum(b[entryLength:end], castagnoli) {
		return entry{}, false
	}
	return e, true
}

// span returns the bytes of log that the complete entry at pos takes, and the
// bytes of it that a replica must get; it is for the leader's own log.
func (g geometry) span(region []byte, pos uint64) (size uint64, data []byte) {
	left := g.left(pos)
	if left < entryHeader {
		return left, nil
	}
	b := region[g.slot(pos):]
	n := binary.LittleEndian.Uint32(b[entryLength:])
	if n == skipFlag {
		return left, b[:entryHeader]
	}
	return entrySize(int(n)), b[:entryHeader+int(n)]
}
