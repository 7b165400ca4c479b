package fleet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/p4ce/p4ce/ctrl/looptime"
)

// packetsSize is how many packets may wait for the core, asidesSize how many looks at it. A packet that does not fit is
// dropped and counted, as a network would: whoever sent it repeats it.
const (
	packetsSize = 4096
	asidesSize  = 256
)

// Core decides for all switches. It wants Os, and is called on the loop only.
type Core[O any] interface {
	// Poll takes the next thing that the core wants.
	Poll() (O, bool)
	// Deadline is when Tick must be called, in the loop's time.
	Deadline() time.Duration
	Tick(now time.Duration)
	// Halt says that records can no longer be stored, so the core does nothing more.
	Halt(err error)
}

// Config is what a loop needs. R is a record, O what the core wants.
type Config[R, O any] struct {
	Journal Journal[R]
	// Out carries out what the core wants, on the loop.
	Out func(O)
	// Anytime accepts what may be done before records are stored: what changes nothing.
	Anytime func(O) bool
	// Log is told when a record cannot be stored.
	Log *slog.Logger
}

// Loop is the goroutine that a core lives on. Its methods may be called from any goroutine.
type Loop[R, O any] struct {
	conf    Config[R, O]
	core    Core[O]
	gate    *Gate[R, O]
	scribe  *scribe[R]
	packets chan func()
	asides  chan func()   // what rests on no record
	some    chan struct{} // there are events
	outcome chan error    // of the record that is on its way
	clock   *looptime.Clock
	ended   sync.WaitGroup
	stop    context.CancelFunc
	life    context.Context

	mu      sync.Mutex
	events  []event
	dropped uint64
}

// event must not be lost on its way to the core.
type event struct {
	about string // what it says all about; or nothing
	do    func()
}

// New makes a loop, which ends with ctx. Start starts it, with a core that was made with Journal; Close waits for its
// end.
func New[R, O any](ctx context.Context, conf Config[R, O]) *Loop[R, O] {
	l := &Loop[R, O]{
		conf: conf, gate: NewGate(conf.Journal.Records(), conf.Out, conf.Anytime), packets: make(chan func(), packetsSize),
		asides: make(chan func(), asidesSize), some: make(chan struct{}, 1), outcome: make(chan error, 1), clock: looptime.New(),
	}
	l.life, l.stop = context.WithCancel(ctx)
	l.scribe = newScribe(conf.Journal, conf.Log, l.life.Done(), func(err error) { l.outcome <- err })
	return l
}

// Journal is what the core records in. It has the records of before.
func (l *Loop[R, O]) Journal() Journal[R] { return l.gate }

// Start runs the loop.
func (l *Loop[R, O]) Start(core Core[O]) {
	l.core = core
	l.ended.Go(l.scribe.run)
	l.ended.Go(l.run)
}

// Close ends the loop. The journal is not used any more when it returns.
func (l *Loop[R, O]) Close() {
	l.stop()
	l.ended.Wait()
}

// Life ends with the loop.
func (l *Loop[R, O]) Life() context.Context { return l.life }

// Now is the loop's time, in the event that runs: what has passed since it was made, but for when it stood still.
func (l *Loop[R, O]) Now() time.Duration { return l.clock.Now() }

func (l *Loop[R, O]) run() {
	l.gate.Pass(l.core.Poll, false) // what it wanted when it was made
	due := l.core.Deadline()
	timer := time.NewTimer(l.clock.Until(due))
	defer timer.Stop()
	storing := false
	for l.life.Err() == nil {
		if !storing {
			if r, ok := l.gate.Next(); ok {
				storing = true
				l.scribe.begin(r)
			}
		}
		packets, some, tick := l.packets, l.some, timer.C
		if l.gate.Shut() {
			packets, some, tick = nil, nil, nil
		}
		select {
		case <-l.life.Done():
		case fn := <-l.asides:
			l.clock.Wake(due)
			fn()
			l.gate.Pass(l.core.Poll, true)
			continue
		case err := <-l.outcome:
			storing = false
			l.clock.Wake(due)
			if err == nil {
				l.gate.Stored()
				break
			}
			l.gate.Fail(err)
			l.core.Halt(err)
			l.gate.Pass(l.core.Poll, false)
		case fn := <-packets:
			l.clock.Wake(due)
			l.step(fn)
		case <-some:
			l.clock.Wake(due)
			if do := l.event(); do != nil {
				l.step(do)
			}
		case <-tick:
			l.clock.Wake(due)
			l.step(func() { l.core.Tick(l.Now()) })
		}
		due = l.core.Deadline()
		timer.Reset(l.clock.Until(due))
	}
}

// step has the core do something.
func (l *Loop[R, O]) step(fn func()) {
	fn()
	l.gate.Pass(l.core.Poll, false)
}

// event takes the next event; nil: it was replaced, and has been taken.
func (l *Loop[R, O]) event() func() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.events) == 0 {
		return nil
	}
	do := l.events[0].do
	if l.events = l.events[1:]; len(l.events) > 0 {
		l.signal()
	}
	return do
}

func (l *Loop[R, O]) signal() {
	select {
	case l.some <- struct{}{}:
	default:
	}
}

// Post hands an event to the core's goroutine. It does not wait, and nothing is lost: callers bound how many events may
// wait, for instance by asking each switch one thing at a time.
func (l *Loop[R, O]) Post(fn func()) { l.Replace("", fn) }

// Replace is Post for what says all about something: an event about it that still waits is dropped. About "" nothing is
// known.
func (l *Loop[R, O]) Replace(about string, fn func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if about != "" {
		l.events = slices.DeleteFunc(l.events, func(e event) bool { return e.about == about })
	}
	l.events = append(l.events, event{about, fn})
	l.signal()
}

// Packet hands over a packet, which may be lost: when there is no room it is counted.
func (l *Loop[R, O]) Packet(fn func()) { l.offer(l.packets, fn) }

// Aside is Packet for what rests on no record, and may be answered while one is stored: ARP.
func (l *Loop[R, O]) Aside(fn func()) { l.offer(l.asides, fn) }

func (l *Loop[R, O]) offer(to chan<- func(), fn func()) {
	select {
	case to <- fn:
	default:
		l.mu.Lock()
		l.dropped++
		l.mu.Unlock()
	}
}

// Dropped is how many packets found no room.
func (l *Loop[R, O]) Dropped() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dropped
}

// errEnding is what requests are told that come late.
var errEnding = errors.New("the controller is ending")

// Look runs a function that only looks, on the core's goroutine, and waits for it. It is not held up by the journal.
func (l *Loop[R, O]) Look(ctx context.Context, fn func()) error {
	done := make(chan struct{})
	select {
	case l.asides <- func() { fn(); close(done) }:
	case <-ctx.Done():
		return ctx.Err()
	case <-l.life.Done():
		return errEnding
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-l.life.Done():
		return errEnding
	}
}

// Ask has the core do something, and returns its outcome when all that it recorded is stored. What ctx ends before may
// be done all the same, unless it had not begun.
func (l *Loop[R, O]) Ask(ctx context.Context, fn func() error) error {
	done := make(chan error, 1)
	l.Post(func() {
		err := ctx.Err()
		if err == nil {
			err = fn()
		}
		l.gate.Reply(func(failed error) { done <- errors.Join(err, failed) })
	})
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		if why := l.Health(); why != nil {
			return fmt.Errorf("%w: %w", ctx.Err(), why)
		}
		return ctx.Err()
	case <-l.life.Done():
		return errEnding
	}
}

// Health says what is not stored, and why. It does not wait.
func (l *Loop[R, O]) Health() error { return l.scribe.health() }

// Stalled returns an error when another controller might do better: the loop does not come round before ctx ends, or the
// journal does not answer at all, or has failed. A journal without room has none for another controller either.
func (l *Loop[R, O]) Stalled(ctx context.Context) error {
	if err := l.Look(ctx, func() {}); err != nil && l.life.Err() == nil {
		return fmt.Errorf("the controller's loop does not answer: %w", err)
	}
	return l.scribe.stalled()
}

// Refused is how often a record was not stored.
func (l *Loop[R, O]) Refused() uint64 { return l.scribe.failures() }
