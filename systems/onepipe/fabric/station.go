package fabric

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/onepipe"
	"github.com/p4ce/p4ce/systems/onepipe/private"
)

// epoch is the time of 1Pipe's clocks when a run begins: no clock, however late, is before 0.
const epoch = time.Hour

// station is what a host runs: its processes, on one endpoint.
type station struct {
	net      *Network
	h        *fabric.Host
	endpoint *onepipe.Endpoint
	procs    []*onepipe.LocalProcess
	timer    *fabric.Timer
	program  *fabric.Thread // of its processes
	asked    bool           // the wire is busy, and calls Next when it is free
	turn     bool           // of the neighbour, if there is one
	clients  []*client      // that wait for room in the send buffer
	leaves   bool           // as soon as the wire is free
	dead     bool
	deaf     bool               // it receives nothing
	mute     bool               // what it sends is lost
	holes    map[wire.Addr]bool // hosts: what they send does not reach this one
	// Failed are the processes that this host was told have failed.
	Failed []onepipe.ProcessFailure
}

// kill ends the host without a word.
func (s *station) kill() {
	s.dead = true
	s.net.log.died(s.h.Addr())
}

// deafen has the host receive nothing any more. It goes on sending.
func (s *station) deafen() {
	s.deaf = true
	s.net.log.died(s.h.Addr())
}

// misses has nothing reach the host any more that another one sends it, until it does again.
func (s *station) misses(from *fabric.Host, does bool) {
	if s.holes == nil {
		s.holes = map[wire.Addr]bool{}
	}
	s.holes[from.Addr()] = does
}

// hole reports whether a frame is lost because of where it comes from.
func (s *station) hole(frame []byte) bool {
	return len(s.holes) > 0 && len(frame) >= wire.EthernetLen+wire.IPv4Len && s.holes[wire.IPv4(frame[wire.EthernetLen:]).Src()]
}

// silence has nothing arrive any more that the host sends. It goes on receiving.
func (s *station) silence() {
	s.mute = true
	s.net.log.died(s.h.Addr())
}

// leave ends the host, which tells the controller.
func (s *station) leave() {
	s.leaves = true
	s.h.Send()
}

func newStation(n *Network, h *fabric.Host) *station {
	return &station{net: n, h: h, program: h.NewThread("processes")}
}

// begin has the host join, when its network is complete.
func (s *station) begin() {
	sw, ok := s.h.Link().To.(fabric.Switch)
	if !ok {
		s.net.Fail(fmt.Errorf("host %s: is at no switch", s.h.Name()))
		return
	}
	resolve := func(to wire.Addr) (wire.MAC, bool) {
		if to == sw.Addr() {
			return sw.MAC(), true
		}
		return s.h.Resolve(to)
	}
	var err error
	s.endpoint, err = onepipe.New(onepipe.Config{
		Addr: s.h.Addr(), MAC: s.h.MAC(), Resolve: resolve, Controller: sw.Addr(), Token: s.h.Rand().Uint64() | 1, Processes: s.net.Set.Processes,
		Interval: fabric.Time(s.net.Set.Interval).Duration(), Window: s.net.Set.Window, Pack: s.net.Set.Pack, Retry: fabric.Time(s.net.Set.Retry).Duration(), Rejoin: 200 * time.Microsecond, Here: fabric.Time(s.net.Set.Here).Duration(), Doubt: fabric.Time(s.net.Set.Doubt).Duration(),
	})
	if err != nil {
		s.net.Fail(fmt.Errorf("host %s: %w", s.h.Name(), err))
		return
	}
	s.timer = s.h.NewTimer(s)
	s.timer.Arm()
}

// open opens the host's processes when it is admitted.
func (s *station) open() {
	if len(s.procs) > 0 || !s.endpoint.Admitted() {
		return
	}
	first, count := s.endpoint.Numbers()
	for n := range count {
		p, err := s.endpoint.Open(first + uint16(n))
		if err != nil {
			s.net.Fail(err)
			return
		}
		s.procs = append(s.procs, p)
	}
	if d := s.net.Driver; d != nil {
		d.Admitted(s.h, s.procs)
		return
	}
	s.net.admitted()
}

// Deadline implements fabric.Timed.
func (s *station) Deadline() time.Duration {
	if s.asked || s.dead {
		return math.MaxInt64
	}
	return s.endpoint.Deadline() - epoch
}

// Tick implements fabric.Timed.
func (s *station) Tick(time.Duration) {
	s.asked = true
	s.h.Send()
}

// Next implements fabric.Endpoint.
func (s *station) Next(now time.Duration, b []byte) []byte {
	if s.endpoint == nil || s.dead {
		return b
	}
	s.asked = false
	if s.leaves {
		s.kill()
		return s.endpoint.Leave(b)
	}
	other := s.net.Neighbour
	if s.turn = !s.turn; s.turn && other != nil {
		if f := other.Next(s.h, b); len(f) > 0 {
			return f
		}
	}
	full := s.endpoint.Next(now+epoch, b)
	s.drain()
	s.timer.Arm()
	if s.mute {
		return b
	}
	if !s.turn && other != nil && len(full) == 0 {
		return other.Next(s.h, b)
	}
	return full
}

// Receive implements fabric.Endpoint.
func (s *station) Receive(now time.Duration, frame []byte) {
	if s.endpoint == nil || s.dead || s.deaf || s.hole(frame) {
		return
	}
	if other := s.net.Neighbour; other != nil && other.Receive(s.h, frame) {
		return
	}
	before := s.endpoint.Expelled()
	s.endpoint.Receive(now+epoch, frame)
	if s.endpoint.Expelled() != before {
		if _, _, m, ok := private.ParseFrame(frame); ok && m.Kind == private.Outcome {
			s.net.log.returned(s.h.Addr())
		}
	}
	s.open()
	s.drain()
	if s.endpoint.Expelled() {
		s.dead = true // its processes have received all that they will
		return
	}
	s.h.Send()
	s.timer.Arm()
}

// drain has the processes take what is there for them.
func (s *station) drain() {
	for f, ok := s.endpoint.ProcessFailed(); ok; f, ok = s.endpoint.ProcessFailed() {
		s.Failed = append(s.Failed, f)
		s.net.log.failed(f)
		if d, ok := s.net.Driver.(Watcher); ok {
			d.ProcessFailed(s.h, f)
		}
	}
	for _, p := range s.procs {
		s.receive(p)
		for f, ok := p.Failed(); ok; f, ok = p.Failed() {
			s.lost(p, &f)
		}
	}
	waiting := s.clients
	s.clients = nil
	for _, c := range waiting {
		c.post()
	}
}

// receive has a process take its messages.
func (s *station) receive(p *onepipe.LocalProcess) {
	if ordered := s.net.Ordered; ordered != nil && ordered(p) {
		for m, reliable, ok := p.ReceiveOrdered(); ok; m, reliable, ok = p.ReceiveOrdered() {
			s.received(p, reliable, &m)
		}
		return
	}
	for _, reliable := range []bool{false, true} {
		for m, ok := p.Receive(reliable); ok; m, ok = p.Receive(reliable) {
			s.received(p, reliable, &m)
		}
	}
}

func (s *station) received(p *onepipe.LocalProcess, reliable bool, m *onepipe.Message) {
	s.program.Take(s.h.Config.CPU.Completion) // what comes next waits
	if d := s.net.Driver; d != nil {
		d.Received(p, reliable, m)
		return
	}
	s.net.log.received(p.Process(), reliable, m)
}

func (s *station) lost(p *onepipe.LocalProcess, f *onepipe.Failure) {
	if d := s.net.Driver; d != nil {
		d.Lost(p, f)
		return
	}
	s.net.log.lost(p.Process(), f)
}

// client sends the scatterings of a load.
type client struct {
	net      *Network
	load     *fabric.Load
	station  *station
	proc     *onepipe.LocalProcess
	to       []onepipe.Process
	reliable bool
	queue    []*fabric.Request

	delivered, lost uint64
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
	if c.proc == nil {
		c.connect()
	}
	c.queue = append(c.queue, r)
	if len(c.queue) == 1 {
		c.post()
	}
}

// connect finds the processes of the load. Those of load N are number N of their hosts, modulo how many there are.
func (c *client) connect() {
	i := c.load.Number % len(c.station.procs)
	c.proc = c.station.procs[i]
	for _, to := range c.load.To {
		c.to = append(c.to, to.Endpoint().(*station).procs[i].Process())
	}
}

// post sends what waits, as far as there is room.
func (c *client) post() {
	for len(c.queue) > 0 {
		r := c.queue[0]
		// The endpoint keeps the data until it knows what has become of them, which may be after the receivers do.
		data := append(slices.Clone(r.Data), byte(c.load.Number))
		parts := make([]onepipe.Part, len(c.to))
		for i, to := range c.to {
			parts[i] = onepipe.Part{To: to, Data: data}
		}
		err := c.proc.Send(c.station.h.Now()+epoch, c.reliable, parts...)
		if errors.Is(err, onepipe.ErrFull) {
			c.station.clients = append(c.station.clients, c)
			return
		}
		if errors.Is(err, onepipe.ErrFailed) { // to the others only
			parts = slices.DeleteFunc(parts, func(p onepipe.Part) bool { return c.net.log.dead[p.To.Addr] })
			if err = nil; len(parts) == 0 {
				c.load.End(nil)
				return
			}
			c.to = nil
			for _, p := range parts {
				c.to = append(c.to, p.To)
			}
			err = c.proc.Send(c.station.h.Now()+epoch, c.reliable, parts...)
		}
		if err != nil {
			c.load.End(err)
			return
		}
		c.queue = c.queue[1:]
		c.net.log.sent(c, r, data)
		c.station.h.Send()
	}
}

// Held implements fabric.Client: whoever was to receive it has, or its sender knows better.
func (*client) Held(*fabric.Request) bool { return true }

// Counts implements fabric.Client.
func (c *client) Counts() []uint64 {
	return []uint64{c.delivered, c.lost, c.station.endpoint.Counters.Resent}
}
