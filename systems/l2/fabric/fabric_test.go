package fabric

import (
	"bytes"
	"math/bits"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/l2/control"
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

// Hosts ping each other through learning switches, as the scenario that comes with the system says: all
// is answered, the same each time, and after the first packets nothing is flooded any more.
func TestPing(t *testing.T) {
	text, err := systems.Example("ping")
	require.NoError(t, err)
	pings := func() *fabric.Run {
		run := begin(t, string(text))
		var trace bytes.Buffer
		run.Fabric.Tap(run.Fabric.NewTrace(&trace))
		strangers := 0 // frames for others that h5, whom nobody pings, gets
		h5, ok := run.Fabric.Node("h5")
		require.True(t, ok)
		run.Fabric.Tap(fabric.TapFunc(func(at fabric.Time, h *fabric.Half, _ []byte) {
			if h.To == h5 && at > 4*fabric.Millisecond {
				strangers++
			}
		}))
		require.NoError(t, run.Finish())
		var table bytes.Buffer
		require.NoError(t, run.Write(&table))
		t.Log("\n" + table.String())
		for _, r := range run.Rows() {
			require.NoError(t, r.Err)
			require.Equal(t, r.Requests, r.Done, r.Load)
			require.Zero(t, r.Unheld)
		}
		require.Greater(t, run.Fabric.Now(), 4*fabric.Millisecond)
		require.Zero(t, strangers, "what is known is not flooded")
		require.True(t, strings.Contains(trace.String(), "> ff:ff:ff:ff:ff:ff ARP"))
		require.True(t, strings.Contains(trace.String(), "IPv4 ICMPv4 Payload"))
		return run
	}
	run := pings()
	flooded, ok := run.Fabric.Link("h5-leaf2")
	require.True(t, ok)
	require.NotZero(t, flooded.Half[1].Count.Delivered, "ARP requests are flooded")
	require.Equal(t, run.Hash.Sum(), pings().Hash.Sum(), "one seed, one result")
}

// An entry that leads elsewhere is seen by the property.
func TestVerify(t *testing.T) {
	run := begin(t, `
system: l2
topology: {kind: rack, hosts: 3}
loads: [{from: h1, to: [h2], size: 64, count: 20, start: 1ms, interval: 50us}]
`)
	require.NoError(t, run.Finish())
	app := run.Fabric.Switches[0].(*fabric.P4Switch).Controller.App().(*control.App)
	require.Equal(t, map[[6]byte]uint16{run.Fabric.Hosts[0].MAC(): 1, run.Fabric.Hosts[1].MAC(): 2}, app.Places())
	// h3 says that it is h1: the switch learns it there.
	thief := run.Fabric.Hosts[2]
	b := make([]byte, 60)
	mac := run.Fabric.Hosts[0].MAC()
	copy(b, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	copy(b[6:], mac[:])
	s := thief.Endpoint().(*station)
	s.queue = append(s.queue, b)
	thief.Send()
	require.NoError(t, run.Fabric.Check())
	require.NoError(t, run.Fabric.Run(run.Fabric.Now()+fabric.Millisecond))
	require.ErrorContains(t, run.Fabric.Check(), "(h1) at port 3, but it is at 1")
}

// A frame that a wire has damaged is damaged no more behind a P4 switch: each of its copies differs in one bit.
func TestDamagedOnce(t *testing.T) {
	run := begin(t, `
system: l2
topology: {kind: rack, hosts: 3}
loads: [{from: h1, to: [h2], size: 64, count: 1, start: 1ms}]
`)
	require.NoError(t, run.Finish())
	f := run.Fabric
	for _, l := range f.Links {
		l.Config.Faults.Corrupt = 1
	}
	sent := bytes.Repeat([]byte{0xa5}, 500)
	own := f.Hosts[0].MAC()
	copy(sent[:6], []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	copy(sent[6:], own[:])
	arrived := 0
	f.Tap(fabric.TapFunc(func(_ fabric.Time, h *fabric.Half, got []byte) {
		if len(got) == len(sent) && (h.To == fabric.Node(f.Hosts[1]) || h.To == fabric.Node(f.Hosts[2])) {
			arrived++
			flipped := 0
			for i := range got {
				flipped += bits.OnesCount8(got[i] ^ sent[i])
			}
			require.Equal(t, 1, flipped)
		}
	}))
	s := f.Hosts[0].Endpoint().(*station)
	for range 50 {
		s.queue = append(s.queue, bytes.Clone(sent))
	}
	f.Hosts[0].Send()
	require.NoError(t, f.Run(f.Now()+fabric.Millisecond))
	require.Greater(t, arrived, 50, "all are flooded to both")
	require.NoError(t, f.Check())
}

func TestScenarioErrors(t *testing.T) {
	const head = "system: l2\ntopology: {kind: rack, hosts: 3}\n"
	for text, want := range map[string]string{
		head + "loads: [{from: h1, to: [h2, h3]}]":                 "one other",
		head + "loads: [{from: h1, to: [h2], size: 1500}]":         "at most 1472",
		head + "loads: [{from: h1, to: [h2], count: 70000}]":       "65536 sequence numbers",
		head + "loads: [{from: h1, to: [h2], timeout: 0}]":         "timeout",
		head + "loads: [{from: h1, to: [h2], via: group}]":         "field via not found",
		head + "dcqcn: {g: 1}\nloads: [{from: h1, to: [h2]}]":      "field dcqcn not found",
		"system: l2\ntopology: {kind: rack, hosts: 2, edge: rdma}": `edge: "rdma": want l2 or plain`,
	} {
		_, err := systems.Scenario([]byte(text))
		require.ErrorContains(t, err, want, text)
	}
}
