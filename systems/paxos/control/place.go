package control

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/paxos"
)

// Place is that of a host of an application, and what it must know of the others.
type Place struct {
	Config paxos.Config // but for Wire, Proposer.Client, State and Apply
	At     Address
	Number uint16                  // of the host, from 1
	MACs   map[netip.Addr]wire.MAC // of all that it sends to
}

// Place finds a host that is a replica and a proposer of an application, by its number.
func (c *Config) Place(app int, host string) (*Place, error) {
	a := &c.Apps[app]
	m := &Place{MACs: map[netip.Addr]wire.MAC{}}
	var ok bool
	if m.At, ok = c.Hosts[host]; !ok {
		return nil, fmt.Errorf("host %s: does not exist", host)
	}
	if !slices.Contains(a.Replicas, host) {
		return nil, fmt.Errorf("host %s is not a replica of %s", host, a.Name)
	}
	if !slices.Contains(a.Proposers, host) {
		return nil, fmt.Errorf("host %s is not a proposer of %s", host, a.Name)
	}
	for i, h := range c.Net.Hosts() {
		if h.Name == host {
			m.Number = uint16(i + 1)
		}
	}
	at := func(ip wire.Addr, mac wire.MAC) netip.AddrPort {
		addr := netip.AddrFrom4(ip)
		m.MACs[addr] = mac
		return netip.AddrPortFrom(addr, Port(app))
	}
	m.Config = paxos.Config{
		Leader: at(a.Leader.IP, a.Leader.MAC), Controller: at(c.Controller.IP, c.Controller.MAC), Host: uint32(m.Number),
	}
	for _, s := range append(append([]string(nil), a.Acceptors...), a.Spares...) {
		m.Config.Acceptors = append(m.Config.Acceptors, at(c.Switches[s].Acceptor, c.Switches[s].MAC))
	}
	for _, s := range a.Learners {
		m.Config.Learners = append(m.Config.Learners, at(c.Switches[s].Learner, c.Switches[s].MAC))
	}
	return m, nil
}
