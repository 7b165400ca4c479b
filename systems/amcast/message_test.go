package amcast

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/p4ce/p4ce/roce/wire"
)

func TestGroups(t *testing.T) {
	g, err := NewGroups(9, 7)
	require.NoError(t, err)
	require.Equal(t, Groups(0x07090000), g)
	require.Equal(t, []uint8{7, 9}, g.List())
	require.True(t, g.Has(9))
	require.False(t, g.Has(0))
	for _, bad := range [][]uint8{nil, {0}, {1, 1}, {1, 2, 3, 4, 5}} {
		_, err := NewGroups(bad...)
		require.Error(t, err, "%v", bad)
	}
	for _, bad := range []Groups{0, 0x09070000, 0x07070000, 0x00070000, 0x07000900} {
		require.False(t, bad.Valid(), "%08x", uint32(bad))
	}
}

// ends are some addresses.
var ends = Ends{SrcMAC: wire.MAC{2, 0, 0, 0, 0, 1}, DstMAC: wire.MAC{2, 0, 0, 0, 0, 2}, Src: wire.Addr{10, 0, 0, 1}, Dst: wire.Addr{10, 0, 0, 2}, SrcPort: HostPort, DstPort: PortFirst}

// TestPacket: what is appended is parsed, and no damage of a bit goes unseen, but in the ports of UDP.
func TestPacket(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u32 := func(name string) uint32 { return rapid.Uint32().Draw(t, name) }
		p := Packet{
			Kind: Message(rapid.Byte().Draw(t, "kind")), Flags: rapid.Byte().Draw(t, "flags"), From: rapid.Byte().Draw(t, "from"), By: rapid.Byte().Draw(t, "by"),
			Groups: Groups(u32("groups")), ID: ID{rapid.Uint16().Draw(t, "client"), u32("number")}, Member: rapid.Byte().Draw(t, "member"),
			FromSlot: rapid.Uint8Range(0, 15).Draw(t, "from slot"), BySlot: rapid.Uint8Range(0, 15).Draw(t, "by slot"),
			Epoch: u32("epoch"), LTS: u32("lts"), Seq: u32("seq"), ByEpoch: u32("by epoch"), Clock: u32("clock"), Mark: u32("mark"),
			Payload: rapid.SliceOfN(rapid.Byte(), 0, MaxPayload).Draw(t, "payload"),
		}
		p.Digest = Digest(p.Payload)
		f := p.Append(nil, ends)
		var got Packet
		e, err := got.Parse(f)
		require.NoError(t, err)
		require.Equal(t, ends, e)
		require.True(t, bytes.Equal(p.Payload, got.Payload))
		got.Payload = p.Payload
		require.Equal(t, p, got)

		bit := rapid.IntRange(8*wire.EthernetLen, 8*len(f)-1).Draw(t, "bit")
		if at := bit / 8; at >= wire.EthernetLen+wire.IPv4Len && at < wire.EthernetLen+wire.IPv4Len+4 {
			return
		}
		f[bit/8] ^= 1 << (bit % 8)
		_, err = got.Parse(f)
		require.Error(t, err, "bit %d", bit)
	})
}

func FuzzParse(f *testing.F) {
	p := Packet{Kind: MsgProp, Payload: []byte("abc"), Digest: Digest([]byte("abc"))}
	f.Add(p.Append(nil, ends))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		var p Packet
		e, err := p.Parse(b)
		if err != nil {
			return
		}
		var again Packet
		if _, err := again.Parse(p.Append(nil, e)); err != nil {
			t.Fatal(err)
		}
	})
}
