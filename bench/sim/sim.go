// Package sim is the command line of the simulated network: p4ce sim. It runs a scenario, and writes and draws what
// came out.
package sim

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/sim/fabric"
)

// Systems are those that scenarios may name.
type Systems = fabric.Systems

// options are the command line of sim.
type options struct {
	systems                                Systems
	seed                                   uint64
	csv, trace, pcap, link, plots, example string
	list                                   bool
}

// Command is the command sim, with scenarios of these systems.
func Command(systems Systems) *cobra.Command {
	o := options{systems: systems}
	c := &cobra.Command{
		Use:   "sim SCENARIO",
		Short: "Run a scenario in simulated time: the real programs on a simulated network",
		Long: `Run a scenario: a file (YAML) that describes hosts, switches and links, the load, and
faults. The switches run a system's P4 program in the interpreter, and its controllers and
hosts run their real code; time is simulated. The same file and seed give the same result,
to the bit. docs/sim.md describes scenarios.`,
		Example: `  p4ce sim --list
  p4ce sim --example rack
  p4ce sim my.yaml --csv my.csv --plots out
  p4ce sim my.yaml --trace - | less
  p4ce sim my.yaml --pcap h1.pcapng --link h1-s1`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(args, cmd.Flags().Changed("seed"), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.Uint64Var(&o.seed, "seed", 1, "seed of all randomness, instead of the scenario's")
	f.StringVar(&o.csv, "csv", "", "write the loads' results to a `file`, - for the standard output")
	f.StringVar(&o.trace, "trace", "", "write a line per packet and link to a `file`, - for the standard output")
	f.StringVar(&o.pcap, "pcap", "", "write packets to a `file` as pcapng: those of --link, or of all links")
	f.StringVar(&o.link, "link", "", "the `link` that --pcap is about, such as h1-s1")
	f.StringVar(&o.plots, "plots", "", "draw goodput and latency into a `folder`, as SVG and PNG")
	f.StringVar(&o.example, "example", "", "run a scenario that comes with the program")
	f.BoolVar(&o.list, "list", false, "list the scenarios that come with the program")
	return c
}

func (o *options) run(args []string, seeded bool, stdout, stderr io.Writer) error {
	if o.list {
		for _, name := range o.systems.Examples() {
			fmt.Fprintln(stdout, name)
		}
		return nil
	}
	text, err := o.text(args)
	if err != nil {
		return err
	}
	s, err := o.systems.Scenario(text)
	if err != nil {
		return cli.Usage(err)
	}
	if s.Name == "" && len(args) > 0 {
		s.Name = filepath.Base(args[0])
	}
	if seeded {
		s.Seed = o.seed
	}
	if o.link != "" && o.pcap == "" {
		return cli.Usagef("--link: is for --pcap")
	}
	run, err := s.Begin()
	if err != nil {
		return cli.Usage(fmt.Errorf("scenario: %w", err))
	}
	return o.finish(run, stdout, stderr)
}

// text is the scenario's.
func (o *options) text(args []string) ([]byte, error) {
	switch {
	case o.example != "" && len(args) > 0:
		return nil, cli.Usagef("either a file or --example")
	case o.example != "":
		text, err := o.systems.Example(o.example)
		if err != nil {
			return nil, cli.Usage(err)
		}
		return text, nil
	case len(args) == 0:
		return nil, cli.Usagef("which scenario? (--list has examples)")
	}
	return cli.Settings(args[0])
}

// output is a file that a run writes, or the standard output.
type output struct {
	*bufio.Writer
	file *os.File
}

func openOutput(name string, stdout io.Writer) (*output, error) {
	if name == "-" {
		return &output{bufio.NewWriter(stdout), nil}, nil
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	return &output{bufio.NewWriter(f), f}, nil
}

func (w *output) Close() error {
	err := w.Flush()
	if w.file != nil {
		err = errors.Join(err, w.file.Close())
	}
	return err
}

func (o *options) finish(run *fabric.Run, stdout, stderr io.Writer) (err error) {
	var trace *fabric.Trace
	var capture *fabric.Capture
	if o.trace != "" {
		w, err := openOutput(o.trace, stdout)
		if err != nil {
			return err
		}
		trace = run.Fabric.NewTrace(w)
		run.Fabric.Tap(trace)
		defer func() { err = errors.Join(err, trace.Err, w.Close()) }()
	}
	if o.pcap != "" {
		var link *fabric.Link
		if o.link != "" {
			var ok bool
			if link, ok = run.Fabric.Link(o.link); !ok {
				return cli.Usagef("--link: no link %s", o.link)
			}
		}
		w, err := openOutput(o.pcap, stdout)
		if err != nil {
			return err
		}
		if capture, err = fabric.NewCapture(w, run.Fabric, link); err != nil {
			return err
		}
		run.Fabric.Tap(capture)
		defer func() { err = errors.Join(err, capture.Flush(), w.Close()) }()
	}
	began := time.Now()
	if err := run.Finish(); err != nil {
		return err
	}
	took := time.Since(began)
	if o.trace != "-" && o.csv != "-" && o.pcap != "-" {
		if err := run.Write(stdout); err != nil {
			return err
		}
	}
	fmt.Fprintf(stderr, "%.2f s of real time, %.0f packet-hops per second\n", took.Seconds(), float64(run.Fabric.Hops())/took.Seconds())
	if o.csv != "" {
		w, err := openOutput(o.csv, stdout)
		if err != nil {
			return err
		}
		if err := errors.Join(run.CSV(w), w.Close()); err != nil {
			return err
		}
	}
	if o.plots != "" {
		if err := drawRun(run, o.plots); err != nil {
			return err
		}
	}
	for _, r := range run.Rows() {
		if r.Err != nil || r.Done < r.Requests || r.Unheld > 0 {
			return cli.ErrFailed // it has been said which
		}
	}
	return nil
}

// drawRun draws what came out of a run.
func drawRun(run *fabric.Run, dir string) error {
	name := run.Scenario.Name
	goodput := &report.Result{Name: name, Systems: []string{name}, Metrics: []report.Metric{{Name: "goodput", Unit: "Gb/s"}}}
	latency := &report.Result{
		Name: name, Axis: report.Metric{Name: "quantile", Unit: "%"}, Metrics: []report.Metric{{Name: "latency", Unit: "us"}},
	}
	for _, r := range run.Rows() {
		goodput.Add(report.Point{Metric: "goodput", Case: r.Load}, name, 0, r.Goodput/1e9)
		if r.Done == 0 {
			continue
		}
		latency.Systems = append(latency.Systems, r.Load)
		for i, q := range fabric.Quantiles {
			latency.Add(report.Point{Metric: "latency", X: q}, r.Load, 0, float64(r.Quantiles[i])/1e3)
		}
	}
	if err := goodput.Draw(dir, report.Figure{Name: "goodput", Title: name + ": payload that was answered", Metric: "goodput"}); err != nil {
		return err
	}
	if len(latency.Systems) == 0 {
		return nil
	}
	return latency.Draw(dir, report.Figure{Name: "latency", Title: name + ": from when a request is due until it is answered", Metric: "latency", LogY: true})
}
