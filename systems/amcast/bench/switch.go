package bench

import (
	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/systems/amcast/bench/cost"
)

func switchCommand() *cobra.Command {
	return cost.Benchmark().Command("Measure what a packet of P4mCast costs the switch, beside C by hand (root)",
		`Measure the CPU time that the switch's program takes for a packet: the generated program beside the
same in C by hand, for a START at a leader, a PROP at a follower, acknowledgements at a deliverer, and
packets that are only forwarded. Each packet is of another message. Test runs in the kernel leave out
drivers and the copying of frames.`)
}
