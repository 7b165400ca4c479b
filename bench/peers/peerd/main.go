// Command peerd measures p4ce beside others. Bench puts servers into network namespaces
// and compares; serve and load are the processes that it starts there.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/p4ce/p4ce/bench/peers/closed"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:])
	var u usageError
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.As(err, &u):
		fmt.Fprintf(os.Stderr, "peerd: %v\n", err)
		os.Exit(2)
	case err != nil:
		fmt.Fprintf(os.Stderr, "peerd: %v\n", err)
		os.Exit(1)
	}
}

// usageError is a wrong command line.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func run(ctx context.Context, args []string) error {
	commands := map[string]func(context.Context, []string) error{"bench": runBench, "serve": runServe, "load": runLoad}
	if len(args) == 0 || commands[args[0]] == nil {
		return usagef("usage: peerd bench|serve|load [flags]; peerd bench -h lists them")
	}
	return commands[args[0]](ctx, args[1:])
}

// parse parses flags; there are no other arguments.
func parse(f *flag.FlagSet, args []string) error {
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return usageError{err}
	}
	if f.NArg() > 0 {
		return usagef("%s: unknown argument %q", f.Name(), f.Arg(0))
	}
	return nil
}

// numbers is a flag with numbers between commas.
type numbers []int

// String implements flag.Value.
func (n *numbers) String() string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(*n)), ","), "[]")
}

// Set implements flag.Value.
func (n *numbers) Set(s string) error {
	*n = nil
	for _, p := range strings.Split(s, ",") {
		v, err := strconv.Atoi(p)
		if err != nil {
			return fmt.Errorf("%q is no number", p)
		}
		*n = append(*n, v)
	}
	return nil
}

// loadOptions are the loads that a system is given one after the other: each number of
// clients with each size.
type loadOptions struct {
	clients, sizes   numbers
	warmup, duration time.Duration
}

func (o *loadOptions) flags(f *flag.FlagSet) {
	o.clients, o.sizes = numbers{1, 8, 64, 512}, numbers{64, 1024}
	f.Var(&o.clients, "clients", "numbers of clients")
	f.Var(&o.sizes, "sizes", "sizes of values in bytes")
	f.DurationVar(&o.warmup, "warmup", time.Second, "time before anything counts, for each load")
	f.DurationVar(&o.duration, "duration", 3*time.Second, "time that is measured, for each load")
}

// pipelineOptions are the loads of stores with several requests under way per client,
// beside those of loadOptions: each of its sizes.
type pipelineOptions struct {
	pipeline int
	clients  numbers
}

func (o *pipelineOptions) flags(f *flag.FlagSet, pipeline int) {
	o.clients = numbers{64}
	f.IntVar(&o.pipeline, "pipeline", pipeline, "operations that a client sends at once; 1: no such loads")
	f.Var(&o.clients, "pipeline-clients", "numbers of clients with pipelines")
}

func (o *pipelineOptions) args() []string {
	return []string{"-pipeline", fmt.Sprint(o.pipeline), "-pipeline-clients", o.clients.String()}
}

// all are the loads, checked.
func (o *pipelineOptions) all(lo loadOptions) ([]closed.Options, error) {
	if o.pipeline < 1 {
		return nil, usagef("-pipeline %d: at least 1", o.pipeline)
	}
	if o.pipeline == 1 {
		return nil, nil
	}
	lo.clients = o.clients
	loads, err := lo.all()
	for i := range loads {
		loads[i].Batch = o.pipeline
	}
	return loads, err
}

func (o *loadOptions) args() []string {
	return []string{"-clients", o.clients.String(), "-sizes", o.sizes.String(), "-warmup", o.warmup.String(), "-duration", o.duration.String()}
}

// all are the loads, checked.
func (o *loadOptions) all() ([]closed.Options, error) {
	var out []closed.Options
	for _, s := range o.sizes {
		for _, c := range o.clients {
			l := closed.Options{Clients: c, Size: s, Warmup: o.warmup, Duration: o.duration}
			if err := l.Check(); err != nil {
				return nil, usageError{err}
			}
			out = append(out, l)
		}
	}
	return out, nil
}

// event is what serve and load print, one a line: ready, result, or failed.
type event struct {
	Event   string `json:"event"`
	Op      string `json:"op,omitempty"`
	Clients int    `json:"clients,omitempty"`
	Size    int    `json:"size,omitempty"`
	Error   string `json:"error,omitempty"` // of a load that failed
	// Pipeline is how many operations a client sends at once; 0: one.
	Pipeline int `json:"pipeline,omitempty"`
	closed.Result
}

// name is what was done.
func (e event) name() string {
	if e.Pipeline > 1 {
		return fmt.Sprintf("%s by %d", e.Op, e.Pipeline)
	}
	return e.Op
}

func emit(e event) error { return json.NewEncoder(os.Stdout).Encode(e) }
