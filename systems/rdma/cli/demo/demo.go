// Package demo has the demos of P4CE (p4ce demo) and MC-RDMA (p4ce demo multicast).
package demo

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/internal/cli/demo"
	"github.com/p4ce/p4ce/internal/units"
	"github.com/p4ce/p4ce/systems/rdma/cli/node"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// sample is what the demo replicates unless told otherwise.
//
//go:embed sample.txt
var sample []byte

// Demos are the system's.
var Demos = []demo.Demo{
	{Command: command, Default: true},
	{
		Command: multicastDemo.Command,
		About: `p4ce demo multicast builds four racks of hosts and two spines, six switches in all (see
docs/multicast.md). A host writes to eight others, through a group and to each by itself,
and a table has the packets on each link. Then the demo kills a spine.`,
	},
}

// options are the command line of the demo.
type options struct {
	demo.Flags
	input      string
	replicas   int
	policy     string
	wire       string
	recordSize int
	share      int
	count      int
	keep       bool
	kv         bool
	pcap       string
}

func command() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "demo",
		Short: "Replicate a file through the switch, directly and accelerated",
		Long: `Build a small network on this machine, with a switch, its controller, a leader
and replicas, each a process of its own. Replicate the records of a file twice:
directly (the leader sends one RDMA WRITE to each replica) and accelerated (one
WRITE to the switch, which does the rest). The demo ends with a table of the
costs, and compares the replicas' logs with the leader's.

As root, the network consists of network namespaces, and the switch runs the P4
program in XDP. Without root, the processes use datagram sockets, and the switch
is the interpreter.

With --kv, the servers are a replicated key-value store with the Redis protocol
instead. The demo prints how to connect, and runs until Ctrl-C. It restarts a
server that you kill after a moment.`,
		Example: `  p4ce demo
  p4ce demo --replicas 4 --policy all --count 50000
  p4ce demo --kv
  p4ce demo --input /var/log/syslog --pcap run.pcapng
  seq 100000 | p4ce demo --input - --record-size 8`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.kv {
				for _, f := range []string{"policy", "record-size", "count", "keep", "input", "window", "share"} {
					if cmd.Flags().Changed(f) {
						return cli.Usagef("--%s is not for --kv: the store decides by a majority, and gets its data from you", f)
					}
				}
			}
			if !cmd.Flags().Changed("count") {
				o.count = byInput
			} else if o.count < 0 {
				return cli.Usagef("--count %d: a negative number of records", o.count)
			}
			if err := o.check(); err != nil {
				return err
			}
			return demo.Folder(cmd.Context(), func(ctx context.Context, dir string) error {
				if o.kv {
					return serve(ctx, dir, o, cmd.OutOrStdout(), cmd.ErrOrStderr())
				}
				return replicate(ctx, dir, o, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
			})
		},
	}
	f := c.Flags()
	f.StringVar(&o.input, "input", "", "file to replicate, or - for standard input (default: a built-in text)")
	f.IntVar(&o.replicas, "replicas", 2, fmt.Sprintf("number of replicas, 1 to %d", private.MaxReplicas))
	f.StringVar(&o.policy, "policy", "quorum", "when a record is decided: quorum (a majority of all servers holds it) or all")
	o.Add(f)
	f.StringVar(&o.wire, "wire", "", "how servers send, and who answers: kernel (AF_XDP, and the kernel executes peers' requests), xdp (AF_XDP), packet (AF_PACKET), or auto (kernel where it can, else packet); as root only (default auto)")
	f.IntVar(&o.recordSize, "record-size", 128, "bytes of a record")
	f.IntVar(&o.share, "share", node.DefaultShare, "replicate a second time, with waiting records sharing WRITEs of up to this many bytes; 0: one WRITE per record only")
	f.IntVar(&o.count, "count", 0, "number of records, repeating the input as needed; 0: the input once (default: 20000 of the default text; a given input once)")
	f.BoolVar(&o.kv, "kv", false, "run a replicated key-value store (Redis protocol) until Ctrl-C")
	f.BoolVar(&o.keep, "keep", false, "leave everything running, and print how to look at it")
	f.StringVar(&o.pcap, "pcap", "", "write what the switch receives and sends to this file (pcapng; xdp only)")
	return c
}

// modes are what the leader replicates in, one after the other.
func (o *options) modes() []string {
	modes := []string{"direct", "accelerated"}
	if o.share > 0 {
		modes = append(modes, "direct"+node.Shared, "accelerated"+node.Shared)
	}
	return modes
}

// byInput is the number of records that nobody has asked for.
const byInput = -1

// check finds what can be found wrong before anything is started.
func (o *options) check() error {
	if o.replicas < 1 || o.replicas > private.MaxReplicas {
		return cli.Usagef("--replicas %d: a group has 1 to %d replicas", o.replicas, private.MaxReplicas)
	}
	if _, err := private.ParsePolicy(o.policy); err != nil {
		return cli.Usage(fmt.Errorf("--policy: %w", err))
	}
	if err := o.Check(); err != nil {
		return err
	}
	switch o.wire {
	case "":
		o.wire = "auto"
	case "auto", "packet", "xdp", "kernel":
		if os.Geteuid() != 0 {
			return fmt.Errorf("--wire %s needs root; without it servers talk through datagram sockets (no --wire)", o.wire)
		}
	default:
		return cli.Usagef("--wire %q: auto, kernel, xdp or packet", o.wire)
	}
	if o.pcap != "" && o.Target != "xdp" {
		return cli.Usagef("--pcap records the XDP switch, and --target %s is not XDP", o.Target)
	}
	if o.recordSize < 1 {
		return cli.Usagef("--record-size %d: a record has at least one byte", o.recordSize)
	}
	if o.recordSize > maxRecord {
		return cli.Usagef("--record-size %d: at most %d", o.recordSize, maxRecord)
	}
	if o.share < 0 {
		return cli.Usagef("--share %d: a negative number of bytes", o.share)
	}
	return nil
}

// logSize is the size of the servers' logs, maxRecord the longest record
// that fits.
const (
	logSize   = 1 << 20
	maxRecord = logSize/4 - 256
)

// replicate shows how records of a file are replicated.
func replicate(ctx context.Context, dir string, o options, stdin io.Reader, stdout, stderr io.Writer) error {
	input, err := inputFile(o, dir, stdin)
	if err != nil {
		return err
	}
	if o.count == byInput {
		o.count = 0
		if o.input == "" {
			o.count = 20000
		}
	}
	d, err := build(o, dir, input, stdout, stderr)
	if err != nil {
		return err
	}
	defer d.close()
	results, digests, err := d.replicate(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return cli.Ended(ctx, err)
		}
		return d.watch.Cause(err)
	}
	fmt.Fprintln(stdout)
	printResults(stdout, o, results)
	same := printDigests(stdout, digests)
	if o.keep && same {
		if err := d.keep(ctx); err != nil {
			return d.watch.Cause(err)
		}
	}
	if !same {
		return errors.New("the logs differ: this should never happen, please report it")
	}
	return d.checkResults(results)
}

// inputFile returns a file with what is to be replicated.
func inputFile(o options, dir string, stdin io.Reader) (string, error) {
	file := filepath.Join(dir, "input")
	switch o.input {
	case "":
		return file, os.WriteFile(file, sample, 0o600)
	case "-":
		f, err := os.Create(file)
		if err != nil {
			return "", err
		}
		n, err := io.Copy(f, stdin)
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			return "", fmt.Errorf("input: %w", err)
		}
		if n == 0 {
			return "", errors.New("input: standard input is empty: there is nothing to replicate")
		}
		return file, nil
	}
	// The servers run elsewhere in the file system's eyes only by their
	// working directory: an absolute path is the same for all.
	abs, err := filepath.Abs(o.input)
	if err != nil {
		return "", err
	}
	f, err := os.Open(abs)
	if err != nil {
		return "", fmt.Errorf("input: %w", err)
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil:
		return "", fmt.Errorf("input: %w", err)
	case st.IsDir():
		return "", fmt.Errorf("input: %s is a directory", o.input)
	case st.Mode().IsRegular() && st.Size() == 0:
		return "", fmt.Errorf("input: %s is empty: there is nothing to replicate", o.input)
	}
	return abs, nil
}

// result is what one mode took.
type result struct {
	mode           string
	records, bytes uint64
	seconds        float64
	p50, p99       time.Duration
	// On the leader's link, both directions.
	packets, linkBytes uint64
	// From the leader into the switch.
	sent uint64
	// RDMA WRITEs that the leader posted.
	writes uint64
	// Times that a replica which had missed something got it again, directly.
	repairs uint64
}

func printResults(w io.Writer, o options, results []result) {
	servers := o.replicas + 1
	fmt.Fprintf(w, "%s (1 leader, %s), policy %s, switch on %s\n\n", units.Count(servers, "server"), units.Count(o.replicas, "replica"), o.policy, o.Target)
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tab, "mode\trecords\trecords/s\tp50\tp99\tWRITEs\tpackets sent\tpackets\tbytes\t")
	fmt.Fprintln(tab, "\t\t\t\t\t\tby the leader\ton its link\ton its link\t")
	for i, r := range results {
		fmt.Fprintf(tab, "%s\t%d\t%.0f\t%s\t%s\t%d\t%d\t%d\t%d\t\n", r.mode, r.records, float64(r.records)/r.seconds,
			r.p50.Round(time.Microsecond), r.p99.Round(time.Microsecond), r.writes, r.sent, r.packets, r.linkBytes)
		if i%2 == 0 {
			continue
		}
		a, b := results[i-1], r
		ratio := func(x, y float64) string { return fmt.Sprintf("%.2f x", y/x) }
		fmt.Fprintf(tab, "ratio\t\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", ratio(float64(a.records)/a.seconds, float64(b.records)/b.seconds),
			ratio(float64(a.p50), float64(b.p50)), ratio(float64(a.p99), float64(b.p99)),
			ratio(float64(a.writes), float64(b.writes)), ratio(float64(a.sent), float64(b.sent)), ratio(float64(a.packets), float64(b.packets)), ratio(float64(a.linkBytes), float64(b.linkBytes)))
	}
	tab.Flush()
}

// digest is the log of one server.
type digest struct {
	server  string
	records uint64
	sha256  string
}

// printDigests prints the digests and reports whether they are equal.
func printDigests(w io.Writer, digests []digest) bool {
	fmt.Fprintln(w, "\nSHA-256 of the log:")
	same := true
	for _, d := range digests {
		mark := "="
		if d.sha256 != digests[0].sha256 || d.records != digests[0].records {
			same, mark = false, "DIFFERS"
		}
		fmt.Fprintf(w, "  %-10s %d records  %s  %s\n", d.server, d.records, d.sha256, mark)
	}
	if same {
		fmt.Fprintf(w, "All %d logs are equal.\n", len(digests))
	}
	return same
}
