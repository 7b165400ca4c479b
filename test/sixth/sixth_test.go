package sixth

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf/bundle"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/p4/lang"
)

// name is the system's.
const name = "tally"

// lists are the generated files that have a line for each system.
var lists = []string{"cmd/p4bench/systems.go", "cmd/p4ce/systems.go", "cmd/p4etcd/systems.go", "test/explore/systems.go"}

// tree is a copy of the repository to which the system has been added.
type tree struct {
	*testing.T
	ctx             context.Context
	root, copy, bin string
}

// run runs a command in a folder of the copy, and returns what it prints.
func (r *tree) run(dir string, command ...string) string {
	r.Helper()
	out, err := r.try(filepath.Join(r.copy, dir), command...)
	require.NoError(r, err, "%q: %s", command, out)
	return out
}

func (r *tree) try(dir string, command ...string) (string, error) {
	c := exec.CommandContext(r.ctx, command[0], command[1:]...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	return string(out), err
}

// program is the path of a program that build has built.
func (r *tree) program(name string) string { return filepath.Join(r.bin, name) }

// copied makes a copy of the repository, without what was built or is git's.
func copied(t *testing.T, root string) string {
	dir := t.TempDir()
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	for _, e := range entries {
		from, to := filepath.Join(root, e.Name()), filepath.Join(dir, e.Name())
		switch {
		case slices.Contains([]string{".git", "bin", "out"}, e.Name()):
		case e.IsDir():
			require.NoError(t, os.CopyFS(to, os.DirFS(from)))
		default:
			text, err := os.ReadFile(from)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(to, text, 0o644))
		}
	}
	return dir
}

// contents are the files below a folder.
func contents(t *testing.T, dir string) map[string]string {
	all := map[string]string{}
	tree := os.DirFS(dir)
	require.NoError(t, fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := fs.ReadFile(tree, path)
		all[path] = string(text)
		return err
	}))
	return all
}

// changed are the files of a folder that were not there before, or not like this, by their names.
func changed(before, after map[string]string) (all []string) {
	for path, text := range after {
		if was, there := before[path]; !there || was != text {
			all = append(all, path)
		}
	}
	for path := range before {
		if _, there := after[path]; !there {
			all = append(all, path)
		}
	}
	slices.Sort(all)
	return all
}

// build builds programs of the tree with other contents of some files.
func (r *tree) build(files []string) {
	replace := map[string]string{}
	for _, f := range files {
		replace[filepath.Join(r.root, f)] = filepath.Join(r.copy, f)
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(r, err)
	overlay := filepath.Join(r.bin, "overlay.json")
	require.NoError(r, os.WriteFile(overlay, text, 0o644))
	for _, command := range [][]string{
		{"go", "build", "-overlay", overlay, "-o", r.bin + "/", "./cmd/p4ce", "./cmd/p4bench", "./test/explore"},
		{"go", "test", "-overlay", overlay, "-c", "-o", r.program("stf.test"), "./test/stf"},
	} {
		out, err := r.try(r.root, command...)
		require.NoError(r, err, "%q: %s", command, out)
	}
}

func TestSystemOfTwoFolders(t *testing.T) {
	needs.Tool(t, "go", "golang")
	needs.Time(t, "programs are built")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	t.Cleanup(cancel)
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	r := &tree{T: t, ctx: ctx, root: root, copy: copied(t, root), bin: t.TempDir()}
	_, err = launch.Build(r.bin, "p4xc")
	require.NoError(t, err)

	before := contents(t, r.copy)
	for _, folder := range []string{"p4/" + name, "systems/" + name} {
		require.NoError(t, os.CopyFS(filepath.Join(r.copy, folder), os.DirFS(filepath.Join("testdata", folder))))
	}
	byHand := contents(t, r.copy)

	// What bpf/generate.sh makes of a program, but its object.
	r.run(".", r.program("p4xc"), "build", "p4/tally/tally.p4", "--only", "p4info,go", "-o", "p4/tally", "--go", "p4/tally")
	r.run(".", "go", "generate", "./cmd/...", "./test/explore")
	after := contents(t, r.copy)
	require.Equal(t, slices.Concat(lists[:3], []string{"p4/tally/names.go", "p4/tally/tally.p4info.txtpb"}, lists[3:]), changed(byHand, after))
	for _, f := range lists {
		require.Contains(t, after[f], "DO NOT EDIT")
		require.Contains(t, after[f], "/systems/tally/")
	}
	require.Regexp(t, `(?m)^tally +\d+ +bench 1, cli 1, control 1, explore 1, fabric 1$`, r.run(".", "go", "run", "./test/house", "-draw"), "the house allows its imports")
	r.build(changed(before, after))

	t.Run("packets", r.packets)
	t.Run("command", r.command)
	t.Run("controller", r.controller)
	t.Run("fabric", r.fabric)
	t.Run("explore", r.explore)
	t.Run("bench", r.bench)
}

// packets runs the packet test, and has it notice each mutant.
func (r *tree) packets(t *testing.T) {
	r = r.of(t)
	require.Contains(t, r.run(".", r.program("p4xc"), "stf", "p4/tally/tally.p4", "p4/tally/stf/counted.stf"), "counted.stf: ok (")
	out := r.run("test/stf", r.program("stf.test"), "-test.v", "-test.run", "^TestPackets$/^tally$/^interp$|^TestScriptsNoticeWhatTheyTest$/^tally$")
	require.Contains(t, out, "--- PASS: TestPackets/tally/interp/counted")
	require.Contains(t, out, "--- PASS: TestScriptsNoticeWhatTheyTest/tally/counted#03")
}

// of is the same tree in a test of its own.
func (r *tree) of(t *testing.T) *tree {
	s := *r
	s.T = t
	return &s
}

// command sends requests to a server.
func (r *tree) command(t *testing.T) {
	r = r.of(t)
	require.Contains(t, r.run(".", r.program("p4ce"), "--help"), "Send requests that a switch counts by their keys")
	require.Contains(t, r.run(".", r.program("p4ce"), "tally", "send", "--help"), "--key")
	require.Contains(t, r.run(".", r.program("p4ce"), "controller", "--help"), "--tally-host")

	c, err := net.ListenPacket("udp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer c.Close()
	go echo(c)
	require.Equal(t, "5 of 5 requests of key 7 were answered\n",
		r.run(".", r.program("p4ce"), "tally", "send", c.LocalAddr().String(), "--key", "7", "--count", "5", "--timeout", "1m"))
}

// echo sends what comes back to where it is from.
func echo(c net.PacketConn) {
	buf := make([]byte, 1500)
	for {
		n, from, err := c.ReadFrom(buf)
		if err != nil {
			return // it is closed
		}
		_, _ = c.WriteTo(buf[:n], from)
	}
}

// start starts a program of p4ce that says when it is ready.
func (r *tree) start(name string, args ...string) {
	p, err := launch.Start(nil, launch.Options{Name: name, Args: append([]string{r.program("p4ce"), name}, args...)})
	require.NoError(r, err)
	r.Cleanup(func() {
		p.End(context.Background())
		if r.Failed() {
			r.Logf("%s:\n%s", name, p.Tail())
		}
	})
	require.NoError(r, p.AwaitReady(r.ctx), "%s", p.Tail())
}

// frame is a request of key 3, as the packet test has it.
var frame = []byte("\x02\x00\x00\x00\x00\x0b\x02\x00\x00\x00\x00\x0a\x08\x00\x45\x00\x00\x1f\x00\x00\x00\x00\x40\x11\x66\xcc\x0a\x00\x00\x01\x0a\x00\x00\x02" +
	"\xc3\x50\x1e\x61\x00\x0b\x00\x00\x03\xab\xcd")

// controller runs a switch and its controller: the entry is written, a request goes through the switch, and
// its count is read.
func (r *tree) controller(t *testing.T) {
	r = r.of(t)
	dir := t.TempDir()
	unix := func(name string) string { return "unix:" + filepath.Join(dir, name) }
	source, diags := lang.Preprocess(lang.Options{Path: "tally/tally.p4", FS: os.DirFS(filepath.Join(r.copy, "p4"))})
	require.Empty(t, diags.String())
	config, err := bundle.Bundle{Program: name, Source: source}.Marshal() // the interpreter needs no object
	require.NoError(t, err)
	device := filepath.Join(dir, "tally.p4ce.json")
	require.NoError(t, os.WriteFile(device, config, 0o644))

	at := func(name string) *net.UnixAddr { return &net.UnixAddr{Name: filepath.Join(dir, name), Net: "unixgram"} }
	var host [2]*net.UnixConn
	for i, name := range []string{"h1", "h2"} {
		host[i], err = net.ListenUnixgram("unixgram", at(name))
		require.NoError(t, err)
		defer host[i].Close()
	}
	r.start("switch", "--target", "interp", "--listen", unix("rt"), "--port", "1="+unix("p1")+","+at("h1").Name, "--port", "2="+unix("p2")+","+at("h2").Name)
	r.start("controller", "--switch", unix("rt")+"=tally", "--admin", unix("admin"), "--tally-host", "02:00:00:00:00:0b,2",
		"--p4info", filepath.Join(r.copy, "p4/tally/tally.p4info.txtpb"), "--device-config", device)
	_, err = host[0].WriteTo(frame, at("p1"))
	require.NoError(t, err)
	require.NoError(t, host[1].SetReadDeadline(time.Now().Add(time.Minute)))
	got := make([]byte, 1500)
	n, err := host[1].Read(got)
	require.NoError(t, err)
	require.True(t, bytes.Equal(frame, got[:n]), "%x", got[:n])
	require.Regexp(t, `^switch \S+: key 3: 1 requests\n$`, r.run(".", r.program("p4ce"), "tally", "counts", "--controller", unix("admin")))
}

// fabric runs the scenario that comes with the system: the switch counts what hosts send.
func (r *tree) fabric(t *testing.T) {
	r = r.of(t)
	require.Contains(t, r.run(".", r.program("p4bench"), "sim", "--list"), "tally\n")
	out := r.run(".", r.program("p4bench"), "sim", "--example", "tally", "--csv", "-")
	require.Contains(t, out, "requests,counted,unheld\n")
	require.Regexp(t, `(?m)^threes,h1,1,64,300,300,.*,300,300,0$`, out)
	require.Regexp(t, `(?m)^fours,h2,1,64,200,200,.*,200,200,0$`, out)
}

// explore looks at every state of the world that comes with the system.
func (r *tree) explore(t *testing.T) {
	r = r.of(t)
	require.Regexp(t, `bounds: tally requests=4\n +complete within these bounds: \d+ states`, r.run(".", r.program("explore"), "-run", "^tally-counts$"))
}

// bench runs the benchmark that comes with the system.
func (r *tree) bench(t *testing.T) {
	r = r.of(t)
	require.Contains(t, r.run(".", r.program("p4bench"), "bench", "--help"), "Measure how long requests take through a switch that counts them")
	out := t.TempDir()
	r.run(".", r.program("p4bench"), "bench", "tally", "--repetitions", "2", "--out", out)
	csv, err := os.ReadFile(filepath.Join(out, "tally.csv"))
	require.NoError(t, err)
	require.Regexp(t, `(?m)^latency \(p99\),us,threes,0,tally,1,[0-9.]+$`, string(csv))
}
