package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/ctrl"
	"github.com/p4ce/p4ce/ctrl/app/l2"
	"github.com/p4ce/p4ce/ctrl/app/rdma"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/pipeline"
	"github.com/p4ce/p4ce/ctrl/session"
	"github.com/p4ce/p4ce/dataplane/agent"
	"github.com/p4ce/p4ce/lab/launch"
)

// defaultAdmin is where a controller's admin API listens.
const defaultAdmin = "127.0.0.1:9561"

func controllerCommand() *cobra.Command {
	var (
		cfg            ctrl.Config
		switches       []string
		tls            p4rtclient.TLS
		election       uint64
		deviceID       uint64
		p4info, device string
		verbose        bool
		age            time.Duration
		ofRDMA         rdmaFlags
		ofPaxos        paxosFlags
	)
	// The applications, by the program that they are for.
	programs := map[string]func(switchFlag) (session.App, error){
		rdma.Program: ofRDMA.app,
		l2.Program: func(switchFlag) (session.App, error) {
			ports, err := portNumbers(ofRDMA.ports)
			if err != nil {
				return nil, err
			}
			return l2.New(l2.Config{Ports: ports, Age: age})
		},
	}
	c := &cobra.Command{
		Use:   "controller --switch ADDRESS[=PROGRAM]... | --deployment FILE",
		Short: "Run the controller of one or more switches",
		Long: `Run the controller of one or more switches. Each runs a program, and the controller has an
application for it:

  rdma  (the default) loads p4/rdma/rdma.p4, answers ARP, learns the attached hosts, and
        forms a group when a leader connects to the switch by RDMA connection management.
        With --cluster it does so for those only who prove that they know the token of a
        cluster, and of that cluster's servers only. Needs --address and --mac.
  l2    loads p4/l2/l2.p4: the switch learns MAC addresses, which age out after --age.

  paxos loads p4/paxos/paxos.p4 on all switches of a --deployment, which says how they are wired
        and which replicated logs they keep. It gives the roles, replaces leaders and acceptors
        that are lost, and trims the logs. Needs --journal.

What differs from switch to switch is said with it: --switch ADDRESS=PROGRAM,KEY=VALUE...,
where KEY is mac, address, device-id, or name (in logs and metrics). It drives any P4Runtime
switch that runs the program.`,
		Example: `  p4ce controller --address 10.66.0.1 --mac 02:50:34:63:65:01
  p4ce controller --switch 192.0.2.7:9559 --address 10.0.0.1 --mac 02:00:00:00:00:01 --cluster 1=8273645,10.0.0.0/28 --cluster 2=1928374,10.0.0.16/28
  p4ce controller --switch 192.0.2.9:9559=l2 --ports 1,2,3 --age 1m
  p4ce controller --switch 192.0.2.7:9559=rdma,mac=02:00:00:00:00:01,address=10.0.0.1 --switch 192.0.2.8:9559=rdma,mac=02:00:00:00:00:02,address=10.0.1.1
  p4ce controller --deployment paxos.json --journal /var/lib/p4ce/paxos`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg.Log = logger(cmd.ErrOrStderr(), verbose)
			if (p4info == "") != (device == "") {
				return usagef("--p4info and --device-config belong together")
			}
			out := printer{out: json.NewEncoder(cmd.OutOrStdout())}
			cfg.Ready = func() { out.print(event{Event: launch.Ready, Role: "controller"}) }
			if ofPaxos.deployment != "" {
				if cmd.Flags().Changed("switch") || p4info != "" {
					return usagef("--deployment says which switches there are, and what they run: leave out --switch and --p4info")
				}
				return out.ends(ofPaxos.run(cmd.Context(), cfg, p4rtclient.Options{DeviceID: deviceID, TLS: tls, ElectionLow: election}))
			}
			if ofPaxos.journal != "" {
				return usagef("--journal belongs to --deployment")
			}
			for _, text := range switches {
				sw, err := parseSwitch(text, deviceID)
				if err != nil {
					return err
				}
				app := programs[sw.program]
				if app == nil {
					return usagef("--switch %s: no application for program %q (there is one for %s)", text, sw.program, strings.Join(slices.Sorted(maps.Keys(programs)), ", "))
				}
				sc := ctrl.SwitchConfig{Name: sw.name, P4RT: p4rtclient.Options{Address: sw.address, DeviceID: sw.deviceID, TLS: tls, ElectionLow: election}}
				if sc.App, err = app(sw); err != nil {
					return err
				}
				if p4info != "" {
					if sc.Pipeline, err = pipeline.Read(p4info, device); err != nil {
						return err
					}
				}
				cfg.Switches = append(cfg.Switches, sc)
			}
			return out.ends(ctrl.Run(cmd.Context(), cfg))
		},
	}
	f := c.Flags()
	f.StringArrayVar(&switches, "switch", []string{agent.DefaultListen}, "P4Runtime server of a switch, and the program that it shall run: HOST:PORT or unix:PATH, then =PROGRAM (default rdma) and ,KEY=VALUE for what is its own (repeat for each)")
	f.Uint64Var(&deviceID, "device-id", 1, "P4Runtime device id of the switch")
	f.Uint64Var(&election, "election-id", 1, "P4Runtime election id: of several controllers the one with the highest writes")
	f.StringVar(&cfg.Admin, "admin", defaultAdmin, "address of the admin API and of /metrics: HOST:PORT or unix:PATH")
	f.StringVar(&p4info, "p4info", "", "p4info of the program as another compiler has built it, for a switch that is not p4ce's (default: the program in this binary)")
	f.StringVar(&device, "device-config", "", "what that compiler has built, as the switch takes it (P4Runtime p4_device_config)")
	f.StringVar(&tls.CA, "tls-ca", "", "CA of the switch's certificate (PEM)")
	f.StringVar(&tls.Cert, "tls-cert", "", "client certificate (PEM)")
	f.StringVar(&tls.Key, "tls-key", "", "client key (PEM)")
	f.BoolVarP(&verbose, "verbose", "v", false, "log more")
	f.DurationVar(&age, "age", 0, "l2: how long an address is known that nobody sends from (default 5m)")
	ofRDMA.add(f)
	ofPaxos.add(f)
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
	sw := switchFlag{program: rdma.Program, deviceID: deviceID}
	rest := ""
	sw.address, rest, _ = strings.Cut(text, "=")
	if sw.address == "" {
		return sw, usagef("--switch %q: want ADDRESS[=PROGRAM[,KEY=VALUE...]]", text)
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
			return sw, usagef("--switch %q: %q is not KEY=VALUE", text, f)
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
			return sw, usagef("--switch %q: %v", text, err)
		}
	}
	return sw, nil
}
