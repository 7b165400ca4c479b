package paxos_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/systems/paxos"
)

// from begins with a state.
func from(state []byte) func(*paxos.Config) { return func(c *paxos.Config) { c.State = state } }

// TestLogRecover: who recovers an instance gets what was decided there, or has a no-op decided. The
// state machine gets neither.
func TestLogRecover(t *testing.T) {
	c := cluster(t, 64)
	h := open(t, c, 1, 1000, nil)
	c.Replicas(addrs(h))
	ctx := limit(t)
	i, err := h.Submit(ctx, []byte("a"))
	require.NoError(t, err)
	e, err := h.Recover(ctx, i+5, []byte("nothing"))
	require.NoError(t, err)
	require.Equal(t, []paxos.Entry{{Instance: i + 5, Value: []byte("nothing")}}, e)
	s := h.Status()
	require.Greater(t, s.Position, i+5)
	require.EqualValues(t, 5, s.Replica.Noops+s.Replica.Again, "those below are closed, too, unless a request that was sent again is there")
	_, err = h.Submit(ctx, []byte("b"))
	require.NoError(t, err, "the leader finds a free instance, after some that are not")

	// A host that has delivered all this in an earlier life asks the acceptors.
	again := openWith(t, c, 2, 1000, nil, from(h.State()))
	c.Replicas(addrs(h, again))
	for _, host := range []*server{h, again} {
		e, err = host.Recover(ctx, i, []byte("another no-op"))
		require.NoError(t, err)
		require.Equal(t, []paxos.Entry{{Instance: i, Client: 1<<16 | 1, Sequence: 1, Value: []byte("a")}}, e)
		e, err = host.Recover(ctx, i+5, []byte("another no-op"))
		require.NoError(t, err)
		require.Len(t, e, 1)
		require.Equal(t, "nothing", string(e[0].Value), "the first no-op was decided")
		e, err = host.Recover(ctx, i+4, []byte("another no-op"))
		require.NoError(t, err)
		require.Len(t, e, 1)
		require.Equal(t, paxos.Entry{Instance: i + 4}, paxos.Entry{Instance: e[0].Instance, Client: e[0].Client}, "it was closed with an empty one")
		require.Empty(t, e[0].Value)
	}
	require.Equal(t, []string{"a", "b"}, h.wait(2))
	_, err = again.Submit(ctx, []byte("c"))
	require.NoError(t, err)
	require.Equal(t, []string{"c"}, again.wait(1), "nothing is applied again")
}

// TestLogRecoverTrimmed: what the switches have forgotten cannot be recovered by who has not seen it.
func TestLogRecoverTrimmed(t *testing.T) {
	c := cluster(t, 16)
	h := open(t, c, 1, 4, nil)
	c.Replicas(addrs(h))
	ctx := limit(t)
	for range 32 {
		_, err := h.Submit(ctx, []byte("x"))
		require.NoError(t, err)
	}
	e, err := h.Recover(ctx, 1, nil)
	require.NoError(t, err, "it is still in this process")
	require.Equal(t, "x", string(e[0].Value))
	again := openWith(t, c, 2, 1000, nil, from(h.State()))
	c.Replicas(addrs(h, again))
	_, err = again.Recover(ctx, 1, nil)
	require.ErrorIs(t, err, paxos.ErrTrimmed)
	require.ErrorContains(t, err, "instance 1:")
}

func TestLogRecoverErrors(t *testing.T) {
	c := cluster(t, 16)
	h := open(t, c, 1, 1000, nil)
	c.Replicas(addrs(h))
	ctx := limit(t)
	_, err := h.Recover(ctx, 1, make([]byte, paxos.MaxValue+1))
	require.ErrorIs(t, err, paxos.ErrValue)
	require.ErrorContains(t, err, "the no-op: paxos value: more than 64 bytes: 65")
	_, err = h.Recover(ctx, 0, nil)
	require.ErrorContains(t, err, "the first instance is 1")
	_, err = h.Recover(ctx, 1<<40, nil)
	require.ErrorContains(t, err, "too far ahead")
	// What is beyond the ring is not there for as long as somebody waits.
	short, cancel := context.WithCancel(ctx)
	done := make(chan error)
	go func() {
		_, err := h.Recover(short, 1000, nil)
		done <- err
	}()
	for h.Status().Replica.Queries == 0 {
		require.NoError(t, ctx.Err())
		time.Sleep(time.Millisecond)
	}
	cancel()
	require.ErrorContains(t, <-done, "further ahead than the ring")
	require.NoError(t, h.Close())
	_, err = h.Recover(ctx, 1, nil)
	require.ErrorIs(t, err, paxos.ErrClosed)
}

// TestReplicaRecover: acceptors are asked, then the controller; the answer counts once everything up to
// it was delivered.
func TestReplicaRecover(t *testing.T) {
	r := newReplica(t, paxos.ReplicaOptions{Host: 4, Acceptors: 2, GapAfter: 5 * ms, Report: time.Hour})
	r.Tick(0)
	r.Sends()
	require.NoError(t, r.Recover(3, []byte("nothing")))
	var told paxos.Message
	asked := 0
	for now := ms; now < time.Second && told.Kind == 0; now += ms {
		r.Tick(now)
		for _, s := range r.Sends() {
			switch {
			case s.To == paxos.ToController && s.Message.Flags == paxos.Wanted:
				told = s.Message
			case s.Message.Kind == paxos.Query && s.Message.Instance == 3:
				asked++
			}
		}
	}
	require.GreaterOrEqual(t, asked, 3*2)
	require.Equal(t, paxos.Message{Kind: paxos.Report, Flags: paxos.Wanted, Instance: 3, Client: 4, Value: []byte("nothing")}, told)
	require.EqualValues(t, 1, r.Heard(), "nothing is known of it yet")

	r.Deliver(time.Second, deliver(3, 0, 0, "nothing"))
	_, ok := r.Recovered()
	require.False(t, ok, "1 and 2 are missing")
	r.Deliver(time.Second, deliver(1, 7, 1, "a"))
	r.Deliver(time.Second, deliver(2, 7, 2, "b"))
	require.Equal(t, []string{"a", "b"}, log(r))
	d, ok := r.Recovered()
	require.True(t, ok)
	require.Equal(t, paxos.Decision{Instance: 3, Entries: []paxos.Entry{{Instance: 3, Value: []byte("nothing")}}}, d)

	// After a restart it is asked for again, and not delivered again.
	again := newReplica(t, paxos.ReplicaOptions{Acceptors: 2})
	require.NoError(t, again.Restore(r.AppendState(nil)))
	require.NoError(t, again.Recover(1, nil))
	again.Tick(0)
	require.Contains(t, kinds(again.Sends()), "query 1 to 1")
	again.Deliver(ms, deliver(1, 7, 1, "a"))
	require.Empty(t, log(again))
	d, ok = again.Recovered()
	require.True(t, ok)
	require.Equal(t, paxos.Decision{Instance: 1, Entries: []paxos.Entry{{Instance: 1, Client: 7, Sequence: 1, Value: []byte("a")}}}, d)

	// An answer that it is not there may be from before it was decided.
	require.NoError(t, again.Recover(2, nil))
	for i := range 4 {
		_, ok = again.Recovered()
		require.False(t, ok, "after %d answers", i)
		again.Refuse(&paxos.Message{Kind: paxos.Refused, Instance: 2, VoteRound: uint32(paxos.ReasonWindow)})
	}
	d, ok = again.Recovered()
	require.True(t, ok)
	require.ErrorIs(t, d.Err, paxos.ErrTrimmed)
	require.NoError(t, again.Recover(2, nil))
	again.Abandon(2)
	again.Tick(time.Second)
	require.NotContains(t, kinds(again.Sends()), "query 2 ")
}
