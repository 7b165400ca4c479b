package mu

// Holds reports whether a log region has a complete entry that ends at position and
// says what d says, whatever its term. It is for tests that look into memory.
func Holds(region []byte, position uint64, d Decided) bool {
	geo, err := NewGeometry(len(region))
	if err != nil {
		return false
	}
	size := entrySize(len(d.Record))
	if d.Members != nil {
		size = entrySize(len(EncodeMembers(d.Members)))
	}
	if position < size {
		return false
	}
	e, ok := geo.at(region, position-size)
	if !ok || e.skip || e.members != (d.Members != nil) {
		return false
	}
	if e.members {
		return string(e.record) == string(EncodeMembers(d.Members))
	}
	return e.index == d.Index && string(e.record) == string(d.Record)
}
