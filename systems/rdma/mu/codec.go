package mu

import "encoding/binary"

// Entry is an entry of a log, for programs that keep a log of this form without the protocol.
type Entry struct {
	Position uint64
	Index    uint64 // of the record; for a skip, that of the record after it
	Commit   uint64 // entries that end at this position or before are decided
	Term     Term
	Record   []byte // aliases what it was decoded from
	Size     uint64 // bytes of log, the rest of the ring for a skip
	Skip     bool   // the rest of the ring is unused
}

// Cost returns the bytes of log that an entry with a record of n bytes takes at a position: its
// own, and what is skipped before it, because entries do not reach across the end of the ring.
func (g Geometry) Cost(position uint64, n int) (skip, size uint64) {
	size = entrySize(n)
	if left := g.left(position); size > left {
		skip = left
	}
	return skip, size
}

// Append writes an entry to a log region that ends at x.Position, behind what must be skipped there,
// and returns where the log ends now.
func (g Geometry) Append(region []byte, x Entry) (end uint64) {
	e := entry{position: x.Position, index: x.Index, commit: x.Commit, term: x.Term, record: x.Record}
	g.put(region, &e)
	return e.position + entrySize(len(e.record))
}

// put is Append for an entry of any kind, which gets its position. marked says that there was room
// for an entry that says what is skipped.
func (g Geometry) put(region []byte, e *entry) (marked bool) {
	skip, size := g.Cost(e.position, len(e.record))
	if marked = skip >= entryHeader; marked {
		mark := entry{position: e.position, index: e.index, commit: e.commit, term: e.term, skip: true}
		mark.encode(region[g.slot(e.position):][:entryHeader])
	}
	e.position += skip
	e.encode(region[g.slot(e.position):][:size])
	return marked
}

// Ring is the length of the ring in bytes.
func (g Geometry) Ring() uint64 { return g.ring }

// Slot returns the offset of a position in the log region.
func (g Geometry) Slot(position uint64) uint64 { return g.slot(position) }

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

// Span returns the bytes of log that the complete entry at a position takes, and those that the other
// servers need (none for a rest that is too short for an entry). It is for the owner's log, and checks
// nothing.
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
