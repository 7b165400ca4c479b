package ir

import (
	"fmt"
	"math/big"
)

// Kind distinguishes the scalar types.
type Kind uint8

const (
	Bit  Kind = iota // bit<W>: unsigned
	Int              // int<W>: two's complement
	Bool             // bool: width 1, values 0 and 1
)

// Type is the type of a scalar value. Enum, error, typedef and `type` values
// have been reduced to the bit<W> that represents them.
type Type struct {
	Kind  Kind
	Width int // in bits, >= 1
}

// BitType returns bit<w>.
func BitType(w int) Type { return Type{Bit, w} }

// BoolType is the type of conditions.
var BoolType = Type{Bool, 1}

// Signed reports whether comparisons, division and right shift are signed.
func (t Type) Signed() bool { return t.Kind == Int }

// Bytes is the number of bytes that hold a value of the type.
func (t Type) Bytes() int { return (t.Width + 7) / 8 }

func (t Type) String() string {
	switch t.Kind {
	case Int:
		return fmt.Sprintf("int<%d>", t.Width)
	case Bool:
		return "bool"
	}
	return fmt.Sprintf("bit<%d>", t.Width)
}

// Pos is a place in a source file, as the user knows it (before preprocessing).
// Line and Col count from 1; the zero Pos is "nowhere".
type Pos struct {
	File string
	Line int
	Col  int
}

func (p Pos) String() string {
	if p.Line == 0 {
		return "-"
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// VarKind says where a variable lives and who may write it.
type VarKind uint8

const (
	Field     VarKind = iota // a field of a header instance
	Meta                     // a field of the user's metadata struct
	Intrinsic                // a field of an intrinsic metadata struct (Intr* names)
	Local                    // a local variable or a temporary of the compiler
	Param                    // an action parameter: action data, or an argument of a direct call
	RegValue                 // inside a RegisterAction: a field of the register's element
	RegResult                // inside a RegisterAction: the result
)

// Var is a scalar variable. Two references to one variable share one *Var.
type Var struct {
	Name   string // canonical dotted name, unique within its gress (Param, RegValue: within their owner)
	Type   Type
	Kind   VarKind
	Header *HeaderInst // Field only: the header instance
	Offset int         // Field only: offset in bits from the start of the header
	Pos    Pos
}

func (v *Var) String() string { return v.Name }

// HeaderType is a header declaration. Its size is a whole number of bytes.
type HeaderType struct {
	Name   string
	Fields []FieldType
	// Controller is "packet_in" or "packet_out" when the type is annotated
	// @controller_header, else "".
	Controller  string
	ID          uint32 // of @id with the prefix byte, 0 when absent
	Annotations []Annotation
	Pos         Pos
}

// Bytes is the size of a header of this type.
func (h *HeaderType) Bytes() int {
	n := 0
	for _, f := range h.Fields {
		n += f.Type.Width
	}
	return n / 8
}

// FieldType is one field of a header, digest or register element.
type FieldType struct {
	Name        string
	Type        Type
	ID          uint32 // of @id, 0 when absent
	Annotations []Annotation
}

// HeaderInst is a header of a gress: "hdr.ip".
type HeaderInst struct {
	Name   string
	Type   *HeaderType
	Fields []*Var // in declaration order
	Index  int    // position in Gress.Headers
	// Kept: what is written to the header while it is invalid stays, and is there once it is
	// valid. Set where the program may do so, and makes the header valid. Fields of another header
	// are zero while it is invalid, whatever is written to them.
	Kept bool
}

func (h *HeaderInst) String() string { return h.Name }

// Field returns the field with the given name, or nil.
func (h *HeaderInst) Field(name string) *Var {
	for i, f := range h.Type.Fields {
		if f.Name == name {
			return h.Fields[i]
		}
	}
	return nil
}

// Annotation is an annotation that p4info or a back end may want: @name, @id,
// @brief, @description, and any other, with its arguments as text.
type Annotation struct {
	Name       string
	Body       string // tokens between the brackets, separated by single spaces; "" when there are none
	Structured bool   // @name[…] rather than @name(…)
}

// Expr is a side-effect free expression.
type Expr interface {
	Type() Type
	isExpr()
}

type (
	// Const is a literal or a folded constant. Value is in [0, 2^W): for
	// int<W> it is the two's complement bit pattern.
	// Const is a number. Name is that of the program's constant which stands there, if one does.
	Const struct {
		T     Type
		Value *big.Int
		Name  string
	}
	// Ref reads a variable.
	Ref struct{ Var *Var }
	// IsValid is h.isValid().
	IsValid struct{ Header *HeaderInst }
	// Unary applies Neg, Com or Not.
	Unary struct {
		Op Op
		X  Expr
	}
	// Binary applies an operator. Operands have the same type, but for
	// shifts (Y is unsigned, any width) and Concat. Comparisons and logical
	// operators have type bool. LAnd and LOr evaluate Y only when needed,
	// which nobody can observe.
	Binary struct {
		Op   Op
		T    Type
		X, Y Expr
		Pos  Pos
	}
	// Cast converts: bit<->int of one width keep the bits; widening extends
	// by zero (bit) or sign (int operand); narrowing truncates; bool<->bit<1>.
	Cast struct {
		T Type
		X Expr
	}
	// Slice is X[Hi:Lo], unsigned.
	Slice struct {
		X      Expr
		Hi, Lo int
	}
	// Mux is Cond ? X : Y.
	Mux struct{ Cond, X, Y Expr }
	// Cell is, in the action of a table with direct meters or registers, the number of the entry's cell, which the entry has from its
	// insertion to its deletion: from 1; 0 for the default action. In the action of another table it is NoCell.
	Cell struct{}
)

// Op is a unary or binary operator.
type Op uint8

const (
	Add Op = iota
	Sub
	AddSat // |+|
	SubSat // |-|
	Mul
	Div
	Mod
	Shl
	Shr
	And
	Or
	Xor
	Concat // ++, X is the more significant part
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	LAnd
	LOr
	Neg // -x
	Com // ~x
	Not // !x
)

var opNames = [...]string{
	Add: "+", Sub: "-", AddSat: "|+|", SubSat: "|-|", Mul: "*", Div: "/", Mod: "%",
	Shl: "<<", Shr: ">>", And: "&", Or: "|", Xor: "^", Concat: "++",
	Eq: "==", Ne: "!=", Lt: "<", Le: "<=", Gt: ">", Ge: ">=", LAnd: "&&", LOr: "||",
	Neg: "-", Com: "~", Not: "!",
}

func (o Op) String() string { return opNames[o] }

func (e *Const) Type() Type   { return e.T }
func (e *Ref) Type() Type     { return e.Var.Type }
func (e *IsValid) Type() Type { return BoolType }
func (e *Unary) Type() Type   { return e.X.Type() }
func (e *Binary) Type() Type  { return e.T }
func (e *Cast) Type() Type    { return e.T }
func (e *Slice) Type() Type   { return BitType(e.Hi - e.Lo + 1) }
func (e *Mux) Type() Type     { return e.X.Type() }
func (e *Cell) Type() Type    { return BitType(32) }

func (*Const) isExpr()   {}
func (*Ref) isExpr()     {}
func (*IsValid) isExpr() {}
func (*Unary) isExpr()   {}
func (*Binary) isExpr()  {}
func (*Cast) isExpr()    {}
func (*Slice) isExpr()   {}
func (*Mux) isExpr()     {}
func (*Cell) isExpr()    {}

// NoCell is no cell's number.
const NoCell = 1<<32 - 1
