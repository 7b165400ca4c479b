package xdp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sort"

	"github.com/cilium/ebpf"

	"github.com/p4ce/p4ce/bpf/gen"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// list is the user-space side of a table that is searched entry by entry.
type list struct {
	entries []listEntry
}

type listEntry struct {
	e     *dataplane.Entry
	bytes []byte
}

func sameMatches(a, b *dataplane.Entry) bool {
	if a.Priority != b.Priority {
		return false
	}
	for i := range a.Matches {
		if string(a.Matches[i].Value) != string(b.Matches[i].Value) || string(a.Matches[i].Mask) != string(b.Matches[i].Mask) || a.Matches[i].PrefixLen != b.Matches[i].PrefixLen {
			return false
		}
	}
	return true
}

// encodeListEntry is {valid u64, key, mask, value}. To a program, valid is zero or
// not; its upper half is the priority, for whoever reads the table back.
func encodeListEntry(t *gen.Table, e *dataplane.Entry, value []byte) []byte {
	b := make([]byte, 8+2*t.KeySize+len(value))
	binary.NativeEndian.PutUint64(b, uint64(uint32(e.Priority))<<32|1)
	for i, k := range t.Table.Keys {
		m := e.Matches[i]
		mask := m.Mask
		switch k.Match {
		case ir.Exact:
			mask = prefixMask(k.Width, k.Width)
		case ir.LPM:
			mask = prefixMask(k.Width, m.PrefixLen)
		}
		putBytes(b[8:], t.Key[i], m.Value)
		putBytes(b[8+t.KeySize:], t.Key[i], mask)
	}
	copy(b[8+2*t.KeySize:], value)
	return b
}

// decodeListEntry is the opposite; nil: the entry is not valid.
func decodeListEntry(t *gen.Table, b []byte) (*dataplane.Entry, error) {
	valid := binary.NativeEndian.Uint64(b)
	if valid == 0 {
		return nil, nil
	}
	a, err := decodeValue(t, b[8+2*t.KeySize:])
	if err != nil {
		return nil, err
	}
	e := &dataplane.Entry{Table: t.Table, Priority: int32(valid >> 32), Action: a, IdleTimeout: idleTimeout(t, b[8+2*t.KeySize:])}
	for i, k := range t.Table.Keys {
		m := dataplane.Match{Value: getBytes(b[8:], t.Key[i])}
		switch mask := getBytes(b[8+t.KeySize:], t.Key[i]); k.Match {
		case ir.Exact:
		case ir.LPM:
			m.Mask = make([]byte, len(m.Value))
			for _, x := range mask {
				m.PrefixLen += bits.OnesCount8(x)
			}
		default:
			m.Mask = mask
		}
		e.Matches = append(e.Matches, m)
	}
	return e, nil
}

func (p *pipeline) listPut(t *gen.Table, e *dataplane.Entry, value []byte, flags ebpf.MapUpdateFlags) error {
	l := p.lists[t]
	next := make([]listEntry, 0, len(l.entries)+1)
	found := false
	for _, x := range l.entries {
		if sameMatches(x.e, e) {
			found = true
			x = listEntry{e, encodeListEntry(t, e, value)}
		}
		next = append(next, x)
	}
	switch {
	case found && flags == ebpf.UpdateNoExist:
		return fmt.Errorf("table %s: entry exists", t.Name)
	case !found && flags == ebpf.UpdateExist:
		return fmt.Errorf("table %s: entry: %w", t.Name, dataplane.ErrNotFound)
	case !found && len(next) >= t.Size:
		return fmt.Errorf("table %s: %d entries: %w", t.Name, t.Size, dataplane.ErrFull)
	case !found:
		next = append(next, listEntry{e, encodeListEntry(t, e, value)})
	}
	return p.listReplace(t, next)
}

func (p *pipeline) listDelete(t *gen.Table, e *dataplane.Entry) error {
	l := p.lists[t]
	var next []listEntry
	for _, x := range l.entries {
		if !sameMatches(x.e, e) {
			next = append(next, x)
		}
	}
	if len(next) == len(l.entries) {
		return fmt.Errorf("table %s: entry: %w", t.Name, dataplane.ErrNotFound)
	}
	return p.listReplace(t, next)
}

// listReplace puts a whole new list in place at once: no packet sees half of a
// change.
func (p *pipeline) listReplace(t *gen.Table, entries []listEntry) error {
	sort.SliceStable(entries, func(i, j int) bool { return entries[i].e.Priority > entries[j].e.Priority })
	m, err := ebpf.NewMap(&ebpf.MapSpec{
		Name: "list", Type: ebpf.Array, KeySize: 4,
		ValueSize: uint32(8 + 2*t.KeySize + t.ValueSize), MaxEntries: uint32(t.Size),
	})
	if err != nil {
		return fmt.Errorf("table %s: %w", t.Name, err)
	}
	defer m.Close()
	h, err := p.carryHits(t, entries)
	if err != nil {
		return err
	}
	defer h.close()
	for i, x := range entries {
		if err := m.Put(uint32(i), x.bytes); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	if err := p.coll.Maps[t.Map].Put(uint32(t.Element), m); err != nil {
		return fmt.Errorf("table %s: %w", t.Name, err)
	}
	p.lists[t].entries = entries
	// Packets that hit the old list meanwhile.
	late, err := h.update(entries)
	if err != nil {
		return err
	}
	for _, i := range late {
		if err := m.Put(uint32(i), entries[i].bytes); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	return nil
}

// carriedHits are the times of the last hits of a list that is replaced; nil for a
// table without idle time-outs.
type carriedHits struct {
	t    *gen.Table
	old  *ebpf.Map
	from []int // of each new entry, the old one; -1: it is written anew
}

// carryHits takes the times over from the list that is there.
func (p *pipeline) carryHits(t *gen.Table, entries []listEntry) (*carriedHits, error) {
	if t.Idle == 0 {
		return nil, nil
	}
	old, err := p.listMap(t)
	if old == nil {
		return nil, err
	}
	h := &carriedHits{t: t, old: old}
	for _, x := range entries {
		h.from = append(h.from, slices.IndexFunc(p.lists[t].entries, func(o listEntry) bool { return &o.bytes[0] == &x.bytes[0] }))
	}
	if _, err := h.update(entries); err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

// update takes later times over, and returns the entries that have got one.
func (h *carriedHits) update(entries []listEntry) (changed []int, err error) {
	if h == nil {
		return nil, nil
	}
	at := 8 + 2*h.t.KeySize + h.t.Idle
	for i, from := range h.from {
		if from < 0 {
			continue
		}
		b, err := h.old.LookupBytes(uint32(from))
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", h.t.Name, err)
		}
		if hit := binary.NativeEndian.Uint64(b[at:]); hit > binary.NativeEndian.Uint64(entries[i].bytes[at:]) {
			entries[i].bytes = slices.Clone(entries[i].bytes)
			binary.NativeEndian.PutUint64(entries[i].bytes[at:], hit)
			changed = append(changed, i)
		}
	}
	return changed, nil
}

func (h *carriedHits) close() {
	if h != nil {
		h.old.Close()
	}
}

// listMap is the list that is in place; nil when none was ever written.
func (p *pipeline) listMap(t *gen.Table) (*ebpf.Map, error) {
	var m *ebpf.Map
	err := p.coll.Maps[t.Map].Lookup(uint32(t.Element), &m)
	switch {
	case errors.Is(err, ebpf.ErrKeyNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("table %s: %w", t.Name, err)
	}
	return m, nil
}

// listValue is the value of entry i of the list that is in place.
func (p *pipeline) listValue(t *gen.Table, i int) ([]byte, error) {
	m, err := p.listMap(t)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	b, err := m.LookupBytes(uint32(i))
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", t.Name, err)
	}
	return b[8+2*t.KeySize:], nil
}
