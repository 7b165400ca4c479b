package fabric

import (
	"errors"
	"math"
	"time"

	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/amcast"
)

// station is what a host runs: its client and its replicas, on one endpoint.
type station struct {
	net      *Network
	h        *fabric.Host
	endpoint *amcast.Endpoint
	groups   []uint8 // of its replicas
	timer    *fabric.Timer
	program  *fabric.Thread // of its client and its replicas
	clients  []*client
	admitted bool
	dead     bool
	open     int // messages that were under way
}

// kill ends the host without a word.
func (s *station) kill() {
	if s.dead {
		return
	}
	s.dead = true
	s.net.log.died(s.h)
	for _, c := range s.clients {
		c.load.End(nil)
	}
}

// begin has the host join.
func (s *station) begin() {
	place, err := s.net.place(s.h)
	if err == nil {
		set := s.net.Set
		s.endpoint, err = amcast.New(amcast.Config{
			Place: place, Token: s.h.Rand().Uint64() | 1, Retry: fabric.Time(set.Retry).Duration(), Hello: fabric.Time(set.Hello).Duration(),
		})
	}
	if err != nil {
		s.net.Fail(err)
		return
	}
	for n, g := range place.Groups {
		if g.Own >= 0 {
			s.groups = append(s.groups, n)
			s.net.log.replica(s.h, n)
		}
	}
	s.timer = s.h.NewTimer(s)
	s.timer.Arm()
}

// Deadline implements fabric.Timed.
func (s *station) Deadline() time.Duration {
	if s.dead {
		return math.MaxInt64
	}
	return s.endpoint.Deadline()
}

// Tick implements fabric.Timed.
func (s *station) Tick(now time.Duration) {
	s.endpoint.Tick(now)
	s.act()
}

// act looks at what an event has led to.
func (s *station) act() {
	if s.dead {
		return
	}
	s.h.Send()
	s.drain()
	s.timer.Arm()
}

// Next implements fabric.Endpoint.
func (s *station) Next(now time.Duration, b []byte) []byte {
	if s.endpoint == nil || s.dead {
		return b
	}
	f := s.endpoint.Poll(now, b)
	s.drain() // what the host says to itself
	s.timer.Arm()
	return f
}

// Receive implements fabric.Endpoint.
func (s *station) Receive(now time.Duration, frame []byte) {
	if s.endpoint == nil || s.dead {
		return
	}
	s.endpoint.Receive(now, frame)
	if s.endpoint.Ended() {
		s.net.log.ended(s.h)
		s.kill()
		return
	}
	s.act()
}

// drain has the replicas deliver, and answers what is finished.
func (s *station) drain() {
	for _, g := range s.groups {
		for {
			d, ok, _ := s.endpoint.Next(g)
			if !ok {
				break
			}
			s.program.Take(s.h.Config.CPU.Completion) // what comes next waits
			s.net.log.delivered(s.h, g, &d)
			if s.net.Driver != nil {
				s.net.Driver.Delivered(s.h, g, &d)
			}
		}
	}
	if !s.admitted && s.endpoint.Admitted() {
		s.admitted = true
		s.net.admitted()
		if s.net.Driver != nil {
			s.net.Driver.Admitted(s.h)
		}
	}
	open := s.endpoint.Open()
	if open >= s.open && open > 0 {
		s.open = open
		return
	}
	room := s.open > open
	s.open = open
	for _, c := range s.clients {
		c.finish()
	}
	for _, c := range s.clients {
		c.post()
	}
	if room && s.net.Driver != nil {
		s.net.Driver.Room(s.h)
	}
}

// client sends the messages of a load.
type client struct {
	load    *fabric.Load
	station *station
	groups  amcast.Groups
	queue   []*fabric.Request
	under   []underway
}

// underway is a request that was sent.
type underway struct {
	id amcast.ID
	r  *fabric.Request
}

// Send implements fabric.Client.
func (c *client) Send(r *fabric.Request) {
	c.station.program.Do(c.station.h.Config.CPU.Request, func() { c.send(r) })
}

func (c *client) send(r *fabric.Request) {
	if c.station.dead {
		c.load.End(nil)
		return
	}
	c.queue = append(c.queue, r)
	if len(c.queue) == 1 {
		c.post()
	}
}

// post sends what waits, as far as there is room.
func (c *client) post() {
	for len(c.queue) > 0 {
		r := c.queue[0]
		data := append([]byte{byte(c.load.Number)}, r.Data[:len(r.Data)-1]...)
		id, err := c.station.net.Multicast(c.station.h, c.groups, data)
		if errors.Is(err, amcast.ErrFull) {
			return
		}
		if err != nil {
			c.load.End(err)
			return
		}
		c.queue = c.queue[1:]
		c.under = append(c.under, underway{id, r})
	}
}

// finish answers what is finished.
func (c *client) finish() {
	under := c.under
	c.under = nil
	for _, u := range under {
		if c.station.endpoint.Finished(u.id) {
			c.station.program.Take(c.station.h.Config.CPU.Completion)
			u.r.Answered()
			u.r.Free()
			continue
		}
		c.under = append(c.under, u)
	}
}

// Held implements fabric.Client: the replicas that live have it.
func (*client) Held(*fabric.Request) bool { return true }

// Counts implements fabric.Client.
func (c *client) Counts() []uint64 {
	return []uint64{c.station.endpoint.Stats().Sender.Resent}
}
