package cm

import (
	"math/rand/v2"
	"net/netip"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/wire"
)

func newRand(t testing.TB) *rand.Rand {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 2))
}

func bits(r *rand.Rand, n int) uint32 { return r.Uint32() & (1<<n - 1) }

func data(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func randomPath(r *rand.Rand) Path {
	return Path{
		LocalLID: uint16(r.Uint32()), RemoteLID: uint16(r.Uint32()),
		LocalGID: [16]byte(data(r, 16)), RemoteGID: [16]byte(data(r, 16)),
		FlowLabel: bits(r, 20), PacketRate: uint8(bits(r, 6)), TrafficClass: uint8(r.Uint32()), HopLimit: uint8(r.Uint32()),
		SL: uint8(bits(r, 4)), SubnetLocal: r.IntN(2) == 0, LocalACKTimeout: uint8(bits(r, 5)),
	}
}

func randomMessages(r *rand.Rand) []Message {
	l, m := r.Uint32(), r.Uint32()
	return []Message{
		&REQ{
			LocalCommID: l, ServiceID: r.Uint64(), CAGUID: r.Uint64(), LocalQKey: r.Uint32(), LocalQPN: bits(r, 24),
			ResponderResources: uint8(r.Uint32()), LocalEECN: bits(r, 24), InitiatorDepth: uint8(r.Uint32()), RemoteEECN: bits(r, 24),
			RemoteCMTimeout: uint8(bits(r, 5)), Transport: Transport(bits(r, 2)), FlowControl: r.IntN(2) == 0, StartingPSN: bits(r, 24),
			LocalCMTimeout: uint8(bits(r, 5)), RetryCount: uint8(bits(r, 3)), PKey: uint16(r.Uint32()), PathMTU: uint8(bits(r, 4)),
			RDC: r.IntN(2) == 0, RNRRetryCount: uint8(bits(r, 3)), MaxCMRetries: uint8(bits(r, 4)), SRQ: r.IntN(2) == 0,
			Primary: randomPath(r), Alternate: randomPath(r), PrivateData: data(r, REQPrivateLen),
		},
		&MRA{l, m, MessageKind(bits(r, 2)), uint8(bits(r, 5)), data(r, MRAPrivateLen)},
		&REJ{l, m, MessageKind(bits(r, 2)), Reason(r.Uint32()), data(r, r.IntN(ARILen+1)), data(r, REJPrivateLen)},
		&REP{
			LocalCommID: l, RemoteCommID: m, LocalQKey: r.Uint32(), LocalQPN: bits(r, 24), LocalEECN: bits(r, 24), StartingPSN: bits(r, 24),
			ResponderResources: uint8(r.Uint32()), InitiatorDepth: uint8(r.Uint32()), TargetACKDelay: uint8(bits(r, 5)),
			Failover: uint8(bits(r, 2)), FlowControl: r.IntN(2) == 0, RNRRetryCount: uint8(bits(r, 3)), SRQ: r.IntN(2) == 0,
			CAGUID: r.Uint64(), PrivateData: data(r, REPPrivateLen),
		},
		&RTU{l, m, data(r, RTUPrivateLen)},
		&DREQ{l, m, bits(r, 24), data(r, DREQPrivateLen)},
		&DREP{l, m, data(r, DREPPrivateLen)},
	}
}

func TestRoundTrip(t *testing.T) {
	r := newRand(t)
	for range 300 {
		for _, m := range randomMessages(r) {
			tid := r.Uint64()
			b, err := Append([]byte("x"), tid, m)
			require.NoError(t, err)
			require.Len(t, b, 1+MADLen)
			gotTID, got, err := Decode(b[1:])
			require.NoError(t, err)
			require.Equal(t, tid, gotTID)
			if rej, ok := m.(*REJ); ok && len(rej.ARI) == 0 {
				rej.ARI = got.(*REJ).ARI
			}
			require.Equal(t, m, got)
		}
	}
}

// TestREQOffsets pins every field to its offset in the message (IB spec volume 1, 12.6.5).
func TestREQOffsets(t *testing.T) {
	at := func(m *REQ, off int, want ...byte) {
		t.Helper()
		b, err := Append(nil, 0, m)
		require.NoError(t, err)
		require.Equal(t, want, b[24+off:24+off+len(want)], "offset %d", off)
	}
	at(&REQ{LocalCommID: 0x01020304}, 0, 1, 2, 3, 4)
	at(&REQ{ServiceID: ServiceID(0x1234)}, 8, 0, 0, 0, 0, 1, 6, 0x12, 0x34)
	at(&REQ{CAGUID: 1}, 16, 0, 0, 0, 0, 0, 0, 0, 1)
	at(&REQ{LocalQPN: 0x112233, ResponderResources: 9}, 32, 0x11, 0x22, 0x33, 9)
	at(&REQ{LocalEECN: 0x112233, InitiatorDepth: 8}, 36, 0x11, 0x22, 0x33, 8)
	at(&REQ{RemoteCMTimeout: 20, Transport: 1, FlowControl: true}, 43, 20<<3|1<<1|1)
	at(&REQ{StartingPSN: 0xabcdef, LocalCMTimeout: 21, RetryCount: 7}, 44, 0xab, 0xcd, 0xef, 21<<3|7)
	at(&REQ{PKey: 0xffff, PathMTU: 3, RDC: true, RNRRetryCount: 6}, 48, 0xff, 0xff, 0x3e)
	at(&REQ{MaxCMRetries: 15, SRQ: true}, 51, 0xf8)
	at(&REQ{Primary: Path{LocalLID: 0xffff, LocalGID: GID(netip.MustParseAddr("10.0.0.1"))}}, 52,
		0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1)
	at(&REQ{Primary: Path{RemoteGID: GID(netip.MustParseAddr("10.0.0.2"))}}, 82, 0xff, 0xff, 10, 0, 0, 2)
	at(&REQ{Primary: Path{FlowLabel: 0xabcde, PacketRate: 0x3f, TrafficClass: 1, HopLimit: 64, SL: 3, SubnetLocal: true, LocalACKTimeout: 19}}, 88,
		0xab, 0xcd, 0xe0, 0x3f, 1, 64, 0x38, 19<<3)
	at(&REQ{PrivateData: []byte{7, 8}}, 140, 7, 8)
}

func TestOtherOffsets(t *testing.T) {
	at := func(m Message, off int, want ...byte) {
		t.Helper()
		b, err := Append(nil, 0x55, m)
		require.NoError(t, err)
		require.Equal(t, []byte{1, 7, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x55, 0, byte(m.Attribute())}, b[:18])
		require.Equal(t, want, b[24+off:24+off+len(want)], "%v offset %d", m.Attribute(), off)
	}
	at(&REP{LocalQKey: 1, LocalQPN: 2}, 8, 0, 0, 0, 1, 0, 0, 2)
	at(&REP{StartingPSN: 0x010203, ResponderResources: 4, InitiatorDepth: 5, TargetACKDelay: 15, Failover: 1, FlowControl: true, RNRRetryCount: 7, SRQ: true}, 20,
		1, 2, 3, 0, 4, 5, 15<<3|1<<1|1, 7<<5|0x10)
	at(&REP{CAGUID: 3, PrivateData: []byte{9}}, 28, 0, 0, 0, 0, 0, 0, 0, 3, 9)
	at(&REJ{RemoteCommID: 6, Rejected: KindREP, ARI: []byte{1}, Reason: ReasonConsumer, PrivateData: []byte{5}}, 4, 0, 0, 0, 6, 0x40, 2, 0, 28, 1)
	at(&REJ{PrivateData: []byte{5}}, 84, 5)
	at(&MRA{Received: KindREP, ServiceTimeout: 31, PrivateData: []byte{1}}, 8, 0x40, 0xf8, 1)
	at(&RTU{PrivateData: []byte{1}}, 8, 1)
	at(&DREQ{RemoteQPN: 0x010203, PrivateData: []byte{1}}, 8, 1, 2, 3, 0, 1)
	at(&DREP{PrivateData: []byte{1}}, 8, 1)
}

func TestPrivateDataTooLong(t *testing.T) {
	for _, m := range []Message{
		&REQ{PrivateData: make([]byte, REQPrivateLen+1)}, &MRA{PrivateData: make([]byte, MRAPrivateLen+1)},
		&REJ{PrivateData: make([]byte, REJPrivateLen+1)}, &REP{PrivateData: make([]byte, REPPrivateLen+1)},
		&RTU{PrivateData: make([]byte, RTUPrivateLen+1)}, &DREQ{PrivateData: make([]byte, DREQPrivateLen+1)},
		&DREP{PrivateData: make([]byte, DREPPrivateLen+1)}, &REJ{ARI: make([]byte, ARILen+1)},
	} {
		b, err := Append([]byte{1}, 0, m)
		require.ErrorContains(t, err, "cm: "+m.Attribute().String())
		require.Len(t, b, 1)
		_, err = AppendFrame(nil, FrameHeader{}, 0, m)
		require.Error(t, err)
	}
}

func TestFrame(t *testing.T) {
	req := &REQ{LocalCommID: 5, PrivateData: make([]byte, REQPrivateLen)}
	f, err := AppendFrame(nil, FrameHeader{Src: wire.Addr{10, 0, 0, 1}, Dst: wire.Addr{10, 0, 0, 2}, SrcPort: 0xc000}, 77, req)
	require.NoError(t, err)
	require.Len(t, f, 322)
	var p wire.Packet
	require.NoError(t, wire.Parse(f, &p))
	require.True(t, p.ICRCOK())
	require.EqualValues(t, 0xffff, p.BTH.PKey())
	tid, m, err := DecodeFrame(&p)
	require.NoError(t, err)
	require.EqualValues(t, 77, tid)
	require.Equal(t, req, m)
	p.BTH.SetDestQP(2)
	_, _, err = DecodeFrame(&p)
	require.ErrorIs(t, err, ErrNotCM)
}

func TestDecodeErrors(t *testing.T) {
	b, err := Append(nil, 0, &RTU{})
	require.NoError(t, err)
	_, _, err = Decode(b[:255])
	require.ErrorIs(t, err, ErrNotCM)
	b[17] = 0x19
	_, _, err = Decode(b)
	require.ErrorIs(t, err, ErrAttribute)
	b[1] = 3
	_, _, err = Decode(b)
	require.ErrorIs(t, err, ErrNotCM)
}

func TestIPHeader(t *testing.T) {
	for _, h := range []IPHeader{
		{SrcPort: 0x1234, Src: netip.MustParseAddr("10.0.0.1"), Dst: netip.MustParseAddr("10.0.0.2")},
		{SrcPort: 1, Src: netip.MustParseAddr("fe80::1"), Dst: netip.MustParseAddr("fe80::2")},
	} {
		b := h.Append(nil)
		require.Len(t, b, IPHeaderLen)
		got, user, err := SplitPrivateData(append(b, 1, 2))
		require.NoError(t, err)
		require.Equal(t, h, got)
		require.Equal(t, []byte{1, 2}, user)
	}
	b := IPHeader{Src: netip.MustParseAddr("10.0.0.1"), Dst: netip.MustParseAddr("10.0.0.2")}.Append(nil)
	require.Equal(t, []byte{0, 0x40, 0, 0}, b[:4])
	require.Equal(t, []byte{10, 0, 0, 2}, b[32:])
	_, _, err := SplitPrivateData(b[:35])
	require.ErrorIs(t, err, ErrIPHeader)
	b[1] = 0x50
	_, _, err = SplitPrivateData(b)
	require.ErrorIs(t, err, ErrIPHeader)
}

func TestServiceIDAndMTU(t *testing.T) {
	port, ok := ServicePort(ServiceID(4711))
	require.True(t, ok)
	require.EqualValues(t, 4711, port)
	_, ok = ServicePort(0x0000000001110000)
	require.False(t, ok)
	require.Equal(t, 1024, MTUBytes(3))
	require.Zero(t, MTUBytes(6))
	require.EqualValues(t, 3, MTUCode(1500))
	require.EqualValues(t, 5, MTUCode(9000))
	require.Zero(t, MTUCode(100))
	require.Equal(t, netip.MustParseAddr("10.0.0.1"), netip.AddrFrom16(GID(netip.MustParseAddr("10.0.0.1"))).Unmap())
}

func TestNames(t *testing.T) {
	require.Contains(t, ReasonInvalidServiceID.String(), "no program listens")
	require.Equal(t, "reject reason 999", Reason(999).String())
	require.Equal(t, "DREQ", AttrDREQ.String())
	require.Equal(t, "attribute 0x99", Attribute(0x99).String())
}

func FuzzDecode(f *testing.F) {
	for _, m := range randomMessages(rand.New(rand.NewPCG(1, 1))) {
		b, _ := Append(nil, 1, m)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		tid, m, err := Decode(b)
		if err != nil {
			return
		}
		again, err := Append(nil, tid, m)
		if err != nil {
			t.Fatalf("decoded %v does not encode: %v", m.Attribute(), err)
		}
		_, m2, err := Decode(again)
		if err != nil || !reflect.DeepEqual(m, m2) {
			t.Fatalf("not stable: %+v, %+v, %v", m, m2, err)
		}
		if req, ok := m.(*REQ); ok {
			_, _, _ = SplitPrivateData(req.PrivateData)
		}
	})
}
