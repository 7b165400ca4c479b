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

// color gives a packet of n packets or bytes to a cell.
func (m *meter) color(i int, now, n uint64) uint64 {
	if i < 0 || m.config == nil || m.config[i] == nil {
		return ir.MeterGreen
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
	case t.peak < n:
		color = ir.MeterRed
	case t.committed < n:
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
	return do(func(f *frame) {
		n := uint64(1)
		if s.Meter.Bytes {
			n = uint64(f.size)
		}
		set(f, m.color(at(f), f.now, n))
	})
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
