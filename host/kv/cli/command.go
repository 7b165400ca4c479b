package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/internal/event"
	"github.com/p4ce/p4ce/link/certs"
)

// options are the command line of a server of the store.
type options struct {
	logs  []Log
	flags []Flags          // one for each log
	sets  []*pflag.FlagSet // the flags of each log
	log   string

	data       string
	syncEvery  time.Duration
	reserve    uint64
	listen     string
	users      string
	tls        certs.Files
	insecure   bool
	timeout    time.Duration
	idle       time.Duration
	maxClients int
	memory     int
	metrics    string
	verbose    bool
}

// Command returns the command kv, for stores that run on these logs.
func Command(logs []Log) *cobra.Command {
	// The default comes first.
	var o options
	for _, first := range []bool{true, false} {
		for _, l := range logs {
			if l.Default == first {
				o.logs = append(o.logs, l)
			}
		}
	}
	var usage, about []string
	help, examples := "", ""
	for _, l := range o.logs {
		usage = append(usage, l.Usage)
		about = append(about, fmt.Sprintf("%q, %s", l.Name, l.About))
		help += l.Help + "\n\n"
		examples += l.Example + "\n"
	}
	c := &cobra.Command{
		Use:   "kv --data FOLDER {" + strings.Join(usage, " | ") + "}",
		Short: "Run a server of the replicated key-value store (Redis protocol)",
		Long: `Run one server of a replicated key-value store that speaks the Redis protocol.

` + help + `The log is in memory, the state on disk. docs/kv.md says which data is durable when, and
explains --fsync.

Without users and without certificates of clients (--users, --tls-ca), a server listens
only on the loopback or on a unix socket: docs/security.md.

A server prints its events as one JSON object per line. It reads commands, one per
line, on standard input: "digest" (print the digest of the state). It ends on
SIGTERM, or at "quit".`,
		Example: examples + `  p4ce kv ... --listen 10.0.0.11:6379 --users users.acl --tls-cert server.crt --tls-key server.key`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s := &server{o: o, log: cli.Logger(cmd.ErrOrStderr(), o.verbose), Printer: event.NewPrinter(cmd.OutOrStdout())}
			defer s.Close()
			return s.Ends(s.run(cmd.Context(), cmd.InOrStdin()))
		},
	}
	f := c.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:6379", ListenUsage)
	f.StringVar(&o.data, "data", "", "folder with the state")
	f.DurationVar(&o.syncEvery, "sync-every", time.Second, "how often to flush the state to disk, in addition to what --fsync flushes")
	f.DurationVar(&o.timeout, "timeout", 5*time.Second, "time limit for a command when no majority answers")
	f.DurationVar(&o.idle, "idle", 0, "close connections that have been idle for this long (0: never)")
	f.IntVar(&o.maxClients, "max-clients", 10000, "maximum number of client connections")
	f.Uint64Var(&o.reserve, "disk-reserve", 256<<20, "bytes to keep free on the disk of --data, at most a quarter of it. With less free space, commands that need room fail with an error that begins with OOM; 0: no reserve")
	f.IntVar(&o.memory, "client-memory", 512<<20, "memory limit in bytes for the requests and replies of all clients; beyond it, the connection that uses most is closed")
	f.StringVar(&o.users, "users", "", "access control file in the format of Redis's ACL files; reloaded on SIGHUP and ACL LOAD")
	cli.TLSFlags(f, &o.tls, "tls-", "the server", "the clients' certificates must be signed by one of them; the common name is the user, if --users has one of that name")
	f.BoolVar(&o.insecure, "insecure", false, "accept unauthenticated clients from other machines")
	f.StringVar(&o.metrics, "metrics", "", MetricsUsage)
	f.BoolVarP(&o.verbose, "verbose", "v", false, "log more")
	f.StringVar(&o.log, "log", o.logs[0].Name, "what replicates: "+strings.Join(about, "; "))
	for _, l := range o.logs {
		own := l.New()
		o.flags, o.sets = append(o.flags, own), append(o.sets, addFlags(f, l, own))
		for _, command := range l.Commands {
			c.AddCommand(command())
		}
	}
	_ = c.MarkFlagRequired("data")
	c.AddCommand(backupCommand(), restoreCommand(), statusCommand())
	return c
}

// addFlags adds a log's flags to those of the command, and returns them. A flag that an earlier log has, too, is one for
// both. The help says for which logs a flag is, except for the default one's.
func addFlags(f *pflag.FlagSet, l Log, own Flags) *pflag.FlagSet {
	declared, set := pflag.NewFlagSet(l.Name, pflag.ContinueOnError), pflag.NewFlagSet(l.Name, pflag.ContinueOnError)
	own.Add(declared)
	declared.VisitAll(func(flag *pflag.Flag) {
		old := f.Lookup(flag.Name)
		switch {
		case old != nil:
			old.Value = shared{old.Value, flag.Value}
			if logs, usage, ok := strings.Cut(old.Usage, ": "); ok && usage == flag.Usage {
				old.Usage = logs + ", " + l.Name + ": " + usage
			}
			flag = old
		case !l.Default:
			flag.Usage = "--log " + l.Name + ": " + flag.Usage
			fallthrough
		default:
			f.AddFlag(flag)
		}
		set.AddFlag(flag)
	})
	return set
}

// shared is the value of a flag of several logs.
type shared struct {
	pflag.Value
	also pflag.Value
}

// Set implements pflag.Value.
func (v shared) Set(s string) error {
	if err := v.Value.Set(s); err != nil {
		return err
	}
	return v.also.Set(s)
}
