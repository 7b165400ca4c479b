package ir_test

import (
	"math/big"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// all is one statement of every kind.
var all = []ir.Stmt{
	&ir.Assign{}, &ir.If{}, &ir.Block{}, &ir.Return{}, &ir.Exit{}, &ir.Apply{Table: &ir.Table{}}, &ir.Call{}, &ir.SetValid{},
	&ir.CopyHeader{}, &ir.Count{}, &ir.DirectCount{}, &ir.RegisterExec{}, &ir.RegisterRead{}, &ir.RegisterWrite{},
	&ir.HashGet{}, &ir.RandomGet{}, &ir.DigestPack{}, &ir.Extract{}, &ir.Advance{}, &ir.Lookahead{}, &ir.ChecksumAdd{},
	&ir.ChecksumVerify{}, &ir.ChecksumGet{}, &ir.ChecksumUpdate{}, &ir.Emit{},
}

// TestWalk fills every statement with expressions, variables and statements of its own,
// and sees that each is found, once.
func TestWalk(t *testing.T) {
	var (
		exprs = reflect.TypeFor[ir.Expr]()
		vars  = reflect.TypeFor[*ir.Var]()
		stmts = reflect.TypeFor[[]ir.Stmt]()
	)
	for _, s := range all {
		t.Run(reflect.TypeOf(s).String(), func(t *testing.T) {
			v := reflect.ValueOf(s).Elem()
			var reads []ir.Expr
			var writes []*ir.Var
			inner := []ir.Stmt{s}
			expr := func() ir.Expr {
				e := &ir.Const{T: ir.BoolType, Value: big.NewInt(int64(len(reads)))}
				reads = append(reads, e)
				return e
			}
			variable := func() *ir.Var {
				writes = append(writes, &ir.Var{})
				return writes[len(writes)-1]
			}
			list := func() []ir.Stmt {
				inner = append(inner, &ir.Exit{})
				return inner[len(inner)-1:]
			}
			for i := range v.NumField() {
				switch f := v.Field(i); f.Type() {
				case exprs:
					f.Set(reflect.ValueOf(expr()))
				case reflect.SliceOf(exprs):
					f.Set(reflect.ValueOf([]ir.Expr{expr(), expr()}))
				case vars:
					f.Set(reflect.ValueOf(variable()))
				case reflect.SliceOf(vars):
					f.Set(reflect.ValueOf([]*ir.Var{variable(), variable()}))
				case stmts:
					f.Set(reflect.ValueOf(list()))
				case reflect.TypeFor[[]ir.ActionCase]():
					f.Set(reflect.ValueOf([]ir.ActionCase{{Body: list()}}))
				case reflect.TypeFor[ir.Pos]():
					f.Set(reflect.ValueOf(ir.Pos{Line: 7}))
				}
			}
			var gotReads []ir.Expr
			ir.Reads(s, func(e ir.Expr) { gotReads = append(gotReads, e) })
			require.ElementsMatch(t, reads, gotReads)
			found := 0
			ir.Writes(s, func(v *ir.Var) {
				for _, w := range writes {
					if v == w {
						found++
					}
				}
			})
			require.Equal(t, len(writes), found)
			var walked []ir.Stmt
			ir.Walk([]ir.Stmt{s}, func(s ir.Stmt) bool { walked = append(walked, s); return true })
			require.Len(t, walked, len(inner))
			require.Equal(t, 7, s.At().Line)
		})
	}
}
