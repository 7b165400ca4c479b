// Package store runs p4ce kv --log paxos on the hosts of a network.
package store

import (
	"github.com/p4ce/p4ce/lab/kvserver"
	"github.com/p4ce/p4ce/systems/paxos/lab"
)

// Store is a replicated store (p4ce kv --log paxos) in a network: a server for each host.
type Store struct {
	*lab.Network
	*kvserver.Store
}

// Start starts a server on each host of the network's only application. The caller closes
// both.
func Start(n *lab.Network, flags ...string) (*Store, error) {
	o := n.Options()
	s, err := kvserver.StartStore(kvserver.Options{
		Command: []string{"kv", "--log", "paxos"}, Hosts: n.Replicas(), Binary: o.Binary, Dir: o.Dir, File: n.File(), End: n.HostEnd, Lab: n.Lab(), Out: o.Log, Flags: flags,
	})
	if err != nil {
		return nil, err
	}
	return &Store{n, s}, nil
}

// Close ends the servers.
func (s *Store) Close() { s.Store.Close() }
