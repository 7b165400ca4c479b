// Package testbed makes targets for packet tests: switches without ports, on which a test gives the
// same result every time, on any target.
//
//	"interp"  the interpreter
//	"xdp"     the eBPF programs, replication and egress included, by test-run;
//	          needs root, but no interface
//
// Every packet arrives at the same moment, Now, and Random externs start from the
// same seed.
//
// Contract: the caller closes the targets that New returns; Run closes its own.
package testbed
