// Package cli is the part of 1Pipe in p4ce's command line: the controller's application, and the command
// p4ce onepipe.
package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/ctrl"
	"github.com/p4ce/p4ce/ctrl/admin"
	ctrlcli "github.com/p4ce/p4ce/ctrl/cli"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/session"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link/files"
	"github.com/p4ce/p4ce/systems/onepipe/control"
)

// App is the application for the controller.
var App = ctrlcli.App{
	Program: control.Program,
	Usage:   "--onepipe FILE",
	Help: `  onepipe loads p4/onepipe/onepipe.p4 on all switches of --onepipe, which describes their wiring.
        It admits hosts and links to the total order. Needs --store.`,
	Example: "  p4ce controller --onepipe network.json --store /var/lib/p4ce/onepipe",
	New:     func() ctrlcli.Flags { return new(flags) },
	Status:  printStatus,
}

// flags say which network is driven.
type flags struct {
	network string
	answer  time.Duration
}

func (o *flags) Add(f *pflag.FlagSet) {
	f.StringVar(&o.network, "onepipe", "", "onepipe: JSON file with the switches, their wiring, and the hosts; replaces --switch")
	f.DurationVar(&o.answer, "onepipe-answer", 2*time.Second, "onepipe: how long a switch may leave a request unanswered until it counts as failed")
}

func (o *flags) App(sw ctrlcli.Switch, _ ctrlcli.Kept) (session.App, error) {
	return nil, cli.Usagef("--switch %s: runs onepipe, which needs --onepipe in place of --switch", sw.Address)
}

func (o *flags) Fleet() (*ctrlcli.Fleet, error) {
	if o.network == "" {
		return nil, nil
	}
	return &ctrlcli.Fleet{Flag: "onepipe", Unit: "onepipe", Prepare: o.prepare}, nil
}

func (o *flags) prepare(_ bool, log *slog.Logger) (ctrlcli.Make, error) {
	text, err := files.Read(o.network, files.Settings)
	if err != nil {
		return nil, cli.Usage(fmt.Errorf("--onepipe: %w", err))
	}
	conf, servers, err := control.ParseConfig(text)
	if err != nil {
		return nil, cli.Usage(fmt.Errorf("--onepipe %s: %w", o.network, err))
	}
	if o.answer < minAnswer || o.answer > control.MaxAnswer {
		return nil, cli.Usagef("--onepipe-answer %v: want %v to %v", o.answer, minAnswer, control.MaxAnswer)
	}
	conf.Answer = o.answer
	return func(ctx context.Context, kept ctrlcli.Kept, options p4rtclient.Options) ([]ctrl.SwitchConfig, func(), error) {
		j, err := journal(kept)
		if err != nil {
			return nil, nil, err
		}
		return serve(ctx, conf, servers, j, options, log)
	}, nil
}

// minAnswer is more than a switch with much to do takes to answer.
const minAnswer = 100 * time.Millisecond

func journal(kept ctrlcli.Kept) (control.Journal, error) {
	switch {
	case kept.Records != nil:
		return control.OpenKeptJournal(kept.Records)
	case kept.Folder != "":
		return control.OpenJournal(kept.Folder)
	}
	return nil, cli.Usagef("--onepipe needs --store [a process's number must not be used again]")
}

// serve makes the switches.
func serve(ctx context.Context, conf *control.Config, servers map[string]control.Server, j control.Journal, options p4rtclient.Options, log *slog.Logger) (out []ctrl.SwitchConfig, end func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	d, err := control.NewDeployment(ctx, conf, j, log)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	for _, name := range conf.Net.Switches() {
		o := options
		o.Address = servers[name].Address
		if id := servers[name].DeviceID; id != 0 {
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
	for _, l := range st.Links {
		fmt.Fprintf(w, "  port %d, from %s: %s\n", l.Port, l.From, l.State)
	}
	return nil
}
