package baseline

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc64"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/link/hub"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/internal/hosttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	logSize = 1 << 14
	longest = 100
	window  = 8
)

var quick = roce.QPConfig{AckTimeout: 20 * time.Millisecond, Retry: 7}

// bed is followers on a hub.
type bed struct {
	t         *testing.T
	hub       *hub.Hub
	followers []*Follower
	devices   []*roce.Device
	addrs     []netip.Addr
}

func newBed(t *testing.T, n int) *bed {
	b := &bed{t: t, hub: hub.New()}
	for i := range n {
		d := hosttest.Device(t, b.hub, hosttest.Addr(11+i))
		f, err := OpenFollower(FollowerConfig{Device: roce.RDMA(d, quick), Port: hosttest.Port, LogSize: logSize, MaxRecord: longest, Window: window, Token: 7})
		require.NoError(t, err)
		t.Cleanup(func() { _ = f.Close() })
		b.followers, b.devices, b.addrs = append(b.followers, f), append(b.devices, d), append(b.addrs, hosttest.Addr(11+i))
	}
	return b
}

func (b *bed) leader(id int) *Leader {
	l, err := NewLeader(Config{
		Device: roce.RDMA(hosttest.Device(b.t, b.hub, hosttest.Addr(1+id)), quick), ID: uint16(id), Replicas: b.addrs, Port: hosttest.Port, LogSize: logSize,
		MaxRecord: longest, Window: window, Token: 7, Log: slog.New(slog.NewTextHandler(hosttest.Writer{T: b.t}, nil)),
	})
	require.NoError(b.t, err)
	b.t.Cleanup(func() { _ = l.Close() })
	return l
}

func value(i int) []byte { return bytes.Repeat(fmt.Appendf(nil, "%d.", i), 1+i%20) }

// propose has a leader decide values, and waits for it.
func propose(t *testing.T, l *Leader, from, n int) {
	var wait sync.WaitGroup
	for i := range n {
		wait.Add(1)
		require.NoError(t, l.ProposeAsync(value(from+i), func(err error) {
			defer wait.Done()
			if err != nil {
				t.Error(err)
			}
		}))
	}
	wait.Wait()
}

func sum(n int) (s uint64) {
	for i := range n {
		s = crc64.Update(s, table, value(i))
	}
	return s
}

// Values are decided, and applied by all followers in order, in a log that goes round many times, over several turns of
// leading.
func TestReplicate(t *testing.T) {
	b := newBed(t, 3)
	l := b.leader(0)
	ctx := hosttest.Context(t)
	at := 0
	for turn := range 3 {
		require.NoError(t, l.Begin(ctx, uint64(turn+1)))
		propose(t, l, at, 1000)
		at += 1000
		require.NoError(t, l.End(ctx))
		for _, f := range b.followers {
			require.Eventually(t, func() bool {
				n, s := f.Applied()
				return n == uint64(at+turn*window) && s == sum(at)
			}, 10*time.Second, time.Millisecond)
		}
		require.ErrorIs(t, l.ProposeAsync([]byte("x"), nil), ErrClosed)
	}
	s := l.Stats()
	require.EqualValues(t, at, s.Decided)
	require.Greater(t, uint64(at), 10*l.geo.slots)
}

// A majority is enough, less is not.
func TestMajority(t *testing.T) {
	b := newBed(t, 3) // and the leader: two of them are enough
	l := b.leader(0)
	ctx := hosttest.Context(t)
	require.NoError(t, l.Begin(ctx, 1))
	propose(t, l, 0, 20)
	require.NoError(t, b.devices[0].Close())
	propose(t, l, 20, 500)
	require.NoError(t, b.devices[1].Close())
	failed := make(chan error, 1)
	require.NoError(t, l.ProposeAsync(value(0), func(err error) { failed <- err }))
	require.ErrorIs(t, <-failed, ErrNoMajority)
	require.ErrorIs(t, l.ProposeAsync(value(0), nil), ErrNoMajority)
}

// One acknowledgement decides nothing, and what is not decided is not applied.
func TestUndecided(t *testing.T) {
	b := newBed(t, 3)
	l := b.leader(0)
	require.NoError(t, l.Begin(hosttest.Context(t), 1))
	propose(t, l, 0, 20)
	// From now on two followers answer nothing.
	b.hub.SetFilter(func(frame []byte) bool {
		var p wire.Packet
		return wire.Parse(frame, &p) != nil || p.BTH.Opcode() != wire.Acknowledge || p.IP.Src() == wire.Addr(b.addrs[2].As4())
	})
	decided := make(chan error, window)
	for i := range window {
		require.NoError(t, l.ProposeAsync(value(20+i), func(err error) { decided <- err }))
	}
	require.ErrorIs(t, <-decided, ErrNoMajority)
	require.Eventually(t, func() bool {
		n, s := b.followers[2].Applied()
		return n == 20 && s == sum(20)
	}, 10*time.Second, time.Millisecond)
}

// The log is not used again before a follower that is cut off for a moment has applied it.
func TestSlow(t *testing.T) {
	b := newBed(t, 3)
	l := b.leader(0)
	ctx := hosttest.Context(t)
	require.NoError(t, l.Begin(ctx, 1))
	var cut atomic.Bool
	b.hub.SetFilter(func(frame []byte) bool {
		var p wire.Packet
		return !cut.Load() || wire.Parse(frame, &p) != nil || p.IP.Dst() != wire.Addr(b.addrs[0].As4())
	})
	at := 0
	for range 3 {
		propose(t, l, at, 50)
		cut.Store(true)
		time.AfterFunc(50*time.Millisecond, func() { cut.Store(false) }) // of 160 ms until it counts as lost
		propose(t, l, at+50, 450)
		at += 500
	}
	require.NoError(t, l.End(ctx))
	_, s := b.followers[0].Applied()
	require.Equal(t, sum(at), s, "it was there to the end")
}

// The permission is with one leader: a second one takes it, and the first can write no more.
func TestPermission(t *testing.T) {
	b := newBed(t, 3)
	first, second := b.leader(0), b.leader(1)
	ctx := hosttest.Context(t)
	require.NoError(t, first.Begin(ctx, 5))
	asks := make(chan error, 1)
	go func() { asks <- second.Begin(ctx, 9) }()
	require.NoError(t, <-asks)
	failed := make(chan error, 1)
	require.NoError(t, first.ProposeAsync([]byte("of the first"), func(err error) { failed <- err }))
	err := <-failed
	require.ErrorIs(t, err, ErrNoMajority)
	require.ErrorIs(t, err, rdma.StatusError(rdma.StatusRemoteInvalidRequest))
	propose(t, second, 0, 100)
	require.NoError(t, second.End(ctx))
	for _, f := range b.followers {
		require.Eventually(t, func() bool {
			_, s := f.Applied()
			return s == sum(100)
		}, 10*time.Second, time.Millisecond)
	}
	// A number that is not higher gets none.
	require.ErrorIs(t, first.End(ctx), ErrNoMajority)
	late, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, first.Begin(late, 8), ErrNoMajority)
	require.ErrorIs(t, b.leader(2).Begin(ctx, 10), ErrLog, "it has served another leader")
}

// An entry is complete when its canary is there, whatever else is.
func TestCanary(t *testing.T) {
	g, err := newGeometry(logSize, longest)
	require.NoError(t, err)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range uint64(500) {
		region := make([]byte, logSize)
		v := make([]byte, 1+rnd.IntN(longest))
		for i := range v {
			v[i] = byte(rnd.Uint32())
		}
		whole := make([]byte, logSize)
		b := g.put(whole, i, 3, kindValue, v)
		for n := range b { // so much of it has come
			copy(region[g.at(i):], b[:n])
			_, got, ok := g.get(region, i)
			require.False(t, ok && len(got) > 0, "%d of %d bytes", n, len(b))
		}
		kind, got, ok := g.get(whole, i)
		require.True(t, ok)
		require.Equal(t, v, got)
		require.EqualValues(t, kindValue, kind)
		require.LessOrEqual(t, g.at(i)+g.size, uint64(logSize))
	}
	region := make([]byte, logSize)
	binary.LittleEndian.PutUint32(region[g.at(0)+8:], 1<<31)
	_, _, ok := g.get(region, 0)
	require.False(t, ok, "a length out of bounds")
}

// A leader whose log has another form does not begin.
func TestOtherForm(t *testing.T) {
	b := newBed(t, 1)
	for _, c := range []Config{{MaxRecord: longest + 8, Window: window}, {MaxRecord: longest, Window: window - 1}} {
		c.Replicas, c.Port, c.LogSize, c.Token = b.addrs, hosttest.Port, logSize, 7
		c.Device = roce.RDMA(hosttest.Device(t, b.hub, hosttest.Addr(100+c.Window)), quick)
		l, err := NewLeader(c)
		require.NoError(t, err)
		require.ErrorContains(t, l.Begin(hosttest.Context(t), 1), "give all servers the same")
		require.NoError(t, l.Close())
	}
}

// What cannot work is refused.
func TestBadConfig(t *testing.T) {
	for _, c := range []struct{ log, longest, window int }{{1000, 10, 1}, {1 << 14, 0, 1}, {1 << 14, 100, 0}, {1 << 14, 100, 100}, {1 << 10, 4000, 1}} {
		_, err := OpenFollower(FollowerConfig{LogSize: c.log, MaxRecord: c.longest, Window: c.window})
		require.Error(t, err, "%+v", c)
		_, err = NewLeader(Config{LogSize: c.log, MaxRecord: c.longest, Window: c.window, Replicas: []netip.Addr{hosttest.Addr(2)}})
		require.Error(t, err, "%+v", c)
	}
}
