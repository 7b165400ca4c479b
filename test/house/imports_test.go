package main

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// transports may send and receive whole frames by the kernel's packet sockets: there is
// one set of them, for servers, switches and laboratories. (Tests send by themselves what
// no transport would.)
var transports = map[string]string{
	"link/packet":     "",
	"dataplane/check": "asks whether one frame gets through",
}

func tree(t *testing.T) []pkg {
	all, err := packages("../..")
	require.NoError(t, err)
	return all
}

func TestImports(t *testing.T) {
	for _, p := range tree(t) {
		for _, w := range judge(p) {
			t.Error(w)
		}
	}
}

func TestArrows(t *testing.T) {
	counted, others := count(arrows(tree(t)))
	require.NotZero(t, others)
	require.LessOrEqual(t, counted, maxArrows, "arrows between top folders: go run ./test/house -draw")
}

// The judge finds what it is there for.
func TestJudge(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"host/kv", "cmd/p4ce", "above it"},
		{"dataplane/xdp", "host/roce", "above it"},
		{"dataplane/xdp", "host/durable", ""},
		{"host/kv", "systems/rdma/smr", "an engine knows no system"},
		{"lab/network", "systems/rdma/lab/group", "an engine knows no system"},
		{"test/vm", "systems/rdma/lab/group", "an engine knows no system"},
		{"test/explore", "systems/rdma/explore/tree", ""},
		{"sim/explore", "p4/rdma", "only the program's system"},
		{"systems/rdma/mu/chaos", "sim/events", ""},
		{"systems/rdma/mu", "systems/rdma/mu/chaos", "above it"},
		{"systems/paxos/bench", "p4/rdma", "only the program's system"},
		{"systems/paxos/bench", "p4/paxos", ""},
		{"systems/paxos/lab", "systems/rdma/lab/store", "no other system"},
		{"systems/rdma/control", "systems/paxos", "no other system"},
		{"systems/rdma/control", "systems/rdma/smr", "knows nothing"},
		{"systems/rdma/control", "dataplane/xdp", "knows nothing"},
		{"systems/rdma/control", "host/durable", ""},
		{"systems/rdma/smr", "systems/rdma/control", "above it"},
		{"systems/rdma/smr", "dataplane/xdp", "knows nothing"},
		{"systems/rdma/smr", "systems/rdma/private", ""},
		{"systems/rdma/private", "systems/rdma/smr", "above it"},
		{"systems/rdma/lab/group", "systems/rdma/bench/modes", "above it"},
		{"systems/paxos/control", "systems/paxos", ""},
		{"systems/paxos/control", "systems/paxos/udp", "knows nothing"},
		{"systems/rdma/explore/tree", "link/packet", "knows nothing"},
		{"cmd/p4ce", "test/vm", "a test"},
		{"systems/rdma/mu", "roce/wire", "it may import"},
		{"examples/x", "systems/rdma/smr", ""},
		{"examples/x", "p4/l2", ""},
		{"examples/x", "test/vm", "a test"},
		{"cmd/p4ce", "examples", "an example"},
		{"nowhere/x", "roce/wire", "no folder"},
		{"cmd/p4ce", "systems/rdma/smr", ""},
	} {
		got := strings.Join(judge(pkg{ImportPath: module + c.from, Imports: []string{"fmt", module + c.to}}), "; ")
		if c.want == "" {
			require.Empty(t, got)
		} else {
			require.Contains(t, got, c.want, "%s imports %s", c.from, c.to)
		}
	}
}

// TestDraw: the drawing has each floor and each system.
func TestDraw(t *testing.T) {
	var b strings.Builder
	require.NoError(t, draw(&b, []pkg{
		{ImportPath: module + "systems/one/control", Imports: []string{module + "ctrl/session", module + "ctrl/store", module + "p4/one"}},
		{ImportPath: module + "systems/one", Imports: []string{"fmt", module + "host/rdma", module + "internal/quorum"}},
		{ImportPath: module + "host/rdma"},
	}))
	require.Regexp(t, `(?m)^systems +2 +ctrl 2, host 1, p4 1, internal 1$`, b.String())
	require.Regexp(t, `(?m)^host +1 +$`, b.String())
	require.Regexp(t, `(?m)^ +3 +3 arrows of at most \d+, and apart from them 1 from`, b.String())
	require.Regexp(t, `(?m)^one +2 +control 1, servers 1$`, b.String())
}

// TestTransports finds packet sockets beside package link.
func TestTransports(t *testing.T) {
	found := 0
	eachFile(t, func(rel string, fset *token.FileSet, f *ast.File) {
		if strings.HasSuffix(rel, "_test.go") {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "SockaddrLinklayer" {
				found++
				if _, may := transports[filepath.ToSlash(filepath.Dir(rel))]; !may {
					t.Errorf("%s: a packet socket (package link has transports for frames)", fset.Position(n.Pos()))
				}
			}
			return true
		})
	})
	require.NotZero(t, found, "the test finds what it looks for")
}

// Libraries are used where they belong.
func TestLibraries(t *testing.T) {
	for _, p := range tree(t) {
		path := strings.TrimPrefix(p.ImportPath, module)
		for lib, where := range only {
			if !strings.HasPrefix(path, where) && slices.ContainsFunc(p.Imports, func(i string) bool { return strings.HasPrefix(i, lib) }) {
				t.Errorf("%s imports %s, which is for %s only", path, lib, where)
			}
		}
	}
}
