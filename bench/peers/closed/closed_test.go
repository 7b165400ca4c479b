package closed

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCheck(t *testing.T) {
	good := Options{Clients: 1, Size: 64, Duration: time.Second}
	require.NoError(t, good.Check())
	for want, change := range map[string]func(*Options){
		"clients 0":    func(o *Options) { o.Clients = 0 },
		"clients 4097": func(o *Options) { o.Clients = MaxClients + 1 },
		"size 0":       func(o *Options) { o.Size = 0 },
		"size 65537":   func(o *Options) { o.Size = MaxSize + 1 },
		"at once":      func(o *Options) { o.Batch = -1 },
		"1 to 1024":    func(o *Options) { o.Batch = MaxBatch + 1 },
		"warm-up":      func(o *Options) { o.Warmup = -1 },
		"duration":     func(o *Options) { o.Duration = 0 },
	} {
		o := good
		change(&o)
		require.ErrorContains(t, o.Check(), want)
		_, err := Run(t.Context(), o, nil)
		require.ErrorContains(t, err, want, "Run checks, too")
	}
}

// A client has one request under way; nothing is counted that was not answered.
func TestClosedLoop(t *testing.T) {
	var under [3]atomic.Int32
	var answered atomic.Uint64
	r, err := Run(t.Context(), Options{Clients: 3, Size: 1, Warmup: 10 * time.Millisecond, Duration: 50 * time.Millisecond}, func(i int) (func(context.Context) error, error) {
		return func(context.Context) error {
			if under[i].Add(1) != 1 {
				return errors.New("two requests of one client")
			}
			time.Sleep(time.Millisecond) // the request
			under[i].Add(-1)
			answered.Add(1)
			return nil
		}, nil
	})
	require.NoError(t, err)
	require.NotZero(t, r.Count)
	require.LessOrEqual(t, r.Count, answered.Load())
	require.GreaterOrEqual(t, r.P50, int64(time.Millisecond)*99/100, "three digits")
	require.LessOrEqual(t, r.P50, r.P99)
	require.LessOrEqual(t, r.P99, r.P999)
	require.LessOrEqual(t, r.P999, r.Max)
}

// Of requests with several operations each of these counts.
func TestBatch(t *testing.T) {
	var requests atomic.Uint64
	r, err := Run(t.Context(), Options{Clients: 1, Size: 1, Batch: 16, Duration: 20 * time.Millisecond}, func(int) (func(context.Context) error, error) {
		return func(context.Context) error {
			requests.Add(1)
			time.Sleep(time.Millisecond) // the request
			return nil
		}, nil
	})
	require.NoError(t, err)
	require.NotZero(t, r.Count)
	require.Zero(t, r.Count%16)
	require.LessOrEqual(t, r.Count, 16*requests.Load())
	require.InDelta(t, float64(r.Count)/r.Seconds, r.Rate, 1e-6)
}

func TestErrors(t *testing.T) {
	broken := errors.New("broken")
	o := Options{Clients: 2, Size: 1, Duration: time.Hour}
	_, err := Run(t.Context(), o, func(i int) (func(context.Context) error, error) {
		return func(ctx context.Context) error {
			if i == 1 {
				return broken
			}
			<-ctx.Done()
			return ctx.Err()
		}, nil
	})
	require.ErrorIs(t, err, broken, "one error ends all")
	_, err = Run(t.Context(), o, func(int) (func(context.Context) error, error) { return nil, broken })
	require.ErrorIs(t, err, broken)
}
