// Package store runs p4ce kv --log paxos on the hosts of a network.
package store

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/p4ce/p4ce/lab/kvserver"
	"github.com/p4ce/p4ce/systems/paxos/lab"
)

// Store is a replicated store (p4ce kv --log paxos) in a network: a server for each host.
type Store struct {
	*lab.Network
	Flags   []string // of the servers
	servers []*kvserver.Server
}

// Start starts a server on each host of the network's only application. The caller closes
// both.
func Start(n *lab.Network, flags ...string) (*Store, error) {
	s := &Store{Network: n, Flags: flags, servers: make([]*kvserver.Server, len(n.Replicas()))}
	for i := range s.servers {
		if err := s.Restart(i); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// Close ends the servers.
func (s *Store) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	for _, v := range s.servers {
		if v != nil {
			v.Proc.End(ctx)
		}
	}
}

// Servers is how many there are.
func (s *Store) Servers() int { return len(s.servers) }

// Server is one of them.
func (s *Store) Server(i int) *kvserver.Server { return s.servers[i] }

func (s *Store) place(i int) kvserver.Place {
	name := s.Replicas()[i]
	return kvserver.Place{ID: i, Name: "server " + name, Socket: filepath.Join(s.Options().Dir, name+".kv")}
}

// Client makes a client of a server that tries everything once. The caller closes it.
func (s *Store) Client(i int) *redis.Client { return s.place(i).Client() }

// Data is the folder of a server's data.
func (s *Store) Data(i int) string {
	return filepath.Join(s.Options().Dir, "data-"+s.Replicas()[i])
}

// Restart starts a server; its data is still there.
func (s *Store) Restart(i int) error {
	host := s.Replicas()[i]
	p := s.place(i)
	log := io.Writer(io.Discard)
	if s.Options().Log != nil {
		log = s.Options().Log
	}
	v, err := kvserver.Start(s.Lab(), nil, p, append([]string{
		s.Options().Binary, "kv", "--log", "paxos", "--deployment", s.File(), "--host", host, "--link", s.HostEnd(host), "--data", s.Data(i), "--listen", "unix:" + p.Socket, "--metrics", p.Metrics(),
	}, s.Flags...), log)
	if err != nil {
		return err
	}
	s.servers[i] = v
	return nil
}

// Forget removes a server's data. It must not be running.
func (s *Store) Forget(i int) error { return os.RemoveAll(s.Data(i)) }

// Equal waits until all servers have the same state; nothing must be written meanwhile, nor read,
// since a read is a record.
func (s *Store) Equal(ctx context.Context) error { return kvserver.Equal(ctx, s.servers) }
