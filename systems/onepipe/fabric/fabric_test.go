package fabric

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/onepipe"
)

var systems = fabric.Systems{System}

func begin(t *testing.T, text string) *fabric.Run {
	t.Helper()
	s, err := systems.Scenario([]byte(text))
	require.NoError(t, err)
	run, err := s.Begin()
	require.NoError(t, err)
	return run
}

func finish(t *testing.T, run *fabric.Run) {
	t.Helper()
	require.NoError(t, run.Finish())
	var table bytes.Buffer
	require.NoError(t, run.Write(&table))
	t.Log("\n" + table.String())
	for _, r := range run.Rows() {
		require.NoError(t, r.Err)
		require.Equal(t, r.Requests, r.Done, r.Load)
	}
}

func TestRack(t *testing.T) {
	text, err := systems.Example("onepipe-rack")
	require.NoError(t, err)
	finish(t, begin(t, string(text)))
}

func TestLeafSpine(t *testing.T) {
	text, err := systems.Example("onepipe-leaf-spine")
	require.NoError(t, err)
	finish(t, begin(t, string(text)))
}

// Hosts that join while others send learn what the network has promised, and are admitted when they, and the links
// above them, have come so far. Nobody delivers anything of theirs too late, and nobody waits for ever.
func TestJoinUnderLoad(t *testing.T) {
	for seed := range 2 {
		run := begin(t, fmt.Sprintf(`
name: join
system: onepipe
seed: %d
until: 300ms
topology: {kind: leaf-spine, core: onepipe, leaves: 3, spines: 2, hosts: 2, clocks: {offset: 200us}, controller: {delay: 20us, write: 2us}}
interval: 5us
join: {h2: 3ms, h3: 6ms, h5: 7ms}
loads:
  - {name: a, from: h1, to: [h4], size: 64, count: 8000, interval: 1us}
  - {name: b, from: h4, to: [h1, h6], size: 64, count: 8000, interval: 1us, reliable: true}
  - {name: c, from: h2, to: [h1, h4], size: 64, count: 3000, interval: 1us}
  - {name: d, from: h3, to: [h1, h2], size: 64, count: 3000, interval: 1us, reliable: true}
  - {name: e, from: h5, to: [h1, h3, h4], size: 64, count: 3000, interval: 1us}
`, seed+1))
		require.NoError(t, run.Finish())
		for _, r := range run.Rows() {
			require.NoError(t, r.Err)
			require.Equal(t, r.Requests, r.Done, r.Load)
		}
		for _, h := range run.Fabric.Hosts {
			require.Zero(t, h.Endpoint().(*station).endpoint.Counters.Late, h.Name())
		}
	}
}

// Of a reliable scattering that one receiver refuses nobody delivers anything, although acknowledgements and recalls
// are lost.
func TestRecall(t *testing.T) {
	for seed := range 4 {
		run := begin(t, fmt.Sprintf(`
name: recall
system: onepipe
seed: %d
until: 200ms
topology: {kind: rack, hosts: 4, host-links: {loss: 20%%}, controller: {delay: 2us, write: 100ns}}
interval: 5us
loads:
  - {name: a, from: h1, to: [h2, h3], size: 64, count: 300, interval: 5us, outstanding: 32, reliable: true}
`, seed+1))
		n := run.Fabric.System().(*Network)
		st := run.Fabric.Hosts[0].Endpoint().(*station)
		require.NoError(t, run.Fabric.RunWhile(fabric.Second, func() bool { return len(st.procs) == 0 }))
		refused := 0
		var bad func()
		bad = func() { // to somebody who is not there, and to h4
			if refused++; refused > 40 {
				return
			}
			nobody := onepipe.Process{Addr: run.Fabric.Hosts[1].Addr(), Number: 999}
			h4 := run.Fabric.Hosts[3].Endpoint().(*station)
			if len(h4.procs) > 0 {
				data := binary.BigEndian.AppendUint64(nil, uint64(refused))
				data = append(data, 63) // of no load
				require.NoError(t, st.procs[0].Send(st.h.Now()+epoch, true, onepipe.Part{To: nobody, Data: data}, onepipe.Part{To: h4.procs[0].Process(), Data: data}))
				st.h.Send()
			}
			n.At(n.Now()+20*fabric.Microsecond, bad)
		}
		bad()
		require.NoError(t, run.Finish(), "h4 receives nothing: it would be what was not sent")
		require.NoError(t, run.Fabric.Run(run.Fabric.Now()+2*fabric.Millisecond))
		require.NoError(t, run.Fabric.Check())
		for _, r := range run.Rows() {
			require.Equal(t, r.Requests, r.Done, r.Load)
		}
		require.Positive(t, run.Fabric.Hosts[3].Endpoint().(*station).endpoint.Counters.Discarded)
	}
}
