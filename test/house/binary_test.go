package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/lab/launch"
)

// programs are what a user runs, with the bounds of each.
var programs = map[string]struct {
	packages  int      // of the standard library and of others that it links, at most
	mib       int      // of the file as the Makefile builds it, at most
	forbidden []string // libraries that it does not link
}{
	"p4ce": {592, 48, []string{
		"gonum.org", "codeberg.org/go-pdf", "golang.org/x/image", // drawing
		"github.com/google/gopacket", "github.com/redis/go-redis", "github.com/stretchr/testify",
		"go.etcd.io/etcd/server", // an embedded one is p4etcd's
		module + "bench", module + "sim",
	}},
	"p4bench": {528, 49, []string{"github.com/stretchr/testify"}}, // gopacket: the stations of systems/l2/fabric; pprof/profile: bench rate
	"p4etcd":  {560, 45, []string{"gonum.org", "github.com/google/gopacket", "github.com/redis/go-redis", "github.com/stretchr/testify", module + "bench", module + "sim", module + "lab"}},
	"p4xc":    {410, 29, []string{"go.etcd.io", "github.com/cockroachdb", "gonum.org", "github.com/google/gopacket", "github.com/stretchr/testify", module + "systems"}}, // gRPC: it runs switches, and asks them
}

// TestPrograms: a program links what it needs for what it does.
func TestPrograms(t *testing.T) {
	for name, p := range programs {
		c := exec.Command("go", "list", "-deps", "./cmd/"+name)
		c.Dir = "../.."
		out, err := c.Output()
		require.NoError(t, err)
		list := strings.Fields(string(out))
		others := 0
		for _, i := range list {
			if !strings.HasPrefix(i, module) {
				others++
			}
			if slices.ContainsFunc(p.forbidden, func(f string) bool { return i == f || strings.HasPrefix(i, f+"/") }) {
				t.Errorf("%s links %s", name, i)
			}
		}
		t.Logf("%s: %d packages, %d of them of others", name, len(list), others)
		require.LessOrEqual(t, others, p.packages, "packages of others that %s links", name)
	}
}

// beginning bounds the bytes that packages allocate before main: those of one that registers everything that it
// knows, and those of all. The time that it takes is not measured.
const (
	beginning    = 256 << 10
	beginningAll = 2 << 20
)

// TestProgramFiles: programs are not larger than need be, begin at once, and p4ce finds the others.
func TestProgramFiles(t *testing.T) {
	needs.Time(t, "programs are built")
	dir := t.TempDir()
	for name, p := range programs {
		binary, err := launch.Build(dir, name, "-ldflags=-s -w") // as the Makefile does
		require.NoError(t, err)
		st, err := os.Stat(binary)
		require.NoError(t, err)
		t.Logf("%s: %d bytes", name, st.Size())
		require.LessOrEqual(t, st.Size(), int64(p.mib)*1_000_000, name)
	}
	p4ce := func(args ...string) string {
		c := exec.Command(filepath.Join(dir, "p4ce"), args...)
		c.Env = append(os.Environ(), "GODEBUG=inittrace=1", "PATH=")
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	require.Contains(t, p4ce("sim", "--list"), "leaf-spine\n")
	require.Contains(t, p4ce("bench", "rate", "--help"), "p4ce bench rate")
	said := regexp.MustCompile(`^init (\S+) @.* clock, (\d+) bytes, \d+ allocs$`)
	all, n := 0, 0
	for s := bufio.NewScanner(strings.NewReader(p4ce("--help"))); s.Scan(); {
		m := said.FindStringSubmatch(s.Text())
		if m == nil {
			continue
		}
		b, err := strconv.Atoi(m[2])
		require.NoError(t, err)
		require.LessOrEqual(t, b, beginning, "bytes that %s allocates before main", m[1])
		all, n = all+b, n+1
	}
	require.NotZero(t, n, "the test finds what it looks for")
	t.Logf("%d packages allocate %d bytes before main", n, all)
	require.LessOrEqual(t, all, beginningAll)
}
