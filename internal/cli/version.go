package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/internal/build"
)

// Part is a file that is embedded in a program.
type Part struct {
	Name string
	Data []byte
}

// VersionCommand is the command version: which build of which commit the program is, and the digests of what it embeds.
func VersionCommand(parts func() ([]Part, error)) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Which build of which commit this program is",
		Long: `Print the version, the commit and the Go version of this program, and the SHA-256 of
each eBPF object that it contains. Two machines whose objects have equal digests run
the same data plane.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := parts()
			if err != nil {
				return err
			}
			type digest struct {
				Name   string `json:"name"`
				SHA256 string `json:"sha256"`
			}
			v := struct {
				Program string `json:"program"`
				build.Info
				Objects []digest `json:"objects"`
			}{Program: cmd.Root().Name(), Info: build.Read(), Objects: []digest{}}
			for _, p := range all {
				sum := sha256.Sum256(p.Data)
				v.Objects = append(v.Objects, digest{p.Name, hex.EncodeToString(sum[:])})
			}
			out := cmd.OutOrStdout()
			if asJSON {
				return PrintJSON(out, v)
			}
			commit := v.Commit
			switch {
			case commit == "":
				commit = "unknown"
			case v.Modified:
				commit += ", with changes"
			}
			fmt.Fprintf(out, "%s %s\ncommit    %s\nbuilt by  %s for %s\n", v.Program, v.Version, commit, v.Go, v.Platform)
			tab := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
			for i, d := range v.Objects {
				head := ""
				if i == 0 {
					head = "objects"
				}
				fmt.Fprintf(tab, "%-8s\t%s\t%s\n", head, d.Name, d.SHA256)
			}
			return tab.Flush()
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
