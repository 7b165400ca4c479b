package diag

// The codes, by phase. Each has an example in the tests of the phase; a code
// that is no longer produced is retired, not reused.
const (
	// Text and preprocessor.
	IllegalChar    Code = "P4001" // a character that is in no token
	Unterminated   Code = "P4002" // a comment or string without an end
	BadNumber      Code = "P4003" // a number that cannot be read, or whose value does not fit its width
	Include        Code = "P4010" // an included file that cannot be found, or that includes itself
	Directive      Code = "P4011" // an unknown or malformed directive
	HashError      Code = "P4012" // #error
	Conditional    Code = "P4013" // #if, #else and #endif that do not pair
	IfExpr         Code = "P4014" // an expression of #if that cannot be evaluated
	MacroUse       Code = "P4015" // wrong arguments, or expansion without bound
	MacroRedefined Code = "P4016" // a macro defined twice with different bodies

	// Grammar.
	Syntax       Code = "P4101" // something else was expected here
	NotSupported Code = "P4102" // P4, but not what this compiler accepts; the construct is named
	TooDeep      Code = "P4103" // nesting beyond what is sensible

	// Names.
	Undeclared Code = "P4201" // a name that is not declared
	NoMember   Code = "P4202" // a field, method, element or state that does not exist
	Duplicate  Code = "P4203" // a name declared twice
	WrongKind  Code = "P4204" // a name of the wrong kind: a type where a value is needed, …

	// Types and expressions.
	Mismatch    Code = "P4301" // a value of one type where another is needed
	Operand     Code = "P4302" // an operator that these operands do not have
	Width       Code = "P4303" // a width that is not allowed, or a value that does not fit
	Cast        Code = "P4304" // a cast that P4 does not have
	NotConstant Code = "P4305" // a value that must be known when compiling, and is not
	NotLValue   Code = "P4306" // assignment to what cannot be assigned
	Arguments   Code = "P4307" // wrong number or names of arguments
	Direction   Code = "P4308" // a parameter's direction that is not allowed there
	TypeArgs    Code = "P4309" // type arguments that are wrong or cannot be inferred
	SliceRange  Code = "P4310" // a slice outside its value
	FieldType   Code = "P4311" // a type that cannot be a field, parameter or variable there
	Arithmetic  Code = "P4312" // division by zero, a negative shift
	Return      Code = "P4313" // a return that does not fit its function

	// Declarations.
	TableProperty Code = "P4401" // a table property that is unknown, missing or malformed
	TableKey      Code = "P4402" // a key that cannot be matched so
	TableAction   Code = "P4403" // an action that is not in the list, or wrongly bound
	TableEntry    Code = "P4404" // an entry that does not fit its table
	SelectCase    Code = "P4405" // a select or switch case that does not fit
	State         Code = "P4406" // parser states: no start, redefined, unreachable end
	Recursion     Code = "P4407" // a declaration that uses itself
	CallContext   Code = "P4408" // a call that is not allowed in this place
	Abstract      Code = "P4409" // an instance whose abstract methods are not implemented, or wrongly

	// Lowering to the target.
	Unsupported   Code = "P4501" // legal P4 that this compiler cannot translate; the construct is named
	Architecture  Code = "P4502" // the package and its blocks do not fit TNA
	UnknownExtern Code = "P4503" // an extern, or one of its methods, that this compiler does not implement
	ParserLoop    Code = "P4504" // a parser that need not end
	Annotation    Code = "P4505" // an annotation that is malformed or would be ignored
	ID            Code = "P4506" // control-plane ids and names that collide or have the wrong prefix
	Chip          Code = "P4507" // what the chip does otherwise than the language says, or than this switch
)
