package txn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/p4ce/p4ce/systems/onepipe"
)

// Processes is how many a Node's host has: the shard, and behind it the client.
const Processes = 2

// Config says which shard a Node has, and where.
type Config struct {
	// Name is this server's name. Servers are all servers, this one among them: the address at which each answers the
	// others, HOST:PORT or unix:PATH, by its name. All servers have the same.
	Name    string
	Servers map[string]string
	// Open opens the host, with so many Processes. The node closes it. It is called again when the controller has
	// declared the host failed.
	Open func(onepipe.Events) (*onepipe.Host, error)
	// Dial connects to another server. With nil, servers are not authenticated.
	Dial func(ctx context.Context, server string) (net.Conn, error)
	// Logger receives what an operator should know; nil discards it.
	Logger *slog.Logger
	// Registry gets the node's metrics; may be nil.
	Registry prometheus.Registerer
}

// Node is a server: it has a shard, and executes transactions on all shards. Its methods may be called by many goroutines.
type Node struct {
	c      Config
	names  []string // of all servers, in order: the shard of each is at its place
	number int      // this server's place
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	room   chan struct{} // has an element for each transaction under way

	mu   sync.Mutex // guards the fields below
	life *life      // nil: the host is not part of the network
	why  string     // it is not
	past counters   // of the lives before
	born uint64     // lives

	once sync.Once
	done chan struct{} // closed when err is set, or by Close
	err  error

	ends [ends]atomic.Uint64 // transactions, by how they have ended
}

// counters are those of a shard and of a client.
type counters struct {
	Shard  ShardCounters
	Client ClientCounters
}

// How transactions end.
const (
	endDone = iota
	endNotDone
	endPartly
	endUnknown
	endWrong // it was none
	ends
)

var endNames = [ends]string{"done", "not_done", "partly", "unknown", "wrong"}

// Ends are the names of how transactions end, as in Status.Ended.
func Ends() []string { return endNames[:] }

const (
	// lookAgain is the pause of a server that waits for others.
	lookAgain = 200 * time.Millisecond
	// maxUnderWay is how many transactions a server has under way. Others wait.
	maxUnderWay = 512
	// sendAgain is the pause before something is sent for which there was no room, and clockAgain that of a server whose
	// clock is too far ahead.
	sendAgain  = time.Millisecond
	clockAgain = 100 * time.Millisecond
	// maxName bounds a server's name, in bytes.
	maxName = 255
)

// ErrClosed is the cause of ErrNotDone when the node is closed.
var ErrClosed = errors.New("this server has ended")

// Open starts to serve a shard. It has no keys.
func Open(c Config) (*Node, error) {
	switch {
	case c.Open == nil:
		return nil, errors.New("txn: Config.Open is missing")
	case c.Servers[c.Name] == "":
		return nil, fmt.Errorf("txn: server %q is not among the servers", c.Name)
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	n := &Node{c: c, why: "has just started", room: make(chan struct{}, maxUnderWay), done: make(chan struct{})}
	for name := range c.Servers {
		if name == "" || len(name) > maxName {
			return nil, fmt.Errorf("txn: a server's name has %d bytes: want 1 to %d", len(name), maxName)
		}
		n.names = append(n.names, name)
	}
	slices.Sort(n.names)
	n.number = slices.Index(n.names, c.Name)
	n.ctx, n.cancel = context.WithCancel(context.Background())
	if c.Registry != nil {
		if err := c.Registry.Register(&collector{n}); err != nil {
			return nil, err
		}
	}
	n.wg.Go(n.lives)
	return n, nil
}

// Close ends the node. Its shard is gone, and the fate of transactions under way may be unknown.
func (n *Node) Close() error {
	n.fail(nil)
	n.wg.Wait()
	return n.err
}

// Done is closed when the node has ended, by itself or by Close.
func (n *Node) Done() <-chan struct{} { return n.done }

// Err returns the error by which the node ended by itself. It is valid once Done is closed.
func (n *Node) Err() error { return n.err }

func (n *Node) fail(err error) {
	n.once.Do(func() {
		n.err = err
		close(n.done)
		n.cancel()
	})
}

// Health reports what prevents the server from executing transactions on all keys, or nil.
func (n *Node) Health() error {
	select {
	case <-n.done:
		return cmp.Or(n.err, ErrClosed)
	default:
	}
	s := n.Status()
	if s.Why != "" {
		return fmt.Errorf("this server %s", s.Why)
	}
	if len(s.Absent) > 0 {
		return fmt.Errorf("shards are not there: those of %s", strings.Join(s.Absent, ", "))
	}
	return nil
}

// Do executes a transaction. It ends with nil, ErrNotDone, ErrPartly (Outcome.Missing) or ErrUnknown, which may wrap the
// cause of the context's end, or with what is wrong with the operations.
func (n *Node) Do(ctx context.Context, ops ...Op) (Outcome, error) {
	o := n.do(ctx, ops)
	at := endWrong
	switch {
	case o.Err == nil:
		at = endDone
	case errors.Is(o.Err, ErrNotDone):
		at = endNotDone
	case errors.Is(o.Err, ErrPartly):
		at = endPartly
	case errors.Is(o.Err, ErrUnknown):
		at = endUnknown
	}
	n.ends[at].Add(1)
	return o, o.Err
}

func (n *Node) do(ctx context.Context, ops []Op) Outcome {
	select {
	case n.room <- struct{}{}:
		defer func() { <-n.room }()
	case <-ctx.Done():
		return Outcome{Err: fmt.Errorf("%w: %w [%d others are under way]", ErrNotDone, context.Cause(ctx), maxUnderWay)}
	}
	n.mu.Lock()
	l, why := n.life, n.why
	n.mu.Unlock()
	if l == nil {
		return Outcome{Err: fmt.Errorf("%w: this server %s", ErrNotDone, why)}
	}
	o := l.do(ctx, ops)
	var absent *AbsentError
	if errors.As(o.Err, &absent) {
		o.Err = fmt.Errorf("%w: the shard of server %s is not there [it has failed, or has not joined yet]", ErrNotDone, n.names[absent.Shard])
	}
	return o
}

// lives runs the server until it ends: from each opening of its host to the next.
func (n *Node) lives() {
	for {
		err := n.live()
		if n.ctx.Err() != nil {
			return
		}
		if !errors.Is(err, onepipe.ErrExpelled) {
			n.fail(err)
			return
		}
		n.c.Logger.Warn("this server takes part no longer, and joins again, with a shard without keys", "why", err)
		select {
		case <-time.After(lookAgain):
		case <-n.ctx.Done():
			return
		}
	}
}

// live is one life of the host.
func (n *Node) live() (err error) {
	n.leave("waits for the controller to admit the host")
	ctx, end := context.WithCancelCause(n.ctx)
	defer end(nil)
	l := &life{n: n, failed: map[onepipe.Process]bool{}, waiting: map[uint64]chan<- Outcome{}}
	host, err := n.c.Open(onepipe.Events{Lost: l.lost, Failed: l.processFailed})
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	defer func() {
		end(err)
		if e := host.Close(); !errors.Is(e, net.ErrClosed) {
			err = errors.Join(err, e)
		}
		all.Wait()
		n.leave("has left the network")
		l.end()
	}()
	procs, err := host.Wait(ctx)
	if err != nil {
		return err
	}
	if len(procs) != Processes {
		return fmt.Errorf("txn: the host has %d processes: want %d", len(procs), Processes)
	}
	n.mu.Lock()
	l.begin(procs, n.past)
	n.life, n.why = l, ""
	n.born++
	n.mu.Unlock()
	n.c.Logger.Info("this server serves a shard", "process", procs[0].Process().String(), "shard", n.number, "of", len(n.names))
	all.Go(func() { end(l.execute(ctx)) })
	all.Go(func() { end(l.receive(ctx)) })
	for i := range n.names {
		if i != n.number {
			all.Go(func() { l.find(ctx, i) })
		}
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// leave says why the server is not part of the network.
func (n *Node) leave(why string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.life != nil {
		n.past = n.life.counters()
	}
	n.life, n.why = nil, why
}

// Status describes how a node is doing.
type Status struct {
	Name string `json:"name"`
	// Servers are the names of all.
	Servers []string `json:"servers"`
	// Address and Process are this server's shard, 0 if the host is not part of the network.
	Address string `json:"address,omitempty"`
	Process uint16 `json:"process,omitempty"`
	// Why is the reason if it is not.
	Why string `json:"why,omitempty"`
	// Absent are the servers whose shards are not there.
	Absent []string `json:"absent,omitempty"`

	// Lives counts how often the host has joined the network. Its shard had no keys each time.
	Lives uint64 `json:"-"`
	// UnderWay are transactions that have not ended, Ended those that have, by how (Ends).
	UnderWay int               `json:"-"`
	Ended    map[string]uint64 `json:"-"`
	// Keys are those of the shard, Bytes how long they are with their values.
	Keys   int            `json:"-"`
	Bytes  int            `json:"-"`
	Shard  ShardCounters  `json:"-"`
	Client ClientCounters `json:"-"`
}

// Status returns the status of the node.
func (n *Node) Status() Status {
	n.mu.Lock()
	s := Status{Name: n.c.Name, Servers: n.names, Why: n.why, Lives: n.born, Shard: n.past.Shard, Client: n.past.Client}
	l := n.life
	n.mu.Unlock()
	s.UnderWay, s.Ended = len(n.room), map[string]uint64{}
	for i := range n.ends {
		s.Ended[endNames[i]] = n.ends[i].Load()
	}
	if l == nil {
		s.Absent = n.names
		return s
	}
	l.describe(&s)
	return s
}
