package xdp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"sort"

	"github.com/cilium/ebpf"

	"github.com/p4ce/p4ce/bpf/gen"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// number reads a big-endian byte string of at most 8 bytes.
func number(b []byte) uint64 {
	var v uint64
	for _, x := range b {
		v = v<<8 | uint64(x)
	}
	return v
}

// bytesOf is the big-endian byte string of a number of w bits.
func bytesOf(v uint64, w int) []byte {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], v)
	return b[8-(w+7)/8:]
}

// put stores a number in a slot, in the machine's byte order.
func put(b []byte, s gen.Slot, v uint64) {
	switch s.Size {
	case 1:
		b[s.Offset] = byte(v)
	case 2:
		binary.NativeEndian.PutUint16(b[s.Offset:], uint16(v))
	case 4:
		binary.NativeEndian.PutUint32(b[s.Offset:], uint32(v))
	default:
		binary.NativeEndian.PutUint64(b[s.Offset:], v)
	}
}

// get reads a number from a slot.
func get(b []byte, s gen.Slot) uint64 {
	switch s.Size {
	case 1:
		return uint64(b[s.Offset])
	case 2:
		return uint64(binary.NativeEndian.Uint16(b[s.Offset:]))
	case 4:
		return uint64(binary.NativeEndian.Uint32(b[s.Offset:]))
	}
	return binary.NativeEndian.Uint64(b[s.Offset:])
}

// encodeKey is the key of a hash or LPM table.
func encodeKey(t *gen.Table, m []dataplane.Match) []byte {
	key := make([]byte, t.KeySize)
	if t.Kind == gen.TableLPM {
		prefix := 0
		for i, k := range t.Table.Keys {
			copy(key[t.Key[i].Offset:], m[i].Value)
			if k.Match == ir.LPM {
				prefix += m[i].PrefixLen
			} else {
				prefix += t.Key[i].Size * 8
			}
		}
		binary.NativeEndian.PutUint32(key, uint32(prefix))
		return key
	}
	for i := range t.Table.Keys {
		put(key, t.Key[i], number(m[i].Value))
	}
	return key
}

// encodeValue is an action with its action data.
func encodeValue(t *gen.Table, a dataplane.Action) ([]byte, error) {
	n := t.ActionNumber(a.Action)
	if n < 0 {
		return nil, fmt.Errorf("table %s: action %s is not one of its actions", t.Name, a.Action.Name)
	}
	value := make([]byte, t.ValueSize)
	binary.NativeEndian.PutUint32(value, uint32(n))
	for i, s := range t.Actions[n].Params {
		put(value, s, number(a.Args[i]))
	}
	return value, nil
}

// decodeKey is the matches of a key of a hash or LPM table.
func decodeKey(t *gen.Table, key []byte) []dataplane.Match {
	out := make([]dataplane.Match, len(t.Key))
	if t.Kind == gen.TableLPM {
		prefix := int(binary.NativeEndian.Uint32(key))
		for i, s := range t.Key {
			out[i].Value = bytes.Clone(key[s.Offset : s.Offset+s.Size])
			if t.Table.Keys[i].Match != ir.LPM {
				prefix -= s.Size * 8
			}
		}
		for i, k := range t.Table.Keys {
			if k.Match == ir.LPM {
				out[i].Mask, out[i].PrefixLen = make([]byte, len(out[i].Value)), prefix
			}
		}
		return out
	}
	for i, s := range t.Key {
		out[i].Value = bytesOf(get(key, s), s.Width)
	}
	return out
}

// decodeValue is the action of a value.
func decodeValue(t *gen.Table, value []byte) (dataplane.Action, error) {
	n := binary.NativeEndian.Uint32(value)
	if int(n) >= len(t.Actions) {
		return dataplane.Action{}, fmt.Errorf("table %s: action %d: the table has %d", t.Name, n, len(t.Actions))
	}
	a := dataplane.Action{Action: t.Actions[n].Action}
	for _, s := range t.Actions[n].Params {
		a.Args = append(a.Args, bytesOf(get(value, s), s.Width))
	}
	return a, nil
}

// initialise fills in what the program text says: entries and default actions.
func (p *pipeline) initialise(prog *ir.Program) error {
	for _, t := range p.desc.Tables {
		if t.Kind == gen.TableList {
			p.lists[t] = &list{}
		}
		if t.Default != "" && t.Table.Default.Action != nil {
			if err := p.setDefault(t, dataplane.ProgramAction(t.Table.Default)); err != nil {
				return err
			}
		}
		if t.Kind == gen.TableConst {
			continue
		}
		for _, e := range t.Table.Entries {
			if err := p.insert(dataplane.ProgramEntry(t.Table, e), ebpf.UpdateNoExist); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *pipeline) setDefault(t *gen.Table, a dataplane.Action) error {
	value, err := encodeValue(t, a)
	if err != nil {
		return err
	}
	if err := p.coll.Maps[t.Default].Put(uint32(0), value); err != nil {
		return fmt.Errorf("table %s: default action: %w", t.Name, err)
	}
	return nil
}

// insert writes an entry into a hash, LPM or list table.
func (p *pipeline) insert(e *dataplane.Entry, flags ebpf.MapUpdateFlags) error {
	t := p.desc.Table(e.Table)
	if t == nil {
		return fmt.Errorf("table %s is not of the loaded program", e.Table.Name)
	}
	value, err := encodeValue(t, e.Action)
	if err != nil {
		return err
	}
	switch t.Kind {
	case gen.TableConst:
		return fmt.Errorf("table %s has constant entries: %w", t.Name, dataplane.ErrUnsupported)
	case gen.TableList:
		return p.listPut(t, e, value, flags)
	}
	key := encodeKey(t, e.Matches)
	if t.Kind == gen.TableIndex {
		there, err := p.indexed(t, key)
		switch {
		case err != nil:
			return err
		case there && flags == ebpf.UpdateNoExist:
			return fmt.Errorf("table %s: entry exists", t.Name)
		case !there && flags == ebpf.UpdateExist:
			return fmt.Errorf("table %s: entry: %w", t.Name, dataplane.ErrNotFound)
		}
		binary.NativeEndian.PutUint32(value, binary.NativeEndian.Uint32(value)+1)
		flags = ebpf.UpdateAny
	}
	err = p.coll.Maps[t.Map].Update(key, value, flags)
	switch {
	case errors.Is(err, ebpf.ErrKeyNotExist):
		return fmt.Errorf("table %s: entry: %w", t.Name, dataplane.ErrNotFound)
	case err != nil && isFull(err):
		return fmt.Errorf("table %s: %d entries: %w", t.Name, t.Size, dataplane.ErrFull)
	case err != nil:
		return fmt.Errorf("table %s: %w", t.Name, err)
	}
	return nil
}

// indexed reports whether an array table has an entry.
func (p *pipeline) indexed(t *gen.Table, key []byte) (bool, error) {
	value, err := p.coll.Maps[t.Map].LookupBytes(key)
	if err != nil {
		return false, fmt.Errorf("table %s: %w", t.Name, err)
	}
	return binary.NativeEndian.Uint32(value) != 0, nil
}

// Insert implements dataplane.Target.
func (t *Target) Insert(e *dataplane.Entry) error {
	p, err := t.running()
	if err != nil {
		return err
	}
	return p.insert(e, ebpf.UpdateNoExist)
}

// Modify implements dataplane.Target.
func (t *Target) Modify(e *dataplane.Entry) error {
	p, err := t.running()
	if err != nil {
		return err
	}
	return p.insert(e, ebpf.UpdateExist)
}

// Delete implements dataplane.Target.
func (t *Target) Delete(e *dataplane.Entry) error {
	p, err := t.running()
	if err != nil {
		return err
	}
	d := p.desc.Table(e.Table)
	if d == nil {
		return fmt.Errorf("table %s is not of the loaded program", e.Table.Name)
	}
	switch d.Kind {
	case gen.TableConst:
		return fmt.Errorf("table %s has constant entries: %w", d.Name, dataplane.ErrUnsupported)
	case gen.TableList:
		return p.listDelete(d, e)
	case gen.TableIndex:
		key := encodeKey(d, e.Matches)
		there, err := p.indexed(d, key)
		switch {
		case err != nil:
			return err
		case !there:
			return fmt.Errorf("table %s: entry: %w", d.Name, dataplane.ErrNotFound)
		}
		if err := p.coll.Maps[d.Map].Put(key, make([]byte, d.ValueSize)); err != nil {
			return fmt.Errorf("table %s: %w", d.Name, err)
		}
		return nil
	}
	if err := p.coll.Maps[d.Map].Delete(encodeKey(d, e.Matches)); err != nil {
		if errors.Is(err, ebpf.ErrKeyNotExist) {
			return fmt.Errorf("table %s: entry: %w", d.Name, dataplane.ErrNotFound)
		}
		return fmt.Errorf("table %s: %w", d.Name, err)
	}
	return nil
}

// SetDefault implements dataplane.Target.
func (t *Target) SetDefault(tb *ir.Table, a *dataplane.Action) error {
	p, err := t.running()
	if err != nil {
		return err
	}
	d := p.desc.Table(tb)
	if d == nil {
		return fmt.Errorf("table %s is not of the loaded program", tb.Name)
	}
	if d.Default == "" {
		return fmt.Errorf("table %s: the default action is constant: %w", d.Name, dataplane.ErrUnsupported)
	}
	if a == nil {
		own := dataplane.ProgramAction(tb.Default)
		a = &own
	}
	return p.setDefault(d, *a)
}

// list is the user-space side of a table that is searched entry by entry.
type list struct {
	entries []listEntry
}

type listEntry struct {
	e     *dataplane.Entry
	bytes []byte
}

// encodeListEntry is {valid u64, key, mask, value}. To a program, valid is zero or
// not; its upper half is the priority, for whoever reads the table back.
func encodeListEntry(t *gen.Table, e *dataplane.Entry, value []byte) []byte {
	b := make([]byte, 8+2*t.KeySize+len(value))
	binary.NativeEndian.PutUint64(b, uint64(uint32(e.Priority))<<32|1)
	for i, k := range t.Table.Keys {
		m := e.Matches[i]
		v, mask := number(m.Value), number(m.Mask)
		switch k.Match {
		case ir.Exact:
			mask = ^uint64(0)
		case ir.LPM:
			mask = (^uint64(0) << (k.Width - m.PrefixLen)) & (1<<k.Width - 1)
		}
		put(b[8:], t.Key[i], v)
		put(b[8+t.KeySize:], t.Key[i], mask)
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
	e := &dataplane.Entry{Table: t.Table, Priority: int32(valid >> 32), Action: a}
	for i, k := range t.Table.Keys {
		v, mask := get(b[8:], t.Key[i]), get(b[8+t.KeySize:], t.Key[i])
		m := dataplane.Match{Value: bytesOf(v, k.Width)}
		switch k.Match {
		case ir.Exact:
		case ir.LPM:
			m.Mask, m.PrefixLen = make([]byte, len(m.Value)), bits.OnesCount64(mask)
		default:
			m.Mask = bytesOf(mask, k.Width)
		}
		e.Matches = append(e.Matches, m)
	}
	return e, nil
}

func (p *pipeline) listPut(t *gen.Table, e *dataplane.Entry, value []byte, flags ebpf.MapUpdateFlags) error {
	l, id := p.lists[t], e.ID()
	next := make([]listEntry, 0, len(l.entries)+1)
	found := false
	for _, x := range l.entries {
		if x.e.ID() == id {
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
	l, id := p.lists[t], e.ID()
	var next []listEntry
	for _, x := range l.entries {
		if x.e.ID() != id {
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
	for i, x := range entries {
		if err := m.Put(uint32(i), x.bytes); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	if err := p.coll.Maps[t.Map].Put(uint32(0), m); err != nil {
		return fmt.Errorf("table %s: %w", t.Name, err)
	}
	p.lists[t].entries = entries
	return nil
}
