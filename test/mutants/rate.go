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
	"strconv"
	"strings"
	"sync"
	"time"
)

// source is a package that mutants are generated from: a file of a folder generated, beside the lists.
type source struct {
	name, dir string
	files     []string          // of the folder; none: all Go files
	want      float64           // percent that must be killed, of all
	kills     []kill            // tried in turn
	marked    map[string]string // mutants that nothing can see, and why
}

// findSources reads the sources of a repository.
func findSources(root fs.FS) ([]*source, error) {
	files, err := find(root, "generated/")
	if err != nil {
		return nil, err
	}
	var all []*source
	for _, name := range slices.Sorted(maps.Keys(files)) {
		text, err := fs.ReadFile(root, files[name])
		if err != nil {
			return nil, err
		}
		s, err := parseSource(name, string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", files[name], err)
		}
		all = append(all, s)
	}
	return all, nil
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

// parseSource reads a source: "of folder files…", "want percent", lines "kill seconds package arguments…". Then come
// mutants that nothing can see: "== name", lines "equivalent argument".
func parseSource(name, text string) (*source, error) {
	s := &source{name: name, marked: map[string]string{}}
	mutant := ""
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		key, value, _ := strings.Cut(line, " ")
		words := strings.Fields(value)
		var err error
		switch {
		case key == "==" && value != "":
			if _, twice := s.marked[value]; twice {
				err = fmt.Errorf("%s: is there twice", value)
			}
			mutant = value
			s.marked[mutant] = ""
		case key == "equivalent" && mutant != "":
			s.marked[mutant] = strings.TrimSpace(s.marked[mutant] + " " + value)
		case key == "of" && mutant == "" && len(words) > 0:
			s.dir, s.files = words[0], words[1:]
		case key == "want" && mutant == "":
			s.want, err = strconv.ParseFloat(value, 64)
		case key == "kill" && mutant == "" && len(words) > 3:
			var seconds int
			seconds, err = strconv.Atoi(words[0])
			s.kills = append(s.kills, bounded(seconds, words[1], words[2:]...))
		default:
			err = fmt.Errorf("%q is none of: of folder, want percent, kill seconds package -run regexp, == name, equivalent argument", line)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	for mutant, argument := range s.marked {
		if argument == "" {
			return nil, fmt.Errorf("%s: no argument why it is equivalent", mutant)
		}
	}
	if s.dir == "" || s.want == 0 || len(s.kills) == 0 {
		return nil, errors.New("does not say of which folder, want how many percent, and kill by which tests")
	}
	return s, nil
}

// generateAll makes the mutants of a package as it is built here.
func (s *source) generateAll(b *builder, root string) ([]*mutant, error) {
	files := s.files
	if len(files) == 0 {
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
	made := map[string]bool{}
	for _, m := range all {
		m.kills, m.equivalent = s.kills, s.marked[m.name]
		made[m.name] = true
	}
	for name := range s.marked {
		if !made[name] {
			return nil, fmt.Errorf("generated/%s.txt: %s: %w (no such mutant is made any more)", s.name, name, errStale)
		}
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
	sources, err := findSources(os.DirFS(r.root))
	if err != nil {
		return err
	}
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
