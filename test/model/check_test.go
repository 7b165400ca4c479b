package main

import (
	"context"
	"errors"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/p4ce/p4ce/doctor/needs"
)

// TestFlags sees that cases and model speak of the same flags: a flag that the model
// does not know breaks nothing and bounds nothing.
func TestFlags(t *testing.T) {
	known := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^#(?:ifdef|ifndef)\s+(\w+)`).FindAllSubmatch(decision, -1) {
		known[string(m[1])] = true
	}
	known["OWNER3"], known["OWNER4"] = true, true // come with OWNER2
	used := map[string]bool{}
	seen := map[string]bool{}
	for _, c := range checks {
		if seen[c.name] {
			t.Errorf("two cases are named %q", c.name)
		}
		seen[c.name] = true
		for _, f := range c.flags {
			name, _, _ := strings.Cut(f, "=")
			used[name] = true
			if !known[name] {
				t.Errorf("case %q: %s is no flag of %s", c.name, name, modelFile)
			}
		}
	}
	for name := range known {
		if (strings.HasPrefix(name, "MUT_") || strings.HasPrefix(name, "GOAL_")) && !used[name] {
			t.Errorf("%s of %s is in no case", name, modelFile)
		}
	}
}

// TestEveryMutantHasABase sees that what a mutant violates holds at its bounds, or
// larger ones, when no rule is broken: else it would show nothing about the rule.
func TestEveryMutantHasABase(t *testing.T) {
	for _, m := range mutants {
		if m.name == "read-unchecked" || strings.HasPrefix(m.name, "behind-") {
			continue // too large to be searched completely; README.md says so
		}
		if !slices.ContainsFunc(bases, func(b check) bool { return covers(b, m) }) {
			t.Errorf("%s: no case without it is as large (%v)", m.name, m.flags)
		}
	}
}

// covers reports whether b explores everything that m does, apart from the rule that
// m breaks.
func covers(b, m check) bool {
	bounds := func(c check) map[string]string {
		v := map[string]string{"N": "3", "SWITCH": "no", "CHANGE": "no", "BARRIER": "no", "OWNER2": "any", "OWNER3": "any", "OWNER4": "any"}
		for _, f := range c.flags {
			name, value, _ := strings.Cut(f, "=")
			v[name] = value
		}
		return v
	}
	large, small := bounds(b), bounds(m)
	for _, name := range []string{"K", "C", "S"} { // single digits
		if large[name] < small[name] {
			return false
		}
	}
	for _, name := range []string{"OWNER2", "OWNER3", "OWNER4"} {
		if large[name] != "any" && large[name] != small[name] {
			return false
		}
	}
	for _, part := range []string{"SWITCH", "CHANGE", "BARRIER"} {
		if large[part] == "no" && small[part] != "no" {
			return false
		}
	}
	return large["N"] == small["N"]
}

func TestReadmeNamesAllMutants(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mutants {
		if !strings.Contains(string(readme), "`"+m.name+"`") {
			t.Errorf("README.md does not say what %s shows", m.name)
		}
	}
}

// TestOutcomes sees that a case cannot be as expected by mistake.
func TestOutcomes(t *testing.T) {
	if m := missing(); m != "" {
		needs.Tools(t, errors.New(m))
	}
	sound := []string{"K=2", "C=0", "S=1"}
	broken := append([]string{"MUT_NOT_REVOKED", "AGREEMENT_ONLY"}, sound...)
	for _, test := range []struct {
		name    string
		k       checker
		flags   []string
		claimed string
		got     string
	}{
		{"sound", usual, sound, holds, holds},
		{"sound, thought broken", usual, sound, agreement, holds},
		{"broken", usual, broken, agreement, agreement},
		{"broken, thought sound", usual, broken, holds, agreement},
		{"too deep", checker{depth: 12, memory: usual.memory}, sound, holds, incomplete},
		{"too large", checker{depth: usual.depth, memory: 1}, sound, holds, incomplete},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			err := all(t.Context(), test.k, []check{{name: "this", shows: "that", flags: test.flags, want: test.claimed}}, 1, &out)
			if (err == nil) != (test.claimed == test.got) {
				t.Errorf("%q is expected: error %v", test.claimed, err)
			}
			row := regexp.MustCompile(`(?m)^this +that +` + test.claimed + ` +` + test.got + ` +\d+ +\d+ `)
			if !row.MatchString(out.String()) {
				t.Errorf("no row for %q, found %q:\n%s", test.claimed, test.got, out.String())
			}
			if wanted := err != nil && test.got == agreement; strings.Contains(out.String(), "decided: value") != wanted {
				t.Errorf("counterexample shown: %v, want %v:\n%s", !wanted, wanted, out.String())
			}
		})
	}
}

func TestModelWithAnError(t *testing.T) {
	if m := missing(); m != "" {
		needs.Tools(t, errors.New(m))
	}
	if _, err := usual.check(context.Background(), check{name: "five terms", flags: []string{"K=5"}}, false); err == nil {
		t.Error("a model that cannot be compiled was checked")
	}
}

func TestArguments(t *testing.T) {
	for _, args := range [][]string{{"-j", "0"}, {"-run", "("}, {"-run", "no such case"}, {"-trace", "half", "x"}, {"-depth"}} {
		if err := run(t.Context(), args, io.Discard); err == nil {
			t.Errorf("%q was accepted", args)
		}
	}
}
