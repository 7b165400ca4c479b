// Package cli is the part of atomic multicast in p4ce's command line: the controller's application, and the command
// p4ce amcast.
package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/ctrl"
	"github.com/p4ce/p4ce/ctrl/admin"
	ctrlcli "github.com/p4ce/p4ce/ctrl/cli"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/session"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link/files"
	"github.com/p4ce/p4ce/systems/amcast/control"
)

// App is the application for the controller.
var App = ctrlcli.App{
	Program: control.Program,
	Usage:   "--amcast FILE",
	Help: `  amcast loads p4/amcast/amcast.p4 on all switches of --amcast, which describes their wiring, the hosts,
        and the groups. It assigns the roles, and replaces lost leaders and members. Needs --store.`,
	Example: "  p4ce controller --amcast network.json --store /var/lib/p4ce/amcast",
	New:     func() ctrlcli.Flags { return new(flags) },
	Status:  printStatus,
}

// flags say which deployment is driven.
type flags struct{ file string }

func (o *flags) Add(f *pflag.FlagSet) {
	f.StringVar(&o.file, "amcast", "", "amcast: JSON file with the switches, their wiring, the hosts and the groups; replaces --switch")
}

func (o *flags) App(sw ctrlcli.Switch, _ ctrlcli.Kept) (session.App, error) {
	return nil, cli.Usagef("--switch %s: runs amcast, which needs --amcast in place of --switch", sw.Address)
}

func (o *flags) Fleet() (*ctrlcli.Fleet, error) {
	if o.file == "" {
		return nil, nil
	}
	return &ctrlcli.Fleet{Flag: "amcast", Unit: "amcast", Prepare: o.prepare}, nil
}

func (o *flags) prepare(_ bool, log *slog.Logger) (ctrlcli.Make, error) {
	text, err := files.Read(o.file, files.Settings)
	if err != nil {
		return nil, cli.Usage(fmt.Errorf("--amcast: %w", err))
	}
	conf, err := control.ParseConfig(text)
	if err != nil {
		return nil, cli.Usage(fmt.Errorf("--amcast %s: %w", o.file, err))
	}
	return func(ctx context.Context, kept ctrlcli.Kept, options p4rtclient.Options) ([]ctrl.SwitchConfig, func(), error) {
		j, err := journal(kept)
		if err != nil {
			return nil, nil, err
		}
		return serve(ctx, conf, j, options, log)
	}, nil
}

func journal(kept ctrlcli.Kept) (control.Journal, error) {
	switch {
	case kept.Records != nil:
		return control.OpenKeptJournal(kept.Records)
	case kept.Folder != "":
		return control.OpenJournal(kept.Folder)
	}
	return nil, cli.Usagef("--amcast needs --store [an epoch must not be used again]")
}

// serve makes the switches.
func serve(ctx context.Context, conf *control.Config, j control.Journal, options p4rtclient.Options, log *slog.Logger) (out []ctrl.SwitchConfig, end func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	d, err := control.NewDeployment(ctx, conf, j, log)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	for _, name := range conf.Net.Switches() {
		o := options
		o.Address = conf.Switches[name].P4Runtime
		if id := conf.Switches[name].DeviceID; id != 0 {
			o.DeviceID = id
		}
		out = append(out, ctrl.SwitchConfig{Name: name, P4RT: o, App: d.App(name)})
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
		epoch := ""
		if r.Epoch > 0 {
			epoch = fmt.Sprintf(", epoch %d", r.Epoch)
		}
		fmt.Fprintf(w, "  group %d: %s, UDP port %d%s\n", r.Group, r.Role, r.Port, epoch)
	}
	return nil
}
