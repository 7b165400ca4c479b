// Package store runs p4ce kv --log onepipe on the hosts of a network.
package store

import (
	"github.com/p4ce/p4ce/lab/kvserver"
	"github.com/p4ce/p4ce/systems/onepipe/lab"
)

// Store is a replicated store (p4ce kv --log onepipe) in a network: a server for each host.
type Store struct {
	*lab.Network
	*kvserver.Store
}

// Start starts a server on each host. The caller closes both.
func Start(n *lab.Network, flags ...string) (*Store, error) {
	o := n.Options()
	if o.Target == "interp" {
		flags = append([]string{"--beacon-interval", lab.SoftInterval.String()}, flags...)
	}
	s, err := kvserver.StartStore(kvserver.Options{
		Log: "onepipe", Hosts: n.Hosts(), Binary: o.Binary, Dir: o.Dir, File: n.File(), End: n.HostEnd, Lab: n.Lab(), Out: o.Log, Flags: flags,
	})
	if err != nil {
		return nil, err
	}
	return &Store{n, s}, nil
}

// Close ends the servers.
func (s *Store) Close() { s.Store.Close() }
