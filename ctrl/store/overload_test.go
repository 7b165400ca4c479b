package store

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// overloaded is an etcd that refuses everything for a while, and counts what it is asked.
type overloaded struct {
	clientv3.KV
	clientv3.Lease
	clientv3.Watcher
	c     *Candidate
	until time.Time
	gets  []time.Time
	puts  []time.Time
	lives []time.Time
}

func (o *overloaded) Close() error { return nil }

func (o *overloaded) take(asked *[]time.Time) error {
	now := time.Now()
	*asked = append(*asked, now)
	if now.Before(o.until) {
		return rpctypes.ErrTooManyRequests
	}
	return nil
}

func (o *overloaded) Get(context.Context, string, ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	if err := o.take(&o.gets); err != nil {
		return nil, err
	}
	r := &clientv3.GetResponse{Header: &etcdserverpb.ResponseHeader{Revision: 9}}
	r.Kvs = append(r.Kvs, keyOf(o.c))
	return r, nil
}

func (o *overloaded) KeepAliveOnce(context.Context, clientv3.LeaseID) (*clientv3.LeaseKeepAliveResponse, error) {
	if err := o.take(&o.lives); err != nil {
		return nil, err
	}
	return &clientv3.LeaseKeepAliveResponse{TTL: int64(o.c.ttl / time.Second)}, nil
}

func (o *overloaded) Watch(ctx context.Context, _ string, _ ...clientv3.OpOption) clientv3.WatchChan {
	w := make(chan clientv3.WatchResponse)
	context.AfterFunc(ctx, func() { close(w) })
	return w
}

// TestOverload: an etcd refuses all that is asked for a while, as one does that has too much to do. Whoever asks again, for the
// lease, the line or a record, asks ever less often, and has an answer within a second of the end.
func TestOverload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const while, ttl = 30 * time.Second, time.Minute
		begun := time.Now()
		o := &overloaded{until: begun.Add(while)}
		c := &Candidate{
			s:      &Store{etc: &clientv3.Client{KV: o, Lease: o, Watcher: o}, now: func() time.Duration { return time.Since(begun) }},
			prefix: "p", key: "k", number: 1, ttl: ttl, isElected: true, elected: make(chan struct{}), done: make(chan struct{}),
		}
		o.c = c
		c.trust(0, int64(ttl/time.Second))
		c.life, c.end = context.WithCancel(t.Context())
		c.workers.Add(2)
		go c.renew()
		go c.watch()
		require.NoError(t, c.insist(func(context.Context) error { return o.take(&o.puts) }))
		time.Sleep(while + time.Second - time.Since(begun))
		synctest.Wait()
		for what, asked := range map[string][]time.Time{"the line": o.gets, "a record": o.puts, "the lease": o.lives} {
			refused := 0
			for refused < len(asked) && asked[refused].Before(o.until) {
				refused++
			}
			require.Less(t, refused, 120, "%s is asked for", what) // it was 1500 with a constant pause
			for i := 1; i < refused; i++ {
				require.LessOrEqual(t, asked[i].Sub(asked[i-1]), time.Second, "%s: the pause", what)
			}
			require.Greater(t, len(asked), refused, "%s: there is an answer within a second", what)
		}
		require.NoError(t, c.May())
		c.end()
		c.workers.Wait()
	})
}

// keyOf is a candidate's key, as etcd has it.
func keyOf(c *Candidate) *mvccpb.KeyValue {
	return &mvccpb.KeyValue{Key: []byte(c.key), Value: []byte("{}"), CreateRevision: c.number}
}
