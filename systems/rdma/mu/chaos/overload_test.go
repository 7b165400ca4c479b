package chaos

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestOverload is a generator of overload for everything that servers send to each other:
// devices take ten times as long for every operation, for a second, so that ten times as
// much is asked of them as they can do; in the middle of that something has to be asked for.
// Whoever repeats must not fill the devices with it: what they have to serve stays short, and a second
// after the end somebody leads, and what is proposed is decided.
func TestOverload(t *testing.T) {
	const (
		service = 200 * time.Microsecond
		second  = time.Second
		worst   = 300 * time.Millisecond // of operations that wait at a device
	)
	during := map[string]func(t *testing.T, w *World){
		"writes":     func(*testing.T, *World) {},
		"election":   func(_ *testing.T, w *World) { w.Crash(w.Leader(), false) },
		"comes back": func(_ *testing.T, w *World) { id := (w.Leader() + 1) % 5; w.Crash(id, false); w.Restart(id) },
		"lost disk":  func(_ *testing.T, w *World) { id := (w.Leader() + 1) % 5; w.Crash(id, true); w.Restart(id) },
		"join": func(t *testing.T, w *World) {
			require.NoError(t, w.Learner(5))
		},
		"no switch": func(_ *testing.T, w *World) { w.SwitchDown() },
		"all start again": func(_ *testing.T, w *World) {
			w.PowerLoss()
			for id := range 5 {
				w.Restart(id)
			}
		},
	}
	for name, happens := range during {
		t.Run(name, func(t *testing.T) {
			for seed := uint64(1); seed <= 2; seed++ {
				most := time.Duration(0)
				w, err := RunScript([]string{fmt.Sprintf("cluster servers=5 seed=%d switch", seed), "run 300ms"}, func(o *Options) { o.Service = service })
				require.NoError(t, err)
				n := 0
				run := func(d time.Duration, rate int) {
					for range int(d / time.Millisecond) {
						if l := w.Leader(); l >= 0 {
							for range rate {
								n++
								w.Propose(l, fmt.Sprint("r", n))
							}
						}
						require.NoError(t, w.Run(time.Millisecond))
						for id := range 5 {
							most = max(most, w.Backlog(id))
							require.Less(t, w.Backlog(id), worst, "seed %d: server %d has operations of so much time to serve", seed, id)
						}
					}
				}
				run(second/5, 4)
				w.Serve(10 * service)
				run(second/10, 40)
				happens(t, w)
				run(second, 40)
				w.Serve(service)
				decided := w.Stats.Decided
				run(second, 1)
				require.GreaterOrEqual(t, w.Leader(), 0, "seed %d", seed)
				require.Greater(t, w.Stats.Decided, decided, "seed %d", seed)
				require.Less(t, w.Backlog(w.Leader()), 2*time.Millisecond, "seed %d", seed)
				t.Logf("seed %d: at most %v to serve; %d records before the end, %d after", seed, most, decided, w.Stats.Decided-decided)
			}
		})
	}
}
