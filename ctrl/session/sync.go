package session

import (
	"context"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
)

// resyncAfter is the pause before a failed synchronisation is repeated.
const resyncAfter = time.Second

// sync brings a switch into the controller's hands: the program, what is read
// back, and what is missing. It is one job of the worker, so that it falls
// between other orders.
func (s *Session) sync() {
	var adopt func() error
	s.worker.add(job{
		run: func(ctx context.Context) error {
			if err := s.load(ctx); err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(ctx, writeTimeout)
			defer cancel()
			if err := s.limitPunts(ctx); err != nil {
				return err
			}
			if err := s.mark(ctx); err != nil {
				return err
			}
			var err error
			adopt, err = s.app.Sync(ctx, s.client)
			return err
		},
		done: func(err error) { s.Post(func() { s.takeOver(adopt, err) }) },
	})
}

// Resync has the switch read back again (App.Sync), when all that was ordered before has ended: for an App that cannot go on
// with what it knows of the switch. It may be called from anywhere. The switch of an owner always answers.
func (s *Session) Resync() {
	if s.owner != nil {
		return
	}
	s.Hand(func() {
		if s.primary && s.synced {
			s.synced = false
			s.sync()
		}
	})
}

// load pushes the program, unless it runs already. A switch that runs another
// version keeps what fits.
func (s *Session) load(ctx context.Context) error {
	want := s.conf.Pipeline
	ask, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	have, err := s.client.GetPipeline(ask, p4.GetForwardingPipelineConfigRequest_COOKIE_ONLY)
	if err != nil {
		return err
	}
	action := p4.SetForwardingPipelineConfigRequest_VERIFY_AND_COMMIT
	switch {
	case have != nil && have.GetCookie().GetCookie() == want.GetCookie().GetCookie() && have.GetCookie().GetCookie() != 0:
		return nil
	case have != nil:
		action = p4.SetForwardingPipelineConfigRequest_RECONCILE_AND_COMMIT
	}
	s.log.Info("pushing the program", "action", action)
	push, cancel := context.WithTimeout(ctx, pushTimeout)
	defer cancel()
	return s.client.SetPipeline(push, action, want)
}

// takeOver goes on where the switch is.
func (s *Session) takeOver(adopt func() error, err error) {
	if !s.primary {
		return // lost meanwhile
	}
	if err == nil {
		err = adopt()
	}
	if err != nil {
		s.log.Error("switch cannot be taken over", "err", err, "retry_in", resyncAfter)
		time.AfterFunc(resyncAfter, func() {
			s.Post(func() {
				if s.primary && !s.synced {
					s.sync()
				}
			})
		})
		return
	}
	s.synced = true
	s.stats.Syncs++
	if s.ready != nil {
		// When the entries are there, so that whoever waits can ping the switch.
		s.worker.add(job{run: func(context.Context) error { return nil }, done: func(error) { s.ready() }})
	}
}
