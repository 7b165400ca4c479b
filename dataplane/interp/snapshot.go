package interp

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/p4ce/p4ce/dataplane"
)

// State is everything that a later packet can depend on, at one moment:
// registers, meters, table entries and default actions, multicast groups. It belongs to
// the target that made it and to the program that ran then, is never changed,
// and may be kept for as long as it is wanted. The states of one target, and it,
// are for one goroutine at a time.
//
// Not in it: counters (no program can read them; they go on through Restore),
// ports and events, time (a parameter of Step), and the numbers of a Random
// extern, which a program that is to be explored must not use.
//
// Taking and restoring one copies the registers and, for each table and the
// groups, one pointer: what the control plane changes afterwards it copies
// first. A program with small register arrays makes that cheap: programs take
// their sizes from macros.
type State struct {
	p       *pipeline
	narrow  []uint64
	wide    []*big.Int
	tables  []*content       // in the order of the program
	meters  []*meterContent  // in the order of the program
	filters []*filterContent // in the order of the program
	groups  *groups
}

// Snapshot takes the state.
func (t *Target) Snapshot() (*State, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.p == nil {
		return nil, dataplane.ErrNoPipeline
	}
	return t.snapshot(), nil
}

func (t *Target) snapshot() *State {
	p := t.p
	s := &State{p: p, narrow: slices.Clone(p.narrow), wide: slices.Clone(p.wide), groups: t.groups}
	s.groups.shared = true
	s.tables = make([]*content, len(p.prog.Tables))
	for i, src := range p.prog.Tables {
		s.tables[i] = p.tables[src].content
		s.tables[i].shared = true
	}
	for _, src := range p.prog.Meters {
		m := p.meters[src].meterContent
		m.shared = true
		s.meters = append(s.meters, m)
	}
	for _, src := range p.prog.Filters {
		f := p.filters[src].filterContent
		f.shared = true
		s.filters = append(s.filters, f)
	}
	return s
}

// Restore returns to a state from Snapshot or Step of this target, for the program that still runs.
func (t *Target) Restore(s *State) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.restore(s)
}

func (t *Target) restore(s *State) error {
	if t.p == nil {
		return dataplane.ErrNoPipeline
	}
	if s.p != t.p {
		return fmt.Errorf("state: it belongs to another target or to a program that was loaded before %q", t.p.prog.Name)
	}
	copy(t.p.narrow, s.narrow)
	copy(t.p.wide, s.wide)
	for i, src := range t.p.prog.Tables {
		t.p.tables[src].content = s.tables[i]
	}
	for i, src := range t.p.prog.Meters {
		t.p.meters[src].meterContent = s.meters[i]
	}
	for i, src := range t.p.prog.Filters {
		t.p.filters[src].filterContent = s.filters[i]
	}
	t.groups = s.groups
	return nil
}

// Effects is what a packet did beside changing the state.
type Effects struct {
	// Outs are the copies that were sent, as Inject returns them; those for
	// the CPU port are packet-ins.
	Outs    []dataplane.Out
	Digests []dataplane.Digest
	Drops   []string // a dataplane.Drop* reason for the packet, or for each lost copy
}

// Step runs one packet as a function of the state: the frame comes in at a port of a switch in
// state s at a time in ns. No real port and no receiver of events notices. The target is then in
// the returned state.
func (t *Target) Step(s *State, in dataplane.Port, frame []byte, now uint64) (*State, Effects, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.restore(s); err != nil {
		return nil, Effects{}, err
	}
	var out Effects
	t.process(in, frame, now, effects{
		send: func(port dataplane.Port, f []byte) {
			out.Outs = append(out.Outs, dataplane.Out{Port: port, Frame: bytes.Clone(f)})
		},
		digest: func(d dataplane.Digest) { out.Digests = append(out.Digests, d) },
		drop:   func(reason string) { out.Drops = append(out.Drops, reason) },
	})
	return t.snapshot(), out, nil
}

// Equal says whether no packet can tell two states of one program apart.
func (s *State) Equal(o *State) bool {
	if s.p != o.p || !slices.Equal(s.narrow, o.narrow) {
		return false
	}
	if !slices.EqualFunc(s.wide, o.wide, func(a, b *big.Int) bool { return a.Cmp(b) == 0 }) {
		return false
	}
	for i, src := range s.p.prog.Tables {
		t := s.p.tables[src]
		if s.tables[i] != o.tables[i] && !bytes.Equal(t.canonical(s.tables[i]), t.canonical(o.tables[i])) {
			return false
		}
	}
	for i := range s.meters {
		if s.meters[i] != o.meters[i] && !bytes.Equal(s.meters[i].append(nil), o.meters[i].append(nil)) {
			return false
		}
	}
	for i := range s.filters {
		if s.filters[i] != o.filters[i] && !bytes.Equal(s.filters[i].append(nil), o.filters[i].append(nil)) {
			return false
		}
	}
	return s.groups == o.groups || bytes.Equal(s.groups.append(nil), o.groups.append(nil))
}

// Append appends the state in canonical bytes: those of two states of one
// program are the same exactly when the states are Equal. What is as the
// program text says takes a byte per table.
func (s *State) Append(b []byte) []byte {
	b = s.AppendRegisters(b)
	for i, src := range s.p.prog.Tables {
		t := s.p.tables[src]
		c := s.tables[i]
		if c == t.initial || bytes.Equal(t.canonical(c), t.canonical(t.initial)) {
			b = append(b, 0)
			continue
		}
		b = appendBytes(append(b, 1), t.canonical(c))
	}
	for _, m := range s.meters {
		b = appendBytes(b, m.append(nil))
	}
	for _, f := range s.filters {
		b = appendBytes(b, f.append(nil))
	}
	return s.groups.append(b)
}

// AppendRegisters appends the registers only: what packets change.
func (s *State) AppendRegisters(b []byte) []byte {
	for _, v := range s.narrow {
		b = binary.AppendUvarint(b, v)
	}
	for _, v := range s.wide {
		b = appendBytes(b, v.Bytes())
	}
	return b
}

func appendBytes(b, v []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(v))), v...)
}

// makeRegisters makes the elements of all registers in two arrays, so that one copy takes them all.
func (p *pipeline) makeRegisters() {
	narrow, wide := 0, 0
	for _, src := range p.prog.Registers {
		for _, f := range src.Fields {
			if n := p.pipes * src.Size; isWide(f.Type) {
				wide += n
			} else {
				narrow += n
			}
		}
	}
	p.narrow, p.wide = make([]uint64, narrow), make([]*big.Int, wide)
	n, w := p.narrow, p.wide
	for _, src := range p.prog.Registers {
		r := &register{src: src, pipes: p.pipes, narrow: make([][]uint64, len(src.Fields)), wide: make([][]*big.Int, len(src.Fields))}
		for i, f := range src.Fields {
			if k := p.pipes * src.Size; isWide(f.Type) {
				r.wide[i], w = w[:k:k], w[k:]
			} else {
				r.narrow[i], n = n[:k:k], n[k:]
			}
		}
		r.begin()
		p.registers[src] = r
	}
}

// content is what a table holds.
type content struct {
	miss     *entry // the default entry
	count    int
	exact    map[string]*entry
	numbers  map[uint64]*entry // exact ones of at most 64 bits
	prefixes []*prefixes       // longest first
	ordered  []*entry          // highest priority first, older first
	byID     map[string]*entry // of tables that are not exact
	cells    map[uint32]bool   // that entries have

	shared bool     // a State has it: copy it before changing it
	canon  []byte   // canonical bytes, nil until they are asked for
	known  []*entry // what keys match, of a narrow key; nil: not looked up yet
}

// own makes the content one that may be changed.
func (t *table) own() {
	if t.shared {
		c := *t.content
		c.exact, c.numbers, c.byID, c.ordered = maps.Clone(c.exact), maps.Clone(c.numbers), maps.Clone(c.byID), slices.Clone(c.ordered)
		c.cells = maps.Clone(c.cells)
		c.prefixes = nil
		for _, p := range t.prefixes {
			c.prefixes = append(c.prefixes, &prefixes{length: p.length, mask: p.mask, entries: maps.Clone(p.entries)})
		}
		c.shared = false
		t.content = &c
	}
	t.canon, t.known = nil, nil
}

// canonical writes a content so that equal ones give equal bytes. The order of
// entries matters where it decides between two that both match.
func (t *table) canonical(c *content) []byte {
	if c.canon != nil {
		return c.canon
	}
	b := t.append(nil, c.miss)
	switch t.kind {
	case prioritised:
		for _, e := range c.ordered {
			b = t.append(b, e)
		}
	case allExact:
		all := slices.AppendSeq(slices.Collect(maps.Values(c.numbers)), maps.Values(c.exact))
		slices.SortFunc(all, func(x, y *entry) int { return bytes.Compare(x.value, y.value) })
		for _, e := range all {
			b = t.append(b, e)
		}
	default:
		for _, id := range slices.Sorted(maps.Keys(c.byID)) {
			b = t.append(b, c.byID[id])
		}
	}
	c.canon = b
	return b
}

func (t *table) append(b []byte, e *entry) []byte {
	b = binary.AppendVarint(b, int64(e.priority))
	if t.clear != nil {
		b = binary.AppendUvarint(b, uint64(e.cell))
	}
	b = appendBytes(appendBytes(b, e.value), e.mask)
	b = binary.AppendUvarint(b, uint64(len(e.ranges)))
	for _, r := range e.ranges {
		b = appendBytes(appendBytes(binary.AppendUvarint(b, uint64(r.off)), r.lo), r.hi)
	}
	act := t.acts[e.act]
	if act == nil {
		return append(b, 0)
	}
	b = appendBytes(b, []byte(act.src.Name))
	for _, a := range e.args {
		if a.wide != nil {
			b = appendBytes(b, a.wide.Bytes())
		} else {
			b = binary.AppendUvarint(b, a.narrow)
		}
	}
	return b
}

// groups are the multicast groups.
type groups struct {
	byID   map[uint16][]dataplane.Replica
	shared bool // as in content
}

func newGroups() *groups { return &groups{byID: map[uint16][]dataplane.Replica{}} }

// ownGroups returns the groups for changing them.
func (t *Target) ownGroups() map[uint16][]dataplane.Replica {
	if t.groups.shared {
		t.groups = &groups{byID: maps.Clone(t.groups.byID)}
	}
	return t.groups.byID
}

func (g *groups) append(b []byte) []byte {
	for _, id := range slices.Sorted(maps.Keys(g.byID)) {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(id)), uint64(len(g.byID[id])))
		for _, r := range g.byID[id] {
			b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(r.Port)), uint64(r.Instance))
		}
	}
	return b
}
