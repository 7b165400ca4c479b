package conformance

import (
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/roce/icrc"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/lab/world"
	"github.com/p4ce/p4ce/systems/rdma/lab/world/worldtest"
)

// recorded is a packet on one side of the switch.
type recorded struct {
	out   bool
	port  dataplane.Port
	frame []byte
	wire.Packet
}

// readRecorded reads a capture whose interfaces are called "IN pN" and "OUT pN".
func readRecorded(t *testing.T, file string) []*recorded {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	r, err := pcapgo.NewNgReader(f, pcapgo.DefaultNgReaderOptions)
	require.NoError(t, err)
	var all []*recorded
	for {
		data, ci, err := r.ReadPacketData()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		ifi, err := r.Interface(ci.InterfaceIndex)
		require.NoError(t, err)
		dir, port, ok := strings.Cut(ifi.Name, " p")
		require.True(t, ok, ifi.Name)
		n, err := strconv.ParseUint(port, 10, 9)
		require.NoError(t, err)
		p := &recorded{out: dir == "OUT", port: dataplane.Port(n), frame: data}
		require.NoError(t, wire.Parse(p.frame, &p.Packet))
		require.True(t, p.ICRCOK(), "ICRC of %s", &p.Packet)
		all = append(all, p)
	}
}

// groupOf finds out what the group was from the packets of one WRITE: what the
// leader sent, the copies, the replicas' acknowledgements and the answer.
func groupOf(t *testing.T, all []*recorded) *world.Group {
	t.Helper()
	const policyQuorum = 1 // of two replicas
	g := &world.Group{Index: 5, Multicast: 6, F: policyQuorum, Size: 1 << 31, Neutral: true}
	write := all[0]
	require.False(t, write.out)
	require.Equal(t, wire.WriteOnly, write.BTH.Opcode())
	g.BCastQP, g.VKey, g.Start = write.BTH.DestQP(), write.RETH.RKey(), write.BTH.PSN()
	g.Leader = world.Replica{Port: write.port, IP: write.IP.Src(), MAC: write.Eth.Src()}
	for _, p := range all[1:] {
		switch ack := p.BTH.Opcode() == wire.Acknowledge; {
		case p.out && ack:
			g.Leader.QPN = p.BTH.DestQP()
		case p.out:
			g.Replicas = append(g.Replicas, world.Replica{
				Port: p.port, IP: p.IP.Dst(), MAC: p.Eth.Dst(), QPN: p.BTH.DestQP(), RKey: p.RETH.RKey(),
				VA: p.RETH.VA() - write.RETH.VA(), Delta: wire.PSNOf(uint32(p.BTH.PSN().Sub(g.Start))),
			})
		}
	}
	for _, p := range all {
		for i, r := range g.Replicas {
			if !p.out && p.port == r.Port {
				g.Replicas[i].AggrQP = p.BTH.DestQP()
			}
		}
	}
	return g
}

// TestRecordedWrite replays a WRITE that was recorded between servers with
// Linux's rxe, on both sides of the switch: what comes out must be what came out
// then, which rxe took. The capture is made by test/vm (go test ./test/vm -run
// RXEGroups -update).
func TestRecordedWrite(t *testing.T) {
	all := readRecorded(t, "testdata/rxe_write.pcapng")
	g := groupOf(t, all)
	require.Len(t, g.Replicas, 2)
	for name, open := range map[string]func(testing.TB, *worldtest.Clock) *worldtest.Device{"interp": worldtest.NewInterp, "xdp": worldtest.NewXDP} {
		t.Run(name, func(t *testing.T) {
			if name == "xdp" {
				needs.Root(t, "XDP")
			}
			d := open(t, &worldtest.Clock{})
			worldtest.InstallNetwork(t, d, nil)
			worldtest.Install(t, g, d)
			var want, got []dataplane.Out
			for _, p := range all {
				if p.out {
					want = append(want, dataplane.Out{Port: p.port, Frame: p.frame})
					continue
				}
				out, err := d.Inject(p.port, p.frame)
				require.NoError(t, err)
				got = append(got, out...)
			}
			require.Len(t, want, 3, "two copies and an answer")
			require.ElementsMatch(t, want, got)
			// A bit of the payload that is damaged on the way stays damaged: the
			// copies have an ICRC that is wrong.
			bad := append([]byte(nil), all[0].frame...)
			bad[len(bad)-icrc.Size-1] ^= 0x10
			out, err := d.Inject(all[0].port, bad)
			require.NoError(t, err)
			require.Len(t, out, 2)
			for _, o := range out {
				var p wire.Packet
				require.NoError(t, wire.Parse(o.Frame, &p))
				require.False(t, p.ICRCOK(), "the copy %s hides the damage", &p)
			}
		})
	}
}
