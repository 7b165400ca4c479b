package interp

import (
	"encoding/binary"
	"encoding/hex"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// This file builds small programs by hand, so that the interpreter is tested
// without the compiler in front of it.

func bigInt(v uint64) *big.Int { return new(big.Int).SetUint64(v) }

func lit(width int, v uint64) *ir.Const { return &ir.Const{T: ir.BitType(width), Value: bigInt(v)} }

func ref(v *ir.Var) ir.Expr { return &ir.Ref{Var: v} }

func bin(op ir.Op, x, y ir.Expr) ir.Expr {
	t := x.Type()
	switch op {
	case ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt, ir.Ge, ir.LAnd, ir.LOr:
		t = ir.BoolType
	case ir.Concat:
		t = ir.BitType(x.Type().Width + y.Type().Width)
	}
	return &ir.Binary{Op: op, T: t, X: x, Y: y}
}

func set(dst *ir.Var, src ir.Expr) ir.Stmt { return &ir.Assign{Dst: dst, Src: src} }

// gressBuilder collects the storage of a gress.
type gressBuilder struct{ *ir.Gress }

func newGress(name string) *gressBuilder {
	return &gressBuilder{&ir.Gress{Name: name, Parser: &ir.Parser{States: []*ir.State{{
		Name: "start", Next: ir.Target{},
	}}}}}
}

func (g *gressBuilder) v(name string, width int, kind ir.VarKind) *ir.Var {
	if v := g.Var(name); v != nil {
		return v
	}
	v := &ir.Var{Name: name, Type: ir.BitType(width), Kind: kind}
	g.Vars = append(g.Vars, v)
	return v
}

func (g *gressBuilder) intr(name string) *ir.Var {
	w := map[string]int{
		ir.IntrIngressPort: 9, ir.IntrUcastPort: 9, ir.IntrEgressPort: 9, ir.IntrMcastA: 16, ir.IntrEgressRid: 16,
		ir.IntrDropIn: 3, ir.IntrDropEg: 3, ir.IntrParserErr: 16, ir.IntrEgrErr: 16, ir.IntrPktLength: 16,
		ir.IntrBypassEgr: 1, ir.IntrPrsrTstamp: 48, ir.IntrDigestType: 3,
	}[name]
	return g.v(name, w, ir.Intrinsic)
}

// header declares a header instance; fields are "name:width".
func (g *gressBuilder) header(name string, fields ...string) *ir.HeaderInst {
	h := &ir.HeaderInst{Name: name, Type: &ir.HeaderType{Name: name + "_h"}, Index: len(g.Headers)}
	off := 0
	for _, f := range fields {
		n, w, _ := strings.Cut(f, ":")
		width := int(must(new(big.Int).SetString(w, 10)).Int64())
		h.Type.Fields = append(h.Type.Fields, ir.FieldType{Name: n, Type: ir.BitType(width)})
		h.Fields = append(h.Fields, &ir.Var{
			Name: name + "." + n, Type: ir.BitType(width), Kind: ir.Field, Header: h, Offset: off,
		})
		off += width
	}
	g.Headers = append(g.Headers, h)
	return h
}

func must[T any](v T, ok bool) T {
	if !ok {
		panic("bad test data")
	}
	return v
}

// extract makes the parser extract headers one after the other.
func (g *gressBuilder) extract(hs ...*ir.HeaderInst) {
	for _, h := range hs {
		g.Parser.States[0].Body = append(g.Parser.States[0].Body, &ir.Extract{Header: h})
	}
}

func (g *gressBuilder) emit(hs ...*ir.HeaderInst) {
	for _, h := range hs {
		g.Deparser = append(g.Deparser, &ir.Emit{Header: h})
	}
}

func (g *gressBuilder) do(s ...ir.Stmt) { g.Control = append(g.Control, s...) }

func program(in, eg *gressBuilder) *ir.Program {
	return &ir.Program{Name: "test", Pipe: "pipe", Ingress: in.Gress, Egress: eg.Gress}
}

// load starts a program in a target with a clock that stands still.
func load(t *testing.T, p *ir.Program) *Target {
	t.Helper()
	tg := New(Options{Clock: func() uint64 { return 0x123456789abc }})
	t.Cleanup(func() { require.NoError(t, tg.Close()) })
	require.NoError(t, tg.Load(&dataplane.Pipeline{Program: p}))
	return tg
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		panic(err)
	}
	return b
}

// inject runs a frame and returns what comes out as "port:hex" strings.
func inject(t *testing.T, tg *Target, port dataplane.Port, frame string) []string {
	t.Helper()
	outs, err := tg.Inject(port, unhex(frame))
	require.NoError(t, err)
	var s []string
	for _, o := range outs {
		s = append(s, big.NewInt(int64(o.Port)).String()+":"+hex.EncodeToString(o.Frame))
	}
	return s
}

func be(width int, v uint64) []byte {
	b := binary.BigEndian.AppendUint64(nil, v)
	return b[8-(width+7)/8:]
}
