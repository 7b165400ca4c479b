package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

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

// Live shows a text again and again, and ends with its context, or with an error of the text.
func TestLive(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	n := 0
	text := func(context.Context) ([]byte, error) {
		if n++; n == 3 {
			cancel()
		}
		return []byte(fmt.Sprintf("text %d\n", n)), nil
	}
	require.NoError(t, Live(ctx, &out, time.Millisecond, text))
	require.Equal(t, "text 1\n\ntext 2\n\n", out.String(), "what is interrupted is not shown")

	failed := errors.New("failed")
	require.ErrorIs(t, Live(t.Context(), &out, time.Millisecond, func(context.Context) ([]byte, error) { return nil, failed }), failed)
	require.Error(t, CheckEvery(0))
	require.Error(t, CheckEvery(2*time.Hour))
	require.NoError(t, CheckEvery(time.Second))
}
