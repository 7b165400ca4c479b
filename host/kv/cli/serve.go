package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/host/kv"
	"github.com/p4ce/p4ce/internal/build"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/internal/event"
)

// heapRoom is how much garbage a server may have, in bytes, however little memory it uses.
const heapRoom = 64 << 20

// server is a server of the store.
type server struct {
	o   options
	log *slog.Logger
	*event.Printer
}

// run opens everything, serves, and closes everything in reverse order.
func (s *server) run(ctx context.Context, stdin io.Reader) (err error) {
	o := &s.o
	opener, err := s.chosen()
	if err != nil {
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
	clients, err := ListenClients(o.listen)
	if err != nil {
		return err
	}
	defer clients.Close()
	if err := s.protected(clients.Addr()); err != nil {
		return err
	}
	// The collector runs when the heap has doubled. The heap of a store with few keys is small, and
	// would double many times per second. This gives it room. Untouched pages cost nothing.
	room := make([]byte, heapRoom)
	defer runtime.KeepAlive(room)
	reg := prometheus.NewRegistry()
	reg.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	failed := make(chan error, 3)
	health := &health{}
	metrics, stopMetrics, err := ServeMetrics(o.metrics, reg, health.look, failed)
	if err != nil {
		return err
	}
	defer stopMetrics()
	if err := opener.Attach(); err != nil {
		return err
	}
	defer opener.Close()
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
	log, config, err := opener.Open(machine, reg, clients.Addr())
	if err != nil {
		return err
	}
	defer func() {
		if e := log.Close(); err == nil {
			err = e
		}
	}()
	config.Machine, config.Log, config.Version, config.Logger, config.Metrics = machine, log, build.Read().Version, s.log, reg
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
	s.Print(Event{Event: event.Ready, Role: "kv", Listen: clients.Addr().String(), Metrics: metrics})
	return s.Ends(s.wait(ctx, stdin, machine, log, opener.Records, failed))
}

// chosen returns the log that --log names.
func (s *server) chosen() (Opener, error) {
	o := &s.o
	chosen := slices.IndexFunc(o.logs, func(l Log) bool { return l.Name == o.log })
	if chosen < 0 {
		var names []string
		for _, l := range o.logs {
			names = append(names, l.Name)
		}
		return nil, cli.Usagef("--log %q: want %s", o.log, strings.Join(names, " or "))
	}
	for i, set := range o.sets {
		var given []string
		set.VisitAll(func(f *pflag.Flag) {
			if f.Changed && o.sets[chosen].Lookup(f.Name) == nil {
				given = append(given, f.Name)
			}
		})
		if i != chosen && len(given) > 0 {
			return nil, cli.Usagef("--%s is not for --log %s", given[0], o.log)
		}
	}
	if o.data == "" {
		return nil, cli.Usagef("--data is missing: want a folder for the state")
	}
	return o.flags[chosen].Check(Server{
		Data: o.data, SyncEvery: o.syncEvery, Listen: o.listen, TLS: o.tls, Insecure: o.insecure, Log: s.log, Print: func(e Event) { s.Print(e) },
	}, o.sets[chosen].Changed)
}

// wait serves commands until the server is told to end, or fails.
func (s *server) wait(ctx context.Context, stdin io.Reader, machine *kv.Machine, log Replicator, applied func() uint64, failed <-chan error) error {
	commands := cli.Lines(ctx, stdin)
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
				s.Print(Event{Event: event.Digest, Records: records, SHA256: fmt.Sprintf("%x", d)})
			default:
				s.Print(Event{Event: event.Error, Error: fmt.Sprintf("command %q: a server knows digest and quit", c)})
			}
		}
	}
}
