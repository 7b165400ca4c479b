package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/bench"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/systems/rdma/bench/modes"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// groupBench is the command line of benchmarks that run a leader and replicas.
type groupBench struct {
	replicas    []int
	wire        string
	size        int
	repetitions int
	out         string
	verbose     bool
}

func (o *groupBench) flags(f *pflag.FlagSet, name string) {
	o.common(f, name)
	f.IntVar(&o.size, "size", 64, "bytes of a value")
}

// common are the flags that do not depend on there being one size.
func (o *groupBench) common(f *pflag.FlagSet, name string) {
	f.IntSliceVar(&o.replicas, "replicas", []int{2, 4}, fmt.Sprintf("numbers of replicas to measure with, each 1 to %d", private.MaxReplicas))
	f.StringVar(&o.wire, "wire", "auto", "how servers send, and who answers: kernel, xdp, packet or auto (see p4ce node)")
	f.IntVar(&o.repetitions, "repetitions", report.Repetitions, fmt.Sprintf("repetitions of each mode, in turns; a verdict takes at least %d", report.Repetitions))
	f.StringVar(&o.out, "out", "out/"+name, "folder for CSV, JSON and figures")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "show what all processes log")
}

// check finds what can be found wrong before anything is started.
func (o *groupBench) check() error {
	if len(o.replicas) == 0 {
		return cli.Usagef("--replicas: no number")
	}
	for _, n := range o.replicas {
		if n < 1 || n > private.MaxReplicas {
			return cli.Usagef("--replicas %d: a group has 1 to %d replicas", n, private.MaxReplicas)
		}
	}
	switch o.wire {
	case "auto", "packet", "xdp", "kernel":
	default:
		return cli.Usagef("--wire %q: auto, kernel, xdp or packet", o.wire)
	}
	if o.size < 1 || o.size > maxRecord {
		return cli.Usagef("--size %d: 1 to %d bytes", o.size, maxRecord)
	}
	if o.repetitions < 1 {
		return cli.Usagef("--repetitions %d: at least one", o.repetitions)
	}
	return nil
}

// maxRecord is the longest value: what fits into the logs of the servers that are measured.
const maxRecord = 1<<18 - 256

// startTimeout bounds what should take a moment.
const startTimeout = 3 * time.Minute

// ready finds out whether this machine can measure, and where the results go.
func (o *groupBench) ready() error {
	if err := bench.Ready(); err != nil {
		return err
	}
	return report.Folder(o.out)
}

// in runs a measurement with a folder of its own, and writes its result.
func (o *groupBench) in(ctx context.Context, stdout, stderr io.Writer, figures []report.Figure, measure func(modes.Options) (*report.Result, error)) error {
	p4ce, err := cli.P4ce.Find()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "p4ce-bench-")
	if err != nil {
		return fmt.Errorf("temporary folder: %w (set TMPDIR to choose another)", err)
	}
	defer os.RemoveAll(dir)
	m := modes.Options{Binary: p4ce, Dir: dir, Replicas: o.replicas, Wire: o.wire, Size: o.size, Input: filepath.Join(dir, "input"),
		Repetitions: o.repetitions, Start: startTimeout, Progress: cli.Progress(stderr)}
	// One value of the wanted size, whatever it says.
	if err := os.WriteFile(m.Input, []byte(strings.Repeat("p", o.size)), 0o600); err != nil {
		return err
	}
	if o.verbose {
		m.Log = stderr
	}
	r, err := measure(m)
	m.Progress("")
	if err != nil {
		return cli.Ended(ctx, err)
	}
	return r.Write(stdout, o.out, figures...)
}
