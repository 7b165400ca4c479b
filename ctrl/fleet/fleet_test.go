package fleet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/p4ce/p4ce/ctrl/fleet/fleettest"
	"github.com/p4ce/p4ce/ctrl/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// note is what may leave at any time.
const note = 0

// TestScribe: a controller lives with a journal that has no room, as no other one has more; not with one that
// does not answer, or has failed.
func TestScribe(t *testing.T) {
	j, ending, outcome := &fleettest.Journal[int]{}, make(chan struct{}), make(chan error, 1)
	s := newScribe(j, slog.New(slog.DiscardHandler), ending, func(err error) { outcome <- err })
	s.again = time.Millisecond
	var running sync.WaitGroup
	running.Go(s.run)
	defer running.Wait()
	defer close(ending)
	s.begin(1)
	require.NoError(t, <-outcome)
	require.NoError(t, s.health())
	j.Set(nil, store.ErrNoSpace)
	s.begin(2)
	require.Eventually(t, func() bool { return s.failures() > 3 }, time.Minute, time.Millisecond)
	require.ErrorIs(t, s.health(), store.ErrNoSpace)
	require.NoError(t, s.stalled())
	still := make(chan struct{})
	j.Set(still, nil)
	close(still)
	require.NoError(t, <-outcome)
	require.NoError(t, s.health())
	require.Equal(t, []int{1, 2}, j.Records(), "each is stored once")
	still = make(chan struct{})
	goOn := sync.OnceFunc(func() { close(still) })
	defer goOn()
	j.Set(still, nil)
	s.begin(3)
	require.Eventually(t, func() bool { return s.stalled() != nil }, time.Minute, 10*time.Millisecond)
	require.ErrorContains(t, s.stalled(), "the journal has not answered for")
	goOn()
	require.NoError(t, <-outcome)
	require.NoError(t, s.stalled())
	j.Set(nil, errors.New("no disk"))
	s.begin(4)
	require.ErrorContains(t, <-outcome, "no disk")
	require.ErrorContains(t, s.stalled(), "no disk")
	require.ErrorContains(t, s.health(), "no disk")
}

// TestGate: what a core wants leaves in order, each when the records before it are stored; and nothing after one that
// cannot be.
func TestGate(t *testing.T) {
	var left []int
	var told []error
	g := NewGate([]int(nil), func(o int) { left = append(left, o) }, func(o int) bool { return o == note })
	// pass has the gate take what a core wants.
	pass := func(free bool, wants ...int) []int {
		g.Pass(func() (o int, ok bool) {
			if len(wants) == 0 {
				return 0, false
			}
			o, wants = wants[0], wants[1:]
			return o, true
		}, free)
		out := left
		left = nil
		return out
	}
	step := func(records int) {
		for range records {
			require.NoError(t, g.Append(7))
		}
		g.Reply(func(err error) { told = append(told, err) })
	}
	step(0)
	require.Equal(t, []int{note, 1}, pass(false, 1, note), "nothing was recorded, and the log need not wait its turn")
	step(2)
	require.Equal(t, []int{note}, pass(false, 2, note), "only the log is told")
	require.True(t, g.Shut())
	step(1)
	require.Equal(t, []int{note}, pass(false, 3, note))
	require.Equal(t, []int{9}, pass(true, 9), "it rests on no record")
	stored := func() []int {
		_, ok := g.Next()
		require.True(t, ok)
		g.Stored()
		return pass(false)
	}
	require.Empty(t, stored(), "one of two")
	require.Len(t, told, 1)
	require.Equal(t, []int{2}, stored())
	require.Equal(t, []error{nil, nil}, told)
	_, ok := g.Next()
	require.True(t, ok)
	g.Fail(errors.New("no disk"))
	require.Len(t, told, 3)
	require.ErrorContains(t, told[2], "no disk")
	step(0)
	require.Equal(t, []int{note}, pass(false, 4, note))
	require.Zero(t, g.Held(), "nothing is kept that will not leave")
	_, ok = g.Next()
	require.False(t, ok)
	require.False(t, g.Shut())
}

// counting is a core that does what it is told: it records, and wants.
type counting struct {
	journal Journal[int]
	wants   []int
	due     time.Duration
	ticks   []time.Duration
	halted  error
}

func (c *counting) Poll() (int, bool) {
	if len(c.wants) == 0 {
		return 0, false
	}
	o := c.wants[0]
	c.wants = c.wants[1:]
	return o, true
}

func (c *counting) Deadline() time.Duration { return c.due }
func (c *counting) Halt(err error)          { c.halted = err }

func (c *counting) Tick(now time.Duration) {
	c.ticks = append(c.ticks, now)
	c.due = 1 << 60
}

// fleet is a loop with a core, and what has left it.
type fleet struct {
	*Loop[int, int]
	core *counting
	mu   sync.Mutex
	left []int
}

func start(t *testing.T, j Journal[int]) *fleet {
	f := &fleet{}
	f.Loop = New(t.Context(), Config[int, int]{Journal: j, Log: slog.New(slog.DiscardHandler), Anytime: func(o int) bool { return o == note }, Out: func(o int) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.left = append(f.left, o)
	}})
	f.core = &counting{journal: f.Journal(), due: 1 << 60}
	f.Start(f.core)
	t.Cleanup(f.Close)
	return f
}

func (f *fleet) out() []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]int{}, f.left...)
}

// step has the core record something, and want something.
func (f *fleet) step(record, want int) func() {
	return func() {
		_ = f.core.journal.Append(record)
		f.core.wants = append(f.core.wants, want)
	}
}

// TestOrder: events run in the order in which they were posted, whoever posts, and what they lead to leaves in it, when
// it is stored.
func TestOrder(t *testing.T) {
	j := &fleettest.Journal[int]{}
	f := start(t, j)
	const n = 300
	var all sync.WaitGroup
	for who := range 3 {
		all.Go(func() {
			for i := range n {
				f.Post(f.step(who, 1+who+3*i))
			}
		})
	}
	all.Wait()
	require.NoError(t, f.Ask(t.Context(), func() error { return nil }), "an outcome comes after what was posted before")
	next := [3]int{}
	for _, o := range f.out() {
		who := (o - 1) % 3
		require.Equal(t, next[who], (o-1)/3)
		next[who]++
	}
	require.Equal(t, [3]int{n, n, n}, next)
	require.Len(t, j.Records(), 3*n)
}

// TestReplace: what says all about a switch replaces what was said before; of other things nothing is lost.
func TestReplace(t *testing.T) {
	f := start(t, &fleettest.Journal[int]{})
	busy, free := make(chan struct{}), make(chan struct{})
	f.Post(func() { close(busy); <-free })
	<-busy
	var ran []string
	say := func(s string) func() { return func() { ran = append(ran, s) } }
	f.Replace("a", say("a is up"))
	f.Post(say("one"))
	f.Replace("b", say("b is up"))
	f.Replace("a", say("a is down"))
	f.Post(say("two"))
	close(free)
	require.NoError(t, f.Ask(t.Context(), func() error { return nil }))
	require.Equal(t, []string{"one", "b is up", "a is down", "two"}, ran)
}

// TestStalls: while a record is not stored no step is taken, and what was wanted with it does not leave; looks are
// answered, and packets that find no room are counted.
func TestStalls(t *testing.T) {
	j := &fleettest.Journal[int]{}
	f := start(t, j)
	still := make(chan struct{})
	goOn := sync.OnceFunc(func() { close(still) })
	defer goOn()
	j.Set(still, nil)
	f.Post(f.step(5, 50))
	require.Eventually(t, func() bool {
		shut := false
		require.NoError(t, f.Look(t.Context(), func() { shut = f.gate.Shut() }))
		return shut
	}, time.Minute, time.Millisecond)
	stepped := make(chan struct{}, 1)
	f.Post(func() { stepped <- struct{}{} })
	go func() {
		for range packetsSize + 3 {
			f.Packet(func() {})
		}
	}()
	require.Eventually(t, func() bool { return f.Dropped() == 3 }, 20*time.Second, time.Millisecond)
	f.Aside(func() { f.core.wants = append(f.core.wants, 99) }) // ARP
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, f.Ask(short, func() error { return nil }), context.DeadlineExceeded)
	require.NoError(t, f.Look(t.Context(), func() {}))
	require.Equal(t, []int{99}, f.out(), "what rests on no record")
	require.Empty(t, stepped)
	j.Set(nil, nil)
	goOn()
	<-stepped
	require.NoError(t, f.Ask(t.Context(), func() error { return nil }))
	require.Equal(t, []int{99, 50}, f.out())
	require.NoError(t, f.Stalled(t.Context()))
}

// TestAskLate: what nobody waits for any more is not begun.
func TestAskLate(t *testing.T) {
	f := start(t, &fleettest.Journal[int]{})
	busy, free := make(chan struct{}), make(chan struct{})
	f.Post(func() { close(busy); <-free })
	<-busy
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, f.Ask(ctx, func() error { f.step(1, 1)(); return nil }), context.Canceled)
	close(free)
	require.NoError(t, f.Ask(t.Context(), func() error { return nil }))
	require.Empty(t, f.out())
}

// TestHalts: after a record that cannot be stored the core hears of it, nothing more leaves, and who waits is told.
func TestHalts(t *testing.T) {
	j := &fleettest.Journal[int]{}
	f := start(t, j)
	j.Set(nil, errors.New("no disk"))
	err := f.Ask(t.Context(), func() error { f.step(1, 10)(); return nil })
	require.ErrorContains(t, err, "no disk")
	var halted error
	require.NoError(t, f.Look(t.Context(), func() { halted = f.core.halted }))
	require.ErrorContains(t, halted, "no disk")
	j.Set(nil, nil)
	require.NoError(t, f.Ask(t.Context(), func() error { f.step(2, 20)(); return nil }), "it is the core that refuses")
	require.Empty(t, f.out())
	require.Empty(t, j.Records())
	require.ErrorContains(t, f.Stalled(t.Context()), "no disk")
	require.ErrorContains(t, f.Health(), "no disk")
}

// TestTick: the core is ticked when it wants to be, and not before.
func TestTick(t *testing.T) {
	f := start(t, &fleettest.Journal[int]{})
	var at time.Duration
	f.Post(func() { at = f.Now() + 30*time.Millisecond; f.core.due = at })
	require.Eventually(t, func() bool {
		var ticks []time.Duration
		require.NoError(t, f.Look(t.Context(), func() { ticks = f.core.ticks }))
		return len(ticks) == 1 && ticks[0] >= at
	}, time.Minute, time.Millisecond)
}

// pulse is a core that looks every 100 ms whom it has heard.
type pulse struct {
	journal Journal[int]
	ticked  time.Duration
}

func (*pulse) Poll() (int, bool)         { return 0, false }
func (*pulse) Halt(error)                {}
func (p *pulse) Deadline() time.Duration { return p.ticked + 100*time.Millisecond }
func (p *pulse) Tick(now time.Duration)  { p.ticked = now }

// TestStandsStill: while the loop or its journal stands still, the core's time does, too. Whatever the loop looks at first when it
// goes on, the core does not take those for silent of whom it could not hear.
func TestStandsStill(t *testing.T) {
	for name, stand := range map[string]func(l *Loop[int, int], p *pulse, j *fleettest.Journal[int]){
		"loop": func(l *Loop[int, int], _ *pulse, _ *fleettest.Journal[int]) { // as in a process that was stopped
			l.Post(func() { time.Sleep(time.Hour) })
			time.Sleep(time.Hour)
		},
		"journal": func(l *Loop[int, int], p *pulse, j *fleettest.Journal[int]) {
			still := make(chan struct{})
			j.Set(still, nil)
			l.Post(func() { _ = p.journal.Append(1) })
			time.Sleep(time.Hour)
			close(still)
			j.Set(nil, nil)
		},
	} {
		for way, post := range map[string]func(l *Loop[int, int], fn func()){
			"event":  (*Loop[int, int]).Post,
			"packet": (*Loop[int, int]).Packet,
			"aside":  (*Loop[int, int]).Aside,
			"tick":   func(*Loop[int, int], func()) {},
		} {
			t.Run(name+" "+way, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					j := &fleettest.Journal[int]{}
					l := New(t.Context(), Config[int, int]{Journal: j, Log: slog.New(slog.DiscardHandler), Out: func(int) {}, Anytime: func(int) bool { return false }})
					p := &pulse{journal: l.Journal()}
					l.Start(p)
					defer l.Close()
					for range 5 {
						time.Sleep(time.Second)
						before := p.ticked
						stand(l, p, j)
						heard := before
						post(l, func() { heard = l.Now() })
						time.Sleep(time.Millisecond)
						synctest.Wait()
						require.Less(t, max(heard, p.ticked)-before, time.Second)
						time.Sleep(time.Second)
						synctest.Wait()
						require.GreaterOrEqual(t, p.ticked-before, time.Second, "time goes on")
					}
				})
			})
		}
	}
}

// TestEnd: who asks a loop that has ended is told so; a record that is on its way is stored or not, and nothing waits.
func TestEnd(t *testing.T) {
	full := &fleettest.Journal[int]{}
	full.Set(nil, fmt.Errorf("full: %w", store.ErrNoSpace))
	f := start(t, full)
	asked := make(chan error)
	go func() { asked <- f.Ask(context.Background(), func() error { f.step(1, 1)(); return nil }) }()
	require.Eventually(t, func() bool { return f.Refused() > 0 }, time.Minute, time.Millisecond)
	f.Close()
	require.ErrorIs(t, <-asked, errEnding)
	require.ErrorIs(t, f.Look(context.Background(), func() {}), errEnding)
	require.ErrorIs(t, f.Ask(context.Background(), func() error { return nil }), errEnding)
	require.Empty(t, f.out())
}
