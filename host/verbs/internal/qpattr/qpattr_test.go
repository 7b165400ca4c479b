package qpattr

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAckTimeout(t *testing.T) {
	for _, c := range []struct {
		d    time.Duration
		want uint8
	}{
		{0, 14}, {-1, 0}, {1, 1}, {8192, 1}, {8193, 2}, {4096 << 14, 14}, {4096<<14 + 1, 15},
		{20 * time.Millisecond, 13}, {time.Hour, 30}, {1 << 62, 31},
	} {
		require.Equal(t, c.want, AckTimeout(c.d), "%v", c.d)
	}
}

// TestAckTimeoutIsTight: not shorter than asked for, and no shorter one would do.
func TestAckTimeoutIsTight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(1, int64(4096<<30)).Draw(t, "d"))
		n := AckTimeout(d)
		require.LessOrEqual(t, d, time.Duration(4096)<<n)
		if n > 1 {
			require.Greater(t, d, time.Duration(4096)<<(n-1))
		}
	})
}

func TestRNRDelay(t *testing.T) {
	for _, c := range []struct {
		d    time.Duration
		want uint8
	}{
		{0, 14}, {1, 1}, {10 * time.Microsecond, 1}, {11 * time.Microsecond, 2}, {1280 * time.Microsecond, 14},
		{491520 * time.Microsecond, 31}, {500 * time.Millisecond, 0}, {time.Hour, 0},
	} {
		require.Equal(t, c.want, RNRDelay(c.d), "%v", c.d)
	}
}

func TestRetries(t *testing.T) {
	require.EqualValues(t, 6, Retries(0, MaxRetry))
	require.EqualValues(t, 6, Retries(7, MaxRetry), "7 never ends on rxe")
	require.EqualValues(t, 3, Retries(3, MaxRetry))
	require.EqualValues(t, 0, Retries(-1, MaxRetry))
	require.EqualValues(t, 7, Retries(0, 7))
}
