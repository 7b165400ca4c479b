package p4rt

import (
	"maps"
	"slices"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/link/oper"
)

// SetPort reports whether a port is up. Primaries hear of changes (package oper). A later primary
// hears of all ports.
//
// Multicast groups in which the port has backups, or is one, and groups of action profiles whose members watch it, change before
// SetPort returns.
func (s *Server) SetPort(port dataplane.Port, up bool) {
	if s.setPort(port, up) {
		s.failOver(port)
	}
}

// setPort reports whether that is news.
func (s *Server) setPort(port dataplane.Port, up bool) bool {
	s.amu.Lock()
	defer s.amu.Unlock()
	if was, known := s.ports[uint32(port)]; known && was == up {
		return false
	}
	s.ports[uint32(port)] = up
	for _, id := range s.primaries() {
		s.clients[id].tell(map[uint32]bool{uint32(port): up})
	}
	return true
}

// failOver makes the groups anew that may use another replica now, because a port went down or came up.
func (s *Server) failOver(port dataplane.Port) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.st == nil {
		return
	}
	s.failOverMembers(port)
	for id, chains := range s.st.backups {
		if !slices.ContainsFunc(chains, func(c chain) bool { return c.has(port) }) {
			continue
		}
		if err := s.target.SetGroup(id, s.inUse(chains)); err != nil {
			s.log.Error("multicast group: a backup replica cannot take over", "group", id, "port", port, "err", err)
		}
	}
}

// chain is a replica of a multicast group, and its backups: the first whose port is up is in use.
type chain []dataplane.Replica

func (c chain) has(port dataplane.Port) bool {
	return slices.ContainsFunc(c, func(r dataplane.Replica) bool { return r.Port == port })
}

// inUse are the replicas in use. When all ports of a chain are down, that is the first, whose copies are lost (P4Runtime 9.5.1).
func (s *Server) inUse(chains []chain) []dataplane.Replica {
	s.amu.Lock()
	defer s.amu.Unlock()
	out := make([]dataplane.Replica, len(chains))
	for i, c := range chains {
		out[i] = c[0]
		for _, r := range c {
			if up, known := s.ports[uint32(r.Port)]; up || !known {
				out[i] = r
				break
			}
		}
	}
	return out
}

// greet tells those who are the primary now of all ports. s.amu is held.
func (s *Server) greet(notices []notice) {
	for _, n := range notices {
		if c := s.clients[n.to]; c != nil && n.code == codes.OK && len(s.ports) > 0 {
			c.tell(s.ports)
		}
	}
}

// tell queues the states of ports, each in place of one that has not been sent.
func (c *client) tell(up map[uint32]bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ports == nil {
		c.ports = map[uint32]bool{}
	}
	maps.Copy(c.ports, up)
	c.signal()
}

// portsWaiting takes what is to be told, if anything. c.mu is held.
func (c *client) portsWaiting() []*p4.StreamMessageResponse {
	if c.ports == nil {
		return nil
	}
	m, err := oper.Message(c.ports)
	c.ports = nil
	if err != nil {
		return nil // numbers and words can always be written
	}
	return []*p4.StreamMessageResponse{{Update: &p4.StreamMessageResponse_Other{Other: m}}}
}
