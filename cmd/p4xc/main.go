// Command p4xc is the P4 compiler of p4ce: P4_16 programs for the Tofino Native
// Architecture, to eBPF/XDP, p4info and readable IR; it also runs STF packet
// tests on the result.
//
//	p4xc build PROGRAM.p4 -o DIR    C, eBPF object and p4info
//	p4xc check PROGRAM.p4           errors and warnings, and what each target cannot do
//	p4xc ir PROGRAM.p4              the intermediate form
//	p4xc bundle PROGRAM.p4          the program as one file, without includes
//	p4xc object FILE.bpf.c -o FILE  compile hand-written C for eBPF
//	p4xc stf PROGRAM.p4 FILE.stf…   packet tests
//
// Exit status: 0 when all is well, 1 when the program has errors or a test
// fails, 2 for wrong usage.
package main

import (
	"os"

	"github.com/p4ce/p4ce/dataplane/p4xc"
)

func main() { os.Exit(p4xc.Run(os.Args[1:], os.Stdout, os.Stderr)) }
