// Package modes is shared by the benchmarks that compare accelerated mode with direct mode, and with Mu's own replication
// (systems/rdma/baseline). It runs a group whose leader uses the modes in turns (A B C A B C), after a first round that
// warms up.
package modes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/systems/rdma/lab/group"
)

// The systems that are compared.
const (
	Direct      = "direct"
	Accelerated = "accelerated"
	Mu          = "mu"
)

// Systems are all, in the order of a result's.
func Systems() []string { return []string{Direct, Accelerated, Mu} }

// Baselines are what accelerated mode is compared with. The paper's ratios are those to Mu.
func Baselines() []string { return []string{Direct, Mu} }

// Options are those of every such benchmark.
type Options struct {
	Binary      string
	Dir         string // for sockets
	Replicas    []int
	Wire        string
	Size        int    // bytes of a value
	Input       string // file with a value
	Repetitions int
	Start       time.Duration // bounds the time in which a group must be up
	Log         io.Writer
	Progress    func(format string, args ...any)
}

// Note notes the settings.
func (o Options) Note(r *report.Result) {
	if o.Size > 0 {
		r.Set("size", fmt.Sprintf("%d B", o.Size))
	}
	r.Set("wire", o.Wire)
	r.Set("repetitions", o.Repetitions)
}

// Case is the name of a number of replicas.
func Case(replicas int) string { return fmt.Sprintf("%d replicas", replicas) }

// Measure calls measure with every number of replicas, and watches the machine.
func (o Options) Measure(r *report.Result, measure func(replicas int) error) (*report.Result, error) {
	run, err := r.Begin()
	if err != nil {
		return nil, err
	}
	for _, n := range o.Replicas {
		if err := measure(n); err != nil {
			return nil, fmt.Errorf("%s: %w", Case(n), err)
		}
	}
	return r, run.End()
}

// Turn is a repetition in one mode. Of the first ones, which warm up, it has the number
// -1.
type Turn struct {
	Mode       string
	Repetition int
	Done       group.Event // what the leader said at the end
}

// Turns say what to do with a group.
type Turns struct {
	Replicas int
	What     string   // for the progress, after the number of replicas
	Record   int      // bytes of a value
	Window   int      // values under way at once
	Leader   []string // flags of the leader
	Threaded bool     // the network's work is its own, see lab.Lab's Thread
	// Up is called when the group is up, and returns what to undo when it has been taken
	// down. Before is called before each turn, Each for what the leader prints in it,
	// After when it is over. All may be nil; Each and After are not called while warming up.
	Up     func(*group.Group) (undo func() error, err error)
	Before func(*group.Group) error
	Each   func(Turn, group.Event)
	After  func(*group.Group, Turn) error
}

// Run runs a group through its turns, and notes what went wrong on the way.
func (o Options) Run(ctx context.Context, r *report.Result, t Turns) (err error) {
	var modes []string
	for range o.Repetitions + 1 {
		modes = append(modes, Systems()...)
	}
	start, cancel := context.WithTimeout(ctx, o.Start)
	defer cancel()
	g, err := group.Start(start, group.Options{Binary: o.Binary, Dir: o.Dir, Replicas: t.Replicas, Wire: o.Wire, Modes: modes, Log: o.Log, Record: t.Record, Window: t.Window, Leader: t.Leader,
		Threaded: t.Threaded})
	if err != nil {
		return err
	}
	undo := func() error { return nil }
	defer func() {
		g.Close()
		err = errors.Join(err, undo())
	}()
	if t.Up != nil {
		u, err := t.Up(g)
		if u != nil {
			undo = u
		}
		if err != nil {
			return err
		}
	}
	for i, mode := range modes {
		turn := Turn{Mode: mode, Repetition: i/len(Systems()) - 1}
		o.Progress("%s%s, %s: %d of %d", Case(t.Replicas), t.What, mode, turn.Repetition+1, o.Repetitions)
		if _, err := g.Await(ctx, "mode", nil); err != nil {
			return err
		}
		if t.Before != nil {
			if err := t.Before(g); err != nil {
				return err
			}
		}
		if err := g.Leader.Tell("go"); err != nil {
			return err
		}
		turn.Done, err = g.Await(ctx, "done", func(e group.Event) {
			if t.Each != nil && turn.Repetition >= 0 {
				t.Each(turn, e)
			}
		})
		if err != nil {
			return err
		}
		if turn.Repetition < 0 {
			continue
		}
		if t.After != nil {
			if err := t.After(g, turn); err != nil {
				return err
			}
		}
		if n := turn.Done.Repairs; n > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("%s%s, %s, repetition %d: replicas that could not keep up got what they had missed again, %d times", Case(t.Replicas), t.What, mode, turn.Repetition, n))
		}
	}
	return nil
}
