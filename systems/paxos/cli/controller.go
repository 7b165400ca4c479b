// Package cli is the part of Paxos in the command line of p4ce: the application of the controller,
// and how its state is printed.
package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/ctrl"
	"github.com/p4ce/p4ce/ctrl/admin"
	ctrlcli "github.com/p4ce/p4ce/ctrl/cli"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/pipeline"
	"github.com/p4ce/p4ce/ctrl/session"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link/files"
	"github.com/p4ce/p4ce/systems/paxos/control"
)

// App is the application for the controller.
var App = ctrlcli.App{
	Program: control.Program,
	Usage:   "--deployment FILE",
	Help: `  paxos loads p4/paxos/paxos.p4 on all switches of a --deployment, which describes their wiring
        and their replicated logs. It assigns the roles, replaces lost leaders and acceptors,
        and trims the logs. Needs --journal, or --store etcd:ENDPOINTS.`,
	Example: "  p4ce controller --deployment paxos.json --journal /var/lib/p4ce/paxos",
	New:     func() ctrlcli.Flags { return new(flags) },
	Status:  printStatus,
}

// flags say which deployment of replicated logs is driven.
type flags struct{ deployment, journal string }

func (p *flags) Add(f *pflag.FlagSet) {
	f.StringVar(&p.deployment, "deployment", "", "paxos: JSON file with the switches, their wiring, and the applications that run on them; replaces --switch")
	f.StringVar(&p.journal, "journal", "", "paxos: folder for the durable record of rounds; it must survive as long as the switches run")
}

func (p *flags) App(sw ctrlcli.Switch, _ ctrlcli.Kept) (session.App, error) {
	return nil, cli.Usagef("--switch %s: runs paxos, which needs --deployment in place of --switch", sw.Address)
}

// deploymentUnit is the name of the unit of a deployment's switches, and of its journal.
const deploymentUnit = "deployment"

func (p *flags) Fleet() (*ctrlcli.Fleet, error) {
	if p.deployment == "" {
		if p.journal != "" {
			return nil, cli.Usagef("--journal needs --deployment")
		}
		return nil, nil
	}
	return &ctrlcli.Fleet{Flag: "deployment", Unit: deploymentUnit, Prepare: p.prepare}, nil
}

func (p *flags) prepare(etcd bool, log *slog.Logger) (ctrlcli.Make, error) {
	switch {
	case !etcd && p.journal == "":
		return nil, cli.Usagef("--deployment needs --journal, or --store etcd:ENDPOINTS [a round must not be given out twice]")
	case etcd && p.journal != "":
		return nil, cli.Usagef("--journal and --store etcd:ENDPOINTS: leave one out [only one of them gives out rounds]")
	}
	text, err := files.Read(p.deployment, files.Settings)
	if err != nil {
		return nil, cli.Usage(fmt.Errorf("--deployment: %w", err))
	}
	conf, err := control.ParseConfig(text)
	if err != nil {
		return nil, cli.Usage(fmt.Errorf("--deployment %s: %w", p.deployment, err))
	}
	return func(ctx context.Context, kept ctrlcli.Kept, options p4rtclient.Options) ([]ctrl.SwitchConfig, func(), error) {
		if kept.Records != nil {
			j, err := control.OpenKeptJournal(kept.Records, deploymentUnit)
			if err != nil {
				return nil, nil, err
			}
			return serve(ctx, conf, j, options, log)
		}
		j, err := control.OpenJournal(p.journal)
		if err != nil {
			return nil, nil, err
		}
		list, end, err := serve(ctx, conf, j, options, log)
		if err != nil {
			j.Close()
			return nil, nil, err
		}
		return list, func() { end(); j.Close() }, nil
	}, nil
}

// serve makes the switches, which go on as the journal says.
func serve(ctx context.Context, conf *control.Config, j control.Journal, options p4rtclient.Options, log *slog.Logger) (out []ctrl.SwitchConfig, end func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	d, err := control.NewDeployment(ctx, conf, j, log)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	for _, name := range conf.Net.Switches() {
		sw := conf.Switches[name]
		o := options
		o.Address = sw.P4Runtime
		if sw.DeviceID != 0 {
			o.DeviceID = sw.DeviceID
		}
		sc := ctrl.SwitchConfig{Name: name, P4RT: o, App: d.App(name)}
		if sw.P4Info != "" {
			if sc.Pipeline, err = pipeline.Read(sw.P4Info, sw.DeviceConfig); err != nil {
				cancel()
				d.Close()
				return nil, nil, fmt.Errorf("--deployment: switch %s: %w", name, err)
			}
		}
		out = append(out, sc)
	}
	return out, func() { cancel(); d.Close() }, nil
}

// printStatus prints what the application says about a switch.
func printStatus(w io.Writer, sw *admin.SwitchStatus) error {
	st, err := control.StatusOf(sw)
	if err != nil {
		return err
	}
	for _, r := range st.Roles {
		leads := ""
		if r.Leads {
			leads = ", leads now"
		}
		fmt.Fprintf(w, "  %s: %s%s\n", r.Application, strings.Join(r.Roles, ", "), leads)
	}
	if len(st.Down) > 0 {
		fmt.Fprintf(w, "  links that are down: at ports %s\n", strings.Trim(fmt.Sprint(st.Down), "[]"))
	}
	return nil
}
