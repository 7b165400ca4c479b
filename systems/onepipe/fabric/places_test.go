package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Hosts at a switch whose CPU sends the beacons.
func TestCPU(t *testing.T) {
	run := begin(t, `
name: cpu
system: onepipe
topology: {kind: rack, hosts: 4, clocks: {offset: 5us}, controller: {delay: 2us, write: 100ns}}
cpu: {s1: 5us}
loads:
  - {name: a, from: h1, to: [h2, h3, h4], size: 64, count: 500, interval: 2us}
  - {name: b, from: h2, to: [h1, h3, h4], size: 64, count: 500, interval: 2us}
  - {name: c, from: h3, to: [h1, h2, h4], size: 4KiB, count: 200, interval: 5us, reliable: true}
`)
	finish(t, run)
	for _, h := range run.Fabric.Hosts {
		require.Zero(t, h.Endpoint().(*station).endpoint.Counters.Late, h.Name())
	}
}
