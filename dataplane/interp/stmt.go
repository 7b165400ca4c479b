package interp

import (
	"math/big"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// signal is how a statement ended: with 0 the next one runs.
type signal uint32

const (
	sigReturn signal = 1 + iota // leave the innermost callable block or body
	sigExit                     // leave the control
)

type stmt func(*frame) signal

// body compiles a list of statements.
func (c *compiler) body(list []ir.Stmt) stmt {
	var steps []stmt
	defer func(at ir.Pos) { c.at = at }(c.at)
	for _, s := range list {
		func() {
			c.at = s.At()
			defer c.p.caught() // and on with the next: all that cannot be done is said at once
			steps = append(steps, c.traced(s))
		}()
	}
	switch len(steps) {
	case 0:
		return func(*frame) signal { return 0 }
	case 1:
		return steps[0]
	case 2:
		a, b := steps[0], steps[1]
		return func(f *frame) signal {
			if sig := a(f); sig != 0 {
				return sig
			}
			return b(f)
		}
	}
	return func(f *frame) signal {
		for _, s := range steps {
			if sig := s(f); sig != 0 {
				return sig
			}
		}
		return 0
	}
}

// do wraps an effect that always goes on.
func do(fn func(*frame)) stmt {
	return func(f *frame) signal { fn(f); return 0 }
}

func (c *compiler) stmt(s ir.Stmt) stmt {
	switch s := s.(type) {
	case *ir.Assign:
		return c.assign(s)
	case *ir.If:
		cond, then, els := c.narrow(s.Cond), c.body(s.Then), c.body(s.Else)
		if len(s.Else) == 0 {
			return func(f *frame) signal {
				if cond(f) != 0 {
					return then(f)
				}
				return 0
			}
		}
		return func(f *frame) signal {
			if cond(f) != 0 {
				return then(f)
			}
			return els(f)
		}
	case *ir.Block:
		body := c.body(s.Body)
		if !s.Callable {
			return body
		}
		return func(f *frame) signal { return untilReturn(body(f)) }
	case *ir.Return:
		return func(*frame) signal { return sigReturn }
	case *ir.Exit:
		return func(*frame) signal { return sigExit }
	case *ir.Apply:
		return c.apply(s)
	case *ir.Call:
		return c.call(s)
	case *ir.SetValid:
		return c.setValid(s)
	case *ir.CopyHeader:
		return c.copyHeader(s)
	case *ir.Count, *ir.DirectCount:
		return c.count(s)
	case *ir.MeterExec:
		return c.meter(s)
	case *ir.FilterExec:
		return c.filter(s)
	case *ir.RegisterExec, *ir.RegisterRead, *ir.RegisterWrite:
		return c.register(s)
	case *ir.HashGet:
		return c.hash(s)
	case *ir.RandomGet:
		set, rnd := c.setterWide(s.Dst), c.p.random
		return do(func(f *frame) { set(f, rnd(s.Dst.Type.Width)) })
	case *ir.DigestPack:
		return c.digestPack(s)
	case *ir.Extract:
		i := c.header(s.Header)
		h := c.g.headers[i]
		return func(f *frame) signal {
			if !f.extract(h, i) {
				return parseFail + ir.ParserPartial
			}
			return 0
		}
	case *ir.Advance:
		bits := c.shiftCount(s.Bits)
		return func(f *frame) signal {
			n := bits(f)
			if n > uint64(len(f.pkt)*8-f.cursor) {
				return parseFail + ir.ParserPartial
			}
			f.cursor += int(n)
			return 0
		}
	case *ir.Lookahead:
		return c.lookahead(s)
	case *ir.ChecksumAdd, *ir.ChecksumGet, *ir.ChecksumVerify, *ir.ChecksumUpdate:
		return c.checksum(s)
	case *ir.Emit:
		i := c.header(s.Header)
		h := c.g.headers[i]
		return do(func(f *frame) {
			if f.valid[i] {
				f.emit(h)
			}
		})
	}
	c.unsupported(ir.Pos{}, "statement %T", s)
	return nil
}

func untilReturn(sig signal) signal {
	if sig == sigReturn {
		return 0
	}
	return sig
}

// setter compiles a store of a narrow value into v, setterWide of any value.
// Stores keep the rules for fields of invalid headers and for
// ucast_egress_port.
func (c *compiler) setter(v *ir.Var) func(*frame, uint64) {
	i, m := c.slot(v).i, mask(v.Type.Width)
	if onlyValid(v) {
		h := c.header(v.Header)
		return func(f *frame, x uint64) {
			if f.valid[h] {
				f.n[i] = x & m
			}
		}
	}
	if v.Kind == ir.Intrinsic && v.Name == ir.IntrUcastPort {
		return func(f *frame, x uint64) { f.n[i], f.toPort = x&m, true }
	}
	return func(f *frame, x uint64) { f.n[i] = x & m }
}

// onlyValid reports whether a variable is a field that is written to only while its header is valid.
func onlyValid(v *ir.Var) bool { return v.Kind == ir.Field && !v.Header.Kept }

func (c *compiler) setterWide(v *ir.Var) func(*frame, *big.Int) {
	if !isWide(v.Type) {
		set := c.setter(v)
		return func(f *frame, x *big.Int) { set(f, low64(x)) }
	}
	i, m := c.slot(v).i, wideMask(v.Type.Width)
	if onlyValid(v) {
		h := c.header(v.Header)
		return func(f *frame, x *big.Int) {
			if f.valid[h] {
				f.w[i] = new(big.Int).And(x, m)
			}
		}
	}
	return func(f *frame, x *big.Int) { f.w[i] = new(big.Int).And(x, m) }
}

func (c *compiler) assign(s *ir.Assign) stmt {
	if isWide(s.Dst.Type) {
		set, src := c.setterWide(s.Dst), c.wide(s.Src)
		if !s.Slice {
			return do(func(f *frame) { set(f, src(f)) })
		}
		old := c.slot(s.Dst).i
		lo, keep := uint(s.Lo), new(big.Int).Lsh(wideMask(s.Hi-s.Lo+1), uint(s.Lo))
		return do(func(f *frame) {
			v := new(big.Int).AndNot(f.w[old], keep)
			set(f, v.Or(v, new(big.Int).And(new(big.Int).Lsh(src(f), lo), keep)))
		})
	}
	if st := c.move(s); st != nil {
		return st
	}
	set, src := c.setter(s.Dst), c.narrow(s.Src)
	if !s.Slice {
		return func(f *frame) signal { set(f, src(f)); return 0 }
	}
	old, lo, m := c.slot(s.Dst).i, s.Lo, mask(s.Hi-s.Lo+1)<<s.Lo
	return do(func(f *frame) { set(f, f.n[old]&^m|src(f)<<lo&m) })
}

// move is an assignment of a whole narrow variable without a call for the destination, and
// where the source is a variable or a constant for that neither: these are most statements of a
// program. nil: it is none.
func (c *compiler) move(s *ir.Assign) stmt {
	d := s.Dst
	if s.Slice || d.Kind == ir.Intrinsic {
		return nil
	}
	i, m := c.slot(d).i, mask(d.Type.Width)
	h := -1
	if onlyValid(d) {
		h = c.header(d.Header)
	}
	switch e := s.Src.(type) {
	case *ir.Const:
		v := e.Value.Uint64() & m
		if h < 0 {
			return func(f *frame) signal { f.n[i] = v; return 0 }
		}
		return func(f *frame) signal {
			if f.valid[h] {
				f.n[i] = v
			}
			return 0
		}
	case *ir.Ref:
		if isWide(e.Var.Type) {
			return nil
		}
		j := c.slot(e.Var).i
		if h < 0 {
			return func(f *frame) signal { f.n[i] = f.n[j] & m; return 0 }
		}
		return func(f *frame) signal {
			if f.valid[h] {
				f.n[i] = f.n[j] & m
			}
			return 0
		}
	}
	if h >= 0 {
		return nil
	}
	src := c.narrow(s.Src)
	return func(f *frame) signal { f.n[i] = src(f) & m; return 0 }
}

func (c *compiler) setValid(s *ir.SetValid) stmt {
	i := c.header(s.Header)
	h := c.g.headers[i]
	if s.Valid {
		return do(func(f *frame) { f.valid[i] = true }) // fields are zero, or what was written to a header that is Kept
	}
	return do(func(f *frame) { f.invalidate(h, i) })
}

func (c *compiler) copyHeader(s *ir.CopyHeader) stmt {
	di, si := c.header(s.Dst), c.header(s.Src)
	d, src := c.g.headers[di], c.g.headers[si]
	return do(func(f *frame) {
		f.valid[di] = f.valid[si]
		for k, fd := range d.fields {
			if fd.wide {
				f.w[fd.i] = f.w[src.fields[k].i]
			} else {
				f.n[fd.i] = f.n[src.fields[k].i]
			}
		}
	})
}

func (c *compiler) lookahead(s *ir.Lookahead) stmt {
	var parts []func(f *frame, at int)
	var widths []int
	total := 0
	for _, v := range s.Dst {
		w := v.Type.Width
		if isWide(v.Type) {
			set := c.setterWide(v)
			parts = append(parts, func(f *frame, at int) { set(f, getWide(f.pkt, at, w)) })
		} else {
			set := c.setter(v)
			parts = append(parts, func(f *frame, at int) { set(f, getBits(f.pkt, at, w)) })
		}
		widths = append(widths, w)
		total += w
	}
	return func(f *frame) signal {
		if f.cursor+total > len(f.pkt)*8 {
			return parseFail + ir.ParserPartial
		}
		at := f.cursor
		for i, read := range parts {
			read(f, at)
			at += widths[i]
		}
		return 0
	}
}

func (c *compiler) digestPack(s *ir.DigestPack) stmt {
	type part struct {
		x     wexpr
		bytes int
	}
	var parts []part
	for _, e := range s.Fields {
		parts = append(parts, part{c.wide(e), e.Type().Bytes()})
	}
	return do(func(f *frame) {
		d := dataplane.Digest{Digest: s.Digest}
		for _, p := range parts {
			d.Fields = append(d.Fields, p.x(f).FillBytes(make([]byte, p.bytes)))
		}
		f.digest(d)
	})
}

// action is a compiled action.
type action struct {
	src    *ir.Action
	params []slot
	widths []int
	body   stmt
}

func (c *compiler) action(a *ir.Action) *action {
	if act, ok := c.acts[a]; ok {
		return act
	}
	act := &action{src: a}
	c.acts[a] = act
	for _, v := range a.Params {
		act.params = append(act.params, c.slot(v))
		act.widths = append(act.widths, v.Type.Width)
	}
	act.body = c.body(a.Body)
	return act
}

// bind copies the action data of an entry into the parameters.
func (a *action) bind(f *frame, args []arg) {
	for i, s := range a.params {
		if s.wide {
			f.w[s.i] = args[i].wide
		} else {
			f.n[s.i] = args[i].narrow
		}
	}
}

func (c *compiler) call(s *ir.Call) stmt {
	act := c.action(s.Action)
	var set []func(*frame)
	for i, e := range s.Args {
		dst := act.params[i].i
		if act.params[i].wide {
			x := c.wide(e)
			set = append(set, func(f *frame) { f.w[dst] = x(f) })
		} else {
			x := c.narrow(e)
			set = append(set, func(f *frame) { f.n[dst] = x(f) })
		}
	}
	return func(f *frame) signal {
		for _, fn := range set {
			fn(f)
		}
		return untilReturn(act.body(f))
	}
}

func (c *compiler) apply(s *ir.Apply) stmt {
	t := c.p.table(s.Table)
	t.attach(c)
	var setHit func(*frame, uint64)
	if s.Hit != nil {
		setHit = c.setter(s.Hit)
	}
	type switched struct {
		action *ir.Action
		body   stmt
	}
	var cases []switched
	for _, cs := range s.Cases {
		body := c.body(cs.Body)
		for _, a := range cs.Actions {
			cases = append(cases, switched{a, body})
		}
	}
	deflt, saw := c.body(s.Default), c.sawTable(t, s.Pos)
	return func(f *frame) signal {
		e, hit := t.lookup(f)
		if saw != nil {
			saw(f, e, hit)
		}
		f.hit, f.cell = e.counter, uint64(e.cell)
		if hit && t.src.IdleTimeout {
			e.last = f.now
		}
		act := t.acts[e.act]
		if act != nil {
			act.bind(f, e.args)
			if sig := untilReturn(act.body(f)); sig != 0 {
				return sig
			}
		}
		if setHit != nil {
			setHit(f, b2u(hit))
		}
		if !s.Switch {
			return 0
		}
		if act != nil {
			for i := range cases {
				if cases[i].action == act.src {
					return cases[i].body(f)
				}
			}
		}
		return deflt(f)
	}
}
