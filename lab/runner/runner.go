package runner

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/launch"
)

// Options say where programs run.
type Options struct {
	Lab    *lab.Lab  // nil: where we are ourselves
	Binary string    // p4ce
	Dir    string    // for sockets; must have a short path
	Log    io.Writer // what all programs log; nil discards
	// Logs says where a program logs; nil: to Log.
	Logs func(name string) io.Writer
	// Watch is told of switches and controllers; nil: nobody is.
	Watch *launch.Watch
}

// Prefixed returns Options.Logs: each line goes to w behind the program's name, and nowhere if w is nil.
func Prefixed(w io.Writer) func(name string) io.Writer {
	return func(name string) io.Writer {
		if w == nil {
			return nil
		}
		return launch.Prefixed(w, name)
	}
}

// Runner is programs in a lab. Any goroutine may use it.
type Runner struct {
	o Options

	mu      sync.Mutex // guards what follows
	flags   map[string][]string
	known   map[string]*launch.Process // switches and controllers
	started []*launch.Process          // the present life of each program, in the order of the first ones
	clients map[string]*p4rtclient.Client
}

// New makes a Runner of no programs.
func New(o Options) *Runner {
	return &Runner{o: o, flags: map[string][]string{}, known: map[string]*launch.Process{}, clients: map[string]*p4rtclient.Client{}}
}

// Lab is what the programs run in; nil: where we are ourselves.
func (r *Runner) Lab() *lab.Lab { return r.o.Lab }

// P4Runtime is where a switch listens, Metrics where it serves /metrics and /healthz if --metrics says so, and AdminOf
// where a controller serves its admin API.
func (r *Runner) P4Runtime(name string) string { return r.socket(name + ".rt") }
func (r *Runner) Metrics(name string) string   { return r.socket(name + ".metrics") }
func (r *Runner) AdminOf(name string) string   { return r.socket(name + ".admin") }

func (r *Runner) socket(file string) string { return "unix:" + filepath.Join(r.o.Dir, file) }

// Start starts a program of p4ce's binary: o.Args are its arguments. It runs on o.Host, or beside the
// switches.
func (r *Runner) Start(o launch.Options) (*launch.Process, error) { return r.start(o, nil) }

// start starts a program, in the place of an earlier life if there was one.
func (r *Runner) start(o launch.Options, before *launch.Process) (*launch.Process, error) {
	o.Args = append([]string{r.o.Binary}, o.Args...)
	if o.Log = r.o.Log; r.o.Logs != nil {
		o.Log = r.o.Logs(o.Name)
	}
	p, err := launch.Start(r.o.Lab, o)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.started, before); i >= 0 {
		r.started[i] = p
	} else {
		r.started = append(r.started, p)
	}
	return p, nil
}

// launch is Start for a program that has one life after the other, with the same flags.
func (r *Runner) launch(name string, fixed, flags []string) error {
	r.mu.Lock()
	if flags == nil {
		flags = r.flags[name]
	}
	r.flags[name] = flags
	before := r.known[name]
	r.mu.Unlock()
	p, err := r.start(launch.Options{Name: name, Args: append(fixed, flags...)}, before)
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.known[name] = p
	r.mu.Unlock()
	if r.o.Watch != nil {
		r.o.Watch.Add(p)
	}
	return nil
}

// LaunchSwitch starts a switch with flags, or again, after its end, with those that it had. It need
// not be ready when this returns. A switch that is started again has forgotten everything but what
// it has pinned.
func (r *Runner) LaunchSwitch(name string, flags ...string) error {
	return r.launch(name, []string{"switch", "--listen", r.P4Runtime(name)}, flags)
}

// StartSwitch is LaunchSwitch, and waits until the switch is ready.
func (r *Runner) StartSwitch(ctx context.Context, name string, flags ...string) error {
	if err := r.LaunchSwitch(name, flags...); err != nil {
		return err
	}
	return r.Program(name).AwaitReady(ctx)
}

// LaunchController starts a controller with flags, or again, after its end, with those that it had. It
// need not be ready when this returns.
func (r *Runner) LaunchController(name string, flags ...string) error {
	return r.launch(name, []string{"controller", "--admin", r.AdminOf(name)}, flags)
}

// StartController is LaunchController, and waits until the controller is ready, or stands by.
func (r *Runner) StartController(ctx context.Context, name string, flags ...string) error {
	if err := r.LaunchController(name, flags...); err != nil {
		return err
	}
	return r.Program(name).AwaitReady(ctx)
}

// Program is the present life of a switch or a controller; nil: it was not started.
func (r *Runner) Program(name string) *launch.Process {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[name]
}

// Reader is a client that reads a switch. It is closed with the Runner.
func (r *Runner) Reader(name string) (*p4rtclient.Client, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.clients[name]; c != nil {
		return c, nil
	}
	c, err := p4rtclient.New(p4rtclient.Options{Address: r.P4Runtime(name)})
	if err != nil {
		return nil, fmt.Errorf("switch %s: %w", name, err)
	}
	r.clients[name] = c
	return c, nil
}

// endTimeout bounds how long programs may take to end.
const endTimeout = 5 * time.Second

// Close closes the clients and ends all programs, the last first. Programs that have not ended in
// time are killed.
func (r *Runner) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	r.mu.Lock()
	clients, started := r.clients, r.started
	r.clients, r.started = map[string]*p4rtclient.Client{}, nil
	r.mu.Unlock()
	for _, c := range clients {
		_ = c.Close()
	}
	for _, p := range slices.Backward(started) {
		if r.o.Watch != nil {
			r.o.Watch.Remove(p)
		}
		_ = p.Resume() // it may have been paused
		p.End(ctx)
	}
}
