package main

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/ctrl"
	"github.com/p4ce/p4ce/ctrl/group"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/pipeline"
	"github.com/p4ce/p4ce/dataplane/agent"
	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/wire"
)

// defaultAdmin is where a controller's admin API listens.
const defaultAdmin = "127.0.0.1:9561"

func controllerCommand() *cobra.Command {
	var (
		sw                 ctrl.SwitchConfig
		cfg                ctrl.Config
		mac                string
		addrs, hostFlags   []string
		classes, pipes     []string
		allow, clusters    []string
		ports              []uint
		tls                p4rtclient.TLS
		deviceID, election uint64
		store              string
		p4info, device     string
		verbose            bool
	)
	c := &cobra.Command{
		Use:   "controller --switch ADDRESS --address IP --mac MAC",
		Short: "Run the controller of a switch",
		Long: `Run the controller of a switch: it loads the program, answers ARP, learns the
attached hosts, and forms a group when a leader connects to the switch by RDMA
connection management. With --cluster it does so for those only who prove that they
know the token of a cluster, and of that cluster's servers only. It drives any P4Runtime switch that runs p4/rdma/rdma.p4.`,
		Example: `  p4ce controller --address 10.66.0.1 --mac 02:50:34:63:65:01
  p4ce controller --switch 192.0.2.7:9559 --address 10.0.0.1 --mac 02:00:00:00:00:01 --cluster 1=8273645,10.0.0.0/28 --cluster 2=1928374,10.0.0.16/28`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if sw.MAC, err = ctrl.ParseMAC(mac); err != nil {
				return usageError{fmt.Errorf("--mac: %w", err)}
			}
			for _, s := range addrs {
				ip, err := netip.ParseAddr(s)
				a, ok := wire.AddrFrom(ip)
				if err != nil || !ok {
					return usagef("--address %q is no IPv4 address", s)
				}
				sw.IPs = append(sw.IPs, a)
			}
			for _, s := range hostFlags {
				h, err := ctrl.ParseHost(s)
				if err != nil {
					return usageError{fmt.Errorf("--host: %w", err)}
				}
				sw.Hosts = append(sw.Hosts, h)
			}
			for _, s := range allow {
				p, err := netip.ParsePrefix(s)
				if err != nil {
					return usageError{fmt.Errorf("--allow: %w", err)}
				}
				sw.Group.Allow = append(sw.Group.Allow, p)
			}
			for _, s := range clusters {
				of, err := parseCluster(s)
				if err != nil {
					return err
				}
				sw.Group.Clusters = append(sw.Group.Clusters, of)
			}
			for _, p := range ports {
				if p > 511 {
					return usagef("--ports %d: ports go from 0 to 511", p)
				}
				sw.Ports = append(sw.Ports, uint16(p))
			}
			for _, s := range classes {
				if err := sw.Wiring.AddClass(s); err != nil {
					return usageError{fmt.Errorf("--port-class: %w", err)}
				}
			}
			for _, s := range pipes {
				if err := sw.Wiring.AddPipe(s); err != nil {
					return usageError{fmt.Errorf("--pipe: %w", err)}
				}
			}
			if cm.MTUCode(sw.Group.MaxPathMTU) == 0 || cm.MTUBytes(cm.MTUCode(sw.Group.MaxPathMTU)) != sw.Group.MaxPathMTU {
				return usagef("--max-path-mtu %d: 256, 512, 1024, 2048 or 4096", sw.Group.MaxPathMTU)
			}
			cfg.Log = logger(cmd.ErrOrStderr(), verbose)
			sw.P4RT.DeviceID = deviceID
			sw.P4RT.TLS = tls
			sw.P4RT.ElectionLow = election
			if store != "" {
				if cfg.Store, err = ctrl.NewFileStore(store); err != nil {
					return err
				}
			}
			if (p4info == "") != (device == "") {
				return usagef("--p4info and --device-config belong together")
			}
			if p4info != "" {
				if sw.Pipeline, err = pipeline.Read(p4info, device); err != nil {
					return err
				}
			}
			cfg.Switches = []ctrl.SwitchConfig{sw}
			out := printer{out: json.NewEncoder(cmd.OutOrStdout())}
			cfg.Ready = func() { out.print(event{Event: "ready", Role: "controller"}) }
			return out.ends(ctrl.Run(cmd.Context(), cfg))
		},
	}
	f := c.Flags()
	f.StringVar(&sw.P4RT.Address, "switch", agent.DefaultListen, "P4Runtime server of the switch: HOST:PORT or unix:PATH")
	f.Uint64Var(&deviceID, "device-id", 1, "P4Runtime device id of the switch")
	f.Uint64Var(&election, "election-id", 1, "P4Runtime election id: of several controllers the one with the highest writes")
	f.StringSliceVar(&addrs, "address", nil, "IPv4 address of the switch itself, which leaders connect to")
	f.StringVar(&mac, "mac", "", "MAC address of the switch itself")
	f.StringArrayVar(&hostFlags, "host", nil, "an attached host that need not be learnt: IP,MAC,PORT (repeat for each)")
	f.UintSliceVar(&ports, "ports", nil, "ports of the switch that hosts may be on (default 1 to 32)")
	f.StringArrayVar(&classes, "port-class", nil, "ports that lead to the same place, such as uplinks: CLASS=PORTS, for instance 512=30,31 (repeat for each; classes from 512 up)")
	f.StringArrayVar(&pipes, "pipe", nil, "which pipe of the chip ports are on: PIPE=PORTS, for instance 0=1-16 (repeat for each; default: there is one)")
	f.StringSliceVar(&allow, "allow", nil, "prefixes of servers that may form groups (default: all)")
	f.StringArrayVar(&clusters, "cluster", nil, "a cluster whose leaders may form groups of its servers: ID=TOKEN[,PREFIX...], its number, its token, and where its servers are (repeat for each; default: any, and servers themselves refuse strangers)")
	f.DurationVar(&sw.Group.SetupTimeout, "setup-timeout", 0, "how long the forming of a group may take (default 10s)")
	f.DurationVar(&sw.CNPInterval, "cnp-interval", 0, "pass on at most one congestion notification per group in this time (default 50µs; negative: all)")
	f.IntVar(&sw.Group.MaxPathMTU, "max-path-mtu", 2048, "refuse leaders with a larger path MTU: XDP cannot copy their packets; a Tofino can (4096)")
	f.BoolVar(&sw.Group.ICRCOff, "icrc-off", false, "do not keep the ICRC valid (for RNICs whose check is off)")
	f.StringVar(&cfg.Admin, "admin", defaultAdmin, "address of the admin API and of /metrics: HOST:PORT or unix:PATH")
	f.StringVar(&store, "store", "", "folder that keeps what a restarted controller must know (default: nothing is kept)")
	f.StringVar(&p4info, "p4info", "", "p4info of p4/rdma/rdma.p4 as another compiler has built it, for a switch that is not p4ce's (default: the program in this binary)")
	f.StringVar(&device, "device-config", "", "what that compiler has built, as the switch takes it (P4Runtime p4_device_config)")
	f.StringVar(&tls.CA, "tls-ca", "", "CA of the switch's certificate (PEM)")
	f.StringVar(&tls.Cert, "tls-cert", "", "client certificate (PEM)")
	f.StringVar(&tls.Key, "tls-key", "", "client key (PEM)")
	f.BoolVarP(&verbose, "verbose", "v", false, "log more")
	_ = c.MarkFlagRequired("address")
	_ = c.MarkFlagRequired("mac")
	return c
}

// parseCluster parses a --cluster flag.
func parseCluster(s string) (group.Cluster, error) {
	var of group.Cluster
	id, rest, ok := strings.Cut(s, "=")
	list := strings.Split(rest, ",")
	var errs [2]error
	of.Cluster, errs[0] = strconv.ParseUint(id, 0, 64)
	of.Token, errs[1] = strconv.ParseUint(list[0], 0, 64)
	if !ok || errs != [2]error{} {
		return of, usagef("--cluster %q: want ID=TOKEN[,PREFIX...], with numbers for ID and TOKEN", s)
	}
	for _, p := range list[1:] {
		prefix, err := netip.ParsePrefix(p)
		if err != nil {
			return of, usagef("--cluster %q: %q is no prefix (10.0.0.0/28)", s, p)
		}
		of.Servers = append(of.Servers, prefix)
	}
	return of, nil
}
