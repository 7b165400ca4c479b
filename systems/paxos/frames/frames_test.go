package frames

import (
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/link/afxdp"
	"github.com/p4ce/p4ce/link/hub"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/udp"
)

var (
	_ paxos.Wire = (*Conn)(nil)
	_            = func(s *afxdp.Socket) *Conn { return New(s, Config{}) }
)

func addr(n byte) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, n}), paxos.PortFirst)
}

func mac(n byte) wire.MAC { return wire.MAC{2, 0, 0, 0, 0, n} }

func host(n byte, end *hub.End) *Conn {
	return New(end, Config{Addr: addr(n), MAC: mac(n), Resolve: func(a netip.Addr) (wire.MAC, bool) { return mac(a.As4()[3]), a.As4()[3] < 100 }})
}

func soon() time.Time { return time.Now().Add(10 * time.Second) }

// TestFrames: frames are what others make of the same.
func TestFrames(t *testing.T) {
	x, y := hub.Cable(64)
	a := host(1, x)
	defer a.Close()
	for n := range paxos.MaxMessage + 1 {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(n * (i + 1))
		}
		require.NoError(t, a.Write([]udp.Packet{{Addr: addr(2), Data: data}}))
		frames := make([][]byte, 1)
		_, err := y.Receive(frames)
		require.NoError(t, err)
		ip := &layers.IPv4{Version: 4, TTL: ttl, Flags: layers.IPv4DontFragment, Protocol: layers.IPProtocolUDP, SrcIP: net.IPv4(10, 0, 0, 1), DstIP: net.IPv4(10, 0, 0, 2)}
		u := &layers.UDP{SrcPort: paxos.PortFirst, DstPort: paxos.PortFirst}
		require.NoError(t, u.SetNetworkLayerForChecksum(ip))
		b := gopacket.NewSerializeBuffer()
		require.NoError(t, gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true},
			&layers.Ethernet{SrcMAC: net.HardwareAddr{2, 0, 0, 0, 0, 1}, DstMAC: net.HardwareAddr{2, 0, 0, 0, 0, 2}, EthernetType: layers.EthernetTypeIPv4}, ip, u, gopacket.Payload(data)))
		require.Len(t, frames[0], headers+n)
		require.Equal(t, b.Bytes()[:headers+n], frames[0])
	}
}

// TestWay: messages come as they were sent; what is damaged, without a checksum, cut or for
// somebody else does not, and is counted.
func TestWay(t *testing.T) {
	x, y := hub.Cable(64)
	a, b := host(1, x), host(2, y)
	defer a.Close()
	defer b.Close()
	require.NoError(t, a.Write([]udp.Packet{{Addr: addr(2), Data: []byte("one")}, {Addr: addr(3), Data: []byte("of another")}, {Addr: addr(2), Data: []byte("two")}}))
	require.ErrorContains(t, a.Write([]udp.Packet{{Addr: addr(100), Data: []byte("x")}, {Addr: addr(2), Data: []byte("three")}}), "the address of 10.0.0.100")
	good := Append(nil, mac(1), mac(2), addr(1), addr(2), []byte("last"))
	send := func(change func(f []byte) []byte) {
		x.Send(change(append(x.Buffer(), good...)))
	}
	send(func(f []byte) []byte { f[headers]++; return f })
	send(func(f []byte) []byte { f[ethernetLen+8]++; return f })
	send(func(f []byte) []byte { f[ethernetLen+ipLen+6], f[ethernetLen+ipLen+7] = 0, 0; return f })
	send(func(f []byte) []byte { return f[:20] })
	send(func(f []byte) []byte { return f[:len(f)-1] })
	send(func(f []byte) []byte { f[12] = 0x86; return f })
	send(func(f []byte) []byte { f[ethernetLen+6] = 0x20; return f })
	send(func(f []byte) []byte { f[ethernetLen+ipLen+3]++; return f })
	send(func(f []byte) []byte { f[ethernetLen+ipLen+4]++; return f })
	send(func(f []byte) []byte { return append(f, 0, 0, 0, 0, 0, 0) }) // filled up by Ethernet
	var got []string
	in := make([]udp.Packet, 2)
	for len(got) < 4 {
		n, err := b.Read(in, soon())
		require.NoError(t, err)
		for _, p := range in[:n] {
			require.Equal(t, addr(1), p.Addr)
			got = append(got, string(p.Data))
		}
	}
	require.Equal(t, []string{"one", "two", "three", "last"}, got)
	_, err := b.Read(in, time.Now())
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.Equal(t, Counters{In: 4, Other: 7, Checksum: 3}, b.Counters())
	require.Equal(t, Counters{Out: 4, Unresolved: 1}, a.Counters())
}

// TestRoom: what is not read in time is dropped, and what was read stays until the next Read.
func TestRoom(t *testing.T) {
	c := &Conn{slots: make([]slot, room), config: Config{Addr: addr(2), MAC: mac(2)}, timer: time.NewTimer(0), ready: make(chan struct{}, 1)}
	give := func(i int) {
		c.take(Append(nil, mac(1), mac(2), addr(1), addr(2), []byte{byte(i), byte(i >> 8)}))
	}
	for i := range room {
		give(i)
	}
	in := make([]udp.Packet, 100)
	n, err := c.Read(in, soon())
	require.NoError(t, err)
	require.Equal(t, 100, n)
	give(room)
	require.EqualValues(t, 1, c.Counters().NoRoom, "those that were read are still used")
	for i, p := range in {
		require.Equal(t, []byte{byte(i), 0}, p.Data)
	}
	next := 100
	for next < room {
		n, err := c.Read(in, soon())
		require.NoError(t, err)
		for _, p := range in[:min(n, room-next)] {
			require.Equal(t, []byte{byte(next), byte(next >> 8)}, p.Data)
			next++
		}
		give(0)
	}
	require.EqualValues(t, 1, c.Counters().NoRoom)
}

func TestClose(t *testing.T) {
	x, _ := hub.Cable(1)
	c := host(1, x)
	done := make(chan error)
	go func() {
		_, err := c.Read(make([]udp.Packet, 1), time.Time{})
		done <- err
	}()
	require.NoError(t, c.Close())
	require.ErrorIs(t, <-done, net.ErrClosed)
	require.NoError(t, c.Close())
	require.ErrorIs(t, c.Write(nil), net.ErrClosed)
}

func FuzzFrame(f *testing.F) {
	f.Add(Append(nil, mac(1), mac(2), addr(1), addr(2), []byte("data")))
	f.Fuzz(func(t *testing.T, b []byte) {
		c := &Conn{slots: make([]slot, room), config: Config{Addr: addr(2), MAC: mac(2)}}
		c.take(b)
		n := c.counters
		require.EqualValues(t, 1, n.In+n.Other+n.Checksum)
	})
}
