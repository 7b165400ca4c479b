package pace

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/link"
)

// taken counts what a link is given.
type taken struct {
	link.Wire
	sent, flushed int
}

func (t *taken) Buffer() []byte { return nil }
func (t *taken) Send([]byte)    { t.sent++ }
func (t *taken) Flush() error   { t.flushed = t.sent; return nil }

// A link of 8 kb/s takes a frame of 100 bytes in 100 ms, by a clock of its own, after what
// a Burst allows at once.
func TestRate(t *testing.T) {
	under := &taken{}
	w := New(under, 8000)
	clock := time.Unix(1000, 0)
	w.now = func() time.Time { return clock }
	w.sleep = func(d time.Duration) {
		require.Equal(t, under.sent, under.flushed, "what is queued does not wait")
		clock = clock.Add(d)
	}
	start := clock
	const frames = 50
	for range frames {
		w.Buffer()
		w.Send(make([]byte, 100-Overhead))
	}
	w.Buffer() // waits for the last one
	require.EqualValues(t, frames*100, w.Sent())
	require.Equal(t, frames*100*time.Millisecond-Burst, clock.Sub(start))

	// An hour of silence is worth no more than a Burst.
	clock = clock.Add(time.Hour)
	start = clock
	for range 2 {
		w.Buffer()
		w.Send(make([]byte, 100-Overhead))
	}
	w.Buffer()
	require.Equal(t, 200*time.Millisecond-Burst, clock.Sub(start))

	// Of a beginning it is worth nothing.
	clock = clock.Add(time.Hour)
	start = clock
	w.Begin()
	for range 2 {
		w.Buffer()
		w.Send(make([]byte, 100-Overhead))
	}
	w.Buffer()
	require.Equal(t, 200*time.Millisecond, clock.Sub(start))
}
