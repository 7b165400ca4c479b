package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// source is a package that mutants are generated from.
type source struct {
	name, dir string
	files     []string // of the folder; none: all Go files
	want      float64  // percent that must be killed, of all
	kills     []kill   // tried in turn
}

var sources = []source{
	{"cm", "roce/cmsm", nil, 90, []kill{bounded(10, "./roce/cmsm", "-run", "^(Test|Fuzz)")}},
	{"mu", "systems/rdma/mu", nil, 90, []kill{
		bounded(30, "./systems/rdma/mu", "-run", "^(Test|Fuzz)"),
		bounded(30, "./systems/rdma/mu/chaos", "-run", "^(TestFound|TestRules|TestChaos)$", "-seeds", "250"),
	}},
	{"groups", "systems/rdma/control/group", nil, 70, []kill{bounded(30, "./systems/rdma/control/group", "-run", "^(Test|Fuzz)")}},
	{"paxos", "systems/paxos/control", []string{"attempt.go", "core.go", "guard.go", "place.go", "takeover.go", "upkeep.go"}, 60, []kill{
		bounded(120, "./systems/paxos/control", "-short", "-run", "^(Test|Fuzz)"),
	}},
	// The switch's guards, in the programs that have them, on the interpreter.
	{"guards", "p4/lib", []string{"forward.p4", "frames.p4", "ports.p4", "wrapping.p4"}, 80, []kill{
		bounded(60, "./test/wrapped", "-run", "^(TestGuards|TestOrdinary)$/^(interp|rdma|paxos)$"),
		bounded(60, "./test/stf", "-run", "^TestPackets$/^(rdma|paxos)$/^interp$"),
	}},
}

// bounded is a test with bounds for its memory and for its processor time: a loop that
// does not end any more shall not take all there is, and is known for one however busy
// the machine is.
func bounded(seconds int, pkg string, args ...string) kill {
	const KiB = 6 << 20
	limit := fmt.Sprintf(`sh -c 'ulimit -v %d; ulimit -t %d; exec "$0" "$@"'`, KiB, seconds)
	return kill{pkg, append([]string{"-exec", limit}, args...)}
}

// chance is how improbable a sample must be, of a package of which as many are killed as
// is demanded, to be an error: a small one says little.
const chance = 1e-3

// tooFew reports whether so few of n are killed that the rate of all is below want, in
// percent: all means that n are all there are.
func tooFew(killed, n int, want float64, all bool) bool {
	if all || n == 0 {
		return n > 0 && 100*float64(killed) < want*float64(n)
	}
	// The probability of killed or fewer (binomial).
	p, sum := want/100, 0.0
	for k := range killed + 1 {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(k + 1))
		c, _ := math.Lgamma(float64(n - k + 1))
		sum += math.Exp(a - b - c + float64(k)*math.Log(p) + float64(n-k)*math.Log(1-p))
	}
	return sum < chance
}

// equivalents reads which generated mutants nothing can see, and why: "== name", then
// lines "equivalent argument".
func equivalents(text string) (map[string]string, error) {
	all := map[string]string{}
	name := ""
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		title, isTitle := strings.CutPrefix(line, "== ")
		argument, isArgument := strings.CutPrefix(line, "equivalent ")
		switch {
		case line == "" || line[0] == '#':
		case isTitle:
			if _, twice := all[title]; twice {
				return nil, fmt.Errorf("line %d: %s: is there twice", i+1, title)
			}
			name = title
			all[name] = ""
		case isArgument && name != "":
			all[name] = strings.TrimSpace(all[name] + " " + argument)
		default:
			return nil, fmt.Errorf("line %d: %q is none of == name, equivalent argument", i+1, line)
		}
	}
	for name, argument := range all {
		if argument == "" {
			return nil, fmt.Errorf("%s: no argument why it is equivalent", name)
		}
	}
	return all, nil
}

// generateAll makes the mutants of a package as it is built here.
func (s *source) generateAll(b *builder, root string) ([]*mutant, error) {
	files := s.files
	if files == nil {
		p, err := b.list(s.dir)
		if err != nil {
			return nil, err
		}
		files = p.GoFiles
	}
	var all []*mutant
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(s.dir), name))
		if err != nil {
			return nil, err
		}
		make := generate
		if path.Ext(name) == ".p4" {
			make = generateP4
		}
		made, err := make(path.Join(s.dir, name), string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, made...)
	}
	marked := map[string]string{}
	text, err := os.ReadFile(filepath.Join(root, "test", "mutants", "generated", s.name+".txt"))
	if err == nil {
		if marked, err = equivalents(string(text)); err != nil {
			return nil, fmt.Errorf("generated/%s.txt: %w", s.name, err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, m := range all {
		m.kills, m.equivalent = s.kills, marked[m.name]
		delete(marked, m.name)
	}
	for name := range marked {
		return nil, fmt.Errorf("generated/%s.txt: %s: %w (no such mutant is made any more)", s.name, name, errStale)
	}
	return all, nil
}

// draw puts mutants into an order that depends on their names and a seed alone: what a
// change of the programs adds or takes away leaves the rest of a sample as it is.
func draw(all []*mutant, seed uint64) []*mutant {
	key := func(m *mutant) uint64 {
		h := fnv.New64a()
		fmt.Fprintf(h, "%d %s", seed, m.name)
		// FNV's high bits hardly depend on the last bytes.
		x := h.Sum64()
		x ^= x >> 32
		x *= 0xd6e8feb86659fd93
		return x ^ x>>32
	}
	return slices.SortedFunc(slices.Values(all), func(a, b *mutant) int { return cmp.Compare(key(a), key(b)) })
}

// tally counts what became of mutants.
type tally map[outcome]int

// judged is how many could be killed.
func (t tally) judged() int { return t[killed] + t[survived] + t[timedOut] + t[other] + t[panicked] }

// rate is how many in a hundred of those were.
func (t tally) rate() float64 {
	n := t.judged()
	if n == 0 {
		return 100
	}
	return 100 * float64(t[killed]) / float64(n)
}

func (t tally) line(name string) string {
	return fmt.Sprintf("%-28s %7d %8d %9d %5d %10d %8d  %5.1f %%", name,
		t[killed], t[survived], t[timedOut], t[other]+t[panicked], t[equivalent], t[noBuild], t.rate())
}

// rates judges generated mutants, of each package all or a sample, prints those that
// are not killed and a table, and fails if too few are.
func rates(ctx context.Context, r *runner, match *regexp.Regexp, names []string, o options, stdout io.Writer) error {
	var low []string
	ran := false
	for _, s := range sources {
		if len(names) > 0 && !slices.Contains(names, s.name) {
			continue
		}
		all, err := s.generateAll(&r.build, r.root)
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(m *mutant) bool { return !match.MatchString(m.name) })
		if all, err = shard(all, o.shard); err != nil {
			return err
		}
		if len(all) == 0 {
			continue
		}
		ran = true
		n := len(all)
		if o.sample >= 0 {
			all, n = draw(all, o.seed), o.sample
		}
		begin := time.Now()
		files := rateOf(ctx, r, all, n, o, stdout)
		total := tally{}
		fmt.Fprintf(stdout, "\n%-28s  killed survived timed out other equivalent no build     rate\n", s.dir)
		for _, f := range slices.Sorted(maps.Keys(files)) {
			for k, n := range files[f] {
				total[k] += n
			}
			fmt.Fprintln(stdout, files[f].line(path.Base(f)))
		}
		fmt.Fprintf(stdout, "%s\n%v\n\n", total.line("all"), time.Since(begin).Round(time.Second))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if tooFew(total[killed], total.judged(), s.want, o.sample < 0) {
			low = append(low, fmt.Sprintf("%s: %.1f %% (want %.0f %% of all)", s.dir, total.rate(), s.want))
		}
	}
	switch {
	case !ran:
		return errors.New("no such mutant")
	case len(low) > 0:
		return fmt.Errorf("too few generated mutants are killed: %s", strings.Join(low, "; "))
	}
	return nil
}

// rateOf judges the first n mutants that build and are not marked, some at a time, and
// counts by file.
func rateOf(ctx context.Context, r *runner, all []*mutant, n int, o options, stdout io.Writer) map[string]tally {
	var mu sync.Mutex
	files := map[string]tally{}
	next, judged := 0, 0
	var workers sync.WaitGroup
	take := func() *mutant {
		mu.Lock()
		defer mu.Unlock()
		if next == len(all) || judged >= n || ctx.Err() != nil {
			return nil
		}
		judged++
		next++
		return all[next-1]
	}
	for range o.jobs {
		workers.Go(func() {
			for m := take(); m != nil; m = take() {
				res := r.judge(ctx, m, true)
				if ctx.Err() != nil {
					return // it was not judged to the end
				}
				mu.Lock()
				if files[m.file] == nil {
					files[m.file] = tally{}
				}
				files[m.file][res.outcome]++
				if res.outcome == noBuild || res.outcome == equivalent {
					judged-- // another one in its place
				}
				if !res.good() && res.outcome != noBuild || o.verbose {
					fmt.Fprintf(stdout, "%-10s %6.1f s  %s: %s\n    %s\n", res.outcome, res.took.Seconds(), filepath.Base(m.where), m.about, m.name)
					if res.outcome == other {
						fmt.Fprintf(stdout, "    %s\n", strings.ReplaceAll(res.why, "\n", "\n    "))
					}
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	return files
}
