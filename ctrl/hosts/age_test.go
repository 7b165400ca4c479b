package hosts

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/p4ce/p4ce/roce/wire"
)

// made is a host that somebody has made up.
func made(n int) (wire.MAC, wire.Addr) {
	return wire.MAC{2, 0xee, 0, byte(n >> 16), byte(n >> 8), byte(n)}, wire.Addr{10, 66, byte(n >> 8), byte(n)}
}

// run lets the time pass to an end, with a host that answers for itself at its place.
func run(tb *Table, until time.Duration, answers func(port uint16, ip wire.Addr) (wire.MAC, bool)) (changes []Change) {
	for {
		frames, c := tb.Poll()
		changes = append(changes, c...)
		now := min(until, tb.Deadline())
		if len(frames) == 0 && tb.Deadline() >= until {
			return changes
		}
		for _, f := range frames {
			if a, ok := wire.ParseARP(f.Frame); ok && a.Op == wire.ARPRequest {
				if mac, ok := answers(f.Port, a.Target); ok {
					tb.ARP(now, f.Port, wire.ARP{Op: wire.ARPReply, SenderMAC: mac, Sender: a.Target, TargetMAC: swMAC, Target: swIP}.Frame(mac, swMAC))
				}
			}
		}
		if now >= until {
			_, c := tb.Poll()
			return append(changes, c...)
		}
		tb.Tick(now)
	}
}

func nobody(uint16, wire.Addr) (wire.MAC, bool) { return wire.MAC{}, false }

// TestAge: a silent host is asked, and forgotten when it does not answer; one that answers stays, and
// so does one that is in use, or static.
func TestAge(t *testing.T) {
	ipC, ipD := wire.Addr{10, 0, 0, 3}, wire.Addr{10, 0, 0, 4}
	macC, macD := wire.MAC{2, 0, 0, 0, 0, 3}, wire.MAC{2, 0, 0, 0, 0, 4}
	tb, err := New(Config{
		MAC: swMAC, IPs: []wire.Addr{swIP}, Ports: []uint16{1, 2, 3}, Age: time.Minute, Static: []Host{{IP: ipD, MAC: macD, Port: 3}},
		InUse: func(ip wire.Addr) bool { return ip == ipC },
	})
	require.NoError(t, err)
	tb.ARP(0, 1, ask(macA, ipA, swIP))
	tb.ARP(0, 2, ask(macB, ipB, swIP))
	tb.ARP(0, 2, ask(macC, ipC, swIP))
	_, _, changes := sent(tb)
	require.Len(t, changes, 4)
	changes = run(tb, time.Hour, func(port uint16, ip wire.Addr) (wire.MAC, bool) { return macA, port == 1 && ip == ipA })
	require.Equal(t, []Change{{Old: &Host{IP: ipB, MAC: macB, Port: 2}, Gone: true}}, changes)
	require.Equal(t, uint64(1), tb.Stats().Forgotten)
	_, known := tb.Get(ipB)
	require.False(t, known)
	for _, ip := range []wire.Addr{ipA, ipC, ipD} {
		_, known := tb.Get(ip)
		require.True(t, known, "%v", ip)
	}
	tb.ARP(time.Hour, 3, ask(macB, ipB, swIP))
	_, _, changes = sent(tb)
	require.Equal(t, []Change{{New: Host{IP: ipB, MAC: macB, Port: 3}}}, changes, "it is new, wherever it is")
}

// TestPortIsFull: what one port can fill is its own, and it has it again when its hosts have gone.
func TestPortIsFull(t *testing.T) {
	tb, err := New(Config{MAC: swMAC, IPs: []wire.Addr{swIP}, Ports: []uint16{1, 2, 3}, Age: time.Minute, PerPort: 4})
	require.NoError(t, err)
	for n := range 100 {
		mac, ip := made(n)
		tb.ARP(0, 3, ask(mac, ip, swIP))
	}
	require.Len(t, tb.List(), 4)
	require.Equal(t, uint64(96), tb.Stats().PortFull)
	tb.ARP(0, 1, ask(macA, ipA, swIP))
	require.Len(t, tb.List(), 5, "another port")
	// A silent host that is said to be there has moved: it is no further one.
	tb.ARP(0, 3, ask(macA, ipA, swIP))
	run(tb, 30*time.Second, nobody)
	h, _ := tb.Get(ipA)
	require.Equal(t, uint16(3), h.Port)
	run(tb, time.Hour, nobody)
	require.Empty(t, tb.List())
	mac, ip := made(200)
	tb.ARP(time.Hour, 3, ask(mac, ip, swIP))
	require.Len(t, tb.List(), 1)
}

// TestSearchesPerPort: a port that asks for what is not there leaves room for others' questions, and
// claims of one port leave room for those of another.
func TestSearchesPerPort(t *testing.T) {
	tb := newTable(t)
	packet := func(n int) []byte {
		_, ip := made(n)
		f := wire.AppendFrame(nil, &wire.Header{SrcMAC: macB, DstMAC: swMAC, Src: ipB, Dst: ip, SrcPort: 1}, nil)
		return f
	}
	for n := range 5000 {
		tb.NoRoute(0, 3, packet(n))
	}
	require.Len(t, tb.waiting, maxWaitingPerPort)
	tb.NoRoute(0, 1, packet(6000))
	require.Len(t, tb.waiting, maxWaitingPerPort+1)
	tb.Send(0, ipA, make([]byte, 60), NoPort)
	require.Len(t, tb.waiting, maxWaitingPerPort+2, "nor does the controller wait for its own")

	tb = newTable(t)
	for n := range 200 {
		mac, ip := made(n)
		tb.ARP(0, 1, ask(mac, ip, swIP))
	}
	for n := range 200 {
		_, ip := made(n)
		tb.ARP(0, 3, ask(macB, ip, swIP))
	}
	require.Len(t, tb.claims, maxClaimsPerPort)
	_, ip := made(199)
	tb.ARP(0, 2, ask(macA, ip, swIP))
	require.Len(t, tb.claims, maxClaimsPerPort+1)
}

// TestAllPortsAreFull: what all ports together have is bounded too, and what is not done for that is counted by itself.
func TestAllPortsAreFull(t *testing.T) {
	tb := newTable(t)
	ports := maxWaiting/maxWaitingPerPort + 2
	for n := range ports * (maxWaitingPerPort + 5) {
		_, ip := made(n)
		tb.NoRoute(0, uint16(100+n%ports), wire.AppendFrame(nil, &wire.Header{SrcMAC: macB, DstMAC: swMAC, Src: ipB, Dst: ip, SrcPort: 1}, nil))
	}
	require.Len(t, tb.waiting, maxWaiting)
	full, own := tb.Stats().SearchesFull, tb.Stats().PortFull
	require.Equal(t, uint64(ports*(maxWaitingPerPort+5)-maxWaiting), full+own)
	require.Positive(t, full)
	tb.Send(0, ipA, make([]byte, 60), NoPort)
	require.Equal(t, full+1, tb.Stats().SearchesFull)

	tb = newTable(t)
	ports = maxClaims/maxClaimsPerPort + 2
	known := ports * (maxClaimsPerPort + 5)
	for n := range known {
		mac, ip := made(n)
		tb.ARP(0, uint16(200+n/200), ask(mac, ip, swIP))
	}
	require.Len(t, tb.List(), known)
	for n := range known {
		_, ip := made(n)
		tb.ARP(0, uint16(100+n%ports), ask(macB, ip, swIP))
	}
	require.Len(t, tb.claims, maxClaims)
	full, own = tb.Stats().ClaimsFull, tb.Stats().PortFull
	require.Equal(t, uint64(known-maxClaims), full+own)
	require.Positive(t, full)
	require.Equal(t, uint64(known), tb.Stats().Conflicts)
}

// TestLinkLocal: what is for the other end of the cable is passed on to nobody.
func TestLinkLocal(t *testing.T) {
	tb := newTable(t)
	frame := make([]byte, 60)
	for last := range 16 {
		copy(frame, []byte{0x01, 0x80, 0xc2, 0, 0, byte(last)})
		tb.Unknown(1, frame)
	}
	ports, _, _ := sent(tb)
	require.Empty(t, ports)
	require.Equal(t, uint64(16), tb.Stats().LinkLocal)
	frame[5] = 0x10 // a bridge's own address is not of them
	tb.Unknown(1, frame)
	ports, _, _ = sent(tb)
	require.Equal(t, []int{2, 3}, ports)
}

// TestClaimOfOneInUse: a host that a group needs must be silent for much longer than others.
func TestClaimOfOneInUse(t *testing.T) {
	used := true
	tb, err := New(Config{MAC: swMAC, IPs: []wire.Addr{swIP}, Ports: []uint16{1, 2, 3}, Age: -1, InUse: func(wire.Addr) bool { return used }})
	require.NoError(t, err)
	tb.ARP(0, 1, ask(macA, ipA, swIP))
	tb.ARP(0, 3, ask(macB, ipA, swIP))
	changes := run(tb, inUseAfter-time.Nanosecond, nobody)
	require.Len(t, changes, 1, "learned")
	h, _ := tb.Get(ipA)
	require.Equal(t, uint16(1), h.Port)
	// It wakes up just before the end.
	tb.ARP(inUseAfter-time.Nanosecond, 1, ask(macA, ipA, swIP))
	require.Empty(t, run(tb, time.Hour, nobody))
	tb.ARP(time.Hour, 3, ask(macB, ipA, swIP))
	changes = run(tb, 2*time.Hour, nobody)
	require.Equal(t, []Change{{Old: &Host{IP: ipA, MAC: macA, Port: 1}, New: Host{IP: ipA, MAC: macB, Port: 3}}}, changes, "it is dead, and somebody has taken its place")
}

// TestHostilePort: whatever comes from one port, those on the others stay where they are while they
// answer, and who is new there is known.
func TestHostilePort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tb, err := New(Config{MAC: swMAC, IPs: []wire.Addr{swIP}, Ports: []uint16{1, 2, 3}, Age: time.Minute, PerPort: 8})
		require.NoError(t, err)
		answers := func(port uint16, ip wire.Addr) (wire.MAC, bool) {
			return map[wire.Addr]wire.MAC{ipA: macA, ipB: macB}[ip], port == 1 && ip == ipA || port == 2 && ip == ipB
		}
		tb.ARP(0, 1, ask(macA, ipA, swIP))
		tb.ARP(0, 2, ask(macB, ipB, swIP))
		now := time.Duration(0)
		addresses := []wire.Addr{ipA, ipB, swIP, {10, 0, 0, 9}, {}}
		macs := []wire.MAC{macA, macB, swMAC, {2, 0xbb}, broadcast, {}}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			a := wire.ARP{
				Op: uint16(rapid.IntRange(0, 3).Draw(t, "op")), SenderMAC: rapid.SampledFrom(macs).Draw(t, "mac"), Sender: rapid.SampledFrom(addresses).Draw(t, "sender"),
				TargetMAC: rapid.SampledFrom(macs).Draw(t, "target mac"), Target: rapid.SampledFrom(addresses).Draw(t, "target"),
			}
			if rapid.IntRange(0, 2).Draw(t, "made up") == 0 {
				a.SenderMAC, a.Sender = made(rapid.IntRange(0, 100).Draw(t, "n"))
			}
			frame := a.Frame(rapid.SampledFrom(macs).Draw(t, "from"), rapid.SampledFrom(macs).Draw(t, "to"))
			switch rapid.IntRange(0, 4).Draw(t, "way") {
			case 0:
				tb.Neighbour(now, 3, frame)
			case 1:
				tb.Unknown(3, frame)
			case 2:
				tb.NoRoute(now, 3, wire.AppendFrame(nil, &wire.Header{SrcMAC: a.SenderMAC, DstMAC: swMAC, Src: a.Sender, Dst: a.Target, SrcPort: 1}, nil))
			default:
				tb.ARP(now, 3, frame)
			}
			now += time.Duration(rapid.IntRange(0, int(20*time.Second)).Draw(t, "pause"))
			run(tb, now, answers)
			for ip, at := range map[wire.Addr]Host{ipA: {IP: ipA, MAC: macA, Port: 1}, ipB: {IP: ipB, MAC: macB, Port: 2}} {
				h, known := tb.Get(ip)
				require.True(t, known)
				require.Equal(t, at, h)
			}
		}
		ipC, macC := wire.Addr{10, 0, 0, 77}, wire.MAC{2, 0, 0, 0, 0, 77}
		tb.ARP(now, 2, ask(macC, ipC, swIP))
		h, known := tb.Get(ipC)
		require.True(t, known)
		require.Equal(t, uint16(2), h.Port)
	})
}

// TestGroupFormsDuringClaim: who comes into use while a claim about him is open is waited for as long as others
// in use.
func TestGroupFormsDuringClaim(t *testing.T) {
	used := false
	tb, err := New(Config{MAC: swMAC, IPs: []wire.Addr{swIP}, Ports: []uint16{1, 2, 3}, Age: -1, InUse: func(wire.Addr) bool { return used }})
	require.NoError(t, err)
	tb.ARP(0, 1, ask(macA, ipA, swIP))
	tb.ARP(0, 3, ask(macB, ipA, swIP))
	used = true
	require.Len(t, run(tb, claimAfter+inUseAfter-time.Nanosecond, nobody), 1, "learned")
	require.Len(t, run(tb, time.Hour, nobody), 1, "it is dead")
}

// TestStrict: nobody is learned, and nothing is done for a stranger; the operator's hosts work.
func TestStrict(t *testing.T) {
	tb, err := New(Config{MAC: swMAC, IPs: []wire.Addr{swIP}, Ports: []uint16{1, 2, 3}, Strict: true, Static: []Host{{IP: ipA, MAC: macA, Port: 1}}})
	require.NoError(t, err)
	sent(tb)
	for _, target := range []wire.Addr{swIP, ipA, {10, 0, 0, 9}} {
		tb.ARP(0, 2, ask(macB, ipB, target))
	}
	tb.Neighbour(0, 2, wire.AppendFrame(nil, &wire.Header{SrcMAC: macB, DstMAC: swMAC, Src: ipB, Dst: swIP, SrcPort: 1}, nil))
	tb.Restore(Host{IP: ipB, MAC: macB, Port: 2})
	ports, _, changes := sent(tb)
	require.Empty(t, ports)
	require.Empty(t, changes)
	require.Len(t, tb.List(), 1)
	require.Equal(t, uint64(4), tb.Stats().Strangers)
	tb.ARP(0, 1, ask(macA, ipA, swIP))
	ports, _, _ = sent(tb)
	require.Equal(t, []int{1}, ports)
}
