package fabric

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/sim/fabric"
)

// holed is a network in which some hosts do not reach each other from 3 ms on.
const holed = `
name: holes
system: onepipe
seed: %d
until: 200ms
topology: {kind: leaf-spine, core: onepipe, leaves: 2, spines: 2, hosts: 2, fabric-links: {loss: 0.5%%}, clocks: {offset: 5us}, controller: {delay: 5us, write: 500ns}}
interval: 5us
doubt: 200us
pack: %v
loads:
  - {name: a, from: h1, to: [h2, h3, h4], size: 64, count: 300, interval: 10us, reliable: true}
  - {name: b, from: h3, to: [h1, h2, h4], size: 3000, count: 100, interval: 30us, reliable: true}
  - {name: c, from: h1, to: [h3, h4], size: 64, count: 300, interval: 10us}
  - {name: d, from: h4, to: [h1, h3], size: 64, count: 300, interval: 10us, reliable: true}
  - {name: e, from: h3, to: [h1], size: 1400, count: 300, interval: 10us}
`

// holes runs it. The controller forwards what does not come by the wire, in the right order: nobody fails, and of reliable messages
// nobody is told that one is lost. Best-effort messages are lost, and their senders are told.
func holes(t *testing.T, seed uint64, pack bool, pairs ...[2]int) {
	t.Helper()
	run := begin(t, fmt.Sprintf(holed, seed, pack))
	n := run.Fabric.System().(*Network)
	n.At(3*fabric.Millisecond, func() {
		for _, p := range pairs {
			n.Hosts[p[1]].Endpoint().(*station).misses(n.Hosts[p[0]], true)
		}
	})
	require.NoError(t, run.Finish(), "seed %d", seed)
	require.NoError(t, n.log.end(), "seed %d", seed)
	delivered(t, run, seed)
	for _, r := range run.Rows() {
		if r.Labels[0] == "reliable" {
			require.Zero(t, r.Counts[1], "seed %d: %s: lost", seed, r.Load)
		}
	}
	for i, h := range n.Hosts {
		require.Empty(t, h.Endpoint().(*station).Failed, "seed %d: h%d", seed, i+1)
	}
	packets := uint64(0)
	for _, f := range n.control.Core.Forwarding() {
		packets += f.Packets
		for why, count := range f.Dropped {
			if why != "unasked" && why != "too_many" { // an answer that comes late; what is more than the controller takes comes again
				require.Zero(t, count, "seed %d: dropped: %s", seed, why)
			}
		}
	}
	require.Positive(t, packets, "seed %d", seed)
}

// Two hosts of a network do not reach each other, in one direction or in both; or several do not, of one another.
func TestHoles(t *testing.T) {
	for name, pairs := range map[string][][2]int{
		"one way": {{0, 2}}, "the other way": {{2, 0}}, "both ways": {{0, 2}, {2, 0}}, "many": {{0, 2}, {2, 0}, {0, 1}, {3, 2}, {0, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(share(8)) {
				holes(t, *seed0+seed, seed%2 == 0, pairs...)
			}
		})
	}
}
