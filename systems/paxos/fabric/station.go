package fabric

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"net/netip"
	"slices"
	"time"

	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/frames"
)

// station is what a host runs: programs, each at a UDP port.
type station struct {
	net      *Network
	h        *fabric.Host
	programs map[uint16]*program
	queue    [][]byte // frames to be sent
	streams  []*stream
	heard    map[netip.Addr]*stream // traffic that comes here, by its sender
	strange  uint64                 // frames that are for none of the programs, or damaged
	dead     bool
}

// program is one at a host: a thread that takes messages, one after the other.
type program struct {
	st     *station
	at     netip.AddrPort
	take   func(from netip.AddrPort, m *paxos.Message)
	thread *fabric.Thread
}

// run has a program listen at a port.
func (s *station) run(at netip.AddrPort, take func(netip.AddrPort, *paxos.Message)) *program {
	p := &program{st: s, at: at, take: take, thread: s.h.NewThread(fmt.Sprint("port ", at.Port()))}
	s.programs[at.Port()] = p
	return p
}

// kill ends the host without a word.
func (s *station) kill() {
	if s.dead {
		return
	}
	s.dead, s.queue = true, nil
	for _, a := range s.net.apps {
		if m := s.net.member(s.h, a.index); m != nil {
			for _, c := range m.clients {
				c.load.End(nil)
			}
		}
	}
}

// Next implements fabric.Endpoint.
func (s *station) Next(_ time.Duration, b []byte) []byte {
	if len(s.queue) > 0 {
		b = append(b, s.queue[0]...)
		s.queue = s.queue[1:]
		return b
	}
	for _, x := range s.streams {
		if b = x.next(b); len(b) > 0 {
			break
		}
	}
	return b
}

// Receive implements fabric.Endpoint.
func (s *station) Receive(_ time.Duration, frame []byte) {
	if s.discard(frame) {
		return
	}
	from, to, data, err := frames.Open(frame)
	p := s.programs[to.Port()]
	if s.dead || err != nil || p == nil || to != p.at {
		s.strange++
		return
	}
	p.comes(from, slices.Clone(data))
}

// comes is a message for the program.
func (p *program) comes(from netip.AddrPort, data []byte) {
	c, f := &p.st.h.Config, p.st.net
	f.At(f.Now()+c.Complete, func() { p.thread.Do(c.CPU.Completion, func() { p.handle(from, data) }) })
}

// handle has the program take a message.
func (p *program) handle(from netip.AddrPort, data []byte) {
	var m paxos.Message
	if !p.st.dead && m.Parse(data) == nil {
		p.take(from, &m)
	}
}

// send sends a message of a program, some time after now.
func (p *program) send(to netip.AddrPort, m *paxos.Message, after fabric.Time) {
	data, err := m.Append(nil)
	if err != nil {
		p.st.net.Fail(err)
		return
	}
	st := p.st
	if to.Addr() == p.at.Addr() {
		if other := st.programs[to.Port()]; other != nil {
			st.net.At(st.net.Now()+after, func() { other.handle(p.at, data) })
		}
		return
	}
	mac, ok := st.net.macs[to.Addr()]
	if !ok {
		return // nobody is there
	}
	frame := frames.Append(nil, st.h.MAC(), mac, p.at, to, data)
	st.net.At(st.net.Now()+after+st.h.Config.Post, func() {
		if !st.dead {
			st.queue = append(st.queue, frame)
			st.h.Send()
		}
	})
}

// member is a host's part in an application: a proposer, and a replica, or none if the host only proposes. What paxos.Log and paxos.Guest
// are to a socket it is to the fabric.
type member struct {
	*program
	st       *station
	app      *application
	own      netip.AddrPort
	conf     paxos.Config      // of a replica
	guest    paxos.GuestConfig // of a host that only proposes
	client   uint32
	proposer *paxos.Proposer
	replica  *paxos.Replica // nil: there is none
	timer    *fabric.Timer
	posts    *fabric.Thread // proposes
	kept     uint64         // instances below are in a checkpoint
	fetches  bool
	clients  []*client

	transfers int // states that it has taken from another replica
}

// begin has the host join.
func (m *member) begin(replica bool) (err error) {
	set := m.st.net.Set
	host := m.guest.Host
	if replica {
		host = m.conf.Host
		ring := maxInstances
		if n := m.app.Instances; n > 0 {
			for ring = 64; ring < 4*int(n); ring *= 2 {
			}
		}
		m.replica, err = paxos.NewReplica(paxos.ReplicaOptions{
			Host: host, Acceptors: len(m.conf.Acceptors), Ring: ring, GapAfter: fabric.Time(set.Gap).Duration(), Report: fabric.Time(set.Report).Duration(),
			Guests: slices.Sorted(maps.Keys(m.conf.Guests)),
		})
		if err != nil {
			return err
		}
	}
	m.client = host<<16 | 1
	m.proposer, err = paxos.NewProposer(paxos.ProposerOptions{Client: m.client, Window: set.Window, Resend: fabric.Time(set.Retry).Duration()})
	if err != nil {
		return err
	}
	m.program = m.st.run(m.own, m.receive)
	m.posts = m.st.h.NewThread("proposes")
	m.timer = m.st.h.NewTimer(m)
	m.st.net.log.joins(m)
	m.timer.Arm()
	return nil
}

func (m *member) now() time.Duration { return m.st.h.Now() }

// leader is where requests go.
func (m *member) leader() netip.AddrPort {
	if m.app.hosted {
		return m.app.cluster.leading()
	}
	if m.replica == nil {
		return m.guest.Leader
	}
	return m.conf.Leader
}

func (m *member) controller() netip.AddrPort {
	if m.replica == nil {
		return m.guest.Controller
	}
	return m.conf.Controller
}

// Deadline implements fabric.Timed.
func (m *member) Deadline() time.Duration {
	d := time.Duration(math.MaxInt64)
	if m.st.dead {
		return d
	}
	if m.proposer.Pending() > 0 {
		d = m.proposer.Due()
	}
	if m.replica != nil {
		d = min(d, m.replica.Due())
	}
	return d
}

// Tick implements fabric.Timed.
func (m *member) Tick(now time.Duration) {
	m.proposer.Tick(now)
	if m.replica != nil {
		m.replica.Tick(now)
		if m.replica.Behind() && !m.fetches {
			m.fetches = true
			m.st.net.At(m.st.net.Now()+fetch, m.transfer)
		}
	}
	m.flush(0)
}

// flush sends what the cores want to.
func (m *member) flush(after fabric.Time) {
	for _, x := range m.proposer.Sends() {
		to := m.leader()
		if x.Kind == paxos.Report {
			to, x.Client = m.controller(), m.client>>16
		}
		m.send(to, &x, after)
	}
	if m.replica != nil {
		for _, x := range m.replica.Sends() {
			to := m.conf.Controller
			switch {
			case x.To == paxos.ToClient:
				to = m.conf.Guests[uint16(x.Message.Client>>16)]
			case x.To >= 0:
				to = m.conf.Acceptors[x.To]
			}
			m.send(to, &x.Message, after)
		}
	}
	m.timer.Arm()
}

// receive takes a message.
func (m *member) receive(from netip.AddrPort, x *paxos.Message) {
	switch {
	case x.Kind == paxos.Deliver && m.replica != nil && slices.Contains(m.conf.Learners, from):
		m.replica.Deliver(m.now(), x)
	case x.Kind == paxos.Refused && m.replica != nil:
		if from == m.leader() {
			m.proposer.Refuse(x)
			m.replica.Refuse(x)
		} else if slices.Contains(m.conf.Acceptors, from) || paxos.Reason(x.VoteRound) == paxos.ReasonFull {
			m.replica.Refuse(x)
		}
	case x.Kind == paxos.Refused && from == m.leader():
		m.proposer.Refuse(x)
		if paxos.Reason(x.VoteRound) == paxos.ReasonFull && x.Has(m.proposer.Oldest()) {
			for _, r := range m.guest.Replicas { // as paxos.Guest does: what the leader has given may be lost
				m.send(r, x, 0)
			}
		}
	case x.Kind == paxos.Checkpoint && m.replica != nil && from == m.conf.Controller:
		m.checkpoint()
	case x.Kind == paxos.Answer && m.replica == nil && x.Client == m.client && slices.Contains(m.guest.Replicas, from):
		m.answered(x.Sequence)
	}
	m.drain()
}

// drain has the state machine, which is the ledger, take what there is.
func (m *member) drain() {
	var e paxos.Entry
	for m.replica != nil && m.replica.Next(&e) {
		m.st.net.log.delivered(m, &e)
		if d := m.st.net.Driver; d != nil {
			d.Delivered(m.st.h, m.app.index, &e)
		}
		if e.Client == m.client {
			m.answered(e.Sequence)
		}
	}
	if m.replica != nil && m.replica.Position()-m.kept >= uint64(m.st.net.Set.Checkpoint) {
		m.checkpoint()
	}
	for _, c := range m.clients {
		c.post()
	}
	m.flush(0)
}

// checkpoint says that the host has one of what it has delivered.
func (m *member) checkpoint() {
	m.kept = m.replica.Position()
	m.replica.Checkpointed(m.kept)
}

// answered is a value of the host that was delivered.
func (m *member) answered(sequence uint32) {
	if !m.proposer.Delivered(m.now(), sequence) {
		return
	}
	m.st.net.log.answered(m, sequence)
	for _, c := range m.clients {
		c.answered(sequence)
	}
	if d := m.st.net.Driver; d != nil {
		d.Answered(m.st.h, m.app.index, sequence)
	}
}

// fetch is how long a replica takes to get the state of another one: by a way of their own, which is no part of the network here.
const fetch = fabric.Millisecond

// transfer takes the state of the replica that is furthest.
func (m *member) transfer() {
	m.fetches = false
	var best *member
	for _, o := range m.app.members {
		if o.replica != nil && !o.st.dead && o.replica.Position() > m.replica.Position() && (best == nil || o.replica.Position() > best.replica.Position()) {
			best = o
		}
	}
	if best == nil || m.st.dead {
		return
	}
	if err := m.replica.Restore(best.replica.AppendState(nil)); err != nil {
		m.st.net.Fail(err)
		return
	}
	m.transfers++
	m.st.net.log.transferred(m, best)
	m.checkpoint()
	var done []uint32
	m.proposer.Each(func(n uint32) {
		if m.replica.Has(m.client, n) {
			done = append(done, n)
		}
	})
	for _, n := range done {
		m.answered(n)
	}
	m.drain()
}

// submit proposes a value.
func (m *member) submit(value []byte) (uint32, error) {
	sequence, err := m.proposer.Submit(m.now(), value)
	if err != nil {
		return 0, err
	}
	m.st.net.log.submitted(m, sequence, value)
	f := m.st.net
	m.flush(m.posts.Take(m.st.h.Config.CPU.Request) - f.Now())
	return sequence, nil
}

// client proposes the values of a load.
type client struct {
	load   *fabric.Load
	member *member
	queue  []*fabric.Request
	under  map[uint32]*fabric.Request // by number
}

// Send implements fabric.Client.
func (c *client) Send(r *fabric.Request) {
	if c.member.st.dead {
		c.load.End(nil)
		return
	}
	c.queue = append(c.queue, r)
	c.post()
}

// post proposes what waits, as far as there is room.
func (c *client) post() {
	for len(c.queue) > 0 && !c.member.st.dead {
		r := c.queue[0]
		sequence, err := c.member.submit(r.Data)
		if errors.Is(err, paxos.ErrWindow) {
			return
		}
		if err != nil {
			c.load.End(err)
			return
		}
		c.queue = c.queue[1:]
		c.under[sequence] = r
	}
}

// answered is a value that was delivered.
func (c *client) answered(sequence uint32) {
	if r := c.under[sequence]; r != nil {
		delete(c.under, sequence)
		r.Answered()
		r.Free()
	}
}

// Held implements fabric.Client. Whether an answered value is in the log the ledger says.
func (*client) Held(*fabric.Request) bool { return true }

// Counts implements fabric.Client.
func (c *client) Counts() []uint64 {
	return []uint64{c.member.proposer.Resent(), c.member.proposer.Refused()}
}
