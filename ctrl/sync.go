package ctrl

import (
	"context"
	"errors"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/ctrl/group"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
)

// sync brings a switch into the controller's hands: the program, what is read
// back, and what is missing. It is one job of the worker, so that it falls
// between other orders.
func (s *Switch) sync(ctx context.Context) {
	var im *image
	var records []group.Record
	s.worker.add(job{
		run: func(rctx context.Context) error {
			if err := s.load(rctx); err != nil {
				return err
			}
			var err error
			if im, err = s.rdma.read(rctx, s.client); err != nil {
				return err
			}
			records, err = s.store.Load(s.conf.Name)
			return err
		},
		done: func(err error) {
			s.post(ctx, func() { s.takeOver(ctx, im, records, err) })
		},
	})
}

// load pushes the program, unless it runs already. A switch that runs another
// version keeps what fits.
func (s *Switch) load(ctx context.Context) error {
	want := s.conf.Pipeline
	have, err := s.client.GetPipeline(ctx, p4.GetForwardingPipelineConfigRequest_COOKIE_ONLY)
	if err != nil {
		return err
	}
	action := p4.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT
	switch {
	case have != nil && have.GetCookie().GetCookie() == want.GetCookie().GetCookie() && have.GetCookie().GetCookie() != 0:
		return s.setUp(ctx)
	case have != nil:
		action = p4.SetForwardingPipelineConfigRequest_RECONCILE_AND_COMMIT
	}
	s.log.Info("pushing the program", "action", action)
	if err := s.client.SetPipeline(ctx, action, want); err != nil {
		return err
	}
	return s.setUp(ctx)
}

// setUp writes what is of the program and not of any group or host.
func (s *Switch) setUp(ctx context.Context) error {
	interval, err := s.rdma.cnpInterval(s.conf.CNPInterval)
	if err != nil {
		return err
	}
	if err := s.client.Write(ctx, p4rtclient.Modify(interval)); err != nil {
		return err
	}
	d, err := s.rdma.digest()
	if err != nil {
		return err
	}
	err = s.client.Write(ctx, p4rtclient.Insert(d))
	var we *p4rtclient.WriteError
	if errors.As(err, &we) && we.Only(codes.AlreadyExists) {
		return nil
	}
	return err
}

// takeOver goes on where the switch is.
func (s *Switch) takeOver(ctx context.Context, im *image, records []group.Record, err error) {
	if !s.primary {
		return // lost meanwhile
	}
	var plans []*group.Plan
	var leftovers, missing []*p4.Update
	if err == nil {
		plans, leftovers, err = s.rdma.plans(im)
	}
	if err == nil {
		for _, h := range im.hosts() {
			s.hosts.Restore(h)
		}
		s.hosts.Poll() // static hosts are among what is missing
		want := s.rdma.own(s.conf.IPs)
		for _, h := range s.hosts.List() {
			want = append(want, s.rdma.host(h)...)
		}
		missing, err = s.rdma.difference(im, want)
	}
	if err != nil {
		s.log.Error("switch cannot be taken over", "err", err, "retry_in", resyncAfter)
		time.AfterFunc(resyncAfter, func() {
			s.post(ctx, func() {
				if s.primary && !s.synced {
					s.sync(ctx)
				}
			})
		})
		return
	}
	s.write("leftovers of groups", leftovers, nil, codes.NotFound)
	s.write("hosts and addresses", missing, nil)
	s.synced = true
	s.stats.syncs++
	s.core.Sync(s.now(), plans, records)
	s.core.HostsMoved(s.now())
	s.log.Info("switch taken over", "groups", len(plans), "leftovers", len(leftovers), "hosts", len(s.hosts.List()), "written", len(missing))
	if s.ready != nil {
		// When the entries are there, so that whoever waits can ping the switch.
		ready := s.ready
		s.ready = nil
		s.worker.add(job{run: func(context.Context) error { return nil }, done: func(error) { ready() }})
	}
}
