package p4rt

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/p4ce/p4ce/dataplane"
)

func idleEntry(timeout time.Duration) *stored {
	return &stored{target: dataplane.Entry{IdleTimeout: timeout}}
}

// TestAger goes through the life of one entry.
func TestAger(t *testing.T) {
	start := time.Unix(1000, 0)
	a, e := newAger(), idleEntry(time.Second)
	now, hit := start, start
	lastHit := func(*stored) (uint64, uint64, error) { return uint64(hit.UnixNano()), uint64(now.UnixNano()), nil }
	// due looks at the entry when its time comes, which must be at, within a step.
	due := func(at time.Duration) []*stored {
		t.Helper()
		next, ok := a.next()
		require.True(t, ok)
		require.WithinRange(t, next, start.Add(at), start.Add(at+idleStep))
		now = next
		require.Empty(t, a.due(next.Add(-1), lastHit), "too early")
		return a.due(next, lastHit)
	}
	a.add(e, start)
	hit = start.Add(600 * time.Millisecond)
	require.Empty(t, due(time.Second), "hit meanwhile")
	require.Equal(t, []*stored{e}, due(1600*time.Millisecond))
	require.Equal(t, []*stored{e}, due(2600*time.Millisecond), "still idle")
	hit = now.Add(100 * time.Millisecond)
	require.Empty(t, due(3600*time.Millisecond), "hit again")
	require.Equal(t, []*stored{e}, due(3700*time.Millisecond), "and idle again")
	a.remove(e)
	_, ok := a.next()
	require.False(t, ok)
	a.remove(e)
	a.add(idleEntry(0), now)
	_, ok = a.next()
	require.False(t, ok, "no time-out")
}

// TestAgerAfterHit: an entry that was hit is told of a time-out after that, not a time-out after it
// was looked at.
func TestAgerAfterHit(t *testing.T) {
	const timeout = 1000 * time.Millisecond
	start := time.Unix(1000, 0)
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	a, e := newAger(), idleEntry(timeout)
	a.add(e, start)
	due := func(now, hit time.Time) []*stored {
		return a.due(now, func(*stored) (uint64, uint64, error) { return uint64(hit.UnixNano()), uint64(now.UnixNano()), nil })
	}
	require.Empty(t, due(at(1000), at(700)), "hit 300 ms ago")
	next, ok := a.next()
	require.True(t, ok)
	require.WithinRange(t, next, at(1700), at(1700).Add(idleStep))
	require.Equal(t, []*stored{e}, due(next, at(700)))
}

// TestAgerTells: whatever the hits of whatever entries are, each is told when its time-out has passed
// without one, within a step, and again when it has passed once more.
func TestAgerTells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(1000, 0)
		a := newAger()
		var entries []*stored
		// Since when an entry is idle, or told last.
		hits, since := map[*stored]time.Time{}, map[*stored]time.Time{}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				e := idleEntry(time.Duration(rapid.IntRange(1, 3000).Draw(t, "ms")) * time.Millisecond)
				entries = append(entries, e)
				a.add(e, now)
				hits[e], since[e] = now, now
			case 1:
				if len(entries) > 0 {
					e := rapid.SampledFrom(entries).Draw(t, "hit")
					if now.After(hits[e]) {
						hits[e], since[e] = now, now
					}
				}
			case 2:
				if len(entries) > 0 {
					e := rapid.SampledFrom(entries).Draw(t, "removed")
					entries = slices.DeleteFunc(entries, func(x *stored) bool { return x == e })
					a.remove(e)
				}
			default:
				now = now.Add(time.Duration(rapid.IntRange(0, 2000).Draw(t, "ms")) * time.Millisecond)
			}
			for {
				at, ok := a.next()
				if !ok || at.After(now) {
					break
				}
				for _, e := range a.due(now, func(e *stored) (uint64, uint64, error) {
					return uint64(hits[e].UnixNano()), uint64(now.UnixNano()), nil
				}) {
					if idle := now.Sub(since[e]); idle < e.timeout() {
						t.Fatalf("told after %v, the time-out is %v", idle, e.timeout())
					}
					if !slices.Contains(entries, e) {
						t.Fatalf("told of an entry that was removed")
					}
					since[e] = now
				}
			}
			for _, e := range entries {
				if idle := now.Sub(since[e]); idle >= e.timeout()+idleStep {
					t.Fatalf("not told: idle for %v, the time-out is %v", idle, e.timeout())
				}
			}
		}
	})
}
