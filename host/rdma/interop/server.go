package interop

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/roce/cm"
)

// The first byte of a REQ's private data says what it is about.
const (
	kindControl = 'c' // commands
	kindTest    = 't' // then the rights of the queue pair, and a tag
	kindReject  = 'r' // to be refused, with the rest as the reason
)

// regionSize is the size of the region that each tested connection offers.
const regionSize = 1 << 16

// messageSize is the size of the buffers for SENDs.
const messageSize = 4096

// receives is how many SENDs the server can take at once; none are posted when the
// tag begins with "deaf".
const receives = 64

// Server is the passive side.
type Server struct {
	dev rdma.Device
	l   rdma.Listener
	ctx context.Context
	wg  sync.WaitGroup

	mu     sync.Mutex
	served map[string]*served
	change chan struct{} // closed and replaced when served changes
}

// served is a tested connection.
type served struct {
	conn   rdma.Conn
	qp     rdma.QP
	mem    []byte
	region rdma.MR
	bufs   [][]byte
}

// Listen makes a server. From now on peers can connect; Serve answers them.
func Listen(dev rdma.Device, port uint16) (*Server, error) {
	l, err := dev.Listen(port)
	if err != nil {
		return nil, err
	}
	return &Server{dev: dev, l: l, served: map[string]*served{}, change: make(chan struct{})}, nil
}

// Serve answers Run until ctx ends. It closes what it has made, and the server.
func (s *Server) Serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer s.close()
	defer cancel()
	s.ctx = ctx
	for {
		r, err := s.l.Accept(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		s.wg.Go(func() {
			// The active side sees what goes wrong here, as a refusal or as an end.
			_ = s.answer(r)
		})
	}
}

func (s *Server) close() {
	_ = s.l.Close()
	s.wg.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.served {
		s.forget(v)
	}
}

func (s *Server) forget(v *served) {
	_ = v.conn.Close()
	s.dev.DeregisterMemory(v.region)
	s.dev.Free(v.mem)
}

func (s *Server) answer(r rdma.Request) error {
	p := r.Private()
	if len(p) == 0 {
		return r.Reject([]byte("no private data"))
	}
	switch p[0] {
	case kindControl:
		return s.control(r)
	case kindReject:
		return r.Reject(append([]byte("because: "), p[1:]...))
	case kindTest:
		return s.test(r, rdma.Access(p[1]), text(p[2:]))
	}
	return r.Reject([]byte("what?"))
}

// text is private data without the padding.
func text(p []byte) string { return strings.TrimRight(string(p), "\x00") }

// test accepts a tested connection.
func (s *Server) test(r rdma.Request, access rdma.Access, tag string) error {
	v := &served{}
	reject := func(err error) error { return errors.Join(err, r.Reject([]byte(err.Error()))) }
	var err error
	if v.mem, err = s.dev.Alloc(regionSize); err != nil {
		return reject(err)
	}
	if v.region, err = s.dev.RegisterMemory(v.mem, rdma.LocalWrite|rdma.RemoteWrite|rdma.RemoteRead|rdma.RemoteAtomic); err != nil {
		return reject(err)
	}
	if v.qp, err = s.dev.CreateQP(rdma.QPConfig{Access: access, RecvQueue: receives}); err != nil {
		return reject(err)
	}
	if !strings.HasPrefix(tag, "deaf") {
		for i := range receives {
			b := make([]byte, messageSize)
			v.bufs = append(v.bufs, b)
			if _, err := v.qp.PostRecv(rdma.RecvWR{ID: uint64(i), Local: b}); err != nil {
				return reject(err)
			}
		}
	}
	reply := binary.BigEndian.AppendUint64(nil, v.region.Addr())
	reply = binary.BigEndian.AppendUint32(reply, v.region.Key())
	reply = append(reply, "welcome "+tag...)
	for len(reply) < cm.REPPrivateLen {
		reply = append(reply, 0xee)
	}
	if v.conn, err = r.Accept(s.ctx, v.qp, reply); err != nil {
		s.dev.DeregisterMemory(v.region)
		s.dev.Free(v.mem)
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.served[tag] = v
	close(s.change)
	s.change = make(chan struct{})
	return nil
}

// find waits for a tested connection.
func (s *Server) find(tag string) (*served, error) {
	for {
		s.mu.Lock()
		v, changed := s.served[tag], s.change
		s.mu.Unlock()
		if v != nil {
			return v, nil
		}
		select {
		case <-changed:
		case <-s.ctx.Done():
			return nil, s.ctx.Err()
		}
	}
}

// control serves the commands of one connection, one after the other.
func (s *Server) control(r rdma.Request) error {
	qp, err := s.dev.CreateQP(rdma.QPConfig{})
	if err != nil {
		return r.Reject([]byte(err.Error()))
	}
	var in [4][]byte
	for i := range in {
		in[i] = make([]byte, messageSize)
		if _, err := qp.PostRecv(rdma.RecvWR{ID: uint64(i), Local: in[i]}); err != nil {
			return err
		}
	}
	conn, err := r.Accept(s.ctx, qp, nil)
	if err != nil {
		return err
	}
	defer conn.Close()
	// Waiting for commands must end when the peer leaves.
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	go func() {
		select {
		case <-conn.Done():
			cancel()
		case <-ctx.Done():
		}
	}()
	for {
		c, err := next(ctx, qp.RecvCQ())
		if err != nil || c.Status != rdma.StatusOK {
			return err
		}
		answer, err := s.command(ctx, string(in[c.ID][:c.Len]))
		if err != nil {
			answer = "error " + err.Error()
		} else {
			answer = "ok " + answer
		}
		if _, err := qp.PostRecv(rdma.RecvWR{ID: c.ID, Local: in[c.ID]}); err != nil {
			return err
		}
		if _, err := qp.PostSend(rdma.SendWR{ID: 100, Op: rdma.OpSend, Local: []byte(answer)}); err != nil {
			return err
		}
		if c, err := next(ctx, qp.SendCQ()); err != nil || c.Status != rdma.StatusOK {
			return errors.Join(err, c.Status.Err())
		}
	}
}

// next takes one completion.
func next(ctx context.Context, q rdma.CQ) (rdma.Completion, error) {
	var c [1]rdma.Completion
	for q.Poll(c[:]) == 0 {
		if err := q.Wait(ctx); err != nil {
			return c[0], err
		}
	}
	return c[0], nil
}

// command does what one line says: a verb, a tag, and what the verb needs.
func (s *Server) command(ctx context.Context, line string) (string, error) {
	f := strings.Fields(line)
	if len(f) < 2 {
		return "", fmt.Errorf("command %q", line)
	}
	v, err := s.find(f[1])
	if err != nil {
		return "", err
	}
	number := func(i int) int {
		if i >= len(f) {
			err = fmt.Errorf("command %q", line)
			return 0
		}
		n, e := strconv.Atoi(f[i])
		err = errors.Join(err, e)
		return n
	}
	switch f[0] {
	case "access": // change the rights
		a := number(2)
		if err != nil {
			return "", err
		}
		return "", v.qp.SetAccess(rdma.Access(a))
	case "get": // bytes of the region, as this side's program sees them
		off, n := number(2), number(3)
		if err != nil {
			return "", err
		}
		b := make([]byte, n)
		_, err := v.region.ReadAt(b, int64(off))
		return string(b), err
	case "word": // eight bytes of the region
		off := number(2)
		if err != nil {
			return "", err
		}
		return fmt.Sprint(v.region.Uint64(int64(off))), nil
	case "recv": // what has come: kind, immediate, length, and a SEND's bytes
		c, err := next(ctx, v.qp.RecvCQ())
		if err != nil {
			return "", err
		}
		if c.Status != rdma.StatusOK {
			return c.Status.String(), nil
		}
		out := fmt.Sprintf("%v %v %d %d ", c.Op, c.HasImm, c.Imm, c.Len)
		if c.Op == rdma.OpRecv {
			out += string(v.bufs[c.ID][:c.Len])
		}
		return out, nil
	case "send": // a SEND with immediate data
		if _, err := v.qp.PostSend(rdma.SendWR{ID: 7, Op: rdma.OpSendImm, Imm: 0x01020304, Local: []byte(strings.Join(f[2:], " "))}); err != nil {
			return "", err
		}
		c, err := next(ctx, v.qp.SendCQ())
		return "", errors.Join(err, c.Status.Err())
	case "changed": // wait until the region's owner is told that it may have changed
		told := make(chan struct{}, 1)
		v.region.OnRemoteWrite(func(int, int) {
			select {
			case told <- struct{}{}:
			default:
			}
		})
		defer v.region.OnRemoteWrite(nil)
		want := number(2)
		if err != nil {
			return "", err
		}
		for v.region.Uint64(0) != uint64(want) {
			select {
			case <-told:
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}
		return "", nil
	case "close": // end the connection
		return "", v.conn.Close()
	case "vanish": // destroy the queue pair, and tell nobody
		v.qp.Destroy()
		return "", nil
	case "ended": // wait for the end, and say why
		select {
		case <-v.conn.Done():
			return v.conn.Err().Error(), nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	return "", fmt.Errorf("command %q", line)
}
