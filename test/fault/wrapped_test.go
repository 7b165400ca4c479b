package fault

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netlink"

	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/wrap"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/control"
	"github.com/p4ce/p4ce/systems/rdma/lab/store"
)

// plain is a packet in the form in which every guard knows it.
type plain struct {
	kind  string
	frame []byte
}

// wrapped sends a packet in every form. It is not sent as it is: the other attacks do that.
func (s *stranger) wrapped(p plain) (frames int) {
	for _, w := range wrap.All(p.frame)[1:] {
		for _, f := range w.Frames {
			s.send("wrapped: "+p.kind, f)
			frames++
		}
	}
	return frames
}

// pretences are packets in which the stranger says that he is somebody else: by ARP, that others are where he is, and datagrams from
// the addresses of the switch, of another server of the same store, and of one of the other store. Each goes to every other server.
func (s *stranger) pretences(servers []party) (out []plain) {
	mine, n := wire.MAC(s.self.MAC), len(servers)
	for i, to := range servers {
		next, other := servers[(i+1)%n], servers[(i+n/2)%n]
		for k, p := range []plain{
			{"ARP answer", arpFrame(2, mine, to.mac, next, to)},
			{"ARP answer", arpFrame(2, mine, to.mac, theSwitch, to)},
			{"ARP question", arpFrame(1, mine, to.mac, theSwitch, to)},
			{"ARP question", arpFrame(1, mine, to.mac, next, to)},
			{"IPv4 by the switch's address", s.datagram(theSwitch, mine, to)},
			{"IPv4 by another's address", s.datagram(next, mine, to)},
			{"IPv4 by both addresses of the switch", s.datagram(theSwitch, theSwitch.mac, to)},
			{"IPv4 by both addresses of another", s.datagram(other, other.mac, to)},
		} {
			if (i+k)%2 == 0 {
				out = append(out, p)
			}
		}
	}
	return out
}

// witnessPort is where witnesses listen.
const witnessPort = 9999

// datagram is one for a witness, from an address, by an Ethernet address.
func (s *stranger) datagram(from party, mac wire.MAC, to party) []byte {
	ip := &layers.IPv4{
		Version: 4, TTL: 64, Protocol: layers.IPProtocolUDP, Flags: layers.IPv4DontFragment,
		SrcIP: from.ip.Netip().AsSlice(), DstIP: to.ip.Netip().AsSlice(),
	}
	udp := &layers.UDP{SrcPort: 12345, DstPort: witnessPort}
	require.NoError(s.t, udp.SetNetworkLayerForChecksum(ip))
	b := gopacket.NewSerializeBuffer()
	require.NoError(s.t, gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true},
		&layers.Ethernet{SrcMAC: mac[:], DstMAC: to.mac[:], EthernetType: layers.EthernetTypeIPv4}, ip, udp, gopacket.Payload("who sends this?")))
	return b.Bytes()
}

// wrappedGroup writes into the log of a group's replica as the switch would, and acknowledges to the leader what nobody has, in
// every form.
func (s *stranger) wrappedGroup(hosts map[string]party, g *control.GroupInfo) (frames int) {
	psn, leader := wire.PSNOf(g.Counters.Sent).Add(1), hosts[g.Leader]
	for _, slot := range g.Slots[:1] {
		replica := hosts[slot.Replica]
		for _, p := range []struct {
			kind     string
			from, to party
			h        wire.Header
			payload  []byte
		}{
			{"WRITE as the switch", theSwitch, replica, wire.Header{Opcode: wire.WriteLast, DestQP: slot.QPN, PSN: psn.Add(int(slot.Delta)), AckReq: true}, make([]byte, 64)},
			{"ACK as a replica", replica, theSwitch, wire.Header{Opcode: wire.Acknowledge, DestQP: slot.AggrQP, PSN: psn.Add(int(slot.Delta)), Syndrome: 0x1f, MSN: 5}, nil},
			{"ACK as the switch", theSwitch, leader, wire.Header{Opcode: wire.Acknowledge, DestQP: slot.QPN, PSN: psn, Syndrome: 0x1f}, nil},
		} {
			p.h.Src, p.h.Dst, p.h.SrcMAC, p.h.DstMAC, p.h.SrcPort = p.from.ip, p.to.ip, wire.MAC(s.self.MAC), p.to.mac, 0xc000
			frames += s.wrapped(plain{p.kind, wire.AppendFrame(nil, &p.h, p.payload)})
		}
	}
	return frames
}

// witness is a socket on a server: what reaches it has got past the guards, whatever form it had.
type witness struct {
	name string
	conn *net.UDPConn
}

func newWitness(t *testing.T, l *lab.Lab, h *lab.Host) (w witness) {
	w.name = h.Name
	require.NoError(t, l.InHost(h, func() (err error) {
		w.conn, err = net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(h.IP, witnessPort)))
		return err
	}))
	t.Cleanup(func() { _ = w.conn.Close() })
	return w
}

// only checks that nobody but one has reached the socket. He sends again until he does: frames may get lost.
func (w witness) only(t *testing.T, from netip.Addr, send func()) {
	t.Helper()
	b := make([]byte, 2048)
	for end := time.Now().Add(20 * time.Second); ; {
		send()
		_ = w.conn.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		n, who, err := w.conn.ReadFromUDPAddrPort(b)
		if err != nil {
			require.True(t, time.Now().Before(end), "%s receives what is ordinary: %v", w.name, err)
			continue
		}
		require.Equal(t, from.String(), who.Addr().Unmap().String(), "%s has received %q from there", w.name, b[:n])
		return
	}
}

// trusts checks that a host knows of nobody that he is at the stranger's address, but the stranger, and of servers and the
// switch that they are where they are.
func trusts(t *testing.T, l *lab.Lab, h, stranger *lab.Host) {
	t.Helper()
	where := map[string]string{lab.SwitchIP.String(): lab.SwitchMAC.String()}
	for _, o := range l.Hosts {
		where[o.IP.String()] = o.MAC.String()
	}
	var list []netlink.Neigh
	require.NoError(t, l.InHost(h, func() error {
		ifi, err := net.InterfaceByName(lab.Interface)
		if err != nil {
			return err
		}
		list, err = netlink.NeighList(ifi.Index, netlink.FAMILY_V4)
		return err
	}))
	known := 0
	for _, n := range list {
		if n.State&(netlink.NUD_INCOMPLETE|netlink.NUD_FAILED) != 0 {
			continue
		}
		require.Equal(t, where[n.IP.String()], n.HardwareAddr.String(), "%s: where %v is", h.Name, n.IP)
		if !n.IP.Equal(stranger.IP.AsSlice()) {
			known++
		}
	}
	require.Positive(t, known, "%s knows where others are", h.Name)
}

// drops is what the switch has dropped, by reason.
func drops(ctx context.Context, t *testing.T, s *store.Store) map[names.Drop]uint64 {
	t.Helper()
	out := map[names.Drop]uint64{}
	for _, d := range names.Drops() {
		n, err := s.Counter(ctx, names.CounterDrops, int(d))
		require.NoError(t, err)
		out[d] = n
	}
	return out
}

// acknowledge writes a few values, and notes which were acknowledged.
func (r *run) acknowledge(into map[string]string) {
	r.t.Helper()
	c := r.Client(r.leader())
	defer c.Close()
	for range 8 {
		key := fmt.Sprint("acknowledged", len(into))
		if c.Set(r.ctx, key, "value of "+key, 0).Err() == nil {
			into[key] = "value of " + key
		}
	}
}

// failOver kills the leader: the next one has what was acknowledged, as it was.
func (r *run) failOver(acknowledged map[string]string) {
	r.t.Helper()
	require.NotEmpty(r.t, acknowledged)
	old := r.accelerated()
	r.Kill(old)
	require.NotEqual(r.t, old, r.leader())
	for key, v := range acknowledged {
		got, there := r.read(key)
		require.True(r.t, there, key)
		require.Equal(r.t, v, got, key)
	}
	r.ok(r.Restart(old))
	r.ok(r.Full(r.ctx, old))
	r.accelerated()
}
