package onepipe

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// wake has a thread wake up for beacons, and returns the interval behind them.
func wake(p *pace, beacons int, late func(interval time.Duration) time.Duration) time.Duration {
	for range beacons {
		p.woke(late(p.now))
	}
	return p.now
}

func always(d time.Duration) func(time.Duration) time.Duration {
	return func(time.Duration) time.Duration { return d }
}

func TestPace(t *testing.T) {
	const least = 100 * time.Microsecond
	t.Run("in time", func(t *testing.T) {
		p := newPace(least)
		require.Equal(t, least, wake(&p, 10000, always(10*time.Microsecond)))
	})
	t.Run("late", func(t *testing.T) {
		p := newPace(least)
		require.Equal(t, 2*least, wake(&p, 10000, always(40*time.Microsecond)))
		require.Equal(t, 4*least, wake(&p, 10000, always(80*time.Microsecond)))
	})
	t.Run("very late", func(t *testing.T) {
		p := newPace(least)
		require.Equal(t, paceMost*least, wake(&p, 10000, always(time.Second)), "no longer than the longest")
	})
	t.Run("one late beacon", func(t *testing.T) {
		p := newPace(least)
		require.Equal(t, least, wake(&p, 1, always(time.Second)))
	})
	t.Run("in time again", func(t *testing.T) {
		p := newPace(least)
		wake(&p, 1000, always(time.Millisecond))
		require.Equal(t, least, wake(&p, 100*pacePatience, always(5*time.Microsecond)))
	})
	t.Run("too much work at the shortest interval", func(t *testing.T) {
		p := newPace(least)
		work := func(interval time.Duration) time.Duration {
			if interval == least {
				return interval
			}
			return 10 * time.Microsecond
		}
		short := 0
		const beacons = 100_000
		for range beacons {
			if wake(&p, 1, work) == least {
				short++
			}
		}
		require.Less(t, short, beacons/100, "what was too short is tried more and more rarely")
		require.Equal(t, 2*least, p.now)
	})
	t.Run("a mean between two intervals", func(t *testing.T) {
		p := newPace(least)
		wake(&p, 1000, always(30*time.Microsecond))
		before := p
		require.Equal(t, before.now, wake(&p, 100_000, always(30*time.Microsecond)))
		require.Equal(t, before.patience, p.patience, "it does not try in vain")
	})
}

// Beacons that somebody waits for leave at once, but no more of them than others.
func TestPaceSpends(t *testing.T) {
	const least = 100 * time.Microsecond
	p := newPace(least)
	for _, interval := range []time.Duration{least, 4 * least} {
		p.now, p.spent = interval, 0
		sent := 0
		for at := time.Hour; at < time.Hour+time.Second; at += 10 * time.Microsecond {
			if p.spend(at) {
				sent++
			}
		}
		require.Equal(t, int(time.Second/interval)+paceBurst-1, sent)
	}
}
