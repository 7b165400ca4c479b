package life

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLife: a connection is established once and not after its end, and ends once, for the first reason.
func TestLife(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	l := New()
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, l.Await(gone), context.Canceled)
	require.True(t, l.Establish())
	require.False(t, l.Establish())
	require.NoError(t, l.Await(context.Background()))
	require.NoError(t, l.Err())
	require.False(t, l.Ended())
	require.True(t, l.End(first))
	require.False(t, l.End(second))
	<-l.Done()
	require.ErrorIs(t, l.Err(), first)
	require.True(t, l.Up() && l.Ended())

	l = New()
	require.True(t, l.End(first))
	require.False(t, l.Establish())
	require.False(t, l.Up())
	require.ErrorIs(t, l.Await(context.Background()), first)
}
