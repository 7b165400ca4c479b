package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/host/kv"
	"github.com/p4ce/p4ce/host/replicated"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/internal/event"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/link/certs"
	"github.com/p4ce/p4ce/link/sock"
	"github.com/p4ce/p4ce/systems/paxos/cli/place"
	"github.com/p4ce/p4ce/systems/rdma/cli/endpoint"
	"github.com/p4ce/p4ce/systems/rdma/cli/node"
	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// kvOptions is the command line of a server of the store.
type kvOptions struct {
	endpoint   endpoint.Flags
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
	log        string
	paxos      place.Flags
	host       string

	users    string
	tls      certs.Files
	memory   int
	reserve  uint64
	insecure bool
}

func kvCommand() *cobra.Command {
	var o kvOptions
	c := &cobra.Command{
		Use:   "kv --data FOLDER {--id ID --member ID=ADDRESS,CLIENT ... {--interface NAME | --wire SOCKETS | --rdma verbs} | --log paxos --deployment FILE --host NAME --link LINK}",
		Short: "Run a server of the replicated key-value store (Redis protocol)",
		Long: `Run one server of a replicated key-value store that speaks the Redis protocol.
The servers elect a leader, which serves clients; the others say where it is.

All servers of a new store are started with the same --member flags, one for each:
its id, its RDMA address, and the address at which it serves clients. A server whose
data folder has data already knows its cluster from there.

With --log paxos the log is in switches that run p4/paxos: the server is a host of a
deployment, a replica and a proposer of the application. There is no leader among the
servers: each serves clients, and they may be asked in turn.

The log is in memory, the state on disk: see docs/kv.md for what is durable when, and
for --fsync.

Without users and without certificates of clients (--users, --tls-ca) a server listens
on the loopback or on a unix socket only: docs/security.md.

A server prints what happens as one JSON object per line. It reads commands, one per
line, on standard input: "digest" (print the digest of the state). It ends on
SIGTERM, or at "quit".`,
		Example: `  p4ce kv --id 1 --data /var/lib/p4ce --interface eth1 --switch 10.66.0.1 \
    --listen 10.0.0.11:6379 --users users.acl \
    --member 1=10.66.0.11,10.0.0.11:6379 --member 2=10.66.0.12,10.0.0.12:6379 --member 3=10.66.0.13,10.0.0.13:6379
  redis-cli -h 10.0.0.11 --user alice --askpass SET greeting hello
  p4ce kv --log paxos --deployment net.json --host h1 --link eth1 --data /var/lib/p4ce
  p4ce kv ... --listen 10.0.0.11:6379 --users users.acl --tls-cert server.crt --tls-key server.key`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s := &kvServer{o: o, log: cli.Logger(cmd.ErrOrStderr(), o.verbose), Printer: event.NewPrinter(cmd.OutOrStdout())}
			defer s.Close()
			return s.Ends(s.run(cmd.Context(), cmd.InOrStdin(), cmd.Flags().Changed))
		},
	}
	f := c.Flags()
	o.endpoint.Add(f, 8*time.Millisecond) // given up after four times as long
	f.DurationVar(&o.endpoint.AckFloor, "ack-floor", 0, "lower limit for --ack-timeout, such as 1ms, where the kernel answers for servers (--wire): the timeout shrinks to it while all answers are fast; 0: it never shrinks. Gives faster fail-over, and false alarms on a machine that suddenly becomes busy")
	f.StringVar(&o.second, "second", "", "interface (with --rdma verbs: RDMA device) of a second, ordinary network that connects the servers when the switch is down")
	f.Uint8Var(&o.id, "id", 0, fmt.Sprintf("id of this server, 0 to %d", mu.MaxID))
	f.Uint64Var(&o.cluster, "cluster", 1, "cluster number; servers of other clusters are refused")
	f.StringArrayVar(&o.members, "member", nil, "a server of a new store: ID=ADDRESS[:PORT][+SECOND[:PORT]][,CLIENT], its RDMA address, that in the second network, and where it serves clients (repeat for each)")
	f.Uint16Var(&o.port, "service-port", endpoint.ServicePort, "RDMA service of the servers")
	f.StringVar(&o.listen, "listen", "127.0.0.1:6379", "where to serve clients: [HOST]:PORT, unix:PATH, or fd:N, an inherited socket")
	f.StringVar(&o.data, "data", "", "folder with the state")
	f.StringVar(&o.sw, "switch", "", "address of the switch (default: direct mode only)")
	cli.TokenVar(f, &o.token, "shared secret of this cluster's servers, and of the controller of the switch (default: none; then whoever can send from a server's address is taken for that server)")
	f.IntVar(&o.logSize, "log-size", 16<<20, "size of the log's memory region in bytes: a power of two, the same on all servers. The largest write is a quarter of it")
	f.DurationVar(&o.heartbeat, "heartbeat", 5*time.Millisecond, "heartbeat interval; a server that misses 14 heartbeats is considered dead. Slow machines need a longer interval, fast ones a much shorter one. The same on all servers")
	f.BoolVar(&o.fsync, "fsync", false, "write promises and the log to disk before they count: a write is answered once it is on the disks of a majority, and a restarted server has forgotten nothing. Set it on all servers or on none")
	f.StringVar(&o.reads, "reads", readsBarrier, "how the leader confirms that it still leads before it answers a read: \"barrier\" asks a majority each time; \"lease\" relies on promises that last ten heartbeats and requires clock rates that differ by less than a sixteenth (docs/consensus.md). The same on all servers")
	f.DurationVar(&o.syncEvery, "sync-every", time.Second, "how often to flush the state to disk, in addition to what --fsync flushes")
	f.DurationVar(&o.timeout, "timeout", 5*time.Second, "time limit for a command when no majority answers")
	f.DurationVar(&o.idle, "idle", 0, "close connections that have been idle for this long (0: never)")
	f.IntVar(&o.maxClients, "max-clients", 10000, "maximum number of client connections")
	f.Uint64Var(&o.reserve, "disk-reserve", 256<<20, "bytes to keep free on the disk of --data, at most a quarter of it. With less free space, commands that need room fail with an error that begins with OOM; 0: no reserve")
	f.IntVar(&o.memory, "client-memory", 512<<20, "memory limit in bytes for the requests and replies of all clients; beyond it, the connection that uses most is closed")
	f.StringVar(&o.users, "users", "", "access control file in the format of Redis's ACL files; reloaded on SIGHUP and ACL LOAD")
	cli.TLSFlags(f, &o.tls, "tls-", "the server", "clients must have certificates of theirs; the common name is the user's, if --users has one of that name")
	f.BoolVar(&o.insecure, "insecure", false, "accept unauthenticated clients from other machines")
	f.StringVar(&o.metrics, "metrics", "", "address of /metrics and /healthz, for Prometheus, for example 127.0.0.1:9562, or unix:PATH")
	f.StringVar(&o.log, "log", logMu, "what replicates: \"mu\", the servers themselves, by RDMA; \"paxos\", switches with p4/paxos (docs/paxos.md)")
	o.paxos.Add(f, "--log paxos: ")
	f.StringVar(&o.host, "host", "", "--log paxos: name of this server in the deployment")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "log more")
	c.AddCommand(kvForceCommand())
	_ = c.MarkFlagRequired("data")
	return c
}

// heapRoom is how much garbage a server may have, in bytes, however little else is in use.
const heapRoom = 64 << 20

// kvServer is a server of the store.
type kvServer struct {
	o   kvOptions
	log *slog.Logger
	*event.Printer
}

// replicator is a store's log, and what ends it.
type replicator interface {
	replicated.Log
	// Health says what keeps it from its work; nil: nothing.
	Health() error
	// Done is closed when the log has ended by itself, for the reason Err.
	Done() <-chan struct{}
	Err() error
	Close() error
}

// logKind is a kind of log: see --log.
type logKind interface {
	// check looks at the flags.
	check() error
	// attach opens what the server has for the others, and close closes it, after the log.
	attach() error
	close()
	// open opens the log, and says what the server needs to know of it.
	open(m *kv.Machine, reg prometheus.Registerer, clients net.Addr) (replicator, kv.Config, error)
	// records is how many were applied.
	records() uint64
}

// run opens everything, serves, and closes everything in the opposite order.
func (s *kvServer) run(ctx context.Context, stdin io.Reader, changed func(flag string) bool) (err error) {
	o := &s.o
	kind, err := s.kind(changed)
	if err != nil {
		return err
	}
	if o.data == "" {
		return cli.Usagef("--data FOLDER says where the state is kept")
	}
	if err := kind.check(); err != nil {
		return err
	}
	if o.maxClients < 1 {
		return cli.Usagef("--max-clients %d: at least one", o.maxClients)
	}
	if o.memory < minClientMemory {
		return cli.Usagef("--client-memory %d: at least %d", o.memory, minClientMemory)
	}
	access, err := s.access()
	if err != nil {
		return err
	}
	clients, err := listenClients(o.listen)
	if err != nil {
		return err
	}
	defer clients.Close()
	if err := s.protected(clients.Addr()); err != nil {
		return err
	}
	// The collector runs when the heap has doubled. That of a store with few keys is small,
	// and doubles many times per second; with this it has room. Untouched pages cost nothing.
	room := make([]byte, heapRoom)
	defer runtime.KeepAlive(room)
	reg := prometheus.NewRegistry()
	reg.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	failed := make(chan error, 3)
	health := &kvHealth{}
	metrics, stopMetrics, err := serveMetrics(o.metrics, reg, health, failed)
	if err != nil {
		return err
	}
	defer stopMetrics()
	if err := kind.attach(); err != nil {
		return err
	}
	defer kind.close()
	machine, err := kv.Open(kv.Options{Dir: o.data, Reserve: o.reserve, Log: s.log})
	if err != nil {
		return err
	}
	// One error is enough: a disk that failed fails again here.
	defer func() {
		if e := machine.Close(); err == nil {
			err = e
		}
	}()
	log, config, err := kind.open(machine, reg, clients.Addr())
	if err != nil {
		return err
	}
	defer func() {
		if e := log.Close(); err == nil {
			err = e
		}
	}()
	config.Machine, config.Log, config.Version, config.Logger, config.Metrics = machine, log, version(), s.log, reg
	config.Timeout, config.Idle, config.MaxClients, config.ClientMemory = o.timeout, o.idle, o.maxClients, o.memory
	config.Users, config.TLS = access.Users, access.TLS
	server, err := kv.NewServer(config)
	if err != nil {
		return err
	}
	defer server.Close()
	health.set(log.Health, server.Health)
	stop := s.reloads(ctx, server)
	defer stop()
	go func() {
		if err := server.Serve(clients); err != nil {
			failed <- fmt.Errorf("clients: %w", err)
		}
	}()
	s.Print(node.Event{Event: launch.Ready, Role: "kv", Listen: clients.Addr().String(), Metrics: metrics})
	return s.Ends(s.wait(ctx, stdin, machine, log, kind.records, failed))
}

// Values of --log.
const (
	logMu    = "mu"
	logPaxos = "paxos"
)

// Flags that are for one kind of log only.
var (
	muFlags = []string{"id", "cluster", "member", "service-port", "switch", "token", "log-size", "heartbeat", "fsync", "reads", "second", "ack-floor",
		"rdma", "device", "gid-index", "wire", "interface", "address", "mac", "gateway-mac", "ack-timeout"}
	paxosFlagNames = []string{"deployment", "application", "link", "host"}
)

// kind is what --log says.
func (s *kvServer) kind(changed func(flag string) bool) (logKind, error) {
	not := muFlags
	var k logKind
	switch s.o.log {
	case logMu:
		not, k = paxosFlagNames, &muLog{s: s}
		if !changed("id") {
			return nil, cli.Usagef("--id says which server this is")
		}
	case logPaxos:
		k = &paxosKV{s: s}
	default:
		return nil, cli.Usagef("--log %q: want mu or paxos", s.o.log)
	}
	for _, f := range not {
		if changed(f) {
			return nil, cli.Usagef("--%s is not for --log %s", f, s.o.log)
		}
	}
	return k, nil
}

// wait serves commands until the server is to end, or has an error of its own.
func (s *kvServer) wait(ctx context.Context, stdin io.Reader, machine *kv.Machine, log replicator, applied func() uint64, failed <-chan error) error {
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
		case <-log.Done():
			return log.Err()
		case c := <-commands:
			switch c {
			case "quit":
				return nil
			case "digest":
				records := applied()
				d, err := machine.Digest()
				if err != nil {
					return err
				}
				s.Print(node.Event{Event: "digest", Records: records, SHA256: fmt.Sprintf("%x", d)})
			default:
				s.Print(node.Event{Event: "error", Error: fmt.Sprintf("command %q: a server knows digest and quit", c)})
			}
		}
	}
}

// listenClients opens what --listen names.
func listenClients(s string) (net.Listener, error) {
	kind, rest, _ := strings.Cut(s, ":")
	switch kind {
	case "fd":
		n, err := strconv.ParseUint(rest, 10, 16)
		if err != nil {
			return nil, cli.Usagef("--listen %s: not the number of an inherited socket", s)
		}
		f := os.NewFile(uintptr(n), s)
		defer f.Close()
		l, err := net.FileListener(f)
		if err != nil {
			return nil, fmt.Errorf("--listen %s: %w (was a listening socket inherited under that number?)", s, err)
		}
		return l, nil
	case "unix":
		l, err := sock.Listen(rest)
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

// kvHealth is what /healthz answers: "ok", or 503 and a line for each thing that is wrong.
type kvHealth struct {
	mu    sync.Mutex
	looks []func() error // nil: the server is not there yet
}

func (h *kvHealth) set(looks ...func() error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.looks = looks
}

// ServeHTTP implements http.Handler.
func (h *kvHealth) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	h.mu.Lock()
	looks := h.looks
	h.mu.Unlock()
	err := errors.New("starting")
	if looks != nil {
		err = nil
	}
	for _, look := range looks {
		err = errors.Join(err, look())
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

// serveMetrics serves /metrics and /healthz at an address, if there is one, and returns the
// address and what ends that.
func serveMetrics(addr string, reg *prometheus.Registry, health http.Handler, failed chan<- error) (string, func(), error) {
	if addr == "" {
		return "", func() {}, nil
	}
	var l net.Listener
	var err error
	if path, ok := strings.CutPrefix(addr, "unix:"); ok {
		l, err = sock.Listen(path)
	} else {
		l, err = net.Listen("tcp", addr)
	}
	if err != nil {
		return "", nil, fmt.Errorf("metrics: listen on %s: %w (choose another with --metrics)", addr, err)
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(reg, promhttp.HandlerOpts{}))
	mux.Handle("/healthz", health)
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("metrics: %w", err)
		}
	}()
	return l.Addr().String(), func() { _ = srv.Close() }, nil
}

// version is that of this program, as far as the build knows it.
func version() string {
	if b, ok := debug.ReadBuildInfo(); ok && b.Main.Version != "" {
		return b.Main.Version
	}
	return "(devel)"
}
