// Package kv is the Mu log for p4ce kv. The servers of a store replicate it themselves, by RDMA.
package kv

import (
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/host/kv"
	kvcli "github.com/p4ce/p4ce/host/kv/cli"
	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/systems/rdma/cli/endpoint"
	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/smr"
)

// Log is the kind of log.
var Log = kvcli.Log{
	Name: "mu", Default: true,
	About: "the servers themselves, by RDMA",
	Usage: "--id ID --member ID=ADDRESS,CLIENT ... {--interface NAME | --wire SOCKETS | --rdma verbs}",
	Help: `The servers elect a leader, which serves clients; the others name the leader.
Start all servers of a new store with the same --member flags, one for each server:
its id, its RDMA address, and the address at which it serves clients. A server with
data in its data folder knows its cluster from there.`,
	Example: `  p4ce kv --id 1 --data /var/lib/p4ce --interface eth1 --switch 10.66.0.1 \
    --listen 10.0.0.11:6379 --users users.acl \
    --member 1=10.66.0.11,10.0.0.11:6379 --member 2=10.66.0.12,10.0.0.12:6379 --member 3=10.66.0.13,10.0.0.13:6379
  redis-cli -h 10.0.0.11 --user alice --askpass SET greeting hello`,
	New:      func() kvcli.Flags { return &flags{} },
	Commands: []func() *cobra.Command{forceCommand},
}

// Values of --reads. A lease ends before its leader would be taken for dead, after
// fourteen heartbeats: a fail-over does not wait for it.
const (
	readsBarrier = "barrier"
	readsLease   = "lease"
	leaseBeats   = 10
)

// flags are those of the log.
type flags struct {
	endpoint  endpoint.Flags
	second    string
	id        uint8
	cluster   uint64
	members   []string
	port      uint16
	sw        string
	token     uint64
	logSize   int
	fsync     bool
	reads     string
	heartbeat time.Duration
}

// Add implements kvcli.Flags.
func (o *flags) Add(f *pflag.FlagSet) {
	o.endpoint.Add(f, 8*time.Millisecond) // given up after four times as long
	f.StringVar(&o.second, "second", "", "interface (with --rdma verbs: RDMA device) of a second, ordinary network that connects the servers when the switch is down")
	f.Uint8Var(&o.id, "id", 0, fmt.Sprintf("id of this server, 0 to %d", mu.MaxID))
	f.Uint64Var(&o.cluster, "cluster", 1, "cluster number; servers of other clusters are refused")
	f.StringArrayVar(&o.members, "member", nil, "a server of a new store: ID=ADDRESS[:PORT][+SECOND[:PORT]][,CLIENT], its RDMA address, that in the second network, and where it serves clients (repeat for each)")
	f.Uint16Var(&o.port, "service-port", endpoint.ServicePort, "RDMA service of the servers")
	f.StringVar(&o.sw, "switch", "", "address of the switch (default: direct mode only)")
	cli.TokenVar(f, &o.token, "shared secret of this cluster's servers, and of the controller of the switch (default: none; any host that can send from a server's address is then mistaken for that server)")
	f.IntVar(&o.logSize, "log-size", 16<<20, "size of the log's memory region in bytes: a power of two, the same on all servers. The largest write is a quarter of it")
	f.DurationVar(&o.heartbeat, "heartbeat", 5*time.Millisecond, "heartbeat interval; a server that misses 14 heartbeats is considered dead. Slow machines need a longer interval, fast ones a much shorter one. The same on all servers")
	f.BoolVar(&o.endpoint.Loop, "run-to-completion", false, "let the goroutine that takes frames run the protocol, too (--rdma soft, where AF_XDP is used). The server decides more per CPU when many values wait. A single client waits longer, because its connection is served by other goroutines")
	f.BoolVar(&o.fsync, "fsync", false, kvcli.FsyncUsage)
	f.StringVar(&o.reads, "reads", readsBarrier, "how the leader confirms that it still leads before it answers a read: \"barrier\" asks a majority each time; \"lease\" relies on promises that last ten heartbeats and requires clock rates that differ by less than a sixteenth (docs/consensus.md). The same on all servers")
}

// log is that of a server.
type log struct {
	o       *flags
	server  kvcli.Server
	members []smr.Member
	geo     mu.Geometry
	sw      netip.Addr
	lease   time.Duration
	devices []rdma.Device
	node    *smr.Node
}

// Check implements kvcli.Flags.
func (o *flags) Check(s kvcli.Server, changed func(string) bool) (kvcli.Opener, error) {
	if !changed("id") {
		return nil, cli.Usagef("--id is missing: want the id of this server")
	}
	k := &log{o: o, server: s}
	var err error
	if o.id > mu.MaxID {
		return nil, cli.Usagef("--id %d: ids go from 0 to %d", o.id, mu.MaxID)
	}
	if k.members, err = parseMembers(o.members, o.port); err != nil {
		return nil, err
	}
	if len(k.members) > 0 {
		if err := mu.CheckMembers(k.members); err != nil {
			return nil, cli.Usage(fmt.Errorf("--member: %w", err))
		}
		if !slices.ContainsFunc(k.members, func(m smr.Member) bool { return m.ID == mu.ID(o.id) }) {
			return nil, cli.Usagef("--id %d is none of the --member flags, which name all servers, this one too", o.id)
		}
	}
	if k.geo, err = mu.NewGeometry(o.logSize); err != nil {
		return nil, cli.Usage(fmt.Errorf("--log-size: %w", err))
	}
	if o.sw != "" {
		if k.sw, err = netip.ParseAddr(o.sw); err != nil || !k.sw.Is4() {
			return nil, cli.Usagef("--switch %q is not an IPv4 address", o.sw)
		}
	}
	if o.heartbeat < 50*time.Microsecond || o.heartbeat > 10*time.Second {
		return nil, cli.Usagef("--heartbeat %v: from 50us to 10s", o.heartbeat)
	}
	if o.endpoint.Loop && o.endpoint.RDMA != "soft" {
		return nil, cli.Usagef("--run-to-completion is for --rdma soft; an RDMA device does its work by itself")
	}
	var ok bool
	if k.lease, ok = map[string]time.Duration{readsBarrier: 0, readsLease: leaseBeats * o.heartbeat}[o.reads]; !ok {
		return nil, cli.Usagef("--reads %q: want barrier or lease", o.reads)
	}
	return k, nil
}

// Attach implements kvcli.Opener.
func (k *log) Attach() error {
	o := k.o
	o.endpoint.Memory = o.logSize
	dev, err := o.endpoint.OpenDevice(k.server.Log)
	if err != nil {
		return err
	}
	k.devices = append(k.devices, dev)
	if o.second == "" {
		return nil
	}
	second, err := o.endpoint.On(o.second).OpenDevice(k.server.Log)
	if err != nil {
		k.Close()
		return fmt.Errorf("--second: %w", err)
	}
	k.devices = append(k.devices, second)
	return nil
}

// Close implements kvcli.Opener.
func (k *log) Close() {
	for _, d := range slices.Backward(k.devices) {
		_ = d.Close()
	}
}

// Open implements kvcli.Opener.
func (k *log) Open(machine *kv.Machine, reg prometheus.Registerer, clients net.Addr) (kvcli.Replicator, kv.Config, error) {
	s, o := &k.server, k.o
	journal, carry := journalFolder(s.Data, o.fsync)
	var err error
	k.node, err = smr.Open(smr.Config{
		ID: mu.ID(o.id), Cluster: o.cluster, Members: k.members, Devices: k.devices, Port: o.port,
		Machine: machine, Switch: k.sw, Token: o.token, LogSize: o.logSize, Journal: journal, Carry: carry, Settings: settingsFile(s.Data), SyncEvery: s.SyncEvery,
		AckTimeout: o.endpoint.AckTimeout, Notify: k.status,
		Protocol: mu.Config{HeartbeatEvery: o.heartbeat, RequestEvery: 4 * o.heartbeat, StallAfter: 30 * o.heartbeat, Lease: k.lease}, Log: s.Log, Registry: reg,
	})
	if err != nil {
		return nil, kv.Config{}, err
	}
	if len(k.node.Status().Members) == 0 {
		s.Log.Info("waits to be added: neither the folder nor --member says who the servers are. To add it, ask the leader: CLUSTER ADD ID=ADDRESS,CLIENT. The servers of a new store need --member for each of them",
			"id", o.id, "address", k.devices[0].Addr())
	}
	client := clientAddress(k.node, mu.ID(o.id))
	if unreachable(client, clients) {
		s.Log.Warn("clients cannot reach this server at the address to which the others send them: see --listen", "member", client, "listen", s.Listen)
	}
	return k.node, kv.Config{
		MaxRecord: k.geo.MaxRecord(), Client: client,
		Info: func() [][2]string { return replicationInfo(k.node, o) }, Cluster: cluster{k.node, o.port},
	}, nil
}

// Records implements kvcli.Opener.
func (k *log) Records() uint64 { return k.node.Status().Index }

// journalFolder is where a server with --fsync keeps its journal, or from where one that
// starts without carries over what it has promised and acknowledged with.
func journalFolder(data string, fsync bool) (journal, carry string) {
	dir := filepath.Join(data, "journal")
	if fsync {
		return dir, ""
	}
	return "", dir
}

// settingsFile keeps what the settings of a server have promised.
func settingsFile(data string) string { return filepath.Join(data, "settings") }
