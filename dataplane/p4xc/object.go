package p4xc

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/bpf/build"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link/files"
)

func objectCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "object FILE.bpf.c -o FILE.bpf.o",
		Short: "Compile C for eBPF with the pinned clang and our headers",
		Args:  exactly(1, "the C file"),
		RunE: func(c *cobra.Command, args []string) error {
			if out == "" {
				return cli.Usagef("-o is missing: the object to write")
			}
			src, err := files.Read(args[0], files.Settings)
			if err != nil {
				return err
			}
			name := filepath.Base(args[0])
			o, err := build.Object(name, map[string][]byte{name: src}, bpf.Headers)
			if err != nil {
				return err
			}
			return os.WriteFile(out, o, 0o644)
		},
	}
	c.Flags().StringVarP(&out, "out", "o", "", "object to write")
	return c
}
