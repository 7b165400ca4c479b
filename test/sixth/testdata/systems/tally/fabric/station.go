package fabric

import (
	"encoding/binary"
	"net"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	names "github.com/p4ce/p4ce/p4/tally"
	"github.com/p4ce/p4ce/sim/fabric"
)

// firstPort is the UDP port of load 0.
const firstPort = 50000

// station is what a host runs: it answers requests, and sends those of loads.
type station struct {
	h       *fabric.Host
	queue   [][]byte // frames to be sent
	clients map[layers.UDPPort]*client
}

// Next implements fabric.Endpoint.
func (s *station) Next(_ time.Duration, b []byte) []byte {
	if len(s.queue) > 0 {
		b = append(b, s.queue[0]...)
		s.queue = s.queue[1:]
	}
	return b
}

// Receive implements fabric.Endpoint.
func (s *station) Receive(_ time.Duration, frame []byte) {
	p := gopacket.NewPacket(frame, layers.LayerTypeEthernet, gopacket.Default)
	eth, isEth := p.LinkLayer().(*layers.Ethernet)
	ip, isIP := p.NetworkLayer().(*layers.IPv4)
	udp, isUDP := p.TransportLayer().(*layers.UDP)
	if !isEth || !isIP || !isUDP {
		return
	}
	if udp.DstPort == names.PortTally {
		s.send(eth.SrcMAC, ip.SrcIP, udp.DstPort, udp.SrcPort, udp.Payload)
	} else if c := s.clients[udp.DstPort]; c != nil {
		c.answer(udp.Payload)
	}
}

// send sends a datagram.
func (s *station) send(mac net.HardwareAddr, to net.IP, from, port layers.UDPPort, payload []byte) {
	own := s.h.MAC()
	eth := &layers.Ethernet{SrcMAC: own[:], DstMAC: mac, EthernetType: layers.EthernetTypeIPv4}
	ip := &layers.IPv4{Version: 4, TTL: 64, Protocol: layers.IPProtocolUDP, SrcIP: s.h.Addr().Netip().AsSlice(), DstIP: to}
	udp := &layers.UDP{SrcPort: from, DstPort: port}
	b := gopacket.NewSerializeBuffer()
	err := udp.SetNetworkLayerForChecksum(ip)
	if err == nil {
		err = gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}, eth, ip, udp, gopacket.Payload(payload))
	}
	if err != nil {
		s.h.Fabric().Fail(err)
		return
	}
	s.queue = append(s.queue, b.Bytes())
	s.h.Send()
}

// client sends the requests of a load. Nothing is sent again: what is lost stays unanswered.
type client struct {
	network *network
	station *station
	to      *fabric.Host
	key     uint8
	port    layers.UDPPort
	under   map[uint64]*fabric.Request // by the number in their first 8 bytes
	sent    uint64
}

// Send implements fabric.Client.
func (c *client) Send(r *fabric.Request) {
	c.sent++
	c.under[binary.BigEndian.Uint64(r.Data)] = r
	mac := c.to.MAC()
	c.station.send(mac[:], c.to.Addr().Netip().AsSlice(), c.port, names.PortTally, append([]byte{c.key}, r.Data...))
}

// answer takes what the server has sent back.
func (c *client) answer(b []byte) {
	if len(b) < 9 || b[0] != c.key {
		return
	}
	number := binary.BigEndian.Uint64(b[1:])
	if r := c.under[number]; r != nil {
		delete(c.under, number)
		c.network.answered[c.key]++
		r.Answered()
		r.Free()
	}
}

// Held implements fabric.Client: the switch has counted what was answered.
func (c *client) Held(*fabric.Request) bool {
	return c.network.counted(c.key) >= c.network.answered[c.key]
}

// Counts implements fabric.Client.
func (c *client) Counts() []uint64 { return []uint64{c.sent, c.network.counted(c.key)} }
