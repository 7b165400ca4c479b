package hosts

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/wire"
)

var (
	swMAC      = wire.MAC{2, 0, 0, 0, 0, 0xfe}
	swIP       = wire.Addr{10, 0, 0, 254}
	macA, macB = wire.MAC{2, 0, 0, 0, 0, 1}, wire.MAC{2, 0, 0, 0, 0, 2}
	ipA, ipB   = wire.Addr{10, 0, 0, 1}, wire.Addr{10, 0, 0, 2}
)

func newTable(t *testing.T, static ...Host) *Table {
	tb, err := New(Config{MAC: swMAC, IPs: []wire.Addr{swIP}, Ports: []uint16{1, 2, 3}, Static: static, Age: -1})
	require.NoError(t, err)
	return tb
}

func ask(mac wire.MAC, ip, target wire.Addr) []byte {
	return wire.ARP{Op: wire.ARPRequest, SenderMAC: mac, Sender: ip, Target: target}.Frame(mac, broadcast)
}

// sent returns the ports of what was sent, and the frames.
func sent(tb *Table) (ports []int, frames [][]byte, changes []Change) {
	out, changes := tb.Poll()
	for _, o := range out {
		ports, frames = append(ports, int(o.Port)), append(frames, o.Frame)
	}
	return ports, frames, changes
}

func TestARP(t *testing.T) {
	tb := newTable(t)
	tb.ARP(0, 1, ask(macA, ipA, swIP))
	ports, frames, changes := sent(tb)
	require.Equal(t, []int{1}, ports)
	a, ok := wire.ParseARP(frames[0])
	require.True(t, ok)
	require.Equal(t, wire.ARP{Op: wire.ARPReply, SenderMAC: swMAC, Sender: swIP, TargetMAC: macA, Target: ipA}, a)
	require.Equal(t, macA, wire.Ethernet(frames[0]).Dst())
	require.Equal(t, []Change{{New: Host{IP: ipA, MAC: macA, Port: 1}}}, changes)

	tb.ARP(0, 1, ask(macA, ipA, ipB))
	ports, frames, changes = sent(tb)
	require.Equal(t, []int{2, 3}, ports, "an unknown host is asked for everywhere else")
	require.Equal(t, ask(macA, ipA, ipB), frames[0])
	require.Empty(t, changes)
	reply := wire.ARP{Op: wire.ARPReply, SenderMAC: macB, Sender: ipB, TargetMAC: macA, Target: ipA}.Frame(macB, macA)
	tb.ARP(0, 2, reply)
	ports, frames, changes = sent(tb)
	require.Equal(t, []int{1}, ports)
	require.Equal(t, reply, frames[0])
	require.Len(t, changes, 1)

	tb.ARP(0, 1, ask(macA, ipA, ipB))
	ports, frames, _ = sent(tb)
	require.Equal(t, []int{1}, ports)
	a, _ = wire.ParseARP(frames[0])
	require.Equal(t, macB, a.SenderMAC, "answered on the host's behalf")

	tb.ARP(0, 7, ask(macB, ipB, ipB)) // announced at another port
	ports, _, changes = sent(tb)
	require.Equal(t, []int{2}, ports, "the old place is asked first")
	require.Empty(t, changes)
	for tb.Deadline() != neverElapses {
		tb.Tick(tb.Deadline())
	}
	_, _, changes = sent(tb)
	require.Equal(t, []Change{{Old: &Host{IP: ipB, MAC: macB, Port: 2}, New: Host{IP: ipB, MAC: macB, Port: 7}}}, changes)

	tb.ARP(0, 1, ask(macA, wire.Addr{}, ipA)) // a probe teaches nothing
	tb.ARP(0, 1, ask(swMAC, ipA, ipB))        // nor does the switch's own MAC
	tb.ARP(0, 1, ask(macA, swIP, ipB))        // or address
	tb.ARP(0, 1, []byte("short"))
	_, _, changes = sent(tb)
	require.Empty(t, changes)
	require.Equal(t, uint64(1), tb.Stats().Malformed)
	require.Len(t, tb.List(), 2)
}

func TestStaticHosts(t *testing.T) {
	tb := newTable(t, Host{IP: ipA, MAC: macA, Port: 5})
	_, _, changes := sent(tb)
	require.Len(t, changes, 1)
	tb.ARP(0, 1, ask(macB, ipA, swIP))
	ports, _, changes := sent(tb)
	require.Empty(t, changes, "somebody else claims the address")
	require.Empty(t, ports)
	require.Equal(t, uint64(1), tb.Stats().Conflicts)
	macC, ipC := wire.MAC{2, 0, 0, 0, 0, 9}, wire.Addr{10, 0, 0, 9}
	// And nobody else hears of it: not who is asked, and not by an announcement.
	tb.ARP(0, 6, ask(macC, ipC, swIP))
	sent(tb)
	answer := wire.ARP{Op: wire.ARPReply, Sender: ipA, SenderMAC: macB, Target: ipC, TargetMAC: macC}
	for _, claim := range [][]byte{ask(macB, ipA, ipC), ask(macB, ipA, ipA), answer.Frame(macB, macC)} {
		tb.ARP(0, 1, claim)
		ports, _, _ = sent(tb)
		require.Empty(t, ports)
	}
	tb.ARP(0, 5, ask(macA, ipA, ipA))
	ports, _, _ = sent(tb)
	require.NotEmpty(t, ports, "its own announcement")
	for _, bad := range []Config{
		{MAC: wire.MAC{1}},
		{MAC: swMAC, IPs: []wire.Addr{swIP}, Static: []Host{{IP: swIP, MAC: macA}}},
		{MAC: swMAC, Static: []Host{{IP: ipA, MAC: broadcast}}},
		{MAC: swMAC, Static: []Host{{IP: ipA, MAC: macA}, {IP: ipA, MAC: macB}}},
	} {
		_, err := New(bad)
		require.Error(t, err)
	}
}

// TestFalseClaims: a stranger says by ARP that a host is at its port, or has the
// host's MAC address under another IP. The host is asked, and answers.
func TestFalseClaims(t *testing.T) {
	tb := newTable(t)
	tb.ARP(0, 1, ask(macA, ipA, ipB))
	tb.ARP(0, 2, ask(macB, ipB, ipA))
	sent(tb)
	stranger := wire.Addr{10, 0, 0, 66}
	for name, claim := range map[string][]byte{
		"its address, another MAC": ask(wire.MAC{2, 6, 6, 6, 6, 6}, ipA, ipB),
		"its address and MAC":      ask(macA, ipA, ipB),
		"its MAC":                  ask(macA, stranger, ipB),
	} {
		t.Run(name, func(t *testing.T) {
			tb.ARP(0, 6, claim)
			ports, frames, changes := sent(tb)
			require.Equal(t, []int{1}, ports, "nobody but the host hears of it")
			require.Empty(t, changes)
			asked, _ := wire.ParseARP(frames[0])
			require.Equal(t, ipA, asked.Target)
			require.Equal(t, macA, wire.Ethernet(frames[0]).Dst())
			tb.ARP(0, 6, claim)
			ports, _, _ = sent(tb)
			require.Empty(t, ports, "asked once for a claim that is repeated")
			tb.ARP(0, 1, wire.ARP{Op: wire.ARPReply, SenderMAC: macA, Sender: ipA, TargetMAC: swMAC, Target: swIP}.Frame(macA, swMAC))
			require.Equal(t, neverElapses, tb.Deadline())
			tb.Tick(time.Hour)
			_, _, changes = sent(tb)
			require.Empty(t, changes)
			h, _ := tb.Get(ipA)
			require.Equal(t, Host{IP: ipA, MAC: macA, Port: 1}, h)
			_, known := tb.Get(stranger)
			require.False(t, known)
		})
	}
	require.Equal(t, uint64(6), tb.Stats().Conflicts)
}

// TestHostWithTwoAddressesMoves: its other addresses go with it.
func TestHostWithTwoAddressesMoves(t *testing.T) {
	tb := newTable(t)
	tb.ARP(0, 1, ask(macA, ipA, ipB))
	tb.ARP(0, 1, ask(macA, ipB, ipA))
	sent(tb)
	tb.ARP(0, 7, ask(macA, ipA, ipA))
	ports, _, _ := sent(tb)
	require.Equal(t, []int{1, 1}, ports)
	for tb.Deadline() != neverElapses {
		tb.Tick(tb.Deadline())
	}
	for _, ip := range []wire.Addr{ipA, ipB} {
		h, _ := tb.Get(ip)
		require.Equal(t, uint16(7), h.Port)
	}
}

func TestSendWaitsForARP(t *testing.T) {
	tb := newTable(t)
	frame := func(b byte) []byte { f := make([]byte, wire.MinFrame); f[20] = b; return f }
	tb.Send(0, ipB, frame(1), NoPort)
	tb.Send(0, ipB, frame(2), NoPort)
	ports, frames, _ := sent(tb)
	require.Equal(t, []int{1, 2, 3}, ports, "asked for once")
	a, _ := wire.ParseARP(frames[0])
	require.Equal(t, wire.ARP{Op: wire.ARPRequest, SenderMAC: swMAC, Sender: swIP, Target: ipB}, a)
	require.Equal(t, askEvery, tb.Deadline())
	tb.Tick(askEvery)
	ports, _, _ = sent(tb)
	require.Len(t, ports, 3)
	tb.ARP(0, 2, wire.ARP{Op: wire.ARPReply, SenderMAC: macB, Sender: ipB, TargetMAC: swMAC, Target: swIP}.Frame(macB, swMAC))
	ports, frames, _ = sent(tb)
	require.Equal(t, []int{2, 2}, ports)
	require.Equal(t, macB, wire.Ethernet(frames[0]).Dst())
	require.Equal(t, swMAC, wire.Ethernet(frames[0]).Src())
	require.Equal(t, []byte{1, 2}, []byte{frames[0][20], frames[1][20]}, "in order")
	require.Equal(t, neverElapses, tb.Deadline())
	tb.Send(0, ipB, frame(3), NoPort)
	ports, _, _ = sent(tb)
	require.Equal(t, []int{2}, ports)

	// Nobody answers.
	tb.NoRoute(0, 1, ipFrame(ipB, wire.Addr{10, 0, 0, 9}, 17))
	for range maxQueued + 1 {
		tb.Send(0, wire.Addr{10, 0, 0, 9}, frame(0), NoPort)
	}
	for tb.Deadline() != neverElapses {
		tb.Tick(tb.Deadline())
	}
	ports, _, _ = sent(tb)
	require.Len(t, ports, 3*askTries)
	require.Equal(t, uint64(maxQueued+1), tb.Stats().Unresolved)
	tb.Send(time.Hour, wire.Addr{224, 0, 0, 1}, frame(0), NoPort)
	require.Equal(t, uint64(maxQueued+2), tb.Stats().Unresolved)
}

func ipFrame(src, dst wire.Addr, proto byte, payload ...byte) []byte {
	f := make([]byte, wire.EthernetLen+wire.IPv4Len)
	copy(f, swMAC[:])
	copy(f[6:], macA[:])
	f[12] = 8
	ip := f[wire.EthernetLen:]
	ip[0], ip[3], ip[8], ip[9] = 0x45, byte(wire.IPv4Len+len(payload)), 1, proto
	copy(ip[12:], src[:])
	copy(ip[16:], dst[:])
	return append(f, payload...)
}

func TestPing(t *testing.T) {
	tb := newTable(t)
	ping := ipFrame(ipA, swIP, protocolICMP, 8, 0, 0, 0, 0, 7, 0, 1, 'h', 'e', 'y')
	tb.Local(0, 4, ping)
	ports, frames, changes := sent(tb)
	require.Equal(t, []int{4}, ports)
	require.Equal(t, []Change{{New: Host{IP: ipA, MAC: macA, Port: 4}}}, changes)
	r := frames[0]
	require.Equal(t, macA, wire.Ethernet(r).Dst())
	src, dst, ihl, ok := ipv4(r)
	require.True(t, ok && src == swIP && dst == ipA)
	ip := r[wire.EthernetLen:]
	require.Equal(t, uint16(0xffff), wire.Sum(0, ip[:ihl]))
	require.Equal(t, uint16(0xffff), wire.Sum(0, ip[ihl:]))
	require.Equal(t, byte(0), ip[ihl])
	require.Equal(t, "hey", string(ip[ihl+8:]))

	tb.Local(0, 4, ipFrame(ipA, swIP, protocolICMP, 0, 0, 0, 0, 0, 7, 0, 1)) // an echo reply
	tb.Local(0, 4, ipFrame(ipA, swIP, 6, 1, 2, 3))
	tb.Local(0, 4, ipFrame(ipA, ipB, protocolICMP, 8, 0, 0, 0, 0, 7, 0, 1)) // not ours
	ports, _, _ = sent(tb)
	require.Empty(t, ports)
	require.Equal(t, uint64(3), tb.Stats().Other)
}

func TestFloodAndRestore(t *testing.T) {
	tb := newTable(t)
	tb.Unknown(9, make([]byte, 64))
	ports, _, _ := sent(tb)
	require.Equal(t, []int{1, 2, 3}, ports, "the port it came from is known now")
	tb.Unknown(1, make([]byte, 64))
	ports, _, _ = sent(tb)
	require.Equal(t, []int{2, 3, 9}, ports)
	tb.Restore(Host{IP: ipA, MAC: macA, Port: 2})
	_, _, changes := sent(tb)
	require.Empty(t, changes)
	h, ok := tb.Get(ipA)
	require.True(t, ok)
	require.Equal(t, uint16(2), h.Port)
}

// FuzzFrames: no frame, however broken, does more than be counted.
func FuzzFrames(f *testing.F) {
	f.Add(ask(macA, ipA, swIP))
	f.Add(ipFrame(ipA, swIP, protocolICMP, 8, 0, 0, 0, 0, 7, 0, 1))
	f.Fuzz(func(t *testing.T, b []byte) {
		tb, err := New(Config{MAC: swMAC, IPs: []wire.Addr{swIP}, Ports: []uint16{1, 2}})
		require.NoError(t, err)
		tb.ARP(0, 1, b)
		tb.Local(0, 1, b)
		tb.Unknown(1, b)
		tb.NoRoute(0, 1, b)
		tb.Neighbour(0, 2, b)
		for _, h := range tb.List() {
			require.True(t, unicast(h.MAC))
			require.NotEqual(t, swIP, h.IP)
		}
	})
}

// TestUnnamed: hosts behind other switches leave no room for those of this switch, unless its tables do not name them.
func TestUnnamed(t *testing.T) {
	for _, unnamed := range []bool{false, true} {
		var static []Host
		for n := range Max {
			static = append(static, Host{IP: wire.Addr{10, 1, byte(n >> 8), byte(n)}, MAC: macB, Port: 3, Routed: true})
		}
		tb, err := New(Config{MAC: swMAC, IPs: []wire.Addr{swIP}, Ports: []uint16{1, 2}, Links: []uint16{3}, Static: static, Unnamed: unnamed})
		require.NoError(t, err)
		tb.ARP(0, 1, ask(macA, ipA, swIP))
		_, known := tb.Get(ipA)
		require.Equal(t, unnamed, known)
		require.Equal(t, !unnamed, tb.Stats().Full == 1)
	}
}
