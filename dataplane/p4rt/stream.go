package p4rt

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	rpcstatus "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// maxControl bounds the arbitration updates that wait for a client.
const maxControl = 256

// client is the server's side of a stream: what waits to be sent on it.
type client struct {
	id    clientID
	depth int

	mu      sync.Mutex
	control []*p4.StreamMessageResponse // arbitration: never dropped
	data    []*p4.StreamMessageResponse // the rest, bounded
	packets fair
	ports   map[uint32]bool // what it is to be told of them
	ended   error
	ready   chan struct{}
}

func (c *client) signal() {
	select {
	case c.ready <- struct{}{}:
	default:
	}
}

// send queues a message that may be dropped; false when the queue is full.
func (c *client) send(m *p4.StreamMessageResponse) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended != nil || len(c.data) >= c.depth {
		return false
	}
	c.data = append(c.data, m)
	c.signal()
	return true
}

// packet queues a packet-in. It is false when one was dropped: of the port that is returned.
func (c *client) packet(port int, p *p4.PacketIn) (lost int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended != nil {
		return port, false
	}
	lost, full := c.packets.add(port, p)
	c.signal()
	return lost, !full
}

// notify queues an arbitration update. A client that reads none of them is
// disconnected.
func (c *client) notify(m *p4.StreamMessageResponse) {
	c.mu.Lock()
	if len(c.control) < maxControl {
		c.control = append(c.control, m)
		c.signal()
		c.mu.Unlock()
		return
	}
	c.mu.Unlock()
	c.end(status.Errorf(codes.ResourceExhausted, "stream: %d arbitration updates were not read", maxControl))
}

// end makes the stream end with an error.
func (c *client) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended == nil {
		c.ended = err
	}
	c.signal()
}

// take returns what waits, arbitration first, then ports, packets last.
func (c *client) take() (list []*p4.StreamMessageResponse, ended error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list = append(append(c.control, c.portsWaiting()...), c.data...)
	c.control, c.data = nil, nil
	for _, p := range c.packets.take() {
		list = append(list, &p4.StreamMessageResponse{Update: &p4.StreamMessageResponse_Packet{Packet: p}})
	}
	return list, c.ended
}

// StreamChannel serves one client's stream until either side ends it.
func (s *Server) StreamChannel(stream p4.P4Runtime_StreamChannelServer) error {
	s.amu.Lock()
	s.nextID++
	c := &client{id: s.nextID, depth: s.depth, packets: fair{bound: s.depth}, ready: make(chan struct{}, 1)}
	s.clients[c.id] = c
	s.amu.Unlock()
	defer func() {
		s.amu.Lock()
		delete(s.clients, c.id)
		s.deliver(s.arb.leave(c.id))
		s.amu.Unlock()
	}()

	go func() { // ends when the handler returns, which cancels the stream
		for {
			m, err := stream.Recv()
			if err == nil {
				err = s.receive(c, m)
			}
			if err != nil {
				c.end(err)
				return
			}
		}
	}()
	for {
		select {
		case <-stream.Context().Done():
			return stream.Context().Err()
		case <-c.ready:
		}
		list, ended := c.take()
		for _, m := range list {
			if err := stream.Send(m); err != nil {
				return err
			}
		}
		if ended != nil {
			if errors.Is(ended, io.EOF) {
				return nil
			}
			return ended
		}
	}
}

// receive handles a message of a client; an error ends the stream.
func (s *Server) receive(c *client, m *p4.StreamMessageRequest) error {
	switch u := m.GetUpdate().(type) {
	case *p4.StreamMessageRequest_Arbitration:
		return s.arbitrate(c, u.Arbitration)
	case *p4.StreamMessageRequest_Packet:
		if err := s.packetOut(c, u.Packet); err != nil {
			s.stats.packetOutsRefused.Add(1)
			c.send(streamError(err, &p4.StreamError{Details: &p4.StreamError_PacketOut{
				PacketOut: &p4.PacketOutError{PacketOut: u.Packet},
			}}))
		}
	case *p4.StreamMessageRequest_DigestAck:
		if err := s.digestAck(c, u.DigestAck); err != nil {
			c.send(streamError(err, &p4.StreamError{Details: &p4.StreamError_DigestListAck{
				DigestListAck: &p4.DigestListAckError{DigestListAck: u.DigestAck},
			}}))
		}
	default:
		c.send(streamError(status.Error(codes.Unimplemented, "stream: unknown kind of message"),
			&p4.StreamError{Details: &p4.StreamError_Other{Other: &p4.StreamOtherError{}}}))
	}
	return nil
}

func streamError(err error, e *p4.StreamError) *p4.StreamMessageResponse {
	st := status.Convert(toStatus(err))
	e.CanonicalCode, e.Message, e.Space = int32(st.Code()), st.Message(), errorSpace
	return &p4.StreamMessageResponse{Update: &p4.StreamMessageResponse_Error{Error: e}}
}

func (s *Server) arbitrate(c *client, a *p4.MasterArbitrationUpdate) error {
	r := a.GetRole()
	switch {
	case r.GetConfig() != nil:
		return invalid("arbitration: role %q: config: no scheme is agreed upon: every role has the whole pipeline", r.GetName())
	case r.GetId() != 0: //nolint:staticcheck // refused because it is deprecated
		return status.Errorf(codes.Unimplemented, "arbitration: role id %d: numeric role ids are deprecated, name the role", r.GetId()) //nolint:staticcheck // as above
	}
	notices, err := s.claim(c, a)
	if err != nil || !slices.ContainsFunc(notices, func(n notice) bool { return n.code == codes.OK }) {
		return err
	}
	// What an earlier primary has begun to change is done before this one hears that it is the primary.
	s.mu.Lock()
	defer s.mu.Unlock()
	s.amu.Lock()
	defer s.amu.Unlock()
	delete(s.unheard, c.id)
	if r := s.arb.roles[s.arb.clients[c.id]]; r != nil && s.clients[c.id] != nil {
		s.deliver([]notice{r.notice(s.arb.clients[c.id], c.id)}) // which may be another one by now
	}
	return nil
}

// claim has the arbiter look at an arbitration message, and tells everybody but a new primary.
func (s *Server) claim(c *client, a *p4.MasterArbitrationUpdate) ([]notice, error) {
	r := a.GetRole()
	s.amu.Lock()
	defer s.amu.Unlock()
	if a.GetDeviceId() != s.deviceID {
		if _, known := s.arb.clients[c.id]; known {
			return nil, status.Errorf(codes.FailedPrecondition, "arbitration: the stream has device %d, which cannot change to %d", s.deviceID, a.GetDeviceId())
		}
		return nil, s.checkDevice(a.GetDeviceId(), "arbitration")
	}
	notices, err := s.arb.update(c.id, r.GetName(), toElection(a.GetElectionId()))
	if err != nil {
		return nil, err
	}
	for _, n := range notices {
		if n.code == codes.OK {
			s.unheard[n.to] = true
		} else {
			s.deliver([]notice{n})
		}
	}
	return notices, nil
}

// primaries lists the primaries that have heard that they are. s.amu is held.
func (s *Server) primaries() []clientID {
	return slices.DeleteFunc(s.arb.primaries(), func(id clientID) bool { return s.unheard[id] })
}

// deliver sends arbitration notices. s.amu is held, so that every client sees
// them in order.
func (s *Server) deliver(notices []notice) {
	for _, n := range notices {
		c := s.clients[n.to]
		if c == nil {
			continue
		}
		u := &p4.MasterArbitrationUpdate{DeviceId: s.deviceID, Status: &rpcstatus.Status{Code: int32(n.code)}}
		if n.role != "" {
			u.Role = &p4.Role{Name: n.role}
		}
		if n.election != nil {
			u.ElectionId = &p4.Uint128{High: n.election.high, Low: n.election.low}
		}
		switch n.code {
		case codes.OK:
			u.Status.Message = "you are the primary"
		case codes.AlreadyExists:
			u.Status.Message = "another client is the primary"
		default:
			u.Status.Message = "there is no primary"
		}
		c.notify(&p4.StreamMessageResponse{Update: &p4.StreamMessageResponse_Arbitration{Arbitration: u}})
	}
	s.greet(notices)
}

// toPrimaries queues a message to the primary of every role and reports
// whether at least one took it.
func (s *Server) toPrimaries(m *p4.StreamMessageResponse) bool {
	s.amu.Lock()
	defer s.amu.Unlock()
	taken := false
	for _, id := range s.primaries() {
		if s.clients[id].send(m) {
			taken = true
		}
	}
	return taken
}

// packetIn gets frames from the target, on its packet path.
func (s *Server) packetIn(frame []byte) {
	sch := s.live.Load()
	if sch == nil {
		s.stats.packetIns.Add(1)
		s.stats.packetInsDropped.Add(1)
		return
	}
	s.stats.packetIns.Add(1)
	in := sch.packetIn.decode(frame)
	if in == nil {
		s.stats.packetInsDropped.Add(1)
		return
	}
	port := sch.packetIn.port(in)
	s.amu.Lock()
	defer s.amu.Unlock()
	primaries := s.primaries()
	for _, id := range primaries {
		if lost, ok := s.clients[id].packet(port, in); !ok {
			s.lost(lost)
		}
	}
	if len(primaries) == 0 {
		s.lost(port)
	}
}

// lost counts a packet-in that was dropped.
func (s *Server) lost(port int) {
	s.stats.packetInsDropped.Add(1)
	if port >= 0 && port < len(s.stats.packetInsOfPort) {
		s.stats.packetInsOfPort[port].Add(1)
	}
}

func (s *Server) packetOut(c *client, p *p4.PacketOut) error {
	s.amu.Lock()
	primary := s.arb.isPrimary(c.id)
	s.amu.Unlock()
	if !primary {
		return status.Error(codes.PermissionDenied, "packet-out: the client is not a primary")
	}
	sch := s.live.Load()
	if sch == nil {
		return errNoPipeline("packet-out")
	}
	frame, err := sch.packetOut.encode(p)
	if err != nil {
		return err
	}
	if err := s.target.PacketOut(frame); err != nil {
		return err
	}
	s.stats.packetOuts.Add(1)
	return nil
}

// configureDigest starts, changes or stops (nil config) the reporting of a
// digest.
func (s *Server) configureDigest(d *ir.Digest, id uint32, config *p4.DigestEntry_Config) {
	s.dmu.Lock()
	defer s.dmu.Unlock()
	if config == nil {
		delete(s.digesters, d)
		return
	}
	if old := s.digesters[d]; old != nil { // lists go on being acknowledged
		old.config = config
	} else {
		s.digesters[d] = newDigester(id, config)
	}
	s.wakeDigests()
}

func (s *Server) wakeDigests() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// digest gets messages from the target, on its packet path.
func (s *Server) digest(d dataplane.Digest) {
	s.dmu.Lock()
	defer s.dmu.Unlock()
	dg := s.digesters[d.Digest]
	if dg == nil {
		return // no client asked for it
	}
	s.stats.digests.Add(1)
	first := len(dg.current) == 0
	s.sendList(dg.add(&p4.P4Data{Data: &p4.P4Data_Struct{Struct: structOf(d)}}, s.now()))
	if first && len(dg.current) > 0 {
		s.wakeDigests()
	}
}

// structOf is a message as data: always a struct in P4Runtime, even with one member.
func structOf(d dataplane.Digest) *p4.P4StructLike {
	msg := &p4.P4StructLike{}
	for _, v := range d.Fields {
		msg.Members = append(msg.Members, &p4.P4Data{Data: &p4.P4Data_Bitstring{Bitstring: canonical(v)}})
	}
	return msg
}

func (s *Server) sendList(l *p4.DigestList) {
	if l != nil && !s.toPrimaries(&p4.StreamMessageResponse{Update: &p4.StreamMessageResponse_Digest{Digest: l}}) {
		s.stats.digestsDropped.Add(1)
	}
}

// runDigests sends the lists whose time has come.
func (s *Server) runDigests(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		wait := time.Hour
		s.dmu.Lock()
		now := s.now()
		for _, d := range s.digesters {
			s.sendList(d.tick(now))
			if at, ok := d.deadline(); ok {
				wait = min(wait, at.Sub(now))
			}
		}
		s.dmu.Unlock()
		timer.Reset(wait)
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-timer.C:
		}
	}
}

func (s *Server) digestAck(c *client, a *p4.DigestListAck) error {
	s.amu.Lock()
	primary := s.arb.isPrimary(c.id)
	s.amu.Unlock()
	if !primary {
		return status.Error(codes.PermissionDenied, "digest ack: the client is not a primary")
	}
	s.dmu.Lock()
	defer s.dmu.Unlock()
	sch := s.live.Load()
	if sch == nil {
		return errNoPipeline("digest ack")
	}
	if sch.digests[a.GetDigestId()] == nil {
		return noSuch("digest ack: digest", a.GetDigestId())
	}
	for _, d := range s.digesters {
		if d.id == a.GetDigestId() {
			d.ack(a.GetListId()) // a late acknowledgement is no error
		}
	}
	return nil
}
