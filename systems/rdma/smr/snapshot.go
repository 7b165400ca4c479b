package smr

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sync/atomic"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/replicated"
	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/proof"
)

// A snapshot is a stream (stream.go): the state machine writes its image while the other side reads
// it. The connection is accepted before there is anything to read. One server at a time is given the
// state, and the work stops when that server no longer reads. The state comes in rounds (Gradual), so
// neither the log nor the clients wait for it.

// giving is the transfer that is under way.
type giving struct {
	to     mu.ID
	cancel context.CancelCauseFunc
	done   chan struct{}
}

var (
	errAgain = errors.New("the server asks again")
	errGone  = errors.New("the server has ended the connection")
)

// turn waits until no server is given the state, if the server that asks now is the one that was: it
// has given up the earlier transfer. Other servers are refused.
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
			return nil, nil, fmt.Errorf("server %d is receiving the state", g.to)
		}
		g.cancel(errAgain)
		select {
		case <-g.done:
		case <-n.ctx.Done():
			return nil, nil, ErrNodeClosed
		}
	}
}

// offer serves one snapshot. An error is a reason to refuse the request.
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
	if err := n.give(ctx, g, to); err != nil && n.ctx.Err() == nil {
		n.log.Warn("snapshot not taken", "server", to, "bytes", g.taken, "err", err)
		return nil
	}
	n.log.Info("snapshot given", "server", to, "bytes", g.made)
	// The last bytes are on their way to the other side until it closes the connection.
	select {
	case <-ctx.Done():
	case <-time.After(streamStall):
	}
	return nil
}

// A round begins with: flags, 1 byte | length of the protocol's state, 4 bytes | that state. The
// machine's image follows.
const (
	roundHeader = 5
	roundLast   = 1 // the log continues from here
)

// round is one round of what a server is given.
type round struct {
	image    replicated.Image
	size     int64
	state    []byte
	position uint64
	err      error
}

func (r round) free() {
	if r.err == nil {
		_ = r.image.Close()
	}
}

// maxRounds is the number of rounds if the amount of changes does not shrink.
const maxRounds = 24

// give gives a server the state in rounds. The first round has everything that the server lacks, and
// each later round has what changed during the one before. The rounds end when so little is left that
// the log need be kept for a moment only.
func (n *Node) give(ctx context.Context, g *giver, to mu.ID) error {
	known, err := g.hello()
	if err != nil {
		return err
	}
	from, resumed, err := n.gradual.Give(known)
	if err != nil {
		return err
	}
	n.log.Info("snapshot offered", "server", to, "goes on", resumed)
	if len(known) > 0 && !resumed {
		n.log.Warn("a server that had a part of the state gets all of it: this server does not know the changes since", "server", to)
	}
	y := newYield(ctx, n, g)
	before := int64(math.MaxInt64)
	for i := 0; ; i++ {
		r, err := n.round(ctx, from)
		if err != nil {
			return err
		}
		last := r.size >= 0 && (r.size <= int64(n.cfg.LogSize)/8 || i >= maxRounds)
		if last {
			n.hold(to, r.position)
		}
		if i > 1 && r.size >= before/2 {
			y.times *= 2 // not only bytes take time: the keys that clients write are scattered
		}
		if before = r.size; r.size < 0 {
			before = math.MaxInt64
		}
		n.log.Debug("snapshot's round", "server", to, "round", i, "bytes", r.size, "rate", int64(y.g.rate), "last", last)
		if err := r.write(g, y, last); err != nil {
			return err
		}
		if !last {
			if err := g.settle(); err != nil {
				return err
			}
			continue
		}
		if err := g.end(); err != nil {
			return err
		}
		n.hold(to, r.position) // until it has installed it
		return nil
	}
}

// write writes a round, and frees it. Clients have priority, except while the log is kept for it.
func (r round) write(g *giver, y *yield, last bool) error {
	head := make([]byte, roundHeader, roundHeader+len(r.state))
	if last {
		head[0] = roundLast
	}
	binary.LittleEndian.PutUint32(head[1:], uint32(len(r.state)))
	_, err := g.Write(append(head, r.state...))
	if err == nil && last {
		_, err = r.image.WriteTo(g)
	} else if err == nil {
		_, err = r.image.WriteTo(y)
	}
	return errors.Join(err, r.image.Close())
}

// hold keeps the log from a position on for a while.
func (n *Node) hold(to mu.ID, position uint64) {
	n.lock.Lock()
	defer n.lock.Unlock()
	if n.closed == nil {
		n.core.Hold(n.now(), to, position)
	}
}

// round begins a round on the goroutine that applies, unless nobody waits for it any more.
func (n *Node) round(ctx context.Context, from replicated.Giving) (round, error) {
	got := make(chan round, 1)
	var over atomic.Bool // it was made, or is no longer wanted: whichever side finds the other one first frees it
	n.apply.do(func() {
		if ctx.Err() != nil {
			return // nobody waits any more
		}
		image, size, err := from.Round()
		made := round{image, size, n.apply.st.encode(), n.apply.st.Position, err}
		got <- made
		if over.Swap(true) {
			made.free()
		}
	})
	select {
	case r := <-got:
		return r, r.err
	case <-ctx.Done():
		if over.Swap(true) {
			(<-got).free()
		}
		return round{}, context.Cause(ctx)
	}
}

// fetch fetches a snapshot from a peer, on any route that works.
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

// read reads a peer's image. Unless it returns an error, the core knows about the image.
func (n *Node) read(dev int, m Member) error {
	// A separate completion queue: the core knows nothing about these requests.
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
	err = n.takeFrom(t, t.hello)
	_ = conn.Close()
	t.close()
	return err
}

// takeFrom builds the received state beside the one in use, and then puts it in its place. Everything
// continues until then. hello says what is there already.
func (n *Node) takeFrom(t io.Reader, hello func(known []byte) error) error {
	to, err := n.gradual.Take()
	if err != nil {
		return err
	}
	defer func() {
		if err := to.Close(); err != nil {
			n.log.Warn("the received part of a snapshot cannot be kept", "err", err)
		}
	}()
	if err := hello(to.Known()); err != nil {
		return err
	}
	for {
		st, last, err := readHeader(t)
		if err != nil {
			return err
		}
		if err := to.Round(t); err != nil {
			return err
		}
		if !last {
			continue
		}
		if err := n.onApplier(func() error { return n.install(to, st) }); err != nil {
			return err
		}
		// The other side keeps its log until it learns that.
		if _, err := io.Copy(io.Discard, t); err != nil {
			n.log.Debug("the end of a snapshot is not acknowledged", "err", err)
		}
		return nil
	}
}

// onApplier runs f on the goroutine that applies, after everything that was decided before.
func (n *Node) onApplier(f func() error) error {
	done := make(chan error, 1)
	n.apply.do(func() { done <- f() })
	select {
	case err := <-done:
		return err
	case <-n.ctx.Done():
		return ErrNodeClosed
	}
}

// install replaces the state machine's state. A state that is older changes nothing.
func (n *Node) install(from replicated.Taking, st state) error {
	a := &n.apply
	if st.Position <= a.st.Position {
		n.fetched(false, state{})
		return errSuperseded
	}
	if err := from.Install(); err != nil {
		return err
	}
	if n.journal != nil {
		// The journal is incomplete before this position.
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
		p.done <- outcome{err: replicated.ErrUnknownOutcome}
	}
	n.lock.Unlock()
	n.log.Info("snapshot taken", "records", st.Index)
	n.fetched(true, st)
	return nil
}

// maxState is the longest state that is accepted, in bytes: a membership and a few numbers.
const maxState = 1 << 20

// readHeader reads the beginning of a round.
func readHeader(r io.Reader) (st state, last bool, err error) {
	var head [roundHeader]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return st, false, fmt.Errorf("snapshot is cut short: %w", err)
	}
	k := binary.LittleEndian.Uint32(head[1:])
	if k > maxState || head[0] > roundLast {
		return st, false, fmt.Errorf("snapshot with a state of %d bytes, of kind %d", k, head[0])
	}
	b := make([]byte, k)
	if _, err := io.ReadFull(r, b); err != nil {
		return st, false, fmt.Errorf("snapshot is cut short: %w", err)
	}
	st, err = parseState(b)
	return st, head[0] == roundLast, err
}
