package agent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHealth: a switch says that it is well only while nothing is wrong with it.
func TestHealth(t *testing.T) {
	h := newHealth()
	look := func() error { return h.look(t.Context()) }
	require.NoError(t, look())
	h.set("b", "port 2: interface b was deleted")
	h.set("a", "port 1: interface a was deleted")
	require.EqualError(t, look(), "port 1: interface a was deleted\nport 2: interface b was deleted")
	h.clear("a")
	require.EqualError(t, look(), "port 2: interface b was deleted")
	h.clear("b")
	require.NoError(t, look())
}
