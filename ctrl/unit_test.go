package ctrl

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/store"
	"github.com/p4ce/p4ce/ctrl/store/embedded"
)

// TestAbsence: a holder whose stream has ended is gone soon, one that has not come yet later, and nobody is who
// cannot be looked for.
func TestAbsence(t *testing.T) {
	now := time.Unix(1000, 0)
	a := &absence{}
	h := store.Holder{Number: 1}
	at := func(d time.Duration, s sight) bool { return a.is(now.Add(d), h, s) }
	none, there, blind, half := sight{2, 2, 0}, sight{2, 2, 1}, sight{2, 0, 0}, sight{2, 1, 0}
	require.False(t, at(0, none))
	require.False(t, at(lateFor-1, none), "it has just been elected")
	require.True(t, at(lateFor, none))
	h.Number = 2
	require.False(t, at(lateFor, none), "another one")
	require.False(t, at(time.Minute, there))
	require.False(t, at(time.Hour, there))
	require.False(t, at(time.Hour+absentFor-1, none), "it may connect again")
	require.True(t, at(time.Hour+absentFor, none))
	require.False(t, at(2*time.Hour, blind))
	require.False(t, at(3*time.Hour, half))
	require.False(t, at(3*time.Hour+absentFor-1, none))
	require.False(t, at(3*time.Hour+absentFor, there))
}

// TestElectionIDs: each term has a higher election id than those before, by all controllers, and its
// sessions end with it: what they would send then is not sent.
func TestElectionIDs(t *testing.T) {
	dir, err := os.MkdirTemp("", "p4ce-ctrl-")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	e, err := embedded.Start(filepath.Join(dir, "etcd"), nil)
	require.NoError(t, err)
	defer e.Close()
	at := p4rtclient.Options{Address: "unix:" + filepath.Join(dir, "nobody")}
	last := uint64(0)
	for range 3 {
		kept, err := store.Open(t.Context(), store.Options{Endpoints: []string{e.Endpoint}, TTL: time.Second})
		require.NoError(t, err)
		c, err := New(Config{Replicated: &Replicated{Store: kept, ElectionHigh: 5, Units: []Unit{{
			Name: "s", Make: func(context.Context, store.Records) ([]SwitchConfig, func(), error) {
				return []SwitchConfig{{P4RT: at, App: app{}}}, nil, nil
			},
		}}}})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- c.Run(ctx) }()
		require.Eventually(t, func() bool { return len(c.sessions()) == 1 }, time.Minute, time.Millisecond)
		s := c.sessions()[0]
		high, low := s.Client().ElectionID()
		require.Equal(t, uint64(5), high)
		require.Greater(t, low, last)
		last = low
		require.NotErrorIs(t, s.Client().Write(t.Context(), p4rtclient.Insert(nil)), store.ErrLost)
		cancel()
		require.NoError(t, <-done)
		require.ErrorIs(t, s.Client().Write(t.Context(), p4rtclient.Insert(nil)), store.ErrLost)
		require.NoError(t, kept.Close())
	}
}
