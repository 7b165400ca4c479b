package stores

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

// clientsPerConn is what etcd's documentation uses for its own benchmark: 100 connections
// for 1,000 clients.
const clientsPerConn = 10

type etcdConns []*clientv3.Client

func (e etcdConns) close() error {
	var errs []error
	for _, c := range e {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

func dialEtcd(address string) (*clientv3.Client, error) {
	return clientv3.New(clientv3.Config{Endpoints: []string{address}, DialTimeout: time.Second, Logger: zap.NewNop()})
}

// etcdLeader asks all servers who leads.
func etcdLeader(ctx context.Context, t Target) (string, error) {
	leader := ""
	for _, a := range t.Addresses {
		c, err := dialEtcd(a)
		if err != nil {
			return "", err
		}
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		s, err := c.Status(ctx, a)
		cancel()
		c.Close()
		if err != nil {
			return "", fmt.Errorf("%s: %w", a, err)
		}
		if s.Leader == 0 {
			return "", fmt.Errorf("%s knows no leader", a)
		}
		if s.Leader == s.Header.MemberId {
			leader = a
		}
	}
	if leader == "" {
		return "", errors.New("nobody leads")
	}
	return leader, nil
}

func (s *Store) etcdClient(ctx context.Context, i int, op string, size int) (func(context.Context) error, error) {
	if i%clientsPerConn == 0 || len(s.etcd) == 0 {
		c, err := dialEtcd(s.leader)
		if err != nil {
			return nil, err
		}
		s.etcd = append(s.etcd, c)
	}
	c := s.etcd[len(s.etcd)-1]
	value := strings.Repeat("x", size)
	n := 0
	set := func(ctx context.Context) error {
		n++
		_, err := c.Put(ctx, key(i, n), value)
		return err
	}
	if op == Set {
		return set, nil
	}
	for range keysPerClient {
		if err := set(ctx); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context) error {
		n++
		r, err := c.Get(ctx, key(i, n))
		if err == nil && (len(r.Kvs) != 1 || len(r.Kvs[0].Value) != size) {
			err = fmt.Errorf("get %s: not the value of %d bytes", key(i, n), size)
		}
		return err
	}, nil
}
