package interp

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// filter is a low-pass filter, or a random early detection.
type filter struct {
	src *ir.Filter
	*filterContent
}

// filterContent is what a filter holds.
type filterContent struct {
	config   map[int]*dataplane.Filter
	averages map[int]average // of cells that have seen a value since they were configured
	shared   bool            // as in content
}

// average is that of a cell, and when it was computed.
type average struct{ last, value uint64 }

func newFilter(src *ir.Filter) *filter {
	return &filter{src, &filterContent{config: map[int]*dataplane.Filter{}, averages: map[int]average{}}}
}

func (f *filter) own() {
	if f.shared {
		f.filterContent = &filterContent{config: maps.Clone(f.config), averages: maps.Clone(f.averages)}
	}
}

func (f *filter) configure(i int, c *dataplane.Filter) {
	f.own()
	delete(f.averages, i)
	if c == nil {
		delete(f.config, i)
		return
	}
	f.config[i] = c
}

// next gives a cell a value, and returns its average.
func (f *filter) next(i int, c *dataplane.Filter, now, value uint64) uint64 {
	f.own()
	a, seen := f.averages[i]
	if !seen {
		a = average{now, value << 8}
	} else {
		a.value = c.Next(a.value, value, max(now, a.last)-a.last)
		a.last = max(now, a.last)
	}
	f.averages[i] = a
	return a.value
}

// append writes a content in canonical bytes.
func (f *filterContent) append(b []byte) []byte {
	for _, i := range slices.Sorted(maps.Keys(f.config)) {
		a := f.averages[i]
		b = fmt.Appendf(binary.AppendUvarint(b, uint64(i)), "%v", *f.config[i])
		b = binary.AppendUvarint(binary.AppendUvarint(b, a.last), a.value)
	}
	return b
}

func (c *compiler) filter(s *ir.FilterExec) stmt {
	fl, at, value, set, w, rnd := c.p.filters[s.Filter], c.index(s.Index, s.Filter.Size), c.narrow(s.Value), c.setter(s.Dst), s.Dst.Type.Width, c.p.random
	return do(func(f *frame) {
		i, v := at(f), value(f)
		config := fl.config[i] // of -1 there is none
		switch {
		case !s.Filter.Wred && config == nil:
			set(f, v)
		case !s.Filter.Wred:
			set(f, config.Result(fl.next(i, config, f.now, v), w))
		case config != nil && config.Drops(fl.next(i, config, f.now, v), uint16(low64(rnd(16)))):
			set(f, uint64(s.Filter.Drop))
		default:
			set(f, uint64(s.Filter.NoDrop))
		}
	})
}

// ReadFilter returns the configuration of a cell of a filter, nil if it has none.
func (t *Target) ReadFilter(src *ir.Filter, index int) (out *dataplane.Filter, err error) {
	err = t.withFilter(src, index, func(f *filter) { out = f.config[index] })
	return out, err
}

// WriteFilter configures a cell of a filter, which then has seen no value.
func (t *Target) WriteFilter(src *ir.Filter, index int, config *dataplane.Filter) error {
	if config != nil {
		if err := config.Check(); err != nil {
			return err
		}
	}
	return t.withFilter(src, index, func(f *filter) { f.configure(index, config) })
}

func (t *Target) withFilter(src *ir.Filter, index int, fn func(*filter)) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.p == nil {
		return dataplane.ErrNoPipeline
	}
	f, ok := t.p.filters[src]
	if !ok || index < 0 || index >= src.Size {
		return fmt.Errorf("filter %s: index %d: %w", src.Name, index, dataplane.ErrNotFound)
	}
	fn(f)
	return nil
}

// ReadDirectFilter returns the configuration of the direct filter of an entry, nil if it has none.
func (t *Target) ReadDirectFilter(e *dataplane.Entry) (out *dataplane.Filter, err error) {
	err = t.withDirectFilter(e, func(f *filter, cell int) { out = f.config[cell] })
	return out, err
}

// WriteDirectFilter configures the direct filter of an entry.
func (t *Target) WriteDirectFilter(e *dataplane.Entry, config *dataplane.Filter) error {
	if config != nil {
		if err := config.Check(); err != nil {
			return err
		}
	}
	return t.withDirectFilter(e, func(f *filter, cell int) { f.configure(cell, config) })
}

func (t *Target) withDirectFilter(e *dataplane.Entry, fn func(*filter, int)) error {
	return t.withTable(e.Table, func(tb *table) error {
		if tb.src.Filter == nil {
			return fmt.Errorf("table %s: has no direct filter: %w", tb.src.Name, dataplane.ErrNotFound)
		}
		cell := 0
		if e.Matches != nil {
			en, _, err := tb.find(e.Matches, e.Priority)
			if err != nil {
				return err
			}
			cell = int(en.cell)
		}
		fn(t.p.filters[tb.src.Filter], cell)
		return nil
	})
}
