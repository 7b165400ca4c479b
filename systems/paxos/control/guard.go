package control

import (
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/topology"
	names "github.com/p4ce/p4ce/p4/paxos"
	"github.com/p4ce/p4ce/roce/wire"
)

// Everybody in a deployment is in its configuration, and so are the ports that what they send comes
// in by: their addresses are theirs there, and nowhere else.

// sources say where those are who send, hosts of this switch at their ports, and all others behind links; and what
// links are.
func (p *plan) sources() {
	conf := p.c.conf
	for _, port := range conf.Net.LinkPorts(p.sw.Name) {
		p.add(p4rtclient.Entry{
			Table: names.TableMaySend, Match: []field{num(names.TableMaySendKeyIgIntrMdIngressPort, port)},
			Action: names.ActionSends, Args: []field{num(names.ActionSendsParamRefused, 0), num(names.ActionSendsParamHost, 0)},
		})
	}
	for _, h := range conf.Net.Hosts() {
		a := conf.Hosts[h.Name]
		if h.At.Switch == p.sw.Name {
			p.source(a, h.At.Port, true)
		} else {
			p.source(a, 0, false)
		}
	}
	for _, other := range conf.Net.Switches() {
		if sw := conf.Switches[other]; other != p.sw.Name {
			p.source(Address{sw.MAC, sw.Acceptor}, 0, false)
			p.source(Address{IP: sw.Learner}, 0, false)
		}
	}
	p.source(conf.Controller, 0, false)
	for _, a := range p.c.apps {
		p.source(a.conf.Leader, 0, false)
	}
}

// source says by which port an address sends, or that it does from behind other switches; the zero address is nobody's.
func (p *plan) source(a Address, port uint16, here bool) {
	byMAC := p4rtclient.Entry{Table: names.TableOwnMAC, Match: []field{mac(names.TableOwnMACKeyHdrEthernetSrc, a.MAC)}, Action: names.ActionMACBeyond}
	byIP := p4rtclient.Entry{Table: names.TableOwnIP, Match: []field{ip(names.TableOwnIPKeySender, a.IP)}, Action: names.ActionIPBeyond}
	if here {
		byMAC.Action, byMAC.Args = names.ActionMACAt, []field{num(names.ActionMACAtParamPortGroup, port)}
		byIP.Action, byIP.Args = names.ActionIPAt, []field{num(names.ActionIPAtParamPortGroup, port)}
	}
	if a.MAC != (wire.MAC{}) {
		p.add(byMAC)
	}
	if a.IP != (wire.Addr{}) {
		p.add(byIP)
	}
}

// arrives is the port by which what a switch or a host sends to this switch comes in; ok is false for this switch itself,
// and for nobody.
func (p *plan) arrives(from string) (port uint16, ok bool) {
	net, at := p.c.conf.Net, from
	if h, isHost := net.Host(from); isHost {
		if at = h.Switch; at == p.sw.Name {
			return h.Port, true
		}
	}
	if !net.IsSwitch(at) || at == p.sw.Name {
		return 0, false
	}
	for at != p.sw.Name {
		out, ok := net.Port(at, p.sw.Name)
		if !ok {
			return 0, false
		}
		next, ok := net.Peer(topology.Place{Switch: at, Port: out})
		if !ok {
			return 0, false
		}
		at, port = next.Switch, next.Port
	}
	return port, true
}

// controllerBy are the ports by which what the controller asks comes in: it sends it at a neighbour.
func (p *plan) controllerBy() (ports []uint16) {
	for _, n := range p.c.conf.Net.Neighbours(p.sw.Name) {
		if port, ok := p.arrives(n); ok {
			ports = append(ports, port)
		}
	}
	return ports
}
