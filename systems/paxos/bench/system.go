package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/p4ce/p4ce/lab/kvserver"
	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/lab"
	"github.com/p4ce/p4ce/systems/paxos/lab/store"
)

// system is a network with two hosts: the roles in switches, or programs.
type system struct {
	name     string
	network  *lab.Network  // the roles are in its switches, unless there are
	programs *lab.Programs // which may be at its ports
	hosts    []*host
	servers  []*kvserver.Server // of the hosts, if their store is on disk
	stop     func()
}

// build builds a system.
func build(ctx context.Context, o Options, name string) (*system, error) {
	return buildWith(ctx, o, name, false)
}

// buildWith builds a system whose hosts have their store on disk, or in memory.
func buildWith(ctx context.Context, o Options, name string, disk bool) (s *system, err error) {
	s = &system{name: name}
	defer func() {
		if err != nil {
			s.Close()
			s = nil
		}
	}()
	dir, err := os.MkdirTemp(o.Dir, "net-")
	if err != nil {
		return s, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return s, err
	}
	opts := lab.Options{Binary: o.Binary, Dir: dir, Target: "xdp", Log: o.Log, XDP: o.XDP}
	switch name {
	case atPorts:
		opts.Deployment = lab.AloneServers()
	case inTwo:
		opts.Deployment = lab.Two
	case inOneThree:
		opts.Deployment = lab.AloneThree()
	case inOne:
		opts.Deployment = lab.Alone
	case inForwarding:
		opts.Deployment = lab.WithTraffic()
	case inApplications:
		opts.Deployment = lab.Applications(lab.MaxApplications)
	}
	names := lab.Hosts
	var attach func(string, func(paxos.Entry)) (*paxos.Log, error)
	if name == asPrograms {
		if s.programs, err = lab.StartPrograms(ctx, opts); err != nil {
			return s, err
		}
		attach = s.programs.Attach
	} else {
		if s.network, err = lab.Start(ctx, opts); err != nil {
			return s, err
		}
		attach = s.network.Attach
		_, replicas := s.network.Logs()
		names = slices.Concat(replicas...)
	}
	if name == atPorts {
		if s.programs, err = s.network.StartPrograms(ctx, lab.AloneSeats()); err != nil {
			return s, err
		}
		attach = s.programs.Attach
	}
	if disk {
		return s, s.keep(ctx, opts)
	}
	for _, name := range names {
		h := &host{store: map[string]string{}}
		if h.Log, err = attach(name, h.apply); err != nil {
			return s, err
		}
		s.hosts = append(s.hosts, h)
	}
	s.stop = lab.Checkpoints(s.hosts)
	return s, nil
}

// keep has the hosts be servers whose store is on disk.
func (s *system) keep(ctx context.Context, o lab.Options) (err error) {
	if s.programs != nil {
		if s.servers, err = store.StartPrograms(s.programs, o); err != nil {
			return err
		}
	} else {
		all, err := store.Start(s.network)
		if err != nil {
			return err
		}
		for i := range all.Servers() {
			s.servers = append(s.servers, all.Server(i))
		}
	}
	for _, v := range s.servers {
		k, err := keep(ctx, v)
		if err != nil {
			return err
		}
		s.hosts = append(s.hosts, &host{kept: k})
	}
	return nil
}

// Close ends it.
func (s *system) Close() {
	if s.stop != nil {
		s.stop()
	}
	for _, h := range s.hosts {
		_ = h.Close()
	}
	store.End(s.servers)
	if s.programs != nil {
		s.programs.Close()
	}
	if s.network != nil {
		s.network.Close()
	}
}

// lead has the first switch lead again if another one does, and returns how often that was so.
func (s *system) lead(ctx context.Context) (moved int, err error) {
	if s.name == inOne || s.name == inOneThree || s.programs != nil {
		return 0, nil // there is no other
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	info, err := s.network.Application(ctx)
	if err != nil {
		return 0, err
	}
	if info.Leader != "l" {
		moved = 1
	}
	return moved, s.network.Lead(ctx, lab.Log, "l")
}

// closed has all hosts propose, each a part of so many values at once, for a while.
func (s *system) closed(ctx context.Context, w workload, window int, d time.Duration) (*offered, error) {
	return closed(ctx, s.hosts, w, window, d)
}

func closed(ctx context.Context, hosts []*host, w workload, window int, d time.Duration) (*offered, error) {
	n := len(hosts)
	parts, errs := make([]*offered, n), make([]error, n)
	var ended sync.WaitGroup
	for i, h := range hosts {
		ended.Go(func() { parts[i], errs[i] = h.closed(ctx, w, max(window/n, 1), d) })
	}
	ended.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	all := parts[0]
	for _, x := range parts[1:] {
		all.times, all.at, all.took = append(all.times, x.times...), append(all.at, x.at...), max(all.took, x.took)
	}
	return all, nil
}
