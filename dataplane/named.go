package dataplane

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// TableOf finds a table by the end of its name, which the program has.
func TableOf(p *ir.Program, name string) *ir.Table {
	return named(p.Tables, func(t *ir.Table) string { return t.Name }, name)
}

// RegisterOf finds a register by the end of its name, which the program has.
func RegisterOf(p *ir.Program, name string) *ir.Register {
	return named(p.Registers, func(r *ir.Register) string { return r.Name }, name)
}

// CounterOf finds a counter by the end of its name, which the program has.
func CounterOf(p *ir.Program, name string) *ir.Counter {
	return named(p.Counters, func(c *ir.Counter) string { return c.Name }, name)
}

func named[T any](all []T, of func(T) string, name string) T {
	for _, x := range all {
		if strings.HasSuffix(of(x), "."+name) {
			return x
		}
	}
	panic("nothing is called " + name)
}

// Bytes is a number of width bits, big-endian.
func Bytes(v uint64, width int) []byte {
	return new(big.Int).SetUint64(v).FillBytes(make([]byte, (width+7)/8))
}

// NewEntry builds an entry with exact keys (or one lpm key, when prefix > 0).
func NewEntry(p *ir.Program, tbl string, keys []uint64, prefix int, action string, args ...uint64) *Entry {
	t := TableOf(p, tbl)
	e := &Entry{Table: t}
	for i, k := range t.Keys {
		e.Matches = append(e.Matches, Match{Value: Bytes(keys[i], k.Width), PrefixLen: prefix})
	}
	for _, ref := range t.Actions {
		if !strings.HasSuffix(ref.Action.Name, "."+action) {
			continue
		}
		e.Action.Action = ref.Action
		if len(args) != len(ref.Action.Params) {
			panic(fmt.Sprintf("action %s takes %d arguments", action, len(ref.Action.Params)))
		}
		for i, p := range ref.Action.Params {
			e.Action.Args = append(e.Action.Args, Bytes(args[i], p.Type.Width))
		}
		return e
	}
	panic("table " + tbl + " has no action " + action)
}
