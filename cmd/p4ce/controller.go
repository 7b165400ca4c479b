package main

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/ctrl"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/pipeline"
	"github.com/p4ce/p4ce/ctrl/session"
	"github.com/p4ce/p4ce/dataplane/agent"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/internal/event"
	"github.com/p4ce/p4ce/link/certs"
	"github.com/p4ce/p4ce/link/sock"
	"github.com/p4ce/p4ce/systems/l2/control"
	rdmacontrol "github.com/p4ce/p4ce/systems/rdma/control"
)

// defaultAdmin is where a controller's admin API listens.
func defaultAdmin() string { return "unix:" + sock.Default("controller.sock") }

func controllerCommand() *cobra.Command {
	var (
		cfg            ctrl.Config
		switches       []string
		files          certs.Files
		tls            *tls.Config
		name           string
		election       uint64
		deviceID       uint64
		p4info, device string
		verbose        bool
		age            time.Duration
		ofRDMA         rdmaFlags
		ofPaxos        paxosFlags
		kept           storeFlags
	)
	// The applications, by the program that they are for.
	programs := map[string]func(*rdmaFlags, switchFlag) (session.App, error){
		rdmacontrol.Program: (*rdmaFlags).app,
		control.Program: func(r *rdmaFlags, _ switchFlag) (session.App, error) {
			ports, err := portNumbers("--ports", r.ports)
			if err != nil {
				return nil, err
			}
			return control.New(control.Config{Ports: ports, Age: age})
		},
	}
	c := &cobra.Command{
		Use:   "controller --switch ADDRESS[=PROGRAM]... | --topology FILE | --deployment FILE",
		Short: "Run the controller of one or more switches",
		Long: `Run the controller of one or more switches. Each runs a program, and the controller has an
application for it:

  rdma  (the default) loads p4/rdma/rdma.p4, answers ARP, learns the attached hosts, and
        forms a group when a leader connects to the switch by RDMA connection management.
        With --cluster it does so for those only who prove that they know the token of a
        cluster, and of that cluster's servers only. Servers that have a token need it: the
        controller proves it to them. Needs --address and --mac. With
        --topology, in place of --switch, several switches form groups together: packets
        are copied as late as possible on the way to the replicas (docs/multicast.md).
  l2    loads p4/l2/l2.p4: the switch learns MAC addresses, which age out after --age.

  paxos loads p4/paxos/paxos.p4 on all switches of a --deployment, which says how they are wired
        and which replicated logs they keep. It gives the roles, replaces leaders and acceptors
        that are lost, and trims the logs. Needs --journal.

Several controllers of the same switches, each with --store etcd:ENDPOINTS, agree in etcd on which of
them serves a switch; the others stand by (docs/controllers.md).

What differs from switch to switch is said with it: --switch ADDRESS=PROGRAM,KEY=VALUE...,
where KEY is mac, address, device-id, or name (in logs and metrics). It drives any P4Runtime
switch that runs the program.`,
		Example: `  p4ce controller --address 10.66.0.1 --mac 02:50:34:63:65:01
  p4ce controller --switch 192.0.2.7:9559 --address 10.0.0.1 --mac 02:00:00:00:00:01 --cluster 1=@token1,10.0.0.0/28 --cluster 2=@token2,10.0.0.16/28
  p4ce controller --switch 192.0.2.9:9559=l2 --ports 1,2,3 --age 1m
  p4ce controller --switch 192.0.2.7:9559=rdma,mac=02:00:00:00:00:01,address=10.0.0.1 --switch 192.0.2.8:9559=rdma,mac=02:00:00:00:00:02,address=10.0.1.1
  p4ce controller --topology racks.json --store /var/lib/p4ce/groups
  p4ce controller --deployment paxos.json --journal /var/lib/p4ce/paxos
  p4ce controller --address 10.66.0.1 --mac 02:50:34:63:65:01 --store etcd:192.0.2.1:2379,192.0.2.2:2379,192.0.2.3:2379 --store-cert c.crt --store-key c.key --store-ca ca.pem`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg.Log = cli.Logger(cmd.ErrOrStderr(), verbose)
			for _, x := range []struct {
				f      *certs.Files
				prefix string
				server bool
			}{{&files, "tls-", false}, {&cfg.AdminTLS, "admin-tls-", true}, {&kept.tls, "store-", false}} {
				if err := cli.CheckTLS(x.f, x.prefix, x.server); err != nil {
					return err
				}
			}
			if files.Given() {
				var err error
				if tls, err = files.Client(cfg.Log, name); err != nil {
					return err
				}
			}
			if cfg.PuntRate == 0 {
				return cli.Usagef("--punt-rate 0: the controller needs packets; -1 is for no limit")
			}
			if (p4info == "") != (device == "") {
				return cli.Usagef("--p4info and --device-config belong together")
			}
			out := event.NewPrinter(cmd.OutOrStdout())
			defer out.Close()
			cfg.Ready = func() { out.Ready("controller") }
			open, err := kept.open(cmd, &ofRDMA.store, cfg.Insecure, cfg.Log)
			if err != nil {
				return err
			}
			if open != nil {
				defer open.close()
				if election == 0 {
					return cli.Usagef("--election-id 0: it is the upper half of the election ids, and others are 1 or more")
				}
				cfg.Replicated = &ctrl.Replicated{Store: open.store, ElectionHigh: election}
			}
			if ofPaxos.deployment != "" {
				if cmd.Flags().Changed("switch") || p4info != "" {
					return cli.Usagef("--deployment says which switches there are, and what they run: leave out --switch and --p4info")
				}
				return out.Ends(ofPaxos.run(cmd.Context(), cfg, p4rtclient.Options{DeviceID: deviceID, TLS: tls, ElectionLow: election}))
			}
			if ofPaxos.journal != "" {
				return cli.Usagef("--journal belongs to --deployment")
			}
			if ofRDMA.topology != "" {
				for _, name := range []string{"switch", "p4info", "device-id", "address", "mac", "host", "ports", "port-class", "pipe"} {
					if cmd.Flags().Changed(name) {
						return cli.Usagef("--topology says which switches there are, and how they are wired: leave out --%s", name)
					}
				}
				// The switches of a topology form groups together: one controller has all of them.
				if err := ofRDMA.serve(&cfg, topologyUnit, func(r *rdmaFlags) ([]ctrl.SwitchConfig, error) {
					return r.fabric(p4rtclient.Options{TLS: tls, ElectionLow: election})
				}); err != nil {
					return err
				}
				return out.Ends(ctrl.Run(cmd.Context(), cfg))
			}
			for _, text := range switches {
				sw, err := parseSwitch(text, deviceID)
				if err != nil {
					return err
				}
				app := programs[sw.program]
				if app == nil {
					return cli.Usagef("--switch %s: no application for program %q (there is one for %s)", text, sw.program, strings.Join(slices.Sorted(maps.Keys(programs)), ", "))
				}
				// Each switch by itself has a primary of its own.
				if err := ofRDMA.serve(&cfg, cmp.Or(sw.name, sw.address), func(r *rdmaFlags) ([]ctrl.SwitchConfig, error) {
					sc := ctrl.SwitchConfig{Name: sw.name, P4RT: p4rtclient.Options{Address: sw.address, DeviceID: sw.deviceID, TLS: tls, ElectionLow: election}}
					var err error
					if sc.App, err = app(r, sw); err == nil && p4info != "" {
						sc.Pipeline, err = pipeline.Read(p4info, device)
					}
					return []ctrl.SwitchConfig{sc}, err
				}); err != nil {
					return err
				}
			}
			return out.Ends(ctrl.Run(cmd.Context(), cfg))
		},
	}
	f := c.Flags()
	f.StringArrayVar(&switches, "switch", []string{agent.DefaultListen()}, "P4Runtime server of a switch, and the program that it shall run: HOST:PORT or unix:PATH, then =PROGRAM (default rdma) and ,KEY=VALUE for what is its own (repeat for each)")
	f.Uint64Var(&deviceID, "device-id", 1, "P4Runtime device id of the switch")
	f.Uint64Var(&election, "election-id", 1, "P4Runtime election id: of several controllers the one with the highest writes; with --store etcd: its upper half, the same for all of them")
	f.StringVar(&cfg.Admin, "admin", defaultAdmin(), "address of the admin API and of /metrics: HOST:PORT or unix:PATH")
	f.StringVar(&p4info, "p4info", "", "p4info of the program as another compiler has built it, for a switch that is not p4ce's (default: the program in this binary)")
	f.StringVar(&device, "device-config", "", "what that compiler has built, as the switch takes it (P4Runtime p4_device_config)")
	cli.TLSFlags(f, &files, "tls-", "the controller", "switches must have certificates of theirs")
	f.StringVar(&name, "tls-name", "", "TLS: the name in the switches' certificates, when it is not that of their address")
	cli.TLSFlags(f, &cfg.AdminTLS, "admin-tls-", "the admin API", "its clients must have certificates of theirs")
	f.StringVar(&cfg.AdminRights, "admin-rights", "", "file that says what clients of the admin API may do, by the names in their certificates: client NAME read, or client NAME write [PATTERN...] (docs/security.md); default: everything")
	f.BoolVar(&cfg.Insecure, "insecure", false, "have the admin API listen on HOST:PORT although nobody has to prove who he is")
	f.IntVar(&cfg.PuntRate, "punt-rate", session.DefaultPuntRate, "how many packets per second each port may send to the controller, for each reason by itself, and at once; -1: any number")
	f.StringVar(&cfg.Metrics, "metrics", "", "address of /metrics and /healthz alone, for Prometheus, for example 127.0.0.1:9561")
	f.BoolVarP(&verbose, "verbose", "v", false, "log more")
	f.DurationVar(&age, "age", 0, "l2: how long an address is known that nobody sends from (default 5m)")
	ofRDMA.add(f)
	ofPaxos.add(f)
	kept.add(f)
	return c
}

// switchFlag is what --switch says of one switch.
type switchFlag struct {
	name, address string
	program       string
	deviceID      uint64
	mac           string
	addrs         []string
}

// parseSwitch reads ADDRESS[=PROGRAM[,KEY=VALUE]...].
func parseSwitch(text string, deviceID uint64) (switchFlag, error) {
	sw := switchFlag{program: rdmacontrol.Program, deviceID: deviceID}
	rest := ""
	sw.address, rest, _ = strings.Cut(text, "=")
	if sw.address == "" {
		return sw, cli.Usagef("--switch %q: want ADDRESS[=PROGRAM[,KEY=VALUE...]]", text)
	}
	for i, f := range strings.Split(rest, ",") {
		key, value, ok := strings.Cut(f, "=")
		switch {
		case i == 0 && !ok:
			if key != "" {
				sw.program = key
			}
			continue
		case !ok || value == "":
			return sw, cli.Usagef("--switch %q: %q is not KEY=VALUE", text, f)
		}
		var err error
		switch key {
		case "name":
			sw.name = value
		case "mac":
			sw.mac = value
		case "address":
			sw.addrs = append(sw.addrs, value)
		case "device-id":
			sw.deviceID, err = strconv.ParseUint(value, 10, 64)
		default:
			err = fmt.Errorf("there is no key %q (mac, address, device-id, name)", key)
		}
		if err != nil {
			return sw, cli.Usagef("--switch %q: %v", text, err)
		}
	}
	return sw, nil
}
