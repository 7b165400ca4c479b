// Package consensus runs the replicated logs that are compared, each behind the same
// interface: in-memory logs, and TCP (but ours, which sends RDMA).
package consensus

import (
	"context"
	"fmt"
	"slices"
)

// Log is one server of a replicated log.
type Log interface {
	// AwaitLeader waits until this server leads. Only the first server (Config.ID 1) is
	// asked: the others stand for no election in the time that a measurement takes to start.
	AwaitLeader(ctx context.Context) error
	// Propose proposes a value and waits until it is decided and applied here.
	Propose(ctx context.Context, value []byte) error
	// Decided is the number of values that have been applied here.
	Decided() uint64
	Close() error
}

// Config says what a server is. Addresses are HOST:PORT of all servers, server 1 first.
type Config struct {
	ID        int // from 1
	Addresses []string
}

func (c Config) check() error {
	switch {
	case len(c.Addresses) < 1 || len(c.Addresses) > 9:
		return fmt.Errorf("%d servers: 1 to 9", len(c.Addresses))
	case c.ID < 1 || c.ID > len(c.Addresses):
		return fmt.Errorf("id %d: 1 to %d, the number of servers", c.ID, len(c.Addresses))
	}
	for i, a := range c.Addresses {
		if slices.Contains(c.Addresses[:i], a) {
			return fmt.Errorf("address %s is given twice", a)
		}
	}
	return nil
}

// Kinds are the names that Open knows.
var Kinds = []string{"hashicorp", "etcd-raft"}

// Open starts a server of a kind.
func Open(kind string, c Config) (Log, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	switch kind {
	case "hashicorp":
		return openHashicorp(c)
	case "etcd-raft":
		return openEtcdRaft(c)
	}
	return nil, fmt.Errorf("unknown kind %q: one of %q", kind, Kinds)
}
