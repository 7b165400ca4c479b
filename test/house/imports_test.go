package house

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/p4ce/p4ce/"

// floors are the folders from the top: each imports only those below it.
var floors = []string{"cmd", "test", "bench", "lab", "sim", "ctrl", "host", "dataplane", "link", "bpf", "p4", "roce", "doctor", "durable"}

// strangers are pairs that do not import each other, not even downwards.
var strangers = [][2]string{
	{"host", "dataplane"}, // servers know nothing of switches
	{"host", "bpf"},
	{"host", "p4"},
	{"ctrl", "dataplane"}, // the controller knows P4Runtime, and no target
	{"ctrl", "host"},
	{"link", "bpf"},
	{"link", "p4"},
	{"sim", "link"}, // time and networks are simulated there
}

// shared are packages that one of two strangers may import from the other: what both must
// do alike, and is a function of its input.
var shared = map[string]string{
	"systems/paxos/control": "systems/paxos", // messages, and the coordinator, which hosts and controllers run
}

// transports may send and receive whole frames by the kernel's packet sockets: there is
// one set of them, for servers, switches and laboratories. (Tests send by themselves what
// no transport would.)
var transports = map[string]string{
	"link/packet":     "",
	"dataplane/check": "asks whether one frame gets through",
}

// narrow says of packages what they may import of this module, itself not counted.
var narrow = map[string][]string{
	"systems/rdma/mu": nil,         // the decision protocol is a function of state, input and time
	"host/rdma":       {"roce/cm"}, // interfaces and values only
	"p4/lang/ir":      nil,
}

// only says which folder alone may use a library.
var only = map[string]string{
	"gonum.org/v1/plot":         "bench/", // drawing
	"github.com/asavie/xdp":     "link/afxdp",
	"github.com/tidwall/redcon": "host/kv",
	"go.etcd.io":                "ctrl/",
}

type pkg struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []pkg {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Fatalf("go list: %s", exit.Stderr)
	}
	require.NoError(t, err)
	var all []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all = append(all, p)
	}
}

// judge says what is wrong with the imports of a package.
func judge(p pkg) (wrong []string) {
	path := strings.TrimPrefix(p.ImportPath, module)
	floor := func(path string) int { return slices.Index(floors, strings.SplitN(path, "/", 2)[0]) }
	here := floor(path)
	if here < 0 {
		return []string{path + " is in no folder that the test knows: say what it may import"}
	}
	for _, i := range p.Imports {
		to, ours := strings.CutPrefix(i, module)
		if !ours {
			continue
		}
		there := floor(to)
		switch {
		case there < here:
			wrong = append(wrong, path+" imports "+to+", which is above it")
		case floors[there] == "test" && !strings.HasPrefix(path, "test/"):
			wrong = append(wrong, path+" imports "+to+", a test")
		case shared[path] == to:
		case slices.ContainsFunc(strangers, func(s [2]string) bool { return s == [2]string{floors[here], floors[there]} }):
			wrong = append(wrong, path+" imports "+to+": "+floors[here]+" knows nothing of "+floors[there])
		}
		if may, ok := narrow[path]; ok && !slices.Contains(may, to) && !strings.HasPrefix(to, path+"/") {
			wrong = append(wrong, path+" imports "+to+": it may import "+strings.Join(may, ", "))
		}
	}
	return wrong
}

func TestImports(t *testing.T) {
	for _, p := range packages(t) {
		for _, w := range judge(p) {
			t.Error(w)
		}
	}
}

// The judge finds what it is there for.
func TestJudge(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"systems/rdma/smr", "cmd/p4ce", "above it"},
		{"dataplane/xdp", "host/roce", "above it"},
		{"systems/rdma/control", "systems/paxos", "knows nothing"},
		{"systems/paxos/control", "systems/paxos/udp", "knows nothing"},
		{"host/roce", "dataplane/xdp", "knows nothing of"},
		{"cmd/p4ce", "test/vm", "a test"},
		{"systems/rdma/mu", "roce/wire", "it may import"},
		{"nowhere/x", "roce/wire", "no folder"},
		{"cmd/p4ce", "systems/rdma/smr", ""},
	} {
		got := strings.Join(judge(pkg{ImportPath: module + c.from, Imports: []string{"fmt", module + c.to}}), "; ")
		if c.want == "" {
			require.Empty(t, got)
		} else {
			require.Contains(t, got, c.want)
		}
	}
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
	for _, p := range packages(t) {
		path := strings.TrimPrefix(p.ImportPath, module)
		for lib, where := range only {
			if !strings.HasPrefix(path, where) && slices.ContainsFunc(p.Imports, func(i string) bool { return strings.HasPrefix(i, lib) }) {
				t.Errorf("%s imports %s, which is for %s only", path, lib, where)
			}
		}
	}
}
