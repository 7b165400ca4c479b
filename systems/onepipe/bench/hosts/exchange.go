package hosts

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/host/latency"
)

// exchange has all parties broadcast, and looks at the order in which they receive.
type exchange struct {
	parties []party
	each    int           // broadcasts of each
	window  int           // of its own that a party has not received; 0: as many as there are
	pause   time.Duration // the mean between two broadcasts
	lossy   bool          // what is lost stays lost
	seed    uint64

	begin time.Time
	work  time.Duration // of the CPUs, for this process
	seats []seat
}

// seat is what a party has received.
type seat struct {
	order []uint64 // sender and number
	took  []time.Duration
	last  time.Time
}

// lost is how long nothing must come until what is missing counts as lost.
const lost = 100 * time.Millisecond

func (x *exchange) run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	x.seats = make([]seat, len(x.parties))
	x.begin = time.Now()
	before := worked()
	errs := make([]error, 2*len(x.parties))
	var all sync.WaitGroup
	for i, p := range x.parties {
		own := make(chan struct{}, max(1, x.window))
		if x.window == 0 {
			own = nil
		}
		all.Go(func() { errs[2*i] = x.send(ctx, i, p, own) })
		all.Go(func() { errs[2*i+1] = x.receive(ctx, i, p, own) })
	}
	all.Wait()
	x.work = worked() - before
	return errors.Join(errors.Join(errs...), x.agree())
}

// worked is how long CPUs have worked for this process.
func worked() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func (x *exchange) send(ctx context.Context, number int, p party, own chan<- struct{}) error {
	r := rand.New(rand.NewPCG(x.seed, uint64(number)))
	for n := range x.each {
		if x.pause > 0 {
			if err := wait(ctx, r, x.pause); err != nil {
				return err
			}
		}
		if own != nil {
			var late <-chan time.Time
			if x.lossy {
				late = time.After(lost)
			}
			select {
			case own <- struct{}{}:
			case <-late: // it was lost
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if err := p.broadcast(ctx, payload(n, time.Now())); err != nil {
			return err
		}
	}
	return nil
}

func (x *exchange) receive(ctx context.Context, number int, p party, own <-chan struct{}) error {
	s, all := &x.seats[number], x.each*len(x.parties)
	for len(s.order) < all {
		wait, cancel := context.WithTimeout(ctx, lost+10*x.pause)
		from, data, err := p.receive(wait)
		cancel()
		switch {
		case err == nil:
		case x.lossy && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
			return nil
		default:
			return fmt.Errorf("process %d has received %d of %d messages: %w", number, len(s.order), all, err)
		}
		s.last = time.Now()
		be := binary.BigEndian
		s.took = append(s.took, time.Duration(s.last.UnixNano()-int64(be.Uint64(data[8:]))))
		s.order = append(s.order, uint64(from)<<32|be.Uint64(data))
		if from == number && own != nil {
			select {
			case <-own:
			default: // it counted as lost
			}
		}
	}
	return nil
}

// agree says who has received two messages in another order than somebody else. Some may miss some.
func (x *exchange) agree() error {
	for i := 1; i < len(x.seats); i++ {
		place := map[uint64]int{}
		for n, what := range x.seats[i-1].order {
			place[what] = n
		}
		last := -1
		for _, what := range x.seats[i].order {
			n, ok := place[what]
			if ok && n < last {
				return fmt.Errorf("processes %d and %d have received messages in different orders", i-1, i)
			}
			if ok {
				last = n
			}
		}
	}
	return nil
}

// rate is how many messages all have received in a second.
func (x *exchange) rate() float64 {
	n := 0
	for _, s := range x.seats {
		n += len(s.order)
	}
	last := slices.MaxFunc(x.seats, func(a, b seat) int { return a.last.Compare(b.last) }).last
	return float64(n) / last.Sub(x.begin).Seconds()
}

// cost is the CPU time of all hosts for a message that one has received.
func (x *exchange) cost() time.Duration {
	n := 0
	for _, s := range x.seats {
		n += len(s.order)
	}
	return x.work / time.Duration(max(1, n))
}

// missing is how many messages were not received, in percent.
func (x *exchange) missing() float64 {
	n, all := 0, x.each*len(x.parties)*len(x.parties)
	for _, s := range x.seats {
		n += len(s.order)
	}
	return 100 * float64(all-n) / float64(all)
}

// latency is that of all messages.
func (x *exchange) latency() *latency.Histogram {
	all := latency.New()
	for _, s := range x.seats {
		for _, d := range s.took {
			all.Add(d)
		}
	}
	return all
}
