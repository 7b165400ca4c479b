package control

import (
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	names "github.com/p4ce/p4ce/p4/paxos"
	"github.com/p4ce/p4ce/roce/wire"
)

// Everybody in a deployment is in its configuration, and so are the ports that what they send comes
// in by: their addresses are theirs there, and nowhere else.

// sources say where those are who send, hosts of this switch at their ports, and all others behind links; and what
// links are. A cable from the switch to itself is one.
func (p *plan) sources() {
	conf := p.c.conf
	for _, port := range p.sw.trusted(conf) {
		p.add(p4rtclient.Entry{
			Table: names.TableMaySend, Match: []field{num(names.TableMaySendKeyIgIntrMdIngressPort, port)},
			Action: names.ActionSends, Args: []field{num(names.ActionSendsParamRefused, 0), num(names.ActionSendsParamHost, 0)},
		})
		p.add(p4rtclient.Entry{
			Table: names.TablePortGroup, Match: []field{num(names.TablePortGroupKeyIgIntrMdIngressPort, port)},
			Action: names.ActionSetPortGroup, Args: []field{num(names.ActionSetPortGroupParamPortGroup, linkGroup)},
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
	for _, place := range conf.places("") {
		if place.On != p.sw.Name {
			p.source(Address{IP: place.Acceptor}, 0, false)
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

// arrives is the port group of what a switch or a host sends to this switch; ok is false for this switch itself, and for nobody.
func (p *plan) arrives(from string) (group uint16, ok bool) {
	if at, isHost := p.c.conf.Net.Host(from); isHost {
		if at.Switch == p.sw.Name {
			return at.Port, true
		}
		return linkGroup, true
	}
	if p.c.conf.at(from) != from {
		return linkGroup, true // a place, of this switch too: what it sends goes around
	}
	return linkGroup, from != p.sw.Name && p.c.conf.Net.IsSwitch(from)
}
