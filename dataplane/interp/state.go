package interp

import (
	"fmt"
	"math/big"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// cell is a counter cell.
type cell struct{ packets, bytes uint64 }

func (c *cell) add(size int) {
	c.packets++
	c.bytes += uint64(size)
}

func (c *cell) value() dataplane.Counter {
	return dataplane.Counter{Packets: c.packets, Bytes: c.bytes}
}

// register is the storage of a Register: an array per field, narrow or wide, with the elements of
// each pipe behind those of the one before.
type register struct {
	src    *ir.Register
	pipes  int
	narrow [][]uint64
	wide   [][]*big.Int
}

// begin gives the elements, which are 0 or nil, the values that the program says.
func (r *register) begin() {
	for i := range r.src.Fields {
		initial := new(big.Int)
		if i < len(r.src.Initial) && r.src.Initial[i] != nil {
			initial = r.src.Initial[i]
		}
		for j := range r.wide[i] {
			r.wide[i][j] = initial
		}
		if v := low64(initial); v != 0 {
			for j := range r.narrow[i] {
				r.narrow[i][j] = v
			}
		}
	}
}

// reset gives an element the value that the program says, in all pipes.
func (r *register) reset(index int) {
	for i := range r.src.Fields {
		for at := index; at < r.pipes*r.src.Size; at += r.src.Size {
			if r.wide[i] != nil {
				r.wide[i][at] = r.src.Initial[i]
			} else {
				r.narrow[i][at] = low64(r.src.Initial[i])
			}
		}
	}
}

func (r *register) check(index int) error {
	if index < 0 || index >= r.pipes*r.src.Size {
		return fmt.Errorf("register %s: index %d, size is %d: %w", r.src.Name, index, r.src.Size, dataplane.ErrNotFound)
	}
	return nil
}

func (r *register) read(index int) [][]byte {
	var out [][]byte
	for i, f := range r.src.Fields {
		b := make([]byte, f.Type.Bytes())
		if isWide(f.Type) {
			r.wide[i][index].FillBytes(b)
		} else {
			new(big.Int).SetUint64(r.narrow[i][index]).FillBytes(b)
		}
		out = append(out, b)
	}
	return out
}

func (r *register) write(index int, fields [][]byte) error {
	if len(fields) != len(r.src.Fields) {
		return fmt.Errorf("register %s: %d fields, want %d", r.src.Name, len(fields), len(r.src.Fields))
	}
	last := index
	if index < r.src.Size {
		last += (r.pipes - 1) * r.src.Size
	}
	for i, f := range r.src.Fields {
		v := new(big.Int).SetBytes(fields[i])
		for at := index; at <= last; at += r.src.Size {
			if isWide(f.Type) {
				r.wide[i][at] = v
			} else {
				r.narrow[i][at] = low64(v) & mask(f.Type.Width)
			}
		}
	}
	return nil
}

// load and store move an element to and from variables.
func (r *register) load(f *frame, index int, to []slot) {
	index += f.pipe * r.src.Size
	for i, s := range to {
		if s.wide {
			f.w[s.i] = r.wide[i][index]
		} else {
			f.n[s.i] = r.narrow[i][index]
		}
	}
}

func (r *register) store(f *frame, index int, from []slot) {
	index += f.pipe * r.src.Size
	for i, s := range from {
		if s.wide {
			r.wide[i][index] = f.w[s.i]
		} else {
			r.narrow[i][index] = f.n[s.i]
		}
	}
}

// index compiles an array index; out of range is -1.
func (c *compiler) index(e ir.Expr, size int) func(*frame) int {
	x := c.shiftCount(e) // any width; huge stays huge
	return func(f *frame) int {
		v := x(f)
		if v >= uint64(size) {
			return -1
		}
		return int(v)
	}
}

func (c *compiler) register(s ir.Stmt) stmt {
	switch s := s.(type) {
	case *ir.RegisterExec:
		return c.registerExec(s)
	case *ir.RegisterRead:
		r, at := c.p.registers[s.Register], c.index(s.Index, s.Register.Size)
		var tmp []slot // one per field, so that Dst goes through its setter
		var set []func(*frame)
		for i, v := range s.Dst {
			t := c.slot(&ir.Var{Name: fmt.Sprintf("read.%d", i), Type: r.src.Fields[i].Type, Kind: ir.Local})
			tmp = append(tmp, t)
			set = append(set, c.copySlot(v, t))
		}
		return do(func(f *frame) {
			if i := at(f); i >= 0 {
				r.load(f, i, tmp)
			} else {
				for _, t := range tmp {
					f.clear(t)
				}
			}
			for _, fn := range set {
				fn(f)
			}
		})
	case *ir.RegisterWrite:
		r, at := c.p.registers[s.Register], c.index(s.Index, s.Register.Size)
		var tmp []slot
		var set []func(*frame)
		for i, e := range s.Src {
			v := &ir.Var{Name: fmt.Sprintf("write.%d", i), Type: r.src.Fields[i].Type, Kind: ir.Local}
			tmp = append(tmp, c.slot(v))
			if isWide(v.Type) {
				to, x := c.setterWide(v), c.wide(e)
				set = append(set, func(f *frame) { to(f, x(f)) })
			} else {
				to, x := c.setter(v), c.narrow(e)
				set = append(set, func(f *frame) { to(f, x(f)) })
			}
		}
		return do(func(f *frame) {
			for _, fn := range set {
				fn(f)
			}
			if i := at(f); i >= 0 {
				r.store(f, i, tmp)
			}
		})
	}
	return nil
}

// copySlot compiles dst = the value in src.
func (c *compiler) copySlot(dst *ir.Var, src slot) func(*frame) {
	if src.wide {
		set := c.setterWide(dst)
		return func(f *frame) { set(f, f.w[src.i]) }
	}
	set := c.setter(dst)
	return func(f *frame) { set(f, f.n[src.i]) }
}

func (c *compiler) registerExec(s *ir.RegisterExec) stmt {
	a := s.Action
	r, at := c.p.registers[a.Register], c.index(s.Index, a.Register.Size)
	var values []slot
	for _, v := range a.Value {
		values = append(values, c.slot(v))
	}
	body := c.body(a.Body)
	clearResult, deliver := func(*frame) {}, func(*frame) {}
	if a.Result != nil {
		res := c.slot(a.Result)
		clearResult = func(f *frame) { f.clear(res) }
		if s.Dst != nil {
			deliver = c.copySlot(s.Dst, res)
		}
	}
	return do(func(f *frame) {
		i := at(f)
		clearResult(f)
		if i >= 0 {
			r.load(f, i, values)
			body(f)
			r.store(f, i, values)
		}
		deliver(f)
	})
}

// counter is an indexed counter.
type counter struct {
	src   *ir.Counter
	cells []cell
}

func (c *compiler) count(s ir.Stmt) stmt {
	switch s := s.(type) {
	case *ir.Count:
		ctr, at := c.p.counter(s.Counter), c.index(s.Index, s.Counter.Size)
		return do(func(f *frame) {
			if i := at(f); i >= 0 {
				ctr.cells[i].add(f.size)
			}
		})
	case *ir.DirectCount:
		return do(func(f *frame) {
			if f.hit != nil {
				f.hit.add(f.size)
			}
		})
	}
	return nil
}
