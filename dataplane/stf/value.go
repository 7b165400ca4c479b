package stf

import (
	"fmt"
	"math/big"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/entries"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// number reads a value without wildcards.
func number(s string) (*big.Int, error) { return entries.Number(s) }

// toBytes is a value in ceil(width/8) bytes.
func toBytes(v *big.Int, width int) ([]byte, error) {
	if err := entries.Fits(v, width); err != nil {
		return nil, err
	}
	return v.FillBytes(make([]byte, (width+7)/8)), nil
}

func ones(width int) *big.Int { return entries.Ones(width) }

var kinds = map[ir.MatchKind]entries.Kind{
	ir.Exact: entries.Exact, ir.LPM: entries.LPM, ir.Ternary: entries.Ternary, ir.Range: entries.Range, ir.Optional: entries.Optional,
}

// matchOf turns the text of a value into a match of a key.
func matchOf(k *ir.Key, s string) (dataplane.Match, error) {
	m, err := entries.ParseMatch(kinds[k.Match], k.Width, s, number)
	if err != nil {
		return dataplane.Match{}, err
	}
	return match(k, m)
}

// match is a match as targets have it. Bits of the value that do not matter are zero, as p4testgen sets some.
func match(k *ir.Key, m entries.Match) (out dataplane.Match, err error) {
	if out.Value, err = toBytes(new(big.Int).And(m.Value, m.Mask), k.Width); err != nil {
		return out, err
	}
	switch k.Match {
	case ir.Exact:
	case ir.LPM:
		out.PrefixLen = m.PrefixLen
	case ir.Range:
		out.Mask, err = toBytes(m.High, k.Width)
	default:
		out.Mask, err = toBytes(m.Mask, k.Width)
	}
	return out, err
}

// anyMatch is the match of a key that is not given.
func anyMatch(k *ir.Key) (dataplane.Match, error) {
	m, err := entries.Everything(kinds[k.Match], k.Width)
	if err != nil {
		return dataplane.Match{}, fmt.Errorf("the exact key %s is missing", k.Name)
	}
	return match(k, m)
}
