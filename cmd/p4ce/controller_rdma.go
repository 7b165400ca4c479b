package main

import (
	"context"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/p4ce/p4ce/ctrl"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/internal/cli"

	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/ctrl/session"
	"github.com/p4ce/p4ce/ctrl/store"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/link/files"
	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/control"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
)

// rdmaFlags say what the switches are that run rdma.p4.
type rdmaFlags struct {
	conf            control.Config
	mac, store      string
	addrs, hosts    []string
	classes, pipes  []string
	allow, clusters []string
	ports, routers  []uint
	haveStore       control.Store // one for all switches
	topology        string
}

func (r *rdmaFlags) add(f *pflag.FlagSet) {
	f.StringSliceVar(&r.addrs, "address", nil, "IPv4 address of the switch itself, which leaders connect to")
	f.StringVar(&r.mac, "mac", "", "MAC address of the switch itself")
	f.StringArrayVar(&r.hosts, "host", nil, "an attached host that need not be learnt: IP,MAC,PORT (repeat for each)")
	f.UintSliceVar(&r.ports, "ports", nil, "ports of the switch that hosts may be on (default 1 to 32)")
	f.IntVar(&r.conf.HostsPerPort, "hosts-per-port", 0, "how many hosts may be learnt on one port (default 256)")
	f.DurationVar(&r.conf.HostAge, "host-age", 0, "ask a learnt host that was silent for so long whether it is there, and forget it if not (default 10m; negative: never)")
	f.BoolVar(&r.conf.StrictHosts, "strict-hosts", false, "learn nobody: hosts are those of --host (or of the topology), on their ports, and no others; they send IPv4 and ARP")
	f.UintSliceVar(&r.routers, "ipv6-router-ports", nil, "ports of the switch where IPv6 routers are: router advertisements and redirects pass from these only")
	f.StringArrayVar(&r.classes, "port-class", nil, "ports that lead to the same place, such as uplinks: CLASS=PORTS, for instance 512=30,31 (repeat for each; classes from 512 up)")
	f.StringArrayVar(&r.pipes, "pipe", nil, "which pipe of the chip ports are on: PIPE=PORTS, for instance 0=1-16 (repeat for each; default: there is one)")
	f.StringSliceVar(&r.allow, "allow", nil, "prefixes of servers that may form groups (default: all)")
	f.StringArrayVar(&r.clusters, "cluster", nil, "a cluster whose leaders may form groups of its servers: ID=TOKEN[,PREFIX...], its number, its token (@FILE, a number in a file, env:NAME, in the environment, or 0 for none), and where its servers are (repeat for each; default: any, and servers themselves refuse strangers)")
	f.DurationVar(&r.conf.Group.SetupTimeout, "setup-timeout", 0, "how long the forming of a group may take (default 10s)")
	f.DurationVar(&r.conf.CNPInterval, "cnp-interval", 0, "pass on at most one congestion notification per group in this time (default 50µs; negative: all)")
	f.IntVar(&r.conf.Group.MaxPathMTU, "max-path-mtu", 2048, "refuse leaders with a larger path MTU: XDP cannot copy their packets; a Tofino can (4096)")
	f.BoolVar(&r.conf.Group.ICRCOff, "icrc-off", false, "do not keep the ICRC valid (for RNICs whose check is off)")
	f.StringVar(&r.topology, "topology", "", "JSON file that says which switches there are, how they are wired, and who is attached: groups over all of them")
	f.StringVar(&r.store, "store", "", "where is kept what the next controller must know: a FOLDER; embedded:FOLDER, an etcd server in this process; or etcd:ENDPOINT[,ENDPOINT...] (HOST:PORT or unix:PATH), for several controllers (default: nothing is kept)")
}

// app makes the application of one switch.
func (r *rdmaFlags) app(sw switchFlag) (session.App, error) {
	c, err := r.common()
	if err != nil {
		return nil, err
	}
	mac, addrs := r.mac, r.addrs
	if sw.mac != "" {
		mac = sw.mac
	}
	if len(sw.addrs) > 0 {
		addrs = sw.addrs
	}
	if mac == "" || len(addrs) == 0 {
		return nil, cli.Usagef("--switch %s: runs rdma, which needs --mac and --address", sw.address)
	}
	if c.MAC, err = control.ParseMAC(mac); err != nil {
		return nil, cli.Usage(fmt.Errorf("--mac: %w", err))
	}
	for _, s := range addrs {
		ip, err := netip.ParseAddr(s)
		a, ok := wire.AddrFrom(ip)
		if err != nil || !ok {
			return nil, cli.Usagef("--address %q is no IPv4 address", s)
		}
		c.IPs = append(c.IPs, a)
	}
	for _, s := range r.hosts {
		h, err := control.ParseHost(s)
		if err != nil {
			return nil, cli.Usage(fmt.Errorf("--host: %w", err))
		}
		c.Hosts = append(c.Hosts, h)
	}
	if c.Ports, err = portNumbers("--ports", r.ports); err != nil {
		return nil, err
	}
	if c.Routers, err = portNumbers("--ipv6-router-ports", r.routers); err != nil {
		return nil, err
	}
	for _, s := range r.classes {
		if err := c.Wiring.AddClass(s); err != nil {
			return nil, cli.Usage(fmt.Errorf("--port-class: %w", err))
		}
	}
	for _, s := range r.pipes {
		if err := c.Wiring.AddPipe(s); err != nil {
			return nil, cli.Usage(fmt.Errorf("--pipe: %w", err))
		}
	}
	return control.New(c)
}

// common is what is the same for all switches.
func (r *rdmaFlags) common() (control.Config, error) {
	c := r.conf // a copy for each
	var err error
	for _, s := range r.allow {
		p, err := netip.ParsePrefix(s)
		if err != nil {
			return c, cli.Usage(fmt.Errorf("--allow: %w", err))
		}
		c.Group.Allow = append(c.Group.Allow, p)
	}
	for _, s := range r.clusters {
		of, err := parseCluster(s)
		if err != nil {
			return c, err
		}
		c.Group.Clusters = append(c.Group.Clusters, of)
	}
	if cm.MTUCode(c.Group.MaxPathMTU) == 0 || cm.MTUBytes(cm.MTUCode(c.Group.MaxPathMTU)) != c.Group.MaxPathMTU {
		return c, cli.Usagef("--max-path-mtu %d: 256, 512, 1024, 2048 or 4096", c.Group.MaxPathMTU)
	}
	if r.store != "" && r.haveStore == nil {
		if r.haveStore, err = control.NewFileStore(r.store); err != nil {
			return c, err
		}
	}
	c.Store = r.haveStore
	return c, nil
}

// topologyUnit is the name of the unit of a topology's switches.
const topologyUnit = "topology"

// serve has the controller serve switches, alone or as a unit that others may stand by for.
func (r *rdmaFlags) serve(cfg *ctrl.Config, unit string, do func(*rdmaFlags) ([]ctrl.SwitchConfig, error)) error {
	if cfg.Replicated == nil {
		list, err := do(r)
		cfg.Switches = append(cfg.Switches, list...)
		return err
	}
	cfg.Replicated.Units = append(cfg.Replicated.Units, ctrl.Unit{Name: unit, Make: func(_ context.Context, kept store.Records) ([]ctrl.SwitchConfig, func(), error) {
		term := *r
		term.haveStore = control.NewKeptStore(kept)
		list, err := do(&term)
		return list, nil, err
	}})
	return nil
}

// fabric are the switches of --topology.
func (r *rdmaFlags) fabric(p4rt p4rtclient.Options) (out []ctrl.SwitchConfig, err error) {
	text, err := files.Read(r.topology, files.Settings)
	if err != nil {
		return nil, err
	}
	f, err := control.ParseFabric(text)
	if err != nil {
		return nil, cli.Usage(fmt.Errorf("--topology %s: %w", r.topology, err))
	}
	for i := range f.Switches {
		sw := &f.Switches[i]
		if f.Net.Plain(sw.Name) {
			continue
		}
		base, err := r.common()
		if err != nil {
			return nil, err
		}
		conf, err := f.Config(base, sw.Name)
		if err != nil {
			return nil, err
		}
		app, err := control.New(conf)
		if err != nil {
			return nil, err
		}
		p4rt.Address, p4rt.DeviceID = sw.P4Runtime, sw.DeviceID
		out = append(out, ctrl.SwitchConfig{Name: sw.Name, P4RT: p4rt, App: app})
	}
	return out, nil
}

// portNumbers checks --ports.
func portNumbers(flag string, list []uint) (out []uint16, err error) {
	for _, p := range list {
		if p > uint(dataplane.MaxPort) {
			return nil, cli.Usagef("%s %d: ports go from 0 to %d", flag, p, dataplane.MaxPort)
		}
		out = append(out, uint16(p))
	}
	return out, nil
}

// parseCluster parses a --cluster flag.
func parseCluster(s string) (group.Cluster, error) {
	var of group.Cluster
	id, rest, ok := strings.Cut(s, "=")
	list := strings.Split(rest, ",")
	var err error
	of.Cluster, err = strconv.ParseUint(id, 0, 64)
	if ok {
		var err error
		if of.Token, err = cli.ReadToken(list[0]); err != nil {
			return of, cli.Usagef("--cluster %s=...: %v", id, err)
		}
	}
	if !ok || err != nil {
		return of, cli.Usagef("--cluster %s...: want ID=TOKEN[,PREFIX...], with a number for ID, and for TOKEN @FILE, env:NAME, or 0 for none", id)
	}
	for _, p := range list[1:] {
		prefix, err := netip.ParsePrefix(p)
		if err != nil {
			return of, cli.Usagef("--cluster %s=...: %q is no prefix (10.0.0.0/28)", id, p)
		}
		of.Servers = append(of.Servers, prefix)
	}
	return of, nil
}
