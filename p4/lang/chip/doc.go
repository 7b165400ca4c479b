// Package chip knows what a Tofino cannot do in a program that the front end takes: what is known without the chip's
// compiler, from its source and from what it has refused (docs/architecture.md, "Tofino").
//
//	ir.Program -> Check -> ir.Errors: every construct, with its place and the reason
//
// Contract: Check is a function of the program. What it refuses, the public compiler refuses or a chip cannot execute. What it
// takes may still not fit: stages, containers and tables are counted by the public compiler only (make tofino).
package chip
