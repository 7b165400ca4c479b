package rate

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// profile is the file with the profile of the leader with n replicas.
func (o Options) profile(n int) string {
	return filepath.Join(o.Out, fmt.Sprintf("rate-%d.pprof", n))
}

// shown is how many functions of a profile are named.
const shown = 10

// top says in one line which functions took most of the CPU time in a file, by what they did themselves.
func top(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("profile: %w", err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		return "", fmt.Errorf("profile %s: %w", file, err)
	}
	return functions(p), nil
}

func functions(p *profile.Profile) string {
	self, samples := map[string]int64{}, int64(0)
	for _, s := range p.Sample {
		samples += s.Value[0]
		self[leaf(s)] += s.Value[0]
	}
	if samples == 0 {
		return "no samples: too short a run"
	}
	type share struct {
		name string
		n    int64
	}
	var all []share
	for name, n := range self {
		all = append(all, share{name, n})
	}
	slices.SortFunc(all, func(a, b share) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.name, b.name)) })
	var parts []string
	for _, s := range all[:min(len(all), shown)] {
		parts = append(parts, fmt.Sprintf("%s %.0f %%", s.name, 100*float64(s.n)/float64(samples)))
	}
	return fmt.Sprintf("%s (%d samples)", strings.Join(parts, ", "), samples)
}

// leaf is the function that a sample is of. A system call is named by who makes it: the kernel's work is its own.
func leaf(s *profile.Sample) string {
	call := ""
	for _, l := range s.Location {
		for _, line := range l.Line {
			if line.Function == nil {
				continue
			}
			name := short(line.Function.Name)
			if !strings.Contains(strings.ToLower(name), "syscall") {
				return call + name
			}
			call = "system call of "
		}
	}
	return cmp.Or(call, "unknown")
}

// short is a function's name without the path of its package.
func short(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }
