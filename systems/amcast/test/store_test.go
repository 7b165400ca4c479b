package test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/systems/amcast/lab"
	"github.com/p4ce/p4ce/systems/amcast/lab/traffic"
)

// TestStore: transactions over three partitions are serializable, as their clients see it, while the switch that leads two
// partitions dies, a follower, a host, and the controller. No partition stands still for ever. (make faults does so for longer.)
func TestStore(t *testing.T) {
	both(t, func(t *testing.T, o lab.Options) {
		for _, f := range []lab.Fault{{Name: "nothing"}, lab.LeaderDies, lab.SpineDies, lab.HostDies, lab.ControllerDies} {
			t.Run(f.Name, func(t *testing.T) {
				needs.Time(t, "stores run for seconds")
				ctx, n := network(t, o)
				s, err := traffic.Start(ctx, n)
				require.NoError(t, err)
				t.Cleanup(s.Close)
				s.Run(1, 0)
				require.NoError(t, s.Progress(ctx, 200))
				s.Kill(f)
				if f.Controller {
					require.NoError(t, n.StartController(ctx))
				}
				require.NoError(t, s.Progress(ctx, 200))
				s.Stop()
				require.NoError(t, s.Settle(ctx))
				_, err = s.Judge()
				require.NoError(t, err)
				t.Log(s)
			})
		}
	})
}
