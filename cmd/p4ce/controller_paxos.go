package main

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/ctrl"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/store"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/link/files"
	"github.com/p4ce/p4ce/systems/paxos/control"
)

// paxosFlags say which deployment of replicated logs is driven.
type paxosFlags struct {
	deployment, journal string
}

func (p *paxosFlags) add(f *pflag.FlagSet) {
	f.StringVar(&p.deployment, "deployment", "", "paxos: file (JSON) that says which switches there are, how they are wired, and which applications run on them; instead of --switch")
	f.StringVar(&p.journal, "journal", "", "paxos: folder of the durable record of rounds, which must not be lost while the switches run")
}

// deploymentUnit is the name of the unit of a deployment's switches, and of its journal.
const deploymentUnit = "deployment"

// run runs the controller of a deployment.
func (p *paxosFlags) run(ctx context.Context, cfg ctrl.Config, options p4rtclient.Options) error {
	switch {
	case cfg.Replicated == nil && p.journal == "":
		return cli.Usagef("--deployment needs --journal, or --store %sENDPOINTS: rounds that were handed out must not be handed out again", storeEtcd)
	case cfg.Replicated != nil && p.journal != "":
		return cli.Usagef("--journal and --store %s: rounds are handed out by one of them", storeEtcd)
	}
	text, err := files.Read(p.deployment, files.Settings)
	if err != nil {
		return cli.Usage(fmt.Errorf("--deployment: %w", err))
	}
	conf, err := control.ParseConfig(text)
	if err != nil {
		return cli.Usage(fmt.Errorf("--deployment %s: %w", p.deployment, err))
	}
	// serve makes the switches, which go on as the journal says.
	serve := func(ctx context.Context, j control.Journal) (out []ctrl.SwitchConfig, end func(), err error) {
		ctx, cancel := context.WithCancel(ctx)
		d, err := control.NewDeployment(ctx, conf, j, cfg.Log)
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
			out = append(out, ctrl.SwitchConfig{Name: name, P4RT: o, App: d.App(name)})
		}
		return out, func() { cancel(); d.Close() }, nil
	}
	if cfg.Replicated != nil {
		cfg.Replicated.Units = []ctrl.Unit{{Name: deploymentUnit, Make: func(ctx context.Context, kept store.Records) ([]ctrl.SwitchConfig, func(), error) {
			j, err := control.OpenKeptJournal(kept, deploymentUnit)
			if err != nil {
				return nil, nil, err
			}
			return serve(ctx, j)
		}}}
		return ctrl.Run(ctx, cfg)
	}
	j, err := control.OpenJournal(p.journal)
	if err != nil {
		return err
	}
	defer j.Close()
	list, end, err := serve(ctx, j)
	if err != nil {
		return err
	}
	defer end()
	cfg.Switches = list
	return ctrl.Run(ctx, cfg)
}
