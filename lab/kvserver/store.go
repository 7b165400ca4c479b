package kvserver

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/p4ce/p4ce/lab"
)

// Options say what the servers of a store are, and where they run: on hosts of a network, whose deployment has places for them.
type Options struct {
	Command  []string // of p4ce: kv --log LOG, or another with its flags
	Diskless bool     // it has no --data
	Hosts    []string // a server on each
	Binary   string   // p4ce
	Dir      string   // for sockets and data
	File     string   // the deployment
	// End is what --link says of a host.
	End   func(host string) string
	Lab   *lab.Lab
	Out   io.Writer // the servers' log; nil: nowhere
	Flags []string  // more flags of the servers
}

// Store is a store whose servers are hosts of a network.
type Store struct {
	o       Options
	servers []*Server
}

// StartStore starts a server on each host. The caller closes the store.
func StartStore(o Options) (*Store, error) {
	s := &Store{o: o, servers: make([]*Server, len(o.Hosts))}
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
func (s *Store) Server(i int) *Server { return s.servers[i] }

func (s *Store) place(i int) Place {
	name := s.o.Hosts[i]
	return Place{ID: i, Name: "server " + name, Socket: filepath.Join(s.o.Dir, name+".kv")}
}

// Client makes a client of a server that tries everything once. The caller closes it.
func (s *Store) Client(i int) *redis.Client { return s.place(i).Client() }

// Data is the folder of a server's data.
func (s *Store) Data(i int) string { return filepath.Join(s.o.Dir, "data-"+s.o.Hosts[i]) }

// Restart starts a server; its data is still there.
func (s *Store) Restart(i int, flags ...string) error {
	host := s.o.Hosts[i]
	p := s.place(i)
	log := s.o.Out
	if log == nil {
		log = io.Discard
	}
	args := append([]string{s.o.Binary}, s.o.Command...)
	args = append(args, "--deployment", s.o.File, "--host", host, "--link", s.o.End(host), "--listen", "unix:"+p.Socket, "--metrics", p.Metrics())
	if !s.o.Diskless {
		args = append(args, "--data", s.Data(i))
	}
	v, err := Start(s.o.Lab, nil, p, append(append(args, s.o.Flags...), flags...), log)
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
func (s *Store) Equal(ctx context.Context) error { return Equal(ctx, s.servers) }
