package logs

import (
	"fmt"
	"log/slog"
	"net/netip"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/host/attach"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link/afxdp"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/frames"
	"github.com/p4ce/p4ce/systems/paxos/soft"
	"github.com/p4ce/p4ce/systems/paxos/udp"
)

// roleLink is how a role is attached to a switch, past the kernel's UDP.
type roleLink struct {
	link, mac string
	peers     []string // ADDRESS=MAC
}

// open opens the wire: a UDP socket if there is no link.
func (o *roleLink) open(at netip.AddrPort, log *slog.Logger) (paxos.Wire, error) {
	if o.link == "" {
		return udp.Listen(at, paxos.MaxMessage+1)
	}
	c := frames.Config{Addr: at}
	var err error
	if c.MAC, err = topology.ParseMAC(o.mac, "--mac"); err != nil {
		return nil, cli.Usage(err)
	}
	peers := map[netip.Addr]wire.MAC{}
	for _, p := range o.peers {
		a, m, _ := strings.Cut(p, "=")
		addr, err := netip.ParseAddr(a)
		if err != nil {
			return nil, cli.Usagef("--peer %s: want ADDRESS=MAC", p)
		}
		if peers[addr], err = topology.ParseMAC(m, "--peer"); err != nil {
			return nil, cli.Usage(err)
		}
	}
	c.Resolve = func(a netip.Addr) (wire.MAC, bool) { m, ok := peers[a]; return m, ok }
	if !at.Addr().Is4() || at.Port() == 0 {
		return nil, cli.Usage(fmt.Errorf("--at %v: with --link, want an IPv4 address and a port", at))
	}
	l, err := attach.Open(log, o.link, afxdp.Filter{UDPPort: at.Port(), Addr: at.Addr()}, at.Addr(), at.Port())
	if err != nil {
		return nil, err
	}
	return frames.New(l, c), nil
}

// roleCommand is what systems/paxos/lab starts: a role as a program.
func roleCommand() *cobra.Command {
	var at string
	var ring int
	var o roleLink
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
			w, err := o.open(addr, cli.Logger(cmd.ErrOrStderr(), false))
			if err != nil {
				return err
			}
			ended := make(chan error, 1)
			go func() { ended <- soft.Attend(role, w, cmd.InOrStdin(), cmd.OutOrStdout()) }()
			select {
			case err := <-ended:
				return err
			case <-cmd.Context().Done():
				return nil
			}
		},
	}
	c.Flags().StringVar(&at, "at", "127.0.0.1:0", "IPv4 address and UDP port; port 0: any")
	c.Flags().StringVar(&o.link, "link", "", attach.Usage+"; without it, a UDP socket")
	c.Flags().StringVar(&o.mac, "mac", "", "with --link, the Ethernet address at it")
	c.Flags().StringArrayVar(&o.peers, "peer", nil, "with --link, ADDRESS=MAC of whom it sends to")
	c.Flags().IntVar(&ring, "ring", soft.Ring, "instances that may be under way")
	return c
}
