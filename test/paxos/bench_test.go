package paxos

import (
	"encoding/binary"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/host/paxos"
	names "github.com/p4ce/p4ce/p4/paxos"
)

// BenchmarkRoles measures what a message of 102 bytes costs a switch in the kernel, with one
// role at a time, by test runs of the program of the ingress.
func BenchmarkRoles(b *testing.B) {
	needs.Root(b, "XDP")
	const value = "0123456789abcdef0123456789abcdef"
	many := func(b testing.TB, d *device) { d.write(b, names.RegisterLast, app, 1<<30) }
	for _, c := range []struct {
		name string
		role func(testing.TB, *device)
		from place
		to   place
		m    paxos.Message
	}{
		{"leader", func(b testing.TB, d *device) { leader(b, d); many(b, d) }, proposer, leaderAt, request(1, value)},
		{"acceptor", func(b testing.TB, d *device) { acceptor(b, d, 0) }, leaderAt, acceptorAt, accept(1, round, value)},
		{"learner", learner, acceptorAt, learnerAt, vote(1, round, value)},
		{"forward", func(b testing.TB, d *device) {
			d.insert(b, names.TableL2, []uint64{replica.mac48()}, names.ActionForward, uint64(replica))
		}, proposer, replica, request(1, value)},
	} {
		b.Run(c.name, func(b *testing.B) {
			object, err := bpf.Object("paxos")
			require.NoError(b, err)
			target, err := xdp.New(xdp.Config{CPUPort: dataplane.Port(names.PortCPU), PacketTest: true})
			require.NoError(b, err)
			defer target.Close()
			program, err := compile()
			require.NoError(b, err)
			require.NoError(b, target.Load(&dataplane.Pipeline{Program: program, Object: object}))
			c.role(b, &device{struct {
				dataplane.Target
				dataplane.Injector
			}{target, nil}, program})
			prog, err := target.TestProgram("test_ingress")
			require.NoError(b, err)
			front := make([]byte, 16)
			binary.NativeEndian.PutUint64(front, 1)
			binary.NativeEndian.PutUint16(front[8:], uint16(c.from))
			in := append(front, frame(b, c.from, c.to, c.m)...)
			b.ResetTimer()
			verdict, err := prog.Run(&ebpf.RunOptions{Data: in, Repeat: uint32(b.N), Context: struct{ Data, DataEnd, DataMeta, Ingress, Queue, Egress uint32 }{Data: 16, DataEnd: uint32(len(in))}})
			require.NoError(b, err)
			require.Contains(b, []uint32{1, 4}, verdict)
			b.ReportMetric(float64(verdict), "verdict")
		})
	}
}
