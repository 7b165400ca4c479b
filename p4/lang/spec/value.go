package spec

import (
	"math/big"

	"github.com/p4ce/p4ce/p4/lang/types"
)

// A cell holds a value of any type: a variable, a field, or a value by itself.
type cell struct {
	t types.Type
	// n is the number of a scalar, as a mathematical one; a bool is 0 or 1. nil: undefined, or no scalar.
	n      *big.Int
	scalar bool
	header bool
	valid  bool
	parts  []*cell
	names  []string // of the parts; nil for lists
	in     *cell    // the header that it is a field of
}

// newCell makes an undefined value.
func newCell(t types.Type) *cell { return build(t, nil) }

func build(t types.Type, in *cell) *cell {
	c := &cell{t: t, in: in}
	if _, ok := types.Scalar(t); ok {
		c.scalar = true
		return c
	}
	switch t := t.(type) {
	case *types.Struct:
		c.header = t.Header
		if t.Header {
			in = c
		}
		for _, f := range t.Fields {
			c.parts = append(c.parts, build(f.Type, in))
			c.names = append(c.names, f.Name)
		}
	case *types.Tuple:
		for _, e := range t.Elems {
			c.parts = append(c.parts, build(e, in))
		}
	default:
		unsupported("a value of type %s", t)
	}
	return c
}

func number(t types.Type, n *big.Int) *cell {
	c := newCell(t)
	if n != nil {
		c.n = wrap(t, n)
	}
	return c
}

func boolean(b bool) *cell {
	if b {
		return &cell{t: types.Bool, scalar: true, n: big.NewInt(1)}
	}
	return &cell{t: types.Bool, scalar: true, n: new(big.Int)}
}

// wrap reduces a number to the range of a scalar type.
func wrap(t types.Type, n *big.Int) *big.Int {
	s, _ := types.Scalar(t)
	b, ok := s.(*types.Bits)
	if !ok {
		return n
	}
	m := new(big.Int).Lsh(big.NewInt(1), uint(b.Width))
	r := new(big.Int).Mod(n, m)
	if b.Signed && r.Bit(b.Width-1) == 1 {
		r.Sub(r, m)
	}
	return r
}

// width is the number of bits of a scalar type, and whether it is signed.
func width(t types.Type) (int, bool) {
	s, _ := types.Scalar(t)
	if b, ok := s.(*types.Bits); ok {
		return b.Width, b.Signed
	}
	return 1, false
}

// bits is the bit pattern of a defined scalar.
func (c *cell) bits() *big.Int {
	w, _ := width(c.t)
	return new(big.Int).Mod(c.n, new(big.Int).Lsh(big.NewInt(1), uint(w)))
}

// value is a copy of what a cell holds, as it is read: of a field of an invalid header
// nothing is defined.
func (c *cell) value() *cell {
	v := newCell(c.t)
	v.take(c)
	return v
}

// take copies a value, of which the shape is the same.
func (c *cell) take(v *cell) {
	switch {
	case c.scalar:
		c.n = nil
		if v.n != nil && (v.in == nil || v.in.valid) {
			c.n = wrap(c.t, v.n)
		}
	case c.header:
		c.valid = v.valid || !v.header // a list makes a header valid
		for i, p := range c.parts {
			p.force(v.parts[i], c.valid)
		}
	default:
		for i, p := range c.parts {
			p.take(v.parts[c.index(v, i)])
		}
	}
}

// index is the part of v that becomes part i: by name, if both have names.
func (c *cell) index(v *cell, i int) int {
	if c.names != nil && v.names != nil {
		for j, n := range v.names {
			if n == c.names[i] {
				return j
			}
		}
	}
	return i
}

// force copies a field of a header, or makes it undefined.
func (c *cell) force(v *cell, defined bool) {
	if !c.scalar {
		for i, p := range c.parts {
			p.force(v.parts[i], defined)
		}
		return
	}
	c.n = nil
	if defined && v.n != nil {
		c.n = wrap(c.t, v.n)
	}
}

// undefine makes all that is in a cell undefined, and its headers invalid.
func (c *cell) undefine() {
	c.n, c.valid = nil, false
	for _, p := range c.parts {
		p.undefine()
	}
}

// assign stores a value in a variable. A field of an invalid header stays undefined.
func (c *cell) assign(v *cell) {
	if c.scalar && c.in != nil && !c.in.valid {
		return
	}
	c.take(v)
}

// A place is what can be assigned to: a variable, or bits of one.
type place struct {
	c      *cell
	sliced bool
	hi, lo int
}

func (p place) load() *cell {
	v := p.c.value()
	if !p.sliced {
		return v
	}
	return sliceOf(v, p.hi, p.lo)
}

func sliceOf(v *cell, hi, lo int) *cell {
	t := types.Bit(hi - lo + 1)
	if v.n == nil {
		return number(t, nil)
	}
	return number(t, new(big.Int).Rsh(v.bits(), uint(lo)))
}

func (p place) store(v *cell) {
	if !p.sliced {
		p.c.assign(v)
		return
	}
	old := p.c.value()
	if w, _ := width(old.t); p.lo == 0 && p.hi == w-1 {
		old.n = new(big.Int) // all of it is new
	}
	if old.n == nil || v.n == nil {
		p.c.assign(number(p.c.t, nil))
		return
	}
	n := old.bits()
	w, _ := width(v.t)
	for i := range p.hi - p.lo + 1 {
		bit := uint(0)
		if i < w {
			bit = v.bits().Bit(i)
		}
		n.SetBit(n, p.lo+i, bit)
	}
	p.c.assign(number(p.c.t, n))
}
