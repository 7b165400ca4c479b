package rsm

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/p4ce/p4ce/host/durable"
	"github.com/p4ce/p4ce/host/replicated"
	"github.com/p4ce/p4ce/systems/paxos"
)

// Config says what a Node runs, and where.
type Config struct {
	// Log is this host's place in the application. The node sets Apply, Turn, CheckpointWanted, State and
	// Transfer.
	// Proposer.Client comes from NextClient.
	Log paxos.Config
	// Machine is what the log replicates. The caller closes it, after the node.
	Machine replicated.StateMachine
	// Client is where this host serves clients: what Leader returns.
	Client string
	// Peers are addresses, HOST:PORT or unix:PATH, at which other hosts give their state
	// (Node.ServeHTTP).
	Peers []string
	// Dial connects to a peer. With nil, peers are not authenticated.
	Dial func(ctx context.Context, peer string) (net.Conn, error)
	// SyncEvery is how often, at least, the node waits for the disk when there is something new; 1 s.
	SyncEvery time.Duration
	// Logger receives what an operator should know; nil discards it.
	Logger *slog.Logger
	// Registry gets the node's metrics; may be nil.
	Registry prometheus.Registerer
}

// Node is a host of a replicated state machine. Its methods may be called by many goroutines.
type Node struct {
	c      Config
	log    *paxos.Log
	opened chan struct{} // closed when log is set
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	slots  chan struct{} // a token for each record under way
	nonce  uint64        // of this life
	known  chan struct{} // closed when the log has this life

	mu      sync.Mutex // guards the fields below
	number  uint32
	waiting map[uint32]*proposal

	once sync.Once
	done chan struct{} // closed when err is set, or by Close
	err  error

	// Used by the log's goroutine only, which alone uses the machine, except for Sync.
	assembler *assembler
	records   uint64 // applied
	entries   []replicated.Entry
	own       []own
	room      []byte // total size of entries
	moved     bool   // the machine does not have everything

	start     time.Time
	disk      durable.Watch // the log's goroutine waits for it
	syncs     durable.Watch // the checkpoints' goroutine waits for it
	stored    atomic.Uint64 // lowest instance that is not in the machine's state
	wanted    atomic.Bool   // the machine should store a state
	ordered   atomic.Bool   // an operator wants a checkpoint
	images    chan chan<- image
	applied   atomic.Uint64
	strange   atomic.Uint64
	fetched   atomic.Uint64
	given     atomic.Uint64
	durable   atomic.Uint64
	streaming atomic.Int32
}

// Records under way: when the pieces of several do not fit into window values, the records wait for
// one another.
const underWay = 8

// How much is applied together.
const (
	togetherRecords = 256
	togetherBytes   = 256 << 10
)

// own is a record in entries that was proposed on this host.
type own struct {
	number uint32
	entry  int
}

// proposal is a record under way.
type proposal struct {
	left   atomic.Int32 // pieces that are not in the log yet
	once   sync.Once
	result chan outcome // signals that the window has room for one
}

type outcome struct {
	result any
	err    error
}

func (p *proposal) end(o outcome) { p.once.Do(func() { p.result <- o }) }

// ErrClosed is returned by calls on a closed node, before anything was proposed.
var ErrClosed = errors.New("paxos state machine: closed")

// ErrRecord is the error for a record that the log does not accept.
var ErrRecord = errors.New("record")

// ErrForgotten ends a node whose host has run before with another data folder.
var ErrForgotten = errors.New("this host has proposed values that its data folder does not know [a host that has lost its disk is another host: give it another name in the deployment]")

// Open starts to take part, from the machine's state on.
func Open(c Config) (*Node, error) {
	if c.Machine == nil {
		return nil, errors.New("paxos state machine: Machine is needed")
	}
	if c.SyncEvery == 0 {
		c.SyncEvery = time.Second
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	n := &Node{
		c: c, opened: make(chan struct{}), done: make(chan struct{}), known: make(chan struct{}), slots: make(chan struct{}, underWay), waiting: map[uint32]*proposal{},
		assembler: newAssembler(), images: make(chan chan<- image, maxStreams), start: time.Now(),
	}
	n.ctx, n.cancel = context.WithCancel(context.Background())
	var nonce [8]byte
	_, _ = rand.Read(nonce[:]) // never fails
	n.nonce = binary.BigEndian.Uint64(nonce[:])
	state, err := c.Machine.Load()
	if err != nil {
		return nil, err
	}
	c.Log.State = nil
	n.stored.Store(1)
	if state != nil {
		if c.Log.State, err = n.restore(state); err != nil {
			return nil, err
		}
		if n.appears(c.Log.State) {
			return nil, n.forgotten()
		}
		// The log counts this as a checkpoint. After a crash of the process it need not be on the
		// disk.
		if err := c.Machine.Sync(); err != nil {
			return nil, err
		}
	}
	n.durable.Store(n.stored.Load())
	c.Log.Apply, c.Log.Turn = n.apply, n.turn
	c.Log.CheckpointWanted = func() { n.ordered.Store(true) }
	if len(c.Peers) > 0 {
		c.Log.Transfer = n
	}
	if c.Registry != nil {
		if err := c.Registry.Register(&collector{n}); err != nil {
			return nil, err
		}
	}
	if n.log, err = paxos.Open(c.Log); err != nil {
		return nil, err
	}
	err = n.log.Go(lifeValue(n.nonce), func(uint64, error) {})
	close(n.opened)
	if err != nil {
		return nil, errors.Join(err, n.log.Close())
	}
	n.wg.Add(1)
	go n.checkpoints()
	return n, nil
}

// Close ends the node. Records under way may be applied elsewhere, or not.
func (n *Node) Close() error {
	n.cancel()
	n.fail(nil)
	err := n.log.Close()
	n.wg.Wait()
	if n.err != nil {
		return n.err
	}
	return err
}

// Done is closed when the node has ended, by itself or by Close.
func (n *Node) Done() <-chan struct{} { return n.done }

// Err returns the error by which the node ended by itself. It is valid once Done is closed.
func (n *Node) Err() error { return n.err }

// fail ends the node. Records under way may be applied by others, or not.
func (n *Node) fail(err error) {
	n.once.Do(func() {
		n.err = err
		close(n.done)
		n.mu.Lock()
		defer n.mu.Unlock()
		for _, p := range n.waiting {
			p.end(outcome{err: replicated.ErrUnknownOutcome})
		}
		n.waiting = nil
	})
}

func (n *Node) ended() bool {
	select {
	case <-n.done:
		return true
	default:
		return false
	}
}

// Health reports what prevents the host from doing its work, or nil.
func (n *Node) Health() error {
	if n.ended() {
		return cmp.Or(n.err, ErrClosed)
	}
	if err := n.disk.Stalled(time.Since(n.start), durable.Patience); err != nil {
		return err
	}
	// While the process runs, memory is enough for its work.
	if err := n.syncs.Stalled(time.Since(n.start), durable.Patience); err != nil {
		return fmt.Errorf("%w: decided records are in memory only", err)
	}
	if n.log.Status().Behind {
		return errors.New("this host lacks instances that the switches have forgotten, and waits for the state of another host")
	}
	return nil
}

// Leader returns where this host serves clients: any host will do.
func (n *Node) Leader() (string, bool) { return n.c.Client, true }

// Propose returns what the machine's Apply returned here for the record, when it is decided and
// applied. Then this host has all records, of any host, that had been answered before the call.
// Errors are ErrRecord and ErrClosed (not proposed), those of the context (it may still be
// applied), and replicated.ErrUnknownOutcome.
func (n *Node) Propose(ctx context.Context, record []byte) (any, error) {
	if len(record) > MaxRecord {
		return nil, fmt.Errorf("%w of %d bytes (this log takes up to %d)", ErrRecord, len(record), MaxRecord)
	}
	// Before the log has this life, an earlier one may have used its numbers, and this life's values would be
	// taken for those.
	select {
	case <-n.known:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-n.done:
		return nil, ErrClosed
	}
	// A record keeps its place until all of it is in the log, however long that takes: a part of it
	// would otherwise stay in the state of every host.
	select {
	case n.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-n.done:
		return nil, ErrClosed
	}
	p := &proposal{result: make(chan outcome, 1)}
	n.mu.Lock()
	if n.waiting == nil {
		n.mu.Unlock()
		return nil, ErrClosed
	}
	n.number++
	number := n.number
	n.waiting[number] = p
	n.mu.Unlock()
	n.submit(p, number, pieces(number, record))
	select {
	case o := <-p.result:
		return o.result, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// submit passes a record's pieces to the log.
func (n *Node) submit(p *proposal, number uint32, values [][]byte) {
	p.left.Store(int32(len(values)))
	done := func(instance uint64, err error) {
		switch {
		case err != nil:
			n.resolve(number, outcome{err: replicated.ErrUnknownOutcome})
		case p.left.Add(-1) == 0:
			if instance == 0 { // it is in a state that was fetched
				n.resolve(number, outcome{err: replicated.ErrUnknownOutcome})
			}
			<-n.slots
		}
	}
	if len(values) == 1 && n.log.Go(values[0], done) == nil {
		return
	}
	n.wg.Add(1)
	go func() {
		defer n.wg.Done()
		if _, err := n.log.GoAll(n.ctx, values, done); err != nil {
			n.resolve(number, outcome{err: replicated.ErrUnknownOutcome}) // the node is ending
		}
	}()
}

func (n *Node) resolve(number uint32, o outcome) {
	n.mu.Lock()
	p := n.waiting[number]
	delete(n.waiting, number)
	n.mu.Unlock()
	if p != nil {
		p.end(o)
	}
}

// apply processes a value of the log.
func (n *Node) apply(e paxos.Entry) {
	<-n.opened
	if n.ended() || n.strangeLife(&e) {
		return
	}
	n.moved = true
	number, record, ok := n.assembler.add(e.Client, e.Value)
	if !ok {
		n.strange.Store(n.assembler.strange)
		return
	}
	from := len(n.room)
	n.room = append(n.room, record...)
	n.entries = append(n.entries, replicated.Entry{Index: n.records, Record: n.room[from:len(n.room):len(n.room)]})
	n.records++
	if e.Client == n.c.Log.Proposer.Client {
		n.own = append(n.own, own{number, len(n.entries) - 1})
	}
	if len(n.entries) >= togetherRecords || len(n.room) >= togetherBytes {
		n.flush()
	}
}

// strangeLife ends the node if a value is of its host, and of a life that its data folder does not know: a
// later one, or one with the same id. Values of this life would be mistaken for those of that one, and what
// the host has reported of its checkpoints would not hold.
func (n *Node) strangeLife(e *paxos.Entry) bool {
	self := n.c.Log.Proposer.Client
	if e.Client>>16 != self>>16 || e.Client < self {
		return false
	}
	if e.Client == self && n.isKnown() {
		return false
	}
	if e.Client == self && bytes.Equal(e.Value, lifeValue(n.nonce)) {
		close(n.known)
		return false
	}
	n.fail(n.forgotten())
	return true
}

// appears reports whether a state has values of the host that its data folder does not know. If it has the first value of
// this life, then the log has this life.
func (n *Node) appears(state []byte) bool {
	self := n.c.Log.Proposer.Client
	client, _ := paxos.StateClient(state, self>>16)
	if client < self || n.isKnown() && client == self {
		return false
	}
	if nonce, ok := n.assembler.lives[self]; client == self && ok && nonce == n.nonce {
		close(n.known)
		return false
	}
	return true
}

func (n *Node) forgotten() error {
	return fmt.Errorf("%w (host %d)", ErrForgotten, n.c.Log.Proposer.Client>>16)
}

func (n *Node) isKnown() bool {
	select {
	case <-n.known:
		return true
	default:
		return false
	}
}

// turn lets the machine apply what has arrived.
func (n *Node) turn() {
	<-n.opened
	if len(n.entries) > 0 || n.moved && n.wanted.Load() {
		n.flush()
	}
	select {
	case ask := <-n.images:
		ask <- n.snapshot()
	default:
	}
}

// flush lets the machine apply entries, and stores the state after them.
func (n *Node) flush() {
	if n.ended() {
		return
	}
	n.wanted.Store(false)
	state, at := n.state()
	n.disk.Begin(time.Since(n.start))
	results, err := n.c.Machine.Apply(n.entries, state)
	n.disk.End()
	if err != nil {
		n.fail(err)
		return
	}
	for _, o := range n.own {
		n.resolve(o.number, outcome{result: results[o.entry]})
	}
	n.applied.Store(n.records)
	n.stored.Store(at)
	clear(n.entries)
	n.entries, n.own, n.moved = n.entries[:0], n.own[:0], false
	if n.room = n.room[:0]; cap(n.room) > 4*togetherBytes {
		n.room = nil
	}
}

// What the machine stores: a version, how many records were applied, the length of the log's
// state, that, and the assembler's. Version 1 is read, too.
const (
	stateVersion = 2
	stateHead    = 1 + 8 + 4
)

// state returns what the machine must store, and the lowest instance that is not in it.
func (n *Node) state() ([]byte, uint64) {
	l := n.log.State()
	at, _ := paxos.StatePosition(l)
	b := binary.BigEndian.AppendUint64([]byte{stateVersion}, n.records)
	b = binary.BigEndian.AppendUint32(b, uint32(len(l)))
	return n.assembler.append(append(b, l...)), at
}

// restore continues from what the machine has stored, and returns the log's part of it.
func (n *Node) restore(b []byte) ([]byte, error) {
	if len(b) < stateHead || b[0] < 1 || b[0] > stateVersion {
		return nil, fmt.Errorf("%w (does the state belong to another log, or to a newer version?)", errState)
	}
	version, records, size := b[0], binary.BigEndian.Uint64(b[1:]), binary.BigEndian.Uint32(b[9:])
	if b = b[stateHead:]; uint64(size) > uint64(len(b)) {
		return nil, errState
	}
	a, err := parseAssembler(version, b[size:])
	if err != nil {
		return nil, err
	}
	at, err := paxos.StatePosition(b[:size])
	if err != nil {
		return nil, err
	}
	n.assembler, n.records, n.moved = a, records, false
	n.applied.Store(records)
	n.stored.Store(at)
	return b[:size], nil
}

// A checkpoint is made after this many instances (switches have room for 8,192 or more, unless they were given
// less), when there is anything new after SyncEvery, and when an operator wants one.
const (
	checkpointLook  = 5 * time.Millisecond
	checkpointAfter = 1024
)

// checkpoints lets the machine wait for the disk, and tells the log.
func (n *Node) checkpoints() {
	defer n.wg.Done()
	t := time.NewTicker(checkpointLook)
	defer t.Stop()
	last := time.Now()
	upTo := uint64(0) // the checkpoint that an operator wants
	for {
		select {
		case <-n.done:
			return
		case <-t.C:
		}
		at := n.log.Status().Position
		if n.ordered.Swap(false) {
			upTo = at
		}
		if durable := n.durable.Load(); at == durable || at-durable < checkpointAfter && durable >= upTo && time.Since(last) < n.c.SyncEvery {
			continue
		}
		n.wanted.Store(true) // if what has arrived is not applied as it is: gaps, and parts of records
		stored := n.stored.Load()
		if stored <= n.durable.Load() {
			continue
		}
		n.syncs.Begin(time.Since(n.start))
		err := n.c.Machine.Sync()
		n.syncs.End()
		if err != nil {
			n.fail(err)
			return
		}
		n.log.Checkpoint(stored)
		n.durable.Store(stored)
		last = time.Now()
	}
}

// Addr returns the address at which switches reach this host.
func (n *Node) Addr() netip.AddrPort { return n.log.Addr() }

// Status describes how a node is doing.
type Status struct {
	paxos.Status
	Applied uint64 // records, since there is a log
	Durable uint64 // lowest instance that is not on this host's disk
	Fetched uint64 // states of other hosts that were taken
	Given   uint64 // states that were given to other hosts
	Strange uint64 // values that were neither a record nor a part of one
}

// Status returns the status of the node.
func (n *Node) Status() Status {
	return Status{
		Status: n.log.Status(), Applied: n.applied.Load(), Durable: n.durable.Load(), Fetched: n.fetched.Load(), Given: n.given.Load(), Strange: n.strange.Load(),
	}
}
