package demo

import (
	"context"
	"fmt"
	"sync"
	"text/tabwriter"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/p4ce/p4ce/internal/cli/demo"
	"github.com/p4ce/p4ce/systems/paxos/lab"
)

// several shows applications that share the switches, and nothing else.
func (d *network) several(ctx context.Context) error {
	out, n := d.Stdout, max(1, d.Count/d.applications)
	fmt.Fprintf(out, "Five switches, each a process: two that lead by turns (l, t), three acceptors (a1, a2, a3); t counts the votes. On %s.\n%d applications share them. Each has two hosts, one of which proposes.\n\n", d.Where(), d.applications)
	setup, cancel := context.WithTimeout(ctx, demo.StartTimeout)
	defer cancel()
	if err := d.start(setup); err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	stop := lab.Checkpoints(d.hosts)
	defer stop()
	logs, _ := d.net.Logs()
	proposed := make([]int, len(logs))
	run := func(ctx context.Context, i, n int, hurt func() <-chan struct{}) (measured, error) {
		m, err := propose(ctx, d.hosts[2*i].Log, logs[i], proposed[i], n, d.Window, hurt)
		proposed[i] += m.n
		if err != nil {
			return m, fmt.Errorf("%s: %w", logs[i], err)
		}
		return m, nil
	}
	together := func(hurt func() <-chan struct{}) ([]measured, error) {
		all := make([]measured, len(logs))
		g, ctx := errgroup.WithContext(limit)
		for i := range logs {
			g.Go(func() (err error) {
				all[i], err = run(ctx, i, n, hurt)
				return err
			})
		}
		return all, g.Wait()
	}
	alone := make([]measured, len(logs))
	for i := range logs {
		if _, err := run(limit, i, n/10, nil); err != nil { // warm
			return err
		}
		m, err := run(limit, i, n, nil)
		if err != nil {
			return err
		}
		alone[i] = m
	}
	all, err := together(nil)
	if err != nil {
		return err
	}
	tab := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tab, "LOG\tLEADER\tALONE, VALUES/S\tP50\tP99\tWITH THE OTHERS, VALUES/S\tP50\tP99\t\n")
	sum := 0.0
	for i, m := range all {
		a, err := d.net.ApplicationOf(ctx, logs[i])
		if err != nil {
			return err
		}
		one := alone[i]
		fmt.Fprintf(tab, "%s\t%s\t%.0f\t%v\t%v\t%.0f\t%v\t%v\t\n", logs[i], a.Leader, one.rate, demo.Micros(one.P50), demo.Micros(one.P99), m.rate, demo.Micros(m.P50), demo.Micros(m.P99))
		sum += m.rate
	}
	fmt.Fprintf(tab, "all\t\t\t\t\t%.0f\t\t\t\n", sum)
	if err := tab.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)

	for _, victim := range []struct{ name, what string }{{"l", "A leader"}, {"a3", "An acceptor"}} {
		kill := sync.OnceFunc(func() { d.net.Kill(victim.name) })
		all, err := together(func() <-chan struct{} {
			kill()
			return d.net.Switch(victim.name).Done()
		})
		if err != nil {
			return fmt.Errorf("after %s was killed: %w", victim.name, err)
		}
		fmt.Fprintf(out, "%s (%s) is killed while all propose: all values are decided; the longest wait was", victim.what, victim.name)
		for i, m := range all {
			fmt.Fprintf(out, " %v (%s)", m.gap.Round(100*time.Microsecond), logs[i])
			if i < len(all)-1 {
				fmt.Fprint(out, ",")
			}
		}
		fmt.Fprintln(out, ".")
	}
	total := 0
	for i, name := range logs {
		if err := compare(limit, d.hosts[2*i:2*i+2], name, proposed[i]); err != nil {
			return err
		}
		total += proposed[i]
	}
	fmt.Fprintf(out, "The hosts of each log have all its values, each once, in the same order, and none of another log: %d values in all.\n", total)
	return nil
}
