package durable

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWatch(t *testing.T) {
	var w Watch
	require.NoError(t, w.Stalled(time.Hour, time.Second))
	w.Begin(0)
	require.NoError(t, w.Stalled(time.Second, time.Second))
	require.EqualError(t, w.Stalled(3*time.Second, time.Second), "the disk has not answered for 3s")
	w.End()
	require.NoError(t, w.Stalled(time.Hour, time.Second))
}
