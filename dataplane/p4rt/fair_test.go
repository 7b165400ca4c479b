package p4rt

import (
	"fmt"
	"math/big"
	"testing"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestFair: whatever others send, a port that has no more than its share of the queue waiting loses
// nothing; nothing is reordered within a port; ports take turns.
func TestFair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const ports = 4
		f := &fair{bound: rapid.IntRange(1, 20).Draw(t, "bound")}
		share := f.bound / ports
		for range rapid.IntRange(1, 5).Draw(t, "rounds") {
			sent, dropped := map[int][]string{}, map[int]int{}
			for range rapid.IntRange(0, 100).Draw(t, "packets") {
				port := rapid.SampledFrom([]int{0, 0, 0, 0, 0, 1, 1, 2, 3}).Draw(t, "port")
				if port == 3 && len(sent[3]) >= share {
					continue // it keeps to its share
				}
				text := fmt.Sprint(port, " ", len(sent[port]))
				sent[port] = append(sent[port], text)
				if lost, full := f.add(port, &p4.PacketIn{Payload: []byte(text)}); full {
					dropped[lost]++
				}
				require.LessOrEqual(t, f.n, f.bound)
			}
			got, all := map[int][]string{}, f.take()
			for _, p := range all {
				var port, n int
				_, err := fmt.Sscan(string(p.GetPayload()), &port, &n)
				require.NoError(t, err)
				got[port] = append(got[port], string(p.GetPayload()))
				for other := range ports {
					if left := len(sent[other]) - dropped[other] - len(got[other]); left > 0 {
						require.LessOrEqual(t, len(got[port]), len(got[other])+1, "in turn")
					}
				}
			}
			total := 0
			for port := range ports {
				total += len(got[port])
				require.Len(t, got[port], len(sent[port])-dropped[port], "port %d: each is there or was counted", port)
				last := -1
				for _, text := range got[port] {
					var p, n int
					_, _ = fmt.Sscan(text, &p, &n)
					require.Greater(t, n, last, "in order")
					last = n
				}
			}
			require.Equal(t, len(all), total)
			require.Zero(t, dropped[3], "it has kept to its share")
			require.Empty(t, f.queues)
			require.Zero(t, f.n)
		}
	})
}

// TestFloodOfAPort: a port that floods the controller keeps neither another port's packets from it,
// nor makes them wait behind all of its own.
func TestFloodOfAPort(t *testing.T) {
	prog, info := testProgram("p"), parseInfo(t)
	for _, m := range info.GetControllerPacketMetadata() {
		m.GetMetadata()[0].Name = "ingress_port"
	}
	prog.PacketIn.Fields[0].Name, prog.PacketOut.Fields[0].Name = "ingress_port", "ingress_port"
	sch, err := newSchema(prog, info)
	require.NoError(t, err)
	frame := func(port, n int) []byte { return []byte{byte(port >> 1), byte(port << 7), byte(n)} }
	c := &client{packets: fair{bound: 64}, ready: make(chan struct{}, 1)}
	s := &Server{arb: newArbiter(), clients: map[clientID]*client{1: c}}
	_, err = s.arb.update(1, "", &electionID{low: 1})
	require.NoError(t, err)
	s.live.Store(sch)
	for n := range 1000 {
		s.packetIn(frame(2, n))
		if n%100 == 99 {
			s.packetIn(frame(300, n/100))
		}
	}
	list, _ := c.take()
	require.Len(t, list, 64)
	at := map[uint64][]int{}
	for i, m := range list {
		port := new(big.Int).SetBytes(m.GetPacket().GetMetadata()[0].GetValue()).Uint64()
		at[port] = append(at[port], i)
	}
	require.Len(t, at[300], 10, "all of them")
	require.Less(t, at[300][9], 20, "in turn")
	st := &s.stats
	require.Equal(t, uint64(1010), st.packetIns.Load())
	require.Equal(t, uint64(1010-64), st.packetInsDropped.Load())
	require.Equal(t, uint64(1010-64), st.packetInsOfPort[2].Load())
	require.Zero(t, st.packetInsOfPort[300].Load())
}
