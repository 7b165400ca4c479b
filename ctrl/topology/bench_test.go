package topology

import (
	"fmt"
	"testing"
)

// BenchmarkFatTree is what a fat tree costs its controller: when it is read, when a core switch fails, and the port groups of all
// switches.
func BenchmarkFatTree(b *testing.B) {
	for _, k := range []int{8, 16, 24} {
		b.Run(fmt.Sprintf("k=%d/new", k), func(b *testing.B) {
			for b.Loop() {
				fatTree(b, k)
			}
		})
		n := fatTree(b, k)
		b.Run(fmt.Sprintf("k=%d/routes", k), func(b *testing.B) {
			for b.Loop() {
				n.Routes(Down{Switches: map[string]bool{"core0": true}})
			}
		})
		b.Run(fmt.Sprintf("k=%d/portgroups", k), func(b *testing.B) {
			for b.Loop() {
				for _, s := range n.Switches() {
					n.PortGroups(s)
				}
			}
		})
	}
}
