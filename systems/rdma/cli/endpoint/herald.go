package endpoint

import (
	"log/slog"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/host/roce/farewell"
	"github.com/p4ce/p4ce/internal/cli"
)

// herald is the name of the command that a server starts for itself.
const herald = "herald"

// Command is the command herald.
func Command() *cobra.Command {
	return &cobra.Command{
		Use:    herald,
		Short:  "Tell the peers of a server that its process has died (servers start it)",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE:   func(*cobra.Command, []string) error { return farewell.Run() },
	}
}

// newFarewell makes what the endpoints of a process share.
func newFarewell() *farewell.Farewell {
	return farewell.New(func() (*exec.Cmd, error) {
		path, err := cli.P4ce.Find()
		if err != nil {
			return nil, err
		}
		return exec.Command(path, herald), nil
	})
}

// openFarewell has peers told when this process has died, where it may send on an interface.
func (o *Flags) openFarewell(log *slog.Logger, opts *roce.Options) {
	if o.iface == "" || o.wire == "udp" || o.farewell == nil {
		return
	}
	v, err := o.farewell.On(o.iface)
	if err != nil {
		log.Warn("peers are not told when this process dies, and wait for their timeouts", "interface", o.iface, "err", err)
		return
	}
	opts.Farewell = v
}
