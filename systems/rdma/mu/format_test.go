package mu

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestBlocks: what a server says and asks is read as it was written, each field in the
// place that docs/consensus.md and the other programs know, and nothing that is torn or
// of another version is read at all.
func TestBlocks(t *testing.T) {
	s := status{
		cluster: 1 << 60, heartbeat: 2 << 50, incarnation: 3 << 50, promised: 4 << 50, seq: 5 << 50, head: 6 << 50, headIndex: 7 << 50, low: 8 << 50,
		state: Full, route: 1, minGen: 9 << 20, logged: 10 << 50, durable: true, announced: 11 << 50,
	}
	region := make([]byte, ElectionSize)
	s.encode(region)
	require.Equal(t, s.heartbeat, binary.LittleEndian.Uint64(region[offHeartbeat:]), "a ping READs it alone")
	var got status
	require.NoError(t, got.decode(region))
	require.Equal(t, s, got)
	r := request{
		cluster: 1 << 60, term: 2 << 50, seq: 3 << 50, incarnation: 4 << 50, target: 5 << 50, route: 1, minGen: 6 << 20, snapshot: true, durable: true,
	}
	asked := make([]byte, requestLen)
	for _, full := range []bool{false, true} {
		r.full, r.snapshot = full, !full
		r.encode(asked)
		var got request
		require.NoError(t, got.decode(asked))
		require.Equal(t, r, got)
	}
	r.durable, s.durable = false, false
	r.encode(asked)
	s.encode(region)
	var plain request
	require.NoError(t, plain.decode(asked))
	require.Equal(t, r, plain)
	require.NoError(t, got.decode(region))
	require.Equal(t, s, got)

	for i := range statusLen {
		region[i] ^= 4
		require.ErrorIs(t, got.decode(region), errTorn, "byte %d", i)
		region[i] ^= 4
	}
	for i := range requestLen {
		asked[i] ^= 4
		require.ErrorIs(t, plain.decode(asked), errTorn, "byte %d", i)
		asked[i] ^= 4
	}
	region[4], asked[4] = protocolVersion+1, protocolVersion-1
	seal(region[:statusLen])
	seal(asked[:requestLen])
	require.ErrorContains(t, got.decode(region), "protocol version 3")
	require.ErrorContains(t, plain.decode(asked), "protocol version 1")
	require.Equal(t, 128+8*64+64*64, ElectionSize)
}

// TestGeometry: the sizes of a log, and where its entries may lie.
func TestGeometry(t *testing.T) {
	for _, size := range []int{-1, 0, 1, 2048, MinLogSize - 1, MinLogSize + 1, 3 * MinLogSize, 1 << 41} {
		geo, err := NewGeometry(size)
		require.ErrorIs(t, err, ErrLogSize, "%d", size)
		require.Zero(t, geo)
	}
	_, ok := Inspect(make([]byte, MinLogSize-1), 0)
	require.False(t, ok)
	for _, size := range []int{MinLogSize, 1 << 20, 1 << 40} {
		geo, err := NewGeometry(size)
		require.NoError(t, err)
		ring := uint64(size - RingStart)
		require.Equal(t, ring, geo.Ring())
		require.Equal(t, size, geo.RegionSize())
		require.Zero(t, ring%8)
		require.LessOrEqual(t, entrySize(geo.MaxRecord()), ring/4)
		require.Greater(t, entrySize(geo.MaxRecord()+8), ring/4)
		require.Equal(t, geo.maxEntry(), entrySize(geo.MaxRecord()))
		for _, pos := range []uint64{0, 8, ring - 8} {
			for round := range uint64(3) {
				require.Equal(t, RingStart+pos, geo.Slot(round*ring+pos))
				require.Equal(t, ring-pos, geo.left(round*ring+pos))
			}
		}
	}
	for n, want := range map[int]uint64{0: 40, 1: 48, 8: 48, 9: 56, 16: 56} {
		require.Equal(t, want, entrySize(n), "%d", n)
	}
}

// TestEntryBounds: entries of every length at every place of the ring are read when they
// are whole, and as what they are.
func TestEntryBounds(t *testing.T) {
	geo, err := NewGeometry(MinLogSize)
	require.NoError(t, err)
	whole := make([]byte, 2000)
	for i := range whole {
		whole[i] = byte(i*7 + 1)
	}
	for _, n := range []int{0, 1, 7, 8, 9, geo.MaxRecord() - 1, geo.MaxRecord(), geo.MaxRecord() + 1} {
		for _, back := range []uint64{0, 8, 24, 32, 40, 48, entrySize(n) - 8, entrySize(n), entrySize(n) + 8} { // to the end of the ring
			pos := 5*geo.ring - back
			size := entrySize(n)
			skip, cost := geo.Cost(pos, n)
			require.Equal(t, size, cost)
			left := geo.left(pos)
			require.Equal(t, size > left, skip > 0)
			region := make([]byte, MinLogSize)
			if size > left {
				require.Equal(t, left, skip)
				want := Entry{Position: pos, Size: left, Skip: true}
				require.Equal(t, pos+left+size, geo.Append(region, Entry{Position: pos, Index: 3, Commit: 4, Term: 5, Record: whole[:n]}))
				gotSize, gotData := geo.Span(region, pos)
				require.Equal(t, left, gotSize)
				if left >= entryHeader {
					want.Index, want.Commit, want.Term = 3, 4, 5
					require.Equal(t, region[geo.Slot(pos):][:entryHeader], gotData)
				} else {
					require.Nil(t, gotData)
				}
				behind, ok := geo.Decode(region, pos+left)
				require.Equal(t, n <= geo.MaxRecord(), ok)
				require.True(t, !ok || bytes.Equal(whole[:n], behind.Record) && behind.Index == 3)
				got, ok := geo.Decode(region, pos)
				require.True(t, ok)
				require.Empty(t, got.Record)
				got.Record = nil
				require.Equal(t, want, got)
				i, ok := Inspect(region, pos)
				require.True(t, ok && i.Skip)
				require.Equal(t, pos+left, i.End)
				continue
			}
			e := Entry{Position: pos, Index: 1 << 40, Commit: 1 << 41, Term: 1 << 42, Record: whole[:n], Size: size}
			require.Equal(t, pos+size, geo.Append(region, e))
			data := region[geo.Slot(pos):][:entryHeader+n]
			got, ok := geo.Decode(region, pos)
			if n > geo.MaxRecord() {
				require.False(t, ok, "longer than any entry")
				continue
			}
			require.True(t, ok, "%d bytes, %d before the end", n, back)
			require.Equal(t, string(e.Record), string(got.Record))
			e.Record, got.Record = nil, nil
			require.Equal(t, e, got)
			gotSize, gotData := geo.Span(region, pos)
			require.Equal(t, size, gotSize)
			require.Equal(t, data, gotData)
			i, ok := Inspect(region, pos)
			require.True(t, ok)
			require.Equal(t, Inspected{Decided: Decided{Index: 1 << 40, Position: pos + size, Record: i.Record}, Term: 1 << 42, End: pos + size}, i)
			d := i.Decided
			require.True(t, Holds(region, pos+size, d))
			require.True(t, HoldsRecord(region, pos+size, d))
			for _, other := range []Decided{
				{Index: d.Index + 1, Record: d.Record}, {Index: d.Index, Record: append([]byte{99}, d.Record...)},
				{Index: d.Index, Members: []Member{{ID: 1}}},
			} {
				require.False(t, Holds(region, pos+size, other))
				require.False(t, HoldsRecord(region, pos+size, other))
			}
			// What is left of a longer entry of an earlier round is no part of this one.
			// It is read from its bytes alone, however many follow.
			for _, have := range []int{0, entryHeader - 1, entryHeader + n - 1, entryHeader + n} {
				x, ok, more := geo.decode(data[:min(max(have, 0), len(data))], pos)
				require.Equal(t, have == entryHeader+n, ok)
				require.Equal(t, have < entryHeader+n, more)
				require.Equal(t, ok, x.size != 0)
			}
		}
	}
	require.False(t, Holds(make([]byte, MinLogSize), 8, Decided{Record: []byte("a")}), "it would begin before the log does")
	require.False(t, HoldsRecord(make([]byte, MinLogSize), 8, Decided{Record: []byte("a")}))
}

// TestConfigDefaults: what Config promises of zero values, and that others are kept.
func TestConfigDefaults(t *testing.T) {
	var c Config
	c.setDefaults()
	ms := time.Millisecond
	require.Equal(t, Config{
		HeartbeatEvery: 5 * ms, RequestEvery: 20 * ms, StallAfter: 150 * ms, IdleCommit: ms, RepairAfter: 50 * ms, SlowAfter: time.Second,
		QuietFor: 50 * ms, RetryGroup: 100 * ms, MaxGen: MaxGen, Window: 512, Depth: 16, MaxWrite: 32 << 10, Patience: 40,
	}, c)
	told := Config{
		HeartbeatEvery: 1, RequestEvery: 2, StallAfter: 3, IdleCommit: 4, RepairAfter: 5, SlowAfter: 6, QuietFor: 7, RetryGroup: 8, MaxGen: 9, Window: 10,
		Depth: 11, MaxWrite: 12, Patience: MinPatience,
	}
	c = told
	c.setDefaults()
	require.Equal(t, told, c)
	for gen, want := range map[uint32]uint32{1: 1, MaxGen - 1: MaxGen - 1, MaxGen: MaxGen, MaxGen + 1: MaxGen} {
		c.MaxGen = gen
		c.setDefaults()
		require.Equal(t, want, c.MaxGen)
	}
}

// TestMemberships: which memberships there can be, and what one change is.
func TestMemberships(t *testing.T) {
	a, b := netip.MustParseAddrPort("10.0.0.1:4791"), netip.MustParseAddrPort("10.0.0.2:4791")
	var many []Member
	for i := range MaxServers + 1 {
		many = append(many, Member{ID: ID(i)})
	}
	for _, good := range [][]Member{
		many[:1], many[:MaxServers], {{ID: MaxID}}, {{ID: 1, Addrs: []netip.AddrPort{a, b}}}, {{ID: 2, Addrs: []netip.AddrPort{a}}, {ID: 1, Addrs: []netip.AddrPort{b}}},
	} {
		require.NoError(t, CheckMembers(good))
		back, err := DecodeMembers(EncodeMembers(good))
		require.NoError(t, err)
		require.Equal(t, good, back)
	}
	for want, bad := range map[string][]Member{
		"0 servers": {}, "server id 64": {{ID: MaxID + 1}}, "given twice": {{ID: 1}, {ID: 2}, {ID: 1}},
		"3 addresses": {{ID: 1, Addrs: []netip.AddrPort{a, b, netip.MustParseAddrPort("10.0.0.3:4791")}}},
		"both have":   {{ID: 1, Addrs: []netip.AddrPort{a, b}}, {ID: 2, Addrs: []netip.AddrPort{b}}},
		"servers (w":  many,
	} {
		require.ErrorContains(t, CheckMembers(bad), want)
		_, err := DecodeMembers(EncodeMembers(bad))
		require.ErrorContains(t, err, want)
	}
	_, err := DecodeMembers([]byte("{"))
	require.Error(t, err)
	for _, c := range []struct {
		from, to int
		one      bool
	}{{1, 2, true}, {2, 1, true}, {3, 4, true}, {4, 3, true}, {3, 3, false}, {3, 5, false}, {5, 3, false}} {
		require.Equal(t, c.one, oneChange(many[:c.from], many[:c.to]), "%v", c)
	}
	require.False(t, oneChange(many[:3], many[1:4]), "one goes, one comes")
}
