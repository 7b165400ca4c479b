// Command p4xc is for P4_16 programs for the Tofino Native Architecture: it compiles them to eBPF/XDP, p4info and readable IR, tests
// them, and runs them on this machine.
//
//	p4xc run PROGRAM.p4 --port …    compile, load and forward, in one command
//	p4xc dump [table NAME]          what a running switch holds
//	p4xc write STATEMENT…           change it
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
	"github.com/spf13/cobra"

	client "github.com/p4ce/p4ce/ctrl/p4rtclient/cli"
	"github.com/p4ce/p4ce/dataplane/p4xc"
	"github.com/p4ce/p4ce/internal/cli"
)

func main() { cli.Main(command()) }

func command() *cobra.Command { return p4xc.Command(client.Dump(), client.Write()) }
