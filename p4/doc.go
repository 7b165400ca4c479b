// Package p4 holds the P4 programs of p4ce, embedded for those who compile
// them at run time: the interpreter, tests and the compiler's own users.
//
// Programs are written for the Tofino Native Architecture and compile with the
// public P4 compiler as they are. Stable ids are given with @id and never used
// for something else.
package p4

import "embed"

//go:generate go run ../cmd/p4gen -dir include

// FS holds every program and include file: "rdma.p4", "include/types.p4".
//
//go:embed *.p4 include/*.p4
var FS embed.FS
