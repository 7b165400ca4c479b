package smr

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCarriers: what goes over a link ends when it goes down while another one is up, and not when it comes up, nor
// when it is the last.
func TestCarriers(t *testing.T) {
	for name, c := range map[string]struct {
		links  int
		events []int // 1 + a link that goes down, or less that of one that comes up
		ends   []bool
	}{
		"the only one":     {1, []int{1, -1, 1}, []bool{false, false, false}},
		"one of two":       {2, []int{2, -2, 1}, []bool{true, false, true}},
		"both":             {2, []int{1, 2, -1, 1}, []bool{true, false, false, false}},
		"the second again": {2, []int{1, 2, -2, 2, -1, 2}, []bool{true, false, false, false, false, true}},
	} {
		links := make(carriers, c.links)
		for i, e := range c.events {
			require.Equal(t, c.ends[i], links.changed(max(e, -e)-1, e < 0), "%s, event %d", name, i)
		}
	}
}
