package house

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/p4ce/p4ce/"

// floors are the folders from the top: each imports only those below it.
var floors = []string{"cmd", "test", "bench", "lab", "sim", "ctrl", "host", "dataplane", "link", "bpf", "p4", "roce", "doctor"}

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

// narrow says of packages what they may import of this module, itself not counted.
var narrow = map[string][]string{
	"host/smr/mu": nil, // the decision protocol is a function of state, input and time
	"host/rdma":   nil, // interfaces and values only
	"p4/lang/ir":  nil,
}

// drawing is linked into what draws and into nothing else.
var drawing = map[string]string{"gonum.org/v1/plot": "bench/"}

type pkg struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func packages(t *testing.T) []pkg {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,Deps", "./...")
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
		{"host/smr", "cmd/p4ce", "above it"},
		{"dataplane/xdp", "host/roce", "above it"},
		{"host/roce", "dataplane/xdp", "knows nothing of"},
		{"cmd/p4ce", "test/vm", "a test"},
		{"host/smr/mu", "roce/wire", "it may import"},
		{"nowhere/x", "roce/wire", "no folder"},
		{"cmd/p4ce", "host/smr", ""},
	} {
		got := strings.Join(judge(pkg{ImportPath: module + c.from, Imports: []string{"fmt", module + c.to}}), "; ")
		if c.want == "" {
			require.Empty(t, got)
		} else {
			require.Contains(t, got, c.want)
		}
	}
}

// What draws is not linked into what does not.
func TestNothingDrawsUnasked(t *testing.T) {
	for _, p := range packages(t) {
		path := strings.TrimPrefix(p.ImportPath, module)
		for lib, only := range drawing {
			if !strings.HasPrefix(path, only) && slices.ContainsFunc(p.Deps, func(d string) bool { return strings.HasPrefix(d, lib) }) {
				t.Errorf("%s is linked with %s, which is for %s only", path, lib, only)
			}
		}
	}
}
