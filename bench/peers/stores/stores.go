// Package stores are the clients of the key-value stores that are compared: p4ce kv and
// Redis by the Redis protocol, etcd by its own client library.
package stores

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Kinds of stores.
const (
	KV    = "kv"    // p4ce kv: a SET is answered when a majority has it
	Redis = "redis" // each SET is followed by a WAIT for a majority, unless there is one server
	Etcd  = "etcd"
)

// Kinds are all of them.
var Kinds = []string{KV, Redis, Etcd}

// Operations.
const (
	Set = "set"
	Get = "get"
)

// Target says what is measured.
type Target struct {
	Kind      string
	Addresses []string // HOST:PORT of all servers
	Mode      string   // of p4ce kv: direct or accelerated
}

// Check says what is wrong with a target.
func (t Target) Check() error {
	switch {
	case !slices.Contains(Kinds, t.Kind):
		return fmt.Errorf("unknown kind %q: one of %q", t.Kind, Kinds)
	case len(t.Addresses) < 1 || len(t.Addresses) > 9:
		return fmt.Errorf("%d servers: 1 to 9", len(t.Addresses))
	case t.Kind == KV && t.Mode != "direct" && t.Mode != "accelerated":
		return fmt.Errorf("mode %q of the store: direct or accelerated", t.Mode)
	case t.Kind != KV && t.Mode != "":
		return fmt.Errorf("%s has no mode %q", t.Kind, t.Mode)
	}
	return nil
}

// CheckOperation says what is wrong with an operation.
func CheckOperation(op string) error {
	if op != Set && op != Get {
		return fmt.Errorf("unknown operation %q: %s or %s", op, Set, Get)
	}
	return nil
}

// CheckPipeline says what is wrong with so many operations in a pipeline, of which 0 and 1
// mean none: etcd's protocol has none, and a WAIT holds up what is behind it.
func (t Target) CheckPipeline(n int) error {
	switch {
	case n < 0 || n > keysPerClient:
		return fmt.Errorf("pipeline of %d: 1 to %d", n, keysPerClient)
	case n > 1 && (t.Kind == Etcd || t.Kind == Redis && len(t.Addresses) > 1):
		return fmt.Errorf("no pipelines with %s of %d servers", t.Kind, len(t.Addresses))
	}
	return nil
}

// keysPerClient are what a client writes and reads in turn.
const keysPerClient = 32

func key(client, n int) string { return fmt.Sprintf("client%04d:%02d", client, n%keysPerClient) }

// Store is a store that is ready: it has a leader, and all its servers follow.
type Store struct {
	t       Target
	leader  string
	etcd    etcdConns
	clients []*respConn
}

// Await waits until the store is ready.
func Await(ctx context.Context, t Target) (*Store, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	probe := map[string]func(context.Context, Target) (string, error){KV: kvLeader, Redis: redisLeader, Etcd: etcdLeader}[t.Kind]
	for {
		leader, err := probe(ctx, t)
		if err == nil {
			return &Store{t: t, leader: leader}, nil
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return nil, fmt.Errorf("%s is not ready: %w: %w", t.Kind, err, context.Cause(ctx))
		}
	}
}

// Check says whether the store is as it was when it was ready: what was measured meanwhile
// is of this leader, in this mode.
func (s *Store) Check(ctx context.Context) error {
	probe := map[string]func(context.Context, Target) (string, error){KV: kvLeader, Redis: redisLeader, Etcd: etcdLeader}[s.t.Kind]
	leader, err := probe(ctx, s.t)
	if err == nil && leader != s.leader {
		err = fmt.Errorf("%s leads, not %s any more", leader, s.leader)
	}
	return err
}

// Client returns what does one operation for client i after another, as package closed
// takes it; or several, in a pipeline: sent at once, before the first is answered. Before a
// Get the keys are written.
func (s *Store) Client(ctx context.Context, i int, op string, size, pipeline int) (func(context.Context) error, error) {
	if err := errors.Join(CheckOperation(op), s.t.CheckPipeline(pipeline)); err != nil {
		return nil, err
	}
	if s.t.Kind == Etcd {
		return s.etcdClient(ctx, i, op, size)
	}
	return s.respClient(ctx, i, op, size, max(pipeline, 1))
}

// Close closes all clients.
func (s *Store) Close() error {
	var errs []error
	for _, c := range s.clients {
		errs = append(errs, c.Close())
	}
	s.clients = nil
	return errors.Join(append(errs, s.etcd.close())...)
}
