package onepipe

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// round acknowledges a window, of which every n-th fragment was marked; 0: none.
func (w *window) round(from uint32, n int) (next uint32) {
	size := uint32(w.size())
	next = (from + size) & psnMask
	for i := range size {
		w.acked((from+i)&psnMask, next, 1, n > 0 && i%uint32(n) == 0)
	}
	return next
}

// The window begins small and doubles in each round, until a fragment is marked.
func TestWindowBegins(t *testing.T) {
	w := newWindow(128)
	require.Equal(t, firstWindow, w.size())
	psn := uint32(psnMask - 15) // it wraps
	for _, want := range []int{20, 40, 80, 128, 128} {
		psn = w.round(psn, 0)
		require.Equal(t, want, w.size())
	}
	small := newWindow(4)
	require.Equal(t, 4, small.size(), "it is not above what the receiver grants")
}

// Marks shrink it by their share: all fragments marked, again and again, take half of it; a few take little. Without marks it
// grows by one in a round.
func TestWindowMarks(t *testing.T) {
	w := newWindow(128)
	psn := uint32(0)
	for range 5 {
		psn = w.round(psn, 0)
	}
	for range 200 {
		psn = w.round(psn, 1)
	}
	require.InDelta(t, 1, w.alpha, 0.01)
	require.LessOrEqual(t, w.size(), 4, "all are marked, whatever is sent")
	before := w.size()
	for range 20 {
		psn = w.round(psn, 0)
	}
	require.InDelta(t, before+20, w.size(), 3, "one in a round")
	for range 200 { // every tenth is marked
		psn = w.round(psn, 10)
	}
	require.InDelta(t, 0.1, w.alpha, 0.1)
	require.Greater(t, w.size(), 8, "few marks take little")
}

// An acknowledgement of several fragments does what as many do: the window doubles, and marks count by fragments.
func TestWindowOfSeveral(t *testing.T) {
	w := newWindow(128)
	psn := uint32(0)
	for _, want := range []int{20, 40, 80, 128} {
		next := psn + uint32(w.size())
		for psn != next {
			n := min(next-psn, 4)
			psn += n
			w.acked(psn-1, next, int(n), false)
		}
		require.Equal(t, want, w.size())
	}
	for range 300 { // one acknowledgement of three, and it is of one fragment of nine
		next := psn + 9
		w.acked(psn+3, next, 4, false)
		w.acked(psn+4, next, 1, true)
		w.acked(psn+8, next, 4, false)
		psn = next
	}
	require.InDelta(t, 1.0/9, w.alpha, 0.01)
}

// A loss takes half of it, once in a round.
func TestWindowLosses(t *testing.T) {
	w := newWindow(128)
	psn := uint32(0)
	for range 5 {
		psn = w.round(psn, 0)
	}
	w.lost(psn, psn+128)
	require.Equal(t, 64, w.size())
	w.lost(psn+3, psn+128)
	require.Equal(t, 64, w.size(), "of the same round")
	w.lost(psn+128, psn+200)
	require.Equal(t, 32, w.size())
	for n := range uint32(20) {
		w.lost(psn+200+n*10, psn+210+n*10)
	}
	require.Equal(t, 2, w.size(), "never less")
}

// The timeout doubles while fragments time out and no round trip is measured, once in a timeout.
func TestTimeoutBacksOff(t *testing.T) {
	r := rtt{least: time.Millisecond}
	now := time.Hour
	r.measured(100 * time.Microsecond)
	require.Equal(t, time.Millisecond, r.timeout())
	for _, want := range []time.Duration{2, 4, 8, 8} {
		now += 20 * time.Millisecond
		for range 5 {
			r.late(now)
		}
		require.Equal(t, want*time.Millisecond, r.timeout())
	}
	r.measured(5 * time.Millisecond)
	require.Equal(t, r.smooth+4*r.spread, r.timeout(), "it is measured again")
}
