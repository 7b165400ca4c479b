package fabric

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	names "github.com/p4ce/p4ce/p4/onepipe"
	"github.com/p4ce/p4ce/sim/fabric"
)

// Hosts at a switch whose CPU sends the beacons: as soon as it has heard of one, and at an interval.
func TestCPU(t *testing.T) {
	for _, interval := range []string{"0", "10us"} {
		run := begin(t, fmt.Sprintf(`
name: cpu
system: onepipe
topology: {kind: rack, hosts: 4, clocks: {offset: 5us}, controller: {delay: 2us, write: 100ns}}
cpu: {s1: 5us}
beacons: %s
loads:
  - {name: a, from: h1, to: [h2, h3, h4], size: 64, count: 500, interval: 2us}
  - {name: b, from: h2, to: [h1, h3, h4], size: 64, count: 500, interval: 2us}
  - {name: c, from: h3, to: [h1, h2, h4], size: 4KiB, count: 200, interval: 5us, reliable: true}
`, interval))
		finish(t, run)
		nothingLate(t, run)
		n := run.Fabric.System().(*Network)
		s := n.Switches[0].(*fabric.P4Switch)
		c, err := s.Target().ReadCounter(dataplane.CounterOf(s.Program(), names.CounterPunts), int(names.ReasonBeacon))
		require.NoError(t, err)
		require.Positive(t, c.Packets, "beacons come to the CPU")
	}
}

// A host whose link is busy for longer than links may be silent: it sends beacons, too.
func TestCPUBusy(t *testing.T) {
	run := begin(t, `
name: busy
system: onepipe
topology: {kind: rack, hosts: 3, host-links: {rate: 10Gb/s}, controller: {delay: 2us, write: 100ns}}
cpu: {s1: 5us}
window: 4096
loads:
  - {name: a, from: h1, to: [h2], size: 4KiB, count: 800, outstanding: 800, interval: 10ns}
  - {name: b, from: h3, to: [h1, h2], size: 64, count: 100, interval: 10us, reliable: true}
`)
	finish(t, run)
	nothingLate(t, run)
}

// nothingLate checks that no message came below a barrier that was there before it. Links keep the order of what they carry, so
// no message does, although links lose, double and spoil.
func nothingLate(t *testing.T, run *fabric.Run) {
	t.Helper()
	for _, h := range run.Fabric.Hosts {
		if e := h.Endpoint().(*station).endpoint; e != nil {
			require.Zero(t, e.Counters.Late, h.Name())
			require.Zero(t, e.Counters.Violations, h.Name())
		}
	}
}

var count = regexp.MustCompile(`(leaves|spines|k|pods): (\d+)`)

// places adds to a scenario in which switches barriers are computed: the data plane, the CPU, or a server.
func places(text string, seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 5))
	many := map[string]int{}
	for _, m := range count.FindAllStringSubmatch(text, -1) {
		many[m[1]], _ = strconv.Atoi(m[2])
	}
	all := []string{"s1"}
	add := func(prefix string, n int) {
		for i := range n {
			all = append(all, fmt.Sprint(prefix, i+1))
		}
	}
	if many["leaves"] > 0 {
		all = nil
		add("leaf", many["leaves"])
		add("spine", many["spines"])
	}
	if k := many["k"]; k > 0 {
		all = nil
		add("edge", many["pods"]*k/2)
		add("agg", many["pods"]*k/2)
		add("core", k*k/4)
	}
	var cpu []string
	for len(cpu) == 0 {
		for _, name := range all {
			switch r.IntN(3) {
			case 0: // its data plane
			case 1:
				cpu = append(cpu, name+": "+[]string{"2us", "8us", "30us"}[r.IntN(3)])
			case 2: // a server
				cpu = append(cpu, name+": "+[]string{"300ns", "1us"}[r.IntN(2)])
			}
		}
	}
	return text + fmt.Sprintf("cpu: {%s}\nbeacons: %s\n", strings.Join(cpu, ", "), []string{"0", "2us", "20us"}[r.IntN(3)])
}

// The networks of TestRandom, with switches of all places.
func TestPlaces(t *testing.T) {
	for n := range *seeds {
		seed := *seed0 + uint64(n)
		text := places(random(seed).text, seed)
		ok := t.Run(fmt.Sprint(seed), func(t *testing.T) {
			run := begin(t, text)
			require.NoError(t, run.Finish(), text)
			delivered(t, run, seed)
			nothingLate(t, run)
		})
		if !ok {
			return
		}
	}
}

// A host dies behind such a switch, in a network of all places.
func TestHostDiesBehindCPU(t *testing.T) {
	for seed := range share(6) {
		run := begin(t, fmt.Sprintf(`
name: dies
system: onepipe
seed: %d
until: 100ms
topology: {kind: leaf-spine, core: onepipe, leaves: 2, spines: 2, hosts: 3, host-links: {loss: 1%%}, fabric-links: {loss: 1%%}, clocks: {offset: 5us}, controller: {delay: 5us, write: 500ns}}
interval: 5us
silence: 500us
kill: {h2: %dus}
cpu: {leaf1: 5us, spine2: 1us}
loads:
  - {name: a, from: h1, to: [h2, h3, h5], size: 64, count: 500, interval: 10us, reliable: true}
  - {name: b, from: h2, to: [h1, h3, h4, h6], size: 3000, count: 500, interval: 10us, reliable: true}
  - {name: c, from: h4, to: [h1, h2, h6], size: 64, count: 500, interval: 10us}
  - {name: d, from: h6, to: [h1, h3], size: 64, count: 500, interval: 10us, reliable: true}
`, *seed0+uint64(seed), 2500+137*(seed%20)))
		require.NoError(t, run.Finish())
		n := run.Fabric.System().(*Network)
		require.NoError(t, n.log.end())
		delivered(t, run, *seed0+uint64(seed), "b")
		nothingLate(t, run)
		for _, h := range run.Fabric.Hosts {
			if st := h.Endpoint().(*station); !st.dead {
				require.Len(t, st.Failed, 1, h.Name())
				require.Equal(t, run.Fabric.Hosts[1].Addr(), st.Failed[0].Process.Addr)
			}
		}
	}
}
