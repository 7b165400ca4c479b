package rc

import (
	"math/rand/v2"
	"testing"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/roce/wire"
)

// FuzzReceive: whatever arrives, a queue pair does not panic, and nothing
// outside its region is written.
func FuzzReceive(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 1))
	for op := range 256 {
		if wire.Opcode(op).Known() {
			f.Add(uint8(op), r.Uint32()%4, uint64(0xfffffff0+1<<40), uint32(0x100), uint32(8), uint8(0x60), []byte("payload"), true)
		}
	}
	f.Fuzz(func(t *testing.T, op uint8, psn uint32, va uint64, rkey, length uint32, syndrome uint8, payload []byte, ackReq bool) {
		s := newSim(t, 1, Config{Access: allRights})
		a := s.arena(1, 64, allRights)
		_ = s.qp[1].PostRecv(rdma.RecvWR{Local: make([]byte, 16)})
		_ = s.qp[1].PostSend(rdma.SendWR{Op: rdma.OpRead, Local: make([]byte, 3000)})
		_ = s.qp[1].Next(0, nil)
		for i := range 3 {
			base := s.qp[1].Peer().RecvPSN
			if wire.Opcode(op).IsResponse() {
				base = s.qp[1].Peer().SendPSN
			}
			b := wire.AppendFrame(nil, &wire.Header{
				Src: wire.Addr{10, 0, 0, 1}, Dst: wire.Addr{10, 0, 0, 2}, DestQP: 0x12, Opcode: wire.Opcode(op) + wire.Opcode(i),
				PSN: base.Add(int(psn&0xffffff) + i), VA: va, RKey: rkey, Length: length, Syndrome: wire.Syndrome(syndrome), AckReq: ackReq,
			}, payload)
			var p wire.Packet
			if len(b) > 65000 || wire.Parse(b, &p) != nil {
				return
			}
			s.qp[1].Receive(0, &p)
			for range 100 {
				if s.qp[1].Next(0, nil) == nil {
					break
				}
			}
		}
		s.qp[1].Tick(1 << 40)
		a.checkGuards(t)
	})
}
