package cli

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/ctrl"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/pipeline"
	"github.com/p4ce/p4ce/ctrl/session"
	"github.com/p4ce/p4ce/ctrl/store"
	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/internal/event"
	"github.com/p4ce/p4ce/link/certs"
	"github.com/p4ce/p4ce/link/sock"
)

// Controller is the command that runs the controller, with these applications. embed is for --store embedded:.
func Controller(apps []App, embed Embed) *cobra.Command {
	r := &controller{embed: embed, flags: make([]Flags, len(apps))}
	// The default comes first.
	r.apps = slices.Clone(apps)
	slices.SortStableFunc(r.apps, func(a, b App) int {
		switch {
		case a.Default == b.Default:
			return 0
		case a.Default:
			return -1
		}
		return 1
	})
	use, help, examples := "controller --switch ADDRESS[=PROGRAM]...", "", ""
	keys := []string{}
	for _, app := range r.apps {
		if app.Usage != "" {
			use += " | " + app.Usage
		}
		help += app.Help + "\n\n"
		examples += app.Example + "\n"
		for _, k := range app.Keys {
			if !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
	}
	c := &cobra.Command{
		Use:   use,
		Short: "Run the controller of one or more switches",
		Long: `Run the controller of one or more switches. Each switch runs a program, and the controller
has an application for the program:

` + help + `Several controllers of the same switches, each with --store etcd:ENDPOINTS, elect in etcd the
one that serves a switch; the others stand by (docs/controllers.md).

For settings that differ between switches, use --switch ADDRESS=PROGRAM,KEY=VALUE..., where
KEY is ` + strings.Join(append(keys, "device-id"), ", ") + `, or name (in logs and metrics). The controller drives
any P4Runtime switch that runs the program.`,
		Example: strings.TrimSuffix(examples, "\n"),
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return r.run(cmd) },
	}
	f := c.Flags()
	f.StringArrayVar(&r.switches, "switch", []string{sock.P4Runtime()}, "P4Runtime server of a switch and the program to run on it: HOST:PORT or unix:PATH, then =PROGRAM (default "+r.apps[0].Program+") and ,KEY=VALUE for settings of that program (repeat for each)")
	f.Uint64Var(&r.deviceID, "device-id", 1, "P4Runtime device id of the switch")
	f.UintSliceVar(&r.ports, "ports", nil, "ports of the switch that hosts may be on (default 1 to 32)")
	f.Uint64Var(&r.election, "election-id", 1, "P4Runtime election id; of several controllers, the one with the highest id writes. With --store etcd: the upper half of the id, the same for all controllers")
	f.StringVar(&r.cfg.Admin, "admin", defaultAdmin(), "address of the admin API and of /metrics: HOST:PORT or unix:PATH")
	f.StringVar(&r.p4info, "p4info", "", "p4info of the program from another compiler, for a third-party switch (default: the program in this binary)")
	f.StringVar(&r.device, "device-config", "", "device configuration from that compiler, in the form that the switch accepts (P4Runtime p4_device_config)")
	cli.TLSFlags(f, &r.files, "tls-", "the controller", "the switches' certificates must be signed by one of them")
	f.StringVar(&r.name, "tls-name", "", "TLS: the name in the switches' certificates, if it differs from their address")
	cli.TLSFlags(f, &r.cfg.AdminTLS, "admin-tls-", "the admin API", "its clients' certificates must be signed by one of them")
	f.StringVar(&r.cfg.AdminRights, "admin-rights", "", "rights of admin API clients by the names in their certificates, one per line: client NAME read, or client NAME write [PATTERN...] (docs/security.md); default: all rights")
	f.BoolVar(&r.cfg.Insecure, "insecure", false, "have the admin API accept unauthenticated clients on HOST:PORT")
	f.IntVar(&r.cfg.PuntRate, "punt-rate", session.DefaultPuntRate, "packets per second, and burst size, that each port may send to the controller for each reason; -1: no limit")
	f.StringArrayVar(&r.ecnRates, "ecn-rate", nil, "mark packets (ECN) that leave by a port that sends more than --ecn-share of its link's rate: RATE for all ports, PORT=RATE, or SWITCH:PORT=RATE, for instance 25Gb/s or 3=10Gb/s (repeat for each; default: no port marks for its rate)")
	f.IntVar(&r.cfg.ECN.Share, "ecn-share", session.DefaultECNShare, "percentage of a link's rate above which its port marks")
	f.StringVar(&r.ecnQueue, "ecn-queue", "", "bytes that a port may send at once above its share, and that may wait in its queue where the switch knows its queues (Tofino), before it marks (default 64KiB with --ecn-rate; without: only the switch's own queues mark)")
	f.StringVar(&r.cfg.Metrics, "metrics", "", "address of /metrics and /healthz alone, for Prometheus, for example 127.0.0.1:9561")
	f.BoolVarP(&r.verbose, "verbose", "v", false, "log more")
	r.kept.add(f)
	for i, app := range r.apps {
		r.flags[i] = app.New()
		r.flags[i].Add(f)
	}
	return c
}

// controller is the command line of the controller.
type controller struct {
	apps           []App
	flags          []Flags // of each
	embed          Embed
	cfg            ctrl.Config
	switches       []string
	ports          []uint
	files          certs.Files
	name           string
	election       uint64
	deviceID       uint64
	p4info, device string
	verbose        bool
	kept           storeFlags
	ecnRates       []string
	ecnQueue       string
}

func (r *controller) run(cmd *cobra.Command) error {
	cfg := &r.cfg
	cfg.Log = cli.Logger(cmd.ErrOrStderr(), r.verbose)
	options, err := r.check()
	if err != nil {
		return err
	}
	out := event.NewPrinter(cmd.OutOrStdout())
	defer out.Close()
	cfg.Ready = func() { out.Ready("controller") }
	open, err := r.kept.open(cmd, r.embed, cfg.Insecure, cfg.Log)
	if err != nil {
		return err
	}
	kept := Kept{Folder: r.kept.at}
	if open != nil {
		defer open.close()
		kept.Folder = ""
		if r.election == 0 {
			return cli.Usagef("--election-id 0: want 1 or more [it is the upper half of the election ids]")
		}
		cfg.Replicated = &ctrl.Replicated{Store: open.store, ElectionHigh: r.election}
	}
	fleet, err := r.fleet(cmd)
	if err != nil {
		return err
	}
	var end func()
	if fleet != nil {
		end, err = r.serveFleet(cmd.Context(), fleet, kept, options)
	} else {
		err = r.serveSwitches(kept, options)
	}
	if err != nil {
		return err
	}
	if end != nil {
		defer end()
	}
	return out.Ends(ctrl.Run(cmd.Context(), *cfg))
}

// check looks at what needs nothing else, and returns what is the same for all switches.
func (r *controller) check() (options p4rtclient.Options, err error) {
	for _, x := range []struct {
		f      *certs.Files
		prefix string
		server bool
	}{{&r.files, "tls-", false}, {&r.cfg.AdminTLS, "admin-tls-", true}, {&r.kept.tls, "store-", false}} {
		if err := cli.CheckTLS(x.f, x.prefix, x.server); err != nil {
			return options, err
		}
	}
	options = p4rtclient.Options{DeviceID: r.deviceID, ElectionLow: r.election}
	if r.files.Given() {
		if options.TLS, err = r.files.Client(r.cfg.Log, r.name); err != nil {
			return options, err
		}
	}
	if r.cfg.PuntRate == 0 {
		return options, cli.Usagef("--punt-rate 0: the controller needs packets [-1: no limit]")
	}
	if err := r.ecn(); err != nil {
		return options, err
	}
	if (r.p4info == "") != (r.device == "") {
		return options, cli.Usagef("--p4info and --device-config belong together")
	}
	return options, nil
}

// fleet is what an application's flags say of all switches, if they do.
func (r *controller) fleet(cmd *cobra.Command) (fleet *Fleet, err error) {
	for _, f := range r.flags {
		one, err := f.Fleet()
		switch {
		case err != nil:
			return nil, err
		case one != nil && fleet != nil:
			return nil, cli.Usagef("--%s and --%s: each names the switches [leave one out]", fleet.Flag, one.Flag)
		case one != nil:
			fleet = one
		}
	}
	if fleet == nil {
		return nil, nil
	}
	for _, name := range append([]string{"switch", "p4info"}, fleet.Without...) {
		if cmd.Flags().Changed(name) {
			return nil, cli.Usagef("--%s names the switches [leave out --%s]", fleet.Flag, name)
		}
	}
	return fleet, nil
}

// serveFleet has the controller serve the switches of a fleet, as a unit that others may stand by for. It returns
// what ends them, if it is not that unit's.
func (r *controller) serveFleet(ctx context.Context, fleet *Fleet, kept Kept, options p4rtclient.Options) (end func(), err error) {
	do, err := fleet.Prepare(r.cfg.Replicated != nil, r.cfg.Log)
	if err != nil {
		return nil, err
	}
	if r.cfg.Replicated == nil {
		r.cfg.Switches, end, err = do(ctx, kept, options)
		return end, err
	}
	r.cfg.Replicated.Units = append(r.cfg.Replicated.Units, ctrl.Unit{Name: fleet.Unit, Make: func(ctx context.Context, records store.Records) ([]ctrl.SwitchConfig, func(), error) {
		return do(ctx, Kept{Records: records}, options)
	}})
	return nil, nil
}

// serveSwitches has the controller serve the switches of --switch. Each by itself has a primary of its own.
func (r *controller) serveSwitches(kept Kept, options p4rtclient.Options) error {
	for _, text := range r.switches {
		sw, app, err := r.parseSwitch(text)
		if err != nil {
			return err
		}
		one := func(kept Kept) (ctrl.SwitchConfig, error) {
			sc := ctrl.SwitchConfig{Name: sw.Name, P4RT: options}
			sc.P4RT.Address, sc.P4RT.DeviceID = sw.Address, sw.DeviceID
			var err error
			if sc.App, err = app.App(sw, kept); err == nil && r.p4info != "" {
				sc.Pipeline, err = pipeline.Read(r.p4info, r.device)
			}
			return sc, err
		}
		if r.cfg.Replicated == nil {
			sc, err := one(kept)
			if err != nil {
				return err
			}
			r.cfg.Switches = append(r.cfg.Switches, sc)
			continue
		}
		r.cfg.Replicated.Units = append(r.cfg.Replicated.Units, ctrl.Unit{Name: cmp.Or(sw.Name, sw.Address), Make: func(_ context.Context, records store.Records) ([]ctrl.SwitchConfig, func(), error) {
			sc, err := one(Kept{Records: records})
			return []ctrl.SwitchConfig{sc}, nil, err
		}})
	}
	return nil
}

// parseSwitch reads ADDRESS[=PROGRAM[,KEY=VALUE]...].
func (r *controller) parseSwitch(text string) (sw Switch, flags Flags, err error) {
	sw = Switch{Program: r.apps[0].Program, DeviceID: r.deviceID, Keys: map[string][]string{}}
	rest := ""
	sw.Address, rest, _ = strings.Cut(text, "=")
	if sw.Address == "" {
		return sw, nil, cli.Usagef("--switch %q: want ADDRESS[=PROGRAM[,KEY=VALUE...]]", text)
	}
	list := strings.Split(rest, ",")
	if !strings.Contains(list[0], "=") {
		sw.Program = cmp.Or(list[0], sw.Program)
		list = list[1:]
	}
	i := slices.IndexFunc(r.apps, func(a App) bool { return a.Program == sw.Program })
	if i < 0 {
		var known []string
		for _, a := range r.apps {
			known = append(known, a.Program)
		}
		return sw, nil, cli.Usagef("--switch %s: no application for program %q [programs: %s]", text, sw.Program, strings.Join(slices.Sorted(slices.Values(known)), ", "))
	}
	for _, f := range list {
		key, value, ok := strings.Cut(f, "=")
		if !ok || value == "" {
			return sw, nil, cli.Usagef("--switch %q: %q is not KEY=VALUE", text, f)
		}
		switch {
		case key == "name":
			sw.Name = value
		case key == "device-id":
			if sw.DeviceID, err = strconv.ParseUint(value, 10, 64); err != nil {
				return sw, nil, cli.Usagef("--switch %q: %v", text, err)
			}
		case slices.Contains(r.apps[i].Keys, key):
			sw.Keys[key] = append(sw.Keys[key], value)
		default:
			return sw, nil, cli.Usagef("--switch %q: unknown key %q [keys: %s]", text, key, strings.Join(append(slices.Clone(r.apps[i].Keys), "device-id", "name"), ", "))
		}
	}
	sw.Ports, err = PortNumbers("--ports", r.ports)
	return sw, r.flags[i], err
}

// PortNumbers checks a flag that has ports of a switch.
func PortNumbers(flag string, list []uint) (out []uint16, err error) {
	for _, p := range list {
		if p > topology.MaxPort {
			return nil, cli.Usagef("%s %d: ports go from 0 to %d", flag, p, topology.MaxPort)
		}
		out = append(out, uint16(p))
	}
	return out, nil
}
