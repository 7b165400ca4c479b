package looptime

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestStandsStill: what a loop is late does not pass, whatever the loop does next; all other time does.
func TestStandsStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const never = time.Duration(math.MaxInt64)
		c := New()
		time.Sleep(time.Nanosecond)
		require.Zero(t, c.Now(), "no step has begun")
		c.Wake(never)
		require.EqualValues(t, 1, c.Now())
		time.Sleep(time.Minute - time.Nanosecond)
		c.Wake(never)
		require.Equal(t, time.Minute, c.Now(), "it was not late: it waited for events")

		due := c.Now() + time.Second
		require.Equal(t, time.Second, c.Until(due))
		time.Sleep(time.Second + Slack)
		require.Zero(t, c.Until(due))
		c.Wake(due)
		require.Equal(t, due+Slack, c.Now(), "as late as a timer may be")

		due = c.Now() + time.Second
		time.Sleep(time.Hour)
		require.Zero(t, c.Until(due))
		c.Wake(due)
		require.Equal(t, due+Slack, c.Now(), "it stood still")
		require.Equal(t, time.Second-Slack, c.Until(due+time.Second), "from now on, time passes as before")
		time.Sleep(time.Hour)
		require.Equal(t, due+Slack, c.Now(), "a step has one time")
		time.Sleep(time.Hour)
		c.Wake(due + time.Second)
		require.Equal(t, due+time.Second+Slack, c.Now(), "a step that takes long makes the next one late")

		// Something is due at once: it is not late because of that.
		now := c.Now()
		time.Sleep(Slack / 2)
		c.Wake(0)
		require.Equal(t, now+Slack/2, c.Now())
		time.Sleep(time.Hour)
		c.Wake(0)
		require.Equal(t, now+Slack/2+Slack, c.Now())
	})
}
