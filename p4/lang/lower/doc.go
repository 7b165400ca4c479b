// Package lower turns a checked TNA program into the flattened form that the
// back ends read.
//
//	*syntax.Program + *types.Info --Lower--> *ir.Program
//
// What happens on the way:
//   - Switch(pipe) main and Pipeline(…) pipe are bound: the parameters of the
//     parser, control and deparser of one gress become one storage by role.
//   - Sub-controls, sub-parsers, functions, and actions that are called
//     directly are inlined; every table, action and extern instance gets its
//     control-plane name from the path of instances that leads to it.
//   - Structures become their scalar fields, expressions lose their side
//     effects: table applications, register accesses, hashes and lookaheads
//     become statements of their own, in the order of evaluation.
//   - The extraction of the intrinsic metadata, and the advance over the port
//     metadata behind it, disappear: cursor 0 is the first byte of the frame.
//
// Contract:
//   - Lower is called only for programs without errors so far.
//   - What the IR cannot express is an error that names the construct.
//     Annotations and table properties that only matter to Tofino's own
//     compiler are known by name (see annot.go); any other that would be
//     ignored is a warning.
//   - The result is deterministic, and shares nothing with the inputs.
package lower
