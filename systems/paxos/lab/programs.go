package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/lab/roles"
	"github.com/p4ce/p4ce/systems/paxos/soft"
	"github.com/p4ce/p4ce/systems/paxos/udp"
)

// Programs is the roles as processes: l, a1, a2, a3 and t, which counts the votes.
type Programs struct {
	*soft.Cluster
	seats map[string]*seat
	hosts []netip.AddrPort
}

// seat is a role in a process of its own.
type seat struct {
	process *launch.Process
	at      netip.AddrPort
	said    chan soft.Said
}

var anywhere = netip.MustParseAddrPort("127.0.0.1:0")

// StartPrograms starts the processes, and waits until l leads. Of the options, Binary and Log
// matter.
func StartPrograms(ctx context.Context, o Options) (p *Programs, err error) {
	p = &Programs{seats: map[string]*seat{}}
	defer func() {
		if err != nil {
			p.Close()
			p = nil
		}
	}()
	acceptors := 0
	p.Cluster, err = soft.StartCluster(soft.ClusterConfig{
		Leaders: []netip.AddrPort{anywhere}, Acceptors: []netip.AddrPort{anywhere, anywhere, anywhere}, Learner: anywhere, Controller: anywhere,
		Serve: func(role string, at netip.AddrPort, ring int) (soft.Seat, error) {
			name := map[string]string{"leader": "l", "learner": "t"}[role]
			if name == "" {
				acceptors++
				name = "a" + strconv.Itoa(acceptors)
			}
			s, err := startSeat(ctx, o, name, role, at, ring)
			if err == nil {
				p.seats[name] = s
			}
			return s, err
		},
	})
	if err != nil {
		return p, err
	}
	for p.Leading() == 0 {
		select {
		case <-ctx.Done():
			return p, fmt.Errorf("no leader among the programs: %w", ctx.Err())
		case <-time.After(time.Millisecond):
		}
	}
	return p, nil
}

func startSeat(ctx context.Context, o Options, name, role string, at netip.AddrPort, ring int) (*seat, error) {
	s := &seat{said: make(chan soft.Said, 1)}
	log := io.Discard
	if o.Log != nil {
		log = launch.Prefixed(o.Log, name)
	}
	var err error
	s.process, err = launch.Start(nil, launch.Options{
		Name: name, Args: []string{o.Binary, "paxos", "role", role, "--at", at.String(), "--ring", strconv.Itoa(ring)}, Log: log,
		Event: func(p *launch.Process, line []byte) {
			var said soft.Said
			if json.Unmarshal(line, &said) == nil {
				select {
				case s.said <- said:
				case <-p.Done():
				}
			}
		},
	})
	if err != nil {
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

// PIDs are the processes of the roles, by the names of the switches that have them in a Network.
func (p *Programs) PIDs() map[string]int {
	out := map[string]int{}
	for name, s := range p.seats {
		out[name] = s.process.PID()
	}
	return out
}

// Attach makes a host: h1 or h2.
func (p *Programs) Attach(name string, apply func(paxos.Entry)) (*paxos.Log, error) {
	r := p.place(name)
	log, err := paxos.Open(paxos.Config{
		Listen: anywhere, Host: uint32(r.Host), Leader: r.Leader, Learners: []netip.AddrPort{r.Learner}, Controller: r.Controller, Acceptors: r.Acceptors,
		Proposer: paxos.ProposerOptions{Client: uint32(r.Host)<<16 | 1}, Apply: apply,
	})
	if err != nil {
		return nil, err
	}
	p.joins(log.Addr())
	return log, nil
}

// Reserve has a host, h1 or h2, be a process of its own: it is to listen where its place says.
func (p *Programs) Reserve(name string) (roles.Place, error) {
	r := p.place(name)
	w, err := udp.Listen(anywhere, paxos.MaxMessage+1) // a port that nobody has
	if err != nil {
		return r, err
	}
	r.Listen = w.Addr()
	p.joins(r.Listen)
	return r, w.Close()
}

// place is that of a host, but for where it listens.
func (p *Programs) place(name string) roles.Place {
	r := roles.Place{Host: uint16(slices.Index(Hosts, name) + 1), Leader: p.Leaders[0].Addr(), Learner: p.Learner.Addr(), Controller: p.Addr()}
	for _, a := range p.Acceptors {
		r.Acceptors = append(r.Acceptors, a.Addr())
	}
	return r
}

// joins tells the roles of one more replica.
func (p *Programs) joins(at netip.AddrPort) {
	p.hosts = append(p.hosts, at)
	p.Replicas(p.hosts)
}
