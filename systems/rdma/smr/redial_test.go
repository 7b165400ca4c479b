package smr

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRedial: whoever refuses, or accepts and ends connections at once, is asked five times a second at most; a connection that
// has lasted is made again at once.
func TestRedial(t *testing.T) {
	for _, lasted := range []time.Duration{0, time.Millisecond, lasting - 1} {
		var r redial
		asked, now := 0, time.Duration(0)
		for ; now < 10*time.Second && asked < 1000; asked++ {
			now += r.after(lasted)
		}
		require.Less(t, asked, 70, "in ten seconds")
		require.Equal(t, maxRedial, r.after(lasted))
		require.Zero(t, r.after(lasting))
		require.Equal(t, minRedial, r.after(lasted), "and then it begins anew")
	}
}
