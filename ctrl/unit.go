package ctrl

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/ctrl/admin"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/session"
	"github.com/p4ce/p4ce/ctrl/store"
)

// Replicated configures several controllers of the same switches, one of which serves while the others stand by.
type Replicated struct {
	Store *store.Store
	Units []Unit
	// ElectionHigh is the upper half of the election ids, the same for all controllers; the lower is the
	// number of the primary. A new etcd, or one restored from an old state, begins with lower numbers than switches
	// have seen: ElectionHigh must then be higher.
	ElectionHigh uint64
}

// Unit is a set of switches that one controller serves at a time: a single switch, or several that belong together.
type Unit struct {
	// Name is the same for all controllers.
	Name string
	// Make makes the applications of the switches for one term, with the records of that term. end, when not
	// nil, is called after the term. Make is called once more before the first term, with empty records, to check
	// that it succeeds, and for the list of switches.
	Make func(ctx context.Context, kept store.Records) (switches []SwitchConfig, end func(), err error)
}

// A standby looks at the primary every lookEvery. It preempts a primary whose stream the switches have seen
// end absentFor ago, or that they have not seen for lateFor: no lease shows so soon that a process has died.
const (
	lookEvery = 20 * time.Millisecond
	absentFor = 300 * time.Millisecond
	lateFor   = 5 * time.Second
	// campaignAgain is the first pause, about, before a controller that has lost its key campaigns again,
	// and campaignLatest the longest while that fails.
	campaignAgain  = 200 * time.Millisecond
	campaignLatest = time.Second
	// backupRetry is the longest pause between a standby's attempts to connect to a switch.
	backupRetry = time.Second
)

// unit is a Unit of a controller that runs.
type unit struct {
	Unit
	r     *Replicated
	conf  *Config
	log   *slog.Logger
	ready func() // it has the switches, or stands by for a primary

	mu        sync.Mutex
	backups   []*backup          // what is known of the switches while this controller stands by
	sessions  []*session.Session // while this controller is the primary,
	candidate *store.Candidate   // and the candidate that was elected
	holder    store.Holder       // 0: none is known
	here      bool               // it is this controller
	out       time.Time          // since when it is not a candidate; zero: it is
	why       error              // the last attempt's error
}

// backup is a standby's connection to a switch: it only looks on.
type backup struct {
	conf      SwitchConfig
	program   string
	connected bool
	code      codes.Code // of the last arbitration
	highest   *p4.Uint128
}

func newUnit(u Unit, r *Replicated, conf *Config, ready func()) (*unit, error) {
	n := &unit{Unit: u, r: r, conf: conf, log: conf.Log.With("unit", u.Name), ready: sync.OnceFunc(ready)}
	switches, end, err := u.Make(context.Background(), store.NewMemory())
	if err != nil {
		return nil, err
	}
	if end != nil {
		defer end()
	}
	trial := *conf
	trial.Switches = switches
	list, err := trial.sessions()
	if err != nil {
		return nil, err
	}
	closeAll(list)
	for i, s := range list {
		switches[i].Name = s.Name()
		n.backups = append(n.backups, &backup{conf: switches[i], program: s.App().Name()})
	}
	return n, nil
}

// run campaigns for the unit, and serves it while this controller is the primary, until ctx ends.
func (u *unit) run(ctx context.Context) {
	defer u.ready()
	u.set(func() { u.out = time.Now() })
	again := &backoff.ExponentialBackOff{InitialInterval: campaignAgain, Multiplier: 2, RandomizationFactor: 0.5, MaxInterval: campaignLatest}
	for {
		c, err := u.r.Store.Campaign(ctx, u.Name)
		if err == nil {
			again.Reset()
			u.set(func() { u.out, u.why = time.Time{}, nil })
			err = u.standBy(ctx, c)
			u.set(func() { u.out = time.Now() })
			c.Close()
		}
		if ctx.Err() != nil {
			return
		}
		u.set(func() { u.holder, u.here, u.why = store.Holder{}, false, err })
		pause := again.NextBackOff()
		u.log.Warn("not a candidate", "err", err, "retry_in", pause)
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

func (u *unit) set(fn func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	fn()
}

// standBy waits until this controller is elected, looking at the switches meanwhile, and then serves them.
func (u *unit) standBy(ctx context.Context, c *store.Candidate) error {
	stop := u.look(ctx)
	defer stop()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	var gone absence
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.Done():
			return c.Err()
		case <-c.Elected():
			stop()
			return u.hold(ctx, c)
		case <-tick.C:
		}
		h, next, known := c.Holder()
		if !known || uint64(h.Number) == c.Number() {
			continue
		}
		u.set(func() { u.holder = h })
		u.ready()
		if next && gone.is(time.Now(), h, u.seen()) {
			u.log.Warn("the switches have lost their primary: it is preempted", "holder", h.Name)
			dctx, cancel := context.WithTimeout(ctx, time.Second)
			if err := c.Preempt(dctx, h); err != nil {
				u.log.Warn("primary not preempted", "err", err)
			}
			cancel()
		}
	}
}

// sight is what switches report of a primary.
type sight struct{ switches, connected, primary int }

func (u *unit) seen() (s sight) {
	u.mu.Lock()
	defer u.mu.Unlock()
	s.switches = len(u.backups)
	for _, b := range u.backups {
		if b.connected {
			s.connected++
		}
		if b.connected && b.code != codes.NotFound {
			s.primary++
		}
	}
	return s
}

// absence is since when the switches have not seen a primary.
type absence struct {
	number int64
	seen   bool // it had been
	since  time.Time
}

// is reports whether a primary is gone: most switches can be asked, and none has a primary.
func (a *absence) is(now time.Time, h store.Holder, s sight) bool {
	if a.number != h.Number {
		*a = absence{number: h.Number, since: now}
	}
	if s.primary > 0 {
		a.seen, a.since = true, now
	}
	if 2*s.connected <= s.switches {
		a.since = now
	}
	limit := lateFor
	if a.seen {
		limit = absentFor
	}
	return now.Sub(a.since) >= limit
}

// look connects to the switches as a backup, until it is stopped.
func (u *unit) look(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	for _, b := range u.backups {
		u.set(func() { b.connected = false })
		o := b.conf.P4RT
		o.Backup, o.BackoffMax = true, min(backupRetry, max(o.BackoffMax, o.BackoffMin))
		if o.BackoffMax == 0 {
			o.BackoffMax = backupRetry
		}
		client, err := p4rtclient.New(o)
		if err != nil {
			u.log.Error("this standby cannot reach a switch", "switch", b.conf.Name, "err", err)
			continue
		}
		all.Go(func() {
			defer client.Close()
			_ = client.Run(ctx, p4rtclient.Handler{ // ctx's error
				Arbitration: func(code codes.Code, highest *p4.Uint128) {
					u.set(func() { b.connected, b.code, b.highest = true, code, highest })
				},
				Disconnected: func(error) { u.set(func() { b.connected = false }) },
			})
		})
	}
	return func() { cancel(); all.Wait() }
}

// hold serves the switches until the term ends.
func (u *unit) hold(ctx context.Context, c *store.Candidate) error {
	id := p4.Uint128{High: u.r.ElectionHigh, Low: c.Number()}
	u.log.Info("this controller is the primary", "number", c.Number())
	for _, b := range u.backups {
		if h := b.highest; h.GetHigh() > id.High || h.GetHigh() == id.High && h.GetLow() > id.Low {
			u.log.Error("a switch has seen a higher election id than this controller's, and refuses it [is etcd new, or restored from an old state? give all controllers a higher --election-id]",
				"switch", b.conf.Name, "seen", fmt.Sprint(h.GetHigh(), "/", h.GetLow()), "own", fmt.Sprint(id.High, "/", id.Low))
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-c.Done():
			cancel()
		case <-ctx.Done():
		}
	}()
	switches, end, err := u.Make(ctx, c)
	if err != nil {
		return err
	}
	if end != nil {
		defer end()
	}
	conf := *u.conf
	conf.Switches = switches
	for i := range conf.Switches {
		o := &conf.Switches[i].P4RT
		o.ElectionHigh, o.ElectionLow, o.May = id.High, id.Low, c.May
	}
	list, err := conf.sessions()
	if err != nil {
		return err
	}
	var all, ready sync.WaitGroup
	u.set(func() {
		u.sessions, u.candidate, u.here = list, c, true
		u.holder = store.Holder{Name: u.r.Store.Name(), Since: time.Now().UTC(), Number: int64(id.Low)}
	})
	defer u.set(func() { u.sessions, u.candidate, u.here, u.holder = nil, nil, false, store.Holder{} })
	c.RenewWhile(func(ctx context.Context) error { return alive(ctx, list) })
	for _, s := range list {
		ready.Add(1)
		s.OnReady(ready.Done)
		all.Go(func() { _ = s.Run(ctx) }) // ctx's error
	}
	all.Go(func() {
		ready.Wait()
		if ctx.Err() == nil {
			u.log.Info("this controller has taken the switches over")
			u.ready()
		}
	})
	all.Wait()
	if err := c.Err(); err != nil {
		return err
	}
	return errors.New("ended")
}

// alive returns when the loops of all sessions have come round. Its error names those that have not.
func alive(ctx context.Context, list []*session.Session) error {
	errs := make([]error, len(list))
	var all sync.WaitGroup
	for i, s := range list {
		all.Go(func() { errs[i] = s.Alive(ctx) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// status is what the admin API says of the unit.
func (u *unit) status() (s admin.UnitStatus, elsewhere []admin.SwitchStatus) {
	u.mu.Lock()
	defer u.mu.Unlock()
	s = admin.UnitStatus{Name: u.Name, Holder: u.holder.Name, Here: u.here}
	if u.holder.Number != 0 {
		since := u.holder.Since
		s.Since = &since
	}
	for _, b := range u.backups {
		s.Switches = append(s.Switches, b.conf.Name)
		if !u.here {
			elsewhere = append(elsewhere, admin.SwitchStatus{Name: b.conf.Name, Address: b.conf.P4RT.Address, Program: b.program, Connected: b.connected})
		}
	}
	return s, elsewhere
}

// health reports what is wrong with the store of records while this controller is the primary; otherwise, that it could
// not take over.
func (u *unit) health() error {
	u.mu.Lock()
	c, out, why := u.candidate, u.out, u.why
	u.mu.Unlock()
	if d := time.Since(out); !out.IsZero() && d > healthTimeout {
		err := fmt.Errorf("unit %s: this controller has not been a candidate for %v, and cannot take over [does etcd answer?]", u.Name, d.Round(time.Second))
		if why != nil {
			err = fmt.Errorf("%w: %w", err, why)
		}
		return err
	}
	if c == nil {
		return nil
	}
	if err := c.Health(); err != nil {
		return fmt.Errorf("unit %s: %w", u.Name, err)
	}
	return nil
}

// live are the sessions of a unit that this controller acts on.
func (u *unit) live() []*session.Session {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.sessions
}
