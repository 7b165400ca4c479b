package p4rt

import (
	"maps"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/link/oper"
)

// SetPort reports whether a port is up. Primaries hear of changes (package oper). A later primary
// hears of all ports.
func (s *Server) SetPort(port dataplane.Port, up bool) {
	s.amu.Lock()
	defer s.amu.Unlock()
	if was, known := s.ports[uint32(port)]; known && was == up {
		return
	}
	s.ports[uint32(port)] = up
	for _, id := range s.arb.primaries() {
		s.clients[id].tell(map[uint32]bool{uint32(port): up})
	}
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
