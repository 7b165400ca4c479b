package gen

import (
	"math/big"
	"slices"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// Statements are brought into shape before they are written: shape finds what can be done in another
// way than one after the other, and leaves out what another phase does. What it finds is a
// statement of one of these kinds, beside those of the program.
type (
	// together are tables that ask the same.
	together struct {
		*ir.Apply
		tables []*ir.Table
	}
	// laterBits are tests of bits of v, of which usually none is set: one test comes before all.
	// What reads what they set follows in both of its branches.
	laterBits struct {
		ir.Stmt
		v           *ir.Var
		mask        uint64
		tests, then []ir.Stmt
	}
	// flagged sets a bit to a value without a branch.
	flagged struct {
		*ir.If
		v     *ir.Var
		value string
	}
	// made is a header that becomes valid, of which some fields are assigned next in any case.
	made struct {
		*ir.SetValid
		assigned []*ir.Var
	}
)

// shape brings a list of statements into shape.
func (g *gress) shape(list []ir.Stmt) (out []ir.Stmt) {
	for len(list) > 0 {
		n := 1
		if v, bits := bitTests(list); len(bits) >= minBitTests {
			// The later half is often a half that is not in use.
			half := len(bits) / 2
			out = append(out, list[:half]...)
			later := &laterBits{Stmt: list[half], v: v, tests: list[half:len(bits)]}
			for _, b := range bits[half:] {
				later.mask |= 1 << b
			}
			later.then = g.dependent(list[len(bits):], effectsOf(later.tests).assigned)
			out = append(out, later)
			n = len(bits) + len(later.then)
		} else if !g.inPhase(list[0]) {
			// left out
		} else if g.phase != phaseAll {
			out = append(out, list[0])
		} else {
			s := list[0]
			switch x := s.(type) {
			case *ir.Apply:
				if run := g.together[x]; run != nil {
					s, n = &together{x, run}, len(run)
				}
			case *ir.SetValid:
				if x.Valid {
					s = &made{x, assignedNext(x.Header, list[1:])}
				}
			case *ir.If:
				if v, value, ok := g.flagged(x); ok {
					s = &flagged{x, v, value}
				}
			}
			out = append(out, s)
		}
		list = list[n:]
	}
	return out
}

// inPhase reports whether a statement belongs to this phase of a block with UpdatesFirst;
// see ir.Block.
func (g *gress) inPhase(s ir.Stmt) bool {
	if g.phase == phaseAll {
		return true
	}
	switch s := s.(type) {
	case *ir.If, *ir.Apply, *ir.Block:
		return true
	case *ir.RegisterExec:
		return g.phase == phaseUpdates == updates(s.Action)
	case *ir.RegisterRead:
		return g.phase != phaseUpdates
	}
	return g.phase != phaseQueries
}

// assignedNext are the fields of a header that a list begins with assignments to,
// of values that have nothing to do with the header.
func assignedNext(h *ir.HeaderInst, list []ir.Stmt) []*ir.Var {
	var out []*ir.Var
	for _, s := range list {
		a, ok := s.(*ir.Assign)
		if !ok || a.Slice || slices.ContainsFunc(varsOf(a.Src), func(v *ir.Var) bool { return slices.Contains(h.Fields, v) }) {
			break
		}
		if slices.Contains(h.Fields, a.Dst) {
			out = append(out, a.Dst)
		}
	}
	return out
}

// dependent are the assignments that a list begins with when they read what may have
// been assigned before: they are written for both cases, so that for one of
// them the compiler knows the values.
func (g *gress) dependent(list []ir.Stmt, assigned []*ir.Var) []ir.Stmt {
	n, reads := 0, false
	for ; n < len(list) && n < maxDependent && g.phase == phaseAll; n++ {
		a, ok := list[n].(*ir.Assign)
		if !ok {
			break
		}
		for _, v := range varsOf(a.Src) {
			reads = reads || slices.Contains(assigned, v)
		}
	}
	if !reads {
		return nil
	}
	return list[:n]
}

// maxDependent is how many assignments are written twice at most.
const maxDependent = 8

// minBitTests is from how many tests of a variable's bits on the later half of
// them has a test of its own.
const minBitTests = 8

// bitTests are the statements that a list begins with when each tests one bit of
// the same variable, which none of them changes: it returns the variable and
// the bits.
func bitTests(list []ir.Stmt) (v *ir.Var, bits []int) {
	for _, s := range list {
		c, ok := s.(*ir.If)
		if !ok || len(c.Else) > 0 {
			break
		}
		eq, ok := c.Cond.(*ir.Binary)
		if !ok || eq.Op != ir.Eq {
			break
		}
		bit, ok := eq.X.(*ir.Slice)
		one, isConst := eq.Y.(*ir.Const)
		if !ok || !isConst || bit.Hi != bit.Lo || one.Value.Cmp(big.NewInt(1)) != 0 {
			break
		}
		ref, ok := bit.X.(*ir.Ref)
		if !ok || ref.Var.Kind == ir.Field || ref.Var.Type.Width > 32 || v != nil && v != ref.Var {
			break
		}
		if slices.Contains(effectsOf(c.Then).assigned, ref.Var) {
			break
		}
		v = ref.Var
		bits = append(bits, bit.Lo)
	}
	return v, bits
}
