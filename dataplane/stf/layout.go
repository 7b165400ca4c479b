package stf

import (
	"fmt"
	"math/big"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// layout says which field each bit of a packet belongs to, as far as the
// program's own parser understands the packet.
type layout struct {
	fields []placed
	end    int // bits that are understood
}

type placed struct {
	name     string
	from, to int // bits
}

// at names the field that byte i lies in, and the bytes of that field.
func (l *layout) at(i int) (string, span) {
	for _, f := range l.fields {
		if f.from <= i*8+7 && i*8 < f.to {
			first, last := f.from/8, (f.to+7)/8
			return fmt.Sprintf("%s (byte %s)", f.name, rangeText(first, last)), span{first, last}
		}
	}
	if l.end > 0 && i*8 >= l.end {
		return fmt.Sprintf("payload (byte %d)", i), span{i, i + 1}
	}
	return fmt.Sprintf("byte %d", i), span{i, i + 1}
}

func rangeText(first, last int) string {
	if last-first == 1 {
		return fmt.Sprint(first)
	}
	return fmt.Sprintf("%d..%d", first, last-1)
}

func (l *layout) header(name string, fields []ir.FieldType, vals map[string]*big.Int, frame []byte) bool {
	bits := 0
	for _, f := range fields {
		bits += f.Type.Width
	}
	if l.end+bits > len(frame)*8 {
		return false
	}
	for _, f := range fields {
		n := name + "." + f.Name
		l.fields = append(l.fields, placed{n, l.end, l.end + f.Type.Width})
		vals[n] = bitsOf(frame, l.end, f.Type.Width)
		l.end += f.Type.Width
	}
	return true
}

// bitsOf takes width bits of a frame; ones beyond its end are zero.
func bitsOf(frame []byte, from, width int) *big.Int {
	v := new(big.Int)
	for i := from; i < from+width; i++ {
		v.Lsh(v, 1)
		if i/8 < len(frame) && frame[i/8]>>(7-i%8)&1 == 1 {
			v.SetBit(v, 0, 1)
		}
	}
	return v
}

// layoutOf follows the ingress parser over a packet that left port, as if it
// came in there again; a packet to the CPU port begins with the packet_in
// header. It stops where the parser depends on what it cannot know.
func layoutOf(p *ir.Program, frame []byte, cpu bool, port uint64) *layout {
	l := &layout{}
	vals := map[string]*big.Int{}
	if cpu && p.PacketIn != nil {
		l.header("packet_in", p.PacketIn.Fields, vals, frame)
		port = 1<<9 - 1 // what follows is an ordinary frame
	}
	if p.Ingress == nil || p.Ingress.Parser == nil || len(p.Ingress.Parser.States) == 0 {
		return l
	}
	vals[ir.IntrIngressPort] = new(big.Int).SetUint64(port)
	s := p.Ingress.Parser.States[0]
	for range 256 {
		for _, st := range s.Body {
			if !l.step(st, vals, frame) {
				return l
			}
		}
		next, ok := follow(s, vals)
		if !ok || next == nil {
			return l
		}
		s = next
	}
	return l
}

func (l *layout) step(st ir.Stmt, vals map[string]*big.Int, frame []byte) bool {
	switch st := st.(type) {
	case *ir.Extract:
		return l.header(st.Header.Name, st.Header.Type.Fields, vals, frame)
	case *ir.Advance:
		n, ok := eval(st.Bits, vals)
		if !ok || n.BitLen() > 16 {
			return false
		}
		l.end += int(n.Int64())
	case *ir.Lookahead:
		off := l.end
		for _, d := range st.Dst {
			vals[d.Name] = bitsOf(frame, off, d.Type.Width)
			off += d.Type.Width
		}
	case *ir.Assign:
		if v, ok := eval(st.Src, vals); ok && !st.Slice {
			vals[st.Dst.Name] = v
		} else {
			delete(vals, st.Dst.Name)
		}
	}
	return true
}

// follow finds the next state; nil for a final one.
func follow(s *ir.State, vals map[string]*big.Int) (*ir.State, bool) {
	if s.Keys == nil {
		return s.Next.State, true
	}
	var keys []*big.Int
	for _, k := range s.Keys {
		v, ok := eval(k, vals)
		if !ok {
			return nil, false
		}
		keys = append(keys, v)
	}
	for _, c := range s.Cases {
		ok := true
		for i, set := range c.Sets {
			ok = ok && contains(set, keys[i])
		}
		if ok {
			return c.Next.State, true
		}
	}
	return nil, true
}

func contains(s ir.KeySet, v *big.Int) bool {
	switch {
	case s.Any:
		return true
	case s.Range:
		return v.Cmp(s.Value) >= 0 && v.Cmp(s.Mask) <= 0
	}
	return new(big.Int).And(v, s.Mask).Cmp(new(big.Int).And(s.Value, s.Mask)) == 0
}

// eval knows the expressions that parsers usually select on.
func eval(e ir.Expr, vals map[string]*big.Int) (*big.Int, bool) {
	switch e := e.(type) {
	case *ir.Const:
		return e.Value, true
	case *ir.Ref:
		v, ok := vals[e.Var.Name]
		return v, ok
	case *ir.Slice:
		v, ok := eval(e.X, vals)
		if !ok {
			return nil, false
		}
		r := new(big.Int).Rsh(v, uint(e.Lo))
		return r.And(r, ones(e.Hi-e.Lo+1)), true
	case *ir.Cast:
		v, ok := eval(e.X, vals)
		if !ok || e.T.Kind == ir.Int || e.X.Type().Kind == ir.Int {
			return nil, false
		}
		return new(big.Int).And(v, ones(e.T.Width)), true
	case *ir.Binary:
		if e.Op != ir.Concat {
			return nil, false
		}
		x, ok1 := eval(e.X, vals)
		y, ok2 := eval(e.Y, vals)
		if !ok1 || !ok2 {
			return nil, false
		}
		r := new(big.Int).Lsh(x, uint(e.Y.Type().Width))
		return r.Or(r, y), true
	}
	return nil, false
}
