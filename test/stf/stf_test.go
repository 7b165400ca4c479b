package stf_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/bpf/build"
	"github.com/p4ce/p4ce/bpf/gen"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/stf"
	"github.com/p4ce/p4ce/dataplane/stf/testbed"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
	names "github.com/p4ce/p4ce/p4/rdma"
)

const cpuPort = dataplane.Port(names.PortCPU) // of all programs

// change is one change of a program's text.
type change struct{ from, to string }

// packetTest is a script, and the changes of the program that it must notice.
type packetTest struct {
	script  *stf.Script
	mutants []change
}

// shared is the folder of what every program is tested with that has the guards of p4/lib.
const shared, guard = "lib", "may_send"

// packetTests are all packet tests of a program, by name.
func packetTests(t *testing.T, prog *ir.Program, name string) map[string]packetTest {
	t.Helper()
	out := map[string]packetTest{}
	read(t, out, name)
	require.NotEmpty(t, out, "program %s has no packet test", name)
	if slices.ContainsFunc(prog.Tables, func(t *ir.Table) bool { return strings.HasSuffix(t.Name, "."+guard) }) {
		read(t, out, shared)
	}
	return out
}

// like is the program whose scripts a program has: its own, unless like.txt names another.
func like(t *testing.T, program string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "p4", program, "stf", "like.txt"))
	if os.IsNotExist(err) {
		return program
	}
	require.NoError(t, err)
	return strings.TrimSpace(string(text))
}

// read reads the packet tests in a folder of p4.
func read(t *testing.T, out map[string]packetTest, folder string) {
	t.Helper()
	dir := filepath.Join("..", "..", "p4", folder, "stf")
	files, err := filepath.Glob(filepath.Join(filepath.Dir(dir), "..", like(t, folder), "stf", "*.stf"))
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(dir, "mutants.txt"))
	require.NoError(t, err)
	mutants, err := parseMutants(string(text))
	require.NoError(t, err, "%s/mutants.txt", dir)
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		s, err := stf.Parse(f, text)
		require.NoError(t, err)
		name := strings.TrimSuffix(filepath.Base(f), ".stf")
		require.NotContains(t, out, name, "two scripts of one program have this name")
		require.True(t, like(t, folder) != folder || len(mutants[name]) > 0, "%s/mutants.txt has no change of the program that %s.stf notices", dir, name)
		out[name] = packetTest{s, mutants[name]}
		delete(mutants, name)
	}
	require.Empty(t, mutants, "%s/mutants.txt has changes for scripts that do not exist", dir)
}

// parseMutants parses a list of changes, by the scripts that notice them. doc.go has the format.
func parseMutants(text string) (map[string][]change, error) {
	out := map[string][]change{}
	script := ""
	var from, to []string
	flush := func() error {
		switch {
		case from == nil && to == nil:
			return nil
		case from == nil || to == nil:
			return fmt.Errorf("%s: a change has lines with - and lines with +", script)
		}
		out[script] = append(out[script], change{strings.Join(from, "\n"), strings.Join(to, "\n")})
		from, to = nil, nil
		return nil
	}
	for i, line := range strings.Split(text, "\n") {
		wrong := func(what string) error { return fmt.Errorf("line %d: %s", i+1, what) }
		name, heading := strings.CutPrefix(line, "== ")
		switch {
		case line == "" || strings.HasPrefix(line, "#") || heading:
			if err := flush(); err != nil {
				return nil, wrong(err.Error())
			}
			if _, twice := out[name]; heading && twice {
				return nil, wrong("a second list for " + name)
			}
			if heading {
				script, out[name] = name, nil
			}
		case script == "":
			return nil, wrong("a change before the first == NAME")
		case line[0] == '-' && to == nil:
			from = append(from, line[1:])
		case line[0] == '+':
			to = append(to, line[1:])
		default:
			return nil, wrong("neither - nor +, or a - after a +")
		}
	}
	if err := flush(); err != nil {
		return nil, err
	}
	return out, nil
}

func TestParseMutants(t *testing.T) {
	got, err := parseMutants("# a comment\n\n== one\n-a\n-b\n+\n\n-c\n+d\n+e\n== two\n-x\n+y\n")
	require.NoError(t, err)
	require.Equal(t, map[string][]change{"one": {{"a\nb", ""}, {"c", "d\ne"}}, "two": {{"x", "y"}}}, got)
	for _, c := range [][2]string{
		{"-a\n+b\n", "line 1: a change before the first"},
		{"== one\n-a\n\n+b\n", "one: a change has lines with - and"},
		{"== one\n-a\n+b\n-c\n", "line 4: neither"},
		{"== one\n-a\n+b\n== one\n", "line 4: a second list"},
		{"== one\n-a\n", "has lines with - and"},
		{"== one\na\n", "line 2: neither"},
	} {
		_, err := parseMutants(c[0])
		require.ErrorContains(t, err, c[1], "%q", c[0])
	}
}

func compile(t *testing.T, program, form string) *ir.Program {
	t.Helper()
	prog, diags := lang.Compile(lang.Options{Path: p4.Source(program), FS: p4.FS, Defines: defines(form)})
	require.NotNil(t, prog, "%v", diags)
	require.Empty(t, diags.String(), "the programs compile without warnings: some are of what the public compiler refuses")
	return prog
}

// defines are the macros of a form of a program; "" is what is built for XDP.
func defines(form string) map[string]string {
	if form == "" {
		return nil
	}
	return map[string]string{form: "1"}
}

// forms are the other forms of a program, and the changes that some script notices in each.
func forms(t *testing.T, program string) map[string][]change {
	t.Helper()
	path := filepath.Join("..", "..", "p4", program, "stf", "forms.txt")
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	out, err := parseMutants(string(text))
	require.NoError(t, err, path)
	return out
}

// TestForms runs every script on the forms of a program that are for other targets, on the
// interpreter, and breaks what only these forms have: some script must fail.
func TestForms(t *testing.T) {
	for _, program := range p4.Programs() {
		for form, changes := range forms(t, program) {
			t.Run(program+"/"+form, func(t *testing.T) {
				prog := compile(t, program, form)
				all := packetTests(t, prog, program)
				for name, o := range runAll(all, &dataplane.Pipeline{Program: prog}, "interp") {
					require.NoError(t, o.err, name)
					require.True(t, o.res.OK(), "%s: %s", name, o.res)
				}
				for _, m := range changes {
					require.Contains(t, prog.Source, m.from, "the program no longer has what this test breaks")
					changed := strings.Replace(prog.Source, m.from, m.to, 1)
					broken, diags := lang.Compile(lang.Options{Path: p4.Source(program), Source: []byte(changed), FS: p4.FS, Defines: defines(form)})
					require.NotNil(t, broken, "%v", diags)
					noticed := false
					for name, o := range runAll(all, &dataplane.Pipeline{Program: broken}, "interp") {
						require.NoError(t, o.err, name)
						noticed = noticed || !o.res.OK()
					}
					require.True(t, noticed, "all scripts pass although the program has %q for %q", m.to, m.from)
				}
			})
		}
	}
}

// TestPackets runs every script on the interpreter, and in the kernel in both layouts.
func TestPackets(t *testing.T) {
	for _, program := range p4.Programs() {
		t.Run(program, func(t *testing.T) { packets(t, program) })
	}
}

func packets(t *testing.T, program string) {
	pipe := &dataplane.Pipeline{Program: compile(t, program, "")}
	for _, target := range []string{"interp", "xdp"} {
		t.Run(target, func(t *testing.T) {
			if target == "xdp" {
				needs.Root(t, "XDP")
				needs.Time(t, "loading the programs into the kernel for every script takes seconds")
				obj, err := bpf.Object(program)
				require.NoError(t, err)
				pipe.Object = obj
			}
			passes(t, runAll(packetTests(t, pipe.Program, program), pipe, target))
		})
	}
	t.Run("xdp-separate-maps", func(t *testing.T) {
		needs.Root(t, "XDP")
		long.Test(t)
		source, err := gen.Separate.Generate(pipe.Program)
		require.NoError(t, err)
		pipe.Object, err = build.Object(gen.CFile(pipe.Program.Name), source, bpf.Headers)
		if errors.Is(err, build.ErrNoClang) {
			needs.Tools(t, err)
		}
		require.NoError(t, err)
		passes(t, runAll(packetTests(t, pipe.Program, program), pipe, "xdp"))
	})
}

func passes(t *testing.T, outcomes map[string]outcome) {
	for name, o := range outcomes {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, o.err)
			require.True(t, o.res.OK(), o.res.String())
		})
	}
}

type outcome struct {
	res *stf.Result
	err error
}

// runAll runs scripts on targets of their own, several at a time: loading
// programs into the kernel is mostly waiting.
func runAll(all map[string]packetTest, pipe *dataplane.Pipeline, target string) map[string]outcome {
	var mu sync.Mutex
	var wg sync.WaitGroup
	out := map[string]outcome{}
	free := make(chan struct{}, 8)
	for name, p := range all {
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			res, err := testbed.Run(p.script, pipe, target, cpuPort)
			mu.Lock()
			defer mu.Unlock()
			out[name] = outcome{res, err}
		})
	}
	wg.Wait()
	return out
}

// TestScriptsNoticeWhatTheyTest breaks the programs, once for every mutant: the
// script must fail.
func TestScriptsNoticeWhatTheyTest(t *testing.T) {
	long.Test(t)
	for _, program := range p4.Programs() {
		t.Run(program, func(t *testing.T) { notices(t, program) })
	}
}

func notices(t *testing.T, program string) {
	plain := compile(t, program, "")
	for name, p := range packetTests(t, plain, program) {
		for _, m := range p.mutants {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				if !strings.Contains(plain.Source, m.from) {
					t.Fatalf("the program no longer has %q, which this test breaks", m.from)
				}
				changed := strings.Replace(plain.Source, m.from, m.to, 1)
				prog, diags := lang.Compile(lang.Options{Path: p4.Source(program), Source: []byte(changed), FS: p4.FS})
				require.NotNil(t, prog, "%v", diags)
				res, err := testbed.Run(p.script, &dataplane.Pipeline{Program: prog}, "interp", cpuPort)
				require.NoError(t, err)
				require.False(t, res.OK(), "the script passes although the program has %q for %q", m.to, m.from)
			})
		}
	}
}
