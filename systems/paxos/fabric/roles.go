package fabric

import (
	"fmt"
	"math"
	"net/netip"
	"slices"
	"time"

	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/soft"
)

// UDP ports of applications whose roles are at hosts: those of a host's programs.
const (
	portsFrom = 0x9000
	portsEach = 16
)

// Programs of such an application.
const (
	portLog = iota
	portLeader
	portAcceptor
	portLearner
	portController
)

func (n *Network) at(a *application, name string, port uint16) (netip.AddrPort, *station, error) {
	x, _ := n.Node(name)
	h, ok := x.(*fabric.Host)
	if !ok {
		return netip.AddrPort{}, nil, fmt.Errorf("no host %q", name)
	}
	return netip.AddrPortFrom(netip.AddrFrom4(h.Addr()), portsFrom+portsEach*uint16(a.index)+port), h.Endpoint().(*station), nil
}

// seat is a role at a host.
type seat struct {
	soft.Seat
	*program
	role soft.Role
}

// cluster is the controller of an application whose roles are at hosts.
type cluster struct {
	*program
	net     *Network
	control *soft.Control
	leaders []soft.Seat
	leads   int
	timer   *fabric.Timer
	ticked  time.Duration
}

// cluster has hosts take the roles of an application, and its controller begin.
func (n *Network) cluster(a *application) error {
	ring := int(a.Instances)
	if ring == 0 {
		ring = soft.Ring
	}
	conf := soft.ControlConfig{Ring: ring, Resend: fabric.Time(n.Set.Ask).Duration()}
	for _, r := range []struct {
		kind string
		port uint16
		list []string
		to   *[]soft.Seat
	}{
		{"leader", portLeader, a.Leaders, &conf.Leaders}, {"acceptor", portAcceptor, a.Acceptors, &conf.Acceptors}, {"learner", portLearner, a.Learners, &conf.Learners},
	} {
		for i, name := range r.list {
			if slices.Contains(r.list[:i], name) {
				return fmt.Errorf("host %s is twice a %s", name, r.kind)
			}
			at, st, err := n.at(a, name, r.port)
			if err != nil {
				return err
			}
			role, err := soft.NewRole(r.kind, ring)
			if err != nil {
				return err
			}
			s := &seat{role: role}
			s.program = st.run(at, s.serve)
			s.Seat = soft.Sit(at, role)
			*r.to = append(*r.to, s.Seat)
		}
	}
	at, st, err := n.at(a, a.Controller, portController)
	if err != nil {
		return err
	}
	conf.At = at
	c := &cluster{net: n, leaders: conf.Leaders}
	if c.control, err = soft.NewControl(conf); err != nil {
		return err
	}
	var replicas []netip.AddrPort
	for _, name := range a.Replicas {
		r, _, err := n.at(a, name, portLog)
		if err != nil {
			return err
		}
		replicas = append(replicas, r)
	}
	c.control.Replicas(replicas)
	c.program = st.run(at, c.take)
	c.timer = st.h.NewTimer(c)
	a.cluster = c
	n.At(0, func() { n.LeadHost(a.index, 0) })
	return nil
}

// serve has the role take a message.
func (s *seat) serve(from netip.AddrPort, m *paxos.Message) {
	for _, to := range s.role.Handle(from, m) {
		s.send(to, m, 0)
	}
}

func (c *cluster) now() time.Duration { return c.st.h.Now() }

// leading is where requests go.
func (c *cluster) leading() netip.AddrPort { return c.leaders[c.leads].Addr() }

func (c *cluster) take(from netip.AddrPort, m *paxos.Message) {
	c.control.Take(c.now(), from, m)
	c.Tick(c.now())
}

// Deadline implements fabric.Timed.
func (c *cluster) Deadline() time.Duration {
	if c.st.dead || !c.control.Busy() {
		return math.MaxInt64
	}
	return c.ticked + time.Millisecond
}

// Tick implements fabric.Timed.
func (c *cluster) Tick(now time.Duration) {
	c.ticked = now
	c.control.Tick(now)
	c.flush()
}

// flush sends what the controller wants to.
func (c *cluster) flush() {
	for _, s := range c.control.Sends() {
		c.send(s.To, &s.Message, 0)
	}
	c.timer.Arm()
	c.net.begin()
}

// place says who a host of an application with roles at hosts sends to, and hears.
func (m *member) place(n *Network) {
	a := m.app
	all := func(list []string, port uint16) (out []netip.AddrPort) {
		for _, name := range list {
			at, _, _ := n.at(a, name, port) // cluster has looked
			out = append(out, at)
		}
		return out
	}
	host := uint32(m.st.h.Number())
	at, _, _ := n.at(a, a.Controller, portController)
	m.own, _, _ = n.at(a, m.st.h.Name(), portLog)
	m.guest = paxos.GuestConfig{Replicas: all(a.Replicas, portLog), Controller: at, Host: host}
	m.conf = paxos.Config{Acceptors: all(a.Acceptors, portAcceptor), Learners: all(a.Learners, portLearner), Controller: at, Host: host, Guests: map[uint16]netip.AddrPort{}}
	for _, name := range a.Proposers {
		x, _ := n.Node(name)
		if h := x.(*fabric.Host); !slices.Contains(a.Replicas, name) {
			m.conf.Guests[uint16(h.Number())], _, _ = n.at(a, name, portLog)
		}
	}
}
