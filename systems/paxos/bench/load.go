package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/systems/paxos"
)

// host is a host of a log, with a state machine: a store of strings. What it is told by a value
// is in answer when the value's proposer hears of it.
type host struct {
	*paxos.Log
	store  map[string]string
	answer string
	kept   *kept // a store on disk, in place of all of that; nil: there is none
}

// submit proposes a value. done gets the state machine's answer.
func (h *host) submit(value string, done func(answer string, err error)) error {
	if h.kept != nil {
		return h.kept.submit(value, done)
	}
	return h.Go([]byte(value), func(_ uint64, err error) { done(h.answer, err) })
}

// Close ends the host.
func (h *host) Close() error {
	if h.kept != nil {
		return h.kept.Close()
	}
	return h.Log.Close()
}

// apply is the state machine: "put KEY VALUE", "get KEY"; all else is an echo.
func (h *host) apply(e paxos.Entry) {
	if e.Client == 0 {
		return
	}
	switch v := string(e.Value); {
	case strings.HasPrefix(v, "put "):
		key, value, _ := strings.Cut(v[4:], " ")
		h.store[key], h.answer = value, ""
	case strings.HasPrefix(v, "get "):
		h.answer = h.store[v[4:]]
	default:
		h.answer = v
	}
}

// keys of the store.
const keys = 1000

// workload is what is proposed: the values one after the other, and what is wrong with an answer.
type workload struct {
	name  string
	value func(i int) string
	check func(i int, answer string) bool
}

// workloads are those of the paper's figure 7: an echo of values of 32 bytes, and a store, to which
// every other value is a put. A get and the put before it are under way at once: either may be first.
func workloads() []workload {
	echo := func(i int) string { return fmt.Sprintf("%032d", i) }
	put := func(i int) string { return fmt.Sprintf("%020d", i) }
	return []workload{
		{"echo", echo, func(i int, answer string) bool { return answer == echo(i) }},
		{"store", func(i int) string {
			if i%2 == 0 {
				return fmt.Sprintf("put key%d %s", i/2%keys, put(i))
			}
			return fmt.Sprintf("get key%d", i/2%keys)
		}, func(i int, answer string) bool {
			if i%2 == 0 || answer == "" {
				return true // nothing was put there yet
			}
			j, err := strconv.Atoi(answer)
			return err == nil && j%2 == 0 && j/2%keys == i/2%keys // what somebody has put there
		}},
	}
}

// keptWorkload is that store on disk.
func keptWorkload() workload {
	w := workloads()[1]
	w.name = onDisk
	return w
}

// offered is what became of the values of a run.
type offered struct {
	times  []time.Duration // until each was decided, in the order of deciding
	at     []time.Time     // when that was, the same
	took   time.Duration
	wrong  int
	failed error
}

// rate is values per second.
func (o *offered) rate() float64 { return float64(len(o.times)) / o.took.Seconds() }

// quantile is of the times, which are sorted from then on.
func (o *offered) quantile(q float64) time.Duration {
	slices.Sort(o.times)
	return o.times[min(int(q*float64(len(o.times))), len(o.times)-1)]
}

// run proposes values until next says that there are no more. It is asked when the one before has
// been proposed and as many are under way as window says, at most, and says from when the time of
// a value counts.
func (h *host) run(ctx context.Context, w workload, window int, next func(i int) (from time.Time, more bool)) (*offered, error) {
	o := &offered{}
	var mu sync.Mutex
	free := make(chan struct{}, window)
	decided := make(chan struct{}, 1)
	start := time.Now()
	count := 0
	for i := 0; ; i++ {
		select {
		case free <- struct{}{}:
		case <-ctx.Done():
			return nil, fmt.Errorf("%d of %d values were decided: %w", count, i, ctx.Err())
		}
		from, more := next(i)
		if !more {
			<-free
			break
		}
		count++
		done := func(answer string, err error) {
			now := time.Now()
			mu.Lock()
			o.add(w, i, answer, err, from, now)
			mu.Unlock()
			<-free
			select {
			case decided <- struct{}{}:
			default:
			}
		}
		for {
			err := h.submit(w.value(i), done)
			if err == nil {
				break
			}
			// The oldest value is not decided yet, and so many later ones are.
			if !errors.Is(err, paxos.ErrWindow) || ctx.Err() != nil {
				return nil, errors.Join(err, ctx.Err())
			}
			select {
			case <-decided:
			case <-ctx.Done():
			}
		}
	}
	for range window { // the last ones
		select {
		case free <- struct{}{}:
		case <-ctx.Done():
			return nil, fmt.Errorf("%s: the last values are not decided: %w", w.name, ctx.Err())
		}
	}
	mu.Lock()
	defer mu.Unlock()
	o.took = time.Since(start)
	if err := o.check(w, count); err != nil {
		return nil, err
	}
	return o, nil
}

// closed keeps as many values under way as window says, for a while.
func (h *host) closed(ctx context.Context, w workload, window int, d time.Duration) (*offered, error) {
	end := time.Now().Add(d)
	if h.kept != nil { // its answers come from several goroutines
		return h.run(ctx, w, window, func(int) (time.Time, bool) {
			now := time.Now()
			return now, now.Before(end)
		})
	}
	c := &closedLoop{host: h, load: w, end: end, o: &offered{}, over: make(chan struct{})}
	start := time.Now()
	c.mu.Lock()
	c.propose(start, window)
	c.mu.Unlock()
	select {
	case <-c.over:
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: the last values are not decided: %w", w.name, ctx.Err())
	}
	c.o.took = time.Since(start)
	if err := c.o.check(w, c.next); err != nil {
		return nil, err
	}
	return c.o, nil
}

// closedLoop proposes a value when one is decided, on the goroutine that has applied it.
type closedLoop struct {
	host *host
	load workload
	end  time.Time
	over chan struct{} // closed when all are decided

	mu    sync.Mutex // guards what follows
	o     *offered
	next  int
	open  int // values under way
	spare int // values that may be proposed, and for which there was no number
}

// propose proposes so many values and those that there was no number for. The lock is held.
func (c *closedLoop) propose(now time.Time, n int) {
	for c.spare += n; c.spare > 0 && now.Before(c.end) && c.o.failed == nil; c.spare-- {
		i := c.next
		err := c.host.submit(c.load.value(i), func(answer string, err error) { c.done(i, now, answer, err) })
		if errors.Is(err, paxos.ErrWindow) && c.open > 0 {
			return // the oldest value is not decided yet, and so many later ones are
		}
		if err != nil {
			c.o.failed = err
			break
		}
		c.next++
		c.open++
	}
	if c.open == 0 {
		close(c.over)
	}
}

func (c *closedLoop) done(i int, from time.Time, answer string, err error) {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.o.add(c.load, i, answer, err, from, now)
	c.open--
	c.propose(now, 1)
}

// add notes what became of a value.
func (o *offered) add(w workload, i int, answer string, err error, from, now time.Time) {
	o.times, o.at, o.failed = append(o.times, now.Sub(from)), append(o.at, now), errors.Join(o.failed, err)
	if err == nil && !w.check(i, answer) {
		o.wrong++
	}
}

// check says what is wrong with a run.
func (o *offered) check(w workload, proposed int) error {
	if o.wrong > 0 {
		return fmt.Errorf("%s: %d of %d answers are wrong", w.name, o.wrong, proposed)
	}
	if len(o.times) == 0 {
		return fmt.Errorf("%s: nothing was proposed", w.name)
	}
	return o.failed
}

// MaxWindow is how many values may be under way, and are when their rate is given.
const MaxWindow = 256

// open proposes values at a rate. Their time counts from when they were due, whatever held them up.
// at is called when one is due.
func (h *host) open(ctx context.Context, w workload, rate float64, d time.Duration, at func(since time.Duration)) (*offered, error) {
	// The kernel lets timers of this thread come as late as the slack, 50 us by default.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	defer unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0)
	start, count := time.Now(), int(rate*d.Seconds())
	return h.run(ctx, w, MaxWindow, func(i int) (time.Time, bool) {
		since := time.Duration(float64(i) / rate * float64(time.Second))
		due := start.Add(since)
		for left := time.Until(due); left > 0; left = time.Until(due) {
			// Not by the runtime's timers, which come when it suits its poller.
			ts := unix.NsecToTimespec(int64(left))
			_ = unix.Nanosleep(&ts, nil) // interrupted: the rest
		}
		if at != nil {
			at(since)
		}
		return due, i < count
	})
}
