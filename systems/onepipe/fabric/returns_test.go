package fabric

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/sim/fabric"
)

// A leaf loses both its links for a while: the hosts behind it have failed, and live. When the links are back they are told, deliver
// what the others have delivered, and discard what the others have taken back.
func TestReturns(t *testing.T) {
	late := 0
	for seed := range max(2, share(8)) {
		run := begin(t, fmt.Sprintf("here: 300us\n"+failing+"  - {at: %dus, for: 5ms, link: leaf3-spine1, down: true}\n  - {at: %dus, for: 5ms, link: leaf3-spine2, down: true}\n",
			*seed0+uint64(seed), 3000+13*(seed%7), 3000+17*(seed%5)))
		n := run.Fabric.System().(*Network)
		n.At(3*fabric.Millisecond, func() {
			for _, h := range run.Fabric.Hosts[4:] { // they live, and hear of it later
				n.log.died(h.Addr())
			}
		})
		require.NoError(t, run.Fabric.Run(18*fabric.Millisecond)) // some loads do not end: their senders have failed
		require.NoError(t, run.Fabric.Check())
		for _, h := range run.Fabric.Hosts[4:] {
			require.True(t, n.log.back[h.Addr()], "seed %d: %s is there again, and knows", *seed0+uint64(seed), h.Name())
		}
		require.NoError(t, n.log.end(), "seed %d", *seed0+uint64(seed))
		delivered(t, run, *seed0+uint64(seed), "d", "e")
		late += n.log.late
	}
	require.Positive(t, late, "some had received something that counts, and not delivered it")
}

// A host is cut off alone, once from the others and once from what they say, while others fail as well.
func TestOneReturns(t *testing.T) {
	for seed := range max(2, share(8)) {
		run := begin(t, fmt.Sprintf("here: 300us\nkill: {h2: %dus}\n"+failing+"  - {at: %dus, for: 5ms, link: h5-leaf3, down: true}\n",
			3000+111*(seed%17), *seed0+uint64(seed), 3000+13*(seed%7)))
		n := run.Fabric.System().(*Network)
		n.At(3*fabric.Millisecond, func() { n.log.died(run.Fabric.Hosts[4].Addr()) })
		require.NoError(t, run.Fabric.Run(18*fabric.Millisecond)) // some loads do not end: their senders have failed
		require.NoError(t, run.Fabric.Check())
		require.True(t, n.log.back[run.Fabric.Hosts[4].Addr()], "seed %d", *seed0+uint64(seed))
		require.NoError(t, n.log.end(), "seed %d", *seed0+uint64(seed))
		delivered(t, run, *seed0+uint64(seed), "e")
	}
}
