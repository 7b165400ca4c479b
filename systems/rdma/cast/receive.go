package cast

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/systems/rdma/private"
	"github.com/p4ce/p4ce/systems/rdma/proof"
)

// castagnoli is the CRC of chunks: RDMA has one of packets, this one finds what is wrong with slots.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const (
	// silence is how long a sender may say nothing; it says something every pingEvery.
	silence   = time.Minute
	pingEvery = time.Second
	// sessions is how many transfers a receiver takes part in at once.
	sessions = 16
	// goodbye is how long a receiver waits for a sender to hear that it has failed.
	goodbye = 5 * time.Second
)

// Receiver takes files into a folder.
type Receiver struct {
	Device rdma.Device
	Dir    string
	Secret private.Secret
	Log    *slog.Logger
	// AckTimeout is Options.AckTimeout, for what the receiver sends.
	AckTimeout time.Duration
	// Ready, when not nil, is called once senders can connect.
	Ready func()
	// Received, when not nil, is called for each file that has got its name.
	Received func(name string, size int64)

	guard  *proof.Guard
	mu     sync.Mutex
	byID   map[uint64]*session
	byName map[string]*session
}

// session is one transfer.
type session struct {
	r      *Receiver
	id     uint64
	ctx    context.Context
	cancel context.CancelCauseFunc
	ended  chan struct{} // closed when nothing of the session writes any more
	ctl    control

	connecting sync.Mutex // held while a data connection is made

	mu     sync.Mutex
	part   *partial
	domain rdma.Domain
	mr     rdma.MR
	buf    []byte
	data   rdma.Conn
	behind chan struct{} // gets one when there is another chunk for the next host
}

var errTakenOver = errors.New("another sender now sends this file")

// Serve takes part in transfers until ctx ends, which is not an error.
func (r *Receiver) Serve(ctx context.Context, port uint16) error {
	if st, err := os.Stat(r.Dir); err != nil {
		return err
	} else if !st.IsDir() {
		return fmt.Errorf("%s: is not a folder", r.Dir)
	}
	if r.AckTimeout == 0 {
		r.AckTimeout = ackTimeout
	}
	r.guard = proof.NewGuard(r.Secret)
	r.byID, r.byName = map[uint64]*session{}, map[string]*session{}
	ln, err := r.Device.Listen(port)
	if err != nil {
		return err
	}
	defer ln.Close()
	if r.Ready != nil {
		r.Ready()
	}
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	for {
		req, err := ln.Accept(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		all.Add(1)
		go func() {
			defer all.Done()
			r.requested(ctx, req)
		}()
	}
}

// requested handles a connection request.
func (r *Receiver) requested(ctx context.Context, req rdma.Request) {
	refused := func(err error) { proof.Refuse(r.Log, req, private.NoSlot, err) }
	refuse := func(text string) { refused(errors.New(text)) }
	q, err := private.ParseRequest(req.Private())
	var x *private.Exchange
	if err == nil {
		x, err = r.guard.Check(&q, req.RemoteAddr(), r.Device.Addr())
	}
	switch {
	case err != nil:
		refused(err)
	case q.Form == private.FormMember:
		r.mu.Lock()
		s := r.byID[q.Term]
		r.mu.Unlock()
		if s == nil {
			refuse("no such transfer")
			return
		}
		s.connect(req, x, refuse)
	case q.Form == private.FormPeer && q.Kind == kindControl && q.Version == version:
		r.mu.Lock()
		_, twice := r.byID[q.Term]
		full := len(r.byID) >= sessions
		var s *session
		if !twice && !full {
			s = &session{r: r, id: q.Term, ended: make(chan struct{}), behind: make(chan struct{}, 1)}
			s.ctx, s.cancel = context.WithCancelCause(ctx)
			r.byID[q.Term] = s
		}
		r.mu.Unlock()
		switch {
		case twice:
			refuse("the transfer already has a connection")
		case full:
			refuse(fmt.Sprintf("%d transfers are already under way", sessions))
		default:
			s.run(req, x)
		}
	default:
		refuse("the sender must be p4ce cast of this version")
	}
}

// connect accepts a data connection. An older one has lost its rights before.
func (s *session) connect(req rdma.Request, x *private.Exchange, refuse func(string)) {
	s.connecting.Lock()
	defer s.connecting.Unlock()
	s.mu.Lock()
	mr := s.mr
	if s.data != nil {
		s.data.Close()
		s.data = nil
	}
	s.mu.Unlock()
	if mr == nil {
		refuse("the transfer has not begun, or is over")
		return
	}
	qp, err := s.r.Device.CreateQP(rdma.QPConfig{Domain: s.domain, Access: rdma.RemoteWrite})
	if err != nil {
		refuse(err.Error())
		return
	}
	ctx, cancel := context.WithTimeout(s.ctx, 2*dialTimeout) // the others of a group may take their time
	defer cancel()
	data, err := proof.Accept(ctx, req, x, qp, proof.Regions(mr))
	if err != nil {
		s.r.Log.Warn("data connection not established", "from", req.RemoteAddr(), "err", err)
		return
	}
	s.mu.Lock()
	s.data = data
	s.mu.Unlock()
}

// run serves a transfer until it is over.
func (s *session) run(req rdma.Request, x *private.Exchange) {
	ctx := s.ctx
	var forward sync.WaitGroup
	err := s.accept(ctx, req, x)
	if err == nil {
		err = s.serve(ctx, &forward)
	}
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		s.r.Log.Warn("transfer ended", "from", req.RemoteAddr(), "err", err)
	}
	s.cancel(nil)
	forward.Wait()
	s.end()
	if s.ctl.conn == nil {
		return
	}
	if err != nil && s.ctl.send(message{Type: typeError, Error: err.Error()}) == nil {
		quiet, cancel := context.WithTimeout(context.WithoutCancel(ctx), goodbye)
		for _, err := s.ctl.receive(quiet); err == nil; _, err = s.ctl.receive(quiet) {
		}
		cancel()
	}
	s.ctl.conn.Close()
}

func (s *session) accept(ctx context.Context, req rdma.Request, x *private.Exchange) error {
	qp, err := s.r.Device.CreateQP(rdma.QPConfig{AckTimeout: s.r.AckTimeout, Retry: 7, SendQueue: messages, RecvQueue: messages})
	if err != nil {
		_ = req.Reject(private.Refusal{Slot: private.NoSlot, Text: err.Error()}.Append(nil))
		return err
	}
	if err := s.ctl.post(qp); err != nil {
		qp.Destroy()
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	s.ctl.conn, err = proof.Accept(ctx, req, x, qp, nil)
	return err
}

// end takes away what peers write to, and lets the next session of this file begin.
func (s *session) end() {
	s.connecting.Lock()
	defer s.connecting.Unlock()
	s.mu.Lock()
	if s.data != nil {
		s.data.Close()
	}
	if s.mr != nil {
		s.r.Device.DeregisterMemory(s.mr)
	}
	if s.buf != nil {
		s.r.Device.Free(s.buf)
	}
	if s.domain != nil {
		_ = s.domain.Close()
	}
	part := s.part
	s.data, s.mr, s.buf, s.domain = nil, nil, nil, nil
	s.mu.Unlock()
	if part != nil {
		part.f.Close()
	}
	s.r.mu.Lock()
	delete(s.r.byID, s.id)
	for name, o := range s.r.byName {
		if o == s {
			delete(s.r.byName, name)
		}
	}
	s.r.mu.Unlock()
	close(s.ended)
}

// claim makes the session the only one that writes a file.
func (s *session) claim(ctx context.Context, name string) error {
	for {
		s.r.mu.Lock()
		old := s.r.byName[name]
		if old == nil {
			s.r.byName[name] = s
			s.r.mu.Unlock()
			return nil
		}
		s.r.mu.Unlock()
		old.cancel(errTakenOver)
		select {
		case <-old.ended:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// begin answers an offer.
func (s *session) begin(ctx context.Context, m message) error {
	o := offered{name: m.Name, size: m.Size, sum: m.SHA256, chunk: int64(m.Chunk)}
	if err := o.check(); err != nil {
		return err
	}
	if err := s.claim(ctx, o.name); err != nil {
		return err
	}
	part, err := openPartial(s.r.Dir, o)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.part = part
	if part.have < part.chunks() {
		if s.domain, err = s.r.Device.NewDomain(); err != nil {
			return err
		}
		if s.buf, err = s.r.Device.Alloc(Slots * int(o.chunk)); err != nil {
			return err
		}
		if s.mr, err = s.domain.RegisterMemory(s.buf, rdma.LocalWrite|rdma.RemoteWrite); err != nil {
			return err
		}
	}
	return s.ctl.send(message{Type: typeState, Index: part.have})
}

// serve handles the sender's messages. It returns nil when all is done.
func (s *session) serve(ctx context.Context, forward *sync.WaitGroup) error {
	said := func() (message, error) {
		ctx, cancel := context.WithTimeout(ctx, silence)
		defer cancel()
		return s.ctl.receive(ctx)
	}
	m, err := said()
	if err != nil {
		return err
	}
	if m.Type != typeOffer {
		return fmt.Errorf("message %q before an offer", m.Type)
	}
	if err := s.begin(ctx, m); err != nil {
		return err
	}
	var behind []Result
	passed := make(chan struct{})
	if len(m.Next) == 0 {
		close(passed)
	} else {
		forward.Add(1)
		go func() {
			defer forward.Done()
			defer close(passed)
			behind = sendChain(ctx, s.r.Device, s.part.offered, s, m.Next, &Options{Secret: s.r.Secret, Log: s.r.Log, AckTimeout: s.r.AckTimeout})
		}()
	}
	finished := false
	for {
		m, err := said()
		switch {
		case err != nil && finished:
			return nil // it has heard all that it wants to know
		case err != nil:
			return err
		}
		switch m.Type {
		case typePing:
			err = s.ctl.send(message{Type: typePong})
		case typeChunk:
			err = s.take(m)
		case typeFinish:
			had := s.part.done
			if err = s.part.finish(); err != nil {
				break
			}
			finished = true
			if s.r.Received != nil && !had {
				s.r.Received(s.part.name, s.part.size)
			}
			forward.Add(1)
			go func() {
				defer forward.Done()
				select {
				case <-passed:
					_ = s.ctl.send(message{Type: typeFinished, Results: behind}) // else the sender has gone
				case <-ctx.Done():
				}
			}()
		default:
			err = fmt.Errorf("message %q after an offer", m.Type)
		}
		if err != nil {
			return err
		}
	}
}

// take moves a chunk from its slot to the file.
func (s *session) take(m message) error {
	p := s.part
	switch {
	case m.Index < p.have: // others needed it
		return s.ctl.send(message{Type: typeDone, Index: m.Index})
	case m.Index > p.have || m.Index >= p.chunks() || s.mr == nil:
		return fmt.Errorf("chunk %d is not the next one, %d", m.Index, p.have)
	}
	b := make([]byte, p.length(m.Index))
	if _, err := s.mr.ReadAt(b, m.Index%Slots*p.chunk); err != nil {
		return err
	}
	if crc32.Checksum(b, castagnoli) != m.CRC {
		return fmt.Errorf("chunk %d differs from what was sent", m.Index)
	}
	s.mu.Lock()
	err := p.add(b)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	select {
	case s.behind <- struct{}{}:
	default: // it is told already
	}
	return s.ctl.send(message{Type: typeDone, Index: m.Index})
}

// read implements source: for the next host of a chain.
func (s *session) read(i int64, b []byte) error {
	_, err := s.part.f.ReadAt(b, i*s.part.chunk)
	return err
}

// available implements source.
func (s *session) available() (int64, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.part.have, s.behind
}
