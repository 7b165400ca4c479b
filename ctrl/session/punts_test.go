package session

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPuntRate(t *testing.T) {
	for rate, want := range map[int]int{0: DefaultPuntRate, 1: 1, -1: -1, maxPuntRate: maxPuntRate} {
		c := Config{PuntRate: rate}
		require.NoError(t, c.checkPuntRate())
		require.Equal(t, want, c.PuntRate)
	}
	for _, rate := range []int{-2, maxPuntRate + 1} {
		require.ErrorContains(t, (&Config{PuntRate: rate}).checkPuntRate(), "packets per second")
	}
}
