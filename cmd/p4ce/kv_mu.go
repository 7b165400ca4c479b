package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/p4ce/p4ce/host/kv"
	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/systems/rdma/cli/node"
	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/smr"
)

// Values of --reads. A lease ends before its leader would be taken for dead, after
// fourteen heartbeats: a fail-over does not wait for it.
const (
	readsBarrier = "barrier"
	readsLease   = "lease"
	leaseBeats   = 10
)

// muLog is a store's log that is replicated by its servers.
type muLog struct {
	s       *kvServer
	members []smr.Member
	geo     mu.Geometry
	sw      netip.Addr
	lease   time.Duration
	devices []rdma.Device
	node    *smr.Node
}

func (k *muLog) check() (err error) {
	o := &k.s.o
	if o.id > mu.MaxID {
		return cli.Usagef("--id %d: ids go from 0 to %d", o.id, mu.MaxID)
	}
	if k.members, err = parseMembers(o.members, o.port); err != nil {
		return err
	}
	if len(k.members) > 0 {
		if err := mu.CheckMembers(k.members); err != nil {
			return cli.Usage(fmt.Errorf("--member: %w", err))
		}
		if !slices.ContainsFunc(k.members, func(m smr.Member) bool { return m.ID == mu.ID(o.id) }) {
			return cli.Usagef("--id %d is none of the --member flags, which name all servers, this one too", o.id)
		}
	}
	if k.geo, err = mu.NewGeometry(o.logSize); err != nil {
		return cli.Usage(fmt.Errorf("--log-size: %w", err))
	}
	if o.sw != "" {
		if k.sw, err = netip.ParseAddr(o.sw); err != nil || !k.sw.Is4() {
			return cli.Usagef("--switch %q is no IPv4 address", o.sw)
		}
	}
	if o.endpoint.AckFloor < 0 {
		return cli.Usagef("--ack-floor %v: not negative", o.endpoint.AckFloor)
	}
	if o.heartbeat < 50*time.Microsecond || o.heartbeat > 10*time.Second {
		return cli.Usagef("--heartbeat %v: from 50us to 10s", o.heartbeat)
	}
	var ok bool
	if k.lease, ok = map[string]time.Duration{readsBarrier: 0, readsLease: leaseBeats * o.heartbeat}[o.reads]; !ok {
		return cli.Usagef("--reads %q: want barrier or lease", o.reads)
	}
	return nil
}

func (k *muLog) attach() error {
	o := &k.s.o
	o.endpoint.Memory = o.logSize
	dev, err := o.endpoint.OpenDevice(k.s.log)
	if err != nil {
		return err
	}
	k.devices = append(k.devices, dev)
	if o.second == "" {
		return nil
	}
	second, err := o.endpoint.On(o.second).OpenDevice(k.s.log)
	if err != nil {
		k.close()
		return fmt.Errorf("--second: %w", err)
	}
	k.devices = append(k.devices, second)
	return nil
}

func (k *muLog) close() {
	for _, d := range slices.Backward(k.devices) {
		_ = d.Close()
	}
}

func (k *muLog) open(machine *kv.Machine, reg prometheus.Registerer, clients net.Addr) (replicator, kv.Config, error) {
	s, o := k.s, &k.s.o
	journal, carry := journalFolder(o)
	var err error
	k.node, err = smr.Open(smr.Config{
		ID: mu.ID(o.id), Cluster: o.cluster, Members: k.members, Devices: k.devices, Port: o.port,
		Machine: machine, Switch: k.sw, Token: o.token, LogSize: o.logSize, Journal: journal, Carry: carry, Settings: settingsFile(o), SyncEvery: o.syncEvery,
		AckTimeout: o.endpoint.AckTimeout, Notify: s.status,
		Protocol: mu.Config{HeartbeatEvery: o.heartbeat, RequestEvery: 4 * o.heartbeat, StallAfter: 30 * o.heartbeat, Lease: k.lease}, Log: s.log, Registry: reg,
	})
	if err != nil {
		return nil, kv.Config{}, err
	}
	client := clientAddress(k.node, mu.ID(o.id))
	if unreachable(client, clients) {
		s.log.Warn("clients cannot reach this server at the address to which the others send them: see --listen", "member", client, "listen", o.listen)
	}
	return k.node, kv.Config{
		MaxRecord: k.geo.MaxRecord(), Client: client,
		Info: func() [][2]string { return replicationInfo(k.node, o) }, Cluster: kvCluster{k.node, o.port},
	}, nil
}

func (k *muLog) records() uint64 { return k.node.Status().Index }

// journalFolder is where a server with --fsync keeps its journal, or from where one that
// starts without carries over what it has promised and acknowledged with.
func journalFolder(o *kvOptions) (journal, carry string) {
	dir := filepath.Join(o.data, "journal")
	if o.fsync {
		return dir, ""
	}
	return "", dir
}

// settingsFile keeps what the settings of a server have promised.
func settingsFile(o *kvOptions) string { return filepath.Join(o.data, "settings") }

// parseMembers parses --member flags.
func parseMembers(flags []string, port uint16) ([]smr.Member, error) {
	var members []smr.Member
	for _, f := range flags {
		id, rest, ok := strings.Cut(f, "=")
		n, err := strconv.ParseUint(id, 10, 8)
		if !ok || err != nil || n > mu.MaxID {
			return nil, cli.Usagef("--member %q: want ID=ADDRESS[:PORT][+SECOND[:PORT]][,CLIENT], with an ID from 0 to %d", f, mu.MaxID)
		}
		m := smr.Member{ID: mu.ID(n)}
		addrs, client, _ := strings.Cut(rest, ",")
		for _, addr := range strings.Split(addrs, "+") {
			ap, err := netip.ParseAddrPort(addr)
			if err != nil {
				var a netip.Addr
				a, err = netip.ParseAddr(addr)
				ap = netip.AddrPortFrom(a, port)
			}
			if err != nil || !ap.Addr().Is4() {
				return nil, cli.Usagef("--member %q: %q is no IPv4 address", f, addr)
			}
			m.Addrs = append(m.Addrs, ap)
		}
		if len(m.Addrs) > mu.Routes {
			return nil, cli.Usagef("--member %q: %d addresses (at most %d, joined by +)", f, len(m.Addrs), mu.Routes)
		}
		if m.Client = client; client != "" {
			if _, _, err := net.SplitHostPort(client); err != nil {
				return nil, cli.Usagef("--member %q: %q is not HOST:PORT, where the server serves clients", f, client)
			}
		}
		members = append(members, m)
	}
	return members, nil
}

// status prints a change of role, leader, mode or state.
func (s *kvServer) status(st smr.Status) {
	s.Print(node.Event{Event: "status", Role: st.Role.String(), Mode: st.Mode.String(), State: st.State.String(), Term: uint64(st.Term), Leader: leaderOf(st)})
}

// kvCluster is what CLUSTER changes.
type kvCluster struct {
	node *smr.Node
	port uint16
}

// Members implements kv.Cluster.
func (c kvCluster) Members() []string {
	var out []string
	for _, m := range c.node.Status().Members {
		var addrs []string
		for _, a := range m.Addrs {
			addrs = append(addrs, a.String())
		}
		out = append(out, fmt.Sprintf("%d=%s,%s", m.ID, strings.Join(addrs, "+"), m.Client))
	}
	return out
}

// Add implements kv.Cluster.
func (c kvCluster) Add(ctx context.Context, member string) error {
	members, err := parseMembers([]string{member}, c.port)
	if err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "--member "))
	}
	return c.node.AddServer(ctx, members[0])
}

// Remove implements kv.Cluster.
func (c kvCluster) Remove(ctx context.Context, id string) error {
	n, err := strconv.ParseUint(id, 10, 8)
	if err != nil || n > mu.MaxID {
		return fmt.Errorf("%q is no server's id (0 to %d)", id, mu.MaxID)
	}
	for _, m := range c.node.Status().Members {
		if m.ID == mu.ID(n) {
			return c.node.RemoveServer(ctx, mu.ID(n))
		}
	}
	return fmt.Errorf("server %d is no member (CLUSTER MEMBERS shows who is)", n)
}

// leaderOf is where the leader serves clients, or which server it is.
func leaderOf(st smr.Status) string {
	if !st.Known {
		return ""
	}
	for _, m := range st.Members {
		if m.ID == st.Leader && m.Client != "" {
			return m.Client
		}
	}
	return fmt.Sprintf("server %d", st.Leader)
}

// clientAddress is where the cluster says that a server serves clients.
func clientAddress(n *smr.Node, id mu.ID) string {
	for _, m := range n.Status().Members {
		if m.ID == id {
			return m.Client
		}
	}
	return ""
}

// unreachable is whether a member's address for clients, "" for none, is one of other machines while the
// server listens on the loopback only.
func unreachable(client string, listen net.Addr) bool {
	t, ok := listen.(*net.TCPAddr)
	if !ok || !t.IP.IsLoopback() || client == "" {
		return false
	}
	host, _, err := net.SplitHostPort(client)
	if err != nil || host == "localhost" {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return err != nil || !ip.IsLoopback()
}

// replicationInfo are lines for section replication of INFO.
func replicationInfo(n *smr.Node, o *kvOptions) [][2]string {
	st := n.Status()
	info := [][2]string{
		{"server_id", fmt.Sprint(o.id)},
		{"server_role", st.Role.String()},
		{"server_state", st.State.String()},
		{"mode", st.Mode.String()},
		{"term", fmt.Sprint(uint64(st.Term))},
		{"records", fmt.Sprint(st.Index)},
		{"confirmed_peers", fmt.Sprint(st.Confirmed)},
		{"fsync", fmt.Sprint(o.fsync)},
		{"reads", o.reads},
	}
	for i, m := range st.Members {
		var addrs []string
		for _, a := range m.Addrs {
			addrs = append(addrs, a.String())
		}
		info = append(info, [2]string{fmt.Sprintf("member%d", i), fmt.Sprintf("id=%d,rdma=%s,client=%s", m.ID, strings.Join(addrs, "+"), m.Client)})
	}
	return info
}
