package soft

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/udp"
)

// Server runs a role at a UDP socket, in batches.
type Server struct {
	conn paxos.Wire
	done chan struct{}

	mu    sync.Mutex // guards the fields below
	role  Role
	stats Stats
}

// Stats counts messages, since the start.
type Stats struct {
	In, Out   uint64
	Malformed uint64 // datagrams that are not messages
	Failed    uint64 // batches of which some messages could not be sent
}

// Serve runs a role at an IPv4 address until Close.
func Serve(at netip.AddrPort, role Role) (*Server, error) {
	conn, err := udp.Listen(at, paxos.MaxMessage+1)
	if err != nil {
		return nil, err
	}
	return ServeOn(conn, role), nil
}

// ServeOn runs a role on a wire until Close, which closes the wire, too.
func ServeOn(w paxos.Wire, role Role) *Server {
	s := &Server{conn: w, role: role, done: make(chan struct{})}
	go s.run()
	return s
}

// Addr returns the address.
func (s *Server) Addr() netip.AddrPort { return s.conn.Addr() }

// Do calls f while the role handles nothing, for instance to give it a round or to inspect it.
func (s *Server) Do(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// Stats returns the counters.
func (s *Server) Stats() (stats Stats) {
	s.Do(func() { stats = s.stats })
	return stats
}

// Close ends the server.
func (s *Server) Close() error {
	err := s.conn.Close()
	<-s.done
	return err
}

func (s *Server) run() {
	defer close(s.done)
	in := make([]udp.Packet, udp.Batch)
	var out []udp.Packet
	var data []byte
	for {
		n, err := s.conn.Read(in, time.Time{})
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // an error of something that was sent before
		}
		out, data = s.batch(in[:n], out[:0], slices.Grow(data[:0], n*paxos.MaxMessage))
		if len(out) > 0 && s.conn.Write(out) != nil {
			s.mu.Lock()
			s.stats.Failed++
			s.mu.Unlock()
		}
	}
}

// batch lets the role handle messages, and gathers what it sends.
func (s *Server) batch(in, out []udp.Packet, data []byte) ([]udp.Packet, []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var m paxos.Message
	for _, p := range in {
		s.stats.In++
		if m.Parse(p.Data) != nil {
			s.stats.Malformed++
			continue
		}
		to := s.role.Handle(p.Addr, &m)
		if len(to) == 0 {
			continue
		}
		at := len(data)
		data, _ = m.Append(data) // roles send no values longer than those they were sent
		for _, a := range to {
			s.stats.Out++
			out = append(out, udp.Packet{Addr: a, Data: data[at:len(data):len(data)]})
		}
	}
	return out, data
}
