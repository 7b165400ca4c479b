package types

import (
	"fmt"
	"math/big"
)

// Value is a compile-time value: *big.Int, BoolValue, StringValue, *EnumValue,
// ErrorValue or ListValue.
type Value interface{ value() }

type (
	// IntValue is the value of an integer, of whatever type.
	IntValue struct{ V *big.Int }
	// BoolValue is true or false.
	BoolValue bool
	// StringValue is a string.
	StringValue string
	// EnumValue is a member of an enum; V is its representation, or its index
	// when it has none.
	EnumValue struct {
		Enum *Enum
		Name string
		V    *big.Int
	}
	// ErrorValue is a member of error; V is its index.
	ErrorValue struct {
		Name string
		V    *big.Int
	}
	// ListValue is a structure, tuple or list.
	ListValue []Value
)

func (IntValue) value()    {}
func (BoolValue) value()   {}
func (StringValue) value() {}
func (*EnumValue) value()  {}
func (ErrorValue) value()  {}
func (ListValue) value()   {}

// IntOf is the number that represents a scalar value.
func IntOf(v Value) (*big.Int, bool) {
	switch v := v.(type) {
	case IntValue:
		return v.V, true
	case BoolValue:
		if v {
			return big.NewInt(1), true
		}
		return new(big.Int), true
	case *EnumValue:
		return v.V, true
	case ErrorValue:
		return v.V, true
	}
	return nil, false
}

// mkInt returns an integer value.
func mkInt(n int64) Value { return IntValue{big.NewInt(n)} }

// fits tells whether v is in the range of t.
func fits(v *big.Int, t *Bits) bool {
	if t.Signed {
		lim := new(big.Int).Lsh(big.NewInt(1), uint(t.Width-1))
		return v.Cmp(lim) < 0 && v.Cmp(new(big.Int).Neg(lim)) >= 0
	}
	return v.Sign() >= 0 && v.BitLen() <= t.Width
}

// Wrap reduces v to the range of t, modulo 2^Width.
func Wrap(v *big.Int, t *Bits) *big.Int {
	m := new(big.Int).Lsh(big.NewInt(1), uint(t.Width))
	r := new(big.Int).Mod(v, m) // Mod is never negative
	if t.Signed && r.Bit(t.Width-1) == 1 {
		r.Sub(r, m)
	}
	return r
}

// Saturate limits v to the range of t.
func Saturate(v *big.Int, t *Bits) *big.Int {
	lo, hi := new(big.Int), new(big.Int)
	one := big.NewInt(1)
	if t.Signed {
		hi.Sub(hi.Lsh(one, uint(t.Width-1)), one)
		lo.Sub(lo.Neg(hi), one)
	} else {
		hi.Sub(hi.Lsh(one, uint(t.Width)), one)
	}
	switch {
	case v.Cmp(lo) < 0:
		return lo
	case v.Cmp(hi) > 0:
		return hi
	}
	return v
}

func valueString(v Value) string {
	switch v := v.(type) {
	case IntValue:
		return v.V.String()
	case BoolValue:
		return fmt.Sprint(bool(v))
	case StringValue:
		return fmt.Sprintf("%q", string(v))
	case *EnumValue:
		return v.Enum.Name + "." + v.Name
	case ErrorValue:
		return "error." + v.Name
	}
	return "a structure"
}

// Deferred is a value that is known when a control or parser is instantiated:
// it depends on a constructor parameter. See Eval.
type Deferred struct{}

func (Deferred) value() {}
