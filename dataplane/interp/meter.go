package interp

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// meter is an indexed meter.
type meter struct {
	src *ir.Meter
	*meterContent
}

// meterContent is what a meter holds.
type meterContent struct {
	config []*dataplane.Meter // nil: none; a cell's: nil, everything is green
	tokens map[int]tokens     // of cells that have seen packets since they were configured
	shared bool               // as in content
}

type tokens struct{ last, committed, peak uint64 }

func newMeter(src *ir.Meter) *meter { return &meter{src, &meterContent{}} }

func (m *meter) own() {
	if m.shared {
		m.meterContent = &meterContent{config: slices.Clone(m.config), tokens: maps.Clone(m.tokens)}
	}
}

func (m *meter) configure(i int, c *dataplane.Meter) {
	m.own()
	if m.config == nil {
		m.config, m.tokens = make([]*dataplane.Meter, m.src.Size), map[int]tokens{}
	}
	m.config[i] = c
	delete(m.tokens, i)
}

// color gives a packet of n packets or bytes, which has a colour already, to a cell.
func (m *meter) color(i int, now, n, has uint64) uint64 {
	if i < 0 || m.config == nil || m.config[i] == nil {
		return has
	}
	m.own()
	committed, peak := m.config[i].Buckets()
	t, seen := m.tokens[i]
	if !seen {
		t = tokens{now, committed.Full, peak.Full}
	}
	if now > t.last {
		ns := now - t.last
		t.last, t.committed, t.peak = now, committed.Add(t.committed, ns), peak.Add(t.peak, ns)
	}
	n *= dataplane.MeterUnit
	color := uint64(ir.MeterGreen)
	switch {
	case has == ir.MeterRed || t.peak < n:
		color = ir.MeterRed
	case has != ir.MeterGreen || t.committed < n:
		color = ir.MeterYellow
		t.peak -= n
	default:
		t.committed -= n
		t.peak -= n
	}
	m.tokens[i] = t
	return color
}

// append writes a content in canonical bytes.
func (m *meterContent) append(b []byte) []byte {
	for i, c := range m.config {
		if c == nil {
			continue
		}
		b = binary.AppendUvarint(b, uint64(i))
		for _, v := range []uint64{c.CIR, c.CBurst, c.PIR, c.PBurst} {
			b = binary.AppendUvarint(b, v)
		}
		if t, seen := m.tokens[i]; seen {
			for _, v := range []uint64{1, t.last, t.committed, t.peak} {
				b = binary.AppendUvarint(b, v)
			}
		} else {
			b = append(b, 0)
		}
	}
	return b
}

func (c *compiler) meter(s *ir.MeterExec) stmt {
	m, at, set := c.p.meter(s.Meter), c.index(s.Index, s.Meter.Size), func(*frame, uint64) {}
	if s.Dst != nil {
		set = c.setter(s.Dst)
	}
	has := func(*frame) uint64 { return ir.MeterGreen }
	if s.Color != nil {
		given := c.narrow(s.Color)
		has = func(f *frame) uint64 {
			switch color := given(f); color {
			case ir.MeterGreen, ir.MeterRed:
				return color
			}
			return ir.MeterYellow
		}
	}
	n := func(*frame) uint64 { return 1 }
	switch {
	case s.Meter.Bytes && s.Adjust == nil:
		n = func(f *frame) uint64 { return uint64(f.size) }
	case s.Meter.Bytes:
		less := c.narrow(s.Adjust)
		n = func(f *frame) uint64 { return uint64(max(0, int64(f.size)-int64(int32(less(f))))) }
	}
	return do(func(f *frame) { set(f, m.color(at(f), f.now, n(f), has(f))) })
}

// ReadMeter returns the configuration of a cell of a meter, nil if it has none.
func (t *Target) ReadMeter(src *ir.Meter, index int) (out *dataplane.Meter, err error) {
	err = t.withMeter(src, index, func(m *meter) {
		if m.config != nil {
			out = m.config[index]
		}
	})
	return out, err
}

// WriteMeter configures a cell of a meter, and fills its buckets; nil: no limits.
func (t *Target) WriteMeter(src *ir.Meter, index int, config *dataplane.Meter) error {
	if config != nil {
		if err := config.Check(); err != nil {
			return err
		}
	}
	return t.withMeter(src, index, func(m *meter) { m.configure(index, config) })
}

// ReadDirectMeter returns the configuration of the direct meter of an entry, nil if it has none.
func (t *Target) ReadDirectMeter(e *dataplane.Entry) (out *dataplane.Meter, err error) {
	err = t.withTable(e.Table, func(tb *table) error {
		m, n, err := t.directMeter(tb, e)
		if err == nil && m.config != nil {
			out = m.config[n]
		}
		return err
	})
	return out, err
}

// WriteDirectMeter configures the direct meter of an entry, and fills its buckets; nil: no limits.
func (t *Target) WriteDirectMeter(e *dataplane.Entry, config *dataplane.Meter) error {
	if config != nil {
		if err := config.Check(); err != nil {
			return err
		}
	}
	return t.withTable(e.Table, func(tb *table) error {
		m, n, err := t.directMeter(tb, e)
		if err == nil {
			m.configure(n, config)
		}
		return err
	})
}

// directMeter is the direct meter of a table, and the cell of an entry; one without matches is the default action.
func (t *Target) directMeter(tb *table, e *dataplane.Entry) (*meter, int, error) {
	if tb.src.Meter == nil {
		return nil, 0, fmt.Errorf("table %s: has no direct meter: %w", tb.src.Name, dataplane.ErrNotFound)
	}
	m := t.p.meters[tb.src.Meter]
	if e.Matches == nil {
		return m, 0, nil
	}
	en, _, err := tb.find(e.Matches, e.Priority)
	if err != nil {
		return nil, 0, err
	}
	return m, int(en.cell), nil
}

func (t *Target) withMeter(src *ir.Meter, index int, fn func(*meter)) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.p == nil {
		return dataplane.ErrNoPipeline
	}
	m, ok := t.p.meters[src]
	if !ok || index < 0 || index >= src.Size {
		return fmt.Errorf("meter %s: index %d: %w", src.Name, index, dataplane.ErrNotFound)
	}
	fn(m)
	return nil
}
