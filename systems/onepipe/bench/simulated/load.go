package simulated

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/onepipe"
)

// load has all processes broadcast, and looks at what they deliver.
type load struct {
	*cluster
	sent      [][]fabric.Time // by process and number: when
	order     []uint64        // what is delivered, as the first that got so far says
	at        []int           // how far each process is
	delivered int             // messages, to all
	sum       fabric.Time     // of latencies
	warm, end int             // messages: those between count
	from, to  fabric.Time     // when the first and the last of them were delivered
	mine      func(process int)
}

func newLoad(c *cluster) *load {
	l := &load{cluster: c, sent: make([][]fabric.Time, c.processes), at: make([]int, c.processes)}
	c.deliver = l.take
	return l
}

// take takes a message that a process delivers.
func (l *load) take(at, from int, data []byte) {
	number := numberOf(data)
	if l.ordered {
		what := uint64(from)<<32 | number
		if l.at[at] == len(l.order) {
			l.order = append(l.order, what)
		}
		if l.order[l.at[at]] != what {
			l.Fail(fmt.Errorf("process %d delivers message %d of process %d where another process delivers something else", at, number, from))
		}
	}
	l.at[at]++
	l.delivered++
	now := l.Now()
	if l.delivered == l.warm {
		l.from = now
	}
	if l.delivered > l.warm && l.delivered <= l.end {
		l.sum += now - l.sent[from][number]
		l.to = now
	}
	if at == from && l.mine != nil {
		l.At(now, func() { l.mine(at) })
	}
}

// post has a process broadcast its next message.
func (l *load) post(process int) {
	n := len(l.sent[process])
	l.sent[process] = append(l.sent[process], l.Now())
	if err := l.broadcast(process, payload(n)); err != nil {
		if errors.Is(err, onepipe.ErrFull) {
			err = fmt.Errorf("process %d: %w", process, err)
		}
		l.Fail(err)
	}
}

// limit is the longest that a load may take.
const limit = fabric.Second

// run lets the load go on until its messages are delivered.
func (l *load) run() error {
	if err := l.RunWhile(l.Now()+limit, func() bool { return l.delivered < l.end }); err != nil {
		return err
	}
	if l.delivered < l.end {
		return fmt.Errorf("%d of %d messages were delivered in %v", l.delivered, l.end, limit.Duration())
	}
	return l.Check()
}

// rate is how many messages each process delivers in a second, when all have so many broadcasts of their own under way: in
// some rounds, in each of which all broadcast once, after those that warm up.
func (l *load) rate(seed uint64, window, warm, rounds int) (perSecond float64, err error) {
	each := l.processes * l.processes
	l.warm, l.end = max(1, warm*each), (warm+rounds)*each
	l.mine = l.post
	r := rand.New(rand.NewPCG(seed, 8))
	for p := range l.processes {
		for range window {
			l.At(l.Now()+fabric.Time(r.Int64N(int64(5*fabric.Microsecond))), func() { l.post(p) })
		}
	}
	if err := l.run(); err != nil {
		return 0, err
	}
	return float64(l.end-l.warm) / float64(l.processes) / (float64(l.to-l.from) / float64(fabric.Second)), nil
}

// latency is the mean time from a broadcast until a process delivers it, when each process offers so many messages a second
// at random moments, and so many broadcasts.
func (l *load) latency(seed uint64, perSecond float64, rounds int) (fabric.Time, error) {
	l.end = rounds * l.processes * l.processes
	gap := float64(l.processes) / perSecond * float64(fabric.Second)
	for p := range l.processes {
		r := rand.New(rand.NewPCG(seed, uint64(p)))
		at := float64(l.Now())
		for range rounds {
			at += r.ExpFloat64() * gap
			l.At(fabric.Time(at), func() { l.post(p) })
		}
	}
	if err := l.run(); err != nil {
		return 0, err
	}
	return l.sum / fabric.Time(l.end), nil
}
