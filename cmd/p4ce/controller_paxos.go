package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/ctrl"
	"github.com/p4ce/p4ce/ctrl/app/paxos"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
)

// paxosFlags say which deployment of replicated logs is driven.
type paxosFlags struct {
	deployment, journal string
}

func (p *paxosFlags) add(f *pflag.FlagSet) {
	f.StringVar(&p.deployment, "deployment", "", "paxos: file (JSON) that says which switches there are, how they are wired, and which applications run on them; instead of --switch")
	f.StringVar(&p.journal, "journal", "", "paxos: folder of the durable record of rounds, which must not be lost while the switches run")
}

// run runs the controller of a deployment.
func (p *paxosFlags) run(ctx context.Context, cfg ctrl.Config, options p4rtclient.Options) error {
	if p.journal == "" {
		return usagef("--deployment needs --journal: rounds that were handed out must not be handed out again")
	}
	text, err := os.ReadFile(p.deployment)
	if err != nil {
		return usageError{fmt.Errorf("--deployment: %w", err)}
	}
	conf, err := paxos.ParseConfig(text)
	if err != nil {
		return usageError{fmt.Errorf("--deployment %s: %w", p.deployment, err)}
	}
	j, err := paxos.OpenJournal(p.journal)
	if err != nil {
		return err
	}
	defer j.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d, err := paxos.NewDeployment(ctx, conf, j, cfg.Log)
	if err != nil {
		return err
	}
	defer func() { cancel(); d.Close() }()
	for _, name := range conf.Net.Switches() {
		sw := conf.Switches[name]
		o := options
		o.Address = sw.P4Runtime
		if sw.DeviceID != 0 {
			o.DeviceID = sw.DeviceID
		}
		cfg.Switches = append(cfg.Switches, ctrl.SwitchConfig{Name: name, P4RT: o, App: d.App(name)})
	}
	return ctrl.Run(ctx, cfg)
}
