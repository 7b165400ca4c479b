package wire

import (
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

var known = func() []Opcode {
	var ops []Opcode
	for o := range 256 {
		if Opcode(o).Known() {
			ops = append(ops, Opcode(o))
		}
	}
	return ops
}()

func randomHeader(r *rand.Rand, op Opcode) *Header {
	h := &Header{
		Src: Addr{10, 0, byte(r.Uint32()), 1}, Dst: Addr{10, 0, byte(r.Uint32()), 2},
		SrcPort: uint16(r.Uint32()), ID: uint16(r.Uint32()), TOS: uint8(r.Uint32()), TTL: 1 + uint8(r.Uint32N(200)),
		Opcode: op, Solicited: r.IntN(2) == 0, MigReq: r.IntN(2) == 0, BECN: r.IntN(2) == 0, AckReq: r.IntN(2) == 0,
		DestQP: r.Uint32() & QPNMask, PSN: PSNOf(r.Uint32()), PKey: 0x7fff,
		VA: r.Uint64(), RKey: r.Uint32(), Length: r.Uint32(), Syndrome: Syndrome(r.Uint32()), MSN: r.Uint32() & PSNMask,
		SwapAdd: r.Uint64(), Compare: r.Uint64(), Original: r.Uint64(), Imm: r.Uint32(), QKey: r.Uint32(), SrcQP: r.Uint32() & QPNMask,
	}
	for i := range 6 {
		h.SrcMAC[i], h.DstMAC[i] = byte(r.Uint32()), byte(r.Uint32())
	}
	return h
}

func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func newRand(t testing.TB) *rand.Rand {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 1))
}

// TestRoundTrip builds frames of every opcode and reads every field back.
func TestRoundTrip(t *testing.T) {
	r := newRand(t)
	var p Packet
	for range 200 {
		for _, op := range known {
			h, payload := randomHeader(r, op), randomBytes(r, r.IntN(70))
			prefix := []byte("prefix")
			f := AppendFrame(prefix, h, payload)[len(prefix):]
			require.Len(t, f, h.FrameLen(len(payload)))
			require.LessOrEqual(t, len(f), len(payload)+MaxOverhead)
			require.NoError(t, Parse(append(f, 0, 0, 0), &p), "ethernet padding is no part of the packet")
			require.True(t, p.ICRCOK())
			require.True(t, p.IP.ChecksumOK())
			require.Equal(t, payload, append([]byte{}, p.Payload...))
			got := Header{
				SrcMAC: p.Eth.Src(), DstMAC: p.Eth.Dst(), Src: p.IP.Src(), Dst: p.IP.Dst(),
				SrcPort: p.UDP.SrcPort(), ID: p.IP.ID(), TOS: p.IP.TOS(), TTL: p.IP.TTL(),
				Opcode: p.BTH.Opcode(), Solicited: p.BTH.Solicited(), MigReq: p.BTH.MigReq(), BECN: p.BTH.BECN(),
				AckReq: p.BTH.AckReq(), DestQP: p.BTH.DestQP(), PSN: p.BTH.PSN(), PKey: p.BTH.PKey(),
			}
			want := *h
			want.VA, want.RKey, want.Length, want.Syndrome, want.MSN = 0, 0, 0, 0, 0
			want.SwapAdd, want.Compare, want.Original, want.Imm, want.QKey, want.SrcQP = 0, 0, 0, 0, 0, 0
			if op.HasRETH() {
				want.VA, want.RKey, want.Length = h.VA, h.RKey, h.Length
				got.VA, got.RKey, got.Length = p.RETH.VA(), p.RETH.RKey(), p.RETH.Length()
			}
			if op.HasAETH() {
				want.Syndrome, want.MSN = h.Syndrome, h.MSN
				got.Syndrome, got.MSN = p.AETH.Syndrome(), p.AETH.MSN()
			}
			if op.IsAtomic() {
				want.VA, want.RKey, want.SwapAdd, want.Compare = h.VA, h.RKey, h.SwapAdd, h.Compare
				got.VA, got.RKey, got.SwapAdd, got.Compare = p.AtomicETH.VA(), p.AtomicETH.RKey(), p.AtomicETH.SwapAdd(), p.AtomicETH.Compare()
			}
			if op == AtomicAcknowledge {
				want.Original, got.Original = h.Original, p.AtomicAck.Original()
			}
			if op.HasImm() {
				want.Imm, got.Imm = h.Imm, p.Imm.Value()
			}
			if op.HasDETH() {
				want.QKey, want.SrcQP = h.QKey, h.SrcQP
				got.QKey, got.SrcQP = p.DETH.QKey(), p.DETH.SrcQP()
			}
			require.Equal(t, want, got, "%v", op)
		}
	}
}

// TestGoldenFrame pins one frame byte for byte but for the ICRC, which package icrc
// tests against an independent computation.
func TestGoldenFrame(t *testing.T) {
	h := &Header{
		SrcMAC: MAC{2, 0, 0, 0, 0, 1}, DstMAC: MAC{2, 0, 0, 0, 0, 2}, Src: Addr{10, 0, 0, 1}, Dst: Addr{10, 0, 0, 2},
		SrcPort: 0xc011, Opcode: WriteOnly, AckReq: true, DestQP: 0x11, PSN: 0x123456, VA: 0x1000, RKey: 0x2000, Length: 5,
	}
	f := AppendFrame(nil, h, []byte("hello"))
	require.Equal(t, "020000000002"+"020000000001"+"0800"+
		"4500004400004000401126"+"a7"+"0a0000010a000002"+
		"c01112b700300000"+
		"0a30ffff0000001180123456"+
		"0000000000001000"+"00002000"+"00000005"+
		"68656c6c6f000000", hex.EncodeToString(f[:len(f)-4]))
}

func TestCNP(t *testing.T) {
	f := AppendCNP(nil, &Header{DestQP: 7, PSN: 99})
	require.Len(t, f, EthernetLen+IPv4Len+UDPLen+BTHLen+CNPPayload+4)
	var p Packet
	require.NoError(t, Parse(f, &p))
	require.True(t, p.ICRCOK() && p.BTH.BECN())
	require.EqualValues(t, 7, p.BTH.DestQP())
	require.Equal(t, make([]byte, 16), p.Payload)
}

func TestConnectionManagementFrameLength(t *testing.T) {
	require.Equal(t, 322, (&Header{Opcode: UDSendOnly}).FrameLen(256))
}

func TestParseErrors(t *testing.T) {
	good := AppendFrame(nil, &Header{Opcode: WriteOnly}, []byte{1, 2, 3, 4})
	mutate := func(f func(b []byte) []byte) []byte { return f(append([]byte{}, good...)) }
	set := func(i int, v byte) []byte {
		return mutate(func(b []byte) []byte { b[i] = v; return b })
	}
	for _, c := range []struct {
		name string
		in   []byte
		err  error
	}{
		{"empty", nil, ErrShort},
		{"cut in ip", good[:30], ErrShort},
		{"cut in payload", good[:len(good)-1], ErrIPHeader},
		{"arp", set(13, 6), ErrNotRoCE},
		{"version 6", set(14, 0x65), ErrNotRoCE},
		{"options", set(14, 0x46), ErrIPHeader},
		{"fragment", set(20, 0x20), ErrIPHeader},
		{"tcp", set(23, 6), ErrNotRoCE},
		{"other port", set(37, 1), ErrNotRoCE},
		{"udp length", set(39, 1), ErrUDPLength},
		{"opcode", set(42, 0xfe), ErrOpcode},
		{"version", set(43, 1), ErrTVer},
		{"longer headers than packet", set(42, byte(CompareSwap)), nil},
		{"pad", mutate(func([]byte) []byte {
			f := AppendFrame(nil, &Header{Opcode: WriteMiddle}, nil)
			BTH(f[42:]).SetPadCount(1)
			return f
		}), ErrPad},
		{"no room for reth", mutate(func([]byte) []byte {
			f := AppendFrame(nil, &Header{Opcode: WriteMiddle}, []byte{1, 2, 3, 4})
			f[42] = byte(WriteOnly)
			return f
		}), ErrShort},
		{"no room for bth", func() []byte {
			f := append([]byte{}, good[:14+20+8+12]...)
			IPv4(f[14:]).SetTotalLen(len(f) - 14)
			UDP(f[34:]).SetLen(len(f) - 34)
			return f
		}(), ErrShort},
	} {
		var p Packet
		err := Parse(c.in, &p)
		if c.name == "longer headers than packet" {
			require.ErrorIs(t, err, ErrShort)
			continue
		}
		require.ErrorIs(t, err, c.err, c.name)
	}
}

func TestString(t *testing.T) {
	var p Packet
	require.Equal(t, "not a roce packet", p.String())
	f := AppendFrame(nil, &Header{Src: Addr{1, 2, 3, 4}, Opcode: WriteOnly, DestQP: 17, PSN: 5, VA: 16, RKey: 3, Length: 2}, []byte("ab"))
	require.NoError(t, Parse(f, &p))
	require.Equal(t, "1.2.3.4 -> 0.0.0.0 qp 0x11 WRITE ONLY psn 0x000005 va 0x10 rkey 0x3 length 2 payload 2", p.String())
	f = AppendFrame(nil, &Header{Opcode: Acknowledge, Syndrome: NakSequence, MSN: 9}, nil)
	require.NoError(t, Parse(f, &p))
	require.Contains(t, p.String(), "nak: psn sequence error msn 9")
}

func TestNoAllocations(t *testing.T) {
	h := randomHeader(newRand(t), WriteOnly)
	payload, buf := make([]byte, 1024), make([]byte, 0, 2048)
	p := new(Packet)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		f := AppendFrame(buf, h, payload)
		if Parse(f, p) != nil || !p.ICRCOK() {
			t.Error("frame does not parse")
		}
	}))
}

func FuzzParse(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, op := range known {
		f.Add(AppendFrame(nil, randomHeader(r, op), randomBytes(r, 9)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var p Packet
		if Parse(b, &p) != nil {
			return
		}
		_ = p.String()
		_ = p.ICRCOK()
		// What parses can be built again, and the payload is as long as the
		// lengths say.
		n := p.BTH.Opcode().HeaderLen() + len(p.Payload) + p.BTH.PadCount() + 4
		if n != p.UDP.Len()-UDPLen {
			t.Fatalf("headers, payload and pad are %d bytes of %d", n, p.UDP.Len()-UDPLen)
		}
	})
}

func BenchmarkAppendFrame(b *testing.B) {
	h, payload, buf := &Header{Opcode: WriteOnly}, make([]byte, 64), make([]byte, 0, 2048)
	for b.Loop() {
		AppendFrame(buf, h, payload)
	}
}

func BenchmarkParseAndCheck(b *testing.B) {
	f := AppendFrame(nil, &Header{Opcode: WriteOnly}, make([]byte, 64))
	var p Packet
	for b.Loop() {
		if Parse(f, &p) != nil || !p.ICRCOK() {
			b.Fatal("bad frame")
		}
	}
}
