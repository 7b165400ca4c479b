package hosts

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/systems/amcast"
)

// room is a system that orders by a lock; a replica may be given two messages in the other order.
func room(spoilt bool) *system {
	var mu sync.Mutex
	s := &system{name: "room", deliver: map[uint8][]func(context.Context) (amcast.Delivery, error){}}
	var queues []chan amcast.Delivery
	for _, g := range []uint8{1, 2} {
		for range 3 {
			q := make(chan amcast.Delivery, 1000)
			queues = append(queues, q)
			s.deliver[g] = append(s.deliver[g], func(ctx context.Context) (amcast.Delivery, error) {
				select {
				case d := <-q:
					return d, nil
				case <-ctx.Done():
					return amcast.Delivery{}, ctx.Err()
				}
			})
		}
	}
	final := uint32(0)
	var held amcast.Delivery
	for i := range s.multicast {
		s.multicast[i] = func(_ context.Context, groups amcast.Groups, payload []byte) error {
			mu.Lock()
			defer mu.Unlock()
			final++
			d := amcast.Delivery{Final: final, ID: amcast.ID{Client: uint16(i), Number: final}, Groups: groups, Payload: append([]byte(nil), payload...)}
			for k, q := range queues {
				switch {
				case k != 4 || !spoilt || final > 2:
					q <- d
				case final == 1:
					held = d
				case final == 2:
					q <- d
					q <- held
				}
			}
			return nil
		}
	}
	return s
}

// What is delivered is counted, and its order is looked at.
func TestExchange(t *testing.T) {
	x := &exchange{system: room(false), to: []uint8{1, 2}, size: 100, each: 50}
	took, err := x.run(context.Background())
	require.NoError(t, err)
	require.Positive(t, took)
	require.EqualValues(t, 2*50*6, x.took.Summary().Count)
	x = &exchange{system: room(true), to: []uint8{1, 2}, size: 100, each: 50}
	_, err = x.run(context.Background())
	require.ErrorContains(t, err, "replica 2 of group 2: delivery 1 is")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	x = &exchange{system: room(false), to: []uint8{1}, size: 100, each: 1, pause: time.Hour}
	_, err = x.run(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

// A short run on XDP measures everything.
func TestMeasure(t *testing.T) {
	needs.Root(t, "network namespaces and XDP")
	needs.Time(t, "it builds p4ce")
	binary, err := launch.Build(t.TempDir(), "p4ce")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	r, err := Measure(ctx, Options{
		Binary: binary, Dir: t.TempDir(), Repetitions: 1, Size: 150, Messages: 400, Window: 8, For: 100 * time.Millisecond, Log: t.Output(),
	})
	require.NoError(t, err)
	for _, m := range []string{Rate, Median, Tail} {
		for _, x := range []float64{1, 2} {
			require.Equal(t, []string{PrimCast, P4mCast}, r.At(report.Point{Metric: m, X: x}), m)
		}
	}
}
