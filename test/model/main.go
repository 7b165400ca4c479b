package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	default:
		fmt.Fprintln(os.Stderr, "model:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("model", flag.ContinueOnError)
	quick := flags.Bool("quick", false, "leave the larger searches out")
	jobs := flags.Int("j", 2, "searches at a time, up to 3.5 GiB each")
	only := flags.String("run", "", "only the cases whose name matches this `regexp`")
	trace := flags.String("trace", "", "print the shortest counterexample of one `case`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q: unexpected argument", flags.Arg(0))
	}
	if *jobs < 1 {
		return fmt.Errorf("-j %d: must be at least 1", *jobs)
	}
	match, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	var todo []check
	for _, c := range checks {
		switch {
		case *trace != "" && c.name != *trace:
		case *quick && c.full || !match.MatchString(c.name):
		default:
			todo = append(todo, c)
		}
	}
	if len(todo) == 0 {
		return fmt.Errorf("no such case (there are: %s)", names(checks))
	}
	if m := missing(); m != "" {
		fmt.Fprintln(stdout, "nothing was checked:", m)
		return nil
	}
	if *trace != "" {
		r, err := usual.check(ctx, todo[0], true)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%s: %s\n\n%s", todo[0].name, todo[0].shows, r.trace)
		if !slices.Contains(properties, r.outcome) {
			fmt.Fprintf(stdout, "no counterexample: %s\n", r.outcome)
			return nil
		}
		fmt.Fprintf(stdout, "\nviolated: %s\n", r.outcome)
		return nil
	}
	return all(ctx, usual, todo, *jobs, stdout)
}

func names(cases []check) string {
	var s []string
	for _, c := range cases {
		s = append(s, c.name)
	}
	return strings.Join(s, ", ")
}

// all runs cases, some at a time, and prints a table of them in their order. It is an
// error if one has another outcome than it is there to show.
func all(ctx context.Context, k checker, cases []check, jobs int, stdout io.Writer) error {
	start := time.Now()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	results := make([]chan *result, len(cases))
	next := make(chan int, len(cases))
	for i := range cases {
		results[i] = make(chan *result, 1)
		next <- i
	}
	close(next)
	var workers sync.WaitGroup
	defer workers.Wait()
	for range jobs {
		workers.Go(func() {
			for i := range next {
				r, err := k.check(ctx, cases[i], false)
				if err != nil {
					cancel(err)
					return
				}
				results[i] <- r
			}
		})
	}

	// Rows appear as they come, so the columns are as wide as what is known before.
	const row = "%-*s  %-*s  %-10s %-10s %10s %5s %5s %7s\n"
	name, shows := len("case"), len("shows")
	for _, c := range cases {
		name, shows = max(name, len(c.name)), max(shows, len(c.shows))
	}
	fmt.Fprintf(stdout, row, name, "case", shows, "shows", "expected", "got", "states", "depth", "MiB", "CPU s")
	var wrong []string
	for i, c := range cases {
		var r *result
		select {
		case r = <-results[i]:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		fmt.Fprintf(stdout, row, name, c.name, shows, c.shows, c.want, r.outcome,
			fmt.Sprint(r.states), fmt.Sprint(r.depth), fmt.Sprint(r.memory), fmt.Sprintf("%.1f", r.cpu.Seconds()))
		if r.outcome != c.want {
			wrong = append(wrong, c.name)
			if r.trace != "" {
				fmt.Fprintf(stdout, "\n%s\n", r.trace)
			}
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%d of %d cases are not as expected: %s", len(wrong), len(cases), strings.Join(wrong, ", "))
	}
	fmt.Fprintf(stdout, "%d cases as expected, in %v\n", len(cases), time.Since(start).Round(time.Second))
	return nil
}
