package fabric

import (
	"bytes"
	"maps"
	"math"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/sim/fabric"
)

// station is what a host runs: it answers ARP requests and echo requests, and pings for loads.
type station struct {
	h       *fabric.Host
	program *fabric.Thread // that pings
	queue   [][]byte       // frames to be sent
	macs    map[wire.Addr]wire.MAC
	pingers map[uint16]*pinger // by the identifier of their requests
}

func newStation(h *fabric.Host) *station {
	return &station{h: h, program: h.NewThread("ping"), macs: map[wire.Addr]wire.MAC{}, pingers: map[uint16]*pinger{}}
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
	if a, ok := p.Layer(layers.LayerTypeARP).(*layers.ARP); ok {
		s.arp(a)
		return
	}
	ip, ok := p.Layer(layers.LayerTypeIPv4).(*layers.IPv4)
	if !ok || !ip.DstIP.Equal(s.h.Addr().Netip().AsSlice()) {
		return // flooded: for somebody else
	}
	m, ok := p.Layer(layers.LayerTypeICMPv4).(*layers.ICMPv4)
	if !ok || wire.Sum(0, ip.Payload) != 0xffff {
		return // spoilt
	}
	switch m.TypeCode.Type() {
	case layers.ICMPv4TypeEchoRequest:
		var from wire.Addr
		copy(from[:], ip.SrcIP.To4())
		s.send(from, layers.ICMPv4TypeEchoReply, m.Id, m.Seq, m.Payload)
	case layers.ICMPv4TypeEchoReply:
		if g := s.pingers[m.Id]; g != nil {
			g.replied(m.Seq, m.Payload)
		}
	}
}

func (s *station) arp(a *layers.ARP) {
	if len(a.SourceProtAddress) != 4 || len(a.SourceHwAddress) != 6 {
		return
	}
	from, mac := wire.Addr(a.SourceProtAddress), wire.MAC(a.SourceHwAddress)
	if !bytes.Equal(a.DstProtAddress, s.h.Addr().Netip().AsSlice()) {
		return
	}
	s.macs[from] = mac
	if a.Operation == layers.ARPRequest {
		s.sendARP(layers.ARPReply, from, mac)
	}
	for _, g := range s.pingers {
		if g.to == from {
			g.timer.Arm() // what waited for the address is due
		}
	}
}

func (s *station) sendARP(op uint16, to wire.Addr, mac wire.MAC) {
	own, addr := s.h.MAC(), s.h.Addr()
	dst := mac
	if op == layers.ARPRequest {
		dst, mac = wire.MAC{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, wire.MAC{}
	}
	s.put(dst, layers.EthernetTypeARP, &layers.ARP{
		AddrType: layers.LinkTypeEthernet, Protocol: layers.EthernetTypeIPv4, HwAddressSize: 6, ProtAddressSize: 4, Operation: op,
		SourceHwAddress: own[:], SourceProtAddress: addr[:], DstHwAddress: mac[:], DstProtAddress: to[:],
	})
}

// send sends an ICMP message to somebody whose Ethernet address is known.
func (s *station) send(to wire.Addr, kind uint8, id, seq uint16, data []byte) bool {
	mac, ok := s.macs[to]
	if !ok {
		return false
	}
	s.put(mac, layers.EthernetTypeIPv4,
		&layers.IPv4{Version: 4, TTL: 64, Protocol: layers.IPProtocolICMPv4, SrcIP: s.h.Addr().Netip().AsSlice(), DstIP: to.Netip().AsSlice()},
		&layers.ICMPv4{TypeCode: layers.CreateICMPv4TypeCode(kind, 0), Id: id, Seq: seq}, gopacket.Payload(data))
	return true
}

func (s *station) put(dst wire.MAC, kind layers.EthernetType, list ...gopacket.SerializableLayer) {
	own := s.h.MAC()
	eth := &layers.Ethernet{SrcMAC: own[:], DstMAC: dst[:], EthernetType: kind}
	b := gopacket.NewSerializeBuffer()
	err := gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}, append([]gopacket.SerializableLayer{eth}, list...)...)
	if err != nil {
		s.h.Fabric().Fail(err)
		return
	}
	s.queue = append(s.queue, b.Bytes())
	s.h.Send()
}

// pinger sends the requests of a load. Sequence numbers are those of requests.
type pinger struct {
	station *station
	to      wire.Addr
	id      uint16
	timeout time.Duration
	timer   *fabric.Timer
	under   map[uint16]*echo
	asked   time.Duration // when the address is asked for again; 0: it never was
	back    []byte        // the data of the last answer

	sent, again, arps uint64
}

// echo is a request under way.
type echo struct {
	r    *fabric.Request
	due  time.Duration // when it is sent again
	sent bool
}

// Send implements fabric.Client.
func (p *pinger) Send(r *fabric.Request) {
	s := p.station
	s.program.Do(s.h.Config.CPU.Request, func() {
		p.under[uint16(r.Number)] = &echo{r: r, due: s.h.Now()}
		p.timer.Arm()
	})
}

// known reports whether the other's Ethernet address is.
func (p *pinger) known() bool {
	_, ok := p.station.macs[p.to]
	return ok
}

// Deadline implements fabric.Timed.
func (p *pinger) Deadline() time.Duration {
	d := time.Duration(math.MaxInt64)
	for _, e := range p.under {
		d = min(d, e.due)
	}
	if d != math.MaxInt64 && !p.known() {
		d = max(d, p.asked)
	}
	return d
}

// Tick implements fabric.Timed.
func (p *pinger) Tick(now time.Duration) {
	if !p.known() {
		p.arps++
		p.asked = now + p.timeout
		p.station.sendARP(layers.ARPRequest, p.to, wire.MAC{})
		return
	}
	for _, seq := range slices.Sorted(maps.Keys(p.under)) {
		e := p.under[seq]
		if e.due > now {
			continue
		}
		p.sent++
		if e.sent {
			p.again++
		}
		e.sent, e.due = true, now+p.timeout
		p.station.send(p.to, layers.ICMPv4TypeEchoRequest, p.id, seq, e.r.Data)
	}
}

func (p *pinger) replied(seq uint16, data []byte) {
	e := p.under[seq]
	if e == nil {
		return
	}
	delete(p.under, seq)
	p.station.program.Take(p.station.h.Config.CPU.Completion) // what comes next waits
	p.back = data
	e.r.Answered()
	e.r.Free()
}

// Held implements fabric.Client: what came back is what was sent.
func (p *pinger) Held(r *fabric.Request) bool { return bytes.Equal(p.back, r.Data) }

// Counts implements fabric.Client.
func (p *pinger) Counts() []uint64 { return []uint64{p.sent, p.again, p.arps} }

// describe is a line about a frame.
func describe(b []byte) string {
	p := gopacket.NewPacket(b, layers.LayerTypeEthernet, gopacket.Default)
	eth, ok := p.LinkLayer().(*layers.Ethernet)
	if !ok {
		return "no Ethernet"
	}
	text := []string{net.HardwareAddr(eth.SrcMAC).String(), ">", net.HardwareAddr(eth.DstMAC).String()}
	for _, l := range p.Layers()[1:] {
		text = append(text, l.LayerType().String())
	}
	return strings.Join(text, " ")
}
