package ir

import (
	"fmt"
	"io"
	"strings"
)

// Fprint writes a program in a readable form, close to P4, for people and for
// golden files. The form is not read back by anything.
func Fprint(w io.Writer, p *Program) error {
	pr := &printer{}
	pr.program(p)
	_, err := io.WriteString(w, pr.b.String())
	return err
}

// ExprString is an expression in the form that Fprint uses.
func ExprString(e Expr) string {
	switch e := e.(type) {
	case nil:
		return "<nil>"
	case *Const:
		if e.T.Kind == Bool {
			return fmt.Sprint(e.Value.Sign() != 0)
		}
		sign := "w"
		if e.T.Kind == Int {
			sign = "s"
		}
		return fmt.Sprintf("%d%s%#x", e.T.Width, sign, e.Value)
	case *Ref:
		return e.Var.Name
	case *IsValid:
		return e.Header.Name + ".isValid()"
	case *Unary:
		return e.Op.String() + operand(e.X)
	case *Binary:
		return operand(e.X) + " " + e.Op.String() + " " + operand(e.Y)
	case *Cast:
		return "(" + e.T.String() + ")" + operand(e.X)
	case *Slice:
		return fmt.Sprintf("%s[%d:%d]", operand(e.X), e.Hi, e.Lo)
	case *Cell:
		return "<cell>"
	case *Mux:
		return operand(e.Cond) + " ? " + operand(e.X) + " : " + operand(e.Y)
	}
	return fmt.Sprintf("<%T>", e)
}

func operand(e Expr) string {
	switch e.(type) {
	case *Binary, *Mux, *Cast:
		return "(" + ExprString(e) + ")"
	}
	return ExprString(e)
}

type printer struct {
	b      strings.Builder
	indent int
}

func (p *printer) line(format string, args ...any) {
	if format != "" {
		p.b.WriteString(strings.Repeat("    ", p.indent))
	}
	fmt.Fprintf(&p.b, format, args...)
	p.b.WriteByte('\n')
}

func (p *printer) nest(f func()) {
	p.indent++
	f()
	p.indent--
}

func id(n uint32) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" @id(%#08x)", n)
}

func (p *printer) program(g *Program) {
	p.line("program %s pipe %s", g.Name, g.Pipe)
	for _, h := range []*HeaderType{g.PacketIn, g.PacketOut} {
		if h != nil {
			p.line("controller header %s %s", h.Controller, h.Name)
		}
	}
	for _, r := range g.Registers {
		var fs []string
		for i, f := range r.Fields {
			s := f.Type.String()
			if f.Name != "" {
				s = f.Name + " " + s
			}
			if i < len(r.Initial) && r.Initial[i].Sign() != 0 {
				s += fmt.Sprintf(" = %#x", r.Initial[i])
			}
			fs = append(fs, s)
		}
		p.line("register %s%s [%d] of {%s} index %s", r.Name, id(r.ID), r.Size, strings.Join(fs, ", "), r.IndexType)
	}
	for _, c := range g.Counters {
		kind := [...]string{"packets", "bytes", "packets and bytes"}[c.Kind]
		if c.Size == 0 {
			t := "no table"
			if c.Table != nil {
				t = c.Table.Name
			}
			p.line("direct counter %s%s %s of %s", c.Name, id(c.ID), kind, t)
			continue
		}
		index := c.IndexType.String()
		if c.IndexName != "" {
			index += " " + c.IndexName
		}
		p.line("counter %s%s %s [%d] index %s", c.Name, id(c.ID), kind, c.Size, index)
	}
	for _, m := range g.Meters {
		kind := "packets"
		if m.Bytes {
			kind = "bytes"
		}
		p.line("meter %s%s %s [%d] index %s", m.Name, id(m.ID), kind, m.Size, m.IndexType)
	}
	for _, x := range g.Profiles {
		p.profile(x)
	}
	for _, f := range g.Filters {
		kind := "lpf"
		if f.Wred {
			kind = fmt.Sprintf("wred %d %d", f.Drop, f.NoDrop)
		}
		p.line("filter %s %s [%d] index %s", f.Name, kind, f.Size, f.IndexType)
	}
	for _, d := range g.Digests {
		p.line("digest %s%s %s {%s}", d.Name, id(d.ID), d.TypeName, fields(d.Fields))
	}
	for _, a := range g.Actions {
		p.action(a)
	}
	for _, t := range g.Tables {
		p.table(t)
	}
	for _, gr := range []*Gress{g.Ingress, g.Egress} {
		if gr != nil {
			p.gress(gr)
		}
	}
}

func (p *printer) profile(x *Profile) {
	if !x.Selector {
		p.line("action profile %s%s size %d", x.Name, id(x.ID), x.Size)
		return
	}
	mode := "fair"
	if x.Resilient {
		mode = "resilient"
	}
	p.line("action selector %s%s size %d groups %d of %d slots %d %s", x.Name, id(x.ID), x.Size, x.MaxGroups, x.GroupSize, x.SlotRoom, mode)
}

func fields(fs []FieldType) string {
	var out []string
	for _, f := range fs {
		out = append(out, f.Name+" "+f.Type.String())
	}
	return strings.Join(out, ", ")
}

func (p *printer) action(a *Action) {
	var ps []string
	for _, v := range a.Params {
		ps = append(ps, v.Name+" "+v.Type.String())
	}
	p.line("action %s%s (%s) {", a.Name, id(a.ID), strings.Join(ps, ", "))
	p.body(a.Body)
	p.line("}")
}

func (k KeySet) String() string {
	switch {
	case k.Any:
		return "_"
	case k.Range:
		return fmt.Sprintf("%#x..%#x", k.Value, k.Mask)
	}
	return fmt.Sprintf("%#x &&& %#x", k.Value, k.Mask)
}

func sets(ks []KeySet) string {
	var out []string
	for _, k := range ks {
		out = append(out, k.String())
	}
	return "(" + strings.Join(out, ", ") + ")"
}

func (c ActionCall) String() string {
	if c.Action == nil {
		return "<none>"
	}
	var out []string
	for _, a := range c.Args {
		out = append(out, fmt.Sprintf("%#x", a))
	}
	return c.Action.Name + "(" + strings.Join(out, ", ") + ")"
}

func (p *printer) table(t *Table) {
	p.line("table %s%s size %d {", t.Name, id(t.ID), t.Size)
	p.nest(func() {
		for _, k := range t.Keys {
			p.line("key %d %q %s : %s", k.ID, k.Name, ExprString(k.Expr), k.Match)
		}
		for _, a := range t.Actions {
			s := ""
			if a.DefaultOnly {
				s += " default only"
			}
			if a.TableOnly {
				s += " table only"
			}
			p.line("action %s%s", a.Action.Name, s)
		}
		c := ""
		if t.ConstDefault {
			c = "const "
		}
		p.line("%sdefault %s", c, t.Default)
		if t.Counter != nil {
			p.line("counter %s", t.Counter.Name)
		}
		if t.Indirect != nil {
			p.line("implementation %s", t.Indirect.Profile.Name)
		}
		if t.ValueSet != nil {
			p.line("value set%s", id(t.ValueSet.ID))
		}
		for _, e := range t.Entries {
			c, pr := "", ""
			if e.Const {
				c = "const "
			}
			if e.Priority != 0 {
				pr = fmt.Sprintf("priority %d ", e.Priority)
			}
			p.line("%sentry %s%s : %s", c, pr, sets(e.Keys), e.Action)
		}
	})
	p.line("}")
}

func (p *printer) gress(g *Gress) {
	p.line("%s {", g.Name)
	p.nest(func() {
		for _, h := range g.Headers {
			p.line("header %s %s (%d bytes) {%s}", h.Name, h.Type.Name, h.Type.Bytes(), fields(h.Type.Fields))
		}
		for _, v := range g.Vars {
			p.line("%s %s %s", [...]string{"field", "meta", "intrinsic", "local", "param", "value", "result"}[v.Kind], v.Name, v.Type)
		}
		if g.Parser != nil {
			for _, s := range g.Parser.States {
				p.state(s)
			}
		}
		p.line("control {")
		p.body(g.Control)
		p.line("}")
		p.line("deparser {")
		p.body(g.Deparser)
		p.line("}")
	})
	p.line("}")
}

func (t Target) String() string {
	if t.State != nil {
		return t.State.Name
	}
	return "accept"
}

func (p *printer) state(s *State) {
	p.line("state %s {", s.Name)
	p.body(s.Body)
	p.nest(func() {
		if s.Keys == nil {
			p.line("transition %s", s.Next)
			return
		}
		var ks []string
		for _, k := range s.Keys {
			ks = append(ks, ExprString(k))
		}
		p.line("select (%s)", strings.Join(ks, ", "))
		for _, c := range s.Cases {
			p.line("%s : %s", sets(c.Sets), c.Next)
		}
	})
	p.line("}")
}

func (p *printer) body(ss []Stmt) {
	p.nest(func() {
		for _, s := range ss {
			p.stmt(s)
		}
	})
}

func exprList(es []Expr) string {
	var out []string
	for _, e := range es {
		out = append(out, ExprString(e))
	}
	return strings.Join(out, ", ")
}

func varList(vs []*Var) string {
	var out []string
	for _, v := range vs {
		out = append(out, v.Name)
	}
	return strings.Join(out, ", ")
}

func (p *printer) stmt(s Stmt) {
	switch s := s.(type) {
	case *Assign:
		sl := ""
		if s.Slice {
			sl = fmt.Sprintf("[%d:%d]", s.Hi, s.Lo)
		}
		p.line("%s%s = %s", s.Dst.Name, sl, ExprString(s.Src))
	case *If:
		p.line("if %s {", ExprString(s.Cond))
		p.body(s.Then)
		if len(s.Else) > 0 {
			p.line("} else {")
			p.body(s.Else)
		}
		p.line("}")
	case *Block:
		var words []string
		if s.Callable {
			words = append(words, "call")
		} else {
			words = append(words, "block")
		}
		if s.Name != "" {
			words = append(words, s.Name)
		}
		if s.Atomic {
			words = append(words, "@atomic")
		}
		if s.UpdatesFirst {
			words = append(words, "@updates_first")
		}
		if s.OwnFunction {
			words = append(words, "@own_function")
		}
		p.line("%s {", strings.Join(words, " "))
		p.body(s.Body)
		p.line("}")
	case *Return:
		p.line("return")
	case *Exit:
		p.line("exit")
	case *Apply:
		p.apply(s)
	case *Call:
		p.line("%s(%s)", s.Action.Name, exprList(s.Args))
	default:
		p.line("%s", simple(s))
	}
}

func (p *printer) apply(s *Apply) {
	hit := ""
	if s.Hit != nil {
		hit = s.Hit.Name + " = "
	}
	if !s.Switch {
		p.line("%sapply %s", hit, s.Table.Name)
		return
	}
	p.line("%sswitch apply %s {", hit, s.Table.Name)
	for _, c := range s.Cases {
		var ns []string
		for _, a := range c.Actions {
			ns = append(ns, a.Name)
		}
		p.line("case %s:", strings.Join(ns, ", "))
		p.body(c.Body)
	}
	if s.Default != nil {
		p.line("default:")
		p.body(s.Default)
	}
	p.line("}")
}

// simple prints the statements that fit on a line.
func simple(s Stmt) string {
	switch s := s.(type) {
	case *SetValid:
		if s.Valid {
			return s.Header.Name + ".setValid()"
		}
		return s.Header.Name + ".setInvalid()"
	case *CopyHeader:
		return s.Dst.Name + " = header " + s.Src.Name
	case *Count:
		return fmt.Sprintf("count %s[%s]", s.Counter.Name, ExprString(s.Index))
	case *DirectCount:
		return "count " + s.Counter.Name
	case *MeterExec:
		dst := ""
		if s.Dst != nil {
			dst = s.Dst.Name + " = "
		}
		return fmt.Sprintf("%smeter %s[%s]", dst, s.Meter.Name, ExprString(s.Index))
	case *RegisterExec:
		dst := ""
		if s.Dst != nil {
			dst = s.Dst.Name + " = "
		}
		return fmt.Sprintf("%sexecute %s on %s[%s] %s", dst, s.Action.Name, s.Action.Register.Name, ExprString(s.Index), registerBody(s.Action))
	case *RegisterRead:
		return fmt.Sprintf("%s = read %s[%s]", varList(s.Dst), s.Register.Name, ExprString(s.Index))
	case *RegisterWrite:
		return fmt.Sprintf("write %s[%s] = %s", s.Register.Name, ExprString(s.Index), exprList(s.Src))
	case *HashGet:
		out := fmt.Sprintf("%s = hash %s (%s)", s.Dst.Name, s.Hash.Name, exprList(s.Inputs))
		if s.Max != nil {
			out += fmt.Sprintf(" base %s max %s", ExprString(s.Base), ExprString(s.Max))
		}
		return out
	case *RandomGet:
		return fmt.Sprintf("%s = random %s", s.Dst.Name, s.Name)
	case *DigestPack:
		return fmt.Sprintf("digest %s (%s)", s.Digest.Name, exprList(s.Fields))
	case *Extract:
		return "extract " + s.Header.Name
	case *Advance:
		return "advance " + ExprString(s.Bits)
	case *Lookahead:
		return varList(s.Dst) + " = lookahead"
	case *ChecksumAdd:
		verb := "add"
		if s.Subtract {
			verb = "subtract"
		}
		return fmt.Sprintf("checksum %s %s (%s)", s.Checksum.Name, verb, exprList(s.Inputs))
	case *ChecksumGet:
		return fmt.Sprintf("%s = checksum %s sum", s.Dst.Name, s.Checksum.Name)
	case *ChecksumVerify:
		return fmt.Sprintf("%s = checksum %s wrong", s.Dst.Name, s.Checksum.Name)
	case *ChecksumUpdate:
		out := fmt.Sprintf("%s = checksum %s of (%s)", s.Dst.Name, s.Checksum.Name, exprList(s.Inputs))
		if s.ZerosAsOnes {
			out += " zeros as ones"
		}
		return out
	case *Emit:
		return "emit " + s.Header.Name
	}
	return fmt.Sprintf("<%T>", s)
}

func registerBody(a *RegisterAction) string {
	p := &printer{}
	for _, s := range a.Body {
		p.stmt(s)
	}
	head := varList(a.Value)
	if a.Result != nil {
		head += " -> " + a.Result.Name
	}
	return "(" + head + ") { " + strings.Join(strings.Fields(p.b.String()), " ") + " }"
}
