// Package peers speaks what the usual RDMA test programs say to each other, on
// top of a host/roce device: rping (rdma-core) and the RC tests of perftest with
// -R. Each can be client or server, so that tests can put a host/roce device at
// one end and the real program, on another implementation of RDMA, at the other.
//
//	client                            server
//	  | control connection -----------> |    one SEND each way at a time:
//	  | <---- version, buffer, MTU ---> |    the client first
//	  | <---- (nothing of use) -------> |
//	  | connection of the test -------> |
//	  | <---- R_key, address ---------> |    several times, to stay in step
//	  | ======== SEND, WRITE, READ, atomics, as the test wants ======== |
//	  | <---- results ----------------> |
//
// A program leaves without waiting until its farewell (DREQ) was heard, and a
// packet of it may get lost: then nothing more comes, and nothing on the wire
// tells why. So whoever runs the program closes the channel gone when it has
// ended. Until then, or until the program has disconnected, a test of perftest
// keeps its connections: the program may still need an acknowledgement again.
// Without such a channel (nil), as between two of ours, the client disconnects
// first, and so does the client of rping always.
//
// Sources: rping.c of rdma-core; perftest_communication.c and the programs of
// perftest 4.5.
package peers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/roce/cm"
)

// plan is what a connection is made of.
type plan struct {
	qp    roce.QPConfig
	recvs int             // posted receives
	size  int             // of each, in bytes
	gone  <-chan struct{} // see above; may be nil
}

// channel sends and receives messages on a connection, one at a time.
type channel struct {
	plan
	conn *roce.Conn
	bufs [][]byte // posted receives, by work request id
}

// post posts the receives.
func (c *channel) post(qp *roce.QP) error {
	for i := range c.recvs {
		c.bufs = append(c.bufs, make([]byte, c.size))
		if _, err := qp.PostRecv(rdma.RecvWR{ID: uint64(i), Local: c.bufs[i]}); err != nil {
			return err
		}
	}
	return nil
}

// dial connects to a service and makes a channel of it.
func dial(ctx context.Context, dev *roce.Device, to netip.AddrPort, p plan) (*channel, error) {
	c := &channel{plan: p}
	qp, err := dev.CreateQP(p.qp)
	if err != nil {
		return nil, err
	}
	if err := c.post(qp); err != nil {
		qp.Destroy()
		return nil, err
	}
	c.conn, err = dev.Dial(ctx, to, qp, nil)
	return c, err
}

// dialAgain is dial to a program that listens for one connection after the
// other: in between it rejects.
func dialAgain(ctx context.Context, dev *roce.Device, to netip.AddrPort, p plan) (*channel, error) {
	for {
		c, err := dial(ctx, dev, to, p)
		var rej *roce.RejectedError
		if err == nil || !errors.As(err, &rej) || rej.Reason != cm.ReasonInvalidServiceID {
			return c, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// accept takes the next connection of a listener.
func accept(ctx context.Context, dev *roce.Device, l *roce.Listener, p plan) (*channel, error) {
	r, err := l.Accept(ctx)
	if err != nil {
		return nil, err
	}
	p.qp.MTU = r.PathMTU()
	qp, err := dev.CreateQP(p.qp)
	if err != nil {
		return nil, err
	}
	c := &channel{plan: p}
	if err := c.post(qp); err != nil {
		qp.Destroy()
		return nil, err
	}
	c.conn, err = r.Accept(ctx, qp, nil)
	return c, err
}

// do posts a request and waits for its end.
func (c *channel) do(ctx context.Context, wr rdma.SendWR) error {
	if _, err := c.conn.QP().PostSend(wr); err != nil {
		return err
	}
	return c.completed(ctx)
}

// next is the next completion of a queue; io.EOF when the peer has gone and there
// is none.
func (c *channel) next(ctx context.Context, cq *roce.CQ) (rdma.Completion, error) {
	var done [1]rdma.Completion
	for cq.Poll(done[:]) == 0 {
		select {
		case <-cq.Ready():
		case <-c.gone:
			if cq.Poll(done[:]) == 0 {
				return done[0], io.EOF
			}
			return done[0], nil
		case <-ctx.Done():
			return done[0], ctx.Err()
		}
	}
	return done[0], nil
}

// completed waits for the end of the oldest request.
func (c *channel) completed(ctx context.Context) error {
	done, err := c.next(ctx, c.conn.QP().SendCQ())
	if err != nil {
		return err
	}
	return roce.Status(done)
}

func (c *channel) send(ctx context.Context, data []byte) error {
	return c.do(ctx, rdma.SendWR{Op: rdma.OpSend, Local: data})
}

// recv returns a copy of the next message; io.EOF when the peer has
// disconnected or gone.
func (c *channel) recv(ctx context.Context) ([]byte, error) {
	done, err := c.next(ctx, c.conn.QP().RecvCQ())
	if err != nil {
		return nil, err
	}
	if done.Status == rdma.StatusFlushed {
		return nil, c.ended()
	}
	if err := roce.Status(done); err != nil {
		return nil, err
	}
	buf := c.bufs[done.ID]
	data := append([]byte(nil), buf[:done.Len]...)
	if _, err := c.conn.QP().PostRecv(rdma.RecvWR{ID: done.ID, Local: buf}); err != nil && !errors.Is(err, rdma.ErrNotReady) {
		return nil, err
	}
	return data, nil
}

// exchange sends a message and returns the answer. A peer may leave with its last
// answer, and the acknowledgement of what it answered be lost: the answer says as
// much.
func (c *channel) exchange(ctx context.Context, m []byte) ([]byte, error) {
	sent := c.send(ctx, m)
	got, err := c.recv(ctx)
	if err != nil && sent != nil {
		return nil, sent
	}
	return got, err
}

// ended says why receives were flushed.
func (c *channel) ended() error {
	<-c.conn.Done()
	if err := c.conn.Err(); !errors.Is(err, roce.ErrDisconnected) {
		return fmt.Errorf("connection to %v: %w", c.conn.RemoteAddr(), err)
	}
	return io.EOF
}

func (c *channel) close() { _ = c.conn.Close() }

// left waits until the peer has disconnected or gone, which programs do when they
// are done.
func (c *channel) left(ctx context.Context) error {
	select {
	case <-c.gone:
		return nil
	case <-c.conn.Done():
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-c.gone: // which may be why the connection has failed
		return nil
	default:
	}
	if err := c.ended(); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}
