// Package store runs stores on the hosts of a network: p4ce kv --log onepipe, and p4ce shard.
package store

import (
	"github.com/p4ce/p4ce/lab/kvserver"
	"github.com/p4ce/p4ce/systems/onepipe/lab"
)

// Store is a store in a network: a server for each host.
type Store struct {
	*lab.Network
	*kvserver.Store
}

// Start starts a server of a replicated store on each host (p4ce kv --log onepipe). The caller closes both.
func Start(n *lab.Network, flags ...string) (*Store, error) {
	return start(n, false, flags, "kv", "--log", "onepipe")
}

// StartShards starts a server of a shard on each host (p4ce shard). The caller closes both.
func StartShards(n *lab.Network, flags ...string) (*Store, error) {
	return start(n, true, flags, "shard")
}

func start(n *lab.Network, diskless bool, flags []string, command ...string) (*Store, error) {
	o := n.Options()
	if o.Target == "interp" {
		flags = append([]string{"--beacon-interval", lab.SoftInterval.String()}, flags...)
	}
	s, err := kvserver.StartStore(kvserver.Options{
		Command: command, Diskless: diskless, Hosts: n.Hosts(), Binary: o.Binary, Dir: o.Dir, File: n.File(), End: n.HostEnd, Lab: n.Lab(), Out: o.Log, Flags: flags,
	})
	if err != nil {
		return nil, err
	}
	return &Store{n, s}, nil
}

// Close ends the servers.
func (s *Store) Close() { s.Store.Close() }
