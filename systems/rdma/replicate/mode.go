package replicate

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/p4ce/p4ce/host/latency"
	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// Accelerate connects through the switch and changes over to it when nothing is
// undecided; new proposals wait for that moment. The replicas' direct paths stay
// connected. It does nothing if the leader is accelerated already.
func (l *Leader) Accelerate(ctx context.Context) error {
	if !l.cfg.Switch.IsValid() {
		return ErrNoSwitch
	}
	l.modeMu.Lock()
	defer l.modeMu.Unlock()
	// Closing the leader must end this too.
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(l.ctx, func() { cancel(ErrClosed) })()
	if l.Mode() == mu.Accelerated {
		return nil
	}
	m := private.Request{
		Form: private.FormGroup, Policy: l.cfg.Policy, LeaderID: l.cfg.ID, Port: l.cfg.Port, Term: l.cfg.Term,
		Replicas: l.cfg.Replicas,
	}
	r, err := l.dial(ctx, fmt.Sprintf("switch %v", l.cfg.Switch), netip.AddrPortFrom(l.cfg.Switch, l.cfg.Port), &m)
	if err != nil {
		return fmt.Errorf("accelerate: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.quiet(ctx); err != nil {
		return fmt.Errorf("accelerate: %w", errors.Join(err, r.path.Close()))
	}
	l.group = r
	l.core.accelerate()
	l.watch(r)
	return nil
}

// Direct goes back to one WRITE per replica, when nothing is undecided, and
// disconnects from the switch.
func (l *Leader) Direct(ctx context.Context) error {
	l.modeMu.Lock()
	defer l.modeMu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.core.mode == mu.Direct {
		return nil
	}
	if err := l.quiet(ctx); err != nil {
		return fmt.Errorf("direct: %w", err)
	}
	if l.core.mode == mu.Direct {
		return nil // fell back meanwhile
	}
	l.core.direct()
	l.group.failed = true // on purpose: not a loss
	return l.group.path.Close()
}

// quiet waits until nothing is undecided, holding new proposals back. The lock is
// held, and nothing is appended before it is released.
func (l *Leader) quiet(ctx context.Context) error {
	l.quiesce = true
	err := l.await(ctx, func() bool { return l.err != nil || l.core.undecided() == 0 })
	l.quiesce = false
	l.room.Broadcast()
	if err != nil {
		return err
	}
	return l.err
}

// retrySwitch tries the switch again until it works or the leader ends.
func (l *Leader) retrySwitch() {
	l.wg.Go(func() {
		pause := time.NewTimer(l.cfg.RetrySwitch)
		defer pause.Stop()
		for {
			select {
			case <-pause.C:
			case <-l.ctx.Done():
				return
			}
			ctx, cancel := context.WithTimeout(l.ctx, 10*l.cfg.RetrySwitch)
			err := l.Accelerate(ctx)
			cancel()
			if err == nil {
				l.cfg.Log.Info("accelerated again")
				return
			}
			l.cfg.Log.Warn("switch tried again", "err", err)
			pause.Reset(l.cfg.RetrySwitch)
		}
	})
}

// Sync waits until every connected replica has applied every decided record, and
// nothing is undecided.
func (l *Leader) Sync(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wakeTend()
	if err := l.await(ctx, func() bool { return l.err != nil || l.core.caughtUp() }); err != nil {
		return err
	}
	return l.err
}

// Mode returns how replicas are reached at the moment.
func (l *Leader) Mode() mu.Mode {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.core.mode
}

// Share sets how many bytes a WRITE may have that several records share, because they wait
// for others to be acknowledged; 0, the default: each record has a WRITE of its own. A record
// that nothing is in the way of does not wait for company.
func (l *Leader) Share(bytes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.core.share = max(bytes, 0)
}

// Err returns why the leader has ended, nil while it works.
func (l *Leader) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Digest returns the digest of the decided records.
func (l *Leader) Digest() Digest {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.digest.digest()
}

// Stats is a snapshot of what a leader has done.
type Stats struct {
	Mode      mu.Mode
	Proposed  uint64 // records accepted
	Decided   uint64
	Failed    uint64 // proposals that ended with an error
	Undecided int
	Writes    uint64 // WRITEs of entries posted, over all paths
	FallBacks uint64 // connections through the switch lost
	Repairs   uint64 // replicas that got entries again
	Dropped   uint64 // replicas dropped for being slow
	Live      int    // replicas connected
	// Latency is from a record's acceptance to its decision, since the last
	// ResetLatency.
	Latency latency.Summary
}

// Stats returns a snapshot.
func (l *Leader) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stats
	s.Mode, s.Undecided, s.Live = l.core.mode, l.core.undecided(), l.core.live()
	s.Latency = l.latency.Summary()
	return s
}

// ResetLatency forgets the latencies, so that those of one mode can be told from
// those of another.
func (l *Leader) ResetLatency() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.latency.Reset()
}
