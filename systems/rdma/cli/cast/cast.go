// Package cast is the command p4ce cast: it copies a file to many hosts.
package cast

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/internal/event"
	"github.com/p4ce/p4ce/internal/units"
	"github.com/p4ce/p4ce/systems/rdma/cast"
	"github.com/p4ce/p4ce/systems/rdma/cli/endpoint"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// options are the command line of cast.
type options struct {
	endpoint       endpoint.Flags
	receive        string
	port           uint16
	via, sw, name  string
	chunk          int
	cluster, token uint64
	json, verbose  bool
}

// event is a line that cast --json prints.
type report struct {
	Event   event.Kind    `json:"event"` // ready, received, progress, done, end
	Name    string        `json:"name,omitempty"`
	Bytes   int64         `json:"bytes,omitempty"`
	Total   int64         `json:"total,omitempty"`
	Seconds float64       `json:"seconds,omitempty"`
	Results []cast.Result `json:"results,omitempty"`
}

// Command is the command cast.
func Command() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "cast FILE HOST[:PORT]... | cast --receive FOLDER",
		Short: "Copy a file to many hosts at once, by multicast",
		Long: `Copy a file to many hosts, which run p4ce cast --receive: with RDMA WRITEs that the switch
copies (--via multicast, which needs --switch), over a connection to each host (fan-out),
or from host to host (chain).

A file gets its name on a host only when all of it is on disk, with the sender's SHA-256.
An interrupted transfer continues when the same file is sent again. Hosts that have the
file get nothing. A host that fails does not keep the others from finishing: the command
names it, and the exit status is 1.`,
		Example: `  p4ce cast --receive /srv/images --interface eth1
  p4ce cast image.raw 10.66.0.12 10.66.0.13 --switch 10.66.0.1 --interface eth1`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := c.Flags()
	o.endpoint.Add(f, timeout)
	f.StringVar(&o.receive, "receive", "", "receive files into this folder")
	f.Uint16Var(&o.port, "port", cast.Port, "where hosts listen")
	f.StringVar(&o.via, "via", string(cast.Multicast), "multicast, fan-out or chain")
	f.StringVar(&o.sw, "switch", "", "address of the switch that copies the packets")
	f.StringVar(&o.name, "name", "", "name on the hosts (default: that of the file)")
	f.IntVar(&o.chunk, "chunk", 1<<20, "bytes of a WRITE, a power of two, 4096 to 1048576")
	f.Uint64Var(&o.cluster, "cluster", 1, "cluster number; hosts and the controller refuse other clusters")
	cli.TokenVar(f, &o.token, "shared secret of the cluster (default: none)")
	o.endpoint.AddLinkRate(f)
	f.BoolVar(&o.json, "json", false, "print JSON, one object per line")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "log more")
	return c
}

// timeout is how long an acknowledgement may take: a burst of 1 MiB may lie before it.
const timeout = 100 * time.Millisecond

// memory is what peers reach of a receiver: a few transfers at once.
const memory = 4 * cast.Slots << 20

func (o *options) run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	switch {
	case o.receive == "" && len(args) < 2:
		return cli.Usagef("want a file and hosts, or --receive FOLDER")
	case o.receive != "" && len(args) > 0:
		return cli.Usagef("--receive needs neither a file nor hosts")
	case o.port == 0:
		return cli.Usagef("--port 0: 1 to 65535")
	}
	if err := o.endpoint.CheckLinkRate(); err != nil {
		return err
	}
	secret := private.Secret{Cluster: o.cluster, Token: o.token}
	log := cli.Logger(stderr, o.verbose)
	if o.receive != "" {
		o.endpoint.Memory = memory
		dev, err := o.endpoint.OpenDevice(log)
		if err != nil {
			return err
		}
		defer dev.Close()
		r := &cast.Receiver{Device: dev, Dir: o.receive, Secret: secret, AckTimeout: o.endpoint.AckTimeout, Log: log}
		r.Ready = func() { o.say(stdout, report{Event: event.Ready}, "ready: %s, port %d", o.receive, o.port) }
		r.Received = func(name string, size int64) {
			o.say(stdout, report{Event: event.Received, Name: name, Bytes: size}, "%s: %d bytes", name, size)
		}
		return r.Serve(ctx, o.port)
	}
	hosts, s, err := o.sender(ctx, args)
	if err != nil {
		return err
	}
	dev, err := o.endpoint.OpenDevice(log)
	if err != nil {
		return err
	}
	defer dev.Close()
	s.Secret, s.Log = secret, log
	p := &progress{o: o, out: stderr, last: time.Now(), of: map[netip.AddrPort]int64{}}
	s.Progress = p.took
	name := o.name
	if name == "" {
		name = filepath.Base(args[0])
	}
	start := time.Now()
	results, err := cast.Send(ctx, dev, args[0], name, hosts, s)
	if err != nil {
		return err
	}
	took := time.Since(start)
	failed := o.report(stdout, results, took)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if failed {
		return cli.ErrFailed
	}
	return nil
}

// say prints an event, for programs or for people.
func (o *options) say(w io.Writer, e report, format string, args ...any) {
	if o.json {
		_ = json.NewEncoder(w).Encode(e)
	} else {
		fmt.Fprintf(w, format+"\n", args...)
	}
}

// sender reads where to send to, and how.
func (o *options) sender(ctx context.Context, args []string) (hosts []netip.AddrPort, s cast.Options, err error) {
	s = cast.Options{Via: cast.Via(o.via), Chunk: o.chunk, AckTimeout: o.endpoint.AckTimeout}
	if s.Via == cast.Multicast {
		if s.Switch, err = netip.ParseAddr(o.sw); err != nil || !s.Switch.Is4() {
			return nil, s, cli.Usagef("--switch %q: --via multicast needs the IPv4 address of the switch", o.sw)
		}
	}
	for _, h := range args[1:] {
		name, port, ok := strings.Cut(h, ":")
		n := uint64(o.port)
		if ok {
			if n, err = strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
				return nil, s, cli.Usagef("host %q: want HOST or HOST:PORT", h)
			}
		}
		list, err := net.DefaultResolver.LookupNetIP(ctx, "ip4", name)
		if err != nil {
			return nil, s, fmt.Errorf("host %q: is not known: %w", h, err)
		}
		hosts = append(hosts, netip.AddrPortFrom(list[0].Unmap(), uint16(n)))
	}
	return hosts, s, nil
}

// report prints how it ended for each host, and reports whether it failed for any.
func (o *options) report(w io.Writer, results []cast.Result, took time.Duration) (failed bool) {
	var moved int64
	for _, r := range results {
		failed = failed || r.Error != ""
		moved += r.Bytes - r.Had
	}
	if o.json {
		_ = json.NewEncoder(w).Encode(report{Event: event.Done, Bytes: moved, Seconds: took.Seconds(), Results: results})
		return failed
	}
	for _, r := range results {
		switch {
		case r.Error != "":
			fmt.Fprintf(w, "%v: failed at %d bytes: %s\n", r.Host, r.Bytes, r.Error)
		case r.Had > 0:
			fmt.Fprintf(w, "%v: %d bytes, of which %d were there\n", r.Host, r.Bytes, r.Had)
		default:
			fmt.Fprintf(w, "%v: %d bytes\n", r.Host, r.Bytes)
		}
	}
	fmt.Fprintf(w, "%.3f s by %s, %.1f MB/s at all hosts together\n", took.Seconds(), o.via, float64(moved)/1e6/took.Seconds())
	return failed
}

// progress prints how far hosts are, a few times a second.
type progress struct {
	o   *options
	out io.Writer

	mu   sync.Mutex
	last time.Time
	of   map[netip.AddrPort]int64
}

const progressEvery = 500 * time.Millisecond

func (p *progress) took(host netip.AddrPort, bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.of[host] = bytes
	if time.Since(p.last) < progressEvery {
		return
	}
	p.last = time.Now()
	least, most := bytes, bytes
	for _, n := range p.of {
		least, most = min(least, n), max(most, n)
	}
	p.o.say(p.out, report{Event: event.Progress, Bytes: least, Total: most}, "%d to %d bytes on %s", least, most, units.Count(len(p.of), "host"))
}
