package logs

import (
	"net/netip"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/systems/paxos/soft"
)

// roleCommand is what systems/paxos/lab starts: a role as a program.
func roleCommand() *cobra.Command {
	var at string
	var ring int
	c := &cobra.Command{
		Use:    "role leader|acceptor|learner --at ADDRESS:PORT",
		Short:  "Be a role, for a benchmark: orders come from the standard input",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			role, err := soft.NewRole(args[0], ring)
			if err != nil {
				return cli.Usage(err)
			}
			addr, err := netip.ParseAddrPort(at)
			if err != nil {
				return cli.Usagef("--at %s: ADDRESS:PORT", at)
			}
			runtime.GOMAXPROCS(1) // one goroutine does it all
			ended := make(chan error, 1)
			go func() { ended <- soft.Attend(role, addr, cmd.InOrStdin(), cmd.OutOrStdout()) }()
			select {
			case err := <-ended:
				return err
			case <-cmd.Context().Done():
				return nil
			}
		},
	}
	c.Flags().StringVar(&at, "at", "127.0.0.1:0", "IPv4 address and UDP port; port 0: any")
	c.Flags().IntVar(&ring, "ring", soft.Ring, "instances that may be under way")
	return c
}
