package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/lab/runner"
	"github.com/p4ce/p4ce/p4"
	paxoslab "github.com/p4ce/p4ce/systems/paxos/lab"
)

func TestPaxosBadInput(t *testing.T) {
	c := newCLI(t)
	dir := t.TempDir()
	host := "paxos host h1 --deployment " + dir + "/net.json --link unix:a,b --data state"
	for name, text := range map[string][]byte{"net.json": fmt.Appendf(nil, paxoslab.Small, "."), "broken.json": []byte("{")} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	c.check(t, []badCase{
		{"paxos host", 2, "accepts 1 arg(s), received 0"},
		{"paxos host h1", 2, `required flag(s) "data", "deployment", "link" not set`},
		{strings.Replace(host, "net.json", "none.json", 1), 2, "none.json: no such file"},
		{strings.Replace(host, "net.json", "broken.json", 1), 2, "broken.json: "},
		{strings.Replace(host, "h1", "h3", 1), 2, "host h3: does not exist in " + dir + "/net.json"},
		{host + " --application other", 2, "--application other: does not exist in " + dir + "/net.json"},
		{strings.Replace(host, "unix:a,b", "unix:a", 1) + " --link unix:", 2, "--link: "},
		{strings.Replace(host, "unix:a,b", "no-such-if0", 1), 1, "--link: "},
		{host + " --recover 0", 2, "--recover 0: the first instance is 1"},
		{host + " --noop x", 2, "--noop needs --recover"},
		{host + " --recover 1 --noop " + strings.Repeat("x", 65), 2, "--noop: 65 bytes (a value has 64 at most)"},
		{"paxos trim", 2, "accepts 1 arg(s), received 0"},
		{"paxos trim log --timeout 0s", 2, "--timeout 0s: above 0"},
		{"paxos trim log --controller unix:nobody.sock", 1, "controller unix:nobody.sock: nobody answers"},
		{"demo nothing", 2, `unknown command "nothing"`},
		{"demo paxos --kv", 2, "unknown flag: --kv"},
		{"demo paxos --count 0", 2, "--count 0: want at least 1"},
		{"demo paxos --window 0", 2, "--window 0"},
		{"demo paxos --applications 0", 2, "--applications 0: 1 to 4"},
		{"demo paxos --applications 5", 2, "--applications 5: 1 to 4"},
		{"demo multicast --replicas 3", 2, "unknown flag: --replicas"},
		{"demo multicast --window 129", 2, "--window 129: at most 128"},
	})
}

// TestDemoPaxos runs the demo, without root and in the kernel: five switches, a leader and an
// acceptor that are killed, and two logs that must be the same.
func TestDemoPaxos(t *testing.T) {
	long.Test(t)
	demo := func(t *testing.T, c *shell) {
		code, out, errs := c.run(t, nil, "demo", "paxos", "--count", "1000")
		require.Zero(t, code, "%s%s", out, errs)
		require.Regexp(t, `The leader \(l\) is killed while \d{4,} values are proposed: all are decided`, out)
		require.Regexp(t, `An acceptor \(a3\) is killed while \d{4,} values are proposed: all are decided`, out)
		require.Contains(t, out, "Now t leads")
		require.Regexp(t, `Both hosts have all \d{4,} values, each once, in the same order.`, out)
		c.requireNothingLeft(t)
	}
	t.Run("interp", func(t *testing.T) { demo(t, newUnprivilegedCLI(t)) })
	t.Run("xdp", func(t *testing.T) {
		needs.Root(t, "XDP and network namespaces")
		demo(t, newCLI(t))
	})
}

// TestDemoPaxosApplications: logs that share the switches, whose leader and acceptor are killed.
func TestDemoPaxosApplications(t *testing.T) {
	long.Test(t)
	demo := func(t *testing.T, c *shell, applications string) {
		code, out, errs := c.run(t, nil, "demo", "paxos", "--count", "1200", "--applications", applications)
		require.Zero(t, code, "%s%s", out, errs)
		require.Regexp(t, `A leader \(l\) is killed while all propose: all values are decided; the longest wait was .* \(log\), .* \(log2\)`, out)
		require.Regexp(t, `An acceptor \(a3\) is killed while all propose`, out)
		require.Regexp(t, `The hosts of each log have all its values, each once, in the same order, and none of another log: \d{4,} values in all.`, out)
		c.requireNothingLeft(t)
	}
	t.Run("interp", func(t *testing.T) { demo(t, newUnprivilegedCLI(t), "2") })
	t.Run("xdp", func(t *testing.T) {
		needs.Root(t, "XDP and network namespaces")
		demo(t, newCLI(t), "4")
	})
}

// TestPaxosGuest: a host that is no replica prints what a replica has answered for.
func TestPaxosGuest(t *testing.T) {
	n, host := paxosNetwork(t, paxoslab.WithGuest())
	c := newCLI(t)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	replica := c.command(ctx, "paxos", "host", "h1", "--deployment", n.File(), "--link", n.HostEnd("h1"), "--data", "h1")
	in, err := replica.StdinPipe() // it goes on until the end
	require.NoError(t, err)
	defer in.Close()
	printed, err := replica.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, replica.Start())
	defer func() {
		_ = replica.Process.Signal(os.Interrupt)
		_ = replica.Wait()
	}()
	out, _ := host("p", "a\nb\n")
	require.Regexp(t, `^(\d+ [ab]\n){2}$`, out)
	lines := bufio.NewScanner(printed)
	var got []string
	for range 2 {
		require.True(t, lines.Scan())
		got = append(got, lines.Text()[strings.Index(lines.Text(), " ")+1:])
	}
	require.ElementsMatch(t, []string{"a", "b"}, got)
	c.requireError(t, 2, "--recover: host p is not a replica", "paxos", "host", "p", "--deployment", n.File(), "--link", n.HostEnd("p"), "--data", "p", "--recover", "1")
	c.requireError(t, 2, "host p only proposes, and is not a replica, in "+n.File(), "kv", "--log", "paxos", "--deployment", n.File(), "--host", "p", "--link", n.HostEnd("p"), "--data", "kv", "--listen", "127.0.0.1:0")
}

// paxosNetwork is a network without root, and how a host of it is run.
func paxosNetwork(t *testing.T, deployment string) (n *paxoslab.Network, host func(name, lines string, flags ...string) (out, errs string)) {
	long.Test(t)
	t.Setenv(asCommand, "1")
	binary, err := os.Executable()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	n, err = paxoslab.Start(ctx, paxoslab.Options{Binary: binary, Dir: t.TempDir(), Target: "interp", Log: t.Output(), Deployment: deployment})
	require.NoError(t, err)
	t.Cleanup(n.Close)
	c := newCLI(t)
	return n, func(name, lines string, flags ...string) (string, string) {
		t.Helper()
		args := append([]string{"paxos", "host", name, "--deployment", n.File(), "--link", n.HostEnd(name), "--data", name, "--once"}, flags...)
		code, out, errs := c.run(t, strings.NewReader(lines), args...)
		require.Zero(t, code, "%s%s", out, errs)
		return out, errs
	}
}

// TestPaxosHost: a host proposes lines and prints what is decided, and what was decided, also in an
// earlier life.
func TestPaxosHost(t *testing.T) {
	_, host := paxosNetwork(t, "")
	// A request that takes long is sent again, and uses up an instance; so does a gap that is closed.
	parse := func(out string, lines ...string) (instances []int) {
		t.Helper()
		for i, line := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
			number, text, _ := strings.Cut(line, " ")
			n, err := strconv.Atoi(number)
			require.NoError(t, err, out)
			require.Less(t, i, len(lines), out)
			require.Equal(t, lines[i], text, out)
			instances = append(instances, n)
		}
		require.Len(t, instances, len(lines), out)
		require.True(t, slices.IsSorted(instances), out)
		return instances
	}
	out, _ := host("h1", "a\nb\n")
	first := parse(out, "a", "b")
	out, errs := host("h1", "c\n", "--recover", fmt.Sprint(first[0]), "--noop", "nothing")
	c := parse(out, "c")[0] // what was printed is not printed again
	require.Equal(t, fmt.Sprintf("instance %d: a\n", first[0]), errs)
	ahead := fmt.Sprint(c + 40)
	out, errs = host("h1", "", "--recover", ahead, "--noop", "nothing")
	require.Empty(t, out)
	none := fmt.Sprintf("instance %s: no value was decided; its no-op is \"nothing\"\n", ahead)
	require.Equal(t, none, errs)
	out, errs = host("h2", "d\n", "--recover", ahead, "--noop", "something")
	all := parse(out, "a", "b", "c", "d")
	require.Equal(t, append(first, c), all[:3])
	require.Equal(t, none, errs)
}

// TestPaxosTrim: an operator sees what is in checkpoints and what switches remember, and has them forget it.
func TestPaxosTrim(t *testing.T) {
	n, _ := paxosNetwork(t, "")
	c := newCLI(t)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	lines := map[string]io.Writer{}
	printed := map[string]*bufio.Scanner{}
	for _, name := range paxoslab.Hosts {
		cmd := c.command(ctx, "paxos", "host", name, "--deployment", n.File(), "--link", n.HostEnd(name), "--data", name)
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		t.Cleanup(func() {
			_ = cmd.Process.Signal(os.Interrupt)
			_ = cmd.Wait()
		})
		lines[name], printed[name] = in, bufio.NewScanner(out)
	}
	admin := n.AdminOf(runner.Controller)
	show := func() string {
		code, out, errs := c.run(t, nil, "paxos", "show", "log", "--controller", admin)
		require.Zero(t, code, errs)
		return out
	}
	say := func(from, to int) {
		for i := from; i < to; i++ {
			fmt.Fprintln(lines["h1"], "line", i)
			for _, out := range printed {
				require.True(t, out.Scan())
				require.Contains(t, out.Text(), fmt.Sprint("line ", i))
			}
		}
	}
	say(0, 3)
	require.Regexp(t, `acceptor 0 +a1 +ready +life 0x[0-9a-f]+ +instances 1 to 16384\n`, show())
	reported := func(what string) {
		t.Helper()
		require.Eventually(t, func() bool { return regexp.MustCompile(what).MatchString(show()) }, time.Minute, 10*time.Millisecond, what)
	}
	reported(`host h1 +delivered up to ([3-9]|\d\d+) (?s:.*)host h2 +delivered up to ([3-9]|\d\d+) `)
	code, out, errs := c.run(t, nil, "paxos", "trim", "log", "--controller", admin)
	require.Zero(t, code, errs)
	var first int
	_, err := fmt.Sscanf(out, "application log: the switches have forgotten everything up to instance %d\n", &first)
	require.NoError(t, err, out)
	first++
	require.GreaterOrEqual(t, first, 4)
	out = show()
	for _, a := range []string{"acceptor 0 +a1", "acceptor 1 +a2", "acceptor 2 +a3", "may be leader, learner +t"} {
		require.Regexp(t, fmt.Sprintf(`%s +ready +life 0x[0-9a-f]+ +instances %d to \d+\n`, a, first), out)
	}
	for _, h := range paxoslab.Hosts {
		m := regexp.MustCompile(fmt.Sprintf(`host %s +delivered up to \d+ of \d+, checkpoint up to (\d+), `, h)).FindStringSubmatch(out)
		require.NotNil(t, m, out)
		checkpoint, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		require.GreaterOrEqual(t, checkpoint, first-1, out)
	}
	say(3, 5)
	require.Eventually(t, func() bool { // a checkpoint is not forgotten; an order that was sent again has made another one
		m := regexp.MustCompile(`host h2 +delivered up to (\d+) of \d+, checkpoint up to (\d+), `).FindStringSubmatch(show())
		if m == nil {
			return false
		}
		delivered, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		checkpoint, err := strconv.Atoi(m[2])
		require.NoError(t, err)
		require.GreaterOrEqual(t, checkpoint, first-1)
		return delivered >= first+1
	}, time.Minute, 10*time.Millisecond)
}

// TestPaxosFewInstances: a log goes on also when hosts would make checkpoints more rarely than the switches
// are full.
func TestPaxosFewInstances(t *testing.T) {
	from := strings.Index(paxoslab.Small, `"replicas"`)
	to := strings.LastIndex(paxoslab.Small, "\n  }]")
	_, host := paxosNetwork(t, paxoslab.Small[:from]+`"instances": 20, "replicas": ["h1"], "proposers": ["h1"]`+paxoslab.Small[to:])
	var lines strings.Builder
	for i := range 50 {
		fmt.Fprintln(&lines, "line", i)
	}
	out, _ := host("h1", lines.String())
	for i := range 50 {
		require.Contains(t, out, fmt.Sprintf(" line %d\n", i))
	}
}

// TestPaxosInstances: one of the switches has a program with fewer cells, so that fewer instances may be
// under way.
func TestPaxosInstances(t *testing.T) {
	needs.Time(t, "it builds p4xc")
	dir := t.TempDir()
	p4xc, err := launch.Build(dir, "p4xc")
	require.NoError(t, err)
	source, err := filepath.Abs("../../p4/" + p4.Source("paxos"))
	require.NoError(t, err)
	out, err := exec.Command(p4xc, "build", source, "-o", dir, "-D", "RING_BITS=12", "--only", "p4info,bundle").CombinedOutput()
	require.NoError(t, err, "%s", out)
	program := fmt.Sprintf(`"name": "a2", "p4info": "%s/paxos.p4info.txtpb", "device_config": "%[1]s/paxos.p4ce.json"`, dir)
	deployment := strings.Replace(paxoslab.Small, `"name": "a2"`, program, 1)
	n, host := paxosNetwork(t, deployment)
	host("h1", "a\nb\n")
	c := newCLI(t)
	code, list, errs := c.run(t, nil, "paxos", "list", "--controller", n.AdminOf(runner.Controller))
	require.Zero(t, code, errs)
	require.Regexp(t, `log +running .* a1,a2,a3 +\d+ of 4096 \(0%\)\n`, list)
}
