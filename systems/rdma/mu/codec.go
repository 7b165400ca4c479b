package mu

import "encoding/binary"

// Entry is an entry of a log, for who keeps a log of this form without the protocol.
type Entry struct {
	Position uint64
	Index    uint64 // of the record; a skip has that of the record behind it
	Commit   uint64 // entries that end at this position or before are decided
	Term     Term
	Record   []byte // aliases what it was decoded from
	Size     uint64 // bytes of log, the rest of the ring for a skip
	Skip     bool   // the rest of the ring is not used
}

// EntrySize returns the bytes of log that an entry with a record of n bytes takes.
func EntrySize(n int) uint64 { return entrySize(n) }

// Skip returns what must be skipped at a position for an entry of size bytes, because
// entries do not reach across the end of the ring; marked says that there is room for an
// entry that says so.
func (g Geometry) Skip(position, size uint64) (skip uint64, marked bool) {
	if left := g.left(position); size > left {
		return left, left >= entryHeader
	}
	return 0, false
}

// Ring is the length of the ring in bytes.
func (g Geometry) Ring() uint64 { return g.ring }

// Slot returns the offset of a position in the log region.
func (g Geometry) Slot(position uint64) uint64 { return g.slot(position) }

// Encode writes an entry at its place in a log region, and returns the bytes of it that
// others must get.
func (g Geometry) Encode(region []byte, x Entry) []byte {
	e := entry{position: x.Position, index: x.Index, commit: x.Commit, term: x.Term, record: x.Record, skip: x.Skip}
	b := region[g.slot(x.Position):]
	size := uint64(entryHeader)
	if !x.Skip {
		size = entrySize(len(x.Record))
	}
	e.encode(b[:min(size, uint64(len(b)))])
	return b[:e.length()]
}

// Decode reads the entry at a position of a log region. ok is false if none is complete
// there. A rest of the ring that is too short for an entry is a skip of term 0.
func (g Geometry) Decode(region []byte, position uint64) (x Entry, ok bool) {
	e, ok := g.at(region, position)
	if !ok || e.members {
		return Entry{}, false
	}
	return Entry{
		Position: e.position, Index: e.index, Commit: e.commit, Term: e.term, Record: e.record, Size: e.size, Skip: e.skip,
	}, true
}

// Span returns the bytes of log that the complete entry at a position takes, and those of
// them that others must get (none of a rest that is too short for an entry). It is for
// the owner's log: nothing is checked.
func (g Geometry) Span(region []byte, position uint64) (size uint64, data []byte) {
	left := g.left(position)
	if left < entryHeader {
		return left, nil
	}
	b := region[g.slot(position):]
	n := binary.LittleEndian.Uint32(b[entryLength:])
	if n == flagSkip {
		return left, b[:entryHeader]
	}
	return entrySize(int(n)), b[:entryHeader+int(n)]
}
