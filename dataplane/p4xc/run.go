// Package p4xc is the command line of the P4 compiler.
package p4xc

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// errFailed ends a command whose findings have been printed.
var errFailed = errors.New("failed")

// usageError is a command line that makes no sense.
type usageError struct{ error }

// Run runs a command line, and returns the exit status: 0 when all is well, 1 when the program has errors or a test
// fails, 2 for wrong usage.
func Run(args []string, stdout, stderr io.Writer) int {
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
