package xdp

import (
	"fmt"

	"github.com/cilium/ebpf"

	"github.com/p4ce/p4ce/bpf/gen"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// filterCell is struct p4_filter.
type filterCell struct {
	Lock, Configured      uint32
	Last, Average         uint64
	Gain, Decay           uint64
	Rate, Scale           uint32
	Min, Max, Probability uint32
	_                     uint32
}

func (t *Target) filter(f *ir.Filter, index int) (*pipeline, *gen.Filter, error) {
	p, err := t.running()
	if err != nil {
		return nil, nil, err
	}
	d := p.desc.Filter(f)
	if d == nil {
		return nil, nil, fmt.Errorf("filter %s does not belong to the loaded program", f.Name)
	}
	if index < 0 || index >= d.Size {
		return nil, nil, fmt.Errorf("filter %s: index %d: %w", f.Name, index, dataplane.ErrNotFound)
	}
	return p, d, nil
}

// ReadFilter implements dataplane.Target.
func (t *Target) ReadFilter(f *ir.Filter, index int) (*dataplane.Filter, error) {
	p, d, err := t.filter(f, index)
	if err != nil {
		return nil, err
	}
	return p.filterConfig(d, uint32(index))
}

// WriteFilter implements dataplane.Target.
func (t *Target) WriteFilter(f *ir.Filter, index int, config *dataplane.Filter) error {
	p, d, err := t.filter(f, index)
	if err != nil {
		return err
	}
	return p.configureFilter(d, uint32(index), config)
}

// ReadDirectFilter implements dataplane.Target.
func (t *Target) ReadDirectFilter(e *dataplane.Entry) (*dataplane.Filter, error) {
	p, n, err := t.directCell(e, "direct filter", e.Table.Filter != nil)
	if err != nil {
		return nil, err
	}
	return p.filterConfig(p.desc.Filter(e.Table.Filter), n)
}

// WriteDirectFilter implements dataplane.Target.
func (t *Target) WriteDirectFilter(e *dataplane.Entry, config *dataplane.Filter) error {
	p, n, err := t.directCell(e, "direct filter", e.Table.Filter != nil)
	if err != nil {
		return err
	}
	return p.configureFilter(p.desc.Filter(e.Table.Filter), n, config)
}

// filterConfig is the configuration of a cell of a filter; nil: none.
func (p *pipeline) filterConfig(d *gen.Filter, index uint32) (*dataplane.Filter, error) {
	var c filterCell
	if err := p.coll.Maps[d.Map].Lookup(index, &c); err != nil {
		return nil, fmt.Errorf("filter %s[%d]: %w", d.Name, index, err)
	}
	if c.Configured == 0 {
		return nil, nil
	}
	return &dataplane.Filter{Rate: c.Rate != 0, Gain: c.Gain, Decay: c.Decay, Scale: uint8(c.Scale), Min: c.Min, Max: c.Max, Probability: c.Probability}, nil
}

// configureFilter configures a cell of a filter, which then has seen no value; nil: it filters nothing.
func (p *pipeline) configureFilter(d *gen.Filter, index uint32, f *dataplane.Filter) error {
	var c filterCell
	if f != nil {
		if err := f.Check(); err != nil {
			return err
		}
		c = filterCell{Configured: 1, Gain: f.Gain, Decay: f.Decay, Scale: uint32(f.Scale), Min: f.Min, Max: f.Max, Probability: f.Probability}
		if f.Rate {
			c.Rate = 1
		}
	}
	if err := p.coll.Maps[d.Map].Update(index, &c, ebpf.UpdateLock); err != nil {
		return fmt.Errorf("filter %s[%d]: %w", d.Name, index, err)
	}
	return nil
}
