package rsm

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

	"github.com/p4ce/p4ce/host/durable"
	"github.com/p4ce/p4ce/host/replicated"
	"github.com/p4ce/p4ce/systems/onepipe"
)

// Config says what a Node runs, and where.
type Config struct {
	// Name is this server's name. Servers are the servers of the store, this one among them: the address at which
	// each gives its state, HOST:PORT or unix:PATH, by its name.
	Name    string
	Servers map[string]string
	// Open opens the host, with one process. The node closes it. It is called again when the controller
	// has declared the host failed.
	Open func(onepipe.Events) (*onepipe.Host, error)
	// Machine is what the log replicates. The caller closes it, after the node.
	Machine replicated.StateMachine
	// Client is where this server serves clients: what Leader returns.
	Client string
	// Dial connects to a peer. With nil, peers are not authenticated.
	Dial func(ctx context.Context, peer string) (net.Conn, error)
	// SyncEvery is how often, at least, the node waits for the disk when there is something new; 1 s.
	SyncEvery time.Duration
	// Fsync has a record answered only when it is on this server's disk.
	Fsync bool
	// Begin lets this server begin with the state that it has, without waiting for the others. Records that only they
	// have are lost.
	Begin bool
	// Logger receives what an operator should know; nil discards it.
	Logger *slog.Logger
	// Registry gets the node's metrics; may be nil.
	Registry prometheus.Registerer
}

// Node is a server of a replicated state machine. Its methods may be called by many goroutines.
type Node struct {
	c      Config
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	peers  []string // names of the others

	mu     sync.Mutex // guards the fields below
	group  *group     // nil: the host is not open
	rest   state      // of the machine, when there is no group
	wake   chan struct{}
	awaits string // why the group does not serve; empty: it does

	once sync.Once
	done chan struct{} // closed when err is set, or by Close
	err  error

	// Used by the goroutine that applies.
	entries []replicated.Entry
	own     []own
	first   uint64 // number of records in front of entries
	unsaved bool

	start     time.Time
	disk      durable.Watch // the goroutine that applies waits for it
	syncs     durable.Watch // the one that syncs does
	dirty     atomic.Bool   // there is something that Sync is to put on the disk
	fetched   atomic.Uint64
	streaming atomic.Int32
}

// own is a message of this server in entries.
type own struct {
	batch *batch
	at    int
}

// image is a consistent image of this server's machine, or the reason why there is none.
type image struct {
	replicated.Image
	err error
}

// ErrClosed is returned by calls on a closed node, before anything was proposed.
var ErrClosed = errors.New("1Pipe state machine: closed")

// ErrRecord is the error for a record that the log does not accept.
var ErrRecord = errors.New("record")

// errMissed ends a life of a server that has not received a message that takes effect.
var errMissed = errors.New("a message of a later view: this server has missed one")

// Open starts to take part, from the machine's state on.
func Open(c Config) (*Node, error) {
	switch {
	case c.Machine == nil || c.Open == nil:
		return nil, errors.New("1Pipe state machine: Machine and Open are needed")
	case c.Servers[c.Name] == "":
		return nil, fmt.Errorf("1Pipe state machine: server %q is not among the servers", c.Name)
	}
	for name := range c.Servers {
		if name == "" || len(name) > maxName {
			return nil, fmt.Errorf("1Pipe state machine: a server's name has %d bytes: want 1 to %d", len(name), maxName)
		}
	}
	c.SyncEvery = cmp.Or(c.SyncEvery, time.Second)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	n := &Node{c: c, wake: make(chan struct{}, 1), done: make(chan struct{}), start: time.Now(), awaits: "has just started"}
	for name := range c.Servers {
		if name != c.Name {
			n.peers = append(n.peers, name)
		}
	}
	slices.Sort(n.peers)
	n.ctx, n.cancel = context.WithCancel(context.Background())
	var err error
	if n.rest, err = n.load(); err != nil {
		return nil, err
	}
	if c.Registry != nil {
		if err := c.Registry.Register(&collector{n}); err != nil {
			return nil, err
		}
	}
	n.wg.Go(n.lives)
	n.wg.Go(n.sync)
	return n, nil
}

// load reads the state that the machine keeps. A new machine has that of view 0, which all servers are in.
func (n *Node) load() (st state, err error) {
	b, err := n.c.Machine.Load()
	if err == nil && b != nil {
		return parseState(b)
	}
	for name := range n.c.Servers {
		st.Members = append(st.Members, Member{Name: name})
	}
	return st, err
}

// Close ends the node. Records under way may be applied elsewhere, or not.
func (n *Node) Close() error {
	n.cancel()
	n.fail(nil)
	n.wg.Wait()
	return n.err
}

// Done is closed when the node has ended, by itself or by Close.
func (n *Node) Done() <-chan struct{} { return n.done }

// Err returns the error by which the node ended by itself. It is valid once Done is closed.
func (n *Node) Err() error { return n.err }

// fail ends the node.
func (n *Node) fail(err error) {
	n.once.Do(func() {
		n.err = err
		close(n.done)
		n.cancel()
	})
}

// Health reports what prevents the server from doing its work, or nil.
func (n *Node) Health() error {
	select {
	case <-n.done:
		return cmp.Or(n.err, ErrClosed)
	default:
	}
	now := time.Since(n.start)
	if err := n.disk.Stalled(now, durable.Patience); err != nil {
		return err
	}
	if err := n.syncs.Stalled(now, durable.Patience); err != nil {
		return fmt.Errorf("%w: decided records are in memory only", err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.awaits != "" {
		return &replicated.UnavailableError{Why: n.awaits}
	}
	return nil
}

// Leader returns where this server serves clients: any server will do.
func (n *Node) Leader() (string, bool) { return n.c.Client, true }

// Propose returns what the machine's Apply returned here for the record, when it is decided and applied. Errors are
// ErrRecord, ErrClosed and a *replicated.UnavailableError (not proposed), those of the context (it may still be applied),
// and replicated.ErrUnknownOutcome.
func (n *Node) Propose(ctx context.Context, record []byte) (any, error) {
	if len(record) > MaxRecord {
		return nil, fmt.Errorf("%w of %d bytes (this log takes up to %d)", ErrRecord, len(record), MaxRecord)
	}
	select {
	case <-n.done:
		return nil, ErrClosed
	default:
	}
	p := &proposal{record: record, result: make(chan outcome, 1)}
	n.mu.Lock()
	if n.awaits != "" || !n.group.serving {
		why := cmp.Or(n.awaits, "has been removed from the members")
		n.mu.Unlock()
		return nil, &replicated.UnavailableError{Why: why}
	}
	n.group.propose(p)
	n.mu.Unlock()
	n.wakeUp()
	select {
	case o := <-p.result:
		return o.result, o.err
	case <-ctx.Done():
		n.mu.Lock()
		p.gone = true
		n.mu.Unlock()
		return nil, ctx.Err()
	}
}

// wakeUp lets the sender look.
func (n *Node) wakeUp() {
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

// lives runs the server until it ends: from each opening of its host to the next.
func (n *Node) lives() {
	for {
		err := n.live()
		if n.ctx.Err() != nil {
			return
		}
		if !errors.Is(err, onepipe.ErrExpelled) && !errors.Is(err, errMissed) {
			n.fail(err)
			return
		}
		n.c.Logger.Warn("this server takes part no longer, and joins again", "why", err)
		select {
		case <-time.After(lookAgain):
		case <-n.ctx.Done():
			return
		}
	}
}

// live is one life of the host.
func (n *Node) live() (err error) {
	n.wait("waits for the controller to admit the host")
	ctx, end := context.WithCancelCause(n.ctx)
	defer end(nil)
	host, err := n.c.Open(onepipe.Events{
		Lost:   func(_ onepipe.Process, f onepipe.Failure) { n.with(func(g *group) { g.lost(f.Data) }) },
		Failed: func(f onepipe.ProcessFailure) { n.with(func(g *group) { g.failed(f.Process) }) },
	})
	if err != nil {
		return err
	}
	in := newInbox()
	var all sync.WaitGroup
	defer func() {
		end(err)
		err = errors.Join(err, ignoreClosed(host.Close()))
		in.end()
		all.Wait()
		n.give(nil)
		for _, o := range n.own { // applied, or not
			for _, p := range o.batch.proposals {
				p.result <- outcome{err: replicated.ErrUnknownOutcome}
			}
		}
		n.entries, n.own, n.unsaved = nil, nil, false
	}()
	procs, err := host.Wait(ctx)
	if err != nil {
		return err
	}
	proc := procs[0]
	st, err := n.load()
	if err != nil {
		return err
	}
	n.give(newGroup(Member{n.c.Name, proc.Process()}, st))
	all.Go(func() {
		for {
			m, err := proc.ReceiveReliable(ctx)
			if err != nil {
				end(err)
				in.end()
				return
			}
			in.put(m)
		}
	})
	if err := n.enter(ctx); err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	all.Go(func() {
		if err := n.send(ctx, proc); err != nil {
			end(err)
			in.end()
		}
	})
	if err := n.apply(in); err != nil {
		return err
	}
	return context.Cause(ctx)
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// with calls fn with the group, if there is one, and lets the sender look.
func (n *Node) with(fn func(*group)) {
	n.mu.Lock()
	if n.group != nil {
		fn(n.group)
	}
	n.mu.Unlock()
	n.wakeUp()
}

// give sets the group. Proposals of the last one have an unknown outcome.
func (n *Node) give(g *group) {
	n.mu.Lock()
	old := n.group
	n.group = g
	if old != nil {
		n.rest = old.state
	}
	if g == nil {
		n.awaits = "has left the network"
	}
	n.mu.Unlock()
	if old != nil {
		for _, p := range old.end() {
			p.result <- outcome{err: replicated.ErrUnknownOutcome}
		}
	}
}

// wait says why this server does not serve.
func (n *Node) wait(why string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.awaits != why && why != "has just started" {
		n.c.Logger.Info("this server does not serve", "it", why)
	}
	n.awaits = why
}

// serve says that it does.
func (n *Node) serve() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.awaits = ""
	n.c.Logger.Info("this server serves", "view", n.group.View, "members", names(n.group.Members), "records", n.group.Records)
}

func names(list []Member) string {
	var out []string
	for _, m := range list {
		out = append(out, m.Name)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// send sends messages until ctx ends.
func (n *Node) send(ctx context.Context, proc *onepipe.Proc) error {
	for {
		n.mu.Lock()
		to, data, ok := n.group.next()
		number := n.group.number
		n.mu.Unlock()
		if !ok {
			select {
			case <-n.wake:
				continue
			case <-ctx.Done():
				return nil
			}
		}
		parts := make([]onepipe.Part, len(to))
		for i, p := range to {
			parts[i] = onepipe.Part{To: p, Data: data}
		}
		err := proc.SendReliable(ctx, parts...)
		switch {
		case err == nil:
			continue
		case errors.Is(err, onepipe.ErrFailed): // the host knows before this server does, which will be woken up
		case errors.Is(err, onepipe.ErrClock):
			n.c.Logger.Warn("this server sends nothing", "why", err)
			time.AfterFunc(clockAgain, n.wakeUp)
		default:
			return err
		}
		n.mu.Lock()
		n.group.resend(number)
		n.mu.Unlock()
		select {
		case <-n.wake:
		case <-ctx.Done():
			return nil
		}
	}
}

// clockAgain is the pause of a server whose clock is too far ahead.
const clockAgain = 100 * time.Millisecond

// How much is applied together.
const (
	togetherRecords = 256
	togetherBytes   = 256 << 10
)

// apply applies what is delivered, until the inbox ends.
func (n *Node) apply(in *inbox) error {
	n.first = n.records()
	for {
		list := in.take()
		if len(list) == 0 {
			return nil
		}
		size := 0
		for i := range list {
			m := &list[i]
			if err := n.applyOne(m); err != nil {
				return err
			}
			if size += len(m.Data); size >= togetherBytes || len(n.entries) >= togetherRecords {
				size = 0
				if err := n.flush(); err != nil {
					return err
				}
			}
		}
		if err := n.flush(); err != nil {
			return err
		}
	}
}

func (n *Node) records() uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.group.Records
}

// applyOne lets a delivered message take effect.
func (n *Node) applyOne(m *onepipe.Message) error {
	n.mu.Lock()
	before := n.group.View
	e := n.group.delivered(m)
	view, members := n.group.View, names(n.group.Members)
	n.mu.Unlock()
	n.wakeUp()
	if e.broken {
		return errMissed
	}
	at := len(n.entries)
	for i, r := range e.records {
		n.entries = append(n.entries, replicated.Entry{Index: n.first + uint64(at+i), Record: r})
	}
	if e.own != nil && e.own.kind == records {
		n.own = append(n.own, own{e.own, at})
	}
	n.unsaved = n.unsaved || e.records != nil || e.view
	if e.view {
		// Nobody is answered in a view that this server's disk does not know.
		if err := n.flushSynced(); err != nil {
			return err
		}
		n.c.Logger.Info("the members have changed", "view", view, "before", before, "members", members)
	}
	if e.out {
		return onepipe.ErrExpelled
	}
	if e.own != nil && e.own.added != nil {
		if err := n.flushSynced(); err != nil {
			return err
		}
		i, err := n.c.Machine.Snapshot()
		e.own.added <- image{i, err}
	}
	return nil
}

// flush lets the machine apply entries, and stores the state after them.
func (n *Node) flush() error {
	if !n.unsaved {
		return nil
	}
	n.mu.Lock()
	state := n.group.state.append(nil)
	n.mu.Unlock()
	n.disk.Begin(time.Since(n.start))
	results, err := n.c.Machine.Apply(n.entries, state)
	if err == nil && n.c.Fsync && len(n.own) > 0 {
		err = n.c.Machine.Sync()
	}
	n.disk.End()
	if err != nil {
		return err
	}
	n.dirty.Store(true)
	for _, o := range n.own {
		for i, p := range o.batch.proposals {
			p.result <- outcome{result: results[o.at+i]}
		}
	}
	n.first += uint64(len(n.entries))
	clear(n.entries)
	n.entries, n.own, n.unsaved = n.entries[:0], n.own[:0], false
	return nil
}

// flushSynced is flush, and waits for the disk.
func (n *Node) flushSynced() error {
	if err := n.flush(); err != nil {
		return err
	}
	n.disk.Begin(time.Since(n.start))
	defer n.disk.End()
	return n.c.Machine.Sync()
}

// sync puts what was applied on the disk from time to time.
func (n *Node) sync() {
	t := time.NewTicker(n.c.SyncEvery)
	defer t.Stop()
	for {
		select {
		case <-n.ctx.Done():
			return
		case <-t.C:
		}
		if !n.dirty.Swap(false) {
			continue
		}
		n.syncs.Begin(time.Since(n.start))
		err := n.c.Machine.Sync()
		n.syncs.End()
		if err != nil {
			n.fail(err)
			return
		}
	}
}

// Status describes how a node is doing.
type Status struct {
	Name    string `json:"name"`
	Serving bool   `json:"serving"`
	View    uint64 `json:"view"`
	Records uint64 `json:"records"`
	// Members are the names of the servers of the view.
	Members []string `json:"members"`
	// Refused counts messages that were delivered in a later view than that in which they were sent, Resent those of
	// this server that were sent again, Strange those that are none of the log, and Fetched states that were taken.
	Refused uint64 `json:"-"`
	Resent  uint64 `json:"-"`
	Strange uint64 `json:"-"`
	Fetched uint64 `json:"-"`
}

// Status returns the status of the node.
func (n *Node) Status() Status {
	n.mu.Lock()
	defer n.mu.Unlock()
	s := Status{Name: n.c.Name, Fetched: n.fetched.Load()}
	st := n.rest
	if g := n.group; g != nil {
		st, s.Serving = g.state, g.serving && n.awaits == ""
		s.Refused, s.Resent, s.Strange = g.refused, g.again, g.strange
	}
	s.View, s.Records = st.View, st.Records
	for _, m := range st.Members {
		s.Members = append(s.Members, m.Name)
	}
	slices.Sort(s.Members)
	return s
}
