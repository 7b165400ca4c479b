// Package lang is the front end of the compiler: P4_16 source for the Tofino
// Native Architecture in, ir.Program out.
//
//	source --syntax.Preprocess/Parse--> tree --types.Check--> info --lower.Lower--> ir.Program
//
// Contract:
//   - Compile is a pure function of its Options: it reads files only through
//     Options.FS (the operating system's files when that is nil) and the
//     built-in declarations of p4/lang/include.
//   - It reports as many errors as it can find in one run, each with a stable
//     code, a place and a caret (package diag); it returns a program only when
//     there is none. Warnings do not keep it from compiling.
//   - No input makes it panic or loop.
//   - Program.Source is the program after preprocessing. Compiling it again,
//     without any include directory or define, gives an equal Program.
package lang
