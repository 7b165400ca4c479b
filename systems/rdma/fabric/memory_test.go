package fabric

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/sim/fabric"
)

// What a network takes grows with the number of its switches, and little with what each of them knows of each host: a fat tree of
// k = 24 has 720 switches and 3,456 hosts, 2.5 million pairs. It takes 1.9 MB and 430 bytes. When each host had an entry of its own on
// each switch, and each switch the entries of the program's text, it took 3 MB and 1,470 bytes. TestLargeFabric of
// systems/rdma/control bounds the entries.
func TestMemoryOfNetwork(t *testing.T) {
	const perSwitch, perAddress = 2.5e6, 700 // bytes
	measure := func(k int) (each float64, addresses int) {
		f := network(t, 1)
		c := fabric.TopologyConfig{
			Kind: fabric.FatTree, K: k, Edge: Program, Core: Program, HostLink: fast(), FabricLink: fast(),
			Controller: fabric.ControllerConfig{Delay: 50 * fabric.Microsecond, Write: fabric.Microsecond},
		}
		before := inUse()
		require.NoError(t, f.Build(c))
		require.NoError(t, f.Start())
		require.NoError(t, f.Run(10*fabric.Millisecond)) // all tables are written
		bytes := inUse() - before
		addresses = len(f.Hosts) + len(f.Switches)
		for _, s := range f.Switches {
			require.Greater(t, s.(*fabric.P4Switch).Controller.Updates, uint64(addresses)/4, "not written yet")
		}
		runtime.KeepAlive(f)
		return bytes / float64(len(f.Switches)), addresses
	}
	measure(2) // what is loaded once
	small, few := measure(4)
	large, many := measure(8)
	address := (large - small) / float64(many-few)
	t.Logf("a switch of a network of %d addresses takes %.0f bytes; each address more, %.0f", few, small, address)
	require.Less(t, small, perSwitch)
	require.Less(t, address, float64(perAddress))
}

// inUse is how many bytes are in use.
func inUse() float64 {
	runtime.GC()
	runtime.GC() // what the first one has freed, for finalizers and pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
