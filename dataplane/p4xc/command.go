// Package p4xc is the command line of the P4 compiler.
package p4xc

import (
	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/internal/cli"
)

// Command is the program p4xc. others are commands of engines that this package does not know.
func Command(others ...*cobra.Command) *cobra.Command {
	root := &cobra.Command{Use: "p4xc", Short: "P4 programs on Linux: compile, check, test, run"}
	root.AddCommand(buildCommand(), checkCommand(), irCommand(), bundleCommand(), objectCommand(), stfCommand(), runCommand(), cli.Man())
	root.AddCommand(others...)
	return root
}

// atLeast checks the number of arguments.
func atLeast(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < n {
			return cli.Usagef("%s is missing", what)
		}
		return nil
	}
}

func exactly(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < n:
			return cli.Usagef("%s is missing", what)
		case len(args) > n:
			return cli.Usagef("unexpected argument %q", args[n])
		}
		return nil
	}
}
