// Package doctor is the command line of package doctor: p4ce doctor.
package doctor

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/doctor"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link/nic"
)

// trials bounds the trials of RDMA devices.
const trials = 30 * time.Second

// Roles are those that a machine may have. Each examines it, and returns what it found with the facts that it judged by;
// named says that these interfaces were asked for.
type Roles struct {
	Switch func(m doctor.Machine, ifs []nic.Interface, named bool) (doctor.Verdict, any)
	Server func(ctx context.Context, m doctor.Machine, ifs []nic.Interface, asked doctor.Asked) (doctor.Verdict, any)
}

// options are the command line of doctor.
type options struct {
	roles        Roles
	interfaces   []string
	rdma, device string
	json         bool
}

// Command is the command doctor.
func Command(roles Roles) *cobra.Command {
	o := options{roles: roles}
	c := &cobra.Command{
		Use:   "doctor [switch|server]",
		Short: "Say whether this machine can be a switch or a server, and what to change",
		Long: `Say whether this machine can be a switch, a server, or neither, and what to change.
The doctor changes nothing. As root it really tries: it runs an XDP program in a
network namespace of its own, and connects RDMA devices to themselves (in a p4ce built
with make verbs).

The doctor judges the interfaces that you name. If you name none, it looks at all of
them, and what they lack is only a warning.

Exit status: 0 when the machine can have the requested role (any role, if you request
none), with the requested interfaces and RDMA device; otherwise 1.`,
		Example: `  p4ce doctor
  p4ce doctor switch --interface eth1 --interface eth2
  p4ce doctor server --rdma verbs --device mlx5_0 --json`,
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"switch", "server"},
		RunE: func(cmd *cobra.Command, args []string) error {
			role := ""
			if len(args) == 1 {
				role = args[0]
			}
			return o.run(cmd.Context(), role, cmd.OutOrStdout())
		},
	}
	f := c.Flags()
	f.StringArrayVar(&o.interfaces, "interface", nil, "interface to check (repeat for each); default: all interfaces")
	f.StringVar(&o.rdma, "rdma", "", "server: RDMA endpoint to check, soft or verbs; default: any")
	f.StringVar(&o.device, "device", "", "server: RDMA device to check (implies --rdma verbs)")
	f.BoolVar(&o.json, "json", false, "print findings and facts as JSON")
	return c
}

// examination is what --json prints.
type examination struct {
	Verdicts []doctor.Verdict `json:"verdicts"`
	Switch   any              `json:"switch_facts,omitempty"`
	Server   any              `json:"server_facts,omitempty"`
}

func (o *options) run(ctx context.Context, role string, out io.Writer) error {
	switch {
	case o.rdma != "" && o.rdma != "soft" && o.rdma != "verbs":
		return cli.Usagef("--rdma must be soft or verbs, not %q", o.rdma)
	case o.device != "" && o.rdma == "soft":
		return cli.Usagef("--device %s: an RDMA device is for --rdma verbs", o.device)
	case role == "switch" && (o.rdma != "" || o.device != ""):
		return cli.Usagef("--rdma and --device are for servers; a switch has none")
	}
	m, err := doctor.ReadMachine()
	if err != nil {
		return fmt.Errorf("this machine: %w", err)
	}
	ifs, err := o.readInterfaces()
	if err != nil {
		return err
	}
	named := len(o.interfaces) > 0
	var e examination
	if role != "server" {
		v, facts := o.roles.Switch(m, ifs, named)
		e.Verdicts, e.Switch = append(e.Verdicts, v), facts
	}
	if role != "switch" {
		ctx, cancel := context.WithTimeout(ctx, trials)
		defer cancel()
		v, facts := o.roles.Server(ctx, m, ifs, doctor.Asked{Interfaces: named, Verbs: o.rdma == "verbs" || o.device != "", Device: o.device})
		e.Verdicts, e.Server = append(e.Verdicts, v), facts
	}
	if o.json {
		if err := cli.PrintJSON(out, e); err != nil {
			return err
		}
	} else {
		for i := range e.Verdicts {
			if i > 0 {
				fmt.Fprintln(out)
			}
			e.Verdicts[i].Write(out)
		}
	}
	for _, v := range e.Verdicts {
		if v.Possible {
			return nil
		}
	}
	return cli.ErrFailed
}

func (o *options) readInterfaces() ([]nic.Interface, error) {
	if len(o.interfaces) == 0 {
		return nic.ReadAll()
	}
	var all []nic.Interface
	for _, name := range o.interfaces {
		i, err := nic.Read(name)
		if err != nil {
			return nil, err
		}
		all = append(all, i)
	}
	return all, nil
}
