package sim

import (
	"fmt"
	"testing"
)

// found has scripts, shortened, by which TestChaos has found something. All ended
// with a cluster that did not recover.
var found = []struct{ about, script string }{
	{"the leader removes itself, and stops before the others know", `cluster servers=3
		until full 2
		remove 0
		run 50ms
		settle x`},
	{"the power fails after the leader has removed itself", `cluster servers=4
		until full 3
		remove 0
		run 1ms
		power
		settle x`},
	{"a server starts again with a membership whose servers are no more", `cluster servers=3
		until full 2
		crash 1
		remove 0
		until removed 0
		run 50ms
		stop 0
		restart 1
		settle x`},
	{"the server that should lead does not know today's membership", `cluster servers=3
		until full 2
		cut 0
		until leader 1
		learner 3
		until ready 3
		join 3
		run 50ms
		remove 2
		run 50ms
		stop 2
		pause 1
		heal
		run 300ms
		crash 1
		settle x`},
}

// TestFound runs them again.
func TestFound(t *testing.T) {
	for _, f := range found {
		t.Run(f.about, func(t *testing.T) {
			t.Parallel()
			script := lines(f.script)
			head := script[0]
			for seed := range 30 {
				script[0] = fmt.Sprintf("%s seed=%d", head, seed)
				if w, err := RunScript(script, nil); err != nil || w.failed != nil {
					t.Fatalf("seed %d: %v, %v", seed, err, w.failed)
				}
			}
		})
	}
}
