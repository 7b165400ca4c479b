package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// A lease of TTL is renewed renewals times in it, and not trusted in the last 1/reserve of it.
const (
	renewals = 6
	reserve  = 4
)

// closeTimeout bounds what a candidate that goes does to tell.
const closeTimeout = time.Second

// retryAfter is the pause before a request that etcd could not serve is repeated, about and at first, and longestRetry the longest: an
// etcd that is slow is not asked ever more often for that, and one that is back is asked soon.
const (
	retryAfter   = 20 * time.Millisecond
	longestRetry = 500 * time.Millisecond
)

// retries are the pauses between requests of one kind that fail, twice as long each time. Reset begins anew.
func (c *Candidate) retries() *backoff.ExponentialBackOff {
	return &backoff.ExponentialBackOff{
		InitialInterval: retryAfter, Multiplier: 2, RandomizationFactor: 0.5, MaxInterval: min(longestRetry, c.ttl/renewals),
	}
}

// ErrLost: the candidate is not, or no longer, the primary.
var ErrLost = errors.New("this controller is not the primary")

// Holder is the primary of a unit.
type Holder struct {
	Name  string    `json:"name"`
	Since time.Time `json:"since"` // by its own clock
	// Number is the candidate's.
	Number int64 `json:"-"`
}

// Candidate is a controller that campaigns for a unit. Several goroutines may use it.
type Candidate struct {
	s       *Store
	prefix  string // of the keys of all candidates
	key     string
	lease   clientv3.LeaseID
	ttl     time.Duration
	number  int64 // the revision in which the key was made
	life    context.Context
	end     context.CancelFunc
	workers sync.WaitGroup

	mu        sync.Mutex
	alive     func(context.Context) error // nil: the lease is renewed in any case
	deadline  time.Duration               // until then, the lease cannot have expired
	holder    Holder
	next      bool // it is the next to be elected
	full      bool // etcd has refused a change because it has no space
	why       error
	elected   chan struct{}
	isElected bool
	done      chan struct{}
}

// Campaign makes this controller a candidate of a unit.
func (s *Store) Campaign(ctx context.Context, unit string) (*Candidate, error) {
	if unit == "" {
		return nil, errors.New("etcd: a unit without a name")
	}
	c := &Candidate{s: s, prefix: s.o.Prefix + "/offices/" + url.PathEscape(unit) + "/", elected: make(chan struct{}), done: make(chan struct{})}
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	began := s.now()
	lease, err := s.etc.Grant(ctx, int64(s.o.TTL/time.Second))
	if err != nil {
		return nil, s.explain(err)
	}
	c.lease, c.ttl = lease.ID, time.Duration(lease.TTL)*time.Second
	c.trust(began, lease.TTL)
	c.key = fmt.Sprintf("%s%016x", c.prefix, lease.ID)
	value, err := json.Marshal(Holder{Name: s.o.Name, Since: time.Now().UTC()})
	if err != nil {
		return nil, err
	}
	put, err := s.etc.Put(ctx, c.key, string(value), clientv3.WithLease(lease.ID))
	if err != nil {
		c.revoke()
		return nil, s.explain(err)
	}
	c.number = put.Header.Revision
	c.life, c.end = context.WithCancel(context.Background())
	c.workers.Add(2)
	go c.renew()
	go c.watch()
	return c, nil
}

// trust notes a lease that was given, or renewed, after the time began.
func (c *Candidate) trust(began time.Duration, seconds int64) {
	ttl := time.Duration(seconds) * time.Second
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = max(c.deadline, began+ttl-ttl/reserve)
}

// Elected is closed when the candidate is the primary.
func (c *Candidate) Elected() <-chan struct{} { return c.elected }

// Done is closed when the candidate has lost its key: it is neither candidate nor primary any more.
func (c *Candidate) Done() <-chan struct{} { return c.done }

// Err is the reason why Done is closed.
func (c *Candidate) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.why
}

// Number is higher than the numbers of all earlier primaries.
func (c *Candidate) Number() uint64 { return uint64(c.number) }

// Holder is the primary, and whether this candidate is the next to be elected. known is false while the
// primary is not known yet.
func (c *Candidate) Holder() (h Holder, next, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.holder, c.next, c.holder.Number != 0
}

// May is nil while the candidate is the primary and its lease cannot have expired.
func (c *Candidate) May() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.why != nil:
		return fmt.Errorf("%w: %w", ErrLost, c.why)
	case !c.isElected:
		return ErrLost
	case c.s.now() >= c.deadline:
		return fmt.Errorf("%w: the lease was not renewed in time", ErrLost)
	}
	return nil
}

// lose ends the candidacy.
func (c *Candidate) lose(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.why == nil {
		c.why = why
		close(c.done)
		c.end()
	}
}

// left is how long the lease holds for certain.
func (c *Candidate) left() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.deadline - c.s.now()
}

// renew keeps the lease alive, until it cannot.
func (c *Candidate) renew() {
	defer c.workers.Done()
	pause := time.NewTimer(0)
	defer pause.Stop()
	again := c.retries()
	for {
		select {
		case <-c.life.Done():
			return
		case <-pause.C:
		}
		left := c.left()
		if left <= 0 {
			c.lose(errors.New("the lease was not renewed in time [can this controller reach etcd?]"))
			return
		}
		ctx, cancel := context.WithTimeout(c.life, left)
		if err := c.askAlive(ctx); err != nil {
			cancel()
			c.lose(fmt.Errorf("the controller is not healthy: %w", err))
			c.revoke()
			return
		}
		began := c.s.now()
		r, err := c.s.etc.KeepAliveOnce(ctx, c.lease)
		if err == nil {
			c.lookForSpace(ctx)
		}
		cancel()
		switch {
		case err == nil && r.TTL > 0:
			c.trust(began, r.TTL)
			again.Reset()
			pause.Reset(c.ttl / renewals)
		case err == nil || errors.Is(err, rpctypes.ErrLeaseNotFound):
			c.lose(errors.New("the lease has expired"))
			return
		default:
			pause.Reset(min(again.NextBackOff(), max(c.left(), 0))) // a primary that has lost its lease says so at once
		}
	}
}

// RenewWhile renews the lease only as long as alive returns nil before the lease would end. alive returns when
// the loops that act for the unit have come round.
func (c *Candidate) RenewWhile(alive func(context.Context) error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.alive = alive
}

func (c *Candidate) askAlive(ctx context.Context) error {
	c.mu.Lock()
	alive := c.alive
	c.mu.Unlock()
	if alive == nil {
		return nil
	}
	err := alive(ctx)
	if c.life.Err() != nil { // it ends anyway
		return nil
	}
	return err
}

// watch follows the candidates.
func (c *Candidate) watch() {
	defer c.workers.Done()
	again := c.retries()
	for c.life.Err() == nil {
		rev, err := c.look()
		if err == nil {
			// The changes after the revision that look has seen.
			ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(c.life))
			w := c.s.etc.Watch(ctx, c.prefix, clientv3.WithPrefix(), clientv3.WithRev(rev+1))
			r, ok := <-w
			cancel()
			if ok && r.Err() == nil {
				again.Reset()
				continue
			}
		}
		select {
		case <-c.life.Done():
		case <-time.After(again.NextBackOff()):
		}
	}
}

// look reads the candidates' keys: the oldest key is the primary's.
func (c *Candidate) look() (revision int64, err error) {
	ctx, cancel := context.WithTimeout(c.life, c.ttl)
	defer cancel()
	r, err := c.s.etc.Get(ctx, c.prefix, clientv3.WithPrefix(), clientv3.WithSort(clientv3.SortByCreateRevision, clientv3.SortAscend))
	if err != nil {
		return 0, err
	}
	place := -1
	for i, kv := range r.Kvs {
		if string(kv.Key) == c.key && kv.CreateRevision == c.number {
			place = i
		}
	}
	if place < 0 {
		c.lose(errors.New("its key is gone: the lease has expired, or another controller has preempted it"))
		return r.Header.Revision, nil
	}
	var h Holder
	if err := json.Unmarshal(r.Kvs[0].Value, &h); err != nil {
		h.Name = "unknown"
	}
	h.Number = r.Kvs[0].CreateRevision
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holder, c.next = h, place == 1
	if place == 0 && !c.isElected && c.why == nil {
		c.isElected = true
		close(c.elected)
	}
	return r.Header.Revision, nil
}

// Preempt removes the key of a primary that cannot act, so that the next candidate is elected. It does
// nothing when there is another primary meanwhile.
func (c *Candidate) Preempt(ctx context.Context, h Holder) error {
	r, err := c.s.etc.Get(ctx, c.prefix, clientv3.WithPrefix(), clientv3.WithMinCreateRev(h.Number), clientv3.WithMaxCreateRev(h.Number))
	if err != nil {
		return c.s.explain(err)
	}
	if h.Number == c.number || len(r.Kvs) == 0 {
		return nil
	}
	key := string(r.Kvs[0].Key)
	_, err = c.s.etc.Txn(ctx).If(
		clientv3.Compare(clientv3.CreateRevision(key), "=", h.Number),
		clientv3.Compare(clientv3.CreateRevision(c.key), "=", c.number),
	).Then(clientv3.OpDelete(key)).Commit()
	if err != nil {
		return c.s.explain(err)
	}
	return nil
}

// Close steps down, as candidate or primary. If etcd can be reached, the next candidate is elected at once.
func (c *Candidate) Close() {
	c.lose(errors.New("this controller has stepped down"))
	c.workers.Wait()
	c.revoke()
}

func (c *Candidate) revoke() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	_, _ = c.s.etc.Revoke(ctx, c.lease) // it expires by itself
}
