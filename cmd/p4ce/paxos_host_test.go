package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/long"
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
		{"demo nothing", 2, `unknown command "nothing"`},
		{"demo paxos --kv", 2, "unknown flag: --kv"},
		{"demo paxos --count 0", 2, "--count 0: want at least 1"},
		{"demo paxos --window 0", 2, "--window 0"},
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
