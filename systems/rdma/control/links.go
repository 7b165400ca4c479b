package control

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/p4ce/p4ce/ctrl/hosts"
	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/roce/wire"
)

// Which links to other switches work: as a switch says of its ports, and as probes say.

// Probes are LLDP frames (IEEE 802.1AB): chassis, port, time to live. They go by packet-out
// by each port to another switch, and come in there as packets to nobody known.
var lldpDst = []byte{0x01, 0x80, 0xc2, 0, 0, 0x0e}

const etherTypeLLDP = 0x88cc

func lldp(mac wire.MAC, at topology.Place) []byte {
	f := append(append(append([]byte{}, lldpDst...), mac[:]...), etherTypeLLDP>>8, etherTypeLLDP&0xff)
	tlv := func(kind int, value ...byte) {
		f = append(binary.BigEndian.AppendUint16(f, uint16(kind<<9|len(value))), value...)
	}
	const local = 7 // subtype: assigned locally
	tlv(1, append([]byte{local}, at.Switch...)...)
	tlv(2, append([]byte{local}, fmt.Sprint(at.Port)...)...)
	tlv(3, 0, 2)
	tlv(0)
	return append(f, make([]byte, max(0, 60-len(f)))...)
}

// parseLLDP reads where a probe comes from.
func parseLLDP(f []byte) (at topology.Place, ok bool) {
	if len(f) < 14 || !bytes.Equal(f[:6], lldpDst) || binary.BigEndian.Uint16(f[12:]) != etherTypeLLDP {
		return at, false
	}
	var parts [2]string
	f = f[14:]
	for i := range parts {
		if len(f) < 2 {
			return at, false
		}
		head := int(binary.BigEndian.Uint16(f))
		n := head & 0x1ff
		if head>>9 != i+1 || n < 2 || n > 256 || len(f) < 2+n || f[2] != 7 {
			return at, false
		}
		parts[i] = string(f[3 : 2+n])
		f = f[2+n:]
	}
	at, err := topology.ParsePlace(parts[0] + ":" + parts[1])
	return at, err == nil
}

// probe sends one by each link, and looks which have been silent. A link is not looked at
// before the switch behind it has been there.
func (p *planter) probe(now time.Duration) {
	if !p.a.InControl() {
		clear(p.heard) // what is heard is not heeded
		return
	}
	for _, port := range p.a.conf.links {
		at := topology.Place{Switch: p.a.conf.name, Port: port}
		p.say(port)
		far, _ := p.f.Net.Peer(at)
		switch last, ever := p.heard[port]; {
		case !ever && p.f.synced(far.Switch):
			p.heard[port] = now // from now on there should be some
		case ever && now-last > p.f.Hold && p.f.SetPort(at, false):
			p.a.Log().Warn("link is down", "port", at)
		}
	}
}

// say sends a probe.
func (p *planter) say(port uint16) {
	p.a.packetOut(hosts.PacketOut{Port: port, Frame: lldp(p.a.conf.MAC, topology.Place{Switch: p.a.conf.name, Port: port})})
}

// ports heeds what the switch says of its ports: a link whose end does not work is down at once. One that
// works again is up when a probe has come over it; both ends send one at once.
func (p *planter) ports(up map[uint32]bool) {
	if len(up) == 0 {
		clear(p.dead)
	}
	for _, port := range p.a.conf.links {
		works, known := up[uint32(port)]
		at := topology.Place{Switch: p.a.conf.name, Port: port}
		switch {
		case !known:
		case works:
			if p.dead[port] {
				delete(p.dead, port)
				p.say(port)
				far, _ := p.f.Net.Peer(at)
				if p.f.Net.Plain(far.Switch) { // it sends no probes
					p.f.SetPort(at, true)
				} else if other := p.f.app(far.Switch); other != nil {
					other.Hand(func() { other.tree.say(far.Port) })
				}
			}
		default:
			p.dead[port] = true
			if p.f.SetPort(at, false) {
				p.a.Log().Warn("link is down: its port is down", "port", at)
			}
		}
	}
}

// probed handles a probe; false when the frame is none.
func (p *planter) probed(port uint16, frame []byte) bool {
	from, ok := parseLLDP(frame)
	if !ok {
		return false
	}
	at := topology.Place{Switch: p.a.conf.name, Port: port}
	// Nobody speaks for another port, or for a switch that sends no probes: a port's state depends on what comes in there.
	if want, linked := p.f.Net.Peer(at); !linked || from != want || p.f.Net.Plain(want.Switch) {
		p.a.stats.foreignProbe++
		if !p.wrong[port] {
			p.wrong[port] = true
			p.a.Log().Error("a link is not wired as the topology says", "port", at, "wired_to", from)
		}
		return true
	}
	p.heard[port] = p.a.Now()
	if p.dead[port] {
		return true // it came before
	}
	if p.f.SetPort(at, true) {
		p.a.Log().Info("link is up again", "port", at)
	}
	return true
}
