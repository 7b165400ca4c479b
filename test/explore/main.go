package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/p4ce/p4ce/sim/explore"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "explore:", err)
		os.Exit(1)
	}
}

type options struct {
	world, only, replay, out string
	quick, verbose           bool
	search                   explore.Options
	walk                     explore.WalkOptions
}

func run(args []string, stdout io.Writer) error {
	var o options
	flags := flag.NewFlagSet("explore", flag.ContinueOnError)
	flags.StringVar(&o.only, "run", "", "only the kept worlds whose name matches this `regexp`")
	flags.BoolVar(&o.quick, "quick", false, "leave the larger worlds out")
	flags.StringVar(&o.world, "world", "", "a `world` of your own: its kind and bounds")
	flags.StringVar(&o.replay, "replay", "", "repeat the run in a `file`, and print its chart")
	flags.StringVar(&o.out, "out", filepath.Join("out", "explore"), "`folder` for violations")
	flags.BoolVar(&o.verbose, "v", false, "say how far a search is")
	flags.IntVar(&o.search.Workers, "j", 0, "`workers` (default: one per CPU)")
	flags.IntVar(&o.search.States, "states", 0, "`states` at most (default: all)")
	flags.IntVar(&o.search.Depth, "depth", 0, "`steps` of a run at most (default: any)")
	flags.DurationVar(&o.search.Time, "time", 0, "`time` of a search or of random walks at most (default: any)")
	flags.IntVar(&o.search.Converge, "converge", 97, "every so many-th `state`, and those in which nothing can happen any more, must converge; 0: none")
	flags.IntVar(&o.walk.Walks, "walks", 0, "go so many random `walks`, not through all states")
	flags.IntVar(&o.walk.Steps, "steps", 300, "`steps` of a walk")
	flags.Uint64Var(&o.walk.Seed, "seed", 1, "`seed` of the first walk")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q: unexpected argument", flags.Arg(0))
	}
	o.walk.Workers, o.walk.Time = o.search.Workers, o.search.Time
	o.walk.Converge = min(o.search.Converge, 1)
	match, err := regexp.Compile(o.only)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	switch {
	case o.replay != "":
		return replay(o.replay, stdout)
	case o.world != "":
		k := kept{explore.Kept{Name: "yours"}, o.world}
		if o.walk.Walks > 0 {
			return o.walks(k, o.walk, stdout)
		}
		return o.all(k, stdout)
	}
	ran := 0
	var wrong []string
	begin := time.Now()
	for _, k := range keptWorlds() {
		if o.quick && k.Large || !match.MatchString(k.Name) {
			continue
		}
		ran++
		fmt.Fprintf(stdout, "%s: %s\n", k.Name, k.Shows)
		if k.Walk > 0 {
			w := o.walk
			w.Time, w.Steps = k.Walk, k.Steps
			err = o.walks(k, w, stdout)
		} else {
			err = o.all(k, stdout)
		}
		if err != nil {
			fmt.Fprintf(stdout, "  WRONG: %v\n", err)
			wrong = append(wrong, k.Name)
		}
	}
	if ran == 0 {
		return errors.New("no such world is kept here")
	}
	fmt.Fprintf(stdout, "worlds: %d, %v\n", ran, time.Since(begin).Round(time.Second))
	if len(wrong) > 0 {
		return fmt.Errorf("%d of %d worlds are not as they should be: %s", len(wrong), ran, strings.Join(wrong, ", "))
	}
	return nil
}

// all goes through all states of a world.
func (o *options) all(k kept, stdout io.Writer) error {
	m, workers, err := makeModel(k.world)
	if err != nil {
		return err
	}
	s := o.search
	if workers > 0 {
		s.Workers = workers
	}
	if o.verbose {
		s.Progress = func(r explore.Result) {
			fmt.Fprintf(stdout, "  %9d states, %8.1f s, %.0f states/s\n", r.States, r.Time.Seconds(), r.Rate())
		}
	}
	fmt.Fprintf(stdout, "  bounds: %s\n", k.world)
	r, err := explore.Search(m, s)
	if err != nil {
		return err
	}
	how := "complete within these bounds"
	if !r.Complete {
		how = "not complete: " + r.Why
	}
	if r.Violation != nil {
		how = "ended by a violation"
	}
	fmt.Fprintf(stdout, "  %s: %d states, %d steps, depth %d, widest %d, %v, %.0f states/s\n",
		how, r.States, r.Steps, r.Depth, r.Widest, r.Time.Round(time.Millisecond), r.Rate())
	_, converges := first(m).(explore.Converger)
	converges = converges && s.Converge > 0
	if converges {
		fmt.Fprintf(stdout, "  of %d states those who were well went on, whatever had become of the others\n", r.Live)
	}
	if r.Violation != nil {
		return o.violated(k, m, r.Violation, stdout)
	}
	if !r.Complete {
		return errors.New("the search is not complete")
	}
	if converges && r.Live == 0 {
		return errors.New("no state was asked to converge")
	}
	return missed(m, r.Reached)
}

// walks goes random ways through a world.
func (o *options) walks(k kept, w explore.WalkOptions, stdout io.Writer) error {
	m, workers, err := makeModel(k.world)
	if err != nil {
		return err
	}
	if workers > 0 {
		w.Workers = workers
	}
	fmt.Fprintf(stdout, "  bounds: %s; %d steps a walk, seeds from %d\n", k.world, w.Steps, w.Seed)
	r, err := explore.Walk(m, w)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "  %d walks, %d steps, %v, %.0f steps/s\n", r.Walks, r.Steps, r.Time.Round(time.Millisecond), float64(r.Steps)/r.Time.Seconds())
	if r.Live > 0 {
		fmt.Fprintf(stdout, "  at the end of %d walks those who were well went on, whatever had become of the others\n", r.Live)
	}
	if r.Violation != nil {
		fmt.Fprintf(stdout, "  seed %d, after %d steps, shortened to %d\n", r.Seed, r.Found, len(r.Violation.Names))
		return o.violated(k, m, r.Violation, stdout)
	}
	return missed(m, r.Reached)
}

// first is the first world of a model, nil if it cannot be made.
func first(m explore.Model) explore.World {
	w, err := m.New()
	if err != nil {
		return nil
	}
	return w
}

func missed(m explore.Model, reached uint64) error {
	if names := explore.Missed(m, reached); len(names) > 0 {
		return fmt.Errorf("never reached, so that nothing was shown about it: %s", strings.Join(names, "; "))
	}
	return nil
}

// violated shows a violation and keeps it.
func (o *options) violated(k kept, m explore.Model, r *explore.Run, stdout io.Writer) error {
	fmt.Fprintln(stdout)
	_ = explore.Chart(stdout, m, r) // the error is the violation
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	file := filepath.Join(o.out, k.Name+".txt")
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := explore.WriteScenario(f, k.world, r); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return fmt.Errorf("%w (kept in %s; -replay shows it again)", r.Err, file)
}

func replay(file string, stdout io.Writer) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	s, err := explore.ReadScenario(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	m, _, err := makeModel(s.World)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return explore.Chart(stdout, m, &explore.Run{Names: s.Steps})
}
