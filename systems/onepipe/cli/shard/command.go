// Package shard is the command p4ce shard: a server of a store that is spread over servers, with transactions on keys of
// several of them.
package shard

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/spf13/cobra"

	kvcli "github.com/p4ce/p4ce/host/kv/cli"
	"github.com/p4ce/p4ce/host/kv/resp"
	"github.com/p4ce/p4ce/internal/build"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/internal/event"
	"github.com/p4ce/p4ce/link/certs"
	"github.com/p4ce/p4ce/systems/onepipe"
	"github.com/p4ce/p4ce/systems/onepipe/cli/place"
	"github.com/p4ce/p4ce/systems/onepipe/txn"
	"github.com/p4ce/p4ce/systems/onepipe/txn/door"
)

// options are the command line.
type options struct {
	place.Flags
	listen     string
	tls        certs.Files
	insecure   bool
	timeout    time.Duration
	idle       time.Duration
	maxClients int
	metrics    string
	verbose    bool
}

// Command is p4ce shard.
func Command() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "shard --deployment FILE --host NAME --link LINK",
		Short: "Run a server of a store with transactions on the keys of several servers (Redis protocol)",
		Long: fmt.Sprintf(`Run one server of a store that is spread over servers, the hosts of a 1Pipe network that
have an address at "state" in its deployment. Each has a part of the keys, its shard. A
hash of the key says which.

Each server executes transactions on all keys, in the order of the network. Clients speak
the Redis protocol. Each of these commands is one transaction:

  GET key             MGET key [key ...]               SET key value
  DEL key [key ...]   MSET key value [key value ...]   SHARD key

So is what is between MULTI and EXEC. A transaction has at most %d keys of %d bytes, with
values of %d bytes. PING, ECHO, INFO, DISCARD and QUIT are there, too.

Nothing is stored or replicated: when a server ends or fails, the keys of its shard are
gone. Transactions on them fail until it is back, and then it has no keys. SHARD says
which process has a key: one that is back is another process.

An error says what is known: NOTDONE, no shard has executed the transaction, and none
will; PARTLY, all have, and one has failed before it answered; UNKNOWN, all have, or none.

Without certificates of clients (--tls-ca), a server listens only on the loopback or on a
unix socket. It prints its events as one JSON object per line. It ends on SIGTERM, or at
"quit" on standard input. docs/onepipe.md describes the network.`, txn.MaxOps, txn.MaxKey, txn.MaxValue),
		Example: `  p4ce shard --deployment network.json --host h1 --link eth1
  p4ce shard --deployment network.json --host h1 --link eth1 --listen 10.0.0.11:6379 --tls-cert h1.crt --tls-key h1.key --tls-ca ca.crt`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s := &server{o: o, log: cli.Logger(cmd.ErrOrStderr(), o.verbose), Printer: event.NewPrinter(cmd.OutOrStdout())}
			defer s.Close()
			return s.Ends(s.run(cmd.Context(), cmd.InOrStdin()))
		},
	}
	f := c.Flags()
	o.Add(f)
	f.StringVar(&o.listen, "listen", "127.0.0.1:6379", kvcli.ListenUsage)
	f.DurationVar(&o.timeout, "timeout", 5*time.Second, "time limit for a transaction whose shards do not answer")
	f.DurationVar(&o.idle, "idle", 0, "close connections that have been idle for this long (0: never)")
	f.IntVar(&o.maxClients, "max-clients", 1000, "maximum number of client connections")
	cli.TLSFlags(f, &o.tls, "tls-", "the server", "the certificates of clients and other servers must be signed by one of them")
	f.BoolVar(&o.insecure, "insecure", false, "accept unauthenticated clients and servers from other machines")
	f.StringVar(&o.metrics, "metrics", "", kvcli.MetricsUsage)
	f.BoolVarP(&o.verbose, "verbose", "v", false, "log more")
	return c
}

// server is a server of a shard.
type server struct {
	o   options
	log *slog.Logger
	*event.Printer
}

// run opens everything, serves, and closes everything in reverse order.
func (s *server) run(ctx context.Context, stdin io.Reader) (err error) {
	o := &s.o
	switch {
	case o.maxClients < 1:
		return cli.Usagef("--max-clients %d: at least one", o.maxClients)
	case o.timeout <= 0:
		return cli.Usagef("--timeout %v: above 0", o.timeout)
	case o.idle < 0:
		return cli.Usagef("--idle %v: not negative", o.idle)
	}
	host, err := o.Host("p4ce shard", place.Security{TLS: o.tls, Insecure: o.insecure, Log: s.log})
	if err != nil {
		return err
	}
	if err := cli.CheckTLS(&o.tls, "tls-", true); err != nil {
		return err
	}
	config := resp.Config{MaxRequest: door.MaxRequest, MaxClients: o.maxClients, Idle: o.idle, Logger: s.log}
	if o.tls.Given() {
		if config.TLS, err = o.tls.Server(s.log); err != nil {
			return err
		}
	}
	dial, err := host.Dial()
	if err != nil {
		return err
	}
	clients, err := kvcli.ListenClients(o.listen)
	if err != nil {
		return err
	}
	defer clients.Close()
	if err := kvcli.Protected(clients.Addr(), o.listen, o.insecure || o.tls.CA != "", "--tls-ca FILE"); err != nil {
		return err
	}
	if err := host.Attach(); err != nil {
		return err
	}
	defer host.Close()
	reg := prometheus.NewRegistry()
	reg.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	node, err := txn.Open(txn.Config{
		Name: o.Name, Servers: host.Servers, Dial: dial, Logger: s.log, Registry: reg,
		Open: func(e onepipe.Events) (*onepipe.Host, error) { return host.Open(txn.Processes, e) },
	})
	if err != nil {
		return err
	}
	defer func() {
		if e := node.Close(); err == nil {
			err = e
		}
	}()
	host.Answer(node)
	failed := make(chan error, 3)
	metrics, stop, err := kvcli.ServeMetrics(o.metrics, reg, func(context.Context) error { return node.Health() }, failed)
	if err != nil {
		return err
	}
	defer stop()
	var served *resp.Server
	d := door.New(door.Config{
		Store: node, Timeout: o.timeout, Version: build.Read().Version, MaxClients: o.maxClients, Stats: func() resp.Stats { return served.Stats() },
	})
	config.Handler = d.Session
	served = resp.NewServer(config)
	defer served.Close()
	go func() {
		if err := served.Serve(clients); err != nil {
			failed <- fmt.Errorf("clients: %w", err)
		}
	}()
	s.Print(kvcli.Event{Event: event.Ready, Role: "shard", Listen: clients.Addr().String(), Metrics: metrics})
	return s.Ends(s.wait(ctx, stdin, node, failed))
}

// wait serves commands until the server is told to end, or fails.
func (s *server) wait(ctx context.Context, stdin io.Reader, node *txn.Node, failed <-chan error) error {
	commands := cli.Lines(ctx, stdin)
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-failed:
			return err
		case <-node.Done():
			return node.Err()
		case c := <-commands:
			if c == "quit" {
				return nil
			}
			s.Print(kvcli.Event{Event: event.Error, Error: fmt.Sprintf("command %q: a server knows quit", c)})
		}
	}
}
