// Package ir is the typed, flattened form of a P4 program for the Tofino
// Native Architecture (TNA): what is left when names, scopes, generics,
// sub-controls and struct types have been resolved.
//
//	p4/lang/syntax -> p4/lang/types -> p4/lang/lower -> ir.Program
//	                                                      |
//	                    +----------------------+----------+
//	                    v                      v          v
//	            bpf/gen (IR -> C)      dataplane/interp   p4/p4info
//
// # Storage
//
// A gress (ingress, egress) owns a set of header instances and a set of
// scalar variables. The parameters that the parser, the control and the
// deparser of one gress share (headers, user metadata, intrinsic metadata) are
// one storage, under one canonical name each, whatever the program calls the
// parameters in each block: "hdr.ip.dst", "md.psn", "ig_tm_md.mcast_grp_a".
// A struct-typed variable is flattened into its scalar fields. Variables start
// at zero and headers invalid when a packet enters a gress.
//
// # Intrinsic metadata
//
// Fields of the intrinsic metadata types are Vars of kind Intrinsic with
// canonical names (the Intr* constants), set by the target before the parser
// runs or read by it after the deparser. The extraction of ig_intr_md and
// eg_intr_md, and the advance over the port metadata behind ig_intr_md, do not
// appear in the IR: offset 0 is the first byte of the frame (ingress) or the
// first byte that the ingress deparser emitted (egress; bridged metadata first).
//
// # Expressions and statements
//
// Expressions have no side effects. Whatever has one (table application,
// register access, hash, lookahead) is a statement with a destination
// variable; lowering hoists it in evaluation order.
//
// Values are unsigned bit strings of 1 bit or more ([Type.Width]); int<W>
// values are two's complement in the same width; bool has width 1. All
// arithmetic wraps modulo 2^W unless the operator says otherwise.
//
// An ir.Program is immutable once lowering has returned it, and may be shared
// by any number of goroutines.
package ir
