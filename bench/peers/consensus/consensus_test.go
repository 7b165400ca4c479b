package consensus

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bench/peers/closed"
)

// addresses are free ports of the loopback, held until all are known.
func addresses(t *testing.T, n int) []string {
	var out []string
	var held []net.Listener
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		held = append(held, l)
		out = append(out, l.Addr().String())
	}
	for _, l := range held {
		require.NoError(t, l.Close())
	}
	return out
}

func open(t *testing.T, kind string, n int) []Log {
	addrs := addresses(t, n)
	var logs []Log
	for i := range n {
		l, err := Open(kind, Config{ID: i + 1, Addresses: addrs})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, l.Close()) })
		logs = append(logs, l)
	}
	return logs
}

// Values that the leader says are decided are applied by all servers, each once.
func TestDecides(t *testing.T) {
	for _, kind := range Kinds {
		for _, n := range []int{3, 5} {
			t.Run(kind, func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				logs := open(t, kind, n)
				require.NoError(t, logs[0].AwaitLeader(ctx))
				const clients, each = 8, 50
				var wg sync.WaitGroup
				for range clients {
					wg.Go(func() {
						for range each {
							if err := logs[0].Propose(ctx, make([]byte, 64)); err != nil {
								t.Error(err)
								return
							}
						}
					})
				}
				wg.Wait()
				require.EqualValues(t, clients*each, logs[0].Decided(), "applied where it was proposed")
				for i, l := range logs {
					require.Eventually(t, func() bool { return l.Decided() == clients*each }, 30*time.Second, time.Millisecond, "server %d", i+1)
				}
			})
		}
	}
}

// A server that was away for longer than the log reaches back gets the state.
func TestEtcdRaftCatchesUp(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	addrs := addresses(t, 3)
	var logs []Log
	start := func(i int) {
		l, err := Open("etcd-raft", Config{ID: i, Addresses: addrs})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, l.Close()) })
		logs = append(logs, l)
	}
	start(1)
	start(2)
	require.NoError(t, logs[0].AwaitLeader(ctx))
	const clients, each = 100, 3 * keep / 100
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for range each {
				if err := logs[0].Propose(ctx, []byte("value")); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	first, err := logs[0].(*etcdRaft).storage.FirstIndex()
	require.NoError(t, err)
	require.Greater(t, first, uint64(1), "the log was compacted")
	start(3)
	require.Eventually(t, func() bool { return logs[2].Decided() == clients*each }, 30*time.Second, time.Millisecond)
}

// Without a majority nothing is decided.
func TestNeedsAMajority(t *testing.T) {
	for _, kind := range Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			l, err := Open(kind, Config{ID: 1, Addresses: addresses(t, 3)})
			require.NoError(t, err)
			defer func() { require.NoError(t, l.Close()) }()
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			require.ErrorIs(t, l.AwaitLeader(ctx), context.DeadlineExceeded)
			require.Zero(t, l.Decided())
		})
	}
}

// The load's count is of values that were decided.
func TestUnderLoad(t *testing.T) {
	for _, kind := range Kinds {
		t.Run(kind, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			logs := open(t, kind, 3)
			require.NoError(t, logs[0].AwaitLeader(ctx))
			r, err := closed.Run(ctx, closed.Options{Clients: 4, Size: 64, Duration: 200 * time.Millisecond}, func(int) (func(context.Context) error, error) {
				value := make([]byte, 64)
				return func(ctx context.Context) error { return logs[0].Propose(ctx, value) }, nil
			})
			require.NoError(t, err)
			require.NotZero(t, r.Count)
			require.LessOrEqual(t, r.Count, logs[0].Decided())
		})
	}
}

func TestConfig(t *testing.T) {
	two := []string{"127.0.0.1:1", "127.0.0.1:2"}
	for _, c := range []struct {
		kind string
		conf Config
		want string
	}{
		{"paxos", Config{ID: 1, Addresses: two}, "unknown kind"},
		{"hashicorp", Config{ID: 1}, "0 servers"},
		{"hashicorp", Config{ID: 3, Addresses: two}, "id 3"},
		{"etcd-raft", Config{ID: 0, Addresses: two}, "id 0"},
		{"etcd-raft", Config{ID: 1, Addresses: []string{"a:1", "a:1"}}, "given twice"},
		{"etcd-raft", Config{ID: 1, Addresses: make([]string, 10)}, "10 servers"},
	} {
		_, err := Open(c.kind, c.conf)
		require.ErrorContains(t, err, c.want)
	}
}
