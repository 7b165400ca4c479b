package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/impair"
	"github.com/p4ce/p4ce/lab/kvserver"
	"github.com/p4ce/p4ce/systems/rdma/lab/cluster"
)

// Route is a network between the servers.
type Route int

// The routes.
const (
	First  Route = iota // through the switch
	Second              // the ordinary network
)

// Client makes a client of a server that tries everything once. The caller closes it.
func (s *Store) Client(i int) *redis.Client { return s.place(i).Client() }

// Refused reports whether an error of a Client says that nothing was done: the server
// does not lead, or was not there. Another one may be asked.
func Refused(err error) bool {
	var dial *net.OpError
	return strings.HasPrefix(err.Error(), "READONLY") || strings.HasPrefix(err.Error(), "MOVED") || strings.HasPrefix(err.Error(), "CLUSTERDOWN") ||
		errors.As(err, &dial) && dial.Op == "dial"
}

// Events are all events of a server so far, those of earlier lives first.
func (s *Store) Events(i int) []kvserver.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append(append([]kvserver.Event(nil), s.past[i]...), s.servers[i].Events()...)
}

// Status is the last status that a server has printed in this life.
func (s *Store) Status(i int) kvserver.Event {
	v := s.Server(i)
	if v == nil {
		return kvserver.Event{}
	}
	events := v.Events()
	for k := len(events) - 1; k >= 0; k-- {
		if events[k].Event == "status" {
			return events[k]
		}
	}
	return kvserver.Event{}
}

// Running reports whether a server's process is there, paused or not. A spare server is
// not before it joins.
func (s *Store) Running(i int) bool {
	v := s.Server(i)
	return v != nil && v.Proc.Running()
}

// until waits for what takes a moment.
func until(ctx context.Context, what string, cond func() bool) error {
	for !cond() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", what, context.Cause(ctx))
		case <-time.After(5 * time.Millisecond):
		}
	}
	return nil
}

// Serving waits for a leader that serves reads, which needs a majority.
func (s *Store) Serving(ctx context.Context) (int, error) {
	clients := make([]*redis.Client, s.Servers())
	for i := range clients {
		clients[i] = s.Client(i)
		defer clients[i].Close()
	}
	leader := -1
	err := until(ctx, "a leader", func() bool {
		for i, c := range clients {
			if !s.Running(i) || s.Status(i).Role != "leader" {
				continue
			}
			ask, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
			err := c.Exists(ask, "leader").Err()
			cancel()
			if err == nil {
				leader = i
				return true
			}
		}
		return false
	})
	return leader, err
}

// Mode waits until the leader replicates in a mode, and returns it.
func (s *Store) Mode(ctx context.Context, mode string) (int, error) {
	leader := -1
	err := until(ctx, "a leader in "+mode+" mode", func() bool {
		for i := range s.Servers() {
			if st := s.Status(i); !s.Running(i) || st.Role != "leader" || st.Mode != mode {
				continue
			}
			if info, err := s.Info(i, "replication"); err == nil && info["server_role"] == "leader" && info["mode"] == mode {
				leader = i
				return true
			}
		}
		return false
	})
	return leader, err
}

// Full waits until a server is a full member.
func (s *Store) Full(ctx context.Context, i int) error {
	_, err := s.Server(i).Await(ctx, 0, func(e kvserver.Event) bool { return e.State == "full" })
	return err
}

// Equal waits until all servers have the same state; nothing must be written
// meanwhile.
func (s *Store) Equal(ctx context.Context) error {
	s.mu.Lock()
	servers := slices.Clone(s.servers)
	s.mu.Unlock()
	return kvserver.Equal(ctx, servers)
}

// LinkDown takes down the far end of a server's link: the port of the switch, or of
// the second network. LinkUp brings it back.
func (s *Store) LinkDown(i int, r Route) error { return s.setLink(i, r, false) }
func (s *Store) LinkUp(i int, r Route) error   { return s.setLink(i, r, true) }

func (s *Store) setLink(i int, r Route, up bool) error {
	if r == Second {
		return s.Lab.SetSecond(s.Host(i), up)
	}
	return s.Lab.SetPort(s.Host(i), up)
}

// KillAgent kills the switch's agent. With cluster.Options.Pin the data plane goes on.
func (s *Store) KillAgent() { s.Switch().Kill() }

// RestartAgent starts it again.
func (s *Store) RestartAgent(ctx context.Context) error { return s.StartSwitch(ctx) }

// Detach kills the agent of a switch that keeps its data plane, and takes the programs
// off the interfaces: nothing is left. RestartAgent makes a new switch.
func (s *Store) Detach(ctx context.Context) error {
	s.KillAgent()
	p, err := s.Lab.StartInSwitch(lab.Spec{
		Name: "detach", Args: []string{s.opts.Binary, "switch", "--pin", cluster.Pin, "--detach"}, Stdout: s.opts.Log, Stderr: s.opts.Log,
	})
	if err != nil {
		return err
	}
	select {
	case <-p.Done():
		return p.Err()
	case <-ctx.Done():
		p.Kill()
		return context.Cause(ctx)
	}
}

// KillController kills the controller. Groups run on.
func (s *Store) KillController() { s.Controller().Kill() }

// RestartController starts it again.
func (s *Store) RestartController(ctx context.Context) error { return s.StartController(ctx) }

// Impairment is a bad link.
type Impairment struct {
	*impair.Link
	lab  *lab.Lab
	host *lab.Host
}

// Close makes the link good again.
func (i *Impairment) Close() error { return i.lab.InHost(i.host, i.Link.Close) }

// Impair makes what a server receives on a route arrive badly. The server runs with --wire
// packet: others receive before this has an effect.
func (s *Store) Impair(i int, r Route, rates impair.Rates) (*Impairment, error) {
	out := &Impairment{lab: s.Lab, host: s.Host(i)}
	name := lab.Interface
	if r == Second {
		name = lab.SecondInterface
	}
	err := s.Lab.InHost(out.host, func() (err error) {
		out.Link, err = impair.Open(name, rates)
		return err
	})
	return out, err
}
