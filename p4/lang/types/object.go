package types

import (
	"math/big"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/syntax"
)

// Object is what a name stands for.
type Object interface{ objectPos() diag.Pos }

// Param is a parameter with its resolved type.
type Param struct {
	Name     string
	Type     Type
	Dir      syntax.Dir
	Optional bool
	Default  syntax.Expr
	Decl     *syntax.Param
	Var      *Var // the object that the body sees
}

// VarKind says what a variable is.
type VarKind uint8

// The kinds of variables.
const (
	LocalVar VarKind = iota // declared in a control, parser, action or block
	ParamVar                // a parameter with a direction, or of a block
	DataVar                 // a directionless parameter of an action
	CtorVar                 // a constructor parameter: known when instantiated
)

type (
	// Const is a named constant.
	Const struct {
		Name  string
		Type  Type
		Value Value
		Decl  *syntax.Const
	}
	// Var is a variable or parameter.
	Var struct {
		Name string
		Type Type
		Kind VarKind
		Dir  syntax.Dir
		Pos  diag.Pos
		Decl *syntax.Var // nil for parameters
	}
	// TypeName is the name of a type.
	TypeName struct {
		Name   string
		Type   Type
		Params []*TypeParam // of a generic struct
		Pos    diag.Pos
	}
	// Action is an action.
	Action struct {
		Name     string
		Decl     *syntax.Action
		Params   []*Param
		Control  *Control // nil for an action of the program
		checking bool
	}
	// Func is a function, extern function or method. Overloads differ in the
	// number of parameters.
	Func struct {
		Name       string
		Decl       *syntax.Function
		TypeParams []*TypeParam
		Params     []*Param
		Result     Type
		Extern     bool
		Abstract   bool
		checking   bool
	}
	// FuncSet is a name with its overloads.
	FuncSet struct {
		Name  string
		Funcs []*Func
	}
	// Extern is an extern object declaration.
	Extern struct {
		Name       string
		Decl       *syntax.ExternDecl
		TypeParams []*TypeParam
		Ctors      []*Func
		Methods    []*Func
	}
	// Instance is an instance of an extern, control, parser or package.
	Instance struct {
		TypeArgs []Type
		Name     string
		Decl     *syntax.Instance // nil for an instance made in an expression
		Pos      diag.Pos
		Type     Type // *ExternType, *Control, *Parser or *Package
		Ctor     []*Param
		Args     []syntax.Expr // one per Ctor parameter; nil when an optional one is absent
		Method   []*Method     // implementations of abstract methods
	}
	// Method is the implementation of an abstract method in an instance.
	Method struct {
		Func *Func // of the extern
		Decl *syntax.Function
		// Params has the types of the instance, one per declared parameter.
		Params []*Param
	}
	// ValueSet is a parser value set.
	ValueSet struct {
		Name string
		Decl *syntax.ValueSet
		Elem Type
		Size int
	}
	// Table is a table.
	Table struct {
		Name    string
		Decl    *syntax.Table
		Control *Control
		Keys    []*Key
		Actions []*ActionRef
		// Default is nil when the table has no default_action (NoAction).
		Default      *ActionRef
		ConstDefault bool
		Entries      []*Entry
		ConstEntries bool
		HasEntries   bool
		Size         syntax.Expr // nil when absent
		// LargestWins and Delta say how entries without a priority get one.
		LargestWins bool
		Delta       int
		IdleTimeout bool
		Counters    *Instance // property counters
		Registers   *Instance
		Meters      *Instance
		Filters     *Instance
		Impl        syntax.Expr
		// Extra are properties that only matter to Tofino's compiler.
		Extra []*syntax.Property
	}
	// Key is an element of a table's key.
	Key struct {
		Decl  *syntax.Key
		Match string
		Type  Type
	}
	// ActionRef is an action of a table, with the arguments that it binds: of
	// the directional parameters in the list of actions, of all in a default
	// action or entry.
	ActionRef struct {
		Action *Action
		Decl   *syntax.ActionRef // nil for an implied NoAction
		Args   []syntax.Expr     // one per parameter; nil when it is not bound
	}
	// Entry is an entry of a table in the program.
	Entry struct {
		Decl     *syntax.Entry
		Sets     []syntax.Expr // one per key
		Action   *ActionRef
		Priority *big.Int // nil when absent
	}
)

func (c *Const) objectPos() diag.Pos    { return c.Decl.Name.At }
func (v *Var) objectPos() diag.Pos      { return v.Pos }
func (t *TypeName) objectPos() diag.Pos { return t.Pos }
func (a *Action) objectPos() diag.Pos   { return a.Decl.Name.At }
func (f *FuncSet) objectPos() diag.Pos  { return f.Funcs[0].Decl.Name.At }
func (i *Instance) objectPos() diag.Pos { return i.Pos }
func (v *ValueSet) objectPos() diag.Pos { return v.Decl.Name.At }
func (t *Table) objectPos() diag.Pos    { return t.Decl.Name.At }

// CallKind says what a call calls.
type CallKind uint8

// The kinds of calls.
const (
	CallAction CallKind = iota
	CallFunction
	CallExternFunc
	CallMethod      // of an extern instance
	CallTableApply  // table.apply()
	CallApply       // control or parser instance
	CallDirectApply // C.apply(…) on the type C
	CallBuiltin     // a method of a header or stack
	CallConstructor // of an extern, control, parser or package
)

// Call is what a call expression means.
type Call struct {
	Kind   CallKind
	Action *Action
	Func   *Func
	Table  *Table
	// Recv is the expression before the dot of a method, apply or builtin.
	Recv syntax.Expr
	// Callee is the control or parser of an apply, or the type constructed.
	Callee Type
	// Instance is set for constructor calls.
	Instance *Instance
	Name     string // of a builtin
	Params   []*Param
	Args     []syntax.Expr // one per parameter; nil when an optional one is absent
	TypeArgs []Type        // of Func's own type parameters
}

// Info is what Check found out.
type Info struct {
	Types  map[syntax.Expr]Type
	Values map[syntax.Expr]Value
	Uses   map[*syntax.NameExpr]Object
	Calls  map[*syntax.Call]*Call
	// Defs maps declarations to their objects: *syntax.Var to *Var,
	// *syntax.Table to *Table, …
	Defs map[syntax.Node]Object
	// Packages are the package instances of the program, in order.
	Packages []*Instance
	// Main is the instance named main, nil when there is none.
	Main *Instance
	// Headers are all header types, in order of declaration.
	Headers []*Struct
	// NoAction is the action of core.p4, nil without it.
	NoAction *Action
	// Errors are the members of error, in order: their index is their value.
	Errors []string
}
