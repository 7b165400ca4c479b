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
)

// room is a network that orders by a lock: each party has a queue.
type room struct {
	mu      sync.Mutex
	parties []*guest
	spoilt  bool // the second party is given the second message before the first one
	lose    int  // of each so many messages to the first party
	count   int
}

type guest struct {
	r      *room
	number int
	queue  chan heard
	held   []heard
}

type heard struct {
	from int
	data []byte
}

func (g *guest) broadcast(_ context.Context, data []byte) error {
	g.r.mu.Lock()
	defer g.r.mu.Unlock()
	g.r.count++
	for i, to := range g.r.parties {
		x := heard{g.number, data}
		switch {
		case i == 0 && g.r.lose > 0 && g.r.count%g.r.lose == 0:
		case i == 1 && g.r.spoilt && g.r.count == 1:
			to.held = []heard{x}
		default:
			to.queue <- x
			for _, x := range to.held {
				to.queue <- x
			}
			to.held = nil
		}
	}
	return nil
}

func (g *guest) receive(ctx context.Context) (int, []byte, error) {
	select {
	case x := <-g.queue:
		return x.from, x.data, nil
	case <-ctx.Done():
		return 0, nil, ctx.Err()
	}
}

func rooms(spoilt bool, lose int) *exchange {
	r := &room{spoilt: spoilt, lose: lose}
	x := &exchange{each: 40, lossy: lose > 0}
	for i := range 3 {
		g := &guest{r: r, number: i, queue: make(chan heard, 1000)}
		r.parties = append(r.parties, g)
		x.parties = append(x.parties, g)
	}
	return x
}

// What is received is counted, and its order is looked at; also when some of it is lost.
func TestExchange(t *testing.T) {
	x := rooms(false, 0)
	x.window = 4
	require.NoError(t, x.run(context.Background()))
	require.Zero(t, x.missing())
	require.Positive(t, x.rate())
	require.EqualValues(t, 3*3*40, x.latency().Summary().Count)

	x = rooms(false, 10)
	require.NoError(t, x.run(context.Background()))
	require.InDelta(t, 100./30, x.missing(), 0.01)

	x = rooms(true, 0)
	require.ErrorContains(t, x.run(context.Background()), "processes 0 and 1 have received messages in different orders")
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
		Binary: binary, Dir: t.TempDir(), Repetitions: 1, Processes: []int{4}, Messages: 800, Window: 16, For: 100 * time.Millisecond, Log: t.Output(),
	})
	require.NoError(t, err)
	for _, m := range []string{Rate, Missing, Median, Tail} {
		require.Equal(t, []string{Sequencer, BestEffort, Reliable}, r.At(report.Point{Metric: m, X: 4}), m)
	}
	require.Zero(t, r.Of(report.Point{Metric: Missing, X: 4}, Reliable).Median)
}
