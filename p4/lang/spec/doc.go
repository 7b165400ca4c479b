// Package spec evaluates the syntax tree of a checked program, to the letter of the P4_16
// specification, slowly: it is what the compiler is held against. It shares the parser and the
// results of the type checker with the compiler, and nothing of the lowering, of the
// intermediate form, or of a target.
//
//	lang.Check -> syntax tree, types -> spec.Machine.Inject(frame) -> bytes, and which of their bits are defined
//
// What the specification leaves open is undefined here: variables that nothing has been
// assigned to, fields of headers that are not valid, results that depend on them. A target may do
// there what it wants. Where a condition, a key or an index is undefined, there is no result
// (ErrUndefined).
//
// The subset is that of random programs (test/programs): scalars, structures, headers,
// functions, actions, controls, tables with entries of the program text (so those with an action profile have none), Register, RegisterAction,
// min and max; of a pipeline the ingress. Anything else is an error that names it.
//
// Contract: a Machine is for one goroutine. It keeps the values of registers from packet to
// packet, and nothing else.
package spec
