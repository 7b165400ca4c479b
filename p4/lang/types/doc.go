// Package types checks a syntax tree against the rules of P4_16 and records
// what every name, type, constant and call in it means.
//
//	*syntax.Program --Check--> *Info
//
// Checked here: scopes, types, widths and signs, casts and the one implicit
// conversion (an integer without width takes the width of its context),
// directions and l-values, type arguments and their inference, constants
// (evaluated with arbitrary precision), tables and their entries, parser
// states, instances and the packages that tie them together.
//
// Contract:
//   - Errors are collected, many per run. Info is complete only when there are
//     none; with errors it may miss entries and must not be lowered.
//   - An expression of type int (no width) is always a compile-time constant.
//   - Types are compared with Identical, not with ==. The type Invalid is
//     identical to everything, so that one mistake is reported once.
//   - Info is immutable once Check has returned.
package types
