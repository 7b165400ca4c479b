package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/host/kv"
	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/smr"
	"github.com/p4ce/p4ce/host/smr/mu"
	"github.com/p4ce/p4ce/lab/launch"
)

// kvOptions is the command line of a server of the store.
type kvOptions struct {
	endpoint   endpointOptions
	second     string
	id         uint8
	cluster    uint64
	members    []string
	port       uint16
	listen     string
	data       string
	sw         string
	token      uint64
	logSize    int
	fsync      bool
	reads      string
	heartbeat  time.Duration
	syncEvery  time.Duration
	timeout    time.Duration
	idle       time.Duration
	maxClients int
	metrics    string
	verbose    bool
}

// Values of --reads. A lease ends before its leader would be taken for dead, after
// fourteen heartbeats: a fail-over does not wait for it.
const (
	readsBarrier = "barrier"
	readsLease   = "lease"
	leaseBeats   = 10
)

func kvCommand() *cobra.Command {
	var o kvOptions
	c := &cobra.Command{
		Use:   "kv --id ID --member ID=ADDRESS,CLIENT ... --data FOLDER {--interface NAME | --wire SOCKETS | --rdma verbs}",
		Short: "Run a server of the replicated key-value store (Redis protocol)",
		Long: `Run one server of a replicated key-value store that speaks the Redis protocol.
The servers elect a leader, which serves clients; the others say where it is.

All servers of a new store are started with the same --member flags, one for each:
its id, its RDMA address, and the address at which it serves clients. A server whose
data folder has data already knows its cluster from there.

The log is in memory, the state on disk: see docs/kv.md for what is durable when, and
for --fsync.

A server prints what happens as one JSON object per line. It reads commands, one per
line, on standard input: "digest" (print the digest of the state). It ends on
SIGTERM, or at "quit".`,
		Example: `  p4ce kv --id 1 --data /var/lib/p4ce --interface eth1 --switch 10.66.0.1 \
    --member 1=10.66.0.11,10.0.0.11:6379 --member 2=10.66.0.12,10.0.0.12:6379 --member 3=10.66.0.13,10.0.0.13:6379
  redis-cli -h 10.0.0.11 SET greeting hello`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s := &kvServer{o: o, log: logger(cmd.ErrOrStderr(), o.verbose), printer: printer{out: json.NewEncoder(cmd.OutOrStdout())}}
			return s.ends(s.run(cmd.Context(), cmd.InOrStdin()))
		},
	}
	f := c.Flags()
	o.endpoint.flags(f)
	// Given up after four times as long.
	o.endpoint.ackTimeout = 8 * time.Millisecond
	f.Lookup("ack-timeout").DefValue = o.endpoint.ackTimeout.String()
	f.DurationVar(&o.endpoint.ackFloor, "ack-floor", 0, "where the kernel answers for servers (--wire): --ack-timeout goes down to this, such as 1ms, while all answers are fast; 0: it does not. Faster fail-over, and false alarms on a machine that is suddenly busy")
	f.StringVar(&o.second, "second", "", "interface (with --rdma verbs: RDMA device) to a second, ordinary network, by which the servers reach each other when the switch is dead")
	f.Uint8Var(&o.id, "id", 0, fmt.Sprintf("id of this server, 0 to %d", mu.MaxID))
	f.Uint64Var(&o.cluster, "cluster", 1, "number of the cluster; servers of another are refused")
	f.StringArrayVar(&o.members, "member", nil, "a server of a new store: ID=ADDRESS[:PORT][+SECOND[:PORT]][,CLIENT], its RDMA address, that in the second network, and where it serves clients (repeat for each)")
	f.Uint16Var(&o.port, "service-port", servicePort, "RDMA service of the servers")
	f.StringVar(&o.listen, "listen", ":6379", "where to serve clients: [HOST]:PORT, unix:PATH, or fd:N, an inherited socket")
	f.StringVar(&o.data, "data", "", "folder with the state")
	f.StringVar(&o.sw, "switch", "", "address of the switch (default: direct mode only)")
	f.Uint64Var(&o.token, "token", 0, "shared secret of this cluster's servers, and of the controller of the switch (0: none; then whoever can send from a server's address is taken for that server)")
	f.IntVar(&o.logSize, "log-size", 16<<20, "size of the log's memory region in bytes, a power of two, equal on all servers; a write is at most a quarter")
	f.DurationVar(&o.heartbeat, "heartbeat", 5*time.Millisecond, "how often servers look at each other; a server that stands still for 14 times as long is given up. Slow machines need more, fast ones much less; the same on all servers")
	f.BoolVar(&o.fsync, "fsync", false, "promises and the log are on disk before they count: a write is answered when the disks of a majority have it, and a server that restarts has forgotten nothing. All servers, or none")
	f.StringVar(&o.reads, "reads", readsBarrier, "how the leader makes sure that it still leads before it answers reads: \"barrier\", it asks a majority each time; \"lease\", the others promise it for ten heartbeats ahead, which takes clocks whose rates differ by less than a sixteenth (docs/consensus.md). The same on all servers")
	f.DurationVar(&o.syncEvery, "sync-every", time.Second, "how often the disk is waited for, beside what --fsync waits for")
	f.DurationVar(&o.timeout, "timeout", 5*time.Second, "how long a command may take when no majority answers")
	f.DurationVar(&o.idle, "idle", 0, "close connections on which nothing has arrived for so long (0: never)")
	f.IntVar(&o.maxClients, "max-clients", 10000, "most connections of clients")
	f.StringVar(&o.metrics, "metrics", "", "address of /metrics for Prometheus, for example 127.0.0.1:9562")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "log more")
	c.AddCommand(kvForceCommand())
	_ = c.MarkFlagRequired("id")
	_ = c.MarkFlagRequired("data")
	return c
}

// parseMembers parses --member flags.
func parseMembers(flags []string, port uint16) ([]smr.Member, error) {
	var members []smr.Member
	for _, f := range flags {
		id, rest, ok := strings.Cut(f, "=")
		n, err := strconv.ParseUint(id, 10, 8)
		if !ok || err != nil || n > mu.MaxID {
			return nil, usagef("--member %q: want ID=ADDRESS[:PORT][+SECOND[:PORT]][,CLIENT], with an ID from 0 to %d", f, mu.MaxID)
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
				return nil, usagef("--member %q: %q is no IPv4 address", f, addr)
			}
			m.Addrs = append(m.Addrs, ap)
		}
		if len(m.Addrs) > mu.Routes {
			return nil, usagef("--member %q: %d addresses (at most %d, joined by +)", f, len(m.Addrs), mu.Routes)
		}
		if m.Client = client; client != "" {
			if _, _, err := net.SplitHostPort(client); err != nil {
				return nil, usagef("--member %q: %q is not HOST:PORT, where the server serves clients", f, client)
			}
		}
		members = append(members, m)
	}
	return members, nil
}

// heapRoom is how much garbage a server may have, in bytes, however little else is in use.
const heapRoom = 64 << 20

// kvServer is a server of the store.
type kvServer struct {
	o   kvOptions
	log *slog.Logger
	printer
}

// run opens everything, serves, and closes everything in the opposite order.
func (s *kvServer) run(ctx context.Context, stdin io.Reader) (err error) {
	o := &s.o
	if o.id > mu.MaxID {
		return usagef("--id %d: ids go from 0 to %d", o.id, mu.MaxID)
	}
	if o.data == "" {
		return usagef("--data FOLDER says where the state is kept")
	}
	members, err := parseMembers(o.members, o.port)
	if err != nil {
		return err
	}
	if len(members) > 0 {
		if err := mu.CheckMembers(members); err != nil {
			return usageError{fmt.Errorf("--member: %w", err)}
		}
		if !slices.ContainsFunc(members, func(m smr.Member) bool { return m.ID == mu.ID(o.id) }) {
			return usagef("--id %d is none of the --member flags, which name all servers, this one too", o.id)
		}
	}
	geo, err := mu.NewGeometry(o.logSize)
	if err != nil {
		return usageError{fmt.Errorf("--log-size: %w", err)}
	}
	var sw netip.Addr
	if o.sw != "" {
		if sw, err = netip.ParseAddr(o.sw); err != nil || !sw.Is4() {
			return usagef("--switch %q is no IPv4 address", o.sw)
		}
	}
	if o.endpoint.ackFloor < 0 {
		return usagef("--ack-floor %v: not negative", o.endpoint.ackFloor)
	}
	if o.heartbeat < 50*time.Microsecond || o.heartbeat > 10*time.Second {
		return usagef("--heartbeat %v: from 50us to 10s", o.heartbeat)
	}
	lease, ok := map[string]time.Duration{readsBarrier: 0, readsLease: leaseBeats * o.heartbeat}[o.reads]
	if !ok {
		return usagef("--reads %q: want barrier or lease", o.reads)
	}
	if o.maxClients < 1 {
		return usagef("--max-clients %d: at least one", o.maxClients)
	}
	clients, err := listenClients(o.listen)
	if err != nil {
		return err
	}
	defer clients.Close()
	// The collector runs when the heap has doubled. That of a store with few keys is small,
	// and doubles many times per second; with this it has room. Untouched pages cost nothing.
	room := make([]byte, heapRoom)
	defer runtime.KeepAlive(room)
	reg := prometheus.NewRegistry()
	reg.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	failed := make(chan error, 2)
	metrics, stopMetrics, err := serveMetrics(o.metrics, reg, failed)
	if err != nil {
		return err
	}
	defer stopMetrics()

	o.endpoint.memory = o.logSize
	dev, err := o.endpoint.openDevice(s.log)
	if err != nil {
		return err
	}
	defer dev.Close()
	devices := []rdma.Device{dev}
	if o.second != "" {
		second, err := o.endpoint.on(o.second).openDevice(s.log)
		if err != nil {
			return fmt.Errorf("--second: %w", err)
		}
		defer second.Close()
		devices = append(devices, second)
	}
	machine, err := kv.Open(kv.Options{Dir: o.data, Log: s.log})
	if err != nil {
		return err
	}
	// One error is enough: a disk that failed fails again here.
	defer func() {
		if e := machine.Close(); err == nil {
			err = e
		}
	}()
	journal, err := journalFolder(o)
	if err != nil {
		return err
	}
	node, err := smr.Open(smr.Config{
		ID: mu.ID(o.id), Cluster: o.cluster, Members: members, Devices: devices, Port: o.port,
		Machine: machine, Switch: sw, Token: o.token, LogSize: o.logSize, Journal: journal, SyncEvery: o.syncEvery,
		AckTimeout: o.endpoint.ackTimeout, Notify: s.status,
		Protocol: mu.Config{HeartbeatEvery: o.heartbeat, RequestEvery: 4 * o.heartbeat, StallAfter: 30 * o.heartbeat, Lease: lease}, Log: s.log, Registry: reg,
	})
	if err != nil {
		return err
	}
	defer func() {
		if e := node.Close(); err == nil {
			err = e
		}
	}()
	server, err := kv.NewServer(kv.Config{
		Machine: machine, Log: node, MaxRecord: geo.MaxRecord(), Timeout: o.timeout, Idle: o.idle, MaxClients: o.maxClients,
		Client: clientAddress(node, mu.ID(o.id)), Version: version(), Logger: s.log, Metrics: reg,
		Info: func() [][2]string { return replicationInfo(node, o) }, Cluster: kvCluster{node, o.port},
	})
	if err != nil {
		return err
	}
	defer server.Close()
	go func() {
		if err := server.Serve(clients); err != nil {
			failed <- fmt.Errorf("clients: %w", err)
		}
	}()
	s.print(event{Event: launch.Ready, Role: "kv", Listen: clients.Addr().String(), Metrics: metrics})
	return s.ends(s.wait(ctx, stdin, machine, node, failed))
}

// journalFolder is where a server with --fsync keeps its journal. One that starts without
// ends it: what it says would not be the last that was promised.
func journalFolder(o *kvOptions) (string, error) {
	dir := filepath.Join(o.data, "journal")
	if o.fsync {
		return dir, nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return "", fmt.Errorf("journal: %w", err)
	}
	return "", nil
}

// wait serves commands until the server is to end, or has an error of its own.
func (s *kvServer) wait(ctx context.Context, stdin io.Reader, machine *kv.Machine, node *smr.Node, failed <-chan error) error {
	commands := make(chan string)
	go func() {
		for in := bufio.NewScanner(stdin); in.Scan(); {
			select {
			case commands <- strings.TrimSpace(in.Text()):
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-failed:
			return err
		case <-node.Done():
			return node.Err()
		case c := <-commands:
			switch c {
			case "quit":
				return nil
			case "digest":
				records := node.Status().Index
				d, err := machine.Digest()
				if err != nil {
					return err
				}
				s.print(event{Event: "digest", Records: records, SHA256: fmt.Sprintf("%x", d)})
			default:
				s.print(event{Event: "error", Error: fmt.Sprintf("command %q: a server knows digest and quit", c)})
			}
		}
	}
}

// status prints a change of role, leader, mode or state.
func (s *kvServer) status(st smr.Status) {
	s.print(event{Event: "status", Role: st.Role.String(), Mode: st.Mode.String(), State: st.State.String(), Term: uint64(st.Term), Leader: leaderOf(st)})
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

// listenClients opens what --listen names.
func listenClients(s string) (net.Listener, error) {
	kind, rest, _ := strings.Cut(s, ":")
	switch kind {
	case "fd":
		n, err := strconv.ParseUint(rest, 10, 16)
		if err != nil {
			return nil, usagef("--listen %s: not the number of an inherited socket", s)
		}
		f := os.NewFile(uintptr(n), s)
		defer f.Close()
		l, err := net.FileListener(f)
		if err != nil {
			return nil, fmt.Errorf("--listen %s: %w (was a listening socket inherited under that number?)", s, err)
		}
		return l, nil
	case "unix":
		l, err := net.Listen("unix", rest)
		if err != nil {
			return nil, fmt.Errorf("listen on %s: %w", s, err)
		}
		return l, nil
	}
	l, err := net.Listen("tcp", s)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w (choose another with --listen)", s, err)
	}
	return l, nil
}

// serveMetrics serves /metrics at an address, if there is one, and returns the
// address and what ends that.
func serveMetrics(addr string, reg *prometheus.Registry, failed chan<- error) (string, func(), error) {
	if addr == "" {
		return "", func() {}, nil
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return "", nil, fmt.Errorf("metrics: listen on %s: %w (choose another with --metrics)", addr, err)
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(reg, promhttp.HandlerOpts{}))
	h := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("metrics: %w", err)
		}
	}()
	return l.Addr().String(), func() { _ = h.Close() }, nil
}

// version is that of this program, as far as the build knows it.
func version() string {
	if b, ok := debug.ReadBuildInfo(); ok && b.Main.Version != "" {
		return b.Main.Version
	}
	return "(devel)"
}
