package interp

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// table is a match-action table: compiled keys and actions, and the entries of
// the moment.
//
// A lookup writes the key as one byte string, every element big-endian in
// whole bytes, and matches it
//
//   - in one map, when all elements are exact, and more than 64 bits; fewer
//     are a number, in a map of numbers;
//   - in one map per mask, longest prefix first, when there is an lpm element
//     and no ternary, range or optional one;
//   - else against a list in order of priority, like a TCAM.
//
// What a narrow key matches is remembered in an array, until entries change.
type table struct {
	src     *ir.Table
	key     []nexprOrWide
	offsets []int // of each element in the key
	keyLen  int   // in bytes, a multiple of 8
	bits    int   // of all elements
	kind    tableKind
	actions map[*ir.Action]uint16 // where each is in acts
	acts    []*action             // of the pipeline, in the order of the program; at 0 there is none

	clear   func(cell uint32) // makes a cell as a new entry has it; nil: the table has no cells
	program *entry            // the default action of the program text
	initial *content          // what the program text says
	*content

	buf, masked []byte // scratch of lookup
}

type tableKind uint8

const (
	allExact tableKind = iota
	longestPrefix
	prioritised
)

// nexprOrWide is a key element; one of narrow and wide is set.
type nexprOrWide struct {
	narrow nexpr
	wide   wexpr
	bytes  int
	bits   int
}

// prefixes holds the entries of a longest-prefix table that share a mask.
type prefixes struct {
	length  int
	mask    []byte
	entries map[string]*entry
}

type arg struct {
	narrow uint64
	wide   *big.Int
}

// entry is a table entry or a default action. It is not changed once it is in
// a content, which may share it with others: only what it counts is, and when it
// was hit. Pipelines of one program share entries that do neither (Shared), so an
// action is a number.
type entry struct {
	args     []arg
	counter  *cell
	last     uint64 // when it was last hit, or written: ns
	priority int32
	act      uint16 // in acts; 0: nothing runs
	cell     uint32 // see ir.Cell
	// value and mask for prioritised tables; ranges lists the elements that
	// are compared as lo..hi instead (their mask bytes are zero).
	value, mask []byte
	ranges      []rangeMatch
}

type rangeMatch struct {
	off    int
	lo, hi []byte
}

func newTable(src *ir.Table) *table {
	t := &table{src: src, actions: map[*ir.Action]uint16{}, acts: []*action{nil}}
	for _, k := range src.Keys {
		t.offsets = append(t.offsets, t.keyLen)
		t.keyLen += (k.Width + 7) / 8
		t.bits += k.Width
		switch {
		case k.Match == ir.LPM && t.kind == allExact:
			t.kind = longestPrefix
		case k.Match == ir.Ternary || k.Match == ir.Range || k.Match == ir.Optional:
			t.kind = prioritised
		}
	}
	t.keyLen = (t.keyLen + 7) &^ 7 // whole words, for entry.matches; the rest stays zero
	t.buf, t.masked = make([]byte, t.keyLen), make([]byte, t.keyLen)
	t.content = &content{miss: &entry{counter: t.newCell()}, exact: map[string]*entry{}, numbers: map[uint64]*entry{}, byID: map[string]*entry{}, cells: map[uint32]bool{}}
	t.initial = t.content
	return t
}

// attach compiles keys and actions in the gress that applies the table. A
// table that is applied in several places is attached once.
func (t *table) attach(c *compiler) {
	if t.key != nil || len(t.actions) > 0 {
		return
	}
	for _, k := range t.src.Keys {
		e := nexprOrWide{bytes: (k.Width + 7) / 8, bits: k.Width}
		if k.Width > 64 {
			e.wide = c.wide(k.Expr)
		} else {
			e.narrow = c.narrow(k.Expr)
		}
		t.key = append(t.key, e)
	}
	add := func(a *ir.Action) {
		if a != nil && t.actions[a] == 0 {
			t.actions[a] = uint16(len(t.acts))
			t.acts = append(t.acts, c.action(a))
		}
	}
	for _, ref := range t.src.Actions {
		add(ref.Action)
	}
	add(t.src.Default.Action)
}

// fill installs the default action and the entries of the program text, or those that are shared. It
// runs after the gresses have been compiled.
func (t *table) fill(shared *Shared) error {
	if c := shared.content(t.src); c != nil {
		t.content, t.initial, t.program = c, c, c.miss
		return nil
	}
	t.program = &entry{counter: t.newCell()}
	if t.clear == nil {
		t.program.cell = ir.NoCell
	}
	if d := t.src.Default; d.Action != nil {
		e, err := t.bindAction(dataplane.ProgramAction(d))
		if err != nil {
			return err
		}
		t.program = e
	}
	t.miss = t.program
	for _, src := range t.src.Entries {
		pe := dataplane.ProgramEntry(t.src, src)
		e, err := t.bindAction(pe.Action)
		if err != nil {
			return err
		}
		e.priority = pe.Priority
		if err := t.insert(pe.Matches, e); err != nil {
			return fmt.Errorf("entry at %s: %w", src.Pos, err)
		}
	}
	t.initial, t.shared = t.content, true
	shared.add(t.src, t.content)
	return nil
}

// Shared is what the texts of programs say of tables, for several targets to hold once: one with entries that are
// not counted and have no idle timeouts. One goroutine at a time may use all targets that have a Shared.
type Shared struct{ tables map[*ir.Table]*content }

// NewShared is one that holds nothing yet.
func NewShared() *Shared { return &Shared{tables: map[*ir.Table]*content{}} }

func (s *Shared) content(t *ir.Table) *content {
	if s == nil {
		return nil
	}
	return s.tables[t]
}

func (s *Shared) add(t *ir.Table, c *content) {
	if s != nil && t.Counter == nil && !t.HasCells() && !t.IdleTimeout {
		s.tables[t] = c
	}
}

// bindAction makes an entry out of a control-plane action.
func (t *table) bindAction(a dataplane.Action) (*entry, error) {
	n := t.actions[a.Action]
	act := t.acts[n]
	if act == nil {
		return nil, fmt.Errorf("table %s: action %s is not one of its actions", t.src.Name, a.Action.Name)
	}
	if len(a.Args) != len(act.params) {
		return nil, fmt.Errorf("table %s: action %s with %d arguments, want %d", t.src.Name, a.Action.Name, len(a.Args), len(act.params))
	}
	e := &entry{act: n, counter: t.newCell(), args: make([]arg, 0, len(a.Args))}
	if t.clear == nil {
		e.cell = ir.NoCell
	}
	for i, b := range a.Args {
		v := new(big.Int).SetBytes(b)
		if act.widths[i] > 64 {
			e.args = append(e.args, arg{wide: v})
		} else {
			e.args = append(e.args, arg{narrow: v.Uint64()})
		}
	}
	return e, nil
}

// takeCell takes the lowest cell that no entry has. There is one for each entry that the table has room for.
func (t *table) takeCell() uint32 {
	n := uint32(1)
	for t.cells[n] {
		n++
	}
	t.cells[n] = true
	return n
}

// newCell is the direct counter of an entry, nil if the table has none.
func (t *table) newCell() *cell {
	if t.src.Counter == nil {
		return nil
	}
	return &cell{}
}

// identity is what makes two entries the same: matches and priority.
func (t *table) identity(matches []dataplane.Match, priority int32) string {
	return (&dataplane.Entry{Table: t.src, Matches: matches, Priority: priority}).ID()
}

func (t *table) insert(matches []dataplane.Match, e *entry) error {
	if len(matches) != len(t.src.Keys) {
		return fmt.Errorf("table %s: entry with %d match fields, want %d", t.src.Name, len(matches), len(t.src.Keys))
	}
	if t.src.Size > 0 && t.count >= t.src.Size {
		return fmt.Errorf("table %s: %d entries: %w", t.src.Name, t.count, dataplane.ErrFull)
	}
	if _, _, err := t.find(matches, e.priority); err == nil {
		return fmt.Errorf("table %s: entry exists already", t.src.Name)
	}
	t.own()
	if t.clear != nil {
		e.cell = t.takeCell()
		t.clear(e.cell)
	}
	t.layout(matches, e)
	switch t.kind {
	case allExact:
		t.put(e.value, e)
	case longestPrefix:
		p := t.prefixesFor(e.mask, prefixLength(t.src, matches))
		p.entries[string(e.value)] = e
	case prioritised:
		at, _ := slices.BinarySearchFunc(t.ordered, e.priority, func(o *entry, p int32) int {
			if o.priority >= p { // behind all entries of equal priority
				return -1
			}
			return 1
		})
		t.ordered = slices.Insert(t.ordered, at, e)
	}
	if t.kind != allExact {
		t.byID[t.identity(matches, e.priority)] = e
	}
	t.count++
	return nil
}

// layout computes the byte strings that lookups compare.
func (t *table) layout(matches []dataplane.Match, e *entry) {
	if e.ranges = nil; t.kind == allExact {
		e.value = t.exactly(matches)
		return
	}
	e.value, e.mask = make([]byte, t.keyLen), make([]byte, t.keyLen)
	for i, m := range matches {
		k, off := t.src.Keys[i], t.offsets[i]
		n := (k.Width + 7) / 8
		dst := e.mask[off : off+n]
		switch k.Match {
		case ir.Exact: // beside others
			for j := range dst {
				dst[j] = 0xff
			}
		case ir.LPM:
			putMask(dst, k.Width, m.PrefixLen)
		case ir.Ternary, ir.Optional:
			copy(dst, m.Mask)
		case ir.Range:
			e.ranges = append(e.ranges, rangeMatch{off: off, lo: bytes.Clone(m.Value), hi: bytes.Clone(m.Mask)})
			continue
		}
		copy(e.value[off:], m.Value)
	}
}

// exactly is the byte string of exact elements.
func (t *table) exactly(matches []dataplane.Match) []byte {
	value := make([]byte, t.keyLen)
	for i, m := range matches {
		copy(value[t.offsets[i]:], m.Value)
	}
	return value
}

// putMask writes the mask of a prefix of an element of width bits.
func putMask(dst []byte, width, length int) {
	pad := len(dst)*8 - width
	for i := range length {
		bit := pad + i
		dst[bit/8] |= 0x80 >> (bit % 8)
	}
}

func prefixLength(t *ir.Table, matches []dataplane.Match) int {
	n := 0
	for i, k := range t.Keys {
		if k.Match == ir.LPM {
			n += matches[i].PrefixLen
		}
	}
	return n
}

func (t *table) prefixesFor(m []byte, length int) *prefixes {
	for _, p := range t.prefixes {
		if bytes.Equal(p.mask, m) {
			return p
		}
	}
	p := &prefixes{length: length, mask: m, entries: map[string]*entry{}}
	at := slices.IndexFunc(t.prefixes, func(o *prefixes) bool { return o.length < length })
	if at < 0 {
		at = len(t.prefixes)
	}
	t.prefixes = slices.Insert(t.prefixes, at, p)
	return p
}

// find returns an entry, and its identity in byID.
func (t *table) find(matches []dataplane.Match, priority int32) (*entry, string, error) {
	var e *entry
	var id string
	switch {
	case t.kind != allExact:
		id = t.identity(matches, priority)
		e = t.byID[id]
	case len(matches) != len(t.src.Keys):
	case t.bits <= 64:
		e = t.numbers[t.number(t.exactly(matches))]
	default:
		e = t.exact[string(t.exactly(matches))]
	}
	if e == nil {
		return nil, "", fmt.Errorf("table %s: entry: %w", t.src.Name, dataplane.ErrNotFound)
	}
	return e, id, nil
}

// modify replaces the action of an entry by n's; its direct counter goes on.
func (t *table) modify(matches []dataplane.Match, priority int32, n *entry) error {
	old, id, err := t.find(matches, priority)
	if err != nil {
		return err
	}
	t.own()
	n.counter, n.cell, n.priority = old.counter, old.cell, old.priority
	n.value, n.mask, n.ranges = old.value, old.mask, old.ranges
	switch t.kind {
	case allExact:
		t.put(n.value, n)
	case longestPrefix:
		t.prefixesFor(n.mask, prefixLength(t.src, matches)).entries[string(n.value)] = n
	case prioritised:
		t.ordered[slices.Index(t.ordered, old)] = n
	}
	if t.kind != allExact {
		t.byID[id] = n
	}
	return nil
}

func (t *table) remove(matches []dataplane.Match, priority int32) error {
	e, id, err := t.find(matches, priority)
	if err != nil {
		return err
	}
	t.own()
	switch t.kind {
	case allExact:
		if t.bits <= 64 {
			delete(t.numbers, t.number(e.value))
		} else {
			delete(t.exact, string(e.value))
		}
	case longestPrefix:
		p := t.prefixesFor(e.mask, prefixLength(t.src, matches))
		delete(p.entries, string(e.value))
		if len(p.entries) == 0 {
			t.prefixes = slices.DeleteFunc(t.prefixes, func(o *prefixes) bool { return o == p })
		}
	case prioritised:
		t.ordered = slices.DeleteFunc(t.ordered, func(o *entry) bool { return o == e })
	}
	delete(t.byID, id)
	delete(t.cells, e.cell)
	t.count--
	return nil
}

// lookup returns the entry that matches the packet, or the default entry and
// false.
func (t *table) lookup(f *frame) (*entry, bool) {
	if len(t.key) == 0 { // a table without a key always misses
		return t.miss, false
	}
	if t.bits > maxKnown && (t.bits > 64 || t.kind != allExact) {
		return t.search(f)
	}
	at := uint64(0)
	for i := range t.key {
		k := &t.key[i]
		at = at<<k.bits | k.narrow(f)
	}
	if t.bits > maxKnown {
		if e, ok := t.numbers[at]; ok {
			return e, true
		}
		return t.miss, false
	}
	if t.known == nil {
		t.known = make([]*entry, 1<<t.bits)
	}
	e := t.known[at]
	if e == nil {
		if e = t.numbers[at]; t.kind != allExact {
			e, _ = t.search(f)
		} else if e == nil {
			e = t.miss
		}
		t.known[at] = e
	}
	return e, e != t.miss
}

// put adds an entry of exact elements, or replaces it, and number is what at most 64 bits of them are.
func (t *table) put(value []byte, e *entry) {
	if t.bits <= 64 {
		t.numbers[t.number(value)] = e
	} else {
		t.exact[string(value)] = e
	}
}

func (t *table) number(value []byte) (n uint64) {
	for i, k := range t.src.Keys {
		n = n<<k.Width | getBytes(value[t.offsets[i]:], (k.Width+7)/8)
	}
	return n
}

// maxKnown is how many bits keys have at most whose matches are remembered: a port, and a little.
const maxKnown = 10

// search is lookup of what is not known.
func (t *table) search(f *frame) (*entry, bool) {
	for i := range t.key {
		k, off := &t.key[i], t.offsets[i]
		if k.wide != nil {
			k.wide(f).FillBytes(t.buf[off : off+k.bytes])
		} else {
			v := k.narrow(f)
			for j := k.bytes - 1; j >= 0; j-- {
				t.buf[off+j] = byte(v)
				v >>= 8
			}
		}
	}
	switch t.kind {
	case allExact:
		if e, ok := t.exact[string(t.buf)]; ok {
			return e, true
		}
	case longestPrefix:
		for _, p := range t.prefixes {
			for i := range t.buf {
				t.masked[i] = t.buf[i] & p.mask[i]
			}
			if e, ok := p.entries[string(t.masked)]; ok {
				return e, true
			}
		}
	case prioritised:
		for _, e := range t.ordered {
			if e.matches(t.buf) {
				return e, true
			}
		}
	}
	return t.miss, false
}

func (e *entry) matches(key []byte) bool {
	for i := 0; i < len(key); i += 8 {
		if (word(key, i)^word(e.value, i))&word(e.mask, i) != 0 {
			return false
		}
	}
	for _, r := range e.ranges {
		v := key[r.off : r.off+len(r.lo)]
		if bytes.Compare(v, r.lo) < 0 || bytes.Compare(v, r.hi) > 0 {
			return false
		}
	}
	return true
}

func word(b []byte, i int) uint64 { return binary.NativeEndian.Uint64(b[i:]) }
