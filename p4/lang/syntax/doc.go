// Package syntax turns P4_16 source text into a syntax tree.
//
//	text --scan--> tokens --Preprocess--> tokens --Parse--> *Program
//
// The grammar is that of a P4_16 program for the Tofino Native Architecture:
// what P4 has and Tofino has not (header_union, loops) is read far enough to
// say so by name.
//
// Contract:
//   - Every token and node knows its place in the file that a person wrote,
//     also through includes, macros and the line markers of a bundled program.
//     A token that comes from a macro's body has the place of the use, and
//     names the macro.
//   - Errors are collected in a diag.List, many per run; Parse always returns
//     a tree without nil expressions or types, so that checking can go on and
//     find further errors. A tree of a source with errors must not be lowered.
//   - No input makes the package panic, loop or use memory without bound:
//     depth, chains, includes and expansions are limited.
//   - Nothing here touches the file system but through Source.Read.
package syntax
