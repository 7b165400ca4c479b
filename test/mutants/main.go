package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

type options struct {
	root, lists, only, shard string
	jobs, sample             int
	seed                     uint64
	quick, verbose           bool
	generated                bool
	timeout                  time.Duration
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	var o options
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	flags.StringVar(&o.lists, "list", "", "`names` of lists, by commas (default all)")
	flags.StringVar(&o.only, "run", "", "only mutants whose name matches this `regexp`")
	flags.StringVar(&o.shard, "shard", "", "`i/n`: every nth mutant, from the ith on")
	flags.IntVar(&o.jobs, "j", max(1, runtime.NumCPU()), "mutants at a `time`")
	flags.BoolVar(&o.quick, "quick", false, "apply and compile all, run some")
	flags.BoolVar(&o.generated, "generated", false, "not the lists: mutants that are generated from the source, and the rate of those that are killed")
	flags.IntVar(&o.sample, "sample", -1, "-quick: `mutants` of each list that are run (default 6; of each package with -generated, default 16)")
	flags.Uint64Var(&o.seed, "seed", 1, "-generated -quick: `seed` of the sample")
	flags.BoolVar(&o.verbose, "v", false, "say of every mutant what it breaks")
	flags.DurationVar(&o.timeout, "timeout", 5*time.Minute, "of one test")
	flags.StringVar(&o.root, "C", "", "root of the repository (default: of the module of the working directory)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q: unexpected argument", flags.Arg(0))
	}
	if o.jobs < 1 || o.sample < -1 {
		return fmt.Errorf("-j %d, -sample %d: must be at least 1 and 0", o.jobs, o.sample)
	}
	switch {
	case o.quick && o.sample < 0 && o.generated:
		o.sample = 16
	case o.quick && o.sample < 0:
		o.sample = 6
	}
	match, err := regexp.Compile(o.only)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	if o.root == "" {
		if o.root, err = moduleRoot(); err != nil {
			return err
		}
	}
	if o.root, err = filepath.Abs(o.root); err != nil { // an overlay names files by their whole path
		return err
	}
	var names []string
	if o.lists != "" {
		names = strings.Split(o.lists, ",")
	}
	r := &runner{root: o.root, timeout: o.timeout, build: builder{root: o.root}}
	if o.generated {
		return rates(ctx, r, match, names, o, stdout)
	}
	all, _, err := readLists(os.DirFS(o.root), names)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(m *mutant) bool { return !match.MatchString(m.name) })
	if all, err = shard(all, o.shard); err != nil {
		return err
	}
	if len(all) == 0 {
		return errors.New("no such mutant")
	}
	chosen := map[*mutant]bool{}
	for _, m := range all {
		chosen[m] = !o.quick
	}
	if o.quick {
		for _, m := range sample(all, o.sample) {
			chosen[m] = true
		}
	}
	return judgeAll(ctx, r, all, chosen, o, stdout)
}

// moduleRoot is the folder of the main module's go.mod.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	mod := strings.TrimSpace(string(out))
	if err != nil || mod == "" || mod == os.DevNull {
		return "", errors.New("not inside of a module (run it in the repository)")
	}
	return filepath.Dir(mod), nil
}

// shard takes every nth mutant.
func shard(all []*mutant, text string) ([]*mutant, error) {
	if text == "" {
		return all, nil
	}
	var i, n int
	if _, err := fmt.Sscanf(text, "%d/%d", &i, &n); err != nil || i < 1 || i > n || fmt.Sprintf("%d/%d", i, n) != text {
		return nil, fmt.Errorf("-shard %s: want i/n, such as 2/4", text)
	}
	var some []*mutant
	for k := i - 1; k < len(all); k += n {
		some = append(some, all[k])
	}
	return some, nil
}

// sample draws up to n mutants of each list that can be killed. What is drawn
// depends on the names in the lists, and so changes when a list does.
func sample(all []*mutant, n int) []*mutant {
	seed := fnv.New64a()
	for _, m := range all {
		io.WriteString(seed, m.list+" "+m.name+"\n")
	}
	key := func(m *mutant) uint64 {
		h := fnv.New64a()
		fmt.Fprintf(h, "%x %s %s", seed.Sum64(), m.list, m.name)
		return h.Sum64()
	}
	byList := map[string][]*mutant{}
	for _, m := range all {
		if m.equivalent == "" {
			byList[m.list] = append(byList[m.list], m)
		}
	}
	var some []*mutant
	for _, list := range byList {
		slices.SortFunc(list, func(a, b *mutant) int {
			if key(a) < key(b) {
				return -1
			}
			return 1
		})
		some = append(some, list[:min(n, len(list))]...)
	}
	return some
}

// judgeAll judges mutants, some at a time, and prints what became of each, in their
// order.
func judgeAll(ctx context.Context, r *runner, all []*mutant, chosen map[*mutant]bool, o options, stdout io.Writer) error {
	begin := time.Now()
	results := make([]chan result, len(all))
	next := make(chan int, len(all))
	for i := range all {
		results[i] = make(chan result, 1)
		next <- i
	}
	close(next)
	var workers sync.WaitGroup
	defer workers.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for range o.jobs {
		workers.Go(func() {
			for i := range next {
				if ctx.Err() != nil {
					return
				}
				results[i] <- r.judge(ctx, all[i], chosen[all[i]])
			}
		})
	}
	counts := map[outcome]int{}
	var bad []string
	for i, m := range all {
		var res result
		select {
		case res = <-results[i]:
		case <-ctx.Done():
			return ctx.Err()
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		counts[res.outcome]++
		if !o.quick || chosen[m] || !res.good() {
			fmt.Fprintf(stdout, "%-10s %6.1f s  %s/%s", res.outcome, res.took.Seconds(), m.list, m.name)
			if o.verbose || !res.good() {
				fmt.Fprintf(stdout, ": %s", m.about)
			}
			fmt.Fprintln(stdout)
		}
		if !res.good() {
			bad = append(bad, m.list+"/"+m.name)
			fmt.Fprintf(stdout, "    %s, %s\n    %s\n", m.where, m.file, strings.ReplaceAll(res.why, "\n", "\n    "))
		}
	}
	var sum []string
	for _, k := range []outcome{killed, survived, stale, noBuild, timedOut, panicked, other, applies, equivalent} {
		if counts[k] > 0 {
			sum = append(sum, fmt.Sprintf("%d %s", counts[k], k))
		}
	}
	fmt.Fprintf(stdout, "%d mutants: %s; %v\n", len(all), strings.Join(sum, ", "), time.Since(begin).Round(time.Second))
	if len(bad) > 0 {
		return fmt.Errorf("%d of %d mutants are not as they should be: %s", len(bad), len(all), strings.Join(bad, ", "))
	}
	return nil
}
