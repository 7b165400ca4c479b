// Package node is the command p4ce node: a leader, or a replica, of a group whose leader the caller names.
package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/netip"
	"os"
	"runtime/pprof"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/host/latency"
	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/internal/event"
	"github.com/p4ce/p4ce/link/files"
	"github.com/p4ce/p4ce/systems/rdma/baseline"
	"github.com/p4ce/p4ce/systems/rdma/cli/endpoint"
	"github.com/p4ce/p4ce/systems/rdma/private"
	"github.com/p4ce/p4ce/systems/rdma/replicate"
)

// options are the command line of a node.
type options struct {
	role              string
	endpoint          endpoint.Flags
	port              uint16
	logSize           int
	cluster, token    uint64
	replicas          []string
	sw                string
	id                uint16
	term              uint64
	policy            string
	window, share     int
	input             string
	recordSize, count int
	bursts            []int
	rates             []float64
	openFor           time.Duration
	modes             []string
	mu                bool
	profile           string
	verbose           bool
}

// Command is the command node.
func Command() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "node --role leader|replica {--interface NAME | --rdma verbs | --wire SOCKETS}",
		Short: "Run a server: a leader or a replica",
		Long: `Run one server of a group. A replica offers its log to leaders and applies
decided records. A leader replicates the records of a file, in each of the given
modes: direct (one WRITE per replica), accelerated (one WRITE to the switch), the
same two as direct-shared and accelerated-shared, in which records share a WRITE
while they wait for others to be acknowledged, or mu (Mu's own replication, the
baseline of p4ce bench; replicas need --mu).

A server sends and receives on a network interface (--interface), in software, or
with an RDMA device (--rdma verbs). Without either, and without privileges, it can
be a process behind a datagram port of a switch: --wire unix:LOCAL,PEER or
udp:LOCAL,PEER, where LOCAL is the PEER of the switch's port. It then needs
--address, --mac and --gateway-mac, because there is no kernel to ask.

A node prints its events as one JSON object per line. It reads commands, one
per line, on standard input: "digest" (replica: print the digest of the log),
"go" (leader, with --step: begin the next mode). It ends at "quit", or on
SIGTERM.`,
		Example: `  p4ce node --role replica --interface eth1
  p4ce node --role replica --wire udp:127.0.0.1:6001,127.0.0.1:5001 --address 10.66.0.12 --mac 02:66:00:00:00:0c --gateway-mac 02:50:34:63:65:01
  p4ce node --role leader --interface eth1 --replicas 10.66.0.12,10.66.0.13 --switch 10.66.0.1 --modes accelerated --input FILE`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			n := &node{o: o, log: cli.Logger(cmd.ErrOrStderr(), o.verbose), Printer: event.NewPrinter(cmd.OutOrStdout())}
			defer n.Close()
			return n.Ends(n.run(cmd.Context(), cmd.InOrStdin()))
		},
	}
	f := c.Flags()
	f.StringVar(&o.role, "role", "", "leader or replica")
	o.endpoint.Add(f, 20*time.Millisecond)
	f.Uint16Var(&o.port, "service-port", endpoint.ServicePort, "RDMA service of the replicas")
	f.IntVar(&o.logSize, "log-size", 1<<20, "size of the log's memory region in bytes: a power of two, the same on all servers")
	f.Uint64Var(&o.cluster, "cluster", 1, "cluster number; leaders, replicas and controllers refuse other clusters")
	cli.TokenVar(f, &o.token, "shared secret of the cluster: its leader, its replicas, and the controller of the switch (default: none)")
	f.StringSliceVar(&o.replicas, "replicas", nil, "leader: addresses of the replicas, in order of their slots")
	f.StringVar(&o.sw, "switch", "", "leader: address of the switch, for accelerated mode")
	f.Uint16Var(&o.id, "id", 0, "leader: id among the servers")
	f.Uint64Var(&o.term, "term", 1, "leader: term, higher than any earlier leader's")
	f.StringVar(&o.policy, "policy", "quorum", "leader: quorum (a majority of all servers) or all")
	f.IntVar(&o.window, "window", 64, "records under way at once (replica: with --mu)")
	f.IntVar(&o.share, "share", DefaultShare, "leader: bytes of a WRITE that waiting records share, in the modes that end in -shared")
	f.StringVar(&o.input, "input", "", "leader: file with the records")
	f.IntVar(&o.recordSize, "record-size", 128, "bytes of a record (replica: with --mu)")
	f.IntVar(&o.count, "count", 0, "leader: number of records, repeating the file as needed; 0: the file once; with --bursts: of bursts of each size")
	f.IntSliceVar(&o.bursts, "bursts", nil, "leader: replicate the first record of the file in bursts of these sizes, and print how long each burst took")
	f.StringSliceVar(&o.modes, "modes", []string{"direct"}, "leader: modes to replicate in, one after the other")
	f.BoolVar(&o.mu, "mu", false, "replica: follow leaders in mode mu, too, on the next two service ports; --record-size and --window are the leader's")
	o.endpoint.AddLinkRate(f)
	f.DurationVar(&o.openFor, "open-loop", 0, "leader: propose the first record of the file for this long at each of --rates, and print the latency of each from its intended time")
	f.Float64SliceVar(&o.rates, "rates", nil, "leader: records per second to propose with --open-loop")
	f.StringVar(&o.profile, "cpu-profile", "", "leader: file for a profile of its CPU time in all modes (go tool pprof FILE)")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "log more")
	return c
}

// Event is what a node prints.
type Event struct {
	Event   event.Kind       `json:"event"` // ready, mode, progress, burst, offered, done, digest, error, end
	Role    string           `json:"role,omitempty"`
	Mode    string           `json:"mode,omitempty"`
	Records uint64           `json:"records,omitempty"`
	Total   uint64           `json:"total,omitempty"`
	Bytes   uint64           `json:"bytes,omitempty"`
	Sent    uint64           `json:"sent,omitempty"`    // bytes on a link with a rate
	Rate    float64          `json:"rate,omitempty"`    // records per second that were offered
	Writes  uint64           `json:"writes,omitempty"`  // RDMA WRITEs posted, all paths
	Repairs uint64           `json:"repairs,omitempty"` // replicas that got entries again
	Seconds float64          `json:"seconds,omitempty"`
	Latency *latency.Summary `json:"latency,omitempty"`
	SHA256  string           `json:"sha256,omitempty"`
	Error   string           `json:"error,omitempty"`
}

type node struct {
	o   options
	log *slog.Logger
	*event.Printer

	// Of a leader.
	dev      rdma.Device
	policy   private.Policy
	replicas []netip.Addr
}

func (n *node) run(ctx context.Context, stdin io.Reader) error {
	if n.o.role != "leader" && n.o.role != "replica" {
		return cli.Usagef("--role must be leader or replica, not %q", n.o.role)
	}
	if err := n.o.endpoint.CheckLinkRate(); err != nil {
		return err
	}
	if n.o.window < 1 {
		return cli.Usagef("--window %d: at least one record", n.o.window)
	}
	n.o.endpoint.Memory, n.o.endpoint.Loop = n.o.logSize, n.o.role == "leader"
	if n.baseline() {
		if n.o.recordSize < 1 || n.o.recordSize > maxBaseline || n.o.window > maxBaselineWindow {
			return cli.Usagef("mode mu: --record-size %d and --window %d (want 1 to %d, and 1 to %d)", n.o.recordSize, n.o.window, maxBaseline, maxBaselineWindow)
		}
		if n.o.port > math.MaxUint16-baselinePort-1 {
			return cli.Usagef("--service-port %d: mode mu uses the next two, too", n.o.port)
		}
		n.o.endpoint.Memory += baseline.LogSize(n.o.recordSize, n.o.window)
	}
	dev, err := n.o.endpoint.OpenDevice(n.log)
	if err != nil {
		return err
	}
	defer dev.Close()
	commands := cli.Lines(ctx, stdin)
	if n.o.role == "replica" {
		return n.replica(ctx, dev, commands)
	}
	return n.leader(ctx, dev, commands)
}

// Shared ends the names of modes in which waiting records share WRITEs.
const Shared = "-shared"

// DefaultShare is how many bytes of a WRITE records share: what one packet carries.
const DefaultShare = 1024

// retries is how often a server sends a request again before its connection counts as failed.
const retries = 7

func (n *node) replica(ctx context.Context, dev rdma.Device, commands <-chan string) error {
	r, err := replicate.OpenReplica(replicate.ReplicaConfig{
		Device: dev, Port: n.o.port, LogSize: n.o.logSize, Cluster: n.o.cluster, Token: n.o.token,
		AckTimeout: n.o.endpoint.AckTimeout, Retry: retries, Log: n.log,
	})
	if err != nil {
		return err
	}
	defer r.Close()
	if n.o.mu {
		f, err := n.follower(dev)
		if err != nil {
			return err
		}
		defer f.Close()
	}
	n.Print(Event{Event: event.Ready, Role: "replica"})
	return n.Ends(n.serve(ctx, r, commands))
}

// serve answers commands to a replica until one ends it.
func (n *node) serve(ctx context.Context, r *replicate.Replica, commands <-chan string) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case c := <-commands:
			switch c {
			case "digest":
				d := r.Digest()
				n.Print(Event{Event: event.Digest, Records: d.Records, SHA256: fmt.Sprintf("%x", d.Sum)})
			case "quit":
				return nil
			default:
				n.Print(Event{Event: event.Error, Error: fmt.Sprintf("command %q: a replica knows digest and quit", c)})
			}
		}
	}
}

func (n *node) leader(ctx context.Context, dev rdma.Device, commands <-chan string) error {
	policy, err := private.ParsePolicy(n.o.policy)
	if err != nil {
		return cli.Usage(err)
	}
	if n.o.share < 1 {
		return cli.Usagef("--share %d: at least one byte", n.o.share)
	}
	n.dev, n.policy = dev, policy
	cfg := replicate.LeaderConfig{
		Device: dev, AckTimeout: n.o.endpoint.AckTimeout, Retry: retries, ID: n.o.id, Term: n.o.term, Port: n.o.port, Policy: policy, Cluster: n.o.cluster, Token: n.o.token,
		LogSize: n.o.logSize, Window: n.o.window, Log: n.log,
	}
	for _, s := range n.o.replicas {
		a, err := netip.ParseAddr(s)
		if err != nil {
			return cli.Usagef("--replicas: %q is not an address", s)
		}
		cfg.Replicas = append(cfg.Replicas, a)
	}
	n.replicas = cfg.Replicas
	if len(cfg.Replicas) == 0 || len(cfg.Replicas) > private.MaxReplicas {
		return cli.Usagef("--replicas: %d addresses (1 to %d)", len(cfg.Replicas), private.MaxReplicas)
	}
	if n.o.sw != "" {
		if cfg.Switch, err = netip.ParseAddr(n.o.sw); err != nil {
			return cli.Usagef("--switch: %q is not an address", n.o.sw)
		}
	}
	for _, m := range n.o.modes {
		base, _ := strings.CutSuffix(m, Shared)
		if base != "direct" && base != "accelerated" && m != baselineMode {
			return cli.Usagef("--modes: %q is none of direct, accelerated, direct-shared, accelerated-shared and mu", m)
		}
		if base == "accelerated" && n.o.sw == "" {
			return cli.Usagef("--modes %s needs --switch", m)
		}
	}
	if err := n.o.checkBursts(); err != nil {
		return err
	}
	if err := n.o.checkOpenLoop(); err != nil {
		return err
	}
	records, err := readRecords(n.o.input, n.o.recordSize, n.o.count)
	if err != nil {
		return err
	}
	// Refused before anybody is connected to.
	for _, r := range records {
		cfg.MaxRecord = max(cfg.MaxRecord, len(r))
	}
	l, err := replicate.OpenLeader(ctx, cfg)
	if err != nil {
		return err
	}
	defer l.Close()
	n.Print(Event{Event: event.Ready, Role: "leader", Total: uint64(len(records))})
	return n.Ends(n.lead(ctx, l, records, commands))
}

// lead replicates the records in every mode.
func (n *node) lead(ctx context.Context, l *replicate.Leader, records [][]byte, commands <-chan string) (err error) {
	var b *baseline.Leader
	if n.baseline() {
		if b, err = n.baselineLeader(); err != nil {
			return err
		}
		defer b.Close()
	}
	profiled, err := profile(n.o.profile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, profiled()) }()
	for i, mode := range n.o.modes {
		base, shared := strings.CutSuffix(mode, Shared)
		p := path(ours{l, shared})
		switch base {
		case "accelerated":
			err = l.Accelerate(ctx)
		case baselineMode:
			p = mus{b}
			err = errors.Join(l.Direct(ctx), b.Begin(ctx, n.o.term+uint64(i)))
		default:
			err = l.Direct(ctx)
		}
		l.Share(0)
		if shared {
			l.Share(n.o.share)
		}
		if err != nil {
			return fmt.Errorf("%s mode: %w", mode, err)
		}
		n.Print(Event{Event: event.Mode, Mode: mode})
		if err := await(ctx, commands, "go"); err != nil {
			return err
		}
		switch {
		case len(n.o.bursts) > 0:
			err = n.burst(ctx, p, mode, records[0])
		case n.o.openFor > 0:
			err = n.openLoop(ctx, p, mode, records[0])
		default:
			err = n.replicate(ctx, p, mode, records)
		}
		if err == nil && mode == baselineMode {
			err = b.End(ctx) // and what its followers have is compared
		}
		if err != nil {
			return fmt.Errorf("%s mode: %w", mode, err)
		}
	}
	if err := l.Sync(ctx); err != nil {
		return err
	}
	if err := profiled(); err != nil {
		return err
	}
	d := l.Digest()
	n.Print(Event{Event: event.Digest, Records: d.Records, SHA256: fmt.Sprintf("%x", d.Sum)})
	return await(ctx, commands, "quit")
}

// profile begins a profile of the process's CPU time, and returns what ends it. No file: there is none.
func profile(file string) (end func() error, err error) {
	if file == "" {
		return func() error { return nil }, nil
	}
	f, err := os.Create(file)
	if err != nil {
		return nil, fmt.Errorf("--cpu-profile: %w", err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(fmt.Errorf("--cpu-profile: %w", err), f.Close())
	}
	return sync.OnceValue(func() error {
		pprof.StopCPUProfile()
		if err := f.Close(); err != nil {
			return fmt.Errorf("--cpu-profile: %w", err)
		}
		return nil
	}), nil
}

// await waits for a command.
func await(ctx context.Context, commands <-chan string, want string) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case c := <-commands:
			if c == want {
				return nil
			}
		}
	}
}

// replicate proposes all records and waits until they are decided.
func (n *node) replicate(ctx context.Context, l path, mode string, records [][]byte) error {
	l.ResetLatency()
	c := &client{path: l, records: records, starved: make(chan struct{}, 1)}
	total := uint64(len(records))
	start := time.Now()
	// Progress while it runs.
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for {
			select {
			case <-stop:
				return
			case <-ticker.C:
				n.Print(Event{Event: event.Progress, Mode: mode, Records: c.decided.Load(), Total: total})
			}
		}
	}()
	n.o.endpoint.Begin()
	before, sent := l.did(), n.o.endpoint.Sent()
	if err := c.run(ctx); err != nil {
		return err
	}
	took := time.Since(start)
	sent = n.o.endpoint.Sent() - sent
	if got := l.mode(); got != mode {
		return fmt.Errorf("the leader fell back to %s mode", got)
	}
	stats := l.did()
	n.Print(Event{Event: event.Done, Mode: mode, Records: total, Bytes: c.bytes, Sent: sent, Writes: stats.writes - before.writes, Repairs: stats.repairs - before.repairs, Seconds: took.Seconds(), Latency: &stats.latency})
	return nil
}

// maxInput bounds a file that is cut into records: it is in memory as a whole.
const maxInput = 1 << 30

// readRecords cuts a file into records, and repeats it until there are count.
func readRecords(file string, size, count int) ([][]byte, error) {
	if size <= 0 {
		return nil, cli.Usagef("--record-size %d: a record has at least one byte", size)
	}
	if count < 0 {
		return nil, cli.Usagef("--count %d: a negative number of records", count)
	}
	if file == "" {
		return nil, cli.Usagef("--input is missing: want a file to replicate")
	}
	data, err := files.Read(file, maxInput)
	if err != nil {
		return nil, fmt.Errorf("input: %w", err)
	}
	if len(data) == 0 {
		return nil, fmt.Errorf("input %s is empty: there is nothing to replicate", file)
	}
	var cut [][]byte
	for at := 0; at < len(data); at += size {
		cut = append(cut, data[at:min(at+size, len(data))])
	}
	if count == 0 {
		return cut, nil
	}
	records := make([][]byte, count)
	for i := range records {
		records[i] = cut[i%len(cut)]
	}
	return records, nil
}
