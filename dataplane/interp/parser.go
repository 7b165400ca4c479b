package interp

import (
	"math/big"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// maxStates bounds the states that one packet may visit: a loop that consumes
// nothing must end.
const maxStates = 1024

// parserTimeout is TNA's PARSER_ERROR_TIMEOUT_HW.
const parserTimeout = 0x0010

// parseFail is the signal with which a statement in a parser state stops the
// parser; the error code is signal - parseFail.
const parseFail signal = 1 << 16

// state is a compiled parser state.
type state struct {
	body  stmt
	keys  []parserKey
	cases []parserCase
	next  target // when there are no keys
}

// target is where a transition leads; a nil state is accept.
type target struct{ state *state }

// parserKey is a select key; narrow or wide is set.
type parserKey struct {
	narrow nexpr
	wide   wexpr
}

type parserCase struct {
	sets []keySet
	next target
}

// keySet is a compiled ir.KeySet for a narrow key (value and mask, or lo and
// hi) or a wide one.
type keySet struct {
	any, rng  bool
	v, m      uint64
	wv, wm    *big.Int
	matchWide bool
}

func (s *keySet) matches(k parserKey, f *frame) bool {
	switch {
	case s.any:
		return true
	case s.matchWide:
		v := k.wide(f)
		if s.rng {
			return s.wv.Cmp(v) <= 0 && v.Cmp(s.wm) <= 0
		}
		return new(big.Int).And(v, s.wm).Cmp(s.wv) == 0
	}
	v := k.narrow(f)
	if s.rng {
		return s.v <= v && v <= s.m
	}
	return v&s.m == s.v
}

func compileKeySet(ks ir.KeySet, width int) keySet {
	out := keySet{any: ks.Any, rng: ks.Range, matchWide: width > 64}
	if ks.Any {
		return out
	}
	value, m := ks.Value, ks.Mask
	if m == nil {
		m = wideMask(width)
	}
	if !ks.Range {
		value = new(big.Int).And(value, m)
	}
	if out.matchWide {
		out.wv, out.wm = value, m
	} else {
		out.v, out.m = value.Uint64(), m.Uint64()
	}
	return out
}

func (c *compiler) compileParser(p *ir.Parser) {
	if p == nil || len(p.States) == 0 {
		c.unsupported(ir.Pos{}, "a gress without a parser")
	}
	for _, s := range p.States { // first the shells: states refer to each other
		st := &state{}
		c.states[s] = st
		c.g.parser = append(c.g.parser, st)
	}
	for _, s := range p.States {
		c.compileState(c.states[s], s)
	}
}

func (c *compiler) compileState(st *state, s *ir.State) {
	defer c.p.caught()
	c.at = s.Pos
	st.body = c.tracedState(c.body(s.Body), s)
	if s.Keys == nil {
		st.next = c.target(s.Next)
		return
	}
	for _, k := range s.Keys {
		if isWide(k.Type()) {
			st.keys = append(st.keys, parserKey{wide: c.wide(k)})
		} else {
			st.keys = append(st.keys, parserKey{narrow: c.narrow(k)})
		}
	}
	for _, cs := range s.Cases {
		pc := parserCase{next: c.target(cs.Next)}
		for i, ks := range cs.Sets {
			pc.sets = append(pc.sets, compileKeySet(ks, s.Keys[i].Type().Width))
		}
		st.cases = append(st.cases, pc)
	}
}

func (c *compiler) target(t ir.Target) target {
	if t.State == nil {
		return target{}
	}
	st, ok := c.states[t.State]
	if !ok {
		c.unsupported(t.State.Pos, "a transition to state %s, which the parser does not have", t.State.Name)
	}
	return target{state: st}
}

// parse runs the parser over the frame's packet and returns a TNA parser error
// code, ir.ParserOK when the packet was accepted.
func (g *gress) parse(f *frame) uint16 {
	st := g.parser[0]
	for range maxStates {
		if sig := st.body(f); sig >= parseFail {
			return uint16(sig - parseFail)
		}
		next, ok := st.transition(f)
		switch {
		case !ok:
			return ir.ParserNoMatch
		case next.state != nil:
			st = next.state
		default:
			return ir.ParserOK
		}
	}
	return parserTimeout
}

func (s *state) transition(f *frame) (target, bool) {
	if s.keys == nil {
		return s.next, true
	}
cases:
	for i := range s.cases {
		cs := &s.cases[i]
		for j := range cs.sets {
			if !cs.sets[j].matches(s.keys[j], f) {
				continue cases
			}
		}
		return cs.next, true
	}
	return target{}, false
}
