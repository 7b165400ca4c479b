package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/p4ce/p4ce/bench/peers/closed"
	"github.com/p4ce/p4ce/bench/peers/consensus"
	"github.com/p4ce/p4ce/bench/peers/stores"
	"github.com/p4ce/p4ce/lab/launch"
)

// setup bounds how long a system takes to come together.
const setup = time.Minute

// runServe runs one server of a replicated log. Server 1 generates the load.
func runServe(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("peerd serve", flag.ContinueOnError)
	kind := f.String("kind", "", "hashicorp, etcd-raft, or p4ce (its leader)")
	id := f.Int("id", 1, "this server, from 1; server 1 leads and generates the load")
	servers := f.String("servers", "", "HOST:PORT of all servers; p4ce: addresses")
	iface := f.String("interface", "", "p4ce: network interface")
	sw := f.String("switch", "", "p4ce: address of the switch (accelerated mode)")
	port := f.Uint("service-port", 4740, "p4ce: RDMA service of the replicas")
	logSize := f.Int("log-size", logSize, "p4ce: size of the log's memory region")
	share := f.Int("share", 0, "p4ce: values that wait share WRITEs of up to so many bytes; 0: a WRITE for each")
	var lo loadOptions
	lo.flags(f)
	if err := parse(f, args); err != nil {
		return err
	}
	loads, err := lo.all()
	if err != nil {
		return err
	}
	addresses := strings.Split(*servers, ",")
	begin, cancel := context.WithTimeout(ctx, setup)
	defer cancel()
	var l consensus.Log
	switch {
	case *kind == "p4ce":
		c := consensus.P4CE{Interface: *iface, Port: uint16(*port), LogSize: *logSize, Share: *share, Window: max(128, slices.Max(lo.clients))}
		if *sw != "" {
			if c.Switch, err = netip.ParseAddr(*sw); err != nil {
				return usagef("-switch: %w", err)
			}
		}
		for i, a := range addresses {
			addr, err := netip.ParseAddr(a)
			if err != nil {
				return usagef("-servers: %w", err)
			}
			if i == 0 {
				c.Address = addr
			} else {
				c.Replicas = append(c.Replicas, addr)
			}
		}
		l, err = consensus.OpenP4CE(begin, c)
	case !slices.Contains(consensus.Kinds, *kind):
		return usagef("-kind %q: p4ce, %s", *kind, strings.Join(consensus.Kinds, ", "))
	default:
		l, err = consensus.Open(*kind, consensus.Config{ID: *id, Addresses: addresses})
	}
	if err != nil {
		return err
	}
	defer l.Close()
	if *id != 1 {
		if err := emit(event{Event: launch.Ready}); err != nil {
			return err
		}
		<-ctx.Done()
		return nil
	}
	if err := l.AwaitLeader(begin); err != nil {
		return err
	}
	if err := emit(event{Event: launch.Ready}); err != nil {
		return err
	}
	for _, o := range loads {
		r, err := closed.Run(ctx, o, func(int) (func(context.Context) error, error) {
			value := make([]byte, o.Size)
			return func(ctx context.Context) error { return l.Propose(ctx, value) }, nil
		})
		if err == nil {
			if c, ok := l.(interface{ Check() error }); ok {
				err = c.Check()
			}
		}
		if err != nil {
			return fmt.Errorf("%d clients, %d bytes: %w", o.Clients, o.Size, err)
		}
		if err := emit(event{Event: "result", Op: "propose", Clients: o.Clients, Size: o.Size, Result: r}); err != nil {
			return err
		}
	}
	return nil
}

// runLoad is the clients of a store.
func runLoad(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("peerd load", flag.ContinueOnError)
	var t stores.Target
	f.StringVar(&t.Kind, "kind", "", "kv, redis or etcd")
	f.StringVar(&t.Mode, "mode", "", "kv: direct or accelerated")
	servers := f.String("servers", "", "HOST:PORT of all servers")
	ops := f.String("ops", "set,get", "operations")
	var lo loadOptions
	lo.flags(f)
	var po pipelineOptions
	po.flags(f, 1)
	if err := parse(f, args); err != nil {
		return err
	}
	t.Addresses = strings.Split(*servers, ",")
	if err := errors.Join(t.Check(), t.CheckPipeline(po.pipeline)); err != nil {
		return usageError{err}
	}
	loads, err := lo.all()
	if err != nil {
		return err
	}
	piped, err := po.all(lo)
	if err != nil {
		return err
	}
	loads = append(loads, piped...)
	for _, op := range strings.Split(*ops, ",") {
		if err := stores.CheckOperation(op); err != nil {
			return usageError{err}
		}
	}
	for _, op := range strings.Split(*ops, ",") {
		for _, o := range loads {
			err := loadStore(ctx, t, op, o)
			if err != nil && ctx.Err() == nil {
				// The others are measured all the same, when the store is ready again.
				err = emit(event{Event: "failed", Op: op, Clients: o.Clients, Size: o.Size, Pipeline: o.Batch, Error: err.Error()})
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// loadStore does one load.
func loadStore(ctx context.Context, t stores.Target, op string, o closed.Options) error {
	begin, cancel := context.WithTimeout(ctx, setup)
	defer cancel()
	s, err := stores.Await(begin, t)
	if err != nil {
		return err
	}
	defer s.Close()
	r, err := closed.Run(ctx, o, func(i int) (func(context.Context) error, error) { return s.Client(ctx, i, op, o.Size, o.Batch) })
	if err == nil {
		err = s.Check(ctx)
	}
	if err != nil {
		return err
	}
	return emit(event{Event: "result", Op: op, Clients: o.Clients, Size: o.Size, Pipeline: o.Batch, Result: r})
}
