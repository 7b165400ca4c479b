// Package gen turns a P4 program (ir.Program) into C for XDP, and describes the
// maps of the resulting object to those who fill them.
//
//	ir.Program --Describe--> Description (maps, keys, values, action numbers)
//	     |                        |                       |
//	     +--------Generate--------+               dataplane/xdp (Go)
//	                  v
//	NAME.bpf.c + NAME.tables.h + include/p4xdp*.h --clang--> NAME.bpf.o
//
// The pipeline is two programs, "ingress" on every port and "egress" on every
// devmap entry, with the packet's XDP metadata between them; "test_ingress" and
// "test_egress" are the same code for BPF_PROG_TEST_RUN, with the port and the
// time given in front of the packet.
//
// The C is meant to be read. NAME.tables.h has what lies outside a packet: of each table
// its actions, key, value and map, and the functions that look it up; registers,
// counters, digests. NAME.bpf.c has what happens to a packet: a function per action,
// table and register action under its P4 name, with the P4 position (of a macro's
// use); one struct for what a gress knows, whose members are named as in P4. Headers are rewritten where they lie in the
// packet as long as the program adds or removes none.
//
// What a program keeps per index (registers, counters, tables of numbers) lies in one record per index, so that
// a packet touches few cache lines: see Layout.
//
// What the back end cannot express is an Error that names the construct and its
// position; nothing is left out silently.
//
// Concurrency: a Description is immutable. Both functions are pure.
package gen
