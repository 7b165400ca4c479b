package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed decision.pml
var decision []byte

const modelFile = "decision.pml"

// missing says what has to be installed, in one sentence, or is empty.
func missing() string {
	var need []string
	if _, err := exec.LookPath("spin"); err != nil {
		need = append(need, "spin")
	}
	// spin itself calls gcc, as its preprocessor.
	if _, err := exec.LookPath("gcc"); err != nil {
		need = append(need, "gcc")
	}
	if len(need) == 0 {
		return ""
	}
	return fmt.Sprintf("the model needs %s (apt-get install spin gcc libc6-dev)", strings.Join(need, " and "))
}

// checker holds the bounds of a search. A search that meets one is incomplete.
type checker struct {
	depth  int // steps
	memory int // MiB
}

var usual = checker{depth: 10000, memory: 3500}

// result is what the checker has found.
type result struct {
	outcome string
	states  int
	depth   int           // of the deepest state
	memory  int           // MiB
	cpu     time.Duration // of the search
	trace   string        // the counterexample, a step per line
}

// check runs c in a scratch directory of its own. shortest asks for the shortest
// counterexample, which takes longer.
func (k checker) check(ctx context.Context, c check, shortest bool) (*result, error) {
	dir, err := os.MkdirTemp("", "p4ce-model-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, modelFile)
	if err := os.WriteFile(file, decision, 0o644); err != nil {
		return nil, err
	}
	// A replay begins with a warning if the model seems to be newer than its
	// counterexample, which may be some milliseconds younger only.
	if old := time.Now().Add(-time.Hour); os.Chtimes(file, old, old) != nil {
		return nil, fmt.Errorf("%s: time not set", file)
	}
	var flags []string
	for _, f := range c.flags {
		flags = append(flags, "-D"+f)
	}
	if _, _, err := tool(ctx, dir, "spin", append(append([]string{"-a"}, flags...), modelFile)...); err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	level := "-O0" // a small search takes less time than the compiler
	if c.full {
		level = "-O2"
	}
	cc := []string{level, "-w", "-DCOLLAPSE", "-DSAFETY", "-DNOFAIR", fmt.Sprintf("-DMEMLIM=%d", k.memory)}
	pan := []string{"-n", fmt.Sprintf("-m%d", k.depth)}
	if shortest {
		cc = append(cc, "-DREACH")
		pan = append(pan, "-i")
	}
	if _, _, err := tool(ctx, dir, "gcc", append(cc, "-o", "pan", "pan.c")...); err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	out, cpu, err := tool(ctx, dir, "./pan", pan...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	r, err := parse(out)
	if err != nil {
		return nil, fmt.Errorf("%s: %w:\n%s", c.name, err, out)
	}
	r.cpu = cpu
	if _, err := os.Stat(filepath.Join(dir, modelFile+".trail")); err == nil {
		trace, _, err := tool(ctx, dir, "spin", append(append([]string{"-t", "-B", "-T"}, flags...), modelFile)...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		r.trace = steps(trace)
	}
	return r, nil
}

// tool runs a program and returns what it has printed and the CPU time it has taken.
func tool(ctx context.Context, dir, name string, args ...string) (string, time.Duration, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if ctx.Err() != nil {
		return "", 0, context.Cause(ctx)
	}
	if err != nil {
		return "", 0, fmt.Errorf("%s: %w:\n%s", name, err, out.Bytes())
	}
	return out.String(), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

var (
	violated  = regexp.MustCompile(`(?m)^pan:\d+: (.*)$`)
	assertion = regexp.MustCompile(`^assertion violated [( ]*(\w+)\s*\|\|`)
	errorsRE  = regexp.MustCompile(`State-vector \d+ byte, depth reached (\d+), errors: (\d+)`)
	statesRE  = regexp.MustCompile(`(?m)^\s*([0-9.e+]+) states, stored`)
	memoryRE  = regexp.MustCompile(`(?m)^\s*([0-9.e+]+)\s+total actual memory usage`)
	cut       = regexp.MustCompile(`max search depth too small|reached -DMEMLIM|out of memory|Search not completed`)
)

// parse reads the report of a search.
func parse(out string) (*result, error) {
	e := errorsRE.FindStringSubmatch(out)
	s := statesRE.FindStringSubmatch(out)
	if e == nil || s == nil {
		return nil, fmt.Errorf("not a report of spin 6")
	}
	r := &result{outcome: holds}
	r.depth, _ = strconv.Atoi(e[1])
	states, err := strconv.ParseFloat(s[1], 64)
	if err != nil {
		return nil, fmt.Errorf("number of states: %w", err)
	}
	r.states = int(states)
	if m := memoryRE.FindStringSubmatch(out); m != nil {
		memory, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			return nil, fmt.Errorf("memory: %w", err)
		}
		r.memory = int(memory)
	}
	v := violated.FindStringSubmatch(out)
	switch {
	case v != nil:
		a := assertion.FindStringSubmatch(v[1])
		if a == nil || !slices.Contains(properties, a[1]) {
			return nil, fmt.Errorf("unexpected: %s", v[1])
		}
		r.outcome = a[1]
	case cut.MatchString(out) || e[2] != "0":
		r.outcome = incomplete
	}
	return r, nil
}

// steps is the part of a replay that decision.pml has printed.
func steps(trace string) string {
	before, _, _ := strings.Cut(trace, "spin: ")
	return before
}
