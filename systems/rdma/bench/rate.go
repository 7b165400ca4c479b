package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/bench/cpu"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/systems/rdma/bench/modes"
	"github.com/p4ce/p4ce/systems/rdma/bench/rate"
)

// rateOptions is the command line of bench rate.
type rateOptions struct {
	groupBench
	values, window int
	quota          float64
	limit          string
}

func rateCommand() *cobra.Command {
	var o rateOptions
	c := &cobra.Command{
		Use:   "rate",
		Short: "Measure decided values per second with the leader's CPU as the limit",
		Long: `Measure how many values a leader decides per second, directly, accelerated and as Mu, when
its CPU is the limit: section V-C of the P4CE paper. The leader's process gets a CPU
quota, small enough that nothing else limits it. The benchmark prints the CPU time of
every process, and gives no verdict if the leader did not use up its quota. It fits what a
value costs the leader: a fixed part, and one for each path that it goes. It names the
functions that take most of the leader's time (rate-2.pprof and so on have the profiles).

The kernel's cpu controller (cgroup v2 or v1) enforces the quota. With --limit pin, the
leader has one CPU instead, and the benchmark compares its CPU time per value.`,
		Example: `  p4ce bench rate
  p4ce bench rate --replicas 2 --quota 0.3 --values 50000`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := c.Flags()
	o.flags(f, "rate")
	f.IntVar(&o.values, "values", 20000, "values of a repetition")
	f.IntVar(&o.window, "window", 64, "values under way at once")
	f.Float64Var(&o.quota, "quota", 0.1, "CPUs of the leader, such as 0.1")
	f.StringVar(&o.limit, "limit", "auto", "quota, pin (the leader on one CPU), or auto: quota where there is a cpu controller, else pin")
	return c
}

func (o *rateOptions) run(ctx context.Context, stdout, stderr io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	switch {
	case o.values < 1:
		return cli.Usagef("--values %d: at least one", o.values)
	case o.window < 1:
		return cli.Usagef("--window %d: at least one", o.window)
	case o.limit != "auto" && o.limit != "quota" && o.limit != "pin":
		return cli.Usagef("--limit %q: auto, quota or pin", o.limit)
	case !(o.quota >= cpu.MinQuota && o.quota <= 1):
		return cli.Usagef("--quota %g: %g to 1 (the kernel's least, and what leaves the others a CPU)", o.quota, cpu.MinQuota)
	}
	if err := o.ready(); err != nil {
		return err
	}
	pin, note := o.limit == "pin", ""
	if !pin {
		err := cpu.Available()
		switch {
		case err != nil && o.limit == "auto" && errors.Is(err, cpu.ErrNoController):
			pin, note = true, fmt.Sprintf("%v: the leader has one CPU instead, and the CPU time of a value is compared", err)
			fmt.Fprintln(stderr, note)
		case err != nil:
			return fmt.Errorf("%w (--limit pin gives the leader one CPU, and compares the CPU time of a value)", err)
		}
	}
	out, err := filepath.Abs(o.out) // the leader's folder may be another one
	if err != nil {
		return err
	}
	return o.in(ctx, stdout, stderr, rate.Figures(), func(m modes.Options) (*report.Result, error) {
		r, err := rate.Measure(ctx, rate.Options{Options: m, Values: o.values, Window: o.window, Quota: o.quota, Pin: pin, Out: out})
		if err == nil && note != "" {
			r.Notes = append(r.Notes, note)
		}
		return r, err
	})
}
