package demo

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/internal/cli"
)

// Switches is a demo with several switches.
type Switches struct {
	Name, Short, Long string
	Window            int // at most
	Count             int // of values, unless a flag says otherwise
	Run               func(context.Context, *Run) error
}

// Run is one that runs.
type Run struct {
	Flags
	Count          int
	Self, Dir      string // p4ce, and a folder of the demo's own
	Stdout, Stderr io.Writer
}

// Log is where processes log, or nil.
func (r *Run) Log() io.Writer {
	if !r.Verbose {
		return nil
	}
	return r.Stderr
}

// Where says what the switches run on.
func (r *Run) Where() string {
	if r.Target == "xdp" {
		return "XDP, in a network namespace"
	}
	return "the interpreter, over datagram sockets (as root: XDP)"
}

// Command makes its command.
func (s Switches) Command() *cobra.Command {
	var r Run
	c := &cobra.Command{
		Use: s.Name, Short: s.Short,
		Long: s.Long + `

As root, the switches run in XDP, and the network consists of network namespaces. Without root, the
switches are the interpreter, and all processes use datagram sockets.`,
		Example: "  p4ce demo " + s.Name + "\n  p4ce demo " + s.Name + " --count 5000 --target interp",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if err := r.Check(); err != nil {
				return err
			}
			switch {
			case r.Window > s.Window:
				return cli.Usagef("--window %d: at most %d", r.Window, s.Window)
			case r.Count < 1:
				return cli.Usagef("--count %d: want at least 1", r.Count)
			}
			r.Stdout, r.Stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
			if r.Self, err = os.Executable(); err != nil {
				return err
			}
			return Folder(cmd.Context(), func(ctx context.Context, dir string) error {
				r.Dir = dir
				return cli.Ended(ctx, s.Run(ctx, &r))
			})
		},
	}
	r.Add(c.Flags())
	c.Flags().IntVar(&r.Count, "count", s.Count, "number of values")
	return c
}
