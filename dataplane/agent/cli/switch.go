// Package cli is the command line of a switch: p4ce switch.
package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/agent"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/internal/event"
)

// Option is what a system adds to the command.
type Option struct {
	// Add adds flags, and returns what they make of the configuration.
	Add func(f *pflag.FlagSet) (set func(*agent.Config) error)
	// Help is a paragraph, and Example a line, of the command's help.
	Help, Example string
}

// Command is the command switch, with the options of systems.
func Command(options []Option) *cobra.Command {
	var (
		cfg     agent.Config
		ports   []string
		cpu     uint16
		verbose bool
		detach  bool
		sets    []func(*agent.Config) error
	)
	c := &cobra.Command{
		Use:   "switch --port N=INTERFACE...",
		Short: "Run a switch with a P4Runtime server",
		Long: `Run a switch on this machine: a target (xdp in the kernel, or the interpreter)
with network interfaces as ports, and the P4Runtime server through which a
controller programs it. It starts without a program; the controller pushes one.

In XDP it needs root, or CAP_NET_ADMIN, CAP_BPF, CAP_PERFMON, CAP_NET_RAW, and
CAP_IPC_LOCK or no limit on locked memory (ulimit -l unlimited).

With --pin, a folder in a BPF file system keeps the data plane. It continues when the
switch ends in any way, and the next switch with that folder takes it over with all
tables, groups and registers, without affecting packets. --detach ends it.

With --target interp, a port may also be a datagram socket, one Ethernet frame
per datagram: N=unix:LOCAL,PEER or N=udp:LOCAL,PEER.`,
		Example: `  p4ce switch --port 1=eth1 --port 2=eth2
  p4ce switch --port 1=eth1 --port 2=eth2 --pin /sys/fs/bpf/p4ce
  p4ce switch --pin /sys/fs/bpf/p4ce --detach
  p4ce switch --target interp --port 1=udp:127.0.0.1:5001,127.0.0.1:6001`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if detach {
				if cfg.Pins == "" { // ports may be given, in the configuration file that the switch runs with
					return cli.Usagef("--detach needs --pin, the folder of the data plane to remove")
				}
				return agent.Detach(cfg.Pins)
			}
			if cfg.Target != "xdp" && cfg.Target != "interp" {
				return cli.Usagef("--target %q: xdp or interp", cfg.Target)
			}
			for _, s := range ports {
				p, err := agent.ParsePort(s)
				if err != nil {
					return cli.Usage(err)
				}
				cfg.Ports = append(cfg.Ports, p)
			}
			if len(ports) == 0 {
				return cli.Usagef("a switch needs ports (--port 1=INTERFACE --port 2=INTERFACE ...)")
			}
			if err := cli.CheckTLS(&cfg.TLS, "tls-", true); err != nil {
				return err
			}
			for _, set := range sets {
				if err := set(&cfg); err != nil {
					return cli.Usage(err)
				}
			}
			cfg.CPUPort = dataplane.Port(cpu)
			cfg.Log = cli.Logger(cmd.ErrOrStderr(), verbose)
			out := event.NewPrinter(cmd.OutOrStdout())
			defer out.Close()
			cfg.Ready = func(agent.Addresses) { out.Ready("switch") }
			return out.Ends(agent.Run(cmd.Context(), cfg))
		},
	}
	f := c.Flags()
	f.StringVar(&cfg.Target, "target", "xdp", "what runs the program: xdp or interp")
	f.StringArrayVar(&ports, "port", nil, "a port: NUMBER=INTERFACE (repeat for each)")
	f.Uint16Var(&cpu, "cpu-port", 64, "number of the port that leads to the controller")
	f.StringVar(&cfg.CPUInterface, "cpu-interface", "p4cpu", "name of the interface that the switch creates for the CPU port (xdp)")
	f.StringVar(&cfg.Listen, "listen", agent.DefaultListen(), "address of the P4Runtime server: HOST:PORT or unix:PATH")
	f.Uint64Var(&cfg.DeviceID, "device-id", 1, "P4Runtime device id")
	f.StringArrayVar(&cfg.Trust, "trust", nil, "eBPF object that a controller may load in addition to those of this binary: a file, or sha256: and a digest (repeat for each; xdp)")
	f.StringVar(&cfg.Pins, "pin", "", "folder in a BPF file system that keeps the data plane when the switch ends, for example /sys/fs/bpf/p4ce (xdp)")
	f.BoolVar(&detach, "detach", false, "remove the data plane that a switch has left on its interfaces, and exit")
	f.StringVar(&cfg.Capture, "capture", "", "write every packet that the switch receives or sends to this file (pcapng; xdp)")
	f.StringVar(&cfg.Metrics, "metrics", "", "address of /metrics for Prometheus, for example 127.0.0.1:9560")
	cli.TLSFlags(f, &cfg.TLS, "tls-", "the switch", "the controllers' certificates must be signed by one of them")
	f.StringVar(&cfg.Rights, "rights", "", "rights of controllers by the names in their certificates, one per line: client NAME read, or client NAME write [PATTERN...] (docs/security.md); default: all rights")
	f.BoolVar(&cfg.Insecure, "insecure", false, "accept unauthenticated clients on HOST:PORT")
	f.BoolVarP(&verbose, "verbose", "v", false, "log more")
	for _, o := range options {
		sets = append(sets, o.Add(f))
		c.Long += "\n\n" + o.Help
		c.Example += "\n" + o.Example
	}
	return c
}
