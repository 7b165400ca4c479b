package cli

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHealth: a server says what is wrong, and that it has not begun yet.
func TestHealth(t *testing.T) {
	var h health
	look := func() error { return h.look(t.Context()) }
	require.EqualError(t, look(), "starting")
	h.set(func() error { return nil })
	require.NoError(t, look())
	h.set(func() error { return errors.Join(errors.New("one"), errors.New("two")) })
	require.EqualError(t, look(), "one\ntwo")
}
