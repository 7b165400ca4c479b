package main

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/long"
)

func TestDemoAmcastBadInput(t *testing.T) {
	newCLI(t).check(t, []badCase{
		{"demo amcast --kill leaf", 2, `--kill "leaf": leader, spine or host`},
		{"demo amcast --window 12", 2, "--window 12: want a power of two"},
		{"demo amcast --window 32", 2, "--window 32: at most 16"},
		{"demo amcast --count 0", 2, "--count 0: want at least 1"},
	})
}

// TestDemoAmcast runs the demo, without root and in the kernel, where a switch dies: transactions of one, two and three partitions
// end, two replicas of each partition agree, and the values that clients have seen are judged.
func TestDemoAmcast(t *testing.T) {
	long.Test(t)
	demo := func(t *testing.T, c *shell, args ...string) string {
		code, out, errs := c.run(t, nil, append([]string{"demo", "amcast", "--count", "600"}, args...)...)
		require.Zero(t, code, "%s%s", out, errs)
		find := func(what string) [][]string { return regexp.MustCompile(what).FindAllStringSubmatch(out, -1) }
		number := func(text string) int {
			n, err := strconv.Atoi(text)
			require.NoError(t, err)
			return n
		}
		replicas := find(`(?m)^([123]) +h[1-6] +(\d+) .* ([0-9a-f]{16})$`)
		require.Len(t, replicas, 6, out)
		for i := 0; i < 6; i += 2 {
			require.Positive(t, number(replicas[i][2]), out)
			require.Equal(t, replicas[i][1:], replicas[i+1][1:], "partition, transactions and digest:\n%s", out)
		}
		sum := 0
		counts := find(`(?m)^([123]) partitions? +(\d+) `)
		require.Len(t, counts, 3, out)
		for _, n := range counts {
			require.Positive(t, number(n[2]), out)
			sum += number(n[2])
		}
		require.Equal(t, 600, sum, out)
		judged := find(`The transactions are serializable: one order explains\s+all (\d+) values`)
		require.Len(t, judged, 1, out)
		require.Greater(t, number(judged[0][1]), 600, "each transaction has seen a value:\n%s", out)
		c.requireNothingLeft(t)
		return out
	}
	t.Run("interp", func(t *testing.T) { demo(t, newUnprivilegedCLI(t)) })
	t.Run("xdp", func(t *testing.T) {
		needs.Root(t, "XDP and network namespaces")
		out := demo(t, newCLI(t), "--kill", "spine")
		require.Contains(t, out, "Killed while the clients ran: spine1, a follower of all groups.")
		require.Regexp(t, `none of a partition ended [0-9.]+m?s \(partition [123]\)`, out)
		require.Regexp(t, `Now \w+ leads group 1 in epoch \d+, \w+ leads group 2`, out)
	})
}
