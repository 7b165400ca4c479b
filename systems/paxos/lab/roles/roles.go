// Package roles is what a host is told of roles that are programs (soft.Cluster): between systems/paxos/lab, which starts them for
// comparisons, and p4ce kv --log paxos --roles.
package roles

import "net/netip"

// Place is that of a host. In files it is JSON.
type Place struct {
	Listen     netip.AddrPort   `json:"listen"`
	Host       uint16           `json:"host"` // its number, from 1
	Leader     netip.AddrPort   `json:"leader"`
	Acceptors  []netip.AddrPort `json:"acceptors"`
	Learner    netip.AddrPort   `json:"learner"`
	Controller netip.AddrPort   `json:"controller"`
}
