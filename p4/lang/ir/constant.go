package ir

import "math/big"

// Constant is a const of the program, or a member of one of its enums. Both have been
// folded into the expressions that use them; they are kept for those who want the
// program's numbers by their names. What core.p4 and tna.p4 declare is not among them.
type Constant struct {
	Name string
	// TypeName is the typedef, type or enum that the constant is declared with, "" for
	// bit<W>, int<W>, int and bool.
	TypeName string
	Enum     bool // a member of the enum TypeName
	Type     Type // Width is 0 for an int without width
	Value    *big.Int
	Pos      Pos
}
