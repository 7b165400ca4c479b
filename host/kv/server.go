package kv

import (
	"cmp"
	"container/list"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/tidwall/redcon"

	"github.com/p4ce/p4ce/host/kv/resp"
	"github.com/p4ce/p4ce/host/replicated"
)

// Config configures a Server.
type Config struct {
	// Machine executes the records of this server's log.
	Machine *Machine
	Log     replicated.Log
	// MaxRecord is the length of the longest record that the log accepts, in bytes. A command that
	// writes, or as many of a pipeline as fit, is one record.
	MaxRecord int
	// Timeout ends commands that the log does not answer. The default is 5 s.
	Timeout time.Duration
	// Idle closes connections on which nothing has arrived for this long. The default is never.
	Idle time.Duration
	// MaxClients refuses further connections, unless there is one that has not authenticated. The
	// oldest stranger goes, or else a connection of the default user without a password that has been
	// idle for long. The default is 10,000.
	MaxClients int
	// ClientMemory is how many bytes the requests and replies of all clients may use in memory. Beyond
	// that, the connection that uses most is ended. The default is 512 MiB.
	ClientMemory int
	// Users reads the users and their rights. Reload and the command ACL LOAD call it again. With nil,
	// everybody may do everything.
	Users func() (*Users, error)
	// TLS, if it is set, is how clients connect. If the server asks for client certificates, the
	// common name of a certificate names the user, if there is a user of that name.
	TLS *tls.Config
	// Purge is how often the leader removes expired keys when nothing is written. The default is 100
	// ms.
	Purge time.Duration
	// Client is the address at which clients reach this server, as in the log's members.
	Client string
	// Version is the version of the program, for INFO.
	Version string
	// Info adds lines, name and value, to section replication of INFO. It may be nil.
	Info func() [][2]string
	// Cluster serves the command CLUSTER. With nil, the command changes nothing.
	Cluster Cluster
	// Logger receives what an operator should know; nil discards it.
	Logger *slog.Logger
	// Metrics registers the server's metrics. It may be nil.
	Metrics prometheus.Registerer
	// Clock is the wall clock. nil is time.Now.
	Clock func() time.Time
}

// Server serves clients on connections of the Redis protocol, RESP2 or RESP3.
//
// The commands of a connection take effect in their order. Commands that a client sends without
// waiting for replies share records and barriers where they can: consecutive writes, and consecutive
// reads.
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

	accepted, refused, executed, evicted, denied, http atomic.Uint64

	users  atomic.Pointer[Users]
	memory memory

	mu        sync.Mutex
	closed    bool
	listeners map[net.Listener]bool
	clients   map[*client]bool
	room      room
	lastID    uint64
}

// Bounds of a connection.
const (
	// flushAt is how many bytes of replies are gathered before they are sent.
	flushAt = 64 << 10
	// writeTimeout, or at least half of it, is how long a client may leave its replies before its
	// connection is ended.
	writeTimeout = 30 * time.Second
	// authTime is how long a connection may belong to nobody.
	authTime = 10 * time.Second
	// maxDenied is how many wrong passwords end a connection.
	maxDenied = 10
)

// NewServer returns a server. Serve makes it serve, and Close ends it.
func NewServer(cfg Config) (*Server, error) {
	cfg.Timeout = cmp.Or(cfg.Timeout, 5*time.Second)
	cfg.Purge = cmp.Or(cfg.Purge, 100*time.Millisecond)
	cfg.MaxClients = cmp.Or(cfg.MaxClients, 10000)
	cfg.ClientMemory = cmp.Or(cfg.ClientMemory, 512<<20)
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
	s.memory = memory{limit: cfg.ClientMemory, of: map[*client]int{}, gone: &s.evicted}
	if err := s.Reload(); err != nil {
		return nil, err
	}
	if cfg.Metrics != nil {
		if err := s.metrics.register(cfg.Metrics, s); err != nil {
			return nil, err
		}
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.propose = &proposer{log: cfg.Log, clock: cfg.Clock, timeout: cfg.Timeout, max: cfg.MaxRecord, ctx: s.ctx}
	s.barrier = &barrier{call: s.propose.pass, leased: func() bool { return false }, timeout: cfg.Timeout, ctx: s.ctx}
	if l, ok := cfg.Log.(replicated.LeaderLog); ok {
		s.barrier.call, s.barrier.leased = l.Barrier, l.Leased
	} else {
		s.propose.shared = true
	}
	s.wg.Add(1)
	go s.purge()
	return s, nil
}

// Serve accepts connections until the listener fails, or until Close is called: then it returns nil.
// It closes the listener. Several calls of Serve may run at a time.
func (s *Server) Serve(l net.Listener) error {
	defer l.Close()
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return ErrClosed
	}
	s.listeners[l] = true
	s.mu.Unlock()
	return resp.Accept(s.ctx, l, s.log, s.accept)
}

func (s *Server) accept(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.clients) >= s.cfg.MaxClients && !s.makeRoom() {
		s.refused.Add(1)
		resp.Refuse(conn)
		return
	}
	s.accepted.Add(1)
	s.lastID++
	c := newClient(s, conn, s.lastID)
	s.clients[c] = true
	s.room.enter(c, stranger)
	s.memory.enter(c)
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		c.run()
		s.memory.leave(c)
		s.mu.Lock()
		delete(s.clients, c)
		s.room.leave(c)
		s.mu.Unlock()
	}()
}

// purge proposes records that remove expired keys, as long as there are some.
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

// leads reports whether this server believes that it is the leader.
func (s *Server) leads() bool {
	leader, ok := s.cfg.Log.Leader()
	return ok && leader == s.cfg.Client
}

// expired reports whether this server leads and may have something to purge.
func (s *Server) expired() bool {
	return s.leads() && s.cfg.Machine.Expired(s.propose.expiredAt())
}

// Close ends all connections and waits for their goroutines. What was proposed may still be decided.
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

// client is a connection. One goroutine receives requests, executes all that have arrived together,
// sends the replies, and then receives again.
type client struct {
	s        *Server
	conn     net.Conn
	id       uint64
	born     time.Time
	w        *redcon.Writer
	held     int       // bytes of replies in w
	deadline time.Time // error of writing
	err      error     // ends the connection
	in       *resp.Reader
	users    *Users        // the users that user belongs to
	user     *user         // the connection's user; nil: nobody
	certain  bool          // it has a certificate
	name     string        // of its certificate
	denied   int           // wrong passwords
	place    *list.Element // its place in room; Server.mu guards it

	proto3  bool    // it speaks RESP3
	tx      *queued // the transaction that has begun; nil: none
	watched []watched

	// Reused for the next requests.
	reqs     []request
	proposal proposal
	found    []entry

	mu       sync.Mutex // guards the fields below
	bytes    int        // number of requests that are being executed
	active   time.Time
	last     string // the last command's name
	says     string // the user's name
	title    string // the name that the client has given itself
	lib, ver string
	said3    bool // proto3
}

func newClient(s *Server, conn net.Conn, id uint64) *client {
	now := time.Now()
	if s.cfg.TLS != nil {
		conn = tls.Server(conn, s.cfg.TLS)
	}
	return &client{s: s, conn: conn, id: id, born: now, active: now, w: redcon.NewWriter(conn), proposal: newProposal()}
}

// run serves the connection until it ends.
func (c *client) run() {
	c.in = resp.NewReader(&idleReader{c}, c.s.cfg.MaxRecord+1<<20)
	c.in.Grow = c.grow
	c.begin()
	requests := resp.NewRequests(c.in)
	for c.err == nil {
		cmds, err := requests.Next()
		if len(cmds) > 0 {
			c.execute(cmds)
			c.flush()
		}
		if c.err == nil {
			c.err = err
		}
	}
	if errors.Is(c.err, resp.ErrHTTP) {
		if n := c.s.http.Add(1); rare(n) {
			c.s.log.Warn("a client speaks HTTP: an attacker may have made it send commands here; the connection is ended", "client", c.conn.RemoteAddr().String(), "so_far", n)
		}
	}
	told := errors.Is(c.err, errQuit) || errors.Is(c.err, errDenied)
	if text, ok := resp.Told(c.err); ok {
		c.w.WriteError(text)
		told = true
	}
	if resp.TellPlain(c.err) {
		told = false
	}
	if told && c.flush() == nil {
		resp.Linger(c.conn)
	}
	_ = c.conn.Close()
	c.s.log.Debug("connection ended", "client", c.conn.RemoteAddr().String(), "why", c.err)
}

// errQuit ends a connection whose client has sent QUIT.
var errQuit = errors.New("quit")

// idleReader reads from a connection for as long as it may be idle.
type idleReader struct{ c *client }

func (r *idleReader) Read(p []byte) (int, error) {
	switch idle := r.c.s.cfg.Idle; {
	case r.c.user == nil:
		_ = r.c.conn.SetReadDeadline(r.c.born.Add(authTime))
	case idle > 0:
		_ = r.c.conn.SetReadDeadline(time.Now().Add(idle))
	}
	return r.c.conn.Read(p)
}

// reply records n more bytes of replies, and sends the replies if there are many.
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
	if held := c.held; held >= flushAt { // until the client has taken them
		if c.grow(held) != nil {
			c.err = errSlow
			return c.err
		}
		defer c.s.memory.take(c, -held)
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
