package examples_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf/build"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/lab/launch"
)

// programs are the examples, and what each needs.
var programs = []struct {
	name  string // of the folder
	args  []string
	needs func(t *testing.T)
}{
	{name: "replicate"},
	{name: "rdma"},
	{name: "compile"},
	{name: "compile", args: []string{"xdp"}, needs: func(t *testing.T) {
		needs.Root(t, "XDP")
		needs.Tool(t, build.Clang, build.Clang+" llvm-19")
	}},
	{name: "p4runtime"},
	{name: "controller"},
	{name: "packets"},
	{name: "paxos"},
	{name: "onepipe", args: []string{"p4ce"}}, // the path of the binary
	{name: "amcast", args: []string{"p4ce"}},
}

// TestExamples: each prints what its want.txt has.
func TestExamples(t *testing.T) {
	long.Test(t)
	dir := t.TempDir()
	out, err := exec.Command("go", "build", "-o", dir, "./...").CombinedOutput()
	require.NoError(t, err, "%s", out)
	binary, err := launch.Build(dir, "p4ce")
	require.NoError(t, err)
	for _, p := range programs {
		t.Run(strings.Join(append([]string{p.name}, p.args...), " "), func(t *testing.T) {
			if p.needs != nil {
				p.needs(t)
			}
			want, err := os.ReadFile(filepath.Join(p.name, "want.txt"))
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			args := slices.Clone(p.args)
			if i := slices.Index(args, "p4ce"); i >= 0 {
				args[i] = binary
			}
			c := exec.CommandContext(ctx, filepath.Join(dir, p.name), args...)
			var stderr bytes.Buffer
			c.Stderr = &stderr
			got, err := c.Output()
			require.NoError(t, err, "%s", &stderr)
			require.Equal(t, string(want), string(got))
			require.Empty(t, stderr.String())
		})
	}
}

// most is how many lines an example may have, beside the comment of its package.
const most = 59

// TestShort: every folder is an example that is run, and short.
func TestShort(t *testing.T) {
	run := map[string]bool{}
	for _, p := range programs {
		run[p.name] = true
	}
	list, err := os.ReadDir(".")
	require.NoError(t, err)
	n := 0
	for _, e := range list {
		if !e.IsDir() {
			continue
		}
		n++
		require.True(t, run[e.Name()], "%s is not run", e.Name())
		files, err := filepath.Glob(filepath.Join(e.Name(), "*.go"))
		require.NoError(t, err)
		require.Equal(t, []string{filepath.Join(e.Name(), "main.go")}, files)
		text, err := os.ReadFile(files[0])
		require.NoError(t, err)
		comment, code, found := strings.Cut(string(text), "\npackage main\n")
		require.True(t, found, e.Name())
		require.True(t, strings.HasPrefix(comment, "// Command "+e.Name()+" "), e.Name())
		require.LessOrEqual(t, 1+strings.Count(code, "\n"), most, "lines of %s", e.Name())
	}
	require.Len(t, run, n)
}
