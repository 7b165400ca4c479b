package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/systems/paxos/lab"
)

// Applications that share switches: what each decides alone, and together with others.

const (
	alone    = "alone"
	together = "together"
)

// Metrics of applications.
const (
	EachDecided = "values decided, an application"
	EachTail    = "p99 then"
	AllDecided  = "values decided, all applications"
)

// AppOptions say what to measure of applications.
type AppOptions struct {
	Options
	Applications []int // that propose together, each in turn
	Window       int   // values under way, of each application
}

// NewApplications describes a run.
func NewApplications(o AppOptions) *report.Result {
	r := &report.Result{Name: "paxos-applications", Title: "Paxos in switches: applications that share the switches of one network", Systems: []string{alone, together},
		Metrics: []report.Metric{{Name: EachDecided, Unit: "1/s"}, {Name: EachTail, Unit: "us"}, {Name: AllDecided, Unit: "1/s"}}}
	r.Set("repetitions", o.Repetitions)
	r.Set("applications at once", o.Applications)
	r.Set("values under way, of each application", o.Window)
	r.Set("proposers, of each application", "two hosts")
	r.Set("each load for", o.For)
	r.Set("hosts at switches", o.wire())
	return r
}

// MeasureApplications measures, in one network with as many applications as there can be, what each of the first ones decides alone, and
// then what they decide together; of "all applications", alone is what one of them decides on average.
func MeasureApplications(ctx context.Context, o AppOptions) (*report.Result, error) {
	if err := o.prepare(); err != nil {
		return nil, err
	}
	r := NewApplications(o)
	run, err := r.Begin()
	if err != nil {
		return nil, err
	}
	if err := o.measure(ctx, r); err != nil {
		return nil, err
	}
	return r, run.End()
}

func (o *AppOptions) measure(ctx context.Context, r *report.Result) error {
	setup, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	s, err := build(setup, o.Options, inApplications)
	if err != nil {
		return err
	}
	defer s.Close()
	logs, replicas := s.network.Logs()
	var hosts [][]*host // by application
	for at, i := 0, 0; i < len(logs); i++ {
		hosts = append(hosts, s.hosts[at:at+len(replicas[i])])
		at += len(replicas[i])
	}
	most, echo := slices.Max(o.Applications), workloads()[0]
	step := func(app int) (*offered, error) {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second+20*o.For)
		defer cancel()
		x, err := closed(ctx, hosts[app], echo, o.Window, o.For)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", logs[app], err)
		}
		return x, nil
	}
	for i := -1; i < o.Repetitions; i++ { // the first warms up
		o.Progress("%d of %d", i+1, o.Repetitions)
		if err := s.network.LeadFirst(ctx); err != nil {
			return err
		}
		one, sum := make([]*offered, most), 0.0
		for app := range most {
			if one[app], err = step(app); err != nil {
				return err
			}
			sum += one[app].rate()
		}
		for _, n := range o.Applications {
			all, errs := make([]*offered, n), make([]error, n)
			var ended sync.WaitGroup
			for app := range n {
				ended.Go(func() { all[app], errs[app] = step(app) })
			}
			ended.Wait()
			if err := errors.Join(errs...); err != nil {
				return err
			}
			if i < 0 {
				continue
			}
			add := func(p report.Point, a, b float64) {
				r.Add(p, alone, i, a)
				r.Add(p, together, i, b)
			}
			rate := 0.0
			for app, x := range all {
				which := fmt.Sprintf("%s, of %d", logs[app], n)
				add(report.Point{Metric: EachDecided, Case: which}, one[app].rate(), x.rate())
				add(report.Point{Metric: EachTail, Case: which}, us(one[app].quantile(0.99)), us(x.quantile(0.99)))
				rate += x.rate()
			}
			add(report.Point{Metric: AllDecided, Case: fmt.Sprint(n)}, sum/float64(most), rate)
		}
	}
	return nil
}

// WriteApplications writes the table to w, and files and a figure into a folder.
func WriteApplications(r *report.Result, w io.Writer, dir string) error {
	return r.Write(w, dir, report.Figure{Name: "paxos-applications", Title: "Values decided per second by applications on the same switches", Metric: AllDecided})
}

func applicationsCommand() *cobra.Command {
	var (
		o       AppOptions
		wire    string
		out     string
		verbose bool
	)
	c := &cobra.Command{
		Use:   "paxos-applications",
		Short: "Measure applications of Paxos that share switches",
		Long: `Measure applications of Paxos that share switches.

In the network of p4ce demo paxos --applications 4, each application proposes values alone, and then
together with others: the values that are decided per second, and their latency. Four applications divide
the cells of a switch. Here all switches and hosts also divide the CPUs of this machine.`,
		Example: `  p4ce bench paxos-applications
  p4ce bench paxos-applications --applications 1,2,4 --window 16`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case o.Repetitions < 1:
				return cli.Usagef("--repetitions %d: at least one", o.Repetitions)
			case len(o.Applications) == 0:
				return cli.Usagef("--applications: at least one number")
			case slices.Min(o.Applications) < 1 || slices.Max(o.Applications) > lab.MaxApplications:
				return cli.Usagef("--applications %v: each 1 to %d", o.Applications, lab.MaxApplications)
			case o.Window < 1 || o.Window > MaxWindow:
				return cli.Usagef("--window %d: 1 to %d", o.Window, MaxWindow)
			case o.For < 10*time.Millisecond:
				return cli.Usagef("--for %v: at least 10ms", o.For)
			case wire != "xdp" && wire != "packet":
				return cli.Usagef("--wire %q: xdp or packet", wire)
			}
			if err := Ready(); err != nil {
				return err
			}
			if err := report.Folder(out); err != nil {
				return err
			}
			dir, err := os.MkdirTemp("", "p4ce-bench-")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			o.Dir, o.XDP, o.Progress = dir, wire == "xdp", cli.Progress(cmd.ErrOrStderr())
			if verbose {
				o.Log = cmd.ErrOrStderr()
			}
			if o.Binary, err = cli.P4ce.Find(); err != nil {
				return err
			}
			r, err := MeasureApplications(cmd.Context(), o)
			o.Progress("")
			if err != nil {
				return cli.Ended(cmd.Context(), err)
			}
			return WriteApplications(r, cmd.OutOrStdout(), out)
		},
	}
	f := c.Flags()
	f.IntVar(&o.Repetitions, "repetitions", report.Repetitions, fmt.Sprintf("repetitions of each case, in turns; a verdict takes at least %d", report.Repetitions))
	f.IntSliceVar(&o.Applications, "applications", []int{1, 2, 4}, fmt.Sprintf("applications that propose together, each 1 to %d", lab.MaxApplications))
	f.IntVar(&o.Window, "window", 64, fmt.Sprintf("values of each application under way at once, 1 to %d", MaxWindow))
	f.DurationVar(&o.For, "for", 300*time.Millisecond, "how long each load is offered, in a repetition")
	f.StringVar(&wire, "wire", "xdp", "how hosts at switches send and receive: xdp (AF_XDP) or packet (packet sockets)")
	f.StringVar(&out, "out", "out/paxos-applications", "folder for CSV, JSON and figures")
	f.BoolVarP(&verbose, "verbose", "v", false, "show what all processes log")
	return c
}
