package bell_test

import (
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/link/bell"
)

func newBell(t *testing.T) *bell.Bell {
	b, err := bell.New()
	require.NoError(t, err)
	return b
}

// far is a time that no test waits for.
const far = 10 * time.Second

func TestRingBeforeWait(t *testing.T) {
	b := newBell(t)
	b.Ring()
	b.Ring()
	start := time.Now()
	require.NoError(t, b.Wait(-1, far))
	require.Less(t, time.Since(start), far/2)
	requireSilent(t, b) // two rings were one
}

// requireSilent checks that a Wait takes its time, but for signals that end it early.
func requireSilent(t *testing.T, b *bell.Bell) {
	t.Helper()
	calls := 0
	for end := time.Now().Add(20 * time.Millisecond); time.Now().Before(end); calls++ {
		require.NoError(t, b.Wait(-1, time.Until(end)))
	}
	require.Less(t, calls, 100)
}

// Every ring ends a Wait: none gets lost between two of them.
func TestNoRingIsLost(t *testing.T) {
	b := newBell(t)
	const all = 20000
	var asked, seen atomic.Int64
	var wg sync.WaitGroup
	wg.Go(func() {
		for seen.Load() < all {
			if n := asked.Load(); n > seen.Load() {
				seen.Store(n)
				continue
			}
			start := time.Now()
			require.NoError(t, b.Wait(-1, far))
			require.Less(t, time.Since(start), far/2)
		}
	})
	for i := range int64(all) {
		asked.Store(i + 1)
		b.Ring()
		for seen.Load() < i && i%64 == 0 {
			time.Sleep(time.Microsecond)
		}
	}
	wg.Wait()
}

func TestWaitForFile(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	b := newBell(t)
	require.NoError(t, b.Wait(int(r.Fd()), time.Millisecond))
	_, err = w.Write([]byte("x"))
	require.NoError(t, err)
	start := time.Now()
	require.NoError(t, b.Wait(int(r.Fd()), -1))
	require.NoError(t, b.Wait(int(r.Fd()), far))
	require.Less(t, time.Since(start), far/2)
	requireSilent(t, b) // it is not waited for
}

func TestWaitAllocatesNothing(t *testing.T) {
	b := newBell(t)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		b.Ring()
		_ = b.Wait(-1, time.Second)
	}))
}
