package interop

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/roce/cm"
)

// Case is one thing that must work.
type Case struct {
	Name string
	Run  func(*Client) error
}

// Client is the active side.
type Client struct {
	ctx  context.Context
	dev  rdma.Device
	to   netip.AddrPort
	tags int
	// Nobody is an address at which nobody is, on the same network.
	nobody netip.Addr

	control rdma.Conn
	answers [][]byte
}

// Options of Run.
type Options struct {
	Nobody netip.Addr    // an address of the network that nobody has
	Limit  time.Duration // of each case, default a minute
	Only   string        // run the cases whose name contains this
}

// Run runs all cases against a Server, and reports each, with nil for success. It
// returns an error if it could not begin.
func Run(ctx context.Context, dev rdma.Device, to netip.AddrPort, o Options, report func(name string, err error)) error {
	if o.Limit == 0 {
		o.Limit = time.Minute
	}
	c := &Client{ctx: ctx, dev: dev, to: to, nobody: o.Nobody}
	if err := c.connectControl(); err != nil {
		return fmt.Errorf("control connection: %w", err)
	}
	defer c.control.Close()
	for _, k := range Cases() {
		if !strings.Contains(k.Name, o.Only) {
			continue
		}
		limited, cancel := context.WithTimeout(ctx, o.Limit)
		c.ctx = limited
		err := k.Run(c)
		if limited.Err() != nil && ctx.Err() == nil {
			err = fmt.Errorf("not done after %v: %w", o.Limit, err)
		}
		cancel()
		report(k.Name, err)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		select {
		case <-c.control.Done():
			return fmt.Errorf("control connection: %w", c.control.Err())
		default:
		}
	}
	return nil
}

func (c *Client) connectControl() error {
	qp, err := c.dev.CreateQP(rdma.QPConfig{})
	if err != nil {
		return err
	}
	for i := range 4 {
		b := make([]byte, messageSize)
		c.answers = append(c.answers, b)
		if _, err := qp.PostRecv(rdma.RecvWR{ID: uint64(i), Local: b}); err != nil {
			return err
		}
	}
	c.control, err = c.dev.Dial(c.ctx, c.to, qp, []byte{kindControl})
	return err
}

// tell sends a command and returns the answer.
func (c *Client) tell(format string, args ...any) (string, error) {
	line := fmt.Sprintf(format, args...)
	qp := c.control.QP()
	if _, err := qp.PostSend(rdma.SendWR{ID: 1, Op: rdma.OpSend, Local: []byte(line)}); err != nil {
		return "", fmt.Errorf("%s: %w", line, err)
	}
	s, err := next(c.ctx, qp.SendCQ())
	if err == nil {
		err = s.Status.Err()
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", line, err)
	}
	r, err := next(c.ctx, qp.RecvCQ())
	if err == nil {
		err = r.Status.Err()
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", line, err)
	}
	answer := string(c.answers[r.ID][:r.Len])
	if _, err := qp.PostRecv(rdma.RecvWR{ID: r.ID, Local: c.answers[r.ID]}); err != nil {
		return "", err
	}
	verdict, rest, _ := strings.Cut(answer, " ")
	if verdict != "ok" {
		return "", fmt.Errorf("%s: %s", line, rest)
	}
	return rest, nil
}

// link is a tested connection, seen from here.
type link struct {
	c    *Client
	tag  string
	conn rdma.Conn
	qp   rdma.QP
	va   uint64
	key  uint32
}

// all is every right that a peer can have.
const all = rdma.RemoteRead | rdma.RemoteWrite | rdma.RemoteAtomic

// link makes a connection. kind becomes part of the tag.
func (c *Client) link(kind string, access rdma.Access, cfg rdma.QPConfig) (*link, error) {
	c.tags++
	l := &link{c: c, tag: fmt.Sprintf("%s-%d", kind, c.tags)}
	var err error
	if l.qp, err = c.dev.CreateQP(cfg); err != nil {
		return nil, err
	}
	if l.conn, err = c.dev.Dial(c.ctx, c.to, l.qp, append([]byte{kindTest, byte(access)}, l.tag...)); err != nil {
		return nil, err
	}
	p := l.conn.Private()
	if len(p) < cm.REPPrivateLen || !strings.HasPrefix(string(p[12:]), "welcome "+l.tag) || p[cm.REPPrivateLen-1] != 0xee {
		return nil, fmt.Errorf("private data of the reply: %q", p)
	}
	l.va, l.key = binary.BigEndian.Uint64(p), binary.BigEndian.Uint32(p[8:])
	return l, nil
}

// do posts requests and waits until the last is complete.
func (l *link) do(wrs ...rdma.SendWR) error {
	s, err := l.status(wrs...)
	if err == nil {
		err = s.Err()
	}
	return err
}

// status posts requests, of which only the last is signaled, and returns how it
// ended.
func (l *link) status(wrs ...rdma.SendWR) (rdma.Status, error) {
	if _, err := l.qp.PostSend(wrs...); err != nil {
		return 0, err
	}
	c, err := next(l.c.ctx, l.qp.SendCQ())
	if err == nil && c.Status == rdma.StatusOK && c.ID != wrs[len(wrs)-1].ID {
		err = fmt.Errorf("completion of request %d instead of %d", c.ID, wrs[len(wrs)-1].ID)
	}
	return c.Status, err
}

func (l *link) write(b []byte, off uint64) rdma.SendWR {
	return rdma.SendWR{ID: 11, Op: rdma.OpWrite, Local: b, VA: l.va + off, RKey: l.key}
}

func (l *link) read(b []byte, off uint64) rdma.SendWR {
	return rdma.SendWR{ID: 12, Op: rdma.OpRead, Local: b, VA: l.va + off, RKey: l.key}
}

// tell sends a command about this connection.
func (l *link) tell(verb string, args ...any) (string, error) {
	return l.c.tell("%s", strings.TrimSpace(fmt.Sprintln(append([]any{verb, l.tag}, args...)...)))
}

// expect is for answers that must be exactly so.
func (l *link) expect(want, verb string, args ...any) error {
	got, err := l.tell(verb, args...)
	if err == nil && got != want {
		err = fmt.Errorf("%s: %q instead of %q", verb, got, want)
	}
	return err
}

// refused makes sure that a request ends with one of the given statuses, and the
// connection with it.
func (l *link) refused(wr rdma.SendWR, want ...rdma.Status) error {
	s, err := l.status(wr)
	if err != nil {
		return err
	}
	for _, w := range want {
		if s == w {
			select {
			case <-l.conn.Done():
			case <-l.c.ctx.Done():
				return errors.New("the connection has not ended")
			}
			var se rdma.StatusError
			if !errors.As(l.conn.Err(), &se) || rdma.Status(se) != s {
				return fmt.Errorf("the connection ended with %w", l.conn.Err())
			}
			if l.qp.State() != rdma.StateError {
				return fmt.Errorf("state %v after %v", l.qp.State(), s)
			}
			return nil
		}
	}
	return fmt.Errorf("ended as: %v", s)
}

// pattern is bytes that are different everywhere.
func pattern(n int, salt byte) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i) ^ byte(i>>8) ^ salt
	}
	return b
}

func same(what string, got, want []byte) error {
	if bytes.Equal(got, want) {
		return nil
	}
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			return fmt.Errorf("%s differs from byte %d of %d on", what, i, len(want))
		}
	}
	return fmt.Errorf("%s is %d bytes instead of %d", what, len(got), len(want))
}
