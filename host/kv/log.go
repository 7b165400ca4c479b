package kv

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/p4ce/p4ce/host/replicated"
)

// proposer turns writes of many connections into records. While few records are under way, a write
// goes at once. Otherwise writes wait and share the next record.
//
// It has no goroutine of its own: a caller that finds a free place proposes, and when its record is
// decided it passes its place to the first caller that waits.
type proposer struct {
	log     replicated.Log
	shared  bool // others propose, too
	clock   func() time.Time
	timeout time.Duration
	max     int // bytes of a record
	ctx     context.Context
	wg      sync.WaitGroup

	mu     sync.Mutex
	closed bool
	places int  // places that are taken: records under way, or about to be made
	handed bool // one of them belongs to the first in the queue, who has not taken it yet
	queue  []*proposal
	// Times of the records under way, in the order in which they were made. They never decrease.
	underWay []int64
	latest   int64 // the highest time used so far, for a record or a read
}

// recordsUnderWay is how many records are proposed before writes share them: one is decided while the
// next one is made. With more, records are smaller, and each costs time on all servers.
const recordsUnderWay = 2

// proposal is a connection's writes that go into one record.
type proposal struct {
	ops     []byte // encoded
	n       int    // their number
	replies []Reply
	err     error
	turn    chan bool // true: there is a place; false: done
}

func newProposal() proposal { return proposal{turn: make(chan bool, 1)} }

// submit executes writes and returns a reply for each. ops have at most max - maxRecordHeader bytes.
func (p *proposer) submit(s *proposal) ([]Reply, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, ErrClosed
	}
	p.wg.Add(1)
	defer p.wg.Done()
	p.queue = append(p.queue, s)
	if p.places == recordsUnderWay || p.handed {
		p.mu.Unlock()
		if !<-s.turn {
			return s.replies, s.err
		}
		p.mu.Lock()
		p.handed = false
	} else {
		p.places++
	}
	b := p.next()
	p.hand() // those that did not fit
	p.mu.Unlock()
	p.propose(b)
	p.mu.Lock()
	i := slices.Index(p.underWay, b.time)
	p.underWay = slices.Delete(p.underWay, i, i+1)
	p.places--
	p.hand()
	p.mu.Unlock()
	for _, o := range b.proposals {
		if o != s {
			o.turn <- false
		}
	}
	return s.replies, s.err
}

// hand passes a free place to the first that waits, which takes the others along. p.mu is held.
func (p *proposer) hand() {
	if len(p.queue) > 0 && p.places < recordsUnderWay && !p.handed {
		p.places++
		p.handed = true
		p.queue[0].turn <- true
	}
}

// batch is what goes into one record.
type batch struct {
	time      int64
	record    []byte
	proposals []*proposal
}

// next makes a record of the first proposals in the queue, which is not empty. The first one is that
// of the caller, which has taken a place. p.mu is held.
func (p *proposer) next() batch {
	b := batch{time: p.now()}
	size := maxRecordHeader
	n := 0
	for n < len(p.queue) && (n == 0 || size+len(p.queue[n].ops) <= p.max) {
		size += len(p.queue[n].ops)
		n++
	}
	b.proposals = slices.Clone(p.queue[:n])
	p.queue = slices.Delete(p.queue, 0, n)
	p.underWay = append(p.underWay, b.time)
	b.record = appendRecordHeader(make([]byte, 0, size), b.time)
	for _, s := range b.proposals {
		b.record = append(b.record, s.ops...)
	}
	return b
}

// now returns the time in ms. It never goes back. p.mu is held.
func (p *proposer) now() int64 {
	p.latest = max(p.latest, p.clock().UnixMilli())
	return p.latest
}

// propose proposes a record, and stores the outcome in the proposals.
func (p *proposer) propose(b batch) {
	ctx, cancel := context.WithTimeout(p.ctx, p.timeout)
	res, err := p.log.Propose(ctx, b.record)
	cancel()
	replies, ok := res.([]Reply)
	if err == nil && !ok {
		if err, ok = res.(*RecordError); !ok {
			err = fmt.Errorf("the log returned a %T for a record", res)
		}
	}
	for _, s := range b.proposals {
		if err == nil && len(replies) < s.n {
			err = errors.New("the log returned too few replies")
		}
		if s.replies, s.err = nil, err; err == nil {
			s.replies, replies = replies[:s.n:s.n], replies[s.n:]
		}
	}
}

// tick removes expired keys by a record, if this server may propose one.
func (p *proposer) tick() error {
	s := newProposal()
	_, err := p.submit(&s)
	return err
}

// readTime returns a time for reads that is after everything that has taken effect, and before
// everything that is not executed yet: a read never sees a key as expired that a later write could
// find. Where other servers propose, too, only the machine's time can be used, which is that of the
// record that the read has waited for, or later: 0 is before it.
func (p *proposer) readTime() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shared {
		return 0
	}
	if len(p.underWay) > 0 {
		return p.underWay[0]
	}
	return p.now()
}

// pass proposes a record without writes, and returns when it is executed. A read without a leader's
// barrier waits for it. It moves the machine's time to this server's, and does not queue with writes.
func (p *proposer) pass(ctx context.Context) error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return ErrClosed
	}
	p.wg.Add(1)
	now := p.now()
	p.mu.Unlock()
	defer p.wg.Done()
	for {
		_, err := p.log.Propose(ctx, appendRecordHeader(make([]byte, 0, maxRecordHeader), now))
		// An unknown outcome does not matter: it is proposed again.
		if !errors.Is(err, replicated.ErrUnknownOutcome) || ctx.Err() != nil {
			return err
		}
	}
}

// expiredAt returns the time by which this server decides what has expired.
func (p *proposer) expiredAt() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now()
}

// close ends proposals and waits for them.
func (p *proposer) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.wg.Wait()
}

// barrier lets reads that arrive at about the same time share a barrier of the log, or a record that
// serves as one. One barrier is under way. Reads that arrive meanwhile wait for the next, because the
// one under way may have looked before they arrived.
type barrier struct {
	call    func(context.Context) error
	leased  func() bool
	timeout time.Duration
	ctx     context.Context

	mu      sync.Mutex
	running bool
	waiting *barrierCall
}

type barrierCall struct {
	readers int // the number that wait for it
	done    chan struct{}
	err     error
}

// wait returns when a barrier of the log that was called after wait has returned. If none is needed,
// it returns at once.
func (b *barrier) wait() error {
	if b.leased() {
		return nil
	}
	b.mu.Lock()
	if b.running {
		if b.waiting == nil {
			b.waiting = &barrierCall{done: make(chan struct{})}
		}
		c := b.waiting
		c.readers++
		b.mu.Unlock()
		<-c.done
		return c.err
	}
	b.running = true
	b.mu.Unlock()
	err := b.one()
	b.mu.Lock()
	next := b.waiting
	b.waiting = nil
	b.running = next != nil
	b.mu.Unlock()
	if next != nil {
		go b.serve(next)
	}
	return err
}

// serve calls the log for the waiting reads, until there are none.
func (b *barrier) serve(c *barrierCall) {
	for c != nil {
		c.err = b.one()
		close(c.done)
		b.mu.Lock()
		c, b.waiting = b.waiting, nil
		b.running = c != nil
		b.mu.Unlock()
	}
}

func (b *barrier) one() error {
	ctx, cancel := context.WithTimeout(b.ctx, b.timeout)
	defer cancel()
	return b.call(ctx)
}
