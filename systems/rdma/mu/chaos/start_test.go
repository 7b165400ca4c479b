package chaos

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStart: servers that start together need one term, whoever sees whom first. A
// server that has followed the first to ask, and has then heard from enough others,
// must not ask in turn because it has not yet read what the first is by now.
func TestStart(t *testing.T) {
	for _, servers := range []int{2, 3, 4, 5, 7} {
		t.Run(fmt.Sprintf("%d servers", servers), func(t *testing.T) {
			for seed := uint64(1); seed <= 200; seed++ {
				script := []string{fmt.Sprintf("cluster servers=%d seed=%d", servers, seed), "run 150ms"}
				w, err := RunScript(script, func(*Options) {})
				require.NoError(t, err)
				require.GreaterOrEqual(t, w.Leader(), 0, script)
				require.Equal(t, "1.0", w.Status(w.Leader()).Term.String(), script)
			}
		})
	}
}
