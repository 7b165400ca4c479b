package spec

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/p4ce/p4ce/p4/lang/syntax"
	"github.com/p4ce/p4ce/p4/lang/types"
)

// ErrUndefined is the error of a packet for which the specification says nothing: what the
// program does with it depends on a value that is undefined.
var ErrUndefined = errors.New("what becomes of this packet is undefined")

// unsupportedError leaves the evaluation by panic.
type unsupportedError struct{ error }

func undefined() { panic(ErrUndefined) }

func unsupported(format string, args ...any) {
	panic(unsupportedError{fmt.Errorf("not evaluated: "+format, args...)})
}

func caught(err *error) {
	switch r := recover().(type) {
	case nil:
	case unsupportedError:
		*err = r.error
	case error:
		if r != ErrUndefined {
			panic(r)
		}
		*err = r
	default:
		panic(r)
	}
}

// Machine evaluates the ingress of a program.
type Machine struct {
	// Hits are lookups of tables that found an entry, Contested those that several entries matched.
	Hits, Contested int

	info     *types.Info
	parser   *types.Parser
	top      *instance
	deparser *instance

	pkt      *packet
	exited   bool       // by exit
	result   types.Type // of the function that runs
	returned *cell
}

// packet is a packet that is parsed and written: bits, one a byte, and which are defined.
type packet struct {
	in     []byte
	cursor int
	out    []byte
	known  []bool
}

// New makes a machine for a program that has been checked (lang.Check).
func New(info *types.Info) (m *Machine, err error) {
	defer caught(&err)
	m = &Machine{info: info}
	if info.Main == nil || len(info.Main.Args) == 0 {
		unsupported("a program without main")
	}
	pipe := m.instanceOf(info.Main.Args[0])
	p, ok1 := m.instanceOf(pipe.Args[0]).Type.(*types.Parser)
	c, ok2 := m.instanceOf(pipe.Args[1]).Type.(*types.Control)
	d, ok3 := m.instanceOf(pipe.Args[2]).Type.(*types.Control)
	if !ok1 || !ok2 || !ok3 {
		unsupported("this pipeline")
	}
	m.parser, m.top, m.deparser = p, m.instantiate(c), m.instantiate(d)
	return m, nil
}

func (m *Machine) instanceOf(e syntax.Expr) *types.Instance {
	switch e := e.(type) {
	case *syntax.NameExpr:
		if i, ok := m.info.Uses[e].(*types.Instance); ok {
			return i
		}
	case *syntax.Call:
		if c := m.info.Calls[e]; c != nil && c.Instance != nil {
			return c.Instance
		}
	}
	unsupported("%s: this argument of a package", e.Pos())
	return nil
}

// Result is what becomes of a packet.
type Result struct {
	Dropped bool
	Port    uint16
	Frame   []byte
	// Defined has a bit for each of Frame: those that the specification defines.
	Defined []byte
}

// Inject evaluates the ingress for a frame from a port. The error is ErrUndefined, or names
// what is not evaluated.
func (m *Machine) Inject(port uint16, data []byte) (r Result, err error) {
	defer caught(&err)
	m.exited, m.returned, m.result = false, nil, nil
	m.pkt = &packet{}
	roots := map[string]*cell{} // by the place of the parameter
	ps := m.parser.Params
	f := (&frame{}).child()
	for i, role := range []string{"", "hdr", "md", "intr"} {
		if role != "" {
			roots[role] = newCell(ps[i].Type)
			f.m[ps[i].Var] = roots[role]
		}
	}
	// TNA: the intrinsic metadata and 64 bits of port metadata come in front of the frame.
	intr := newCell(ps[3].Type)
	for i, n := range intr.names {
		v := new(big.Int)
		if n == "ingress_port" {
			v.SetUint64(uint64(port))
		}
		w, _ := width(intr.parts[i].t)
		m.pkt.in = appendBits(m.pkt.in, v, w)
	}
	m.pkt.in = append(m.pkt.in, make([]byte, 64)...)
	for _, b := range data {
		m.pkt.in = appendBits(m.pkt.in, big.NewInt(int64(b)), 8)
	}
	if !m.parse(f) {
		return Result{Dropped: true}, nil
	}
	cp := m.top.c.Params
	f = (&frame{}).child()
	var tm, dprsr *cell
	for i, p := range cp {
		c := newCell(p.Type)
		switch i {
		case 0:
			c = roots["hdr"]
		case 1:
			c = roots["md"]
		case 2:
			c = roots["intr"]
		case 4:
			dprsr = c
			clearAll(c)
		case 5:
			tm = c
			clearAll(c)
			c.field("ucast_egress_port").n = nil
		}
		f.m[p.Var] = c
	}
	m.control(f, m.top)
	m.exited = false
	dp := m.deparser.c.Params
	f = (&frame{}).child()
	for i, c := range []*cell{nil, roots["hdr"], roots["md"], dprsr} {
		if c != nil && i < len(dp) {
			f.m[dp[i].Var] = c
		}
	}
	m.control(f, m.deparser)
	drop, to := dprsr.field("drop_ctl"), tm.field("ucast_egress_port")
	if drop.n == nil || to.n == nil {
		undefined()
	}
	if drop.n.Bit(0) == 1 {
		return Result{Dropped: true}, nil
	}
	for _, b := range m.pkt.in[(m.pkt.cursor+7)/8*8:] {
		m.pkt.out, m.pkt.known = append(m.pkt.out, b), append(m.pkt.known, true)
	}
	r = Result{Port: uint16(to.n.Uint64()), Frame: make([]byte, len(m.pkt.out)/8), Defined: make([]byte, len(m.pkt.out)/8)}
	for i, b := range m.pkt.out {
		r.Frame[i/8] |= b << (7 - i%8)
		if m.pkt.known[i] {
			r.Defined[i/8] |= 1 << (7 - i%8)
		}
	}
	return r, nil
}

// clearAll makes a structure zero, as TNA has its intrinsic metadata.
func clearAll(c *cell) {
	if c.header {
		c.valid = true
	}
	if c.scalar {
		c.n = new(big.Int)
	}
	for _, p := range c.parts {
		clearAll(p)
	}
}

func appendBits(out []byte, v *big.Int, w int) []byte {
	for i := w - 1; i >= 0; i-- {
		out = append(out, byte(v.Bit(i)))
	}
	return out
}

// parse runs the parser; false: the packet is rejected.
func (m *Machine) parse(f *frame) (ok bool) {
	defer func() {
		if r := recover(); r == errRejected {
			ok = false
		} else if r != nil {
			panic(r)
		}
	}()
	for _, d := range m.parser.Decl.Locals {
		m.declare(f, d)
	}
	name := "start"
	for {
		var s *syntax.State
		for _, x := range m.parser.Decl.States {
			if x.Name.Name == name {
				s = x
			}
		}
		in := f.child()
		for _, st := range s.Stmts {
			m.stmt(in, st)
		}
		t := s.Transition
		switch {
		case t == nil:
			unsupported("a state without a transition")
		case t.Next != nil:
			name = t.Next.Name
		default:
			name = m.choose(in, t)
		}
		switch name {
		case "accept":
			return true
		case "reject":
			unsupported("reject, which the chip does not have")
		}
	}
}

var errRejected = errors.New("rejected")

func (m *Machine) choose(f *frame, t *syntax.Transition) string {
	var keys []*cell
	for _, k := range t.Keys {
		keys = append(keys, m.eval(f, k))
	}
	for _, c := range t.Cases {
		sets := []syntax.Expr{c.Set}
		if l, ok := c.Set.(*syntax.List); ok {
			sets = l.Elems
		} else if _, ok := c.Set.(*syntax.Default); ok {
			return c.Next.Name
		}
		all := true
		for i, s := range sets {
			ok, _ := m.covers(keys[i], s)
			all = all && ok
		}
		if all {
			return c.Next.Name
		}
	}
	panic(errRejected) // no case matches
}

func (m *Machine) packetMethod(f *frame, e *syntax.Call, c *types.Call) *cell {
	p := m.pkt
	take := func(c *cell, at int) int { return p.take(c, at) }
	switch c.Func.Name {
	case "extract":
		h := m.place(f, c.Args[0]).c
		h.valid = true
		p.cursor = take(h, p.cursor)
	case "lookahead":
		v := newCell(m.info.Types[e])
		take(v, p.cursor)
		return v
	case "advance":
		n := m.eval(f, c.Args[0])
		if n.n == nil {
			undefined()
		}
		if p.cursor += int(n.n.Int64()); p.cursor > len(p.in) {
			panic(errRejected)
		}
	case "emit":
		p.emit(m.place(f, c.Args[0]).c)
	default:
		unsupported("%s: %s of a packet", e.Pos(), c.Func.Name)
	}
	return nil
}

// take reads a value at a place of the packet, and returns where it ends.
func (p *packet) take(c *cell, at int) int {
	if !c.scalar {
		w, _ := types.Width(c.t)
		if at+w > len(p.in) {
			panic(errRejected)
		}
		for _, x := range c.parts {
			at = p.take(x, at)
		}
		return at
	}
	w, _ := width(c.t)
	if at+w > len(p.in) {
		panic(errRejected)
	}
	n := new(big.Int)
	for _, b := range p.in[at : at+w] {
		n.Lsh(n, 1)
		n.SetBit(n, 0, uint(b))
	}
	c.n = wrap(c.t, n)
	return at + w
}

// emit writes the headers of a value that are valid.
func (p *packet) emit(c *cell) {
	if c.header && !c.valid {
		return
	}
	if !c.scalar {
		for _, x := range c.parts {
			p.emit(x)
		}
		return
	}
	w, _ := width(c.t)
	n := new(big.Int)
	if c.n != nil {
		n = c.bits()
	}
	p.out = appendBits(p.out, n, w)
	for range w {
		p.known = append(p.known, c.n != nil)
	}
}
