package mu

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/bits"
)

// Offsets in the log region. All numbers in both regions are little-endian.
const (
	offCommit = CommitOffset
	commitLen = CommitLen
	ringStart = RingStart
)

// What lies where in the log region, in bytes.
const (
	CommitOffset = 0 // commit position: entries that end there or before are decided
	CommitLen    = 8
	RingStart    = 256 // the ring of entries, to the region's end
)

// Offsets in an entry. A position counts all bytes ever appended; an entry lies at
// position modulo the length of the ring, and never across its end. Entries are aligned
// to 8 bytes:
//
//	0 CRC-32C of all that follows | 4 length and flags | 8 position | 16 index |
//	24 commit position | 32 term | 40 record
//
// The checksum covers the position, so what an earlier round left in the ring is never
// taken for an entry, recycled space needs no zeroing, and nothing depends on the order
// in which bytes become visible.
const (
	entryLength   = 4 // and flags
	entryPosition = 8
	entryIndex    = 16
	entryCommit   = 24
	entryTerm     = 32
	entryHeader   = 40

	flagSkip    = 1 << 31 // the rest of the ring is unused
	flagMembers = 1 << 30 // the record is a membership
	lengthMask  = flagMembers - 1
)

// MinLogSize is the smallest size of a log region in bytes.
const MinLogSize = 4096

// ErrLogSize is wrapped by errors about the size of a log region.
var ErrLogSize = errors.New("log size")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Geometry is the shape of a log.
//
// Invariant: ring is a multiple of 8, and every entry is at most ring/4 long.
type Geometry struct{ ring uint64 }

// NewGeometry returns the shape of a log in a region of size bytes, a power of two.
func NewGeometry(size int) (Geometry, error) {
	if size < MinLogSize || size > 1<<40 || bits.OnesCount64(uint64(size)) != 1 {
		return Geometry{}, fmt.Errorf("%w: %d (want a power of two from %d)", ErrLogSize, size, MinLogSize)
	}
	return Geometry{ring: uint64(size - ringStart)}, nil
}

// MaxRecord is the length of the longest record that fits, in bytes.
func (g Geometry) MaxRecord() int { return int(g.ring/4)&^7 - entryHeader }

// RegionSize is the size of the log region in bytes.
func (g Geometry) RegionSize() int { return int(g.ring) + ringStart }

// maxEntry is the length of the longest entry.
func (g Geometry) maxEntry() uint64 { return g.ring / 4 &^ 7 }

// slot returns the offset of a position in the region.
func (g Geometry) slot(pos uint64) uint64 { return ringStart + pos%g.ring }

// left returns the number of bytes from pos to the end of the ring.
func (g Geometry) left(pos uint64) uint64 { return g.ring - pos%g.ring }

// entrySize returns the bytes that an entry with a record of n bytes takes.
func entrySize(n int) uint64 { return uint64(entryHeader+n+7) &^ 7 }

// entry is a decoded entry. record aliases what it was decoded from.
type entry struct {
	position uint64
	index    uint64 // of the record; for a skip, that of the record after it
	commit   uint64 // entries that end at this position or before are decided
	term     Term
	record   []byte
	size     uint64 // bytes of log, the rest of the ring for a skip
	skip     bool
	members  bool
}

// length is the number of its bytes that carry information.
func (e *entry) length() uint64 { return uint64(entryHeader + len(e.record)) }

// encode writes an entry at b, its place in the ring.
func (e *entry) encode(b []byte) {
	n := uint32(len(e.record))
	if e.skip {
		n = flagSkip
	}
	if e.members {
		n |= flagMembers
	}
	le := binary.LittleEndian
	le.PutUint32(b[entryLength:], n)
	le.PutUint64(b[entryPosition:], e.position)
	le.PutUint64(b[entryIndex:], e.index)
	le.PutUint64(b[entryCommit:], e.commit)
	le.PutUint64(b[entryTerm:], uint64(e.term))
	end := entryHeader + copy(b[entryHeader:], e.record)
	clear(b[end:min(uint64(len(b)), entrySize(len(e.record)))])
	le.PutUint32(b, crc32.Checksum(b[entryLength:end], castagnoli))
}

// decode reads the entry at position pos from b, which begins there and need not contain all of it.
// more is true when the entry may be complete but b ends too early.
func (g Geometry) decode(b []byte, pos uint64) (e entry, ok, more bool) {
	if len(b) < entryHeader {
		return entry{}, false, true
	}
	left := g.left(pos)
	le := binary.LittleEndian
	n := le.Uint32(b[entryLength:])
	e = entry{
		position: le.Uint64(b[entryPosition:]), index: le.Uint64(b[entryIndex:]),
		commit: le.Uint64(b[entryCommit:]), term: Term(le.Uint64(b[entryTerm:])), members: n&flagMembers != 0,
	}
	if e.position != pos {
		return entry{}, false, false
	}
	end := uint64(entryHeader)
	if n == flagSkip {
		e.skip, e.size = true, left
	} else {
		n := uint64(n &^ flagMembers)
		if n&flagSkip != 0 || n > g.maxEntry() || entrySize(int(n)) > min(left, g.maxEntry()) {
			return entry{}, false, false
		}
		end += n
		if uint64(len(b)) < end {
			return entry{}, false, true
		}
		e.record, e.size = b[entryHeader:end], entrySize(int(n))
	}
	if le.Uint32(b) != crc32.Checksum(b[entryLength:end], castagnoli) {
		return entry{}, false, false
	}
	return e, true, false
}

// at reads the entry at pos from a whole region. A rest of the ring that is too
// short for an entry is a skip of its own kind: term 0, no bytes.
func (g Geometry) at(region []byte, pos uint64) (e entry, ok bool) {
	left := g.left(pos)
	if left < entryHeader {
		return entry{position: pos, size: left, skip: true}, true
	}
	off := g.slot(pos)
	e, ok, _ = g.decode(region[off:off+min(left, g.maxEntry())], pos)
	return e, ok
}
