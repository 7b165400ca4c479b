package resp

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidwall/redcon"
)

// Writer writes replies.
type Writer = redcon.Writer

// NewWriter makes one, which keeps replies until Flush.
func NewWriter(w io.Writer) *Writer { return redcon.NewWriter(w) }

// Handler executes the requests of one connection, one after the other.
type Handler interface {
	// Execute executes a request, and writes one reply. args has the command and its arguments, which are valid until it
	// returns. With quit, the connection ends when the reply is sent.
	Execute(ctx context.Context, w *Writer, args [][]byte) (quit bool)
}

// Config configures a Server.
type Config struct {
	// Handler makes the handler of a connection.
	Handler func() Handler
	// MaxRequest bounds a request, in bytes. A connection uses twice as much, and as much as its replies.
	MaxRequest int
	// MaxClients refuses further connections. The default is 1000.
	MaxClients int
	// Idle closes connections on which nothing has arrived for this long. The default is never.
	Idle time.Duration
	// TLS, if it is set, is how clients connect.
	TLS *tls.Config
	// Logger receives what an operator should know; nil discards it.
	Logger *slog.Logger
}

// Server serves connections.
type Server struct {
	c      Config
	ctx    context.Context
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup

	accepted, refused, executed atomic.Uint64

	mu        sync.Mutex
	listeners map[net.Listener]bool
	conns     map[net.Conn]bool
}

// Stats counts since the start.
type Stats struct {
	Clients                     int // at the moment
	Accepted, Refused, Executed uint64
}

const (
	// maxReplies is how many bytes of replies are gathered, and soon for how long.
	maxReplies = 64 << 10
	soon       = time.Millisecond
	// writeTime is how long a client may leave its replies, and handshakeTime how long it may take to begin.
	writeTime     = 30 * time.Second
	handshakeTime = 10 * time.Second
)

// ErrEnding is the cause of the end of requests under way when a Server ends.
var ErrEnding = errors.New("this server is ending")

// NewServer returns a server. Serve makes it serve, and Close ends it.
func NewServer(c Config) *Server {
	c.MaxClients = cmp.Or(c.MaxClients, 1000)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{c: c, listeners: map[net.Listener]bool{}, conns: map[net.Conn]bool{}}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	return s
}

// Serve accepts connections until the listener fails, or until Close is called: then it returns nil. It closes the listener.
func (s *Server) Serve(l net.Listener) error {
	defer l.Close()
	s.mu.Lock()
	if s.ctx.Err() != nil {
		s.mu.Unlock()
		return nil
	}
	s.listeners[l] = true
	s.mu.Unlock()
	return Accept(s.ctx, l, s.c.Logger, s.accept)
}

// Close ends all connections, and waits for what they execute.
func (s *Server) Close() {
	s.mu.Lock()
	s.cancel(ErrEnding)
	for l := range s.listeners {
		_ = l.Close()
	}
	for c := range s.conns {
		_ = c.SetReadDeadline(time.Now()) // they are told how their requests have ended
	}
	s.mu.Unlock()
	s.wg.Wait()
}

// Stats returns what has happened so far.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Stats{len(s.conns), s.accepted.Load(), s.refused.Load(), s.executed.Load()}
}

// accept takes a connection.
func (s *Server) accept(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil || len(s.conns) >= s.c.MaxClients {
		s.refused.Add(1)
		Refuse(conn)
		return
	}
	s.accepted.Add(1)
	s.conns[conn] = true
	s.wg.Go(func() {
		err := s.serve(conn)
		s.c.Logger.Debug("connection ended", "client", conn.RemoteAddr().String(), "why", err)
		s.mu.Lock()
		delete(s.conns, conn)
		s.mu.Unlock()
	})
}

// serve serves a connection until it ends.
func (s *Server) serve(conn net.Conn) error {
	defer conn.Close()
	if s.c.TLS != nil {
		t := tls.Server(conn, s.c.TLS)
		_ = conn.SetDeadline(time.Now().Add(handshakeTime))
		if err := t.HandshakeContext(s.ctx); err != nil {
			TellPlain(err)
			return err
		}
		_ = conn.SetDeadline(time.Time{})
		conn = t
	}
	w := NewWriter(conn)
	requests := NewRequests(NewReader(&idleReader{s, conn}, s.c.MaxRequest))
	flush := func() error {
		_ = conn.SetWriteDeadline(time.Now().Add(writeTime))
		return w.Flush()
	}
	for h := s.c.Handler(); ; {
		list, err := requests.Next()
		start := time.Now()
		for i := range list {
			quit := h.Execute(s.ctx, w, list[i].Args)
			s.executed.Add(1)
			if quit {
				if err := flush(); err != nil {
					return err
				}
				Linger(conn)
				return errQuit
			}
			if len(w.Buffer()) >= maxReplies || time.Since(start) > soon { // others wait for it while the next one is executed
				if err := flush(); err != nil {
					return err
				}
				start = time.Now()
			}
		}
		if err == nil {
			if err := flush(); err != nil {
				return err
			}
			continue
		}
		text, wrong := Told(err)
		if wrong {
			w.WriteError(text)
		}
		if flush() == nil && wrong {
			Linger(conn)
		}
		return err
	}
}

var errQuit = errors.New("quit")

// idleReader reads from a connection for as long as it may be idle.
type idleReader struct {
	s    *Server
	conn net.Conn
}

func (r *idleReader) Read(p []byte) (int, error) {
	r.s.mu.Lock() // Close sets a deadline that stays
	if r.s.ctx.Err() == nil && r.s.c.Idle > 0 {
		_ = r.conn.SetReadDeadline(time.Now().Add(r.s.c.Idle))
	}
	r.s.mu.Unlock()
	return r.conn.Read(p)
}
