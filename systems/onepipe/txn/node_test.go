package txn

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/systems/onepipe"
)

// server is a node of three without a host.
func server() *Node {
	return &Node{c: Config{Name: "a", Logger: slog.New(slog.DiscardHandler)}, names: []string{"a", "b", "c"}, why: "waits", room: make(chan struct{}, 1), done: make(chan struct{})}
}

// alive is a life whose shards are all there.
func alive(n *Node) *life {
	l := &life{n: n, failed: map[onepipe.Process]bool{}, waiting: map[uint64]chan<- Outcome{}, client: NewClient(nodes[:3])}
	l.pausing = true // it has no host
	return l
}

// A server is believed where its shard is if it has the same list of servers: keys are at the same place for all.
func TestWhere(t *testing.T) {
	n := server()
	same := []string{"a", "b", "c"}
	for _, c := range []struct {
		s      Status
		want   string // "": it is believed
		strong bool   // something is set up in a wrong way
	}{
		{Status{Name: "b", Servers: same, Address: "10.0.0.2", Process: 7}, "", false},
		{Status{Name: "b", Servers: same, Why: "waits"}, "it waits", false},
		{Status{Name: "c", Servers: same, Address: "10.0.0.2", Process: 7}, `it is server "c"`, true},
		{Status{Name: "b", Servers: []string{"a", "b"}, Address: "10.0.0.2", Process: 7}, "the same deployment", true},
		{Status{Name: "b", Servers: []string{"a", "b", "c", "d"}, Address: "10.0.0.2", Process: 7}, "the same deployment", true},
		{Status{Name: "b", Servers: same, Address: "nowhere"}, `its shard is at "nowhere"`, true},
	} {
		p, err := n.shardOf("b", &c.s)
		if c.want == "" {
			require.NoError(t, err)
			require.Equal(t, "10.0.0.2/7", p.String())
			continue
		}
		require.ErrorContains(t, err, c.want)
		var strange *strangeError
		require.Equal(t, c.strong, errors.As(err, &strange), err)
	}
}

// A shard that has failed is nowhere, whatever its server says, until it is another process.
func TestPlaces(t *testing.T) {
	l := alive(server())
	l.processFailed(onepipe.ProcessFailure{Process: nodes[1]})
	require.False(t, l.absent(0))
	require.True(t, l.absent(1))
	l.place(1, nodes[1])
	require.True(t, l.absent(1), "it does not know it yet")
	again := nodes[1]
	again.Number++
	l.place(1, again)
	require.False(t, l.absent(1))
	o := l.do(context.Background(), []Op{{Key: "x"}, {Key: "x"}})
	require.ErrorContains(t, o.Err, "once")
}

// When a life ends, those who wait learn what is known: what was sent may have been executed.
func TestLifeEnds(t *testing.T) {
	l := alive(server())
	wait := func(ops ...Op) chan Outcome {
		number, err := l.client.Begin(ops...)
		require.NoError(t, err)
		c := make(chan Outcome, 1)
		l.waiting[number] = c
		return c
	}
	sent, reads := wait(put("x", "1")), wait(Op{Key: "x"})
	for range 2 {
		_, _, ok := l.client.Next()
		require.True(t, ok)
		l.client.Sent(nil)
	}
	queued := wait(put("y", "1"))
	l.end()
	require.ErrorIs(t, (<-sent).Err, ErrUnknown)
	require.ErrorIs(t, (<-reads).Err, ErrNotDone)
	require.ErrorIs(t, (<-queued).Err, ErrNotDone)
	require.ErrorIs(t, l.do(context.Background(), []Op{put("x", "1")}).Err, ErrNotDone)
}

// Whoever gives up learns what is known.
func TestGivesUp(t *testing.T) {
	n := server()
	ctx, cancel := context.WithCancel(context.Background())
	_, err := n.Do(ctx, put("x", "1"))
	require.ErrorIs(t, err, ErrNotDone)
	require.ErrorContains(t, err, "this server waits")
	n.life = alive(n)
	cancel()
	_, err = n.Do(ctx, put("x", "1"))
	require.ErrorIs(t, err, ErrNotDone, "it was not sent")
	require.ErrorIs(t, err, context.Canceled)
	n.life.client.Place(ShardOf("x", 3), onepipe.Process{})
	_, err = n.Do(context.Background(), put("x", "1"))
	require.ErrorIs(t, err, ErrNotDone)
	require.ErrorContains(t, err, "the shard of server "+n.names[ShardOf("x", 3)]+" is not there")
	_, err = n.Do(context.Background(), make([]Op, MaxOps+1)...)
	require.ErrorContains(t, err, "33 keys: want 1 to 32")
	require.EqualValues(t, 3, n.ends[endNotDone].Load())
	require.EqualValues(t, 1, n.ends[endWrong].Load())
}

// What has no room is sent later, and so is what a clock is in the way of. Nothing else is: it was not sent, and is not done.
func TestRetry(t *testing.T) {
	for err, want := range map[error]bool{nil: false, onepipe.ErrFull: true, onepipe.ErrClock: true, onepipe.ErrFailed: false, onepipe.ErrExpelled: false} {
		pause, again := retry(err)
		require.Equal(t, want, again, err)
		require.Equal(t, want, pause > 0, err)
	}
}
