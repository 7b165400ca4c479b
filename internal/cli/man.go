package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/p4ce/p4ce/internal/build"
)

// Man is the command man, which packages are built with: it writes a manual page for each command of the program into a
// folder.
func Man() *cobra.Command {
	return &cobra.Command{
		Use:    "man FOLDER",
		Short:  "Write manual pages of all commands into a folder",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			root.DisableAutoGenTag = true // pages of equal programs are equal
			return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "p4ce " + build.Read().Version, Manual: "p4ce"}, args[0])
		},
	}
}
