package xdp

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"

	"github.com/cilium/ebpf"

	"github.com/p4ce/p4ce/bpf/gen"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// registers is the memory that a loaded program keeps its registers, and counters that lie
// together, in, shared with it: an element is read and written at once (Go copies 4 and 8 aligned
// bytes in one access), while packets change it.
type registers struct {
	of map[string]memory // by Rows.Var
}

// memory is what rows of registers lie in, and where they begin.
type memory struct {
	*ebpf.Memory
	start int
}

// mapRegisters maps the registers of a loaded object, whose spec is given. A
// program without registers has none to map.
func mapRegisters(coll *ebpf.Collection, spec *ebpf.CollectionSpec, desc *gen.Description) (*registers, error) {
	r := &registers{of: map[string]memory{}}
	var bss *ebpf.Memory
	for _, rows := range desc.Rows {
		var m memory
		var err error
		switch {
		case rows.Mapped:
			m.Memory, err = coll.Maps[rows.Var].Memory()
		default:
			if bss == nil {
				bss, err = coll.Maps[".bss"].Memory()
			}
			m.Memory, m.start = bss, int(spec.Variables[rows.Var].Offset)
		}
		if err != nil {
			return nil, fmt.Errorf("registers %s: %w", rows.Var, err)
		}
		r.of[rows.Var] = m
	}
	return r, nil
}

// newRegisters maps the registers of a new object and sets the initial values.
func newRegisters(coll *ebpf.Collection, spec *ebpf.CollectionSpec, desc *gen.Description) (*registers, error) {
	r, err := mapRegisters(coll, spec, desc)
	if err != nil {
		return nil, err
	}
	for _, d := range desc.Registers {
		fields := initial(d)
		zero := !slices.ContainsFunc(fields, func(v uint64) bool { return v != 0 })
		if zero {
			continue // as the kernel made it
		}
		for i := range d.Size {
			if err := r.write(d, i, fields); err != nil {
				return nil, fmt.Errorf("register %s: initial values: %w", d.Name, err)
			}
		}
	}
	return r, nil
}

// initial is the value that the program says for the elements of a register.
func initial(d *gen.Register) []uint64 {
	fields := make([]uint64, len(d.Register.Fields))
	for i := range fields {
		if i < len(d.Register.Initial) && d.Register.Initial[i] != nil {
			fields[i] = d.Register.Initial[i].Uint64()
		}
	}
	return fields
}

// at is where an element is: the memory, and the offset in it.
func (r *registers) at(d *gen.Register, index int) (*ebpf.Memory, int64) {
	m := r.of[d.Rows.Var]
	return m.Memory, int64(m.start + index*d.Rows.RowSize + d.Offset)
}

func (r *registers) read(d *gen.Register, index int) ([]uint64, error) {
	b := make([]byte, d.CellSize)
	m, at := r.at(d, index)
	_, err := m.ReadAt(b, at)
	runtime.KeepAlive(r) // the mapping ends with the last reference to it
	if err != nil {
		return nil, err
	}
	var cell uint64
	if d.CellSize == 4 {
		cell = uint64(binary.NativeEndian.Uint32(b))
	} else {
		cell = binary.NativeEndian.Uint64(b)
	}
	fields := make([]uint64, len(d.Register.Fields))
	for i := len(fields) - 1; i >= 0; i-- {
		w := d.Register.Fields[i].Type.Width
		fields[i] = cell & (^uint64(0) >> (64 - w))
		cell >>= w % 64
	}
	return fields, nil
}

// write sets an element: its fields are packed, the first one most significant.
func (r *registers) write(d *gen.Register, index int, fields []uint64) error {
	var cell uint64
	for i, f := range d.Register.Fields {
		cell = cell<<f.Type.Width | fields[i]&(^uint64(0)>>(64-f.Type.Width))
	}
	b := make([]byte, d.CellSize)
	if d.CellSize == 4 {
		binary.NativeEndian.PutUint32(b, uint32(cell))
	} else {
		binary.NativeEndian.PutUint64(b, cell)
	}
	m, at := r.at(d, index)
	_, err := m.WriteAt(b, at)
	runtime.KeepAlive(r)
	return err
}

// cell is a counter's cell of a CPU, which the kernel counts from 0.
func (r *registers) cell(c *gen.Counter, cpu, index int) (*ebpf.Memory, int64) {
	return r.of[c.Rows.Var].Memory, int64((cpu*c.Rows.Stride+index)*c.Rows.RowSize + c.Offset)
}

// count reads a counter: the sum of all CPUs.
func (r *registers) count(c *gen.Counter, index int) (out dataplane.Counter, err error) {
	b := make([]byte, 8)
	defer runtime.KeepAlive(r)
	for cpu := range ebpf.MustPossibleCPU() {
		m, at := r.cell(c, cpu, index)
		for i, v := range []*uint64{&out.Packets, &out.Bytes} {
			if _, err := m.ReadAt(b, at+8*int64(i)); err != nil {
				return out, err
			}
			*v += binary.NativeEndian.Uint64(b)
		}
	}
	return out, nil
}

// setCount sets a counter: what it counts is with the first CPU, and nothing with the others.
func (r *registers) setCount(c *gen.Counter, index int, v dataplane.Counter) error {
	defer runtime.KeepAlive(r)
	for cpu := range ebpf.MustPossibleCPU() {
		m, at := r.cell(c, cpu, index)
		for i, n := range []uint64{v.Packets, v.Bytes} {
			if _, err := m.WriteAt(binary.NativeEndian.AppendUint64(nil, n), at+8*int64(i)); err != nil {
				return err
			}
		}
		v = dataplane.Counter{}
	}
	return nil
}

// register finds a register of the running pipeline and checks the index.
func (t *Target) register(r *ir.Register, index int) (*registers, *gen.Register, error) {
	p, err := t.running()
	if err != nil {
		return nil, nil, err
	}
	d := p.desc.Register(r)
	if d == nil {
		return nil, nil, fmt.Errorf("register %s does not belong to the loaded program", r.Name)
	}
	if index < 0 || index >= d.Size {
		return nil, nil, fmt.Errorf("register %s: index %d: %w", r.Name, index, dataplane.ErrNotFound)
	}
	return p.registers, d, nil
}

// ReadRegister implements dataplane.Target.
func (t *Target) ReadRegister(r *ir.Register, index int) ([][]byte, error) {
	regs, d, err := t.register(r, index)
	if err != nil {
		return nil, err
	}
	fields, err := regs.read(d, index)
	if err != nil {
		return nil, fmt.Errorf("register %s[%d]: %w", r.Name, index, err)
	}
	out := make([][]byte, len(fields))
	for i, v := range fields {
		out[i] = bytesOf(v, r.Fields[i].Type.Width)
	}
	return out, nil
}

// WriteRegister implements dataplane.Target.
func (t *Target) WriteRegister(r *ir.Register, index int, fields [][]byte) error {
	regs, d, err := t.register(r, index)
	if err != nil {
		return err
	}
	v := make([]uint64, len(fields))
	for i, f := range fields {
		v[i] = number(f)
	}
	if err := regs.write(d, index, v); err != nil {
		return fmt.Errorf("register %s[%d]: %w", r.Name, index, err)
	}
	return nil
}
