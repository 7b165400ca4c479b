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
		out  place
		m    paxos.Message
	}{
		{"leader", func(b testing.TB, d *device) { leader(b, d); many(b, d) }, proposer, leaderAt, acceptorAt, request(1, value)},
		{"acceptor", func(b testing.TB, d *device) { acceptor(b, d, 0) }, leaderAt, acceptorAt, learnerAt, accept(1, round, value)},
		{"learner", learner, acceptorAt, learnerAt, replica, func() paxos.Message { m := vote(1, round, value); m.Flags = paxos.Again; return m }()},
		{"forward", func(b testing.TB, d *device) {
			d.insert(b, names.TableL2, []uint64{replica.mac48()}, names.ActionForward, uint64(replica))
		}, proposer, replica, replica, request(1, value)},
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
			var after xdpMd
			once := &ebpf.RunOptions{Data: in, DataOut: make([]byte, 4096), Context: xdpMd{Data: 16, DataEnd: uint32(len(in))}, ContextOut: &after}
			verdict, err := prog.Run(once)
			require.NoError(b, err)
			require.EqualValues(b, redirect, verdict)
			egress, err := target.TestProgram("test_egress")
			require.NoError(b, err)
			out := once.DataOut
			binary.NativeEndian.PutUint16(out[10:], uint16(c.out)) // the port of the copy
			b.Run("ingress", func(b *testing.B) { repeat(b, prog, in, 16) })
			b.Run("egress", func(b *testing.B) { repeat(b, egress, out, int(after.Data)) })
		})
	}
}

// xdpMd is struct xdp_md.
type xdpMd struct{ Data, DataEnd, DataMeta, Ingress, Queue, Egress uint32 }

const redirect = 4

// repeat runs a program b.N times. The packet is not made anew: what a leader changes in it
// the second run would drop, were its checksum not ignored.
func repeat(b *testing.B, prog *ebpf.Program, in []byte, front int) {
	b.ResetTimer()
	_, err := prog.Run(&ebpf.RunOptions{Data: in, Repeat: uint32(b.N), Context: xdpMd{Data: uint32(front), DataEnd: uint32(len(in))}})
	require.NoError(b, err)
}
