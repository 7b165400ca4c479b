package fabric

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/onepipe"
)

// delivered checks that loads have had everything delivered, but for those whose senders have failed.
func delivered(t *testing.T, run *fabric.Run, seed uint64, failed ...string) {
	t.Helper()
	for _, r := range run.Rows() {
		require.NoError(t, r.Err)
		if !slices.Contains(failed, r.Load) {
			require.Equal(t, r.Requests, r.Done, "seed %d: %s", seed, r.Load)
		}
	}
}

// A host dies in the middle of its sending. The others take it out, and go on: of its reliable scatterings all of them
// receive their parts, or none; each is told once, of the same time.
func TestHostDies(t *testing.T) { hostEnds(t, "kill", "500us") }

// A host that leaves is taken out in the same way, and nobody waits until its silence is noticed.
func TestHostLeaves(t *testing.T) { hostEnds(t, "leave", "1s") }

func hostEnds(t *testing.T, how, silence string) {
	loss := "1%"
	if how == "leave" {
		loss = "0" // of what it says
	}
	for seed := range share(6) {
		run := begin(t, fmt.Sprintf(`
name: dies
system: onepipe
seed: %d
until: 100ms
topology: {kind: leaf-spine, core: onepipe, leaves: 2, spines: 2, hosts: 3, host-links: {loss: %s}, fabric-links: {loss: 1%%}, clocks: {offset: 5us}, controller: {delay: 5us, write: 500ns}}
interval: 5us
silence: %s
%s: {h2: %dus}
loads:
  - {name: a, from: h1, to: [h2, h3, h5], size: 64, count: 500, interval: 10us, reliable: true}
  - {name: b, from: h2, to: [h1, h3, h4, h6], size: 3000, count: 500, interval: 10us, reliable: true}
  - {name: c, from: h4, to: [h1, h2, h6], size: 64, count: 500, interval: 10us}
  - {name: d, from: h6, to: [h1, h3], size: 64, count: 500, interval: 10us, reliable: true}
`, *seed0+uint64(seed), loss, silence, how, 2500+137*(seed%20)))
		require.NoError(t, run.Finish())
		n := run.Fabric.System().(*Network)
		require.NoError(t, n.log.end())
		delivered(t, run, *seed0+uint64(seed), "b")
		var at uint64
		for i, h := range run.Fabric.Hosts {
			st := h.Endpoint().(*station)
			if st.dead {
				continue
			}
			require.Len(t, st.Failed, 1, "h%d", i+1)
			require.Equal(t, run.Fabric.Hosts[1].Addr(), st.Failed[0].Process.Addr)
			require.True(t, at == 0 || at == st.Failed[0].Time)
			at = st.Failed[0].Time
		}
	}
}

// Hosts die one after the other, so that the others are being told of the first when the next one's silence is noticed. Who is
// to answer waits for all of them: what was sent to all is taken back at each.
func TestHostsDie(t *testing.T) {
	for seed := range share(6) {
		run := begin(t, fmt.Sprintf(`
name: die
system: onepipe
seed: %d
until: 100ms
topology: {kind: leaf-spine, core: onepipe, leaves: 2, spines: 2, hosts: 3, clocks: {offset: 5us}, controller: {delay: 20us, write: 500ns}}
interval: 5us
silence: 500us
kill: {h2: 2500us, h3: %dus, h5: %dus}
loads:
  - {name: a, from: h1, to: [h2, h3, h5, h6], size: 64, count: 500, interval: 10us, reliable: true}
  - {name: b, from: h4, to: [h1, h2, h3, h5, h6], size: 3000, count: 500, interval: 10us, reliable: true}
  - {name: c, from: h2, to: [h1, h3, h4, h6], size: 64, count: 500, interval: 10us, reliable: true}
`, *seed0+uint64(seed), 2500+50*(seed%12+1), 2500+90*(seed%12+1)))
		require.NoError(t, run.Finish())
		n := run.Fabric.System().(*Network)
		require.NoError(t, n.log.end())
		delivered(t, run, *seed0+uint64(seed), "c")
		var told []onepipe.ProcessFailure
		for _, i := range []int{0, 3, 5} {
			st := run.Fabric.Hosts[i].Endpoint().(*station)
			require.Len(t, st.Failed, 3, "seed %d: h%d", *seed0+uint64(seed), i+1)
			if told == nil {
				told = st.Failed
			}
			require.ElementsMatch(t, told, st.Failed)
		}
	}
}

// Hosts die while they join. The others are admitted without them.
func TestJoinerDies(t *testing.T) {
	for seed := range share(10) {
		run := begin(t, fmt.Sprintf(`
name: joins
system: onepipe
seed: %d
until: 100ms
topology: {kind: leaf-spine, core: onepipe, leaves: 2, spines: 2, hosts: 3, clocks: {offset: 5us}, controller: {delay: 20us, write: 500ns}}
interval: 5us
silence: 500us
kill: {h2: %dus, h5: %dus}
loads:
  - {name: a, from: h1, to: [h3, h4, h6], size: 64, count: 100, interval: 10us, reliable: true}
  - {name: b, from: h4, to: [h1, h3], size: 3000, count: 100, interval: 10us}
`, *seed0+uint64(seed), 100*(seed%20+1), 130*(seed%20+1)))
		require.NoError(t, run.Finish())
		require.NoError(t, run.Fabric.System().(*Network).log.end())
		delivered(t, run, *seed0+uint64(seed))
	}
}

// asks builds a network in which h1 sends to h3, and calls fn at a time.
func asks(t *testing.T, seed uint64, fn func(n *Network)) *fabric.Run {
	t.Helper()
	run := begin(t, fmt.Sprintf(`
name: asks
system: onepipe
seed: %d
until: 200ms
topology: {kind: leaf-spine, core: onepipe, leaves: 2, spines: 2, hosts: 2, clocks: {offset: 5us}, controller: {delay: 5us, write: 500ns}}
interval: 5us
loads:
  - {name: a, from: h1, to: [h3], size: 64, count: 300, interval: 10us, reliable: true}
  - {name: b, from: h3, to: [h1, h4], size: 64, count: 300, interval: 10us, reliable: true}
`, seed))
	n := run.Fabric.System().(*Network)
	n.At(3*fabric.Millisecond, func() { fn(n) })
	require.NoError(t, run.Finish())
	delivered(t, run, seed)
	require.NoError(t, n.log.end())
	return run
}

// A reliable message to somebody who is not there holds up nobody for long: the controller says so, and it is taken back.
func TestNobody(t *testing.T) {
	for seed := range uint64(share(10)) {
		run := asks(t, *seed0+seed, func(n *Network) {
			h1, h4 := n.Hosts[0].Endpoint().(*station), n.Hosts[3].Endpoint().(*station)
			data := binary.BigEndian.AppendUint64(nil, 1)
			data = append(data, 63) // of no load
			nobody := onepipe.Process{Addr: wire.Addr{10, 9, 9, 9}, Number: 7}
			require.NoError(t, h1.procs[0].Send(h1.h.Now()+epoch, true, onepipe.Part{To: nobody, Data: data}, onepipe.Part{To: h4.procs[0].Process(), Data: data}))
			h1.h.Send()
		})
		h1 := run.Fabric.Hosts[0].Endpoint().(*station)
		require.Len(t, h1.Failed, 1)
		require.Equal(t, wire.Addr{10, 9, 9, 9}, h1.Failed[0].Process.Addr)
		require.EqualValues(t, 2, h1.endpoint.Counters.Lost, "both parts")
		for _, l := range run.Fabric.System().(*Network).control.Core.Links() {
			require.Equal(t, "open", l.State)
		}
	}
}

// A host that hears nothing any more holds up nobody for long, though its beacons come: it has failed.
func TestDeaf(t *testing.T) {
	for seed := range uint64(share(20)) {
		run := asks(t, *seed0+seed, func(n *Network) { n.Hosts[3].Endpoint().(*station).deafen() })
		for i, h := range run.Fabric.Hosts[:3] {
			st := h.Endpoint().(*station)
			require.Len(t, st.Failed, 1, "h%d", i+1)
			require.Equal(t, run.Fabric.Hosts[3].Addr(), st.Failed[0].Process.Addr)
		}
	}
}

// A host that is heard no more has failed, though it hears the others: it receives nothing that they do not.
func TestMute(t *testing.T) {
	for seed := range uint64(share(10)) {
		run := asks(t, *seed0+seed, func(n *Network) { n.Hosts[3].Endpoint().(*station).silence() })
		for i, h := range run.Fabric.Hosts[:3] {
			require.Len(t, h.Endpoint().(*station).Failed, 1, "h%d", i+1)
		}
	}
}

// links are those of the test's network.
const failing = `
name: fails
system: onepipe
seed: %d
until: 200ms
topology: {kind: leaf-spine, core: onepipe, leaves: 3, spines: 2, hosts: 2, host-links: {loss: 0.5%%}, clocks: {offset: 5us}, controller: {delay: 5us, write: 500ns}}
interval: 5us
loads:
  - {name: a, from: h1, to: [h2, h3, h5], size: 64, count: 500, interval: 10us, reliable: true}
  - {name: b, from: h3, to: [h1, h4, h6], size: 3000, count: 500, interval: 10us, reliable: true}
  - {name: c, from: h4, to: [h1, h2, h6], size: 64, count: 500, interval: 10us}
  - {name: d, from: h6, to: [h1, h3], size: 64, count: 500, interval: 10us, reliable: true}
  - {name: e, from: h5, to: [h6], size: 64, count: 500, interval: 10us, reliable: true}
faults:
`

// A link fails that has another way round it, and comes back: nobody fails, and every reliable message is delivered.
func TestLinkFails(t *testing.T) {
	for seed := range share(12) {
		run := begin(t, fmt.Sprintf(failing+"  - {at: 3ms, for: 3ms, link: leaf1-spine1, down: true}\n  - {at: 9ms, for: 3ms, link: leaf2-spine2, down: true}\n", *seed0+uint64(seed)))
		require.NoError(t, run.Finish())
		n := run.Fabric.System().(*Network)
		require.NoError(t, n.log.end())
		delivered(t, run, *seed0+uint64(seed))
		for _, h := range run.Fabric.Hosts {
			require.Empty(t, h.Endpoint().(*station).Failed)
		}
		require.NoError(t, run.Fabric.Run(30*fabric.Millisecond))
		for _, l := range n.control.Core.Links() {
			require.Equal(t, "open", l.State, "%s from %s: it has come back", l.Switch, l.From)
		}
	}
}

// A spine loses all its links at once, and the controller still reaches it: packets go by the other one, and nobody fails.
// When they are back, they are used again.
func TestSpineFails(t *testing.T) {
	for seed := range share(12) {
		var b strings.Builder
		fmt.Fprintf(&b, failing, *seed0+uint64(seed))
		for leaf := range 3 {
			fmt.Fprintf(&b, "  - {at: 3ms, for: 7ms, link: leaf%d-spine2, down: true}\n", leaf+1)
		}
		run := begin(t, b.String())
		n := run.Fabric.System().(*Network)
		require.NoError(t, run.Fabric.Run(10*fabric.Millisecond-1))
		require.NoError(t, run.Fabric.Check())
		require.NoError(t, n.log.end())
		delivered(t, run, *seed0+uint64(seed))
		for _, h := range run.Fabric.Hosts {
			require.Empty(t, h.Endpoint().(*station).Failed)
		}
		require.NoError(t, run.Fabric.Run(15*fabric.Millisecond))
		for _, l := range n.control.Core.Links() {
			require.Equal(t, "open", l.State, "%s from %s: it has come back", l.Switch, l.From)
		}
	}
}

// A leaf loses both its links: the hosts behind it have failed, at one time for all, and the others go on.
func TestLeafFails(t *testing.T) {
	for seed := range share(12) {
		run := begin(t, fmt.Sprintf(failing+"  - {at: 3ms, for: 500ms, link: leaf3-spine1, down: true}\n  - {at: 3.1ms, for: 500ms, link: leaf3-spine2, down: true}\n", *seed0+uint64(seed)))
		n := run.Fabric.System().(*Network)
		n.At(3*fabric.Millisecond, func() {
			for _, h := range run.Fabric.Hosts[4:] { // they live, and hear of it later
				n.log.died(h.Addr())
			}
		})
		require.NoError(t, run.Finish())
		require.NoError(t, n.log.end())
		delivered(t, run, *seed0+uint64(seed), "d", "e")
		for _, h := range run.Fabric.Hosts[:4] {
			require.Len(t, h.Endpoint().(*station).Failed, 2, h.Name())
		}
	}
}
