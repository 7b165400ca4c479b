package stf_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/stf"
	"github.com/p4ce/p4ce/dataplane/stf/testbed"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
	names "github.com/p4ce/p4ce/p4/rdma"
)

const cpuPort = dataplane.Port(names.PortCPU)

// mutants are, for each program, changes that break what a script tests: old text,
// new text.
var mutants = map[string]map[string][][2]string{
	"l2":    l2Mutants,
	"paxos": paxosMutants,
	"rdma":  rdmaMutants,
}

// scripts are all tests of a program, by name.
func scripts(t *testing.T, program string) map[string]*stf.Script {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(program, "*.stf"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "program %s has no packet test", program)
	out := map[string]*stf.Script{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		s, err := stf.Parse(f, text)
		require.NoError(t, err)
		out[strings.TrimSuffix(filepath.Base(f), ".stf")] = s
	}
	return out
}

func compile(t *testing.T, program string) *ir.Program {
	t.Helper()
	prog, diags := lang.Compile(lang.Options{Path: p4.Source(program), FS: p4.FS})
	require.NotNil(t, prog, "%v", diags)
	require.Empty(t, diags.String(), "the programs compile without warnings: some are of what the public compiler refuses")
	return prog
}

func TestPackets(t *testing.T) {
	for _, program := range p4.Programs() {
		t.Run(program, func(t *testing.T) { packets(t, program) })
	}
}

func packets(t *testing.T, program string) {
	obj, err := bpf.Object(program)
	require.NoError(t, err)
	pipe := &dataplane.Pipeline{Program: compile(t, program), Object: obj}
	for _, target := range []string{"interp", "xdp"} {
		t.Run(target, func(t *testing.T) {
			if target == "xdp" {
				needs.Root(t, "XDP")
				needs.Time(t, "loading the programs into the kernel for every script takes seconds")
			}
			for name, o := range runAll(scripts(t, program), pipe, target) {
				t.Run(name, func(t *testing.T) {
					require.NoError(t, o.err)
					require.True(t, o.res.OK(), o.res.String())
				})
			}
		})
	}
}

type outcome struct {
	res *stf.Result
	err error
}

// runAll runs scripts on targets of their own, several at a time: loading
// programs into the kernel is mostly waiting.
func runAll(all map[string]*stf.Script, pipe *dataplane.Pipeline, target string) map[string]outcome {
	var mu sync.Mutex
	var wg sync.WaitGroup
	out := map[string]outcome{}
	free := make(chan struct{}, 8)
	for name, s := range all {
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			res, err := testbed.Run(s, pipe, target, cpuPort)
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
	for _, program := range p4.Programs() {
		t.Run(program, func(t *testing.T) { notices(t, program) })
	}
}

func notices(t *testing.T, program string) {
	source := compile(t, program).Source
	for name, s := range scripts(t, program) {
		require.Contains(t, mutants[program], name, "no change of the program is known that %s.stf notices", name)
		for _, m := range mutants[program][name] {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				if !strings.Contains(source, m[0]) {
					t.Fatalf("the program no longer has %q, which this test breaks", m[0])
				}
				changed := strings.Replace(source, m[0], m[1], 1)
				prog, diags := lang.Compile(lang.Options{Path: p4.Source(program), Source: []byte(changed), FS: p4.FS})
				require.NotNil(t, prog, "%v", diags)
				res, err := testbed.Run(s, &dataplane.Pipeline{Program: prog}, "interp", cpuPort)
				require.NoError(t, err)
				require.False(t, res.OK(), "the script passes although the program has %q for %q", m[1], m[0])
			})
		}
	}
}
