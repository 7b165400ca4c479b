package xdp

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/cilium/ebpf"

	"github.com/p4ce/p4ce/bpf/gen"
	"github.com/p4ce/p4ce/dataplane"
)

// cells are the cells of a table with a direct counter, meter or register that entries have. An entry keeps its cell when its action changes, and when its list is
// replaced, so that no packet is counted in another's. Cell 0 is that of the default action.
type cells struct {
	mu   sync.Mutex // also held while entries of the table change
	used map[uint32]bool
	next uint32 // at or below the lowest free one, but for 0
}

// cellOf is the cell in a value.
func cellOf(t *gen.Table, value []byte) uint32 { return binary.NativeEndian.Uint32(value[t.Cell:]) }

// take gives an entry a cell, as a new one is.
func (p *pipeline) take(t *gen.Table) (uint32, error) {
	c := p.cells[t]
	n := max(c.next, 1)
	for c.used[n] {
		n++
	}
	if int(n) > t.Table.Size {
		return 0, fmt.Errorf("table %s: %d entries: %w", t.Name, t.Table.Size, dataplane.ErrFull)
	}
	if d := p.desc.Counter(t.Table.Counter); d != nil {
		if err := p.coll.Maps[d.Map].Put(n, make([]counterCell, ebpf.MustPossibleCPU())); err != nil {
			return 0, fmt.Errorf("counter %s[%d]: %w", d.Name, n, err)
		}
	}
	if d := p.desc.Meter(t.Table.Meter); d != nil {
		if err := p.configure(d, n, nil); err != nil {
			return 0, err
		}
	}
	if d := p.desc.Filter(t.Table.Filter); d != nil {
		if err := p.configureFilter(d, n, nil); err != nil {
			return 0, err
		}
	}
	if d := p.desc.Register(t.Table.Register); d != nil {
		if err := p.registers.write(d, int(n), initial(d)); err != nil {
			return 0, fmt.Errorf("register %s[%d]: %w", d.Name, n, err)
		}
	}
	c.used[n], c.next = true, n+1
	return n, nil
}

// give frees a cell.
func (c *cells) give(n uint32) {
	delete(c.used, n)
	c.next = min(c.next, n)
}

// keep notes the cell of an entry that is there already.
func (c *cells) keep(n uint32) { c.used[n] = true }

// withCell writes an entry with its cell; put writes the value.
func (p *pipeline) withCell(t *gen.Table, e *dataplane.Entry, value []byte, flags ebpf.MapUpdateFlags, put func() error) error {
	if t.Cell == 0 {
		return put()
	}
	c := p.cells[t]
	c.mu.Lock()
	defer c.mu.Unlock()
	if flags == ebpf.UpdateExist {
		old, err := p.value(t, e)
		if err != nil {
			return err
		}
		copy(value[t.Cell:], old[t.Cell:t.Cell+4])
		return put()
	}
	n, err := p.take(t)
	if err != nil {
		return err
	}
	binary.NativeEndian.PutUint32(value[t.Cell:], n)
	if err := put(); err != nil {
		c.give(n)
		return err
	}
	return nil
}

// withoutCell removes an entry, and frees its cell.
func (p *pipeline) withoutCell(t *gen.Table, e *dataplane.Entry, remove func() error) error {
	if t.Cell == 0 {
		return remove()
	}
	c := p.cells[t]
	c.mu.Lock()
	defer c.mu.Unlock()
	value, err := p.value(t, e)
	if err != nil {
		return err
	}
	if err := remove(); err != nil {
		return err
	}
	c.give(cellOf(t, value))
	return nil
}

// directCell is the cell of an entry; one without matches is the default action. what says what of the table's is meant, and has
// that it has it.
func (t *Target) directCell(e *dataplane.Entry, what string, has bool) (*pipeline, uint32, error) {
	p, err := t.running()
	if err != nil {
		return nil, 0, err
	}
	d := p.desc.Table(e.Table)
	switch {
	case d == nil:
		return nil, 0, fmt.Errorf("table %s does not belong to the loaded program", e.Table.Name)
	case !has:
		return nil, 0, fmt.Errorf("table %s: has no %s: %w", e.Table.Name, what, dataplane.ErrNotFound)
	case e.Matches == nil:
		return p, 0, nil
	}
	value, err := p.value(d, e)
	if err != nil {
		return nil, 0, err
	}
	return p, cellOf(d, value), nil
}

// directCounter is the map of a table's direct counter, and the cell of an entry.
func (t *Target) directCounter(e *dataplane.Entry) (*ebpf.Map, uint32, error) {
	p, n, err := t.directCell(e, "direct counter", e.Table.Counter != nil)
	if err != nil {
		return nil, 0, err
	}
	return p.coll.Maps[p.desc.Counter(e.Table.Counter).Map], n, nil
}

// ReadDirectMeter implements dataplane.Target.
func (t *Target) ReadDirectMeter(e *dataplane.Entry) (*dataplane.Meter, error) {
	p, n, err := t.directCell(e, "direct meter", e.Table.Meter != nil)
	if err != nil {
		return nil, err
	}
	return p.configuration(p.desc.Meter(e.Table.Meter), n)
}

// WriteDirectMeter implements dataplane.Target.
func (t *Target) WriteDirectMeter(e *dataplane.Entry, config *dataplane.Meter) error {
	p, n, err := t.directCell(e, "direct meter", e.Table.Meter != nil)
	if err != nil {
		return err
	}
	return p.configure(p.desc.Meter(e.Table.Meter), n, config)
}

// ReadDirectCounter implements dataplane.Target.
func (t *Target) ReadDirectCounter(e *dataplane.Entry) (out dataplane.Counter, err error) {
	m, n, err := t.directCounter(e)
	if err != nil {
		return out, err
	}
	var per []counterCell
	if err := m.Lookup(n, &per); err != nil {
		return out, fmt.Errorf("table %s: direct counter: %w", e.Table.Name, err)
	}
	for _, x := range per {
		out.Packets += x.Packets
		out.Bytes += x.Bytes
	}
	return out, nil
}

// WriteDirectCounter implements dataplane.Target.
func (t *Target) WriteDirectCounter(e *dataplane.Entry, v dataplane.Counter) error {
	m, n, err := t.directCounter(e)
	if err != nil {
		return err
	}
	per := make([]counterCell, ebpf.MustPossibleCPU())
	per[0] = counterCell{v.Packets, v.Bytes}
	if err := m.Put(n, per); err != nil {
		return fmt.Errorf("table %s: direct counter: %w", e.Table.Name, err)
	}
	return nil
}
