package soft

import (
	"cmp"
	"errors"
	"net/netip"
	"os"
	"slices"
	"sync"
	"time"

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
	Serve func(role string, at netip.AddrPort, ring int) (Seat, error)
	// Listen opens the controller's wire; nil: a UDP socket of this process.
	Listen func(at netip.AddrPort) (paxos.Wire, error)
	Resend time.Duration // of the coordinator's questions; 20 ms
}

// Cluster is the roles of one application as servers, with their controller (Control) in this process.
//
// Each of its leaders has an address of its own. Proposers send to the one that leads (Leader).
type Cluster struct {
	Leaders   []Seat
	Acceptors []Seat
	Learner   Seat

	conn  paxos.Wire
	begin time.Time
	done  chan struct{}

	mu      sync.Mutex // guards the fields below
	control *Control
	began   chan struct{} // closed when the leader leads; nil: it does
	out     []udp.Packet
}

// StartCluster starts the roles, and lets the first leader take over.
func StartCluster(config ClusterConfig) (*Cluster, error) {
	c := &Cluster{begin: time.Now(), done: make(chan struct{})}
	listen := config.Listen
	if listen == nil {
		listen = func(at netip.AddrPort) (paxos.Wire, error) { return udp.Listen(at, paxos.MaxMessage+1) }
	}
	var err error
	if c.conn, err = listen(config.Controller); err != nil {
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
	ring := cmp.Or(config.Ring, Ring)
	if c.Learner, err = serve("learner", config.Learner, ring); err != nil {
		return fail(err)
	}
	for _, r := range []struct {
		name string
		at   []netip.AddrPort
		to   *[]Seat
	}{{"acceptor", config.Acceptors, &c.Acceptors}, {"leader", config.Leaders, &c.Leaders}} {
		for _, at := range r.at {
			s, err := serve(r.name, at, ring)
			if err != nil {
				return fail(err)
			}
			*r.to = append(*r.to, s)
		}
	}
	c.control, err = NewControl(ControlConfig{
		At: c.Addr(), Leaders: c.Leaders, Acceptors: c.Acceptors, Learners: []Seat{c.Learner}, Ring: ring, Resend: config.Resend,
	})
	if err != nil {
		return fail(err)
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
	return c.control.Leading()
}

// Stats returns the counters.
func (c *Cluster) Stats() ControlStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.control.Stats()
}

// Replicas sets the replicas that get chosen values. More than half of them must have a checkpoint
// before the cluster trims.
func (c *Cluster) Replicas(at []netip.AddrPort) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.control.Replicas(at)
}

func (c *Cluster) now() time.Duration { return time.Since(c.begin) }

// Lead lets another leader take over. The channel is closed when it leads, or when Lead chooses
// another leader.
func (c *Cluster) Lead(leader int) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.began != nil {
		close(c.began)
	}
	began := make(chan struct{})
	c.began = began
	c.control.Lead(c.now(), leader)
	c.flush()
	return began
}

// flush sends what the controller wants to. mu is held.
func (c *Cluster) flush() {
	c.out = c.out[:0]
	for _, s := range c.control.Sends() {
		data, _ := s.Message.Append(nil) // a coordinator sends no values longer than those it was sent
		c.out = append(c.out, udp.Packet{Addr: s.To, Data: data})
	}
	_ = c.conn.Write(c.out) // a lost message is sent again
	if c.began != nil && c.control.Leading() != 0 {
		close(c.began)
		c.began = nil
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
				c.control.Take(c.now(), p.Addr, &m)
			}
		}
		c.control.Tick(c.now())
		c.flush()
		c.mu.Unlock()
	}
}
