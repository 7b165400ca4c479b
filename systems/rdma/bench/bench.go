// Package bench has the benchmarks of P4CE and MC-RDMA for the command line. Each benchmark is in a
// package below.
package bench

import (
	"github.com/p4ce/p4ce/bench"
)

// Benchmarks are the system's, in the order in which bench all runs them.
var Benchmarks = []bench.Benchmark{
	{Command: goodputCommand, Quick: []string{"--replicas", "2", "--sizes", "64,1024", "--seconds", "0.1", "--repetitions", "1"}},
	{Command: rateCommand, Quick: []string{"--replicas", "2", "--values", "2000", "--repetitions", "1"}},
	{Command: latencyCommand, Quick: []string{"--replicas", "2", "--rates", "1000,10000", "--for", "100ms", "--repetitions", "1"}},
	{Command: burstCommand, Quick: []string{"--replicas", "2", "--bursts", "1,100", "--rounds", "20", "--repetitions", "1"}},
	{Command: failoverCommand, Quick: []string{"--rounds", "1", "--calm", "1s"}},
	{Command: switchCommand, Quick: []string{"--repetitions", "1", "--runs", "20000", "--packets", "2048"}},
	{Command: multicastCommand, Quick: []string{"--quick"}},
	{Command: castCommand, Quick: []string{"--receivers", "2", "--megabytes", "4", "--repetitions", "1"}},
	{Command: scaleCommand, Quick: []string{"--k", "4", "--groups", "50", "--hold", "5ms"}},
	{Command: peersCommand, Quick: []string{
		"--servers", "3", "--clients", "64", "--sizes", "64", "--repetitions", "1", "--for", "200ms", "--warmup", "100ms",
		"--systems", "p4ce-accelerated-shared,hashicorp-raft,kv-accelerated",
	}},
}
