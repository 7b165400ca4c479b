package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/sim/fabric"
)

// BenchmarkHops is how many packet-hops a second of CPU time takes, with the program of each system. A hop is a frame that a link
// delivers. Networks have been built, and their loads are at work.
func BenchmarkHops(b *testing.B) {
	systems := fabric.Systems(simSystems)
	used := func() time.Duration {
		var u unix.Rusage
		require.NoError(b, unix.Getrusage(unix.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	for _, name := range []string{"rack", "relays", "onepipe-leaf-spine", "amcast-leaf-spine", "paxos-fat-tree"} {
		b.Run(name, func(b *testing.B) {
			text, err := systems.Example(name)
			require.NoError(b, err)
			s, err := systems.Scenario(text)
			require.NoError(b, err)
			for i := range s.Loads {
				s.Loads[i].Count = 1 << 40
			}
			s.Faults = nil
			run, err := s.Begin()
			require.NoError(b, err)
			at := 5 * fabric.Millisecond
			require.NoError(b, run.Fabric.Run(at))
			b.ReportAllocs()
			before, cpu := run.Fabric.Hops(), used()
			for b.Loop() {
				at += 100 * fabric.Microsecond
				require.NoError(b, run.Fabric.Run(at))
			}
			hops := float64(run.Fabric.Hops() - before)
			b.ReportMetric(hops/(used()-cpu).Seconds(), "hops/cpu-s")
			b.ReportMetric(hops/float64(b.N), "hops/op")
		})
	}
}
