package main

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/ctrl/app/rdma"
	"github.com/p4ce/p4ce/ctrl/app/rdma/group"
	"github.com/p4ce/p4ce/ctrl/session"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/wire"
)

// rdmaFlags say what the switches are that run rdma.p4.
type rdmaFlags struct {
	conf            rdma.Config
	mac, store      string
	addrs, hosts    []string
	classes, pipes  []string
	allow, clusters []string
	ports           []uint
	haveStore       rdma.Store // one for all switches
}

func (r *rdmaFlags) add(f *pflag.FlagSet) {
	f.StringSliceVar(&r.addrs, "address", nil, "IPv4 address of the switch itself, which leaders connect to")
	f.StringVar(&r.mac, "mac", "", "MAC address of the switch itself")
	f.StringArrayVar(&r.hosts, "host", nil, "an attached host that need not be learnt: IP,MAC,PORT (repeat for each)")
	f.UintSliceVar(&r.ports, "ports", nil, "ports of the switch that hosts may be on (default 1 to 32)")
	f.StringArrayVar(&r.classes, "port-class", nil, "ports that lead to the same place, such as uplinks: CLASS=PORTS, for instance 512=30,31 (repeat for each; classes from 512 up)")
	f.StringArrayVar(&r.pipes, "pipe", nil, "which pipe of the chip ports are on: PIPE=PORTS, for instance 0=1-16 (repeat for each; default: there is one)")
	f.StringSliceVar(&r.allow, "allow", nil, "prefixes of servers that may form groups (default: all)")
	f.StringArrayVar(&r.clusters, "cluster", nil, "a cluster whose leaders may form groups of its servers: ID=TOKEN[,PREFIX...], its number, its token, and where its servers are (repeat for each; default: any, and servers themselves refuse strangers)")
	f.DurationVar(&r.conf.Group.SetupTimeout, "setup-timeout", 0, "how long the forming of a group may take (default 10s)")
	f.DurationVar(&r.conf.CNPInterval, "cnp-interval", 0, "pass on at most one congestion notification per group in this time (default 50µs; negative: all)")
	f.IntVar(&r.conf.Group.MaxPathMTU, "max-path-mtu", 2048, "refuse leaders with a larger path MTU: XDP cannot copy their packets; a Tofino can (4096)")
	f.BoolVar(&r.conf.Group.ICRCOff, "icrc-off", false, "do not keep the ICRC valid (for RNICs whose check is off)")
	f.StringVar(&r.store, "store", "", "folder that keeps what a restarted controller must know (default: nothing is kept)")
}

// app makes the application of one switch.
func (r *rdmaFlags) app(sw switchFlag) (session.App, error) {
	c := r.conf // a copy for each
	mac, addrs := r.mac, r.addrs
	if sw.mac != "" {
		mac = sw.mac
	}
	if len(sw.addrs) > 0 {
		addrs = sw.addrs
	}
	if mac == "" || len(addrs) == 0 {
		return nil, usagef("--switch %s: runs rdma, which needs --mac and --address", sw.address)
	}
	var err error
	if c.MAC, err = rdma.ParseMAC(mac); err != nil {
		return nil, usageError{fmt.Errorf("--mac: %w", err)}
	}
	for _, s := range addrs {
		ip, err := netip.ParseAddr(s)
		a, ok := wire.AddrFrom(ip)
		if err != nil || !ok {
			return nil, usagef("--address %q is no IPv4 address", s)
		}
		c.IPs = append(c.IPs, a)
	}
	for _, s := range r.hosts {
		h, err := rdma.ParseHost(s)
		if err != nil {
			return nil, usageError{fmt.Errorf("--host: %w", err)}
		}
		c.Hosts = append(c.Hosts, h)
	}
	for _, s := range r.allow {
		p, err := netip.ParsePrefix(s)
		if err != nil {
			return nil, usageError{fmt.Errorf("--allow: %w", err)}
		}
		c.Group.Allow = append(c.Group.Allow, p)
	}
	for _, s := range r.clusters {
		of, err := parseCluster(s)
		if err != nil {
			return nil, err
		}
		c.Group.Clusters = append(c.Group.Clusters, of)
	}
	if c.Ports, err = portNumbers(r.ports); err != nil {
		return nil, err
	}
	for _, s := range r.classes {
		if err := c.Wiring.AddClass(s); err != nil {
			return nil, usageError{fmt.Errorf("--port-class: %w", err)}
		}
	}
	for _, s := range r.pipes {
		if err := c.Wiring.AddPipe(s); err != nil {
			return nil, usageError{fmt.Errorf("--pipe: %w", err)}
		}
	}
	if cm.MTUCode(c.Group.MaxPathMTU) == 0 || cm.MTUBytes(cm.MTUCode(c.Group.MaxPathMTU)) != c.Group.MaxPathMTU {
		return nil, usagef("--max-path-mtu %d: 256, 512, 1024, 2048 or 4096", c.Group.MaxPathMTU)
	}
	if r.store != "" && r.haveStore == nil {
		if r.haveStore, err = rdma.NewFileStore(r.store); err != nil {
			return nil, err
		}
	}
	c.Store = r.haveStore
	return rdma.New(c)
}

// portNumbers checks --ports.
func portNumbers(list []uint) (out []uint16, err error) {
	for _, p := range list {
		if p > uint(dataplane.MaxPort) {
			return nil, usagef("--ports %d: ports go from 0 to %d", p, dataplane.MaxPort)
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
