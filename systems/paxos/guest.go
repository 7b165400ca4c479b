package paxos

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"slices"
	"time"

	"github.com/p4ce/p4ce/systems/paxos/udp"
)

// GuestConfig describes a host that proposes values to an application, and is no replica of it.
type GuestConfig struct {
	Listen     netip.AddrPort   // the host's IPv4 address, and the application's port, of a UDP socket
	Wire       Wire             // a wire in place of the socket; the guest closes it
	Leader     netip.AddrPort   // where requests go, whichever switch leads
	Replicas   []netip.AddrPort // answers are accepted from these only
	Controller netip.AddrPort   // for reports that nobody answers
	Host       uint32           // this host's id in reports
	Proposer   ProposerOptions  // Client must be set: see NextClient
}

// Guest proposes values from a host that is no replica. Every replica that has the host among its guests
// (Config.Guests) answers when it has applied a value. One answer is enough. If none comes, the request is
// sent again: replicas apply a value once, and answer each repetition. Many goroutines may call its methods.
type Guest struct{ l *Log }

// OpenGuest joins an application.
func OpenGuest(c GuestConfig) (*Guest, error) {
	if !c.Leader.IsValid() || len(c.Replicas) == 0 {
		return nil, errors.New("paxos guest: Leader and Replicas are needed")
	}
	p, err := NewProposer(c.Proposer)
	if err != nil {
		return nil, err
	}
	conn := c.Wire
	if conn == nil {
		if conn, err = udp.Listen(c.Listen, MaxMessage+1); err != nil {
			return nil, err
		}
	}
	g := &Guest{newLog(Config{Leader: c.Leader, Controller: c.Controller, Host: c.Host, Proposer: c.Proposer}, conn, p)}
	go g.run(c.Replicas)
	return g, nil
}

// Addr returns the address at which it listens.
func (g *Guest) Addr() netip.AddrPort { return g.l.Addr() }

// Close ends the guest. Values under way may be applied, or not. Submit returns ErrClosed.
func (g *Guest) Close() error { return g.l.Close() }

// SetLeader is Log.SetLeader.
func (g *Guest) SetLeader(at netip.AddrPort) { g.l.SetLeader(at) }

// Submit submits a value, and waits until a replica has applied it. It returns the instance, or 0 if the
// answer that says it was lost. If the context ends first, the value may still be applied.
func (g *Guest) Submit(ctx context.Context, value []byte) (uint64, error) {
	return g.l.Submit(ctx, value)
}

// Go submits a value, and does not wait. A goroutine of the guest calls done after a replica has applied
// the value, or when that can no longer be known. If the window is full, Go returns ErrWindow, and done is
// not called.
func (g *Guest) Go(value []byte, done func(instance uint64, err error)) error {
	return g.l.Go(value, done)
}

// GoAll is Go for several values: see Log.GoAll.
func (g *Guest) GoAll(ctx context.Context, values [][]byte, done func(instance uint64, err error)) (int, error) {
	return g.l.GoAll(ctx, values, done)
}

// GuestStatus is the status of a guest.
type GuestStatus struct {
	Pending int    // values under way
	Refusal Reason // of the last refused request; 0: none was refused
	Resent  uint64 // requests
	Refused uint64 // requests
	Dropped uint64 // messages that were malformed, came from others, or could not be sent
}

// Status returns the status of the guest.
func (g *Guest) Status() GuestStatus {
	l := g.l
	l.mu.Lock()
	defer l.mu.Unlock()
	return GuestStatus{l.proposer.Pending(), l.proposer.Refusal(), l.proposer.Resent(), l.proposer.Refused(), l.dropped}
}

// run reads answers, and runs the proposer when it is due.
func (g *Guest) run(replicas []netip.AddrPort) {
	l := g.l
	defer close(l.done)
	in := make([]udp.Packet, udp.Batch)
	for l.ctx.Err() == nil {
		l.mu.Lock()
		l.proposer.Tick(l.now())
		l.flush()
		l.mu.Unlock()
		n, err := l.conn.Read(in, time.Now().Add(time.Millisecond))
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			continue // an ICMP error for something that was sent: it is sent again
		}
		for _, p := range in[:n] {
			g.take(p, replicas)
		}
	}
}

// take processes a message.
func (g *Guest) take(p udp.Packet, replicas []netip.AddrPort) {
	l := g.l
	var m Message
	switch err := m.Parse(p.Data); {
	case err != nil:
	case m.Kind == Answer && m.Client == l.c.Proposer.Client && slices.Contains(replicas, p.Addr):
		l.end(m.Sequence, uint64(m.VoteRound)<<32|uint64(m.Instance))
		return
	case m.Kind == Refused && l.refused(p.Addr, &m):
		g.full(&m, replicas)
		return
	}
	l.drop()
}

// full tells the replicas which instances a leader without room has given: all of them may be lost, and no
// replica may know of them. It does so for the oldest value only.
func (g *Guest) full(m *Message, replicas []netip.AddrPort) {
	l := g.l
	l.mu.Lock()
	oldest := m.Has(l.proposer.Oldest())
	l.mu.Unlock()
	if Reason(m.VoteRound) != ReasonFull || !oldest {
		return
	}
	data, err := m.Append(nil)
	if err != nil {
		return
	}
	var out []udp.Packet
	for _, to := range replicas {
		out = append(out, udp.Packet{Addr: to, Data: data})
	}
	if l.write(out) != nil {
		l.drop() // the value is sent again, and refused again
	}
}
