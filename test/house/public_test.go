package main

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Libraries by what they are for.
var (
	messages   = []string{"github.com/p4lang/p4runtime", "google.golang.org/protobuf"}
	rpc        = append([]string{"google.golang.org/grpc", "google.golang.org/genproto/googleapis/rpc", "golang.org/x"}, messages...)
	metrics    = []string{"github.com/prometheus", "github.com/beorn7/perks", "github.com/cespare/xxhash/v2", "github.com/munnerz/goautoneg", "google.golang.org/protobuf", "golang.org/x/sys"}
	interfaces = []string{"github.com/vishvananda", "github.com/safchain/ethtool", "golang.org/x/sys"}
	sums       = []string{"github.com/cespare/xxhash/v2", "golang.org/x/sys"}
	kernel     = append([]string{"github.com/cilium/ebpf", "github.com/asavie/xdp"}, interfaces...)
)

// public are the packages that other programs import (README.md, "Use it from Go"), with the libraries that each may
// link beside the standard library and this module, and how many packages of these it links at most.
var public = map[string]struct {
	most      int
	libraries [][]string
}{
	"roce/wire": {}, "roce/icrc": {}, "roce/cm": {}, "roce/cmsm": {},
	"p4/lang": {}, "p4/lang/ir": {}, "bpf/gen": {}, "bpf/build": {}, "bpf": {},
	"p4/p4info":           {30, [][]string{messages}},
	"host/rdma":           {},
	"host/roce":           {},
	"host/replicated":     {},
	"link/hub":            {},
	"systems/rdma/smr":    {50, [][]string{metrics, {"github.com/HdrHistogram/hdrhistogram-go"}}},
	"systems/amcast":      {},
	"systems/onepipe":     {1, [][]string{{"golang.org/x/sys"}}},
	"systems/paxos":       {2, [][]string{sums}},
	"systems/paxos/soft":  {2, [][]string{sums}},
	"dataplane/interp":    {5, [][]string{interfaces}},
	"dataplane/xdp":       {27, [][]string{kernel}},
	"dataplane/p4rt":      {126, [][]string{rpc}},
	"dataplane/agent":     {168, [][]string{rpc, kernel, metrics}},
	"ctrl/p4rtclient":     {115, [][]string{rpc}},
	"ctrl/pipeline":       {115, [][]string{rpc}},
	"ctrl/session":        {128, [][]string{rpc, metrics}},
	"examples/packets":    {},
	"examples/rdma":       {},
	"examples/controller": {170, [][]string{rpc, kernel, metrics}},
}

// TestPublic: who imports a public package links what it needs for what it does.
func TestPublic(t *testing.T) {
	args := []string{"list", "-f", `{{.ImportPath}} {{join .Deps " "}}`}
	for name := range public {
		args = append(args, "./"+name)
	}
	c := exec.Command("go", args...)
	c.Dir = "../.."
	out, err := c.Output()
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	require.Len(t, lines, len(public))
	for _, line := range lines {
		path, deps, _ := strings.Cut(line, " ")
		name := strings.TrimPrefix(path, module)
		p, n := public[name], 0
		for _, i := range strings.Fields(deps) {
			if first, _, _ := strings.Cut(i, "/"); !strings.Contains(first, ".") || strings.HasPrefix(i+"/", module) { // the standard library has no dots
				continue
			}
			n++
			may := func(l string) bool { return i == l || strings.HasPrefix(i, l+"/") }
			if !slices.ContainsFunc(slices.Concat(p.libraries...), may) {
				t.Errorf("%s links %s", name, i)
			}
		}
		t.Logf("%s: %d packages of libraries", name, n)
		require.LessOrEqual(t, n, p.most, "packages of libraries that %s links", name)
	}
}

// TestPublicNamed: README.md names public packages only, and every example; all of roce/ is public.
func TestPublicNamed(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "\n## Use it from Go\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	n := 0
	for row := range strings.Lines(section) {
		if !strings.HasPrefix(row, "| `") {
			continue
		}
		first, _, _ := strings.Cut(row[1:], "|")
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(first, -1) {
			require.Contains(t, public, m[1])
			n++
		}
	}
	require.Greater(t, n, 10)
	for _, p := range tree(t) {
		path := strings.TrimPrefix(p.ImportPath, module)
		if strings.HasPrefix(path, "roce/") {
			require.Contains(t, public, path)
		}
		if strings.HasPrefix(path, "examples/") {
			require.Contains(t, section, "]("+path+"/main.go)")
		}
	}
}
