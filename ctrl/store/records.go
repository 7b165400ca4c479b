package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// Records is what the holder of an office keeps. Keys are paths without a leading slash.
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

// Put implements Records. It is done by the holder of the office or not at all; after an error the
// candidate has lost the office, or is about to.
func (c *Candidate) Put(key string, value []byte) error {
	return c.change(clientv3.OpPut(c.s.record(key), string(value)))
}

// Delete implements Records.
func (c *Candidate) Delete(key string) error { return c.change(clientv3.OpDelete(c.s.record(key))) }

// Replace implements Records.
func (c *Candidate) Replace(prefix, key string, value []byte) error {
	return c.change(clientv3.OpDelete(c.s.record(prefix), clientv3.WithPrefix()), clientv3.OpPut(c.s.record(key), string(value)))
}

// change does something to records if the candidate holds the office. It repeats what etcd may not have
// done, which does no harm: nobody else can change records as long as the condition holds.
func (c *Candidate) change(ops ...clientv3.Op) error {
	return c.insist(func(ctx context.Context) error {
		r, err := c.s.etc.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(c.key), "=", c.number)).Then(ops...).Commit()
		if err == nil && !r.Succeeded {
			c.lose(fmt.Errorf("another controller has the office"))
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

// insist makes a request until it succeeds or the office is lost.
func (c *Candidate) insist(do func(context.Context) error) error {
	var last error
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
		select {
		case <-c.life.Done():
		case <-time.After(retryAfter):
		}
	}
}

// outcome is nil unless the candidate has lost the office.
func (c *Candidate) outcome() error {
	if err := c.Err(); err != nil {
		return fmt.Errorf("store: %w: %w", ErrLost, err)
	}
	return nil
}
