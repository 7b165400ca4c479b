package wrapped

import (
	"bytes"
	"encoding/binary"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/wrap"
	"github.com/p4ce/p4ce/roce/wire"
)

// linux is a host in a namespace, and the other end of its cable.
type linux struct {
	t    *testing.T
	host party
	far  int // a packet socket at the other end
	sock *net.UDPConn
}

const (
	patience = 20 * time.Second
	dataPort = 9999
	marker   = 0x5ca1ab1e0ddba11
)

func number(i int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(i)) }

func newLinux(t *testing.T) *linux {
	needs.Root(t, "namespaces")
	l, err := lab.New(1)
	require.NoError(t, err)
	t.Cleanup(l.Close)
	h := l.Hosts[0]
	ip, _ := wire.AddrFrom(h.IP)
	x := &linux{t: t, host: party{ip, wire.MAC(h.MAC)}}
	require.NoError(t, l.InHost(h, func() error {
		x.sock, err = net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(h.IP, dataPort)))
		return err
	}))
	t.Cleanup(func() { _ = x.sock.Close() })
	require.NoError(t, x.sock.SetReadBuffer(4<<20))
	require.NoError(t, l.InSwitch(func() error {
		ifi, err := net.InterfaceByName(h.PortInterface())
		if err != nil {
			return err
		}
		const all = unix.ETH_P_ALL>>8 | unix.ETH_P_ALL<<8&0xffff
		if x.far, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, all); err != nil {
			return err
		}
		if err := unix.SetsockoptTimeval(x.far, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: int64(patience / time.Second)}); err != nil {
			return err
		}
		return unix.Bind(x.far, &unix.SockaddrLinklayer{Ifindex: ifi.Index, Protocol: all})
	}))
	t.Cleanup(func() { _ = unix.Close(x.far) })
	return x
}

func (x *linux) send(f []byte) {
	_, err := unix.Write(x.far, f)
	require.NoError(x.t, err)
}

// numbered is a form with another number in the place of what the first one has.
func (x *linux) numbered(w wrap.Wrapped, old, number []byte) {
	for _, f := range w.Frames {
		x.send(bytes.Replace(f, old, number, 1))
	}
}

// takesData reports which datagrams of UDP arrive: each says its number, and the last one is plain.
func (x *linux) takesData(all []wrap.Wrapped) map[int]bool {
	forms := len(all)
	for i, w := range all {
		x.numbered(w, number(marker), number(i))
	}
	x.send(x.data(forms))
	took, b := map[int]bool{}, make([]byte, 2048)
	for {
		require.NoError(x.t, x.sock.SetReadDeadline(time.Now().Add(patience)))
		n, err := x.sock.Read(b)
		require.NoError(x.t, err)
		require.Equal(x.t, 16, n)
		i := int(binary.BigEndian.Uint64(b))
		if i == forms {
			return took
		}
		took[i] = true
	}
}

func (x *linux) data(i int) []byte {
	b := append(number(i), make([]byte, 8)...) // enough for two fragments
	return ipv4(x.host.mac, stranger.mac, stranger.ip, x.host.ip, datagram(dataPort, b))
}

// question asks for the host by an address of which there is one for each.
func (x *linux) question(i int) []byte {
	return arp(x.host.mac, stranger.mac, 1, wire.Addr{10, 66, byte(100 + i>>8), byte(i)}, x.host.ip)
}

// takesARP reports which questions of ARP are answered.
func (x *linux) takesARP(all []wrap.Wrapped) map[int]bool {
	took, b, forms := map[int]bool{}, make([]byte, 2048), len(all)
	sender := func(i int) []byte { return append(stranger.mac[:6:6], 10, 66, byte(100+i>>8), byte(i)) }
	for i, w := range all {
		x.numbered(w, sender(0), sender(i))
	}
	x.send(x.question(forms))
	for {
		n, err := unix.Read(x.far, b)
		require.NoError(x.t, err)
		if n < 42 || binary.BigEndian.Uint16(b[12:]) != 0x0806 || b[21] != 2 {
			continue
		}
		i := int(b[40]-100)<<8 | int(b[41])
		if i == forms {
			return took
		}
		took[i] = true
	}
}

// TestLinux: what a Linux host takes is, in every form, among what the guards look at. It takes what
// has tags of VID 0 at any depth, and nothing of a VLAN that it does not have.
func TestLinux(t *testing.T) {
	x := newLinux(t)
	all := wrap.All(x.data(marker))
	took := x.takesData(all)
	seen := 0
	for i, w := range all {
		if took[i] {
			seen++
			require.False(t, w.VLAN, w.Name)
		}
	}
	t.Logf("IPv4: %d of %d forms are taken", seen, len(all))
	require.GreaterOrEqual(t, seen, 200, "the oracle answers")

	all = wrap.All(x.question(0))
	seen = 0
	const batch = 400 // neighbours have limits
	for begin := 0; begin < len(all); begin += batch {
		n := min(batch, len(all)-begin)
		took = x.takesARP(all[begin : begin+n])
		for i := range n {
			if took[i] {
				seen++
				require.False(t, all[begin+i].VLAN, all[begin+i].Name)
			}
		}
	}
	t.Logf("ARP: %d of %d forms are taken", seen, len(all))
	require.GreaterOrEqual(t, seen, 200, "the oracle answers")
}
