package cli

import (
	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/internal/cli"
)

// Version is the command version, with the objects of all programs that this binary can run on XDP.
func Version() *cobra.Command { return cli.VersionCommand(objects) }

func objects() (out []cli.Part, err error) {
	for _, name := range bpf.Names() {
		b, err := bpf.Object(name)
		if err != nil {
			return nil, err
		}
		out = append(out, cli.Part{Name: name, Data: b})
	}
	return out, nil
}
