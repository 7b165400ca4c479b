package soft

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/p4ce/p4ce/internal/quorum"
	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/udp"
)

// ClusterConfig has the addresses of a cluster: IPv4, with port 0 for any port.
type ClusterConfig struct {
	Leaders    []netip.AddrPort // the first one leads; the others can lead (Lead)
	Acceptors  []netip.AddrPort
	Learner    netip.AddrPort
	Controller netip.AddrPort
	Ring       int // instances under way; default Ring
	// Serve starts a role by its name (NewRole) at an address; nil: in this process.
	Serve  func(role string, at netip.AddrPort, ring int) (Seat, error)
	Resend time.Duration // of the coordinator's questions; 20 ms
}

// Cluster is the roles of one application as servers, with a controller in this process that takes
// over, closes gaps and trims. It does for the software roles what the controller of switches does,
// but without a journal: when a cluster ends, its rounds end, too.
//
// Each of its leaders has an address of its own. Proposers send to the one that leads (Leader).
type Cluster struct {
	Leaders   []Seat
	Acceptors []Seat
	Learner   Seat

	conn   *udp.Conn
	begin  time.Time
	done   chan struct{}
	config ClusterConfig

	mu       sync.Mutex // guards the fields below
	round    uint32
	leads    int
	coord    *paxos.Coordinator
	gap      *paxos.Coordinator
	began    chan struct{} // closed when the coordinator is done
	replicas []netip.AddrPort
	first    uint32
	reports  map[netip.AddrPort]uint32 // the instance of each replica's checkpoint
	stats    ClusterStats
	out      []udp.Packet
	data     []byte
}

// ClusterStats has counters since the start.
type ClusterStats struct {
	Takeovers, Gaps, Trims, Silent uint64
	Round, First                   uint32
}

// StartCluster starts the roles, and lets the first leader take over.
func StartCluster(config ClusterConfig) (*Cluster, error) {
	config.Ring = cmp.Or(config.Ring, Ring)
	config.Resend = cmp.Or(config.Resend, 20*time.Millisecond)
	if len(config.Leaders) == 0 || len(config.Acceptors) == 0 || len(config.Acceptors) > 64 {
		return nil, fmt.Errorf("paxos cluster: %d leaders, %d acceptors", len(config.Leaders), len(config.Acceptors))
	}
	c := &Cluster{
		begin: time.Now(), done: make(chan struct{}), config: config, first: 1, reports: map[netip.AddrPort]uint32{}, began: make(chan struct{}),
	}
	var err error
	if c.conn, err = udp.Listen(config.Controller, paxos.MaxMessage+1); err != nil {
		return nil, err
	}
	fail := func(err error) (*Cluster, error) {
		close(c.done)
		return nil, errors.Join(err, c.Close())
	}
	serve := config.Serve
	if serve == nil {
		serve = func(name string, at netip.AddrPort, ring int) (Seat, error) {
			role, err := NewRole(name, ring)
			if err != nil {
				return nil, err
			}
			return Serve(at, role)
		}
	}
	learner, err := serve("learner", config.Learner, config.Ring)
	if err != nil {
		return fail(err)
	}
	c.Learner = learner
	if err := learner.Order(Order{Do: GiveRole, First: c.first, Last: c.last()}); err != nil {
		return fail(err)
	}
	for i, at := range config.Acceptors {
		s, err := serve("acceptor", at, config.Ring)
		if err != nil {
			return fail(err)
		}
		c.Acceptors = append(c.Acceptors, s)
		err = s.Order(Order{Do: GiveRole, Index: uint8(i), At: []netip.AddrPort{learner.Addr()}, First: c.first, Last: c.last()})
		if err != nil {
			return fail(err)
		}
	}
	for _, at := range config.Leaders {
		s, err := serve("leader", at, config.Ring)
		if err != nil {
			return fail(err)
		}
		c.Leaders = append(c.Leaders, s)
	}
	go c.run()
	c.Lead(0)
	return c, nil
}

// Close ends the cluster.
func (c *Cluster) Close() error {
	err := c.conn.Close()
	<-c.done
	for _, s := range slices.Concat(c.Leaders, c.Acceptors, []Seat{c.Learner}) {
		if s != nil {
			err = errors.Join(err, s.Close())
		}
	}
	return err
}

// Addr returns the controller's address.
func (c *Cluster) Addr() netip.AddrPort { return c.conn.Addr() }

// Leading returns the round in which requests get instances. It returns 0 while a leader takes over.
func (c *Cluster) Leading() uint32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.coord != nil {
		return 0
	}
	return c.round
}

// Stats returns the counters.
func (c *Cluster) Stats() ClusterStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Round, s.First = c.round, c.first
	return s
}

// Replicas sets the replicas that get chosen values. More than half of them must have a checkpoint
// before the cluster trims.
func (c *Cluster) Replicas(at []netip.AddrPort) {
	c.mu.Lock()
	c.replicas = slices.Clone(at)
	clear(c.reports)
	c.mu.Unlock()
	c.order(c.Learner, Order{Do: TellReplicas, At: slices.Clone(at)})
}

// order gives a role an order. A role that is gone does nothing any more.
func (c *Cluster) order(s Seat, o Order) { _ = s.Order(o) }

func (c *Cluster) last() uint32       { return c.first + uint32(c.config.Ring) - 1 }
func (c *Cluster) now() time.Duration { return time.Since(c.begin) }

func (c *Cluster) all() (a paxos.Acceptors) {
	for i := range c.Acceptors {
		a = a.With(i)
	}
	return a
}

// newRound gives a round to the controller and to a leader. mu is held.
func (c *Cluster) newRound() uint32 {
	c.round++
	round, leader, me := c.round, c.Leaders[c.leads].Addr(), c.Addr()
	var addrs []netip.AddrPort
	for _, a := range c.Acceptors {
		c.order(a, Order{Do: OwnRound, Round: round, At: []netip.AddrPort{leader, me}})
		addrs = append(addrs, a.Addr())
	}
	c.order(c.Learner, Order{Do: ConfigureFor, Round: round, At: addrs})
	return round
}

// Lead lets another leader take over. The channel is closed when it leads, or when Lead chooses
// another leader.
func (c *Cluster) Lead(leader int) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.coord != nil {
		close(c.began)
	}
	c.order(c.Leaders[c.leads], Order{Do: StopLeading})
	c.leads, c.gap, c.began = leader, nil, make(chan struct{})
	c.stats.Takeovers++
	began := c.began
	c.takeOver()
	return began
}

// takeOver begins a round. mu is held.
func (c *Cluster) takeOver() {
	r := paxos.Recovery{Round: c.newRound(), First: c.first, Floor: true, Old: []paxos.Acceptors{c.all()}, New: c.all(), Ring: uint32(c.config.Ring)}
	c.coord, _ = paxos.NewCoordinator(r, paxos.CoordinatorOptions{Resend: c.config.Resend}) // what it refuses cannot be here
	c.drive(c.coord)
}

// drive sends the coordinator's messages, and acts when it is done. mu is held.
func (c *Cluster) drive(x *paxos.Coordinator) {
	x.Tick(c.now())
	c.out, c.data = c.out[:0], c.data[:0]
	for _, s := range x.Sends() {
		at := len(c.data)
		c.data, _ = s.Message.Append(c.data)
		c.out = append(c.out, udp.Packet{Addr: c.Acceptors[s.To].Addr(), Data: slices.Clone(c.data[at:])})
	}
	_ = c.conn.Write(c.out) // a lost message is sent again
	switch {
	case x.State() == paxos.Failed && x == c.coord:
		c.takeOver()
	case x == c.gap && (x.State() == paxos.Failed || x.State() == paxos.Done):
		c.gap = nil
	case x == c.coord && x.State() == paxos.Done:
		c.coord = nil
		var addrs []netip.AddrPort
		for _, s := range c.Acceptors {
			addrs = append(addrs, s.Addr())
		}
		l := c.Leaders[c.leads]
		c.order(l, Order{Do: TrimTo, First: c.first, Last: c.last()})
		c.order(l, Order{Do: LeadIn, Round: x.Round(), Next: x.Next(), At: addrs})
		close(c.began)
	}
}

func (c *Cluster) run() {
	defer close(c.done)
	in := make([]udp.Packet, udp.Batch)
	for {
		n, err := c.conn.Read(in, time.Now().Add(time.Millisecond))
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
		c.mu.Lock()
		for _, p := range in[:n] {
			var m paxos.Message
			if m.Parse(p.Data) == nil {
				c.take(p.Addr, &m)
			}
		}
		for _, x := range []*paxos.Coordinator{c.coord, c.gap} {
			if x != nil {
				c.drive(x)
			}
		}
		c.mu.Unlock()
	}
}

// take processes a message. mu is held.
func (c *Cluster) take(from netip.AddrPort, m *paxos.Message) {
	if m.Kind == paxos.Report {
		c.report(from, m)
		return
	}
	id := slices.IndexFunc(c.Acceptors, func(s Seat) bool { return s.Addr() == from })
	for _, x := range []*paxos.Coordinator{c.coord, c.gap} {
		if x != nil && x.Round() == m.Round {
			x.Answer(c.now(), id, m)
		}
	}
}

func (c *Cluster) report(from netip.AddrPort, m *paxos.Message) {
	switch {
	case m.Flags&paxos.Silent != 0:
		c.stats.Silent++
		return
	case !slices.Contains(c.replicas, from):
		return
	case m.Flags&paxos.Wanted != 0:
		if c.coord == nil && c.gap == nil && int32(m.Instance-c.first) >= 0 && int32(c.last()-m.Instance) >= 0 {
			c.close(m.Instance, m.Instance, map[uint32][]byte{m.Instance: slices.Clone(m.Value)})
		}
		return
	case m.Flags&paxos.Gap != 0 && c.coord == nil && c.gap == nil && int32(m.Instance-c.first) >= 0 && int32(m.VoteRound-m.Instance) >= 0 && int32(c.last()-m.VoteRound) >= 0:
		// The instances soon after it may be missing, too.
		c.close(m.Instance, m.Instance+min(m.VoteRound-m.Instance, 63), nil)
	}
	c.reports[from] = m.Sequence
	c.trim()
}

// close has instances decided, in a round of its own. mu is held.
func (c *Cluster) close(first, last uint32, noops map[uint32][]byte) {
	c.stats.Gaps++
	r := paxos.Recovery{Round: c.newRound(), First: first, Last: last, Old: []paxos.Acceptors{c.all()}, New: c.all(), Ring: uint32(c.config.Ring), Noops: noops}
	c.gap, _ = paxos.NewCoordinator(r, paxos.CoordinatorOptions{Resend: c.config.Resend})
}

// trim lets the roles forget what more than half of the hosts have in a checkpoint. mu is held.
func (c *Cluster) trim() {
	var ahead []int32
	for _, v := range c.reports {
		ahead = append(ahead, int32(v-c.first))
	}
	for len(ahead) < len(c.replicas) {
		ahead = append(ahead, 0)
	}
	// One step for each eighth of the ring, because trimming stops the roles for a moment.
	n := quorum.Reached(ahead, quorum.Majority(len(ahead)))
	if n < int32(max(c.config.Ring/8, 1)) {
		return
	}
	c.first += uint32(n)
	c.stats.Trims++
	first, last := c.first, c.last()
	for _, x := range []*paxos.Coordinator{c.coord, c.gap} {
		if x != nil {
			x.Trim(c.now(), first)
		}
	}
	for _, seat := range slices.Concat(c.Acceptors, []Seat{c.Learner}, c.Leaders) {
		c.order(seat, Order{Do: TrimTo, First: first, Last: last})
	}
}
