// Package failover measures how long a replicated store cannot decide anything
// after a fault: Table IV of the P4CE paper (section V-E), as its clients see it.
//
// Clients write to the leader without a pause, over connections of their own to
// every server. A fault is made; the interruption is the longest time between two
// successive answers around it. Direct and accelerated mode are measured in the
// same run. What runs the store, and breaks it, is a Cluster.
package failover

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"
)

// Cluster is a running store.
type Cluster interface {
	// Servers is the number of servers; Dial connects to one as a client.
	Servers() int
	Dial(server int) (net.Conn, error)
	// Kill ends a server without warning, Restart starts it again, with its disk.
	Kill(server int)
	Restart(server int) error
	// SwitchDown makes the switch and its network dead, SwitchUp brings them back.
	SwitchDown() error
	SwitchUp() error
	// Whole waits until one server leads, in the mode, and all others follow as full
	// members. It returns the leader.
	Whole(ctx context.Context, mode string) (int, error)
	// Forming returns, for groups formed since the last call, the time from request
	// to answer, and the part of it that was the controller's and the switch's own.
	Forming(ctx context.Context) (total, own []time.Duration, err error)
	// Changes returns how many terms somebody has asked for so far, and how often a leader
	// has fallen back to direct mode.
	Changes() (terms, fallbacks int)
}

// Events that are measured.
const (
	NoCrash        = "no crash" // what the machine itself costs
	CrashedReplica = "crashed replica"
	CrashedLeader  = "crashed leader"
	CrashedSwitch  = "crashed switch"
	FormingGroup   = "forming a group"
	FormingOwn     = "forming a group, controller and switch"
)

// Sample is one measurement.
type Sample struct {
	Event, Mode string
	Round       int
	Took        time.Duration
}

// Alarms are what servers did under full load, with nobody crashed.
type Alarms struct {
	Mode      string
	Terms     int // that were asked for
	Fallbacks int // to direct mode
	Over      time.Duration
	Answers   int // that clients got
}

// PerHour is how many there were, scaled to an hour.
func (a Alarms) PerHour() float64 {
	return float64(a.Terms+a.Fallbacks) / a.Over.Hours()
}

// Around is how much of the time before and after a fault is kept for the
// timeline.
const Around = 300 * time.Millisecond

// Result is everything that was measured.
type Result struct {
	Servers int
	Samples []Sample
	// Answers are the times of answers around the faults, relative to these, per
	// event and mode.
	Answers map[Key][]time.Duration
	Rounds  map[Key]int
	Alarms  []Alarms
}

// Key is what a timeline is of.
type Key struct{ Event, Mode string }

// Options shape a measurement.
type Options struct {
	Rounds   int
	Clients  int // per server
	Progress func(format string, args ...any)
	// Settle is how long a cluster may take to be whole again after a fault.
	Settle time.Duration
}

// Measure measures one mode, "direct" or "accelerated", which the cluster is in, and
// adds to r.
func Measure(ctx context.Context, c Cluster, mode string, o Options, r *Result) error {
	load := startLoad(ctx, c, o.Clients, pause)
	defer load.stop()
	if r.Answers == nil {
		r.Answers, r.Rounds = map[Key][]time.Duration{}, map[Key]int{}
	}
	r.Servers = c.Servers()
	leader, err := whole(ctx, c, mode, o.Settle)
	if err != nil {
		return err
	}
	if _, _, err := c.Forming(ctx); err != nil {
		return err
	}
	for _, event := range []string{NoCrash, CrashedReplica, CrashedLeader, CrashedSwitch} {
		for round := range o.Rounds {
			o.Progress("%s mode, %s: %d of %d", mode, event, round+1, o.Rounds)
			victim := leader
			switch event {
			case CrashedReplica:
				// The last one: the first ones are needed to lead.
				if victim = c.Servers() - 1; victim == leader {
					victim--
				}
			}
			at := time.Now()
			switch event {
			case NoCrash:
			case CrashedSwitch:
				err = c.SwitchDown()
			default:
				c.Kill(victim)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", event, err)
			}
			took, err := load.interruption(ctx, at, o.Settle)
			if err != nil {
				return fmt.Errorf("%s mode, %s: %w", mode, event, err)
			}
			r.Samples = append(r.Samples, Sample{event, mode, round, took})
			key := Key{event, mode}
			r.Answers[key] = append(r.Answers[key], load.around(at)...)
			r.Rounds[key]++
			up := time.Now()
			switch event {
			case NoCrash:
				continue
			case CrashedSwitch:
				err = c.SwitchUp()
			default:
				err = c.Restart(victim)
			}
			if err != nil {
				return fmt.Errorf("after %s: %w", event, err)
			}
			if leader, err = whole(ctx, c, mode, o.Settle); err != nil {
				return fmt.Errorf("%s mode, after %s: %w", mode, event, err)
			}
			if err := wait(ctx, time.Until(up.Add(lasting))); err != nil {
				return err
			}
			if mode == "accelerated" {
				total, own, err := c.Forming(ctx)
				if err != nil {
					return err
				}
				for i := range total {
					n := len(r.Samples)
					r.Samples = append(r.Samples, Sample{FormingGroup, mode, n, total[i]}, Sample{FormingOwn, mode, n, own[i]})
				}
			}
		}
	}
	return nil
}

// Calm counts false alarms of one mode, which the cluster is in: nothing is broken, and
// o.Clients clients per server write as fast as they are answered.
func Calm(ctx context.Context, c Cluster, mode string, over time.Duration, o Options, r *Result) error {
	if _, err := whole(ctx, c, mode, o.Settle); err != nil {
		return err
	}
	o.Progress("%s mode: false alarms in %v", mode, over)
	load := startLoad(ctx, c, o.Clients, rest)
	defer load.stop()
	// A server that was restarted may take the lead back, which is no false alarm.
	if err := wait(ctx, warmUp); err != nil {
		return err
	}
	if _, err := whole(ctx, c, mode, o.Settle); err != nil {
		return err
	}
	terms, fallbacks := c.Changes()
	begin := time.Now()
	if err := wait(ctx, over); err != nil {
		return err
	}
	a := Alarms{Mode: mode, Over: time.Since(begin)}
	a.Terms, a.Fallbacks = c.Changes()
	a.Terms, a.Fallbacks = a.Terms-terms, a.Fallbacks-fallbacks
	load.mu.Lock()
	a.Answers = len(load.answers)
	load.mu.Unlock()
	if a.Answers == 0 {
		return fmt.Errorf("%s mode: no client was answered in %v", mode, over)
	}
	r.Alarms = append(r.Alarms, a)
	return nil
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// lasting is how long what was broken works again before the next crash, which is to be the only one. All servers
// have connected to one that has restarted by then, not the leader alone; and the kernel tells of a link that goes down
// within a second after it came up later, and together (linkwatch).
const lasting = 2 * time.Second

// warmUp is how long a store is loaded before false alarms count.
const warmUp = time.Second

// load is clients that write all the time, and when they were answered.
type load struct {
	cancel context.CancelFunc
	wg     sync.WaitGroup
	pause  time.Duration

	mu      sync.Mutex
	answers []time.Time // in order
}

func startLoad(ctx context.Context, c Cluster, clients int, pause time.Duration) *load {
	ctx, cancel := context.WithCancel(ctx)
	l := &load{cancel: cancel, pause: pause}
	for s := range c.Servers() {
		for k := range clients {
			l.wg.Go(func() { l.client(ctx, c, s, fmt.Sprintf("failover:%d:%d", s, k)) })
		}
	}
	return l
}

func (l *load) stop() {
	l.cancel()
	l.wg.Wait()
}

// How long a client waits for a server that does not lead: pause where the first answer of
// the next leader counts, rest where all load is to be the leader's.
const (
	pause = 500 * time.Microsecond
	rest  = 20 * time.Millisecond
)

// client writes to one server; only the leader's answers count.
func (l *load) client(ctx context.Context, c Cluster, server int, key string) {
	wait := func() bool {
		select {
		case <-time.After(l.pause):
			return true
		case <-ctx.Done():
			return false
		}
	}
	for i := 0; ; {
		conn, err := c.Dial(server)
		if err != nil {
			if !wait() {
				return
			}
			continue
		}
		stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
		in := bufio.NewReader(conn)
		for ; ; i++ {
			if _, err := fmt.Fprintf(conn, "SET %s %d\r\n", key, i); err != nil {
				break
			}
			line, err := in.ReadString('\n')
			if err != nil {
				break
			}
			if strings.HasPrefix(line, "+OK") {
				l.mu.Lock()
				l.answers = append(l.answers, time.Now())
				l.mu.Unlock()
			} else if !wait() {
				break
			}
		}
		stop()
		_ = conn.Close()
		if !wait() {
			return
		}
	}
}

// interruption waits until answers have come for a while after a fault, and returns
// the longest time between two answers, the first of them not long before it.
func (l *load) interruption(ctx context.Context, at time.Time, limit time.Duration) (time.Duration, error) {
	deadline := at.Add(limit)
	for {
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		now := time.Now()
		if now.Before(at.Add(Around)) {
			continue
		}
		l.mu.Lock()
		first, _ := slices.BinarySearchFunc(l.answers, at, time.Time.Compare)
		answers := slices.Clone(l.answers[max(first-1, 0):])
		l.mu.Unlock()
		// Answers that were under way at the fault do not end an interruption: look at
		// a whole stretch behind it, which must end with service.
		if len(answers) < 2 || now.Sub(answers[len(answers)-1]) > 50*time.Millisecond || answers[len(answers)-1].Before(at.Add(Around*2/3)) {
			if now.After(deadline) {
				return 0, fmt.Errorf("nothing is decided %v after it", limit)
			}
			continue
		}
		var longest time.Duration
		for i := 1; i < len(answers); i++ {
			longest = max(longest, answers[i].Sub(answers[i-1]))
		}
		return longest, nil
	}
}

// around returns the answers around a fault, relative to it, and forgets older ones.
func (l *load) around(at time.Time) []time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []time.Duration
	for _, a := range l.answers {
		if d := a.Sub(at); d >= -Around && d <= Around {
			out = append(out, d)
		}
	}
	l.answers = l.answers[:0]
	return out
}

// whole waits until the store is whole again, for a while.
func whole(ctx context.Context, c Cluster, mode string, limit time.Duration) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return c.Whole(ctx, mode)
}
