package halves

import (
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// both does something in the fast half, if it has the table, and then in the slow one. undo, if not nil, takes back the first
// when the second fails.
func (t *Target) both(e *dataplane.Entry, do func(dataplane.Target, *dataplane.Entry) error, undo func(dataplane.Target, *dataplane.Entry) error) error {
	b := t.bound.Load()
	if b == nil {
		return dataplane.ErrNoPipeline
	}
	f := b.entry(e)
	if f != nil {
		if err := do(t.Target, f); err != nil {
			return err
		}
	}
	err := do(t.whole, e)
	if err != nil && f != nil && undo != nil {
		_ = undo(t.Target, f)
	}
	return err
}

// Insert implements dataplane.Target.
func (t *Target) Insert(e *dataplane.Entry) error {
	return t.both(e, dataplane.Target.Insert, dataplane.Target.Delete)
}

// Modify implements dataplane.Target.
func (t *Target) Modify(e *dataplane.Entry) error {
	return t.both(e, dataplane.Target.Modify, nil)
}

// Delete implements dataplane.Target.
func (t *Target) Delete(e *dataplane.Entry) error {
	return t.both(e, dataplane.Target.Delete, nil)
}

// SetDefault implements dataplane.Target.
func (t *Target) SetDefault(tb *ir.Table, a *dataplane.Action) error {
	e := &dataplane.Entry{Table: tb}
	if a != nil {
		e.Action = *a
	}
	return t.both(e, func(x dataplane.Target, e *dataplane.Entry) error {
		if a == nil {
			return x.SetDefault(e.Table, nil)
		}
		return x.SetDefault(e.Table, &e.Action)
	}, nil)
}

// SetGroup implements dataplane.Target.
func (t *Target) SetGroup(id uint16, replicas []dataplane.Replica) error {
	if err := t.Target.SetGroup(id, replicas); err != nil {
		return err
	}
	return t.whole.SetGroup(id, replicas)
}

// DeleteGroup implements dataplane.Target.
func (t *Target) DeleteGroup(id uint16) error {
	if err := t.Target.DeleteGroup(id); err != nil {
		return err
	}
	return t.whole.DeleteGroup(id)
}

// ReadRegister implements dataplane.Target.
func (t *Target) ReadRegister(r *ir.Register, index int) ([][]byte, error) {
	return t.whole.ReadRegister(r, index)
}

// Words returns the first field of all elements of a register.
func (t *Target) Words(r *ir.Register) ([]uint64, error) { return t.whole.Words(r) }

// WriteRegister implements dataplane.Target.
func (t *Target) WriteRegister(r *ir.Register, index int, fields [][]byte) error {
	return t.whole.WriteRegister(r, index, fields)
}

// counter is where a counter is: in the half that sees all packets, if it has it.
func (t *Target) counter(c *ir.Counter) (dataplane.Target, *ir.Counter) {
	if b := t.bound.Load(); b != nil && b.counters[c] != nil {
		return t.Target, b.counters[c]
	}
	return t.whole, c
}

// ReadCounter implements dataplane.Target.
func (t *Target) ReadCounter(c *ir.Counter, index int) (dataplane.Counter, error) {
	x, c := t.counter(c)
	return x.ReadCounter(c, index)
}

// WriteCounter implements dataplane.Target.
func (t *Target) WriteCounter(c *ir.Counter, index int, v dataplane.Counter) error {
	x, c := t.counter(c)
	return x.WriteCounter(c, index, v)
}

func (t *Target) meter(m *ir.Meter) (dataplane.Target, *ir.Meter) {
	if b := t.bound.Load(); b != nil && b.meters[m] != nil {
		return t.Target, b.meters[m]
	}
	return t.whole, m
}

// ReadMeter implements dataplane.Target.
func (t *Target) ReadMeter(m *ir.Meter, index int) (*dataplane.Meter, error) {
	x, m := t.meter(m)
	return x.ReadMeter(m, index)
}

// WriteMeter implements dataplane.Target.
func (t *Target) WriteMeter(m *ir.Meter, index int, config *dataplane.Meter) error {
	x, m := t.meter(m)
	return x.WriteMeter(m, index, config)
}

// of is where an entry is hit: in the half that sees all packets, if it has the table.
func (t *Target) of(e *dataplane.Entry) (dataplane.Target, *dataplane.Entry) {
	if b := t.bound.Load(); b != nil {
		if f := b.entry(e); f != nil {
			return t.Target, f
		}
	}
	return t.whole, e
}

// ReadDirectCounter implements dataplane.Target.
func (t *Target) ReadDirectCounter(e *dataplane.Entry) (dataplane.Counter, error) {
	x, e := t.of(e)
	return x.ReadDirectCounter(e)
}

// WriteDirectCounter implements dataplane.Target.
func (t *Target) WriteDirectCounter(e *dataplane.Entry, v dataplane.Counter) error {
	x, e := t.of(e)
	return x.WriteDirectCounter(e, v)
}

// ReadDirectMeter implements dataplane.Target.
func (t *Target) ReadDirectMeter(e *dataplane.Entry) (*dataplane.Meter, error) {
	x, own := t.of(e)
	return x.ReadDirectMeter(own)
}

// WriteDirectMeter implements dataplane.Target.
func (t *Target) WriteDirectMeter(e *dataplane.Entry, config *dataplane.Meter) error {
	x, own := t.of(e)
	return x.WriteDirectMeter(own, config)
}

// ReadFilter implements dataplane.Target.
func (t *Target) ReadFilter(f *ir.Filter, index int) (*dataplane.Filter, error) {
	return t.whole.ReadFilter(f, index)
}

// WriteFilter implements dataplane.Target.
func (t *Target) WriteFilter(f *ir.Filter, index int, config *dataplane.Filter) error {
	return t.whole.WriteFilter(f, index, config)
}

// ReadDirectFilter implements dataplane.Target.
func (t *Target) ReadDirectFilter(e *dataplane.Entry) (*dataplane.Filter, error) {
	x, own := t.of(e)
	return x.ReadDirectFilter(own)
}

// WriteDirectFilter implements dataplane.Target.
func (t *Target) WriteDirectFilter(e *dataplane.Entry, config *dataplane.Filter) error {
	x, own := t.of(e)
	return x.WriteDirectFilter(own, config)
}

// LastHit implements dataplane.Target.
func (t *Target) LastHit(e *dataplane.Entry) (at, now uint64, err error) {
	x, e := t.of(e)
	return x.LastHit(e)
}
