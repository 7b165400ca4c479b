package syntax

import "github.com/p4ce/p4ce/p4/lang/diag"

// Kind is the kind of a token.
type Kind uint8

// The kinds of tokens. Keywords are recognised only after preprocessing, since
// a macro may have the name of a keyword.
const (
	EOF Kind = iota
	Illegal
	Name
	Number
	String

	// Punctuation and operators.
	LParen
	RParen
	LBrack
	RBrack
	LBrace
	RBrace
	Less
	Greater
	Comma
	Semi
	Colon
	Dot
	DotDot
	Ellipsis
	At
	Hash
	HashHash
	Question
	Assign
	Not
	Tilde
	Plus
	Minus
	Star
	Slash
	Percent
	And
	Or
	Xor
	PlusSat
	MinusSat
	Concat
	Shl
	EqEq
	NotEq
	LessEq
	GreaterEq
	AndAnd
	OrOr
	Mask
	OpAssign // +=, -=, … : newer than what the public Tofino compiler accepts
	firstKeyword

	KwAbstract
	KwAction
	KwActions
	KwApply
	KwBit
	KwBool
	KwBreak
	KwConst
	KwContinue
	KwControl
	KwDefault
	KwElse
	KwEntries
	KwEnum
	KwError
	KwExit
	KwExtern
	KwFalse
	KwFor
	KwHeader
	KwHeaderUnion
	KwIf
	KwIn
	KwInout
	KwInt
	KwKey
	KwMatchKind
	KwOut
	KwPackage
	KwParser
	KwPriority
	KwReturn
	KwSelect
	KwState
	KwString
	KwStruct
	KwSwitch
	KwTable
	KwThis
	KwTransition
	KwTrue
	KwTuple
	KwType
	KwTypedef
	KwUnderscore
	KwValueSet
	KwVarbit
	KwVoid
)

// keywords maps the spelling of every keyword to its kind. The words that P4
// allows as names elsewhere (see Kind.contextual) are here as well.
var keywords = map[string]Kind{
	"abstract": KwAbstract, "action": KwAction, "actions": KwActions, "apply": KwApply,
	"bit": KwBit, "bool": KwBool, "break": KwBreak, "const": KwConst, "continue": KwContinue,
	"control": KwControl, "default": KwDefault, "else": KwElse, "entries": KwEntries,
	"enum": KwEnum, "error": KwError, "exit": KwExit, "extern": KwExtern, "false": KwFalse,
	"for": KwFor, "header": KwHeader, "header_union": KwHeaderUnion, "if": KwIf, "in": KwIn,
	"inout": KwInout, "int": KwInt, "key": KwKey, "match_kind": KwMatchKind, "out": KwOut,
	"package": KwPackage, "parser": KwParser, "priority": KwPriority, "return": KwReturn,
	"select": KwSelect, "state": KwState, "string": KwString, "struct": KwStruct,
	"switch": KwSwitch, "table": KwTable, "this": KwThis, "transition": KwTransition,
	"true": KwTrue, "tuple": KwTuple, "type": KwType, "typedef": KwTypedef,
	"_": KwUnderscore, "value_set": KwValueSet, "varbit": KwVarbit, "void": KwVoid,
}

// contextual keywords are names wherever the grammar does not give them a
// meaning (P4_16, "non-type names").
func (k Kind) contextual() bool {
	switch k {
	case KwActions, KwApply, KwEntries, KwKey, KwPriority, KwState, KwType, KwThis,
		KwBreak, KwContinue, KwFor:
		return true
	}
	return false
}

var kindText = map[Kind]string{
	EOF: "end of file", Illegal: "illegal text", Name: "name", Number: "number", String: "string",
	LParen: "(", RParen: ")", LBrack: "[", RBrack: "]", LBrace: "{", RBrace: "}",
	Less: "<", Greater: ">", Comma: ",", Semi: ";", Colon: ":", Dot: ".", DotDot: "..",
	Ellipsis: "...", At: "@", Hash: "#", HashHash: "##", Question: "?", Assign: "=", Not: "!",
	Tilde: "~", Plus: "+", Minus: "-", Star: "*", Slash: "/", Percent: "%", And: "&", Or: "|",
	Xor: "^", PlusSat: "|+|", MinusSat: "|-|", Concat: "++", Shl: "<<", EqEq: "==", NotEq: "!=",
	LessEq: "<=", GreaterEq: ">=", AndAnd: "&&", OrOr: "||", Mask: "&&&", OpAssign: "op=",
}

func (k Kind) String() string {
	if s, ok := kindText[k]; ok {
		return s
	}
	for s, kk := range keywords {
		if kk == k {
			return s
		}
	}
	return "token"
}

// A Token is one token with its place.
type Token struct {
	Kind Kind
	Text string // as in the source; for String without the quotes, unescaped
	Pos  diag.Pos
	// Space is set when white space or a comment precedes the token, BOL when
	// it is the first of its line.
	Space, BOL bool
	// Err explains an Illegal token.
	Err     string
	ErrCode diag.Code
	// hide lists the macros whose expansion produced the token: they are not
	// expanded in it again.
	hide *hideSet
}

// describe names the token in an error message.
func (t Token) describe() string {
	switch t.Kind {
	case EOF:
		return "end of file"
	case String:
		return "a string"
	case Name, Number, Illegal:
		return "'" + t.Text + "'"
	}
	if t.Kind > firstKeyword {
		return "keyword '" + t.Text + "'"
	}
	return "'" + t.Text + "'"
}
