package smr

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/p4ce/p4ce/host/proof"
	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/smr/mu"
)

// A snapshot is a stream (stream.go): the state machine writes its image while the other side reads it. The connection
// is accepted before there is anything to read, one server at a time is given the state, and nothing goes on for one that does
// not read any more.

// giving is who is given the state.
type giving struct {
	to     mu.ID
	cancel context.CancelCauseFunc
	done   chan struct{}
}

var (
	errAgain = errors.New("the server asks anew")
	errGone  = errors.New("the server has ended the connection")
)

// turn waits until nobody is given the state, if that is the server that asks now: it has given up. Others are refused.
func (n *Node) turn(to mu.ID) (context.Context, *giving, error) {
	for {
		n.lock.Lock()
		g := n.giving
		if g == nil {
			ctx, cancel := context.WithCancelCause(n.ctx)
			g = &giving{to, cancel, make(chan struct{})}
			n.giving = g
			n.lock.Unlock()
			return ctx, g, nil
		}
		n.lock.Unlock()
		if g.to != to {
			return nil, nil, fmt.Errorf("server %d is given the state", g.to)
		}
		g.cancel(errAgain)
		select {
		case <-g.done:
		case <-n.ctx.Done():
			return nil, nil, ErrNodeClosed
		}
	}
}

// offer serves one snapshot. An error is one to refuse the request with.
func (n *Node) offer(dev int, req rdma.Request, a *admitted) error {
	to := mu.ID(a.m.LeaderID)
	ctx, turn, err := n.turn(to)
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	defer func() {
		turn.cancel(nil)
		n.lock.Lock()
		n.giving = nil
		n.lock.Unlock()
		close(turn.done)
	}()
	g, err := newGiver(ctx, n.cfg.Devices[dev], rdma.QPConfig{SendCQ: n.cqs[dev], SendQueue: 1, AckTimeout: n.cfg.AckTimeout, Retry: n.cfg.Retry})
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	conn, err := proof.Accept(ctx, req, a.exchange, g.qp, g.private())
	if err != nil {
		g.free()
		n.log.Warn("snapshot not taken", "server", to, "err", err)
		return nil
	}
	go func() {
		select {
		case <-conn.Done():
			turn.cancel(errGone)
		case <-ctx.Done():
		}
	}()
	defer func() {
		_ = conn.Close()
		g.free()
	}()
	n.log.Info("snapshot offered", "server", to)
	if err := n.give(ctx, g, to); err != nil && n.ctx.Err() == nil {
		n.log.Warn("snapshot not taken", "server", to, "bytes", g.taken, "err", err)
		return nil
	}
	n.log.Info("snapshot given", "server", to, "bytes", g.made)
	// What was sent last is on its way to the other side until it closes the connection.
	select {
	case <-ctx.Done():
	case <-time.After(streamStall):
	}
	return nil
}

// given is what a server is given.
type given struct {
	image Image
	state []byte
	err   error
}

func (g given) free() {
	if g.err == nil {
		_ = g.image.Close()
	}
}

// give writes the state, and then the image: 4 bytes length of the state, the state, the image.
func (n *Node) give(ctx context.Context, g *giver, to mu.ID) error {
	got := make(chan given, 1)
	var over atomic.Bool // it was made, or is not wanted any more: who finds that the other one was first frees it
	n.apply.do(func() {
		if ctx.Err() != nil {
			return // nobody waits any more
		}
		image, err := n.cfg.Machine.Snapshot()
		if err == nil {
			n.lock.Lock()
			if n.closed == nil {
				n.core.Hold(n.now(), to, n.apply.st.Position)
			}
			n.lock.Unlock()
		}
		made := given{image, n.apply.st.encode(), err}
		got <- made
		if over.Swap(true) {
			made.free()
		}
	})
	var r given
	select {
	case r = <-got:
	case <-ctx.Done():
		if over.Swap(true) {
			(<-got).free()
		}
		return context.Cause(ctx)
	}
	if r.err != nil {
		return r.err
	}
	_, err := g.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(r.state))), r.state...))
	if err == nil {
		_, err = r.image.WriteTo(g)
	}
	if err := errors.Join(err, r.image.Close()); err != nil {
		return err
	}
	return g.end()
}

// fetch takes a snapshot of a peer, by whatever route works.
func (n *Node) fetch(m Member) {
	var errs []error
	for dev := range min(len(m.Addrs), len(n.cfg.Devices)) {
		err := n.read(dev, m)
		if err == nil || errors.Is(err, errSuperseded) {
			return
		}
		errs = append(errs, err)
	}
	if n.ctx.Err() == nil {
		n.log.Warn("no snapshot", "server", m.ID, "err", errors.Join(errs...))
	}
	n.fetched(false, state{})
}

func (n *Node) fetched(ok bool, st state) {
	n.lock.Lock()
	defer n.lock.Unlock()
	if n.closed == nil {
		n.core.Fetched(n.now(), ok, st.Position, st.Index, st.Members)
	}
}

// read takes a peer's image. Unless there is an error the core knows of it.
func (n *Node) read(dev int, m Member) error {
	// A completion queue of its own: the core knows nothing of these requests.
	d := n.cfg.Devices[dev]
	cq, err := d.NewCQ(streamReads + 1)
	if err != nil {
		return err
	}
	req := n.request(dev, m.ID, kindSnapshot)
	conn, err := n.prove(n.ctx, dev, m.Addrs[dev], &req, func() (rdma.QP, error) {
		return d.CreateQP(rdma.QPConfig{
			SendCQ: cq, SendQueue: streamReads + 1, RecvQueue: 1, MaxReads: streamReads, AckTimeout: 10 * n.cfg.AckTimeout, Retry: 7,
		})
	})
	if err != nil {
		return err
	}
	t, err := newTaker(n.ctx, d, conn.QP(), cq, conn.Private())
	if err != nil {
		_ = conn.Close()
		return err
	}
	err = n.restore(t)
	_ = conn.Close()
	t.close()
	return err
}

// restore gives an image to the state machine, behind everything that was decided
// before.
func (n *Node) restore(image io.Reader) error {
	done := make(chan error, 1)
	n.apply.do(func() { done <- n.install(image) })
	select {
	case err := <-done:
		return err
	case <-n.ctx.Done():
		return ErrNodeClosed
	}
}

func (n *Node) install(image io.Reader) error {
	a := &n.apply
	st, err := n.take(image, a.st)
	if errors.Is(err, errSuperseded) {
		n.fetched(false, state{})
		return err
	}
	if err != nil {
		return err
	}
	if n.journal != nil {
		// The journal is not whole before this position.
		err := n.cfg.Machine.Sync()
		if err == nil {
			err = n.journal.Trim(st.Position)
		}
		if err != nil {
			err = fmt.Errorf("state machine: %w", err)
			n.fail(err)
			return err
		}
	}
	a.st = st
	n.lock.Lock()
	n.index, n.position = st.Index, st.Position
	for index, p := range n.proposed {
		delete(n.proposed, index)
		p.done <- outcome{err: ErrUnknownOutcome}
	}
	n.lock.Unlock()
	n.log.Info("snapshot taken", "records", st.Index)
	n.fetched(true, st)
	return nil
}

// maxState is the longest state that is taken, in bytes: a membership and a few numbers.
const maxState = 1 << 20

// take restores the state machine from what a peer offers. An old state changes nothing.
func (n *Node) take(r io.Reader, old state) (state, error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return old, fmt.Errorf("snapshot is cut short: %w", err)
	}
	k := binary.LittleEndian.Uint32(size[:])
	if k > maxState {
		return old, fmt.Errorf("snapshot with a state of %d bytes", k)
	}
	b := make([]byte, k)
	if _, err := io.ReadFull(r, b); err != nil {
		return old, fmt.Errorf("snapshot is cut short: %w", err)
	}
	st, err := parseState(b)
	if err != nil {
		return old, err
	}
	if st.Position <= old.Position {
		return old, errSuperseded
	}
	if err := n.cfg.Machine.Restore(r); err != nil {
		return old, err
	}
	return st, nil
}
