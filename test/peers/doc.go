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

	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/host/roce/cm"
	"github.com/p4ce/p4ce/host/roce/rc"
)

// channel sends and receives messages on a connection, one at a time.
type channel struct {
	conn *roce.Conn
	bufs [][]byte // posted receives, by work request id
}

// post makes n receives of size bytes.
func (c *channel) post(qp *roce.QP, n, size int) error {
	for i := range n {
		c.bufs = append(c.bufs, make([]byte, size))
		if _, err := qp.PostRecv(roce.RecvWR{ID: uint64(i), Local: c.bufs[i]}); err != nil {
			return err
		}
	}
	return nil
}

// dial connects to a service and makes a channel of it.
func dial(ctx context.Context, dev *roce.Device, to netip.AddrPort, cfg roce.QPConfig, recvs, size int) (*channel, error) {
	c := &channel{}
	qp, err := dev.CreateQP(cfg)
	if err != nil {
		return nil, err
	}
	if err := c.post(qp, recvs, size); err != nil {
		qp.Destroy()
		return nil, err
	}
	c.conn, err = dev.Dial(ctx, to, qp, nil)
	return c, err
}

// dialAgain is dial to a program that listens for one connection after the
// other: in between it rejects.
func dialAgain(ctx context.Context, dev *roce.Device, to netip.AddrPort, cfg roce.QPConfig, recvs, size int) (*channel, error) {
	for {
		c, err := dial(ctx, dev, to, cfg, recvs, size)
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
func accept(ctx context.Context, dev *roce.Device, l *roce.Listener, cfg roce.QPConfig, recvs, size int) (*channel, error) {
	r, err := l.Accept(ctx)
	if err != nil {
		return nil, err
	}
	cfg.MTU = r.PathMTU()
	qp, err := dev.CreateQP(cfg)
	if err != nil {
		return nil, err
	}
	c := &channel{}
	if err := c.post(qp, recvs, size); err != nil {
		qp.Destroy()
		return nil, err
	}
	c.conn, err = r.Accept(ctx, qp, nil)
	return c, err
}

// do posts a request and waits for its end.
func (c *channel) do(ctx context.Context, wr roce.SendWR) error {
	if _, err := c.conn.QP().PostSend(wr); err != nil {
		return err
	}
	return c.completed(ctx)
}

// completed waits for the end of the oldest request.
func (c *channel) completed(ctx context.Context) error {
	var done [1]roce.Completion
	cq := c.conn.QP().SendCQ()
	for cq.Poll(done[:]) == 0 {
		if err := cq.Wait(ctx); err != nil {
			return err
		}
	}
	return roce.Status(done[0])
}

func (c *channel) send(ctx context.Context, data []byte) error {
	return c.do(ctx, roce.SendWR{Op: rc.OpSend, Local: data})
}

// recv returns a copy of the next message; io.EOF when the peer has
// disconnected.
func (c *channel) recv(ctx context.Context) ([]byte, error) {
	var done [1]roce.Completion
	cq := c.conn.QP().RecvCQ()
	for cq.Poll(done[:]) == 0 {
		if err := cq.Wait(ctx); err != nil {
			return nil, err
		}
	}
	if done[0].Status == rc.StatusFlushed {
		return nil, c.ended()
	}
	if err := roce.Status(done[0]); err != nil {
		return nil, err
	}
	buf := c.bufs[done[0].ID]
	data := append([]byte(nil), buf[:done[0].Len]...)
	if _, err := c.conn.QP().PostRecv(roce.RecvWR{ID: done[0].ID, Local: buf}); err != nil && !errors.Is(err, rc.ErrNotReady) {
		return nil, err
	}
	return data, nil
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

// left waits until the peer has disconnected, which programs do when they are
// done.
func (c *channel) left(ctx context.Context) error {
	select {
	case <-c.conn.Done():
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := c.ended(); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}
