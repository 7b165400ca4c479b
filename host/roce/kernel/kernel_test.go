package kernel

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce/rc"
	"github.com/p4ce/p4ce/roce/icrc"
	"github.com/p4ce/p4ce/roce/wire"
)

var (
	us, them = wire.Addr{10, 0, 0, 1}, wire.Addr{10, 0, 0, 2}
	peer     = rc.Peer{
		QPN: 0x321, LocalMAC: wire.MAC{2, 0, 0, 0, 0, 1}, RemoteMAC: wire.MAC{2, 0, 0, 0, 0, 2}, Local: us, Remote: them,
		SrcPort: 0xc123, SendPSN: 5, RecvPSN: 0xfffff0, // it wraps soon
	}
)

const memory = 1 << 16

// bare is a responder without an interface: its program is run by hand.
func bare(t *testing.T) (*Responder, *ebpf.Program) {
	needs.Root(t, "a BPF program")
	r := &Responder{ringing: make([]func(), slotCount)}
	prog, err := r.load(us, nil, 4*memory)
	require.NoError(t, err)
	r.wg.Add(1)
	go r.listen()
	t.Cleanup(func() { prog.Close(); require.NoError(t, r.Close()) })
	return r, prog
}

// side is one of two queue pairs that get the same packets.
type side struct {
	qp     *rc.QP
	memory rc.Memory
	mr     *rc.MR
	slot   *Slot
	got    []byte
}

// newSide makes a connected queue pair; r is nil for one without a partner.
func newSide(t require.TestingT, r *Responder, qpn uint32, mtu int, access rdma.Access) *side {
	s := &side{}
	buf := make([]byte, memory)
	if r != nil {
		buf = r.Alloc(memory)
	}
	var err error
	s.mr, err = s.memory.Register(buf, 0x10000, rdma.LocalWrite|rdma.RemoteWrite|rdma.RemoteRead, 7)
	require.NoError(t, err)
	s.qp, err = rc.New(rc.Config{QPN: qpn, Memory: &s.memory, Access: access, MTU: mtu, AckTimeout: -1})
	require.NoError(t, err)
	if r != nil {
		require.NoError(t, r.Register(s.mr))
		s.slot = r.Slot(qpn, 0).(*Slot)
		s.qp.SetPartner(s.slot)
	}
	s.got = make([]byte, 4096)
	for range 8 {
		require.NoError(t, s.qp.PostRecv(rdma.RecvWR{Local: s.got}))
	}
	require.NoError(t, s.qp.Connect(peer))
	require.NoError(t, s.qp.Start())
	return s
}

func (s *side) close(r *Responder) {
	if r == nil {
		return
	}
	var buf []byte
	s.mr.Write(func(b []byte) { buf = b })
	_ = r.Deregister(s.mr)
	s.mr.Deregister()
	s.qp.Close()
	r.Release(s.slot)
	r.Free(buf)
}

// answers of a queue pair to a frame.
func (s *side) receive(frame []byte) (out [][]byte) {
	var p wire.Packet
	if wire.Parse(frame, &p) == nil && p.IP.Dst() == us && p.BTH.DestQP() == s.qp.QPN() {
		s.qp.Receive(0, &p)
	}
	for {
		f := s.qp.Next(0, nil)
		if len(f) == 0 {
			return out
		}
		out = append(out, f)
	}
}

func (s *side) bytes() []byte {
	b := make([]byte, memory)
	_, _ = s.mr.ReadAt(b, 0)
	return b
}

// with runs the program first, as the kernel does.
func (s *side) with(t require.TestingT, prog *ebpf.Program, frame []byte) (out [][]byte, kernel bool) {
	action, answer, err := prog.Test(frame)
	require.NoError(t, err)
	switch action {
	case 1: // XDP_DROP
		return nil, true
	case 3: // XDP_TX
		return [][]byte{answer}, true
	}
	require.Equal(t, uint32(2), action) // to the socket, or its stand-in: XDP_PASS
	return s.receive(frame), false
}

// packets draws a packet that a peer may send, well-formed or not, which expects next.
func packet(t *rapid.T, s *side, p *rc.Progress) []byte {
	h := &wire.Header{
		SrcMAC: peer.RemoteMAC, DstMAC: peer.LocalMAC, Src: them, Dst: us, SrcPort: 0xc000, DestQP: s.qp.QPN(),
		PSN: p.Expected, AckReq: rapid.IntRange(0, 3).Draw(t, "ackreq") > 0, RKey: s.mr.Key(), VA: s.mr.Addr(),
		TTL: uint8(rapid.IntRange(1, 255).Draw(t, "ttl")),
	}
	mtu := s.qp.MTU()
	n := rapid.SampledFrom([]int{0, 1, 3, 4, 8, 13, 64, 100, 127, 128, 129, 191, 192, 193, 200, 1000, mtu - 1, mtu, mtu + 1}).Draw(t, "len")
	h.VA += uint64(rapid.IntRange(0, memory-8200).Draw(t, "at"))
	if rapid.Bool().Draw(t, "aligned") {
		h.VA &^= 7
	}
	odd := func(what string) bool { return rapid.Uint8().Draw(t, what)%100 == 77 } // small numbers are drawn often
	switch kind := rapid.IntRange(0, 9).Draw(t, "kind"); {
	case p.In == 1 && kind < 8: // go on with a WRITE
		h.Opcode, n = wire.WriteMiddle, mtu
		if p.Left <= uint64(mtu) {
			h.Opcode, n = wire.WriteLast, int(p.Left)
		}
	case kind < 5:
		h.Opcode, h.Length = wire.WriteOnly, uint32(n)
	case kind < 7:
		h.Opcode, h.Length, n = wire.WriteFirst, uint32(mtu*rapid.IntRange(1, 3).Draw(t, "more")+n), mtu
	case kind < 9:
		h.Opcode, h.Length, n = wire.ReadRequest, uint32(n), 0
	default:
		h.Opcode = rapid.SampledFrom([]wire.Opcode{wire.SendOnly, wire.SendFirst, wire.WriteOnlyImm, wire.FetchAdd, wire.WriteMiddle, wire.WriteLast, wire.Acknowledge}).Draw(t, "op")
	}
	if odd("psn") {
		h.PSN = h.PSN.Add(rapid.IntRange(-3, 3).Draw(t, "by"))
	}
	if odd("rkey") {
		h.RKey ^= 1 << rapid.IntRange(0, 31).Draw(t, "bit")
	}
	if odd("va") {
		h.VA = rapid.SampledFrom([]uint64{0, s.mr.Addr() - 8, s.mr.Addr() + memory - 8, s.mr.Addr() + memory, 1<<64 - 1}).Draw(t, "va at")
	}
	if odd("length") {
		h.Length = rapid.Uint32().Draw(t, "length is")
	}
	if odd("stranger") {
		h.Src[3] = 99
	}
	if odd("congested") {
		h.TOS = 3
	}
	if odd("partition") {
		h.PKey = 0x1234
	}
	f := wire.AppendFrame(nil, h, rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "payload"))
	if odd("flip") {
		f[rapid.IntRange(0, len(f)-1).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "flipped")
	}
	if odd("fresh") { // a field is not what it should be, but the ICRC is right
		f[rapid.IntRange(14, min(len(f)-5, 80)).Draw(t, "field")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "changed")
		icrc.Put(f[14:])
	}
	if odd("short") {
		f = f[:rapid.IntRange(14, len(f)).Draw(t, "cut")]
	}
	return append(f, make([]byte, max(60-len(f), 0))...)
}

// TestSameAsTheProcess gives the same packets to a queue pair with the kernel for a partner
// and to one without: answers, memory and state are the same, whoever executed them.
func TestSameAsTheProcess(t *testing.T) {
	r, prog := bare(t)
	qpn := uint32(0x100)
	var kernel, process int
	rapid.Check(t, func(t *rapid.T) {
		qpn += rapid.SampledFrom([]uint32{1, slotCount}).Draw(t, "qpn")
		mtu := rapid.SampledFrom([]int{256, 1024, 2048}).Draw(t, "mtu")
		access := rapid.SampledFrom([]rdma.Access{
			rdma.RemoteWrite | rdma.RemoteRead, rdma.RemoteWrite | rdma.RemoteRead, rdma.RemoteWrite, rdma.RemoteRead,
		}).Draw(t, "access")
		want, have := newSide(t, nil, qpn, mtu, access), newSide(t, r, qpn, mtu, access)
		defer have.close(r)
		for range rapid.IntRange(20, 100).Draw(t, "packets") {
			if want.qp.State() == rdma.StateError && rapid.Bool().Draw(t, "enough") {
				break
			}
			var p, q rc.Progress
			have.slot.Lock(&p)
			have.slot.Unlock(&p)
			f := packet(t, have, &p)
			a := want.receive(f)
			b, by := have.with(t, prog, f)
			require.Equal(t, a, b)
			if by {
				kernel++
			} else {
				process++
			}
			require.True(t, bytes.Equal(want.bytes(), have.bytes()), "memory")
			require.Equal(t, want.qp.State(), have.qp.State())
			have.slot.Lock(&q)
			have.slot.Unlock(&q)
			require.Equal(t, want.qp.State() == rdma.StateRTS, q.Serving)
			if rapid.Uint8().Draw(t, "rights") == 77 {
				now := rapid.SampledFrom([]rdma.Access{0, rdma.RemoteWrite | rdma.RemoteRead}).Draw(t, "now")
				want.qp.SetAccess(now)
				have.qp.SetAccess(now)
			}
		}
		a, b := want.qp.Counters(), have.qp.Counters()
		require.Equal(t, a, b)
	})
	t.Logf("%d packets were the kernel's, %d the process's", kernel, process)
	require.Greater(t, kernel, process, "the kernel has its share")
}

func frameOf(qp uint32, psn wire.PSN, h wire.Header, payload []byte) []byte {
	h.SrcMAC, h.DstMAC, h.Src, h.Dst, h.SrcPort, h.DestQP, h.PSN, h.AckReq = peer.RemoteMAC, peer.LocalMAC, them, us, 0xc000, qp, psn, true
	if h.Opcode == wire.WriteOnly {
		h.Length = uint32(len(payload))
	}
	return wire.AppendFrame(nil, &h, payload)
}

// TestRules: each rule of the package, alone.
func TestRules(t *testing.T) {
	const rights = rdma.RemoteWrite | rdma.RemoteRead
	write := func(s *side, psn wire.PSN) []byte {
		return frameOf(s.qp.QPN(), psn, wire.Header{Opcode: wire.WriteOnly, RKey: s.mr.Key(), VA: s.mr.Addr()}, []byte("12345678"))
	}
	first := peer.RecvPSN
	kernels := func(t *testing.T, prog *ebpf.Program, frame []byte) bool {
		action, _, err := prog.Test(frame)
		require.NoError(t, err)
		return action != 2
	}
	t.Run("a slot that the process holds", func(t *testing.T) {
		r, prog := bare(t)
		s := newSide(t, r, 0x100, 1024, rights)
		s.slot.lock()
		require.False(t, kernels(t, prog, write(s, first)), "the request goes up")
		s.slot.unlock()
		require.False(t, kernels(t, prog, write(s, first+1)), "and so do those behind it")
		require.Len(t, s.receive(write(s, first)), 1)
		require.Len(t, s.receive(write(s, first+1)), 1)
		require.True(t, kernels(t, prog, write(s, first+2)), "until they have been executed")
	})
	t.Run("what a stranger sends", func(t *testing.T) {
		r, prog := bare(t)
		s := newSide(t, r, 0x100, 1024, rights)
		psn := first
		for op := range wire.Opcode(0x20) {
			for what, spoil := range map[string]func(f []byte){
				"damaged":       func(f []byte) { f[len(f)-5] ^= 1 },
				"somebody else": func(f []byte) { f[29]++; wire.IPv4(f[14:34]).SetChecksum(); icrc.Put(f[14:]) },
				"partition":     func(f []byte) { f[45] ^= 1; icrc.Put(f[14:]) },
			} {
				f := frameOf(0x100, psn, wire.Header{Opcode: op, RKey: s.mr.Key(), VA: s.mr.Addr(), Length: 8}, []byte("12345678"))
				spoil(f)
				require.False(t, kernels(t, prog, f), "%v, %s", op, what)
				require.True(t, kernels(t, prog, write(s, psn)), "behind %v, %s: the kernel goes on", op, what)
				psn++
			}
		}
	})
	t.Run("answers to send", func(t *testing.T) {
		r, prog := bare(t)
		s := newSide(t, r, 0x100, 1024, rights)
		var p wire.Packet
		long := frameOf(0x100, first, wire.Header{Opcode: wire.ReadRequest, RKey: s.mr.Key(), VA: s.mr.Addr(), Length: 4096}, nil)
		require.False(t, kernels(t, prog, long))
		require.NoError(t, wire.Parse(long, &p))
		s.qp.Receive(0, &p)
		require.NotEmpty(t, s.qp.Next(0, nil), "the first of four")
		require.False(t, kernels(t, prog, write(s, first.Add(4))), "nothing overtakes the others")
		require.Len(t, s.receive(write(s, first.Add(4))), 4, "three, and the acknowledgement")
		require.True(t, kernels(t, prog, write(s, first.Add(5))))
	})
	t.Run("before it is connected, and after", func(t *testing.T) {
		r, prog := bare(t)
		s := newSide(t, r, 0x100, 1024, rights)
		require.True(t, kernels(t, prog, write(s, first)))
		s.qp.Close()
		require.False(t, kernels(t, prog, write(s, first+1)))
		require.Empty(t, s.receive(write(s, first+1)))
		r.Release(s.slot)
		require.False(t, kernels(t, prog, write(s, first+1)))
		require.NotNil(t, r.Slot(0x100, 0), "the slot is free again")
		require.Nil(t, r.Slot(0x100+slotCount, 0), "two with one slot")
	})
	t.Run("a region that was taken away", func(t *testing.T) {
		r, prog := bare(t)
		s := newSide(t, r, 0x100, 1024, rights)
		require.True(t, kernels(t, prog, write(s, first)))
		require.NoError(t, r.Deregister(s.mr))
		require.False(t, kernels(t, prog, write(s, first+1)))
	})
	t.Run("a key of another domain", func(t *testing.T) {
		r, prog := bare(t)
		s := newSide(t, r, 0x100, 1024, rights)
		o := &side{memory: rc.Memory{ID: 1}}
		mr, err := o.memory.Register(r.Alloc(4096), 0x10000, rdma.LocalWrite|rdma.RemoteWrite, 9)
		require.NoError(t, err)
		require.NoError(t, r.Register(mr))
		f := frameOf(0x100, first, wire.Header{Opcode: wire.WriteOnly, RKey: mr.Key(), VA: mr.Addr()}, []byte("12345678"))
		require.False(t, kernels(t, prog, f))
		out := s.receive(f)
		require.Len(t, out, 1)
		var p wire.Packet
		require.NoError(t, wire.Parse(out[0], &p))
		require.Equal(t, wire.NakRemoteAccess, p.AETH.Syndrome())
	})
	t.Run("a region that may only be read", func(t *testing.T) {
		r, prog := bare(t)
		s := newSide(t, r, 0x100, 1024, rights)
		mr, err := s.memory.Register(r.Alloc(4096), 0x90000, rdma.LocalWrite|rdma.RemoteRead, 9)
		require.NoError(t, err)
		require.NoError(t, r.Register(mr))
		h := wire.Header{Opcode: wire.ReadRequest, RKey: mr.Key(), VA: mr.Addr(), Length: 8}
		require.True(t, kernels(t, prog, frameOf(0x100, first, h, nil)))
		h.Opcode = wire.WriteOnly
		require.False(t, kernels(t, prog, frameOf(0x100, first+1, h, []byte("12345678"))))
	})
	t.Run("a bell", func(t *testing.T) {
		r, prog := bare(t)
		s := newSide(t, r, 0x100, 1024, rights)
		rang := make(chan struct{}, 100)
		s.mr.OnRemoteWrite(func(int, int) { rang <- struct{}{} })
		for i := range 3 {
			require.True(t, kernels(t, prog, write(s, first.Add(i))))
			select {
			case <-rang: // each is told of, at the latest when the bell is armed again
			case <-time.After(20 * time.Second):
				t.Fatalf("nobody was told of WRITE %d", i)
			}
		}
	})
	t.Run("lost on its way to the process", func(t *testing.T) {
		r, prog := bare(t)
		s := newSide(t, r, 0x100, 1024, rights)
		s.slot.lock()
		require.False(t, kernels(t, prog, write(s, first)))
		s.slot.unlock()
		for psn, begin := first, time.Now(); ; { // what comes does not make up for it
			require.Less(t, time.Since(begin), 20*time.Second)
			f := write(s, psn)
			if kernels(t, prog, f) {
				break
			}
			s.receive(f)
			psn++
		}
	})
}

// TestRefusals: what the transport refuses, or answers without executing it, the kernel does
// not execute either, and both answer the same.
func TestRefusals(t *testing.T) {
	const rights = rdma.RemoteWrite | rdma.RemoteRead
	r, prog := bare(t)
	require.NotNil(t, r.Alloc(2*4096)) // there is memory before the region
	qpn := uint32(0x200)
	text := []byte("12345678")
	for name, packets := range map[string]func(s *side) [][]byte{
		"another partition": func(s *side) [][]byte {
			return [][]byte{frameOf(qpn, peer.RecvPSN, wire.Header{Opcode: wire.WriteOnly, PKey: 0x8001, RKey: s.mr.Key(), VA: s.mr.Addr()}, text)}
		},
		"damaged": func(s *side) [][]byte {
			f := frameOf(qpn, peer.RecvPSN, wire.Header{Opcode: wire.WriteOnly, RKey: s.mr.Key(), VA: s.mr.Addr()}, text)
			f[len(f)-6] ^= 1
			return [][]byte{f}
		},
		"somebody else": func(s *side) [][]byte {
			f := frameOf(qpn, peer.RecvPSN, wire.Header{Opcode: wire.WriteOnly, RKey: s.mr.Key(), VA: s.mr.Addr()}, text)
			ip := wire.IPv4(f[14:34])
			ip.SetSrc(wire.Addr{10, 0, 0, 3})
			ip.SetChecksum()
			icrc.Put(f[14:])
			return [][]byte{f}
		},
		"no right to read": func(s *side) [][]byte {
			s.qp.SetAccess(rdma.RemoteWrite)
			return [][]byte{frameOf(qpn, peer.RecvPSN, wire.Header{Opcode: wire.ReadRequest, RKey: s.mr.Key(), VA: s.mr.Addr(), Length: 8}, nil)}
		},
		"congestion": func(s *side) [][]byte {
			return [][]byte{frameOf(qpn, peer.RecvPSN, wire.Header{Opcode: wire.WriteOnly, TOS: 3, RKey: s.mr.Key(), VA: s.mr.Addr()}, text)}
		},
		"ahead, twice": func(s *side) [][]byte {
			f := frameOf(qpn, peer.RecvPSN.Add(2), wire.Header{Opcode: wire.WriteOnly, RKey: s.mr.Key(), VA: s.mr.Addr()}, text)
			return [][]byte{f, f}
		},
		"twice": func(s *side) [][]byte {
			f := frameOf(qpn, peer.RecvPSN, wire.Header{Opcode: wire.WriteOnly, RKey: s.mr.Key(), VA: s.mr.Addr()}, text)
			g := frameOf(qpn, peer.RecvPSN.Add(1), wire.Header{Opcode: wire.WriteOnly, RKey: s.mr.Key(), VA: s.mr.Addr()}, []byte("another!"))
			return [][]byte{f, g, f}
		},
		"a WRITE within a WRITE": func(s *side) [][]byte {
			first := wire.Header{Opcode: wire.WriteFirst, RKey: s.mr.Key(), VA: s.mr.Addr(), Length: 3 * 1024}
			return [][]byte{
				frameOf(qpn, peer.RecvPSN, first, make([]byte, 1024)),
				frameOf(qpn, peer.RecvPSN.Add(1), wire.Header{Opcode: wire.WriteOnly, RKey: s.mr.Key(), VA: s.mr.Addr()}, text),
			}
		},
		"before the region": func(s *side) [][]byte {
			return [][]byte{frameOf(qpn, peer.RecvPSN, wire.Header{Opcode: wire.WriteOnly, RKey: s.mr.Key(), VA: s.mr.Addr() - 8}, text)}
		},
		"over the region's end": func(s *side) [][]byte {
			return [][]byte{frameOf(qpn, peer.RecvPSN, wire.Header{Opcode: wire.WriteOnly, RKey: s.mr.Key(), VA: s.mr.Addr() + memory - 4}, text)}
		},
		"a right that was taken away": func(s *side) [][]byte {
			s.qp.SetAccess(rdma.RemoteRead)
			return [][]byte{frameOf(qpn, peer.RecvPSN, wire.Header{Opcode: wire.WriteOnly, RKey: s.mr.Key(), VA: s.mr.Addr()}, text)}
		},
	} {
		qpn++
		t.Run(name, func(t *testing.T) {
			want, have := newSide(t, nil, qpn, 1024, rights), newSide(t, r, qpn, 1024, rights)
			defer have.close(r)
			frames := packets(have)
			packets(want) // for what it does to the queue pair
			for _, f := range frames {
				answers, _ := have.with(t, prog, f)
				require.Equal(t, want.receive(f), answers)
				require.True(t, bytes.Equal(want.bytes(), have.bytes()), "memory")
				require.Equal(t, want.qp.State(), have.qp.State())
			}
		})
	}
}

func TestAlloc(t *testing.T) {
	r := &Responder{arena: make([]byte, 10*4096+guard), free: []span{{0, 10 * 4096}}}
	full := bytes.Repeat([]byte{1}, 3*4096)
	rapid.Check(t, func(t *rapid.T) {
		var held [][]byte
		for range 50 {
			if len(held) > 0 && rapid.Bool().Draw(t, "free") {
				i := rapid.IntRange(0, len(held)-1).Draw(t, "which")
				require.True(t, r.Free(held[i]))
				held = append(held[:i], held[i+1:]...)
				continue
			}
			b := r.Alloc(rapid.IntRange(1, 3*4096).Draw(t, "n"))
			if b == nil {
				continue
			}
			require.Equal(t, -1, bytes.IndexFunc(b, func(c rune) bool { return c != 0 }))
			copy(b, full)
			held = append(held, b)
		}
		for _, b := range held {
			require.True(t, bytes.Equal(full[:len(b)], b))
			require.True(t, r.Free(b))
		}
		require.Equal(t, []span{{0, 10 * 4096}}, r.free)
	})
	require.False(t, r.Free(make([]byte, 10)), "of somebody else's")
	require.Nil(t, r.Alloc(11*4096))
}

// BenchmarkWrite is the time for one WRITE without an acknowledgement, and without a
// network: the kernel measures it. What the ICRC costs is measured beside it, and what is
// left of the payload's part is what placing it costs.
func BenchmarkWrite(b *testing.B) {
	needs.Root(b, "a BPF program")
	r := &Responder{ringing: make([]func(), slotCount), measured: func(s *ebpf.CollectionSpec) error {
		return s.Variables["again"].Set(uint32(1))
	}}
	prog, err := r.load(us, nil, 4*memory)
	require.NoError(b, err)
	defer prog.Close()
	s := newSide(b, r, 0x100, 2048, rdma.RemoteWrite)
	run := func(b *testing.B, p *ebpf.Program, n int) float64 {
		f := frameOf(0x100, peer.RecvPSN, wire.Header{Opcode: wire.WriteOnly, RKey: s.mr.Key(), VA: s.mr.Addr()}, bytes.Repeat([]byte{0xa5}, n))
		f[14+20+8+8] = 0 // no answer: it would take the frame's place
		icrc.Put(f[14:])
		var best time.Duration
		for range 15 {
			action, d, err := p.Benchmark(f, 100_000, nil)
			require.NoError(b, err)
			require.Equal(b, uint32(1), action)
			if best == 0 || d < best {
				best = d
			}
		}
		return float64(best.Nanoseconds())
	}
	var nothing, nothingChecked float64
	for _, n := range []int{0, 64, 128, 192, 256, 512, 1024, 2048} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			all, check := run(b, prog, n), run(b, r.coll.Programs["check"], n)
			if n == 0 {
				nothing, nothingChecked = all, check
			}
			for b.Loop() { // nothing of it is Go's to measure
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(all, "ns/packet")
			b.ReportMetric(check, "ns/ICRC")
			b.ReportMetric(all-nothing-(check-nothingChecked), "ns/placing")
		})
	}
	last := make([]byte, 2048)
	_, err = s.mr.ReadAt(last, 0)
	require.NoError(b, err)
	require.Equal(b, bytes.Repeat([]byte{0xa5}, 2048), last, "it was placed")
}
