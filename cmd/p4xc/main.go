// Command p4xc is the P4 compiler of p4ce: P4_16 programs for the Tofino Native
// Architecture, to eBPF/XDP, p4info and readable IR; it also runs STF packet
// tests on the result.
//
//	p4xc build PROGRAM.p4 -o DIR    C, eBPF object and p4info
//	p4xc check PROGRAM.p4           errors and warnings only
//	p4xc ir PROGRAM.p4              the intermediate form
//	p4xc bundle PROGRAM.p4          the program as one file, without includes
//	p4xc object FILE.bpf.c -o FILE  compile hand-written C for eBPF
//	p4xc stf PROGRAM.p4 FILE.stf…   packet tests
//
// Exit status: 0 when all is well, 1 when the program has errors or a test
// fails, 2 for wrong usage.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// errFailed ends a command whose findings have been printed.
var errFailed = errors.New("failed")

// usageError is a command line that makes no sense.
type usageError struct{ error }

func run(args []string, stdout, stderr io.Writer) int {
	root := &cobra.Command{
		Use:           "p4xc",
		Short:         "P4 compiler for XDP and the interpreter",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(buildCommand(), checkCommand(), irCommand(), bundleCommand(), objectCommand(), stfCommand())
	err := root.Execute()
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errFailed):
		return 1
	case errors.As(err, &usage), isCobraUsage(err):
		fmt.Fprintf(stderr, "p4xc: %v (p4xc help lists the commands)\n", err)
		return 2
	}
	fmt.Fprintf(stderr, "p4xc: %v\n", err)
	return 1
}

// isCobraUsage recognises cobra's own complaint about an unknown command.
func isCobraUsage(err error) bool {
	return len(err.Error()) > 15 && err.Error()[:15] == "unknown command"
}

// args checks the number of arguments.
func atLeast(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < n {
			return usageError{fmt.Errorf("%s is missing", what)}
		}
		return nil
	}
}

func exactly(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < n:
			return usageError{fmt.Errorf("%s is missing", what)}
		case len(args) > n:
			return usageError{fmt.Errorf("unexpected argument %q", args[n])}
		}
		return nil
	}
}
