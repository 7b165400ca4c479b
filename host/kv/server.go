package kv

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/tidwall/redcon"
)

// Config configures a Server.
type Config struct {
	// Machine is what this server's log executes its records with.
	Machine *Machine
	Log     Log
	// MaxRecord is the longest record that the log takes, in bytes: a command that
	// writes, or as many of a pipeline as fit, is one record.
	MaxRecord int
	// Timeout ends commands that the log does not answer. Default 5 s.
	Timeout time.Duration
	// Idle closes connections on which nothing has arrived for so long. Default: never.
	Idle time.Duration
	// MaxClients refuses more connections. Default 10,000.
	MaxClients int
	// Purge is how often the leader has expired keys removed when nothing is written.
	// Default 100 ms.
	Purge time.Duration
	// Client is where clients reach this server, as the log's members say it.
	Client string
	// Version is the program's, for INFO.
	Version string
	// Info adds lines, name and value, to section replication of INFO; may be nil.
	Info func() [][2]string
	// Cluster is for command CLUSTER; nil: it changes nothing.
	Cluster Cluster
	// Logger receives what an operator should know; nil discards it.
	Logger *slog.Logger
	// Metrics registers the server's; may be nil.
	Metrics prometheus.Registerer
	// Clock is the wall clock; nil is time.Now.
	Clock func() time.Time
}

// Server serves clients on connections of the Redis protocol, RESP2.
//
// The commands of a connection take effect in their order. Those that a client sends
// without waiting for replies share records and barriers where they can: writes that
// follow each other, and reads that follow each other.
type Server struct {
	cfg     Config
	log     *slog.Logger
	propose *proposer
	barrier *barrier
	metrics *metrics
	started time.Time
	wg      sync.WaitGroup
	ctx     context.Context
	cancel  context.CancelFunc

	accepted, refused, executed atomic.Uint64

	mu        sync.Mutex
	closed    bool
	listeners map[net.Listener]bool
	clients   map[*client]bool
	lastID    uint64
}

// Bounds of a connection.
const (
	// flushAt is how many bytes of replies are gathered before they are sent.
	flushAt = 64 << 10
	// writeTimeout, or at least half of it, ends a connection whose client does not take
	// its replies.
	writeTimeout = 30 * time.Second
	// lingerTime is how long a client may send on after an error that ends its
	// connection, so that the error reaches it.
	lingerTime = time.Second
)

// NewServer returns a server, which Serve makes serve and Close ends.
func NewServer(cfg Config) (*Server, error) {
	def := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	def(&cfg.Timeout, 5*time.Second)
	def(&cfg.Purge, 100*time.Millisecond)
	if cfg.MaxClients == 0 {
		cfg.MaxClients = 10000
	}
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.MaxRecord < 1<<10 {
		return nil, errors.New("kv: the log takes records of at least 1 KiB")
	}
	s := &Server{
		cfg: cfg, log: cfg.Logger, started: time.Now(), metrics: newMetrics(),
		listeners: map[net.Listener]bool{}, clients: map[*client]bool{},
	}
	if cfg.Metrics != nil {
		if err := s.metrics.register(cfg.Metrics, s); err != nil {
			return nil, err
		}
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.propose = &proposer{log: cfg.Log, clock: cfg.Clock, timeout: cfg.Timeout, max: cfg.MaxRecord, ctx: s.ctx}
	s.barrier = &barrier{call: s.propose.pass, leased: func() bool { return false }, timeout: cfg.Timeout, ctx: s.ctx}
	if l, ok := cfg.Log.(LeaderLog); ok {
		s.barrier.call, s.barrier.leased = l.Barrier, l.Leased
	} else {
		s.propose.shared = true
	}
	s.wg.Add(1)
	go s.purge()
	return s, nil
}

// Serve accepts connections until the listener fails, or Close is called: then it
// returns nil. It closes the listener. Several Serves may run.
func (s *Server) Serve(l net.Listener) error {
	defer l.Close()
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return ErrClosed
	}
	s.listeners[l] = true
	s.mu.Unlock()
	pause := time.Duration(0)
	for {
		conn, err := l.Accept()
		var temporary interface{ Temporary() bool }
		switch {
		case err == nil:
			pause = 0
			s.accept(conn)
		case s.ctx.Err() != nil:
			return nil
		case errors.As(err, &temporary) && temporary.Temporary(): // out of file descriptors, for example
			s.log.Warn("accept", "error", err)
			pause = min(max(2*pause, 5*time.Millisecond), time.Second)
			select {
			case <-time.After(pause):
			case <-s.ctx.Done():
				return nil
			}
		default:
			return err
		}
	}
}

func (s *Server) accept(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.clients) >= s.cfg.MaxClients {
		s.refused.Add(1)
		_ = conn.SetWriteDeadline(time.Now().Add(lingerTime))
		_, _ = conn.Write([]byte("-ERR max number of clients reached\r\n"))
		_ = conn.Close()
		return
	}
	s.accepted.Add(1)
	s.lastID++
	c := newClient(s, conn, s.lastID)
	s.clients[c] = true
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		c.run()
		s.mu.Lock()
		delete(s.clients, c)
		s.mu.Unlock()
	}()
}

// purge proposes records that remove expired keys, while there are some.
func (s *Server) purge() {
	defer s.wg.Done()
	t := time.NewTicker(s.cfg.Purge)
	defer t.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-t.C:
		}
		for s.ctx.Err() == nil && s.expired() && s.propose.tick() == nil {
		}
	}
}

// leads reports whether this server is the leader, as far as it knows.
func (s *Server) leads() bool {
	leader, ok := s.cfg.Log.Leader()
	return ok && leader == s.cfg.Client
}

// expired reports whether this server leads and may have something to purge.
func (s *Server) expired() bool {
	return s.leads() && s.cfg.Machine.Expired(s.propose.expiredAt())
}

// Close ends all connections and waits for their goroutines. What was proposed may
// still be decided.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	s.cancel()
	for l := range s.listeners {
		_ = l.Close()
	}
	for c := range s.clients {
		_ = c.conn.Close()
	}
	s.mu.Unlock()
	s.propose.close()
	s.wg.Wait()
}

// client is a connection. One goroutine receives requests, executes what has come, all
// together, and sends the replies; then it receives again.
type client struct {
	s        *Server
	conn     net.Conn
	id       uint64
	born     time.Time
	w        *redcon.Writer
	held     int       // bytes of replies that w holds
	deadline time.Time // of writing
	err      error     // ends the connection

	// Used again for what is received next.
	reqs     []request
	proposal proposal
	found    []entry

	mu       sync.Mutex // guards what follows
	bytes    int        // that are being executed
	active   time.Time
	last     string // the last command's name
	name     string
	lib, ver string
}

func newClient(s *Server, conn net.Conn, id uint64) *client {
	now := time.Now()
	return &client{s: s, conn: conn, id: id, born: now, active: now, w: redcon.NewWriter(conn), proposal: newProposal()}
}

// run serves the connection until it ends.
func (c *client) run() {
	r := redcon.NewReader(newRequestReader(&idleReader{c}, c.s.cfg.MaxRecord+1<<20))
	for c.err == nil {
		cmds, err := r.ReadCommands()
		if len(cmds) > 0 {
			c.execute(cmds)
			c.flush()
		}
		if c.err == nil {
			c.err = err
		}
	}
	told := errors.Is(c.err, errQuit)
	// redcon's errors of this kind have no type of their own.
	if text := c.err.Error(); strings.HasPrefix(text, "Protocol error: ") {
		c.w.WriteError("ERR " + oneLine(text))
		told = true
	}
	if told && c.flush() == nil {
		// What the client goes on to send is taken for a while: closing at once
		// could take the last reply away from it.
		if t, ok := c.conn.(*net.TCPConn); ok {
			_ = t.CloseWrite()
		}
		_ = c.conn.SetReadDeadline(time.Now().Add(lingerTime))
		_, _ = io.Copy(io.Discard, c.conn)
	}
	_ = c.conn.Close()
	c.s.log.Debug("connection ended", "client", c.conn.RemoteAddr().String(), "why", c.err)
}

// errQuit ends a connection whose client has said QUIT.
var errQuit = errors.New("quit")

// idleReader reads from a connection, for as long as it may be idle.
type idleReader struct{ c *client }

func (r *idleReader) Read(p []byte) (int, error) {
	if idle := r.c.s.cfg.Idle; idle > 0 {
		_ = r.c.conn.SetReadDeadline(time.Now().Add(idle))
	}
	return r.c.conn.Read(p)
}

// reply notes that n bytes more are held, and sends them if they are many.
func (c *client) reply(n int) {
	if c.held += n + 16; c.held >= flushAt {
		c.flush()
	}
}

// flush sends all replies.
func (c *client) flush() error {
	if c.held == 0 && c.err == nil {
		return nil
	}
	c.held = 0
	if now := time.Now(); c.deadline.Sub(now) < writeTimeout/2 {
		c.deadline = now.Add(writeTimeout)
		_ = c.conn.SetWriteDeadline(c.deadline)
	}
	err := c.w.Flush()
	if err != nil && c.err == nil {
		c.err = err
	}
	return err
}
