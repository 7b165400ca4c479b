package wire

import (
	"encoding/hex"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func filled(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = 0xff
	}
	return b
}

// The headers below are written over 0xff or 0x00 bytes and compared with the
// layouts of the IB spec, so that a setter which touches a neighbour shows.

func TestEthernetLayout(t *testing.T) {
	h := Ethernet(filled(EthernetLen))
	h.SetDst(MAC{1, 2, 3, 4, 5, 6})
	h.SetSrc(MAC{7, 8, 9, 10, 11, 12})
	h.SetEtherType(EtherTypeIPv4)
	require.Equal(t, "0102030405060708090a0b0c0800", hex.EncodeToString(h))
	require.Equal(t, MAC{1, 2, 3, 4, 5, 6}, h.Dst())
	require.Equal(t, MAC{7, 8, 9, 10, 11, 12}, h.Src())
	require.EqualValues(t, EtherTypeIPv4, h.EtherType())
}

func TestIPv4Layout(t *testing.T) {
	h := IPv4(filled(IPv4Len))
	h.SetVersionLen()
	h.SetTOS(2)
	h.SetTotalLen(60)
	h.SetID(0x1234)
	h.SetDF()
	h.SetTTL(64)
	h.SetProtocol(ProtocolUDP)
	h.SetSrc(Addr{10, 0, 0, 1})
	h.SetDst(Addr{10, 0, 0, 2})
	h.SetChecksum()
	require.Equal(t, "4502003c1234400040111479"+"0a0000010a000002", hex.EncodeToString(h))
	require.True(t, h.ChecksumOK())
	require.Equal(t, ECT0, h.ECN())
	require.False(t, h.Fragment())
	h[6] |= 0x20
	require.True(t, h.Fragment())
	require.False(t, h.ChecksumOK())
}

// TestIPv4Checksum compares the folded sum with the textbook loop.
func TestIPv4Checksum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := IPv4(rapid.SliceOfN(rapid.Byte(), IPv4Len, IPv4Len).Draw(t, "header"))
		h.SetChecksum()
		var sum uint32
		for i := 0; i < IPv4Len; i += 2 {
			sum += uint32(h[i])<<8 | uint32(h[i+1])
		}
		for sum > 0xffff {
			sum = sum>>16 + sum&0xffff
		}
		if sum != 0xffff || !h.ChecksumOK() {
			t.Fatalf("checksum %#x", sum)
		}
	})
}

func TestUDPLayout(t *testing.T) {
	h := UDP(filled(UDPLen))
	h.SetSrcPort(0xc001)
	h.SetDstPort(UDPPort)
	h.SetLen(40)
	h.SetChecksum(0xabcd)
	require.Equal(t, "c00112b70028abcd", hex.EncodeToString(h))
	require.EqualValues(t, 0xabcd, h.Checksum())
}

func TestBTHLayout(t *testing.T) {
	h := BTH(make([]byte, BTHLen))
	h.SetOpcode(WriteOnly)
	h.SetSolicited(true)
	h.SetMigReq(true)
	h.SetPadCount(3)
	h.SetTVer(5)
	h.SetPKey(0xfffe)
	h.SetFECN(true)
	h.SetBECN(true)
	h.SetDestQP(0x123456)
	h.SetAckReq(true)
	h.SetPSN(0xabcdef)
	require.Equal(t, "0af5fffec0123456"+"80abcdef", hex.EncodeToString(h))
	require.Equal(t, 3, h.PadCount())
	require.True(t, h.Solicited() && h.MigReq() && h.FECN() && h.BECN() && h.AckReq())
	require.EqualValues(t, 5, h.TVer())
	h.SetSolicited(false)
	h.SetPadCount(0)
	h.SetTVer(0)
	h.SetBECN(false)
	h.SetAckReq(false)
	require.Equal(t, "0a40fffe8012345600abcdef", hex.EncodeToString(h))
}

func TestExtendedLayouts(t *testing.T) {
	reth := RETH(filled(RETHLen))
	reth.SetVA(0x0102030405060708)
	reth.SetRKey(0x11121314)
	reth.SetLength(0x21222324)
	require.Equal(t, "01020304050607081112131421222324", hex.EncodeToString(reth))

	aeth := AETH(filled(AETHLen))
	aeth.SetSyndrome(NakRemoteAccess)
	aeth.SetMSN(0x010203)
	require.Equal(t, "62010203", hex.EncodeToString(aeth))

	at := AtomicETH(filled(AtomicETHLen))
	at.SetVA(1)
	at.SetRKey(2)
	at.SetSwapAdd(3)
	at.SetCompare(4)
	require.Equal(t, "0000000000000001"+"00000002"+"0000000000000003"+"0000000000000004", hex.EncodeToString(at))

	deth := DETH(filled(DETHLen))
	deth.SetQKey(GSIQKey)
	deth.SetSrcQP(GSIQP)
	require.Equal(t, "8001000000000001", hex.EncodeToString(deth))

	imm := ImmDt(filled(ImmDtLen))
	imm.SetValue(0xdeadbeef)
	require.EqualValues(t, 0xdeadbeef, imm.Value())
	orig := AtomicAckETH(filled(AtomicAckETHLen))
	orig.SetOriginal(0x55)
	require.EqualValues(t, 0x55, orig.Original())
}

func TestSyndromes(t *testing.T) {
	for _, c := range []struct {
		s             Syndrome
		ack, rnr, nak bool
		text          string
	}{
		{0x1f, true, false, false, "ack"},
		{0x05, true, false, false, "ack, 6 credits"},
		{0x21, false, true, false, "rnr nak, 10µs"},
		{0x60, false, false, true, "nak: psn sequence error"},
		{0x61, false, false, true, "nak: invalid request"},
		{0x62, false, false, true, "nak: remote access error"},
		{0x63, false, false, true, "nak: remote operational error"},
		{0x40, false, false, false, "syndrome 0x40"},
	} {
		require.Equal(t, c.ack, c.s.IsAck(), "%#x", uint8(c.s))
		require.Equal(t, c.rnr, c.s.IsRNR(), "%#x", uint8(c.s))
		require.Equal(t, c.nak, c.s.IsNak(), "%#x", uint8(c.s))
		require.Equal(t, c.text, c.s.String())
	}
}

func TestCreditCodes(t *testing.T) {
	require.Equal(t, CreditsUnlimited, CreditCode(-1))
	require.Equal(t, -1, CreditsOf(CreditsUnlimited))
	for code := range uint8(31) {
		require.Equal(t, code, CreditCode(CreditsOf(code)))
	}
	for n := range 40000 {
		c := CreditCode(n)
		require.LessOrEqual(t, CreditsOf(c), n)
		if c < 30 {
			require.Greater(t, CreditsOf(c+1), n)
		}
	}
}

func TestRNRTimers(t *testing.T) {
	require.Equal(t, 655360*time.Microsecond, RNRDelay(0))
	require.Equal(t, 10*time.Microsecond, RNRDelay(1))
	require.Equal(t, 491520*time.Microsecond, RNRDelay(31))
	for code := uint8(1); code < 32; code++ {
		require.Equal(t, code, RNRTimer(RNRDelay(code)))
	}
	require.EqualValues(t, 0, RNRTimer(time.Second))
}

func TestPSNArithmetic(t *testing.T) {
	require.Equal(t, PSN(0), PSN(PSNMask).Add(1))
	require.Equal(t, PSN(PSNMask), PSN(0).Add(-1))
	require.Equal(t, 1, PSN(0).Cmp(PSNMask))
	require.Equal(t, -1, PSN(PSNMask).Cmp(0))
	require.Equal(t, -(1 << 23), PSN(1<<23).Sub(0))
	rapid.Check(t, func(t *rapid.T) {
		p := PSNOf(rapid.Uint32().Draw(t, "p"))
		d := rapid.IntRange(-(1<<23), 1<<23-1).Draw(t, "d")
		q := p.Add(d)
		if uint32(q) > PSNMask || q.Sub(p) != d || q.Before(p) != (d < 0) {
			t.Fatalf("%v + %d = %v, sub %d", p, d, q, q.Sub(p))
		}
	})
}

func TestAddr(t *testing.T) {
	a, ok := AddrFrom(netip.MustParseAddr("::ffff:10.1.2.3"))
	require.True(t, ok)
	require.Equal(t, "10.1.2.3", a.String())
	_, ok = AddrFrom(netip.MustParseAddr("fe80::1"))
	require.False(t, ok)
}

func TestOpcodeNames(t *testing.T) {
	require.Equal(t, "WRITE LAST IMM", WriteLastImm.String())
	require.Equal(t, "opcode 0xff", Opcode(0xff).String())
	require.Equal(t, 28, WriteOnly.HeaderLen())
	require.Equal(t, 16, Acknowledge.HeaderLen())
	require.Equal(t, 20, UDSendOnly.HeaderLen())
	require.True(t, WriteOnly.Starts() && WriteOnly.Ends() && !WriteMiddle.Starts() && !WriteMiddle.Ends())
	for o := range 256 {
		op := Opcode(o)
		if op.IsRequest() && op.IsResponse() {
			t.Errorf("%v is request and response", op)
		}
	}
}
