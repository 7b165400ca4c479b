package syntax

import (
	"strings"

	"github.com/p4ce/p4ce/p4/lang/diag"
)

// Node is any node of the syntax tree.
type Node interface{ Pos() diag.Pos }

// node carries the position of what embeds it.
type node struct{ At diag.Pos }

// Pos is where the node begins, or the operator of a binary expression.
func (n *node) Pos() diag.Pos { return n.At }

// Program is a whole compilation unit after preprocessing.
type Program struct {
	Decls []Decl
}

// Ident is a name at a place.
type Ident struct {
	Name string
	At   diag.Pos
}

// Pos is where the name stands.
func (i *Ident) Pos() diag.Pos { return i.At }

// Annotation is @name, @name(tokens), @name[key=value] or @pragma text.
type Annotation struct {
	node
	Name       string
	Tokens     []Token // between the brackets
	Structured bool    // [..] rather than (..)
	HasBody    bool
}

// Body is the tokens between the brackets, separated by single spaces as the
// public compiler writes them.
func (a *Annotation) Body() string {
	s := make([]string, len(a.Tokens))
	for i, t := range a.Tokens {
		s[i] = t.source()
	}
	return strings.Join(s, " ")
}

// Annotations is the list in front of a declaration.
type Annotations []*Annotation

// Find returns the first annotation with a name, or nil.
func (as Annotations) Find(name string) *Annotation {
	for _, a := range as {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// Types.

// TypeNode is a type as written.
type TypeNode interface {
	Node
	typeNode()
}

type (
	// BaseType is bool, error, string, match_kind, void, int, bit<W>, int<W>
	// or varbit<W>; Width is nil for those without one.
	BaseType struct {
		node
		Kind  Kind // KwBool, KwError, KwString, KwMatchKind, KwVoid, KwInt, KwBit, KwVarbit
		Width Expr
	}
	// NamedType is a name with type arguments.
	NamedType struct {
		node
		Name   string
		Global bool // written with a leading dot
		Args   []TypeNode
	}
	// StackType is Elem[Size].
	StackType struct {
		node
		Elem TypeNode
		Size Expr
	}
	// TupleType is tuple<…>.
	TupleType struct {
		node
		Args []TypeNode
	}
	// DontCareType is _ as a type argument.
	DontCareType struct{ node }
)

func (*BaseType) typeNode()     {}
func (*NamedType) typeNode()    {}
func (*StackType) typeNode()    {}
func (*TupleType) typeNode()    {}
func (*DontCareType) typeNode() {}

// Expressions.

// Expr is an expression.
type Expr interface {
	Node
	exprNode()
}

type (
	// NameExpr is a reference to a value, or to a function or constructor.
	NameExpr struct {
		node
		Name   string
		Global bool
	}
	// TypeExpr is a type where an expression stands: E.member, error.X, or
	// the callee of a constructor.
	TypeExpr struct {
		node
		Type TypeNode
	}
	// NumberLit is an integer.
	NumberLit struct {
		node
		Lit  Literal
		Text string
	}
	// BoolLit is true or false.
	BoolLit struct {
		node
		Value bool
	}
	// StringLit is a string.
	StringLit struct {
		node
		Value string
	}
	// Member is X.Sel.
	Member struct {
		node
		X   Expr
		Sel *Ident
	}
	// Index is X[I].
	Index struct {
		node
		X, I Expr
	}
	// Slice is X[Hi:Lo], or X[Lo +: Width] when Width is not nil; then Hi is Lo + Width - 1.
	Slice struct {
		node
		X, Hi, Lo Expr
		Width     Expr
	}
	// Call is Fun<TypeArgs>(Args); a constructor call has a TypeExpr as Fun.
	Call struct {
		node
		Fun      Expr
		TypeArgs []TypeNode
		Args     []*Arg
		End      diag.Pos // of the closing parenthesis
	}
	// Unary is Op X.
	Unary struct {
		node
		Op Kind // Not, Tilde, Minus, Plus
		X  Expr
	}
	// Binary is X Op Y. Its position is that of the operator. Mask and DotDot
	// appear only in sets of values.
	Binary struct {
		node
		Op   Kind // a ">>" has Op Shr
		X, Y Expr
	}
	// Ternary is Cond ? X : Y.
	Ternary struct {
		node
		Cond, X, Y Expr
	}
	// Cast is (Type) X.
	Cast struct {
		node
		Type TypeNode
		X    Expr
	}
	// List is {a, b} or, as a set of values, (a, b).
	List struct {
		node
		Elems []Expr
		Paren bool
	}
	// Struct is {a = x, b = y}.
	Struct struct {
		node
		Fields []*Arg
	}
	// Default is default, _ or ... as a set of values.
	Default struct{ node }
	// InvalidHeader is {#}.
	InvalidHeader struct{ node }
	// This is the keyword this.
	This struct{ node }
	// Bad stands for an expression with a syntax error.
	Bad struct{ node }
)

// Shr is the operator ">>", which the scanner leaves as two tokens because of
// type arguments.
const Shr Kind = 255

func (*NameExpr) exprNode()      {}
func (*TypeExpr) exprNode()      {}
func (*NumberLit) exprNode()     {}
func (*BoolLit) exprNode()       {}
func (*StringLit) exprNode()     {}
func (*Member) exprNode()        {}
func (*Index) exprNode()         {}
func (*Slice) exprNode()         {}
func (*Call) exprNode()          {}
func (*Unary) exprNode()         {}
func (*Binary) exprNode()        {}
func (*Ternary) exprNode()       {}
func (*Cast) exprNode()          {}
func (*List) exprNode()          {}
func (*Struct) exprNode()        {}
func (*Default) exprNode()       {}
func (*InvalidHeader) exprNode() {}
func (*This) exprNode()          {}
func (*Bad) exprNode()           {}

// Arg is an argument, with its parameter's name when it is given.
type Arg struct {
	Name  *Ident // nil when positional
	Value Expr   // a Default for _
}

// Statements.

// Stmt is a statement; declarations in a block are statements as well.
type Stmt interface {
	Node
	stmtNode()
}

type (
	// Block is { … }.
	Block struct {
		node
		Annots Annotations
		Stmts  []Stmt
		End    diag.Pos
	}
	// AssignStmt is LHS = RHS.
	AssignStmt struct {
		node
		LHS, RHS Expr
	}
	// CallStmt is a call as a statement.
	CallStmt struct {
		node
		Call *Call
	}
	// If is if (Cond) Then else Else; Else is nil when absent.
	If struct {
		node
		Cond       Expr
		Then, Else Stmt
	}
	// Switch is switch (X) { cases }.
	Switch struct {
		node
		X     Expr
		Cases []*SwitchCase
	}
	// Return is return X; X is nil when there is none.
	Return struct {
		node
		X Expr
	}
	// For is for (Init; Cond; Update) Body, or with In: for (Var in In) Body, where In may be a range.
	For struct {
		node
		Init   []Stmt
		Cond   Expr
		Update []Stmt
		Var    Stmt // a declaration
		In     Expr
		Body   Stmt
	}
	// Break is break, or continue.
	Break struct {
		node
		Continue bool
	}
	// Exit is exit.
	Exit struct{ node }
	// Empty is a lone semicolon.
	Empty struct{ node }
	// DeclStmt is a declaration of a constant, variable or instance.
	DeclStmt struct {
		node
		Decl Decl
	}
)

func (*Block) stmtNode()      {}
func (*AssignStmt) stmtNode() {}
func (*CallStmt) stmtNode()   {}
func (*If) stmtNode()         {}
func (*Switch) stmtNode()     {}
func (*Return) stmtNode()     {}
func (*Exit) stmtNode()       {}
func (*For) stmtNode()        {}
func (*Break) stmtNode()      {}
func (*Empty) stmtNode()      {}
func (*DeclStmt) stmtNode()   {}

// SwitchCase is one label with its block; Body is nil when the label falls
// through to the next one.
type SwitchCase struct {
	node
	Label Expr // Default for default
	Body  *Block
}

// Declarations.

// Decl is a declaration.
type Decl interface {
	Node
	DeclName() *Ident
	Annotations() Annotations
	declNode()
}

// decl is what all declarations have.
type decl struct {
	node
	Annots Annotations
	Name   *Ident
}

// DeclName is the declared name.
func (d *decl) DeclName() *Ident { return d.Name }

// Annotations are those in front of the declaration.
func (d *decl) Annotations() Annotations { return d.Annots }
func (*decl) declNode()                  {}

// Dir is the direction of a parameter.
type Dir uint8

// The directions.
const (
	DirNone Dir = iota
	DirIn
	DirOut
	DirInout
)

func (d Dir) String() string { return [...]string{"directionless", "in", "out", "inout"}[d] }

// Param is a parameter.
type Param struct {
	node
	Annots  Annotations
	Dir     Dir
	Type    TypeNode
	Name    *Ident
	Default Expr
}

// Optional tells whether the parameter is annotated @optional.
func (p *Param) Optional() bool { return p.Annots.Find("optional") != nil }

// Field is a field of a header or struct.
type Field struct {
	node
	Annots Annotations
	Type   TypeNode
	Name   *Ident
}

// EnumMember is a member of an enum, an error or a match_kind.
type EnumMember struct {
	Annots Annotations
	Name   *Ident
	Value  Expr // serializable enums only
}

type (
	// Const is const Type Name = Value.
	Const struct {
		decl
		Type  TypeNode
		Value Expr
	}
	// Var is Type Name [= Init].
	Var struct {
		decl
		Type TypeNode
		Init Expr
	}
	// Instance is Type(Args) Name [= { methods }].
	Instance struct {
		decl
		Type    TypeNode
		Args    []*Arg
		HasBody bool // = { Methods }
		Methods []*Function
	}
	// Typedef is typedef Type Name, or type Type Name when New is set.
	Typedef struct {
		decl
		Type TypeNode
		New  bool
	}
	// StructDecl is a header, header union or struct.
	StructDecl struct {
		decl
		Header     bool
		Union      bool
		TypeParams []*Ident
		Fields     []*Field
	}
	// EnumDecl is an enum; Type is not nil when it is serializable.
	EnumDecl struct {
		decl
		Type    TypeNode
		Members []*EnumMember
	}
	// ErrorDecl adds members to error.
	ErrorDecl struct {
		decl
		Members []*EnumMember
	}
	// MatchKindDecl adds match kinds.
	MatchKindDecl struct {
		decl
		Members []*EnumMember
	}
	// Function is a function, a method of an extern, or an extern function.
	Function struct {
		decl
		Result     TypeNode // nil for a constructor
		TypeParams []*Ident
		Params     []*Param
		Extern     bool
		Abstract   bool
		Body       *Block // nil for a prototype
	}
	// ExternDecl is an extern object.
	ExternDecl struct {
		decl
		TypeParams []*Ident
		Methods    []*Function
	}
	// Parser is a parser, or a parser type when Body is false.
	Parser struct {
		decl
		TypeParams []*Ident
		Params     []*Param
		CtorParams []*Param
		Body       bool
		Locals     []Decl
		States     []*State
	}
	// ValueSet is value_set<T>(Size) Name.
	ValueSet struct {
		decl
		Type TypeNode
		Size Expr
	}
	// Control is a control, or a control type when Apply is nil.
	Control struct {
		decl
		TypeParams []*Ident
		Params     []*Param
		CtorParams []*Param
		Locals     []Decl
		Apply      *Block
	}
	// Action is an action.
	Action struct {
		decl
		Params []*Param
		Body   *Block
	}
	// Table is a table.
	Table struct {
		decl
		Props []*Property
	}
	// Package is a package declaration.
	Package struct {
		decl
		TypeParams []*Ident
		Params     []*Param
	}
)

// State is a state of a parser.
type State struct {
	node
	Annots     Annotations
	Name       *Ident
	Stmts      []Stmt
	Transition *Transition // nil: reject
}

// Transition is transition Name, or transition select (Keys) { Cases }.
type Transition struct {
	node
	Next  *Ident
	Keys  []Expr
	Cases []*SelectCase
	End   diag.Pos
}

// SelectCase is one case of a select.
type SelectCase struct {
	node
	Set  Expr // a List with Paren for several keys
	Next *Ident
}

// Property is a property of a table; which fields are set depends on its name.
type Property struct {
	node
	Annots  Annotations
	Name    string
	Const   bool
	Keys    []*Key       // key
	Actions []*ActionRef // actions
	Entries []*Entry     // entries
	Value   Expr         // any other
}

// Key is an element of a table's key.
type Key struct {
	node
	Annots Annotations
	X      Expr
	Match  *Ident
}

// ActionRef is an action in the list of a table, with its arguments.
type ActionRef struct {
	node
	Annots  Annotations
	Name    *NameExpr
	Args    []*Arg
	HasArgs bool
}

// Entry is an entry of a table in the program.
type Entry struct {
	node
	Annots   Annotations
	Const    bool
	Priority Expr
	Set      Expr
	Action   *ActionRef
}
