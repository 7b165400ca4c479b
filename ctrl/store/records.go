package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// Records are the records of a primary. Keys are paths without a leading slash.
type Records interface {
	// Put returns when the value is safe.
	Put(key string, value []byte) error
	Delete(key string) error
	// List returns the records whose keys begin with a prefix, in the order of their keys.
	List(prefix string) ([]Record, error)
	// Replace removes the records whose keys begin with prefix, and puts one, in one step. The
	// key must not begin with it.
	Replace(prefix, key string, value []byte) error
}

func (s *Store) record(key string) string { return s.o.Prefix + "/records/" + key }

// ErrNoSpace: etcd has no space, and nothing was changed. The candidate stays primary, because etcd continues renewing
// leases. The caller may try again.
var ErrNoSpace = errors.New("etcd has no space [compact and defragment it, or raise --quota-backend-bytes, and then: etcdctl alarm disarm]")

// Put implements Records. Only the primary changes a record. After an error other than ErrNoSpace, the
// candidate is no longer the primary, or soon will not be.
func (c *Candidate) Put(key string, value []byte) error {
	return c.change(clientv3.OpPut(c.s.record(key), string(value)))
}

// Delete implements Records.
func (c *Candidate) Delete(key string) error { return c.change(clientv3.OpDelete(c.s.record(key))) }

// Replace implements Records.
func (c *Candidate) Replace(prefix, key string, value []byte) error {
	return c.change(clientv3.OpDelete(c.s.record(prefix), clientv3.WithPrefix()), clientv3.OpPut(c.s.record(key), string(value)))
}

// change changes records if the candidate is the primary. It repeats changes that etcd may not have made.
// That is harmless: as long as the condition holds, no other controller can change records.
func (c *Candidate) change(ops ...clientv3.Op) error {
	return c.insist(func(ctx context.Context) error {
		r, err := c.s.etc.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(c.key), "=", c.number)).Then(ops...).Commit()
		if err == nil && !r.Succeeded {
			c.lose(fmt.Errorf("another controller is the primary"))
		}
		return err
	})
}

// List implements Records. What it returns is current.
func (c *Candidate) List(prefix string) (out []Record, err error) {
	err = c.insist(func(ctx context.Context) error {
		r, err := c.s.etc.Get(ctx, c.s.record(prefix), clientv3.WithPrefix(), clientv3.WithSort(clientv3.SortByKey, clientv3.SortAscend))
		if err != nil {
			return err
		}
		out = nil
		for _, kv := range r.Kvs {
			out = append(out, Record{strings.TrimPrefix(string(kv.Key), c.s.record("")), kv.Value})
		}
		return nil
	})
	return out, err
}

// insist makes a request until it succeeds, or the candidate is no longer the primary.
func (c *Candidate) insist(do func(context.Context) error) error {
	var last error
	again := c.retries()
	for {
		if err := c.May(); err != nil {
			if last != nil {
				err = fmt.Errorf("%w (%w)", err, last)
			}
			return fmt.Errorf("store: %w", err)
		}
		ctx, cancel := context.WithTimeout(c.life, max(c.left(), time.Millisecond))
		last = do(ctx)
		cancel()
		if last == nil {
			return c.outcome()
		}
		if errors.Is(last, rpctypes.ErrNoSpace) {
			c.refuses(true)
			return fmt.Errorf("store: %w", ErrNoSpace)
		}
		select {
		case <-c.life.Done():
		case <-time.After(again.NextBackOff()):
		}
	}
}

// outcome is nil unless the candidate is no longer the primary.
func (c *Candidate) outcome() error {
	if err := c.Err(); err != nil {
		return fmt.Errorf("store: %w: %w", ErrLost, err)
	}
	return nil
}

// Health is ErrNoSpace when etcd has refused a change because it has no space, until it has space again.
func (c *Candidate) Health() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.full {
		return ErrNoSpace
	}
	return nil
}

func (c *Candidate) refuses(full bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.full = full
}

// lookForSpace asks an etcd that has refused a change whether its alarm still stands.
func (c *Candidate) lookForSpace(ctx context.Context) {
	if c.Health() == nil {
		return
	}
	r, err := c.s.etc.AlarmList(ctx)
	if err == nil && !slices.ContainsFunc(r.Alarms, func(a *etcdserverpb.AlarmMember) bool { return a.Alarm == etcdserverpb.AlarmType_NOSPACE }) {
		c.refuses(false)
	}
}
