package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
)

const module = "github.com/p4ce/p4ce/"

// floors are the folders from the top: each imports only those below it. A package may have a floor of its own.
var floors = []string{"examples", "cmd", "systems", "test", "bench", "lab", "sim", "ctrl", "host", "dataplane", "internal/cli", "internal/event", "link", "bpf", "p4", "roce", "doctor", "internal"}

// importers stand for programs of others: they use anything, and nothing uses them.
const importers = "examples"

// facets are the folders of a system, at any depth, that stand on the floor of the engine that they are for.
// What else a system has is what its servers run, and stands on host's.
var facets = map[string]string{
	"cli":     "cmd",
	"test":    "test",
	"bench":   "bench",
	"lab":     "lab",
	"explore": "sim",
	"fabric":  "sim",
	"chaos":   "sim",
	"control": "ctrl",
	"agent":   "dataplane",
	"private": "roce",
}

// mains hold lists of what systems have, each for one program.
var mains = []string{"test/explore"}

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

// durable is below all that keeps something on a disk.
const durable = "host/durable"

// narrow says of packages what they may import of this module, itself not counted.
var narrow = map[string][]string{
	"systems/rdma/mu": nil,         // the decision protocol is a function of state, input and time
	"host/rdma":       {"roce/cm"}, // interfaces and values only
	"host/replicated": nil,
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

// packages are those of the tree at root.
func packages(root string) ([]pkg, error) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, fmt.Errorf("go list: %s", exit.Stderr)
	}
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var all []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, p)
	}
}

// room is where a package stands: its top folder, and for a package of a system, which one it is, its facet,
// and the engine on whose floor it stands.
type room struct {
	top, system, facet, floor string
}

func roomOf(path string) room {
	parts := strings.Split(path, "/")
	r := room{top: parts[0], floor: parts[0]}
	if len(parts) > 1 && slices.Contains(floors, parts[0]+"/"+parts[1]) {
		r.floor = parts[0] + "/" + parts[1]
	}
	if r.top != "systems" || len(parts) < 2 {
		return r
	}
	r.system, r.facet, r.floor = parts[1], "servers", "host"
	for _, folder := range parts[2:] {
		if floor := facets[folder]; floor != "" {
			r.facet, r.floor = folder, floor
			break
		}
	}
	return r
}

// program is the program of p4/ that a package has to do with, "" for what all share.
func program(path string) string {
	name, ok := strings.CutPrefix(path, "p4/")
	name, _, _ = strings.Cut(name, "/")
	if !ok || slices.Contains([]string{"lang", "p4info", "gonames", "entries", "lib"}, name) {
		return ""
	}
	return name
}

// judge says what is wrong with the imports of a package.
func judge(p pkg) (wrong []string) {
	path := strings.TrimPrefix(p.ImportPath, module)
	here := roomOf(path)
	at := slices.Index(floors, here.floor)
	if at < 0 || !slices.Contains(floors, here.top) {
		return []string{path + " is in no folder that the house knows: say what it may import"}
	}
	for _, i := range p.Imports {
		to, ours := strings.CutPrefix(i, module)
		if !ours {
			continue
		}
		there := roomOf(to)
		isMain := here.top == "cmd" || here.top == importers || here.top == "test" && slices.Contains(mains, path)
		switch {
		case there.top == importers && here.top != importers:
			wrong = append(wrong, path+" imports "+to+", an example")
		case there.system != "" && here.system == "" && !isMain:
			wrong = append(wrong, path+" imports "+to+": an engine knows no system")
		case there.system != "" && here.system != "" && there.system != here.system:
			wrong = append(wrong, path+" imports "+to+": a system knows no other system")
		case program(to) != "" && here.top != "cmd" && here.top != importers && here.top != "test" && here.top != "p4" && here.system != program(to):
			wrong = append(wrong, path+" imports "+to+": only the program's system knows it")
		case slices.Index(floors, there.floor) < at && !isMain && to != durable:
			wrong = append(wrong, path+" imports "+to+", which is above it")
		case there.floor == "test" && here.floor != "test":
			wrong = append(wrong, path+" imports "+to+", a test")
		case shared[path] == to, to == durable:
		case slices.ContainsFunc(strangers, func(s [2]string) bool { return s == [2]string{here.floor, there.floor} }):
			wrong = append(wrong, path+" imports "+to+": "+here.floor+" knows nothing of "+there.floor)
		}
		if may, ok := narrow[path]; ok && !slices.Contains(may, to) && !strings.HasPrefix(to, path+"/") {
			wrong = append(wrong, path+" imports "+to+": it may import "+strings.Join(may, ", "))
		}
	}
	return wrong
}
