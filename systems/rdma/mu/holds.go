package mu

import (
	"encoding/binary"
	"slices"
)

// Inspected is an entry as it is in a log region.
type Inspected struct {
	Decided
	Term Term
	End  uint64 // position behind it
	Skip bool   // not an entry, but the unused rest of the ring
}

// Inspect returns the complete entry that begins at a position of a log region. It is for tests and
// tools that inspect memory. The record aliases the region.
func Inspect(region []byte, position uint64) (Inspected, bool) {
	geo, err := NewGeometry(len(region))
	if err != nil {
		return Inspected{}, false
	}
	e, ok := geo.at(region, position)
	if !ok {
		return Inspected{}, false
	}
	i := Inspected{Term: e.term, End: position + e.size, Skip: e.skip}
	i.Index, i.Position, i.Record = e.index, i.End, e.record
	if e.members {
		if i.Members, err = DecodeMembers(e.record); err != nil {
			return Inspected{}, false
		}
		i.Record = nil
	}
	return i, true
}

// start returns the position of an entry that ends at position, and its record.
func (d *Decided) start(position uint64) (start uint64, record []byte, ok bool) {
	record = d.Record
	if d.Members != nil {
		record = EncodeMembers(d.Members)
	}
	size := entrySize(len(record))
	return position - size, record, position >= size
}

// Holds reports whether a log region has a complete entry that ends at position and has the contents
// of d, whatever its term.
func Holds(region []byte, position uint64, d Decided) bool {
	start, _, ok := d.start(position)
	if !ok {
		return false
	}
	e, ok := Inspect(region, start)
	return ok && !e.Skip && e.Index == d.Index && string(e.Record) == string(d.Record) &&
		(e.Members == nil) == (d.Members == nil) && slices.EqualFunc(e.Members, d.Members, func(a, b Member) bool { return a.ID == b.ID })
}

// HoldsRecord is Holds for an entry that is perhaps being rewritten under another term: its checksum
// need not be right.
func HoldsRecord(region []byte, position uint64, d Decided) bool {
	start, record, ok := d.start(position)
	geo, err := NewGeometry(len(region))
	if !ok || err != nil || geo.left(start) < entrySize(len(record)) {
		return false
	}
	b := region[geo.slot(start):]
	le := binary.LittleEndian
	return le.Uint64(b[entryPosition:]) == start && le.Uint64(b[entryIndex:]) == d.Index &&
		string(b[entryHeader:entryHeader+len(record)]) == string(record)
}
