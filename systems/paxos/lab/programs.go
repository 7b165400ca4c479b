package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/lab/runner"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/frames"
	"github.com/p4ce/p4ce/systems/paxos/lab/roles"
	"github.com/p4ce/p4ce/systems/paxos/soft"
	"github.com/p4ce/p4ce/systems/paxos/udp"
)

// Programs is the roles as processes.
type Programs struct {
	*soft.Cluster
	who    Seats
	seats  []*seat
	hosts  []netip.AddrPort
	runner *runner.Runner
	net    *Network                  // whose hosts they are at; nil: the loopback
	where  map[string]netip.AddrPort // replicas and guests listen
	ports  uint16                    // that are taken
}

// Seats say who has which role, and who is a host. On the loopback that is the name of a process, in a network a host in a
// network namespace (Options.Namespaces). One host may have several roles.
type Seats struct {
	Leader     string
	Acceptors  []string
	Learner    string
	Controller string // where this process does the controller's work
	Replicas   []string
	Guests     []string // hosts that only propose: in a network
	// AtPorts has all of them be at ports of switches, as hosts of roles in switches are, and send and receive frames themselves:
	// by AF_XDP, or packet sockets (Options.XDP). Otherwise they have UDP sockets.
	AtPorts bool
}

// seat is a role in a process of its own.
type seat struct {
	name    string
	process *launch.Process
	at      netip.AddrPort
	said    chan soft.Said
}

var anywhere = netip.MustParseAddrPort("127.0.0.1:0")

// programPorts are the UDP ports of programs, from here on: none of those of roles in switches (control.Port), which only forward
// what is for them.
const programPorts = 9000

// StartPrograms starts the processes on the loopback, l, a1, a2, a3 and t, which counts the votes, and waits until l leads. Of the
// options, Binary and Log matter.
func StartPrograms(ctx context.Context, o Options) (*Programs, error) {
	p := &Programs{
		who:    Seats{Leader: "l", Acceptors: []string{"a1", "a2", "a3"}, Learner: "t", Replicas: Hosts},
		runner: runner.New(runner.Options{Binary: o.Binary, Dir: o.Dir, Logs: runner.Prefixed(o.Log)}),
	}
	return p.begun(ctx)
}

// StartPrograms starts the roles as processes at hosts of the network, which reach each other through its switches, and waits until
// the leader leads. The roles that switches have are others'. The programs are to be closed before the network is.
func (n *Network) StartPrograms(ctx context.Context, who Seats) (*Programs, error) {
	p := &Programs{who: who, runner: n.Runner, net: n}
	return p.begun(ctx)
}

// begun starts everything, or ends what was started.
func (p *Programs) begun(ctx context.Context) (*Programs, error) {
	if err := p.start(ctx); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

func (p *Programs) start(ctx context.Context) (err error) {
	p.where = map[string]netip.AddrPort{}
	for _, name := range slices.Concat(p.who.Replicas, p.who.Guests) {
		if p.where[name], err = p.free(name); err != nil {
			return err
		}
	}
	// The cluster starts the roles of a kind in this order.
	names := map[string][]string{"leader": {p.who.Leader}, "acceptor": p.who.Acceptors, "learner": {p.who.Learner}}
	at := map[string][]netip.AddrPort{}
	for role, list := range names {
		for _, name := range list {
			a, err := p.free(name)
			if err != nil {
				return err
			}
			at[role] = append(at[role], a)
		}
	}
	controller, err := p.free(p.who.Controller)
	if err != nil {
		return err
	}
	p.Cluster, err = soft.StartCluster(soft.ClusterConfig{
		Leaders: at["leader"], Acceptors: at["acceptor"], Learner: at["learner"][0], Controller: controller,
		Listen: func(at netip.AddrPort) (paxos.Wire, error) { return p.listen(p.who.Controller, at) },
		Serve: func(role string, at netip.AddrPort, ring int) (soft.Seat, error) {
			name := names[role][0]
			names[role] = names[role][1:]
			s, err := p.seat(ctx, name, role, at, ring)
			if err == nil {
				p.seats = append(p.seats, s)
			}
			return s, err
		},
	})
	if err != nil {
		return err
	}
	for p.Leading() == 0 {
		select {
		case <-ctx.Done():
			return fmt.Errorf("no leader among the programs: %w", ctx.Err())
		case <-time.After(time.Millisecond):
		}
	}
	return nil
}

// free is an address of a host that nobody has.
func (p *Programs) free(host string) (netip.AddrPort, error) {
	if p.net == nil {
		return anywhere, nil
	}
	if p.who.AtPorts {
		at, ok := p.net.config.Hosts[host]
		if !ok {
			return netip.AddrPort{}, fmt.Errorf("no host %q", host)
		}
		p.ports++
		return netip.AddrPortFrom(netip.AddrFrom4(at.IP), programPorts+p.ports), nil
	}
	h := p.net.Host(host)
	if h == nil {
		return netip.AddrPort{}, fmt.Errorf("host %q has no network namespace (Options.Namespaces)", host)
	}
	p.ports++
	return netip.AddrPortFrom(h.IP, programPorts+p.ports), nil
}

// listen opens a socket of this process at a host.
func (p *Programs) listen(host string, at netip.AddrPort) (paxos.Wire, error) {
	if p.net == nil {
		return udp.Listen(at, paxos.MaxMessage+1)
	}
	if !p.who.AtPorts {
		return p.net.Listen(host, at)
	}
	l, err := p.net.Link(host, p.net.opener(at))
	if err != nil {
		return nil, err
	}
	hosts := p.net.config.Hosts
	macs := map[netip.Addr]wire.MAC{}
	for _, h := range hosts {
		macs[netip.AddrFrom4(h.IP)] = h.MAC
	}
	return frames.New(l, frames.Config{Addr: at, MAC: hosts[host].MAC, Resolve: func(a netip.Addr) (wire.MAC, bool) { mac, ok := macs[a]; return mac, ok }}), nil
}

// linkFlags are those of a role at a port.
func (p *Programs) linkFlags(name string) []string {
	end := p.net.HostEnd(name)
	if p.net.o.XDP {
		end = "xdp:" + end
	}
	hosts := p.net.config.Hosts
	own := hosts[name].MAC
	flags := []string{"--link", end, "--mac", net.HardwareAddr(own[:]).String()}
	for _, h := range hosts {
		flags = append(flags, "--peer", fmt.Sprintf("%v=%v", netip.AddrFrom4(h.IP), net.HardwareAddr(h.MAC[:])))
	}
	return flags
}

// seat starts a role at a host.
func (p *Programs) seat(ctx context.Context, name, role string, at netip.AddrPort, ring int) (*seat, error) {
	s := &seat{name: name, said: make(chan soft.Said, 1)}
	o := launch.Options{
		Name: name, Args: []string{"paxos", "role", role, "--at", at.String(), "--ring", strconv.Itoa(ring)},
		Event: func(p *launch.Process, line []byte) {
			var said soft.Said
			if json.Unmarshal(line, &said) == nil {
				select {
				case s.said <- said:
				case <-p.Done():
				}
			}
		},
	}
	switch {
	case p.net != nil && p.who.AtPorts:
		o.Args = append(o.Args, p.linkFlags(name)...)
	case p.net != nil:
		o.Host = p.net.Host(name)
	}
	var err error
	if s.process, err = p.runner.Start(o); err != nil {
		return nil, err
	}
	if err := s.process.AwaitReady(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	said, err := s.answer()
	s.at = said.At
	return s, err
}

func (s *seat) answer() (soft.Said, error) {
	select {
	case said := <-s.said:
		if said.Error != "" {
			return said, errors.New(said.Error)
		}
		return said, nil
	case <-s.process.Done():
		return soft.Said{}, fmt.Errorf("the role has ended%s", s.process.Tail())
	}
}

// Addr implements soft.Seat.
func (s *seat) Addr() netip.AddrPort { return s.at }

// Order implements soft.Seat. Only one goroutine at a time calls it: the cluster's lock is held.
func (s *seat) Order(o soft.Order) error {
	b, err := json.Marshal(o)
	if err != nil {
		return err
	}
	if err := s.process.Tell(string(b)); err != nil {
		return err
	}
	_, err = s.answer()
	return err
}

// Close implements soft.Seat.
func (s *seat) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	s.process.End(ctx)
	return nil
}

// Close ends everything. Hosts are to be closed before.
func (p *Programs) Close() {
	if p.Cluster != nil {
		_ = p.Cluster.Close()
	}
	for _, s := range p.seats {
		_ = s.Close()
	}
}

// PIDs are the processes of the roles, by their names: on the loopback those of the switches that have them in a Network.
func (p *Programs) PIDs() map[string]int {
	out := map[string]int{}
	for _, s := range p.seats {
		out[s.name] = s.process.PID()
	}
	return out
}

// Attach makes a host that is a replica.
func (p *Programs) Attach(name string, apply func(paxos.Entry)) (*paxos.Log, error) {
	r, err := p.place(name)
	if err != nil {
		return nil, err
	}
	w, err := p.listen(name, p.where[name])
	if err != nil {
		return nil, err
	}
	guests := map[uint16]netip.AddrPort{}
	for _, g := range p.who.Guests {
		guests[p.number(g)] = p.where[g]
	}
	log, err := paxos.Open(paxos.Config{
		Wire: w, Host: uint32(r.Host), Leader: r.Leader, Learners: []netip.AddrPort{r.Learner}, Controller: r.Controller, Acceptors: r.Acceptors,
		Proposer: paxos.ProposerOptions{Client: uint32(r.Host)<<16 | 1}, Apply: apply, Guests: guests,
	})
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	p.joins(log.Addr())
	return log, nil
}

// AttachGuest makes a host that only proposes, in a network.
func (p *Programs) AttachGuest(name string) (*paxos.Guest, error) {
	r, err := p.place(name)
	if err != nil {
		return nil, err
	}
	w, err := p.listen(name, p.where[name])
	if err != nil {
		return nil, err
	}
	c := paxos.GuestConfig{Wire: w, Leader: r.Leader, Controller: r.Controller, Host: uint32(r.Host), Proposer: paxos.ProposerOptions{Client: uint32(r.Host)<<16 | 1}}
	for _, name := range p.who.Replicas {
		c.Replicas = append(c.Replicas, p.where[name])
	}
	g, err := paxos.OpenGuest(c)
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return g, nil
}

// Reserve has a replica be a process of its own: it is to listen where its place says.
func (p *Programs) Reserve(name string) (roles.Place, error) {
	r, err := p.place(name)
	if err != nil {
		return r, err
	}
	w, err := p.listen(name, p.where[name]) // on the loopback, a port that nobody has
	if err != nil {
		return r, err
	}
	r.Listen = w.Addr()
	p.joins(r.Listen)
	return r, w.Close()
}

// number is that of a host, from 1; 0: there is no such host.
func (p *Programs) number(host string) uint16 {
	return uint16(slices.Index(slices.Concat(p.who.Replicas, p.who.Guests), host) + 1)
}

// place is that of a host, but for where it listens.
func (p *Programs) place(name string) (roles.Place, error) {
	r := roles.Place{Host: p.number(name), Leader: p.Leaders[0].Addr(), Learner: p.Learner.Addr(), Controller: p.Addr()}
	if r.Host == 0 {
		return r, fmt.Errorf("host %q is not among those of the programs", name)
	}
	for _, a := range p.Acceptors {
		r.Acceptors = append(r.Acceptors, a.Addr())
	}
	return r, nil
}

// joins tells the roles of one more replica.
func (p *Programs) joins(at netip.AddrPort) {
	p.hosts = append(p.hosts, at)
	p.Replicas(p.hosts)
}
