// Package store runs p4ce kv --log paxos on the hosts of a network.
package store

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"time"

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
	end := n.HostEnd
	if o.XDP {
		end = func(host string) string { return "xdp:" + n.HostEnd(host) }
	}
	s, err := kvserver.StartStore(kvserver.Options{
		Command: []string{"kv", "--log", "paxos"}, Hosts: n.Replicas(), Binary: o.Binary, Dir: o.Dir, File: n.File(), End: end, Lab: n.Lab(), Out: o.Log, Flags: flags,
	})
	if err != nil {
		return nil, err
	}
	return &Store{n, s}, nil
}

// Close ends the servers.
func (s *Store) Close() { s.Store.Close() }

// StartPrograms starts a server on each host of roles that are programs: processes on the loopback. The caller closes both.
func StartPrograms(p *lab.Programs, o lab.Options, flags ...string) (servers []*kvserver.Server, err error) {
	defer func() {
		if err != nil {
			End(servers)
		}
	}()
	log := o.Log
	if log == nil {
		log = io.Discard
	}
	for i, name := range lab.Hosts {
		r, err := p.Reserve(name)
		if err != nil {
			return servers, err
		}
		text, err := json.Marshal(r)
		if err != nil {
			return servers, err
		}
		file := filepath.Join(o.Dir, name+".roles")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return servers, err
		}
		at := kvserver.Place{ID: i, Name: "server " + name, Socket: filepath.Join(o.Dir, name+".kv")}
		args := []string{o.Binary, "kv", "--log", "paxos", "--roles", file, "--data", filepath.Join(o.Dir, "data-"+name), "--listen", "unix:" + at.Socket, "--metrics", at.Metrics()}
		v, err := kvserver.Start(nil, nil, at, append(args, flags...), log)
		if err != nil {
			return servers, err
		}
		servers = append(servers, v)
	}
	return servers, nil
}

// End ends servers.
func End(servers []*kvserver.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	for _, v := range servers {
		v.Proc.End(ctx)
	}
}
