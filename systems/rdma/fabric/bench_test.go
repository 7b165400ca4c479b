package fabric

import (
	"fmt"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/sim/fabric"
)

// used is the CPU time of the process: on a machine that others use too it says more than the
// clock.
func used(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkHops is how many packet-hops a second of real time takes: a leader writes to three
// replicas through one switch, 1024 bytes each. A hop is a frame that a link delivers.
func BenchmarkHops(b *testing.B) {
	for _, kind := range []string{Program, fabric.ProgramPlain} {
		for _, size := range []int{64, 1024} {
			b.Run(fmt.Sprintf("%s/%d", kind, size), func(b *testing.B) {
				f := network(b, 1)
				c := rack(4)
				c.Edge = kind
				lc := groupOf(1<<40, "h2", "h3", "h4")
				lc.Size = size
				if kind == fabric.ProgramPlain {
					lc.Via = ViaFanOut
				}
				lc.QP.AckTimeout = 10 * time.Millisecond
				l := build(b, f, c, lc)[0]
				at := 20 * fabric.Millisecond
				run := func() {
					if err := f.Run(at); err != nil || l.Result.Err != nil {
						b.Fatal(err, l.Result.Err)
					}
				}
				run() // connected, and all pools have grown
				b.ReportAllocs()
				before, cpu := f.Hops(), used(b)
				done := l.Result.Done
				for b.Loop() {
					at += 100 * fabric.Microsecond
					run()
				}
				hops := float64(f.Hops() - before)
				b.ReportMetric(hops/b.Elapsed().Seconds(), "hops/s")
				b.ReportMetric(hops/(used(b)-cpu).Seconds(), "hops/cpu-s")
				b.ReportMetric(float64(l.Result.Done-done)/b.Elapsed().Seconds(), "writes/s")
				b.ReportMetric(hops/float64(b.N), "hops/op")
			})
		}
	}
}
