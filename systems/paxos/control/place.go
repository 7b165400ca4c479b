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
	// Config is for a replica, which proposes, too. Wire, Proposer.Client, State and Apply are missing.
	Config paxos.Config
	// Guest is for a host that only proposes. Wire and Proposer.Client are missing.
	Guest   paxos.GuestConfig
	Replica bool // which of the two it is
	At      Address
	Number  uint16                  // of the host, from 1
	MACs    map[netip.Addr]wire.MAC // of all that it sends to
}

// Place finds a host that proposes to an application, whether it is a replica or not, by its number.
func (c *Config) Place(app int, host string) (*Place, error) {
	a := &c.Apps[app]
	m := &Place{MACs: map[netip.Addr]wire.MAC{}, Replica: slices.Contains(a.Replicas, host)}
	var ok bool
	if m.At, ok = c.Hosts[host]; !ok {
		return nil, fmt.Errorf("host %s: does not exist", host)
	}
	if !slices.Contains(a.Proposers, host) {
		return nil, fmt.Errorf("host %s is not a proposer of %s", host, a.Name)
	}
	at := func(ip wire.Addr, mac wire.MAC) netip.AddrPort {
		addr := netip.AddrFrom4(ip)
		m.MACs[addr] = mac
		return netip.AddrPortFrom(addr, Port(app))
	}
	guests := map[uint16]netip.AddrPort{}
	var replicas []netip.AddrPort
	for i, h := range c.Net.Hosts() {
		number, to := uint16(i+1), c.Hosts[h.Name]
		switch {
		case h.Name == host:
			m.Number = number
		case m.Replica && slices.Contains(a.Proposers, h.Name) && !slices.Contains(a.Replicas, h.Name):
			guests[number] = at(to.IP, to.MAC)
		case !m.Replica && slices.Contains(a.Replicas, h.Name):
			replicas = append(replicas, at(to.IP, to.MAC))
		}
	}
	leader, controller := at(a.Leader.IP, a.Leader.MAC), at(c.Controller.IP, c.Controller.MAC)
	if !m.Replica {
		m.Guest = paxos.GuestConfig{Leader: leader, Replicas: replicas, Controller: controller, Host: uint32(m.Number)}
		return m, nil
	}
	m.Config = paxos.Config{Leader: leader, Controller: controller, Host: uint32(m.Number), Guests: guests}
	for _, s := range append(append([]string(nil), a.Acceptors...), a.Spares...) {
		m.Config.Acceptors = append(m.Config.Acceptors, at(c.Switches[s].Acceptor, c.Switches[s].MAC))
	}
	for _, s := range a.Learners {
		m.Config.Learners = append(m.Config.Learners, at(c.Switches[s].Learner, c.Switches[s].MAC))
	}
	return m, nil
}
