package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/p4ce/p4ce/ctrl"
	"github.com/p4ce/p4ce/ctrl/admin"
	ctrlcli "github.com/p4ce/p4ce/ctrl/cli"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/internal/units"

	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/ctrl/session"
	"github.com/p4ce/p4ce/link/files"
	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/control"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
)

// App is the application for the controller.
var App = ctrlcli.App{
	Program: control.Program,
	Default: true,
	Keys:    []string{"mac", "address"},
	Usage:   "--topology FILE",
	Help: `  rdma  (the default) loads p4/rdma/rdma.p4, answers ARP, learns the attached hosts, and
        forms a group when a leader connects to the switch by RDMA connection management.
        With --cluster, the leader must prove that it knows the token of a cluster, and the
        group consists of servers of that cluster. Servers with a token require --cluster:
        the controller proves the token to them. Needs --address and --mac. With --topology
        in place of --switch, several switches form groups together, and copy packets as
        late as possible on the way to the replicas (docs/multicast.md).`,
	Example: `  p4ce controller --address 10.66.0.1 --mac 02:50:34:63:65:01
  p4ce controller --switch 192.0.2.7:9559 --address 10.0.0.1 --mac 02:00:00:00:00:01 --cluster 1=@token1,10.0.0.0/28 --cluster 2=@token2,10.0.0.16/28
  p4ce controller --switch 192.0.2.7:9559=rdma,mac=02:00:00:00:00:01,address=10.0.0.1 --switch 192.0.2.8:9559=rdma,mac=02:00:00:00:00:02,address=10.0.1.1
  p4ce controller --topology racks.json --store /var/lib/p4ce/groups
  p4ce controller --address 10.66.0.1 --mac 02:50:34:63:65:01 --store etcd:192.0.2.1:2379,192.0.2.2:2379,192.0.2.3:2379 --store-cert c.crt --store-key c.key --store-ca ca.pem`,
	New:    func() ctrlcli.Flags { return new(flags) },
	Status: printStatus,
}

// flags say what the switches are that run rdma.p4.
type flags struct {
	conf              control.Config
	mac               string
	addrs, hosts      []string
	portGroups, pipes []string
	allow, clusters   []string
	routers           []uint
	folder            control.Store // one for all switches
	topology          string
	gather            string
}

func (r *flags) Add(f *pflag.FlagSet) {
	f.StringSliceVar(&r.addrs, "address", nil, "IPv4 address of the switch itself, to which leaders connect")
	f.StringVar(&r.mac, "mac", "", "MAC address of the switch itself")
	f.StringArrayVar(&r.hosts, "host", nil, "statically configured host: IP,MAC,PORT (repeat for each)")
	f.IntVar(&r.conf.HostsPerPort, "hosts-per-port", 0, "maximum number of hosts learned per port (default 256)")
	f.DurationVar(&r.conf.HostAge, "host-age", 0, "probe a learned host after this long without a packet from it, and forget it if it does not answer (default 10m; negative: never)")
	f.BoolVar(&r.conf.StrictHosts, "strict-hosts", false, "do not learn hosts: only those of --host (or of the topology) exist, each on its port, and they send IPv4 and ARP only")
	f.UintSliceVar(&r.routers, "ipv6-router-ports", nil, "switch ports with IPv6 routers; router advertisements and redirects pass from these ports only")
	f.StringArrayVar(&r.portGroups, "port-group", nil, "port group: ports that lead to the same place, such as uplinks: NUMBER=PORTS, for instance 512=30,31 (repeat for each; numbers from 512 up)")
	f.Var(f.Lookup("port-group").Value, "port-class", "former name of --port-group")
	_ = f.MarkHidden("port-class")
	f.StringArrayVar(&r.pipes, "pipe", nil, "ports of each pipe of the chip: PIPE=PORTS, for instance 0=1-16 (repeat for each; default: a single pipe)")
	f.StringVar(&r.gather, "gather", "ingress", "where the switch gathers: ingress (all ports of a group are on one pipe of the chip) or egress (of the leader's port; replicas may be on any pipe)")
	f.StringSliceVar(&r.allow, "allow", nil, "prefixes of servers that may form groups (default: all)")
	f.StringArrayVar(&r.clusters, "cluster", nil, "cluster whose leaders may form groups of its servers: ID=TOKEN[,PREFIX...], with its number, its token (@FILE: a number in a file; env:NAME: in the environment; 0: none) and the prefixes of its servers (repeat for each; default: any cluster, and servers refuse strangers themselves)")
	f.DurationVar(&r.conf.Group.SetupTimeout, "setup-timeout", 0, "time limit for forming a group (default 10s)")
	f.DurationVar(&r.conf.CNPInterval, "cnp-interval", 0, "forward at most one congestion notification per group in this time (default 50µs; negative: all)")
	f.IntVar(&r.conf.Group.MaxPathMTU, "max-path-mtu", 2048, "refuse leaders with a larger path MTU: XDP cannot copy their packets; a Tofino can (4096)")
	f.BoolVar(&r.conf.Group.ICRCOff, "icrc-off", false, "do not keep the ICRC valid (for RNICs with the check disabled)")
	f.StringVar(&r.topology, "topology", "", "JSON file with the switches, their wiring and the attached hosts; groups span all switches")
}

// App makes the application of one switch.
func (r *flags) App(sw ctrlcli.Switch, kept ctrlcli.Kept) (session.App, error) {
	c, err := r.common(kept)
	if err != nil {
		return nil, err
	}
	mac, addrs := r.mac, r.addrs
	if macs := sw.Keys["mac"]; len(macs) > 0 {
		mac = macs[len(macs)-1]
	}
	if own := sw.Keys["address"]; len(own) > 0 {
		addrs = own
	}
	if mac == "" || len(addrs) == 0 {
		return nil, cli.Usagef("--switch %s: runs rdma, which needs --mac and --address", sw.Address)
	}
	if c.MAC, err = control.ParseMAC(mac); err != nil {
		return nil, cli.Usage(fmt.Errorf("--mac: %w", err))
	}
	for _, s := range addrs {
		ip, err := netip.ParseAddr(s)
		a, ok := wire.AddrFrom(ip)
		if err != nil || !ok {
			return nil, cli.Usagef("--address %q is not an IPv4 address", s)
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
	c.Ports = sw.Ports
	if c.Routers, err = ctrlcli.PortNumbers("--ipv6-router-ports", r.routers); err != nil {
		return nil, err
	}
	for _, s := range r.portGroups {
		if err := c.Wiring.AddPortGroup(s); err != nil {
			return nil, cli.Usage(fmt.Errorf("--port-group: %w", err))
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
func (r *flags) common(kept ctrlcli.Kept) (control.Config, error) {
	c := r.conf // a copy for each
	var err error
	switch r.gather {
	case "ingress":
	case "egress":
		c.GatherInEgress = true
	default:
		return c, cli.Usagef("--gather %q: want ingress or egress", r.gather)
	}
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
	switch {
	case kept.Records != nil:
		c.Store = control.NewKeptStore(kept.Records)
	case kept.Folder != "":
		if r.folder == nil {
			if r.folder, err = control.NewFileStore(kept.Folder); err != nil {
				return c, err
			}
		}
		c.Store = r.folder
	}
	return c, nil
}

// topologyUnit is the name of the unit of a topology's switches.
const topologyUnit = "topology"

// Fleet are the switches of --topology: they form groups together, and one controller has all of them.
func (r *flags) Fleet() (*ctrlcli.Fleet, error) {
	if r.topology == "" {
		return nil, nil
	}
	return &ctrlcli.Fleet{
		Flag: "topology", Without: []string{"device-id", "address", "mac", "host", "ports", "port-group", "port-class", "pipe"}, Unit: topologyUnit,
		Prepare: func(bool, *slog.Logger) (ctrlcli.Make, error) { return r.fabric, nil },
	}, nil
}

// fabric makes them.
func (r *flags) fabric(_ context.Context, kept ctrlcli.Kept, p4rt p4rtclient.Options) (out []ctrl.SwitchConfig, end func(), err error) {
	text, err := files.Read(r.topology, files.Settings)
	if err != nil {
		return nil, nil, err
	}
	f, err := control.ParseFabric(text)
	if err != nil {
		return nil, nil, cli.Usage(fmt.Errorf("--topology %s: %w", r.topology, err))
	}
	base, err := r.common(kept) // and one store
	if err != nil {
		return nil, nil, err
	}
	for i := range f.Switches {
		sw := &f.Switches[i]
		if f.Net.Plain(sw.Name) {
			continue
		}
		conf, err := f.Config(base, sw.Name)
		if err != nil {
			return nil, nil, err
		}
		app, err := control.New(conf)
		if err != nil {
			return nil, nil, err
		}
		p4rt.Address, p4rt.DeviceID = sw.P4Runtime, sw.DeviceID
		out = append(out, ctrl.SwitchConfig{Name: sw.Name, P4RT: p4rt, App: app})
	}
	return out, nil, nil
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
			return of, cli.Usagef("--cluster %s=...: %q is not a prefix (want for instance 10.0.0.0/28)", id, p)
		}
		of.Servers = append(of.Servers, prefix)
	}
	return of, nil
}

func printStatus(w io.Writer, sw *admin.SwitchStatus) error {
	st, err := control.StatusOf(sw)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "  own address %s (%s), gathers in the %s, %s\n", strings.Join(st.IPs, " "), st.MAC, st.Gather, units.Count(st.Groups, "group"))
	if len(st.Down) > 0 {
		fmt.Fprintf(w, "  links that are down: at ports %s\n", strings.Trim(fmt.Sprint(st.Down), "[]"))
	}
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, h := range st.Hosts {
		how := "learnt"
		if h.Static {
			how = "configured"
		}
		fmt.Fprintf(tab, "  host %s\t%s\tport %d\t%s\n", h.IP, h.MAC, h.Port, how)
	}
	return tab.Flush()
}
