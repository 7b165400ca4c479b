package interp

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// StepKind is what a step of a trace shows.
type StepKind string

// The kinds of steps.
const (
	StepGress    StepKind = "gress"    // a gress begins: ingress, or the egress of one copy
	StepState    StepKind = "state"    // a parser state begins
	StepExtract  StepKind = "extract"  // a header was extracted, or the packet was too short for it
	StepIf       StepKind = "if"       // a condition was evaluated
	StepTable    StepKind = "table"    // a table was applied
	StepAction   StepKind = "action"   // an action is called
	StepRegister StepKind = "register" // an element of a register, before and after
	StepCount    StepKind = "count"    // a counter counts the packet
	StepAssign   StepKind = "assign"   // a variable has a new value
	StepDrop     StepKind = "drop"     // the packet, or a copy, goes no further
)

// Step is one thing that happens to a packet.
type Step struct {
	Kind  StepKind
	Gress string // "ingress" or "egress"
	Pos   ir.Pos // in the program
	Text  string // as people read it
}

// Tracer takes the steps of a packet in their order.
type Tracer func(Step)

func (c *compiler) step(kind StepKind, pos ir.Pos, format string, args ...any) {
	c.p.trace(Step{kind, c.g.src.Name, pos, fmt.Sprintf(format, args...)})
}

// traced compiles a statement that tells the tracer what it does. Without a tracer it is the statement.
func (c *compiler) traced(s ir.Stmt) stmt {
	run := c.stmt(s)
	if c.p.trace == nil {
		return run
	}
	pos := s.At()
	before := func(say func(*frame)) stmt {
		return func(f *frame) signal { say(f); return run(f) }
	}
	after := func(say func(*frame)) stmt {
		return func(f *frame) signal { sig := run(f); say(f); return sig }
	}
	// variable says what a variable is now.
	variable := func(v *ir.Var, of string) stmt {
		if v == nil {
			return run
		}
		get := c.text(&ir.Ref{Var: v})
		return after(func(f *frame) { c.step(StepAssign, pos, "%s = %s%s", v.Name, get(f), of) })
	}
	switch s := s.(type) {
	case *ir.Assign:
		return variable(s.Dst, "")
	case *ir.HashGet:
		return variable(s.Dst, "  (hash)")
	case *ir.RandomGet:
		return variable(s.Dst, "  (random)")
	case *ir.MeterExec:
		return variable(s.Dst, "  (meter)")
	case *ir.If:
		cond := c.narrow(s.Cond)
		return before(func(f *frame) { c.step(StepIf, pos, "%s: %v", ir.ExprString(s.Cond), cond(f) != 0) })
	case *ir.Call:
		var args []func(*frame) string
		for _, a := range s.Args {
			args = append(args, c.text(a))
		}
		return before(func(f *frame) {
			c.step(StepAction, pos, "%s(%s)", s.Action.Name, named(s.Action.Params, func(i int) string { return args[i](f) }))
		})
	case *ir.SetValid:
		return after(func(f *frame) {
			is := "setInvalid"
			if s.Valid {
				is = "setValid"
			}
			c.step(StepAssign, pos, "%s.%s()", s.Header.Name, is)
		})
	case *ir.Extract:
		i := c.header(s.Header)
		h := c.g.headers[i]
		return func(f *frame) signal {
			sig := run(f)
			if sig != 0 {
				c.step(StepExtract, pos, "%s: the packet ends before its %d bytes", h.name, h.bytes)
				return sig
			}
			c.step(StepExtract, pos, "%s  %s", h.name, h.text(f, s.Header))
			return sig
		}
	case *ir.Count:
		index := c.text(s.Index)
		return before(func(f *frame) { c.step(StepCount, pos, "%s[%s]", s.Counter.Name, index(f)) })
	case *ir.DirectCount:
		return before(func(f *frame) { c.step(StepCount, pos, "%s", s.Counter.Name) })
	case *ir.RegisterExec:
		return c.tracedRegister(run, pos, s.Action.Register, s.Index)
	case *ir.RegisterRead:
		return c.tracedRegister(run, pos, s.Register, s.Index)
	case *ir.RegisterWrite:
		return c.tracedRegister(run, pos, s.Register, s.Index)
	}
	return run
}

// tracedRegister shows an element before and after a statement.
func (c *compiler) tracedRegister(run stmt, pos ir.Pos, src *ir.Register, e ir.Expr) stmt {
	r, at := c.p.registers[src], c.index(e, src.Size)
	return func(f *frame) signal {
		i := at(f)
		if i < 0 {
			c.step(StepRegister, pos, "%s: the index is beyond its %d elements", src.Name, src.Size)
			return run(f)
		}
		element := i + f.pipe*src.Size
		was := r.text(element)
		sig := run(f)
		if is := r.text(element); is != was {
			c.step(StepRegister, pos, "%s[%d]: %s -> %s", src.Name, i, was, is)
		} else {
			c.step(StepRegister, pos, "%s[%d]: %s", src.Name, i, was)
		}
		return sig
	}
}

// sawTable returns what says which entry a packet has found; nil without a tracer.
func (c *compiler) sawTable(t *table, pos ir.Pos) func(*frame, *entry, bool) {
	if c.p.trace == nil {
		return nil
	}
	var keys []func(*frame) string
	for _, k := range t.src.Keys {
		get := c.text(k.Expr)
		keys = append(keys, func(f *frame) string { return k.Name + "=" + get(f) })
	}
	return func(f *frame, e *entry, hit bool) {
		var b strings.Builder
		b.WriteString(t.src.Name)
		for _, k := range keys {
			b.WriteString(" " + k(f))
		}
		b.WriteString(map[bool]string{true: ": hit", false: ": miss"}[hit])
		if act := t.acts[e.act]; act != nil {
			fmt.Fprintf(&b, " -> %s(%s)", act.src.Name, named(act.src.Params, func(i int) string {
				if e.args[i].wide != nil {
					return numeral(e.args[i].wide)
				}
				return numeral(new(big.Int).SetUint64(e.args[i].narrow))
			}))
		}
		c.step(StepTable, pos, "%s", b.String())
	}
}

// text compiles an expression into its value as people read it.
func (c *compiler) text(e ir.Expr) func(*frame) string {
	if isWide(e.Type()) {
		x := c.wide(e)
		return func(f *frame) string { return numeral(x(f)) }
	}
	x, isBool := c.narrow(e), e.Type().Kind == ir.Bool
	return func(f *frame) string {
		if isBool {
			return fmt.Sprint(x(f) != 0)
		}
		return numeral(new(big.Int).SetUint64(x(f)))
	}
}

// text is the fields of a header.
func (h *header) text(f *frame, src *ir.HeaderInst) string {
	var out []string
	for i, fl := range h.fields {
		v := new(big.Int)
		if fl.wide {
			v.Set(f.w[fl.i])
		} else {
			v.SetUint64(f.n[fl.slot.i])
		}
		out = append(out, last(src.Fields[i].Name)+"="+numeral(v))
	}
	return strings.Join(out, " ")
}

// text is an element's fields.
func (r *register) text(element int) string {
	var out []string
	for i, b := range r.read(element) {
		s := numeral(new(big.Int).SetBytes(b))
		if name := r.src.Fields[i].Name; name != "" {
			s = name + "=" + s
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func named(params []*ir.Var, value func(int) string) string {
	var out []string
	for i, p := range params {
		out = append(out, last(p.Name)+"="+value(i))
	}
	return strings.Join(out, ", ")
}

// last is the last part of a dotted name.
func last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// numeral is how numbers are written: small ones in decimal.
func numeral(v *big.Int) string {
	if v.IsUint64() && v.Uint64() < 10 {
		return v.String()
	}
	return fmt.Sprintf("%#x", v)
}

// tracedState tells the tracer that a parser state begins.
func (c *compiler) tracedState(body stmt, s *ir.State) stmt {
	if c.p.trace == nil {
		return body
	}
	return func(f *frame) signal {
		c.step(StepState, s.Pos, "%s", s.Name)
		return body(f)
	}
}

// Trace runs a frame through the whole pipeline, as Inject does. The target was made with Options.Trace, which is told each step.
func (t *Target) Trace(p dataplane.Port, frame []byte) (out []dataplane.Out, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.p == nil {
		return nil, dataplane.ErrNoPipeline
	}
	if t.trace == nil {
		return nil, errors.New("a target that was made without a tracer")
	}
	now, gress := t.clock(), ""
	begins := func(name, format string, args ...any) {
		gress = name
		t.trace(Step{Kind: StepGress, Gress: name, Text: fmt.Sprintf(format, args...)})
	}
	e := effects{
		drop: func(reason string) {
			t.countDrop(reason)
			t.trace(Step{Kind: StepDrop, Gress: gress, Text: reason})
		},
		digest: t.digest,
		send: func(p dataplane.Port, frame []byte) {
			out = append(out, dataplane.Out{Port: p, Frame: bytes.Clone(frame)})
		},
	}
	begins("ingress", "port %d, %d bytes", p, len(frame))
	t.ingress(p, frame, now, e, func(r dataplane.Replica, v verdict) {
		if v.bypass {
			begins("egress", "port %d: bypassed", r.Port)
		} else {
			begins("egress", "port %d, rid %d", r.Port, r.Instance)
		}
		t.egress(r, v.frame, v.bypass, len(frame), now, e)
	})
	return out, nil
}
