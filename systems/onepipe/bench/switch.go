package bench

import (
	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/systems/onepipe/bench/cost"
)

func switchCommand() *cobra.Command {
	return cost.Benchmark().Command("Measure what a packet of 1Pipe costs the switch, beside C by hand (root)",
		`Measure the CPU time that the switch's program takes for a packet: the generated program beside the
same in C by hand, for messages, for beacons that raise nothing, and for packets that are only forwarded.
Test runs in the kernel leave out drivers and the copying of frames.`)
}
