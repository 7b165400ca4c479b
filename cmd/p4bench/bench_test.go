package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/internal/cli"
)

// What is asked for is looked at before anything is measured.
func TestBadUsage(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"bench nonsense", 2, `unknown command "nonsense" for "p4ce bench" (see p4ce bench --help)`},
		{"bench all --only rate,speed", 2, `--only "speed": there are amcast, amcast-switch, amcast-xdp, onepipe, onepipe-switch, onepipe-xdp, paxos, paxos-simulated, paxos-placement, paxos-forwarding, paxos-applications, goodput, rate, `},
		{"bench rate --replicas 9", 2, "--replicas 9: a group has 1 to 8 replicas"},
		{"bench rate --wire nonsense", 2, `--wire "nonsense": auto, kernel, xdp or packet`},
		{"bench rate --size 0", 2, "--size 0: 1 to "},
		{"bench rate --repetitions 0", 2, "--repetitions 0: at least one"},
		{"bench rate --values 0", 2, "--values 0: at least one"},
		{"bench rate --window 0", 2, "--window 0: at least one"},
		{"bench rate --quota 2", 2, "--quota 2: "},
		{"bench rate --limit nonsense", 2, `--limit "nonsense": auto, quota or pin`},
		{"bench cast --receivers 9", 2, "1 to 8"},
		{"bench cast --megabytes 0", 2, "--megabytes 0"},
		{"bench cast --rate 0", 2, "--rate 0"},
		{"bench burst --replicas 0", 2, "--replicas 0: a group has 1 to 8 replicas"},
		{"bench goodput --sizes 0", 2, "--sizes 0: 1 to 8192 bytes"},
		{"bench goodput --link-rate 0", 2, "--link-rate 0: 1 to 100000 Mbit/s"},
		{"bench goodput --link-rate 1e9", 2, "--link-rate 1e+09: 1 to 100000 Mbit/s"},
		{"bench goodput --link-rate NaN", 2, "--link-rate NaN: 1 to 100000 Mbit/s"},
		{"bench goodput --seconds 0", 2, "--seconds 0: more than 0"},
		{"bench goodput --window 65", 2, "--window 65: 1 to 64"},
		{"bench goodput --size 3", 2, "unknown flag: --size"},
		{"bench latency --rates 0", 2, "--rates 0: more than 0"},
		{"bench latency --rates 1e9", 2, "--rates 1e+09: more than 0, at most 1e+08 per second"},
		{"bench latency --for 0s", 2, "--for 0s: 1ms to 1m"},
		{"bench amcast --repetitions 0", 2, "--repetitions 0: at least one"},
		{"bench amcast --figures 7", 2, "--figures 7: there are 4, groups-2, groups-4, mixed, cpu"},
		{"bench amcast --packet 1s", 2, "--packet 1s: 1ns to 100µs"},
		{"bench amcast-xdp --size 7", 2, "--size 7: 8 to 1400"},
		{"bench amcast-xdp --messages 1", 2, "--messages 1: 2 to 1000000"},
		{"bench amcast-xdp --window 12", 2, "--window 12: want a power of two, up to 16"},
		{"bench amcast-xdp --for 1ms", 2, "--for 1ms: 100ms to 10s"},
		{"bench amcast-switch --repetitions 0", 2, "--repetitions 0: at least one"},
		{"bench amcast-switch --runs 0", 2, "--runs 0: 1 to 100000000"},
		{"bench onepipe --repetitions 0", 2, "--repetitions 0: at least one"},
		{"bench onepipe --processes 1", 2, "--processes 1: 2 to 512"},
		{"bench onepipe --processes 33", 2, "--processes 33: 2 to 512, as many on each of 32 hosts"},
		{"bench onepipe-xdp --processes 3", 2, "--processes 3: 2, 4 or 8"},
		{"bench onepipe-xdp --for 1ms", 2, "--for 1ms: 100ms to 10s"},
		{"bench onepipe-xdp --window 0", 2, "--window 0: 1 to 1024"},
		{"bench onepipe-switch --repetitions 0", 2, "--repetitions 0: at least one"},
		{"bench onepipe-switch --runs 0", 2, "--runs 0: 1 to 100000000"},
		{"bench onepipe --figures 7", 2, "--figures 7: there are 8, 9a, 9b, 10, 11, 12a, 12b"},
		{"bench paxos --repetitions 0", 2, "--repetitions 0: at least one"},
		{"bench paxos --runs 0", 2, "--runs 0: at least one"},
		{"bench paxos --windows 16,257", 2, "--windows 257: 1 to 256"},
		{"bench paxos --for 1ms", 2, "--for 1ms: at least 10ms"},
		{"bench paxos --rates 1", 2, "--rates 1: at least a value in the time that --for says"},
		{"bench paxos --wire kernel", 2, `--wire "kernel": xdp or packet`},
		{"bench paxos-placement --repetitions 0", 2, "--repetitions 0: at least one"},
		{"bench paxos-placement --for 1ms", 2, "--for 1ms: 10ms to 1m"},
		{"bench paxos-forwarding --repetitions 0", 2, "--repetitions 0: at least one"},
		{"bench paxos-forwarding --size 59", 2, "--size 59: 60 to 1514 bytes"},
		{"bench paxos-simulated --repetitions 0", 2, "--repetitions 0: at least one"},
		{"bench paxos-simulated --figures 7", 2, "--figures 7: there are 2, sharing"},
		{"bench peers --servers 2", 2, "--servers 2: 3 to 9 (two cannot lose one)"},
		{"bench peers --repetitions 0", 2, "--repetitions 0: at least one"},
		{"bench all nonsense", 2, `"nonsense"`},
		{"bench failover --servers 2", 2, "--servers 2: 3 to 9"},
		{"bench failover --rounds 0", 2, "--rounds 0: at least one"},
		{"bench switch --repetitions=0", 2, "at least one"},
		{"bench switch --runs=0", 2, "at least one"},
		{"bench switch --packets=-1", 2, "at least one"},
	} {
		var stdout, stderr bytes.Buffer
		require.Equal(t, c.code, cli.Run(context.Background(), command(), strings.Fields(c.args), nil, &stdout, &stderr), c.args)
		require.Regexp(t, `^p4ce: [^\n]+\n$`, stderr.String(), "%s: one line", c.args)
		require.Contains(t, stderr.String(), c.want, c.args)
		require.Empty(t, stdout.String(), c.args)
	}
}
