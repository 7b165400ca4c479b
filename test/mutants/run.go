package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// outcome is what became of a mutant.
type outcome string

const (
	killed     outcome = "killed"
	survived   outcome = "survived"
	stale      outcome = "stale"
	noBuild    outcome = "no build"
	timedOut   outcome = "timed out"
	panicked   outcome = "panicked"
	other      outcome = "other"
	equivalent outcome = "equivalent"
	applies    outcome = "applies" // and builds; not run
)

// good reports whether an outcome is as it should be.
func (o outcome) good() bool { return o == killed || o == equivalent || o == applies }

type result struct {
	outcome
	why  string
	took time.Duration
}

// runner applies mutants to a tree.
type runner struct {
	root    string
	timeout time.Duration // of one go test
	build   builder

	mu    sync.Mutex
	sound map[string]error // by kill: whether it passes without a mutant
	once  map[string]*sync.Once
}

// judge applies a mutant, and runs its tests if run is set.
func (r *runner) judge(ctx context.Context, m *mutant, run bool) (res result) {
	begin := time.Now()
	defer func() { res.took = time.Since(begin) }()
	source, err := os.ReadFile(filepath.Join(r.root, filepath.FromSlash(m.file)))
	if err != nil {
		return result{outcome: stale, why: err.Error()}
	}
	text, err := m.apply(string(source))
	if err != nil {
		return result{outcome: stale, why: err.Error()}
	}
	file, content, err := r.build.build(m, text)
	if err != nil {
		return result{outcome: noBuild, why: err.Error()}
	}
	if m.equivalent != "" {
		return result{outcome: equivalent, why: m.equivalent}
	}
	if !run {
		return result{outcome: applies}
	}
	dir, err := os.MkdirTemp("", "p4ce-mutant-")
	if err != nil {
		return result{outcome: other, why: err.Error()}
	}
	defer os.RemoveAll(dir)
	overlay, err := writeOverlay(dir, filepath.Join(r.root, filepath.FromSlash(file)), content)
	if err != nil {
		return result{outcome: other, why: err.Error()}
	}
	res = result{outcome: survived, why: "nothing that was run has noticed"}
	for _, k := range m.kills {
		if err := r.passes(ctx, k); err != nil {
			return result{outcome: other, why: fmt.Sprintf("%s without the mutant: %v", k, err)}
		}
		switch one := classify(r.test(ctx, k, overlay), m); one.outcome {
		case survived:
		case killed:
			return one
		default:
			res = one // another test may still judge
		}
	}
	return res
}

// passes reports whether a test passes without a mutant. It is asked once for each.
func (r *runner) passes(ctx context.Context, k kill) error {
	name := k.String()
	r.mu.Lock()
	if r.once == nil {
		r.once, r.sound = map[string]*sync.Once{}, map[string]error{}
	}
	once := r.once[name]
	if once == nil {
		once = new(sync.Once)
		r.once[name] = once
	}
	r.mu.Unlock()
	once.Do(func() {
		t := r.test(ctx, k, "")
		var err error
		switch {
		case t.err != nil || t.failed != "" || t.noBuild || t.panicked:
			err = fmt.Errorf("it does not pass:\n%s", t.tail())
		case t.passed == 0:
			err = fmt.Errorf("no test ran")
		}
		r.mu.Lock()
		r.sound[name] = err
		r.mu.Unlock()
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sound[name]
}

// writeOverlay writes a file's changed text, and what tells the go command of it.
func writeOverlay(dir, file, text string) (string, error) {
	changed := filepath.Join(dir, filepath.Base(file))
	if err := os.WriteFile(changed, []byte(text), 0o644); err != nil {
		return "", err
	}
	b, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, b, 0o644)
}

// tested is what go test has said.
type tested struct {
	err      error // of the command
	passed   int   // tests
	failed   string
	said     string // by tests that have failed
	noBuild  bool
	panicked bool
	timedOut bool
	output   string
}

func (t *tested) tail() string {
	lines := strings.Split(strings.TrimSpace(t.output), "\n")
	return strings.Join(lines[max(0, len(lines)-15):], "\n")
}

// test runs go test.
func (r *runner) test(ctx context.Context, k kill, overlay string) *tested {
	args := []string{"test", "-json", "-vet=off", "-failfast", "-timeout", r.timeout.String()}
	if overlay != "" {
		args = append(args, "-count=1") // the cache of results does not see what a test builds
	}
	// Building takes time, too, and a test may hang so that its own clock is not heard.
	ctx, cancel := context.WithTimeout(ctx, 2*r.timeout+5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", append(append(args, k.pkg), k.args...)...)
	cmd.Dir = r.root
	if overlay != "" { // also for the programs that a test builds
		cmd.Env = append(os.Environ(), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+overlay))
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	t := readEvents(out.Bytes())
	t.err = err
	if ctx.Err() != nil {
		t.timedOut = true
	}
	return t
}

// readEvents reads the output of go test -json.
func readEvents(out []byte) *tested {
	t := &tested{}
	said := map[string]*strings.Builder{}
	var all strings.Builder
	s := bufio.NewScanner(bytes.NewReader(out))
	s.Buffer(nil, len(out)+1)
	for s.Scan() {
		var e struct{ Action, Package, Test, Output, FailedBuild string }
		if json.Unmarshal(s.Bytes(), &e) != nil || e.Action == "" {
			all.WriteString(s.Text() + "\n")
			continue
		}
		if e.FailedBuild != "" {
			t.noBuild = true
		}
		top, _, _ := strings.Cut(e.Test, "/")
		switch e.Action {
		case "output", "build-output":
			all.WriteString(e.Output)
			if e.Test != "" {
				if said[top] == nil {
					said[top] = &strings.Builder{}
				}
				said[top].WriteString(e.Output)
			}
			if strings.HasPrefix(e.Output, "panic: test timed out") || strings.HasPrefix(e.Output, "signal: killed") {
				t.timedOut = true
			}
			if strings.HasPrefix(e.Output, "panic: ") || strings.HasPrefix(e.Output, "fatal error: ") {
				t.panicked = true
			}
		case "pass":
			if e.Test != "" {
				t.passed++
			}
		case "fail":
			if e.Test != "" && t.failed == "" {
				t.failed = top
			}
		case "build-fail":
			t.noBuild = true
		}
	}
	if t.failed != "" && said[t.failed] != nil {
		t.said = said[t.failed].String()
	}
	t.output = all.String()
	return t
}

// classify says what a run of a test means for a mutant.
func classify(t *tested, m *mutant) result {
	switch {
	case t.noBuild:
		return result{outcome: noBuild, why: t.tail()}
	case t.timedOut:
		return result{outcome: timedOut, why: t.tail()}
	case t.failed == "" && t.err == nil && t.passed == 0:
		return result{outcome: other, why: "no test ran"}
	case t.failed == "" && t.err == nil:
		return result{outcome: survived}
	case t.panicked && m.edit != nil: // that of a goroutine is no test's
		return result{outcome: killed, why: "a panic"}
	case t.panicked && m.want == nil:
		return result{outcome: panicked, why: t.tail()}
	case t.failed == "":
		return result{outcome: other, why: t.tail()}
	case m.want != nil && !m.want.MatchString(t.said):
		return result{outcome: other, why: fmt.Sprintf("%s has failed, but did not say %q:\n%s", t.failed, m.want, t.tail())}
	}
	return result{outcome: killed, why: t.failed}
}
