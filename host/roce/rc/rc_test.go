package rc

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/roce/wire"
)

const allRights = rdma.LocalWrite | rdma.RemoteRead | rdma.RemoteWrite | rdma.RemoteAtomic

// traffic posts random work from both sides and checks that each operation took
// effect exactly once, in order, and completed once.
type traffic struct {
	*sim
	region [2]*arena // written by the peer; model holds what it must hold
	model  [2][]byte
	source [2]*arena // read by the peer, never written
	word   [2]*arena // fetch-and-add by the peer

	want    [2][]rdma.Completion // send completions of side i, in order
	recvs   [2][]rdma.Completion // receive completions of side i, in order
	content [2][][]byte          // of these
	stored  [2]int               // bytes that peers' writes must store on side i
	got     [2]int
	adds    [2]uint64
	reads   []func()
	recvBuf [2]map[uint64][]byte
	posted  [2]uint64
}

func newTraffic(t testing.TB, seed uint64, cfg Config, f faults) *traffic {
	tr := &traffic{sim: newSim(t, seed, cfg)}
	tr.faults = f
	for i := range 2 {
		tr.region[i] = tr.arena(i, 1<<16, rdma.LocalWrite|rdma.RemoteWrite)
		tr.model[i] = append([]byte{}, tr.region[i].bytes()...)
		tr.source[i] = tr.arena(i, 1<<15, rdma.RemoteRead)
		copy(tr.source[i].bytes(), fill(tr.rnd, 1<<15))
		tr.word[i] = tr.arena(i, 16, rdma.LocalWrite|rdma.RemoteAtomic)
		clear(tr.word[i].bytes())
		tr.recvBuf[i] = map[uint64][]byte{}
		tr.region[i].mr.OnRemoteWrite(func(_, n int) { tr.got[i] += n })
	}
	return tr
}

func (tr *traffic) postRecv(i int) {
	tr.posted[i]++
	id := tr.posted[i]
	b := make([]byte, 13000)
	require.NoError(tr.t, tr.qp[i].PostRecv(rdma.RecvWR{ID: id, Local: b}))
	tr.recvBuf[i][id] = b
}

// post posts one random operation from side i; false if the queue is full.
func (tr *traffic) post(i int, id uint64) bool {
	r, peer := tr.rnd, 1-i
	n := r.IntN(60)
	if r.IntN(3) == 0 {
		n = r.IntN(9000)
	}
	if r.IntN(10) == 0 {
		n = tr.qp[i].MTU() * r.IntN(4)
	}
	wr := rdma.SendWR{ID: id, Op: []rdma.Op{rdma.OpWrite, rdma.OpWrite, rdma.OpWriteImm, rdma.OpSend, rdma.OpSendImm, rdma.OpRead, rdma.OpFetchAdd}[r.IntN(7)], Imm: r.Uint32(), Unsignaled: r.IntN(4) == 0}
	switch wr.Op {
	case rdma.OpWrite, rdma.OpWriteImm:
		off := r.IntN(len(tr.model[peer]) - n + 1)
		wr.Local, wr.VA, wr.RKey = fill(r, n), tr.region[peer].va+uint64(off), tr.region[peer].mr.Key()
	case rdma.OpRead:
		off := r.IntN(len(tr.source[peer].bytes()) - n + 1)
		wr.Local, wr.VA, wr.RKey = make([]byte, n), tr.source[peer].va+uint64(off), tr.source[peer].mr.Key()
		tr.reads = append(tr.reads, func() {
			require.Equal(tr.t, tr.source[peer].bytes()[off:off+n], wr.Local)
		})
	case rdma.OpFetchAdd:
		wr.Local, wr.VA, wr.RKey, wr.SwapAdd = make([]byte, 8), tr.word[peer].va+8, tr.word[peer].mr.Key(), uint64(r.IntN(5))
		before := tr.adds[peer]
		tr.reads = append(tr.reads, func() {
			require.Equal(tr.t, before, binary.NativeEndian.Uint64(wr.Local))
		})
	default:
		wr.Local = fill(r, n)
	}
	if tr.qp[i].PostSend(wr) == rdma.ErrQueueFull {
		if wr.Op.Fetches() {
			tr.reads = tr.reads[:len(tr.reads)-1]
		}
		return false
	}
	switch wr.Op {
	case rdma.OpWrite, rdma.OpWriteImm:
		copy(tr.model[peer][wr.VA-tr.region[peer].va:], wr.Local)
		tr.stored[peer] += n
	case rdma.OpFetchAdd:
		tr.adds[peer] += wr.SwapAdd
	}
	if !wr.Unsignaled {
		tr.want[i] = append(tr.want[i], rdma.Completion{ID: id, QPN: tr.qp[i].QPN(), Op: wr.Op, Len: len(wr.Local)})
	}
	if wr.Op.ConsumesRecv() {
		c := rdma.Completion{ID: uint64(len(tr.recvs[peer]) + 1), QPN: tr.qp[peer].QPN(), Op: rdma.OpRecv, Len: n}
		if wr.Op != rdma.OpSend {
			c.HasImm, c.Imm = true, wr.Imm
		}
		content := wr.Local
		if wr.Op == rdma.OpWriteImm {
			c.Op, c.Len, content = rdma.OpRecvWriteImm, 0, nil
		}
		tr.recvs[peer] = append(tr.recvs[peer], c)
		tr.content[peer] = append(tr.content[peer], content)
	}
	return true
}

func (tr *traffic) drive(ops int) {
	posted := [2]int{}
	for i := range 2 {
		for range 8 {
			tr.postRecv(i)
		}
	}
	for n := 0; ; n++ {
		require.Less(tr.t, n, 5_000_000)
		for i := range 2 {
			for posted[i] < ops && tr.rnd.IntN(3) == 0 && tr.post(i, uint64(posted[i])) {
				posted[i]++
			}
			// Receives are short from time to time, and come back late.
			if len(tr.recvBuf[i]) < len(tr.recvs[i])+8 && tr.rnd.IntN(4) == 0 {
				tr.postRecv(i)
			}
			tr.pull(i)
		}
		if !tr.step() && posted[0] == ops && posted[1] == ops && tr.qp[0].SendQueueLen()+tr.qp[1].SendQueueLen() == 0 {
			break
		}
	}
	tr.check()
}

func (tr *traffic) check() {
	t := tr.t
	for i := range 2 {
		require.Equal(t, rdma.StateRTS, tr.qp[i].State(), "side %d: %v", i, tr.qp[i].Cause())
		var sends, recvs []rdma.Completion
		for _, c := range tr.done[i] {
			if c.Op == rdma.OpRecv || c.Op == rdma.OpRecvWriteImm {
				recvs = append(recvs, c)
			} else {
				sends = append(sends, c)
			}
		}
		require.Equal(t, tr.want[i], sends, "send completions of side %d", i)
		require.Equal(t, tr.recvs[i], recvs, "receive completions of side %d", i)
		for j, c := range recvs {
			require.Equal(t, string(tr.content[i][j]), string(tr.recvBuf[i][c.ID][:c.Len]))
		}
		require.Equal(t, tr.model[i], tr.region[i].bytes(), "memory of side %d", i)
		require.Equal(t, tr.stored[i], tr.got[i], "bytes stored on side %d", i)
		require.Equal(t, tr.adds[i], binary.NativeEndian.Uint64(tr.word[i].bytes()[8:]))
		for _, a := range []*arena{tr.region[i], tr.source[i], tr.word[i]} {
			a.checkGuards(t)
		}
	}
	for _, f := range tr.reads {
		f()
	}
}

// TestLossyWire is the central test: every operation takes effect exactly once
// over a wire that drops, duplicates, delays, reorders and corrupts.
func TestLossyWire(t *testing.T) {
	cases := []faults{
		{},
		{drop: 30},
		{duplicate: 100},
		{corrupt: 30},
		{reorder: 100},
		{drop: 20, duplicate: 20, corrupt: 20, reorder: 50, mark: 100},
		{drop: 200, duplicate: 50, reorder: 100},
	}
	for _, mtu := range []int{256, 1024, 4096} {
		for ci, f := range cases {
			for variant := range 4 {
				t.Run(fmt.Sprintf("mtu%d/faults%d/variant%d", mtu, ci, variant), func(t *testing.T) {
					cfg := Config{
						MTU: mtu, Access: allRights, Retry: 1000, AckTimeout: 300 * time.Microsecond,
						RNRDelay: 20 * time.Microsecond, SendQueue: 32, RecvQueue: 1 << 20 >> 6, MaxReads: 4,
					}
					if variant&1 != 0 {
						cfg.CoalesceAcks, cfg.AckMessages, cfg.AckEvery = 16, 4, 5
					}
					if variant&2 != 0 {
						cfg.Credits, cfg.Window = true, 16
					}
					tr := newTraffic(t, testSeed(t), cfg, f)
					tr.batch = variant&1 != 0
					tr.drive(150)
					if f.drop+f.corrupt+f.duplicate+f.reorder+f.mark == 0 {
						for i := range 2 {
							c := tr.qp[i].Counters()
							require.Zero(t, c.Timeouts)
							require.Zero(t, c.DropAckStale+c.DropAckGhost+c.DropResponse+c.DropDuplicate+c.DropAckQueue)
						}
					}
				})
			}
		}
	}
}

func write(a *arena, id uint64, off int, data []byte) rdma.SendWR {
	return rdma.SendWR{ID: id, Op: rdma.OpWrite, Local: data, VA: a.va + uint64(off), RKey: a.mr.Key()}
}

// TestRetryExceeded: a peer that is silent costs exactly Retry resends, of the oldest packet
// alone, and then fails everything, each with the right status.
func TestRetryExceeded(t *testing.T) {
	s := newSim(t, testSeed(t), Config{Retry: 3, AckTimeout: time.Millisecond})
	a := s.arena(1, 4096, rdma.LocalWrite|rdma.RemoteWrite)
	s.tap = func(int, *wire.Packet) bool { return false }
	for i := range 3 {
		require.NoError(t, s.qp[0].PostSend(write(a, uint64(i), 0, []byte("x"))))
	}
	s.run()
	require.Equal(t, []rdma.Completion{
		{ID: 0, QPN: 0x11, Op: rdma.OpWrite, Status: rdma.StatusRetryExceeded},
		{ID: 1, QPN: 0x11, Op: rdma.OpWrite, Status: rdma.StatusFlushed},
		{ID: 2, QPN: 0x11, Op: rdma.OpWrite, Status: rdma.StatusFlushed},
	}, s.done[0])
	require.Equal(t, rdma.StateError, s.qp[0].State())
	require.Equal(t, rdma.StatusRetryExceeded, s.qp[0].Cause())
	require.Equal(t, 4*Time(time.Millisecond), s.now)
	require.EqualValues(t, 4, s.qp[0].Counters().Timeouts)
	require.EqualValues(t, 3, s.qp[0].Counters().Retransmitted)
	require.NoError(t, s.qp[0].PostSend(write(a, 9, 0, nil)))
	s.pull(0)
	require.Equal(t, rdma.StatusFlushed, s.done[0][3].Status)
}

func TestRNRRetryExceeded(t *testing.T) {
	s := newSim(t, testSeed(t), Config{RNRRetry: 2, RNRDelay: time.Millisecond})
	require.NoError(t, s.qp[0].PostSend(rdma.SendWR{ID: 1, Op: rdma.OpSend, Local: []byte("x")}))
	s.run()
	require.Equal(t, rdma.StatusRNRRetryExceeded, s.done[0][0].Status)
	require.EqualValues(t, 3, s.qp[0].Counters().RNRIn)
	require.GreaterOrEqual(t, s.now, 2*Time(time.Millisecond))
	require.Equal(t, rdma.StateRTS, s.qp[1].State())
}

// TestRefusals: what a responder refuses ends with the right status at both ends,
// and writes nothing.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(wr *rdma.SendWR, s *sim, a *arena)
		nak    wire.Syndrome
		status rdma.Status
	}{
		{"wrong key", func(wr *rdma.SendWR, _ *sim, _ *arena) { wr.RKey ^= 0x80 }, wire.NakRemoteAccess, rdma.StatusRemoteAccess},
		{"key of no region", func(wr *rdma.SendWR, _ *sim, _ *arena) { wr.RKey = 0xffffff00 }, wire.NakRemoteAccess, rdma.StatusRemoteAccess},
		{"below", func(wr *rdma.SendWR, _ *sim, _ *arena) { wr.VA-- }, wire.NakRemoteAccess, rdma.StatusRemoteAccess},
		{"one byte above", func(wr *rdma.SendWR, _ *sim, a *arena) { wr.VA = a.va + 4096 - 2999 }, wire.NakRemoteAccess, rdma.StatusRemoteAccess},
		{"wraps around", func(wr *rdma.SendWR, _ *sim, _ *arena) { wr.VA = ^uint64(0) - 10 }, wire.NakRemoteAccess, rdma.StatusRemoteAccess},
		{"no right on the qp", func(_ *rdma.SendWR, s *sim, _ *arena) { s.qp[1].SetAccess(rdma.RemoteRead) }, wire.NakInvalidRequest, rdma.StatusRemoteInvalidRequest},
		{"deregistered", func(_ *rdma.SendWR, s *sim, a *arena) { a.mr.Deregister() }, wire.NakRemoteAccess, rdma.StatusRemoteAccess},
		{"read of a write region", func(wr *rdma.SendWR, _ *sim, _ *arena) { wr.Op = rdma.OpRead }, wire.NakRemoteAccess, rdma.StatusRemoteAccess},
		{"atomic on a write region", func(wr *rdma.SendWR, _ *sim, a *arena) {
			wr.Op, wr.Local, wr.VA = rdma.OpFetchAdd, make([]byte, 8), a.va&^7+8
		}, wire.NakRemoteAccess, rdma.StatusRemoteAccess},
		{"unaligned atomic", func(wr *rdma.SendWR, _ *sim, a *arena) {
			wr.Op, wr.Local, wr.VA = rdma.OpCompareSwap, make([]byte, 8), a.va|1
		}, wire.NakInvalidRequest, rdma.StatusRemoteInvalidRequest},
		{"send longer than the receive", func(wr *rdma.SendWR, s *sim, _ *arena) {
			wr.Op = rdma.OpSend
			_ = s.qp[1].PostRecv(rdma.RecvWR{ID: 7, Local: make([]byte, 2000)})
		}, wire.NakInvalidRequest, rdma.StatusRemoteInvalidRequest},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSim(t, testSeed(t), Config{Access: allRights})
			a := s.arena(1, 4096, rdma.LocalWrite|rdma.RemoteWrite)
			before := append([]byte{}, a.all...)
			var syndrome wire.Syndrome
			s.tap = func(from int, p *wire.Packet) bool {
				if p.AETH != nil {
					syndrome = p.AETH.Syndrome()
				}
				return true
			}
			wr := write(a, 1, 0, fill(s.rnd, 3000))
			c.change(&wr, s, a)
			require.NoError(t, s.qp[0].PostSend(wr))
			s.run()
			require.Equal(t, c.status, s.done[0][0].Status)
			require.Equal(t, c.nak, syndrome)
			require.Equal(t, rdma.StateError, s.qp[0].State())
			require.Equal(t, rdma.StateError, s.qp[1].State(), "responder's queue pair fails too")
			require.Equal(t, before, a.all)
		})
	}
}

// TestRevokeMidMessage: taking the right away stops a message under way.
func TestRevokeMidMessage(t *testing.T) {
	for _, dereg := range []bool{false, true} {
		s := newSim(t, testSeed(t), Config{Access: allRights})
		a := s.arena(1, 1<<14, rdma.LocalWrite|rdma.RemoteWrite)
		n := 0
		s.tap = func(from int, _ *wire.Packet) bool {
			if from == 0 {
				n++
			}
			return true
		}
		a.mr.OnRemoteWrite(func(off, _ int) {
			if off == 2048 {
				if dereg {
					a.mr.Deregister()
				} else {
					s.qp[1].SetAccess(0)
				}
			}
		})
		data := fill(s.rnd, 1<<14)
		require.NoError(t, s.qp[0].PostSend(write(a, 1, 0, data)))
		s.run()
		want := rdma.StatusRemoteInvalidRequest
		if dereg {
			want = rdma.StatusRemoteAccess
		}
		require.Equal(t, want, s.done[0][0].Status)
		require.Equal(t, data[:3072], a.bytes()[:3072])
		require.NotContains(t, a.bytes()[3072:], data[3072:3100])
		require.EqualValues(t, 0xee, a.bytes()[3072])
	}
}

// TestReadRevoked: a READ response under way stops when the region goes.
func TestReadRevoked(t *testing.T) {
	s := newSim(t, testSeed(t), Config{Access: allRights})
	a := s.arena(1, 1<<14, rdma.RemoteRead)
	n := 0
	s.tap = func(from int, p *wire.Packet) bool {
		if p.BTH.Opcode().IsReadResponse() {
			if n++; n == 3 {
				a.mr.Deregister()
			}
		}
		return true
	}
	require.NoError(t, s.qp[0].PostSend(rdma.SendWR{ID: 1, Op: rdma.OpRead, Local: make([]byte, 1<<14), VA: a.va, RKey: a.mr.Key()}))
	s.run()
	require.Equal(t, 3, n)
	require.Equal(t, rdma.StatusRemoteAccess, s.done[0][0].Status)
}

// TestOneNakPerGap: a lost packet costs one NAK 0x60 with the expected PSN and a
// resend that goes on in the middle of the message.
func TestOneNakPerGap(t *testing.T) {
	s := newSim(t, testSeed(t), Config{Access: allRights})
	a := s.arena(1, 1<<14, rdma.LocalWrite|rdma.RemoteWrite)
	var naks []wire.PSN
	var sent []wire.Opcode
	lost := false
	first := s.qp[0].Peer().SendPSN
	s.tap = func(from int, p *wire.Packet) bool {
		if from == 1 && p.AETH.Syndrome().IsNak() {
			naks = append(naks, p.BTH.PSN())
		}
		if from == 0 {
			if p.BTH.PSN() == first.Add(5) && !lost {
				lost = true
				return false
			}
			if lost {
				sent = append(sent, p.BTH.Opcode())
			}
		}
		return true
	}
	data := fill(s.rnd, 1<<14)
	require.NoError(t, s.qp[0].PostSend(write(a, 1, 0, data)))
	s.run()
	require.Equal(t, []wire.PSN{first.Add(5)}, naks)
	require.Equal(t, wire.WriteMiddle, sent[10], "resend begins with a MIDDLE")
	require.Equal(t, data, a.bytes())
	require.EqualValues(t, 0, s.qp[0].Counters().Timeouts)
	require.EqualValues(t, 11, s.qp[0].Counters().Retransmitted)
}

func TestForeignPackets(t *testing.T) {
	s := newSim(t, testSeed(t), Config{Access: allRights})
	a := s.arena(1, 64, rdma.LocalWrite|rdma.RemoteWrite)
	require.NoError(t, s.qp[0].PostSend(write(a, 1, 0, []byte("abcd"))))
	frame := s.qp[0].Next(0, nil)
	deliver := func(change func(b []byte), fix bool) Counters {
		b := append([]byte{}, frame...)
		change(b)
		if fix {
			b = reseal(b)
		}
		var p wire.Packet
		require.NoError(t, wire.Parse(b, &p))
		s.qp[1].Receive(0, &p)
		return s.qp[1].Counters()
	}
	require.EqualValues(t, 1, deliver(func(b []byte) { b[26]++ }, true).DropAddress, "source")
	require.EqualValues(t, 2, deliver(func(b []byte) { b[33]++ }, true).DropAddress, "destination")
	require.EqualValues(t, 1, deliver(func(b []byte) { b[70]++ }, false).DropICRC)
	require.EqualValues(t, 1, deliver(func(b []byte) { b[44] = 0x12 }, true).DropPKey)
	require.EqualValues(t, 1, deliver(func(b []byte) { b[42] = byte(wire.UDSendOnly) }, true).DropOperation)
	require.False(t, s.qp[1].Heard())
	require.Zero(t, s.qp[1].Counters().AcksOut)
	s.qp[1].Close()
	require.EqualValues(t, 1, deliver(func([]byte) {}, true).DropState)
}

// reseal computes the ICRC of a changed frame again.
func reseal(b []byte) []byte {
	var p wire.Packet
	if wire.Parse(b, &p) != nil {
		return b
	}
	h := wire.Header{
		Src: p.IP.Src(), Dst: p.IP.Dst(), SrcPort: p.UDP.SrcPort(), Opcode: p.BTH.Opcode(), AckReq: p.BTH.AckReq(),
		DestQP: p.BTH.DestQP(), PSN: p.BTH.PSN(), PKey: p.BTH.PKey(),
	}
	if p.RETH != nil {
		h.VA, h.RKey, h.Length = p.RETH.VA(), p.RETH.RKey(), p.RETH.Length()
	}
	return wire.AppendFrame(nil, &h, p.Payload)
}

func TestCongestionNotification(t *testing.T) {
	s := newSim(t, testSeed(t), Config{Access: allRights, CNPInterval: 50 * time.Microsecond})
	s.faults.mark = 1000
	a := s.arena(1, 1<<15, rdma.LocalWrite|rdma.RemoteWrite)
	var cnps []Time
	s.tap = func(from int, p *wire.Packet) bool {
		if p.BTH.Opcode() == wire.CongestionNotification && from == 1 {
			require.True(t, p.BTH.BECN())
			require.EqualValues(t, 0x11, p.BTH.DestQP())
			cnps = append(cnps, s.now)
		}
		return true
	}
	for range 40 {
		require.NoError(t, s.qp[0].PostSend(write(a, 1, 0, make([]byte, 1<<15))))
		s.run()
	}
	require.Greater(t, len(cnps), 2)
	for i := 1; i < len(cnps); i++ {
		require.GreaterOrEqual(t, cnps[i]-cnps[i-1], 50*Time(time.Microsecond))
	}
	require.EqualValues(t, len(cnps), s.qp[0].Counters().CNPIn)
}

// TestCoalescing: with coalescing one acknowledgement covers a batch; without it
// each request that asks gets its own.
func TestCoalescing(t *testing.T) {
	for _, c := range []struct{ coalesce, acks int }{{0, 12}, {4, 3}, {100, 1}} {
		s := newSim(t, testSeed(t), Config{Access: allRights, CoalesceAcks: c.coalesce})
		s.batch = true
		a := s.arena(1, 64, rdma.LocalWrite|rdma.RemoteWrite)
		for i := range 12 {
			require.NoError(t, s.qp[0].PostSend(write(a, uint64(i), 0, []byte("x"))))
		}
		s.run()
		require.EqualValues(t, c.acks, s.qp[1].Counters().AcksOut)
		require.Len(t, s.done[0], 12)
	}
}

// TestCredits: a requester that is told so waits for receives instead of running
// into receiver-not-ready.
func TestCredits(t *testing.T) {
	s := newSim(t, testSeed(t), Config{Access: allRights, Credits: true, RNRDelay: time.Second})
	for i := range 2 {
		require.NoError(t, s.qp[1].PostRecv(rdma.RecvWR{ID: uint64(i), Local: make([]byte, 10)}))
	}
	require.NoError(t, s.qp[0].PostSend(rdma.SendWR{Op: rdma.OpSend, Local: []byte("a")}))
	s.run() // learns that there is one credit left
	require.NoError(t, s.qp[1].PostRecv(rdma.RecvWR{ID: 2, Local: make([]byte, 10)}))
	for i := range 5 {
		require.NoError(t, s.qp[0].PostSend(rdma.SendWR{ID: uint64(i), Op: rdma.OpSend, Local: []byte("b")}))
	}
	s.pull(0)
	require.Equal(t, 1, s.wire.Len(), "one credit, one message")
	for i := range 5 {
		require.NoError(t, s.qp[1].PostRecv(rdma.RecvWR{ID: uint64(3 + i), Local: make([]byte, 10)}))
	}
	s.run()
	require.Len(t, s.done[0], 6)
	require.Len(t, s.done[1], 6)
	require.Zero(t, s.qp[1].Counters().RNROut)
}

// TestGhostAck: an acknowledgement of a PSN that was never sent completes
// nothing.
func TestGhostAck(t *testing.T) {
	s := newSim(t, testSeed(t), Config{Access: allRights})
	a := s.arena(1, 64, rdma.LocalWrite|rdma.RemoteWrite)
	require.NoError(t, s.qp[0].PostSend(write(a, 1, 0, []byte("x"))))
	_ = s.qp[0].Next(0, nil)
	ack := wire.AppendFrame(nil, &wire.Header{
		Src: wire.Addr{10, 0, 0, 2}, Dst: wire.Addr{10, 0, 0, 1}, Opcode: wire.Acknowledge, DestQP: 0x11,
		PSN: s.qp[0].Peer().SendPSN.Add(1), Syndrome: wire.AckSyndrome(0x1f),
	}, nil)
	var p wire.Packet
	require.NoError(t, wire.Parse(ack, &p))
	s.qp[0].Receive(0, &p)
	s.pull(0)
	require.Empty(t, s.done[0])
	require.EqualValues(t, 1, s.qp[0].Counters().DropAckGhost)
}

// TestNoAllocations: the hot path of requester and responder does not allocate.
func TestNoAllocations(t *testing.T) {
	s := newSim(t, testSeed(t), Config{Access: allRights})
	a := s.arena(1, 1<<14, rdma.LocalWrite|rdma.RemoteWrite)
	src := s.arena(1, 1<<14, rdma.RemoteRead)
	data, buf, into := make([]byte, 3000), make([]byte, 0, 5000), make([]byte, 3000)
	recv := make([]byte, 3000)
	var p wire.Packet
	exchange := func() {
		for moved := true; moved; {
			moved = false
			for i := range 2 {
				for {
					f := s.qp[i].Next(s.now, buf)
					if len(f) == 0 {
						break
					}
					moved = true
					if wire.Parse(f, &p) != nil {
						t.Fatal("bad frame")
					}
					s.qp[1-i].Receive(s.now, &p)
				}
			}
		}
	}
	var c rdma.Completion
	require.Zero(t, testing.AllocsPerRun(200, func() {
		_ = s.qp[1].PostRecv(rdma.RecvWR{Local: recv})
		_ = s.qp[0].PostSend(write(a, 1, 0, data))
		_ = s.qp[0].PostSend(rdma.SendWR{Op: rdma.OpSend, Local: data})
		_ = s.qp[0].PostSend(rdma.SendWR{Op: rdma.OpRead, Local: into, VA: src.va, RKey: src.mr.Key()})
		exchange()
		n := 0
		for i := range 2 {
			for s.qp[i].PollCompletion(&c) {
				if c.Status != rdma.StatusOK {
					t.Fatal(c.Status)
				}
				n++
			}
		}
		if n != 4 {
			t.Fatalf("%d completions", n)
		}
	}))
}

func BenchmarkWrite64(b *testing.B) {
	s := newSim(b, 1, Config{Access: allRights})
	a := s.arena(1, 64, rdma.LocalWrite|rdma.RemoteWrite)
	data, buf := make([]byte, 64), make([]byte, 0, 5000)
	var p wire.Packet
	var c rdma.Completion
	for b.Loop() {
		_ = s.qp[0].PostSend(write(a, 1, 0, data))
		_ = wire.Parse(s.qp[0].Next(0, buf), &p)
		s.qp[1].Receive(0, &p)
		_ = wire.Parse(s.qp[1].Next(0, buf), &p)
		s.qp[0].Receive(0, &p)
		if !s.qp[0].PollCompletion(&c) {
			b.Fatal("no completion")
		}
	}
}
