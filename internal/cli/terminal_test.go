package cli

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFit: a small terminal shows as much as it has room for.
func TestFit(t *testing.T) {
	require.Equal(t, "äb…\n1\n", string(fit([]byte("äbcd\n1\n2\n3\n"), 3, 3)))
	require.Equal(t, "abcd\n1\n", string(fit([]byte("abcd\n1\n"), 0, 0)))
}

// TestShow: where nobody watches, texts follow each other.
func TestShow(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, Show(&b, []byte("one\n"), true))
	require.NoError(t, Show(&b, []byte("two\n"), true))
	require.NoError(t, Show(&b, []byte("three\n"), false))
	require.Equal(t, "one\n\ntwo\n\nthree\n", b.String())
}
