// Package fabric runs transactions (package txn) on networks of 1Pipe in simulated time.
//
//	Begin ── txn.Client ── process ══▶ systems/onepipe/fabric ══▶ process ── txn.Shard
//	Done  <──────┘                                                    └── answer
//
// Each host has some processes that are shards, and behind them some that are clients. A shard's process receives both
// services in one order.
package fabric

import (
	"errors"
	"fmt"

	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/onepipe"
	onepipefabric "github.com/p4ce/p4ce/systems/onepipe/fabric"
	"github.com/p4ce/p4ce/systems/onepipe/txn"
)

// Cluster is the shards and the clients of a network, which it drives.
type Cluster struct {
	*onepipefabric.Network
	// Done is told how a client's transaction has ended.
	Done func(client int, o txn.Outcome)

	shards   int // of each host
	each     int // processes of each host
	nodes    map[onepipe.Process]*node
	all      []*node // by number: host by host
	admitted int
	clients  []*node
}

// node is a process.
type node struct {
	c       *Cluster
	h       *fabric.Host
	proc    *onepipe.LocalProcess
	shard   *txn.Shard
	client  *txn.Client
	number  int            // of the shard, or of the client
	answers []onepipe.Part // that are to be sent
	due     bool           // it sends in an event of this moment
}

// retry is the pause before a scattering is sent for which there was no room.
const retry = fabric.Microsecond

// New makes the processes of a network that has no driver yet. Of its settings.Processes of each host the first are shards.
func New(n *onepipefabric.Network, shards int) (*Cluster, error) {
	c := &Cluster{Network: n, shards: shards, each: n.Set.Processes, nodes: map[onepipe.Process]*node{}}
	if shards < 1 || shards >= c.each {
		return nil, fmt.Errorf("%d shards of %d processes of each host: want at least one, and a client", shards, c.each)
	}
	n.Driver, n.Ordered = c, func(p *onepipe.LocalProcess) bool {
		x := c.nodes[p.Process()]
		return x != nil && x.shard != nil
	}
	return c, nil
}

// Clients is how many there are.
func (c *Cluster) Clients() int { return len(c.Hosts) * (c.each - c.shards) }

// Shards is how many there are.
func (c *Cluster) Shards() int { return len(c.Hosts) * c.shards }

// Ready reports whether all processes may send.
func (c *Cluster) Ready() bool { return c.admitted == len(c.Hosts)*c.each }

// Shard is one of them.
func (c *Cluster) Shard(n int) *txn.Shard {
	return c.all[n/c.shards*c.each+n%c.shards].shard
}

// Client is one of them, when all are ready.
func (c *Cluster) Client(n int) *txn.Client { return c.clients[n].client }

// HostOf is where a client is.
func (c *Cluster) HostOf(client int) *fabric.Host { return c.clients[client].h }

// Begin has a client begin a transaction, when all are ready.
func (c *Cluster) Begin(client int, ops ...txn.Op) (number uint64, err error) {
	x := c.clients[client]
	if number, err = x.client.Begin(ops...); err == nil {
		x.later(0)
	}
	return number, err
}

// Admitted implements onepipefabric.Driver.
func (c *Cluster) Admitted(h *fabric.Host, list []*onepipe.LocalProcess) {
	if c.all == nil {
		c.all = make([]*node, len(c.Hosts)*c.each)
	}
	for i, p := range list {
		at := h.Number() - 1
		x := &node{c: c, h: h, proc: p}
		if i < c.shards {
			x.number = at*c.shards + i
			x.shard = txn.NewShard(x.number, c.Shards())
		} else {
			x.number = at*(c.each-c.shards) + i - c.shards
		}
		c.all[at*c.each+i], c.nodes[p.Process()] = x, x
	}
	if c.admitted += len(list); !c.Ready() {
		return
	}
	var shards []onepipe.Process
	for _, x := range c.all {
		if x.shard != nil {
			shards = append(shards, x.proc.Process())
		}
	}
	for _, x := range c.all {
		if x.shard == nil {
			x.client = txn.NewClient(shards)
			c.clients = append(c.clients, x)
		}
	}
}

// Received implements onepipefabric.Driver.
func (c *Cluster) Received(p *onepipe.LocalProcess, reliable bool, m *onepipe.Message) {
	x := c.nodes[p.Process()]
	if x.client != nil {
		x.client.Receive(m)
	} else if a, ok := x.shard.Execute(m, reliable); ok {
		x.answers = append(x.answers, a)
	}
	x.later(0)
}

// Lost implements onepipefabric.Driver.
func (c *Cluster) Lost(p *onepipe.LocalProcess, f *onepipe.Failure) {
	x := c.nodes[p.Process()]
	if x.client != nil {
		x.client.Lost(f)
	} else if a, ok := x.shard.Lost(f); ok {
		x.answers = append(x.answers, a)
	}
	x.later(0)
}

// ProcessFailed implements onepipefabric.Watcher.
func (c *Cluster) ProcessFailed(h *fabric.Host, f onepipe.ProcessFailure) {
	c.At(c.Now(), func() { // when its losses are known
		for _, x := range c.clients {
			if x.h == h {
				x.client.Failed(f.Process)
				x.flush()
			}
		}
	})
}

// later has a process send in an event of its own: an endpoint that is asked for its next packet takes no messages.
func (x *node) later(pause fabric.Time) {
	if !x.due {
		x.due = true
		x.c.At(x.c.Now()+pause, x.flush)
	}
}

// flush sends what is to be sent, and tells what has ended.
func (x *node) flush() {
	x.due = false
	for len(x.answers) > 0 {
		switch err := x.c.Send(x.h, x.proc, false, x.answers[0]); {
		case errors.Is(err, onepipe.ErrFull):
			x.later(retry)
			return
		case err != nil && !errors.Is(err, onepipe.ErrFailed): // a client that has failed needs no answer
			x.c.Fail(fmt.Errorf("shard %d: %w", x.number, err))
			return
		}
		x.answers = x.answers[1:]
	}
	if x.client == nil {
		return
	}
	for parts, reliable, ok := x.client.Next(); ok; parts, reliable, ok = x.client.Next() {
		err := x.c.Send(x.h, x.proc, reliable, parts...)
		if errors.Is(err, onepipe.ErrFull) {
			x.later(retry)
			break
		}
		x.client.Sent(err)
	}
	for o, ok := x.client.Done(); ok; o, ok = x.client.Done() {
		x.c.Done(x.number, o)
	}
}

var _ interface {
	onepipefabric.Driver
	onepipefabric.Watcher
} = (*Cluster)(nil)
