package xdp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

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

// putBytes stores a big-endian number of the slot's width, and getBytes reads it. One of more than 8 bytes is in words, the least
// significant first.
func putBytes(b []byte, s gen.Slot, v []byte) {
	if s.Width <= 64 {
		put(b, s, number(v))
		return
	}
	for at := s.Offset; at < s.Offset+s.Size; at += 8 {
		low := max(0, len(v)-8)
		binary.NativeEndian.PutUint64(b[at:], number(v[low:]))
		v = v[:low]
	}
}

func getBytes(b []byte, s gen.Slot) []byte {
	if s.Width <= 64 {
		return bytesOf(get(b, s), s.Width)
	}
	out := make([]byte, 0, s.Size)
	for at := s.Offset + s.Size - 8; at >= s.Offset; at -= 8 {
		out = binary.BigEndian.AppendUint64(out, binary.NativeEndian.Uint64(b[at:]))
	}
	return out[s.Size-(s.Width+7)/8:]
}

// prefixMask is the mask of a prefix of a number of width bits, big-endian.
func prefixMask(width, length int) []byte {
	m := make([]byte, (width+7)/8)
	for i := range length {
		at := len(m)*8 - width + i
		m[at/8] |= 0x80 >> (at % 8)
	}
	return m
}

// shiftLeft and shiftRight move a big-endian number by less than 8 bits.
func shiftLeft(b []byte, n int) {
	for i := range b {
		b[i] <<= n
		if i+1 < len(b) {
			b[i] |= b[i+1] >> (8 - n)
		}
	}
}

func shiftRight(b []byte, n int) {
	for i := len(b) - 1; i >= 0; i-- {
		b[i] >>= n
		if i > 0 {
			b[i] |= b[i-1] << (8 - n)
		}
	}
}

// encodeKey is the key of a hash or LPM table.
func encodeKey(t *gen.Table, m []dataplane.Match) []byte {
	key := make([]byte, t.KeySize)
	if t.Kind == gen.TableLPM {
		prefix := 0
		for i, k := range t.Table.Keys {
			s := t.Key[i]
			copy(key[s.Offset:], m[i].Value)
			if k.Match == ir.LPM {
				shiftLeft(key[s.Offset:s.Offset+s.Size], 8*s.Size-s.Width)
				prefix += m[i].PrefixLen
			} else {
				prefix += t.Key[i].Size * 8
			}
		}
		binary.NativeEndian.PutUint32(key, uint32(prefix))
		return key
	}
	if t.Kind == gen.TableIndex {
		n := uint64(0)
		for i, s := range t.Key {
			n = n<<s.Width | number(m[i].Value)
		}
		binary.NativeEndian.PutUint32(key, uint32(n))
		return key
	}
	for i := range t.Table.Keys {
		putBytes(key, t.Key[i], m[i].Value)
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
		putBytes(value, s, a.Args[i])
	}
	return value, nil
}

// encodeEntry is the value of an entry: with idle time-outs it begins as if it had been hit now.
func encodeEntry(t *gen.Table, e *dataplane.Entry) ([]byte, error) {
	value, err := encodeValue(t, e.Action)
	if err == nil && t.Idle > 0 {
		binary.NativeEndian.PutUint64(value[t.Idle:], monotonic())
		binary.NativeEndian.PutUint64(value[t.Idle+8:], uint64(e.IdleTimeout))
	}
	return value, err
}

// idleTimeout is the time-out of an entry with this value.
func idleTimeout(t *gen.Table, value []byte) time.Duration {
	if t.Idle == 0 {
		return 0
	}
	return time.Duration(binary.NativeEndian.Uint64(value[t.Idle+8:]))
}

// monotonic is the clock that programs see, in ns.
func monotonic() uint64 {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)
	return uint64(ts.Nano())
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
				shiftRight(out[i].Value, 8*t.Key[i].Size-t.Key[i].Width)
				out[i].Mask, out[i].PrefixLen = make([]byte, len(out[i].Value)), prefix
			}
		}
		return out
	}
	if t.Kind == gen.TableIndex {
		n := uint64(binary.NativeEndian.Uint32(key))
		for i := len(t.Key) - 1; i >= 0; i-- {
			s := t.Key[i]
			out[i].Value = bytesOf(n&(1<<s.Width-1), s.Width)
			n >>= s.Width
		}
		return out
	}
	for i, s := range t.Key {
		out[i].Value = getBytes(key, s)
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
		a.Args = append(a.Args, getBytes(value, s))
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
	if err := p.coll.Maps[t.Default].Put(uint32(t.DefaultElement), value); err != nil {
		return fmt.Errorf("table %s: default action: %w", t.Name, err)
	}
	return nil
}

// insert writes an entry into a hash, LPM or list table.
func (p *pipeline) insert(e *dataplane.Entry, flags ebpf.MapUpdateFlags) error {
	t := p.desc.Table(e.Table)
	if t == nil {
		return fmt.Errorf("table %s does not belong to the loaded program", e.Table.Name)
	}
	value, err := encodeEntry(t, e)
	if err != nil {
		return err
	}
	if t.Kind == gen.TableConst {
		return fmt.Errorf("table %s has constant entries: %w", t.Name, dataplane.ErrUnsupported)
	}
	return p.withCell(t, e, value, flags, func() error { return p.put(t, e, value, flags) })
}

// put writes the value of an entry.
func (p *pipeline) put(t *gen.Table, e *dataplane.Entry, value []byte, flags ebpf.MapUpdateFlags) (err error) {
	if t.Kind == gen.TableList {
		return p.listPut(t, e, value, flags)
	}
	key := encodeKey(t, e.Matches)
	if t.Kind == gen.TableIndex {
		return p.insertIndexed(t, key, value, flags)
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

// insertIndexed writes an entry into an array table.
func (p *pipeline) insertIndexed(t *gen.Table, key, value []byte, flags ebpf.MapUpdateFlags) error {
	p.full.Lock()
	defer p.full.Unlock()
	there, err := p.indexed(t, key)
	switch {
	case err != nil:
		return err
	case there && flags == ebpf.UpdateNoExist:
		return fmt.Errorf("table %s: entry exists", t.Name)
	case !there && flags == ebpf.UpdateExist:
		return fmt.Errorf("table %s: entry: %w", t.Name, dataplane.ErrNotFound)
	case !there && t.Rest != "" && p.used[t] >= t.Table.Size:
		return fmt.Errorf("table %s: %d entries: %w", t.Name, t.Table.Size, dataplane.ErrFull)
	}
	binary.NativeEndian.PutUint32(value, binary.NativeEndian.Uint32(value)+1)
	if err := p.indexMap(t, key).Put(key, value); err != nil {
		return fmt.Errorf("table %s: %w", t.Name, err)
	}
	if !there {
		p.used[t]++
	}
	return nil
}

// deleteIndexed removes an entry of an array table.
func (p *pipeline) deleteIndexed(t *gen.Table, key []byte) error {
	p.full.Lock()
	defer p.full.Unlock()
	there, err := p.indexed(t, key)
	switch {
	case err != nil:
		return err
	case !there:
		return fmt.Errorf("table %s: entry: %w", t.Name, dataplane.ErrNotFound)
	}
	if m := p.indexMap(t, key); m == p.coll.Maps[t.Map] {
		err = m.Put(key, make([]byte, t.ValueSize))
	} else {
		err = m.Delete(key)
	}
	if err != nil {
		return fmt.Errorf("table %s: %w", t.Name, err)
	}
	p.used[t]--
	return nil
}

// indexMap is the map of an array table that a key's entry is in.
func (p *pipeline) indexMap(t *gen.Table, key []byte) *ebpf.Map {
	if binary.NativeEndian.Uint32(key) >= uint32(t.Size) {
		return p.coll.Maps[t.Rest]
	}
	return p.coll.Maps[t.Map]
}

// indexed reports whether an array table has an entry.
func (p *pipeline) indexed(t *gen.Table, key []byte) (bool, error) {
	value, err := p.indexMap(t, key).LookupBytes(key)
	if err != nil {
		return false, fmt.Errorf("table %s: %w", t.Name, err)
	}
	return value != nil && binary.NativeEndian.Uint32(value) != 0, nil
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
		return fmt.Errorf("table %s does not belong to the loaded program", e.Table.Name)
	}
	if d.Kind == gen.TableConst {
		return fmt.Errorf("table %s has constant entries: %w", d.Name, dataplane.ErrUnsupported)
	}
	return p.withoutCell(d, e, func() error { return p.remove(d, e) })
}

// remove removes an entry.
func (p *pipeline) remove(d *gen.Table, e *dataplane.Entry) error {
	switch d.Kind {
	case gen.TableList:
		return p.listDelete(d, e)
	case gen.TableIndex:
		return p.deleteIndexed(d, encodeKey(d, e.Matches))
	}
	if err := p.coll.Maps[d.Map].Delete(encodeKey(d, e.Matches)); err != nil {
		if errors.Is(err, ebpf.ErrKeyNotExist) {
			return fmt.Errorf("table %s: entry: %w", d.Name, dataplane.ErrNotFound)
		}
		return fmt.Errorf("table %s: %w", d.Name, err)
	}
	return nil
}

// LastHit implements dataplane.Target.
func (t *Target) LastHit(e *dataplane.Entry) (at, now uint64, err error) {
	p, err := t.running()
	if err != nil {
		return 0, 0, err
	}
	d := p.desc.Table(e.Table)
	switch {
	case d == nil:
		return 0, 0, fmt.Errorf("table %s does not belong to the loaded program", e.Table.Name)
	case d.Idle == 0:
		return 0, 0, fmt.Errorf("table %s: no idle timeouts, or constant entries: %w", d.Name, dataplane.ErrUnsupported)
	}
	value, err := p.value(d, e)
	if err != nil {
		return 0, 0, err
	}
	return binary.NativeEndian.Uint64(value[d.Idle:]), monotonic(), nil
}

// value is the value of an entry as it is in the map now.
func (p *pipeline) value(t *gen.Table, e *dataplane.Entry) ([]byte, error) {
	notFound := fmt.Errorf("table %s: entry: %w", t.Name, dataplane.ErrNotFound)
	if t.Kind == gen.TableList {
		i := slices.IndexFunc(p.lists[t].entries, func(x listEntry) bool { return sameMatches(x.e, e) })
		if i < 0 {
			return nil, notFound
		}
		return p.listValue(t, i)
	}
	key := encodeKey(t, e.Matches)
	m := p.coll.Maps[t.Map]
	if t.Kind == gen.TableIndex {
		m = p.indexMap(t, key)
	}
	value, err := m.LookupBytes(key)
	switch {
	case err != nil:
		return nil, fmt.Errorf("table %s: %w", t.Name, err)
	case value == nil || t.Kind == gen.TableIndex && binary.NativeEndian.Uint32(value) == 0:
		return nil, notFound
	}
	return value, nil
}

// SetDefault implements dataplane.Target.
func (t *Target) SetDefault(tb *ir.Table, a *dataplane.Action) error {
	p, err := t.running()
	if err != nil {
		return err
	}
	d := p.desc.Table(tb)
	if d == nil {
		return fmt.Errorf("table %s does not belong to the loaded program", tb.Name)
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
