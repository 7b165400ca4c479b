package icrc

import (
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// naive is the ICRC written straight from the spec: a masked copy behind eight
// bytes of ones.
func naive(covered []byte) uint32 {
	b := make([]byte, 8+len(covered))
	copy(b[8:], covered)
	for i := range 8 {
		b[i] = 0xff
	}
	ip, udp, bth := b[8:], b[28:], b[36:]
	ip[1], ip[8], ip[10], ip[11] = 0xff, 0xff, 0xff, 0xff
	udp[6], udp[7] = 0xff, 0xff
	bth[4] = 0xff
	return crc32.ChecksumIEEE(b)
}

func randomPacket(r *rand.Rand, n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(r.Uint32())
	}
	return p
}

func newRand(t testing.TB) *rand.Rand {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

func TestSeedIsStateAfterOnes(t *testing.T) {
	ones := []byte{255, 255, 255, 255, 255, 255, 255, 255}
	require.Equal(t, seed, ^crc32.ChecksumIEEE(ones))
}

// TestPutStoresLittleEndian pins the byte order and the place of the stored
// value with a CNP.
func TestPutStoresLittleEndian(t *testing.T) {
	p, err := hex.DecodeString("4500003c000040004011b0190a0000010a000002" +
		"c00012b700280000" + "8100ffff40000118000000" + "00" +
		"00000000000000000000000000000000" + "00000000")
	require.NoError(t, err)
	Put(p)
	require.Equal(t, naive(p[:len(p)-4]), binary.LittleEndian.Uint32(p[len(p)-4:]))
	require.True(t, Check(p))
}

func TestSumMatchesNaive(t *testing.T) {
	r := newRand(t)
	for range 2000 {
		p := randomPacket(r, headerLen+r.IntN(300))
		require.Equal(t, naive(p), Sum(p))
	}
	require.Zero(t, Sum(make([]byte, headerLen-1)))
	require.False(t, Check(make([]byte, headerLen+Size-1)))
}

func TestCheckNoticesEveryCoveredByte(t *testing.T) {
	p := randomPacket(newRand(t), 80)
	Put(p)
	for i := range p {
		p[i] ^= 0x40
		require.Equal(t, Masked(Position(i)), Check(p), "byte %d", i)
		p[i] ^= 0x40
	}
}

func TestForwardBackward(t *testing.T) {
	r := newRand(t)
	for range 1000 {
		s := r.Uint32()
		require.Equal(t, s, backward(forward(s)))
	}
}

// rewrite XORs x into p at pos and returns the correction through the tables.
func rewrite(p []byte, pos Position, x []byte, tables map[Position][256]uint32) uint32 {
	var c uint32
	for i, b := range x {
		at := pos + Position(i)
		p[at] ^= b
		t, ok := tables[at]
		if !ok {
			t = Table(at)
			tables[at] = t
		}
		c ^= t[b]
	}
	return c
}

func applyCorrection(p []byte, c uint32) {
	id := p[IPIdentification:]
	binary.BigEndian.PutUint16(id, binary.BigEndian.Uint16(id)^uint16(c>>16))
	sport := p[UDPSourcePort:]
	binary.BigEndian.PutUint16(sport, binary.BigEndian.Uint16(sport)^uint16(c))
}

// TestNeutralRewrite rewrites random fields of random packets 10,000 times and
// asks that the old ICRC stays right under the full computation.
func TestNeutralRewrite(t *testing.T) {
	r := newRand(t)
	fields := []struct {
		pos Position
		n   int
	}{
		{IPSource, 4}, {IPDestination, 4}, {UDPDestPort, 2}, {BTHOpcode, 1}, {BTHDestQP, 3},
		{BTHPSN, 3}, {BTHAckReq, 1}, {RETHVA, 8}, {RETHRKey, 4}, {RETHLength, 4},
		{AETHSyndrome, 1}, {AETHMSN, 3}, {1, 1}, {8, 1}, {26, 2}, {32, 1}, {70, 9},
	}
	tables := map[Position][256]uint32{}
	for range 10000 {
		p := randomPacket(r, 84+r.IntN(200))
		Put(p)
		var byTable, byConst uint32
		for _, f := range fields {
			if r.IntN(2) == 0 {
				continue
			}
			x := randomPacket(r, f.n)
			byTable ^= rewrite(p, f.pos, x, tables)
			byConst ^= Const(f.pos, x)
		}
		require.Equal(t, byTable, byConst)
		applyCorrection(p, byTable)
		require.True(t, Check(p))
		require.Equal(t, naive(p[:len(p)-4]), binary.LittleEndian.Uint32(p[len(p)-4:]))
	}
}

// TestDamageStaysVisible: a packet that arrives damaged is still damaged after
// a neutral rewrite.
func TestDamageStaysVisible(t *testing.T) {
	r := newRand(t)
	for range 1000 {
		p := randomPacket(r, 120)
		Put(p)
		p[60+r.IntN(60)] ^= 1 << r.IntN(8)
		x := randomPacket(r, 4)
		for i, b := range x {
			p[int(IPDestination)+i] ^= b
		}
		applyCorrection(p, Const(IPDestination, x))
		require.False(t, Check(p))
	}
}

func TestIdentification(t *testing.T) {
	r := newRand(t)
	for range 2000 {
		p := randomPacket(r, headerLen+Size+r.IntN(4200))
		Put(p)
		want := binary.BigEndian.Uint16(p[IPIdentification:])
		binary.BigEndian.PutUint16(p[IPIdentification:], 0)
		got, ok := Identification(p)
		require.True(t, ok)
		require.Equal(t, want, got)
	}
	// Damage elsewhere passes for a changed identification with 2^-16.
	passed := 0
	for range 2000 {
		p := randomPacket(r, headerLen+Size+r.IntN(200))
		Put(p)
		i := 22 + r.IntN(len(p)-22)
		if Masked(Position(i)) {
			continue
		}
		p[i] ^= byte(1 + r.IntN(255))
		if _, ok := Identification(p); ok {
			passed++
		}
	}
	require.LessOrEqual(t, passed, 3)
	_, ok := Identification(make([]byte, 10))
	require.False(t, ok)
}

func TestNoAllocations(t *testing.T) {
	p := randomPacket(newRand(t), 1100)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		Put(p)
		if !Check(p) {
			t.Error("icrc of an untouched packet does not check")
		}
	}))
}

func TestNegativePositionPanics(t *testing.T) {
	require.Panics(t, func() { Table(-1) })
}

func FuzzSum(f *testing.F) {
	f.Add(make([]byte, 64))
	f.Fuzz(func(t *testing.T, p []byte) {
		if len(p) >= headerLen {
			require.Equal(t, naive(p), Sum(p))
		}
		_ = Check(p)
		Put(p)
		if len(p) >= headerLen+Size {
			require.True(t, Check(p))
			_, ok := Identification(p)
			require.True(t, ok || len(p) >= 1<<16)
		}
	})
}

func BenchmarkSum128(b *testing.B) {
	p := make([]byte, 114)
	b.SetBytes(128)
	for b.Loop() {
		Put(p)
	}
}
