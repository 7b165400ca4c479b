package lower

import (
	"slices"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// What is known of a header at a place of the program: bits.
const (
	mayBeInvalid = 1 << iota
	mayBeValid
)

// validities is what is known of all headers of a gress at a place, by HeaderInst.Index; nil: no
// packet comes there.
type validities []uint8

func (k validities) with(h *ir.HeaderInst, bits uint8) validities {
	out := slices.Clone(k)
	out[h.Index] = bits
	return out
}

func join(a, b validities) validities {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	out := slices.Clone(a)
	for i := range out {
		out[i] |= b[i]
	}
	return out
}

// A validityFlow follows the validity of headers through a gress.
type validityFlow struct {
	g      *gress
	made   map[*ir.HeaderInst]bool              // made valid by the program
	early  map[*ir.HeaderInst]bool              // written to where they may be invalid
	copies map[*ir.HeaderInst][]*ir.HeaderInst  // to a header from those that may be invalid
	writes map[ir.Stmt]map[*ir.HeaderInst]uint8 // what is known of a header where a statement writes to it
	order  []ir.Stmt                            // of writes
	leave  validities                           // what is known where the innermost callable ends early
	exit   validities                           // where the control, or the parser with an error, ends early
}

// keepEarlyWrites finds the headers that the program writes to before it makes them valid:
// they keep the values, as the containers of the chip do. It warns where a header is
// certainly invalid.
func (g *gress) keepEarlyWrites() {
	v := &validityFlow{
		g: g, made: map[*ir.HeaderInst]bool{}, early: map[*ir.HeaderInst]bool{}, copies: map[*ir.HeaderInst][]*ir.HeaderInst{},
		writes: map[ir.Stmt]map[*ir.HeaderInst]uint8{},
	}
	k := v.parser(g.ir.Parser)
	for _, body := range [][]ir.Stmt{g.ir.Control, g.ir.Deparser} {
		v.leave, v.exit = nil, nil
		k = join(join(v.list(body, k), v.leave), v.exit)
	}
	for again := true; again; {
		again = false
		for dst, srcs := range v.copies {
			if !v.early[dst] && slices.ContainsFunc(srcs, func(h *ir.HeaderInst) bool { return v.early[h] && v.made[h] }) {
				v.early[dst], again = true, true
			}
		}
	}
	for _, h := range g.ir.Headers {
		h.Kept = v.early[h] && v.made[h]
	}
	v.warn()
}

func (v *validityFlow) warn() {
	type place struct {
		h  *ir.HeaderInst
		at ir.Pos
	}
	warned := map[place]bool{}
	for _, s := range v.order {
		for _, h := range v.g.ir.Headers {
			at := s.At()
			if v.writes[s][h] != mayBeInvalid || warned[place{h, at}] {
				continue
			}
			warned[place{h, at}] = true
			from := diag.Pos{File: diag.NewFile(at.File, ""), Line: int32(at.Line), Col: int32(at.Col)}
			if v.made[h] {
				v.g.diags.Warnf(from, diag.Chip, "%s is not valid here: P4 does not say what becomes of this value, the chip and this switch keep it (make the header valid first)", h.Name)
			} else {
				v.g.diags.Warnf(from, diag.Chip, "%s is not valid here, and nothing makes it valid: this value is lost", h.Name)
			}
		}
	}
}

// parser returns what is known behind the parser.
func (v *validityFlow) parser(p *ir.Parser) validities {
	start := make(validities, len(v.g.ir.Headers))
	for i := range start {
		start[i] = mayBeInvalid
	}
	if p == nil || len(p.States) == 0 {
		return start
	}
	in := map[*ir.State]validities{p.States[0]: start}
	var out validities
	for work := []*ir.State{p.States[0]}; len(work) > 0; {
		s := work[0]
		work = work[1:]
		k := v.list(s.Body, in[s])
		if v.g.accepts(s) || v.g.rejects[s] > 0 || s.Keys != nil && v.g.seesErrors() { // no case may match
			out = join(out, k)
		}
		for _, n := range successors(s) {
			if next := join(in[n], k); !slices.Equal(next, in[n]) {
				in[n] = next
				work = append(work, n)
			}
		}
	}
	if v.g.seesErrors() {
		out = join(out, v.exit)
	}
	return out
}

// seesErrors reports whether packets that the parser rejects reach the control: else they
// are dropped.
func (g *gress) seesErrors() bool {
	return g.ir.Var(ir.IntrParserErr) != nil || g.ir.Var(ir.IntrEgrErr) != nil
}

func (v *validityFlow) list(list []ir.Stmt, k validities) validities {
	for _, s := range list {
		if k == nil {
			return nil
		}
		k = v.stmt(s, k)
	}
	return k
}

func (v *validityFlow) stmt(s ir.Stmt, k validities) validities {
	ir.Writes(s, func(x *ir.Var) {
		if x.Header != nil {
			v.write(s, x.Header, k[x.Header.Index])
		}
	})
	switch s := s.(type) {
	case *ir.SetValid:
		if s.Valid {
			v.made[s.Header] = true
			return k.with(s.Header, mayBeValid)
		}
		return k.with(s.Header, mayBeInvalid)
	case *ir.CopyHeader:
		v.made[s.Dst] = true
		bits := k[s.Src.Index]
		if bits&mayBeInvalid != 0 && !slices.Contains(v.copies[s.Dst], s.Src) {
			v.copies[s.Dst] = append(v.copies[s.Dst], s.Src)
		}
		return k.with(s.Dst, bits)
	case *ir.Extract:
		v.exit = join(v.exit, k)
		return k.with(s.Header, mayBeValid)
	case *ir.If:
		return join(v.list(s.Then, k.where(s.Cond, true)), v.list(s.Else, k.where(s.Cond, false)))
	case *ir.Block:
		if !s.Callable {
			return v.list(s.Body, k)
		}
		return v.callable(s.Body, k)
	case *ir.Return:
		v.leave = join(v.leave, k)
		return nil
	case *ir.Exit:
		v.exit = join(v.exit, k)
		return nil
	case *ir.Call:
		return v.callable(s.Action.Body, k)
	case *ir.Apply:
		return v.apply(s, k)
	}
	return k
}

func (v *validityFlow) write(s ir.Stmt, h *ir.HeaderInst, bits uint8) {
	if v.writes[s] == nil {
		v.writes[s] = map[*ir.HeaderInst]uint8{}
		v.order = append(v.order, s)
	}
	v.writes[s][h] |= bits
	if bits&mayBeInvalid != 0 {
		v.early[h] = true
	}
}

func (v *validityFlow) callable(body []ir.Stmt, k validities) validities {
	outer := v.leave
	v.leave = nil
	out := join(v.list(body, k), v.leave)
	v.leave = outer
	return out
}

func (v *validityFlow) apply(s *ir.Apply, k validities) (out validities) {
	if len(s.Table.Actions) == 0 && s.Table.Default.Action == nil {
		return k
	}
	ran := map[*ir.Action]bool{}
	ir.Runs(s, func(a *ir.Action) {
		if ran[a] {
			return
		}
		ran[a] = true
		after, then := v.callable(a.Body, k), s.Default
		for _, c := range s.Cases {
			if slices.Contains(c.Actions, a) {
				then = c.Body
			}
		}
		out = join(out, v.list(then, after))
	})
	return out
}

// where is what is known where a condition holds, or does not.
func (k validities) where(cond ir.Expr, holds bool) validities {
	if k == nil {
		return nil
	}
	switch c := cond.(type) {
	case *ir.IsValid:
		want := uint8(mayBeInvalid)
		if holds {
			want = mayBeValid
		}
		if k[c.Header.Index]&want == 0 {
			return nil
		}
		return k.with(c.Header, want)
	case *ir.Unary:
		if c.Op == ir.Not {
			return k.where(c.X, !holds)
		}
	case *ir.Binary:
		if c.Op == ir.LAnd && holds || c.Op == ir.LOr && !holds {
			return k.where(c.X, holds).where(c.Y, holds)
		}
	}
	return k
}
