package fabric

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// What a switch copies for a group is in its memory once, so a group needs no more room for PFC than a peer (MC-RDMA, IV-D).
func TestCopiesAreHeldOnce(t *testing.T) {
	pauses := func(stop int) uint64 {
		f := network(t, 1)
		c := rack(8)
		c.HostLink.PFCStop, c.HostLink.PFCGo = stop, stop/2
		l := groupOf(50, "h2", "h3", "h4", "h5", "h6", "h7", "h8")
		l.Outstanding = 1
		loads := build(t, f, c, l)
		finish(t, f, loads...)
		require.NoError(t, loads[0].Result.Err)
		require.Equal(t, 50, loads[0].Result.Done)
		require.NoError(t, f.Check())
		return f.Hosts[0].Link().Count.Pauses
	}
	require.Zero(t, pauses(1500), "one packet is less")
	require.NotZero(t, pauses(1000), "one packet is more")
}

// Queue pairs of a class that is stopped leave the wire to those of others.
func TestStoppedClass(t *testing.T) {
	run := func(class int) (victim fabric.Time, stopped uint64) {
		f := network(t, 1)
		c := rack(8)
		c.Edge = fabric.ProgramPlain
		c.HostLink.PFCStop, c.HostLink.PFCGo = 20<<10, 10<<10
		load := func(name, from, to string, class, count int) LoadConfig {
			return LoadConfig{
				LoadConfig:   fabric.LoadConfig{Name: name, From: from, To: []string{to}, Size: 64 << 10, Count: count, Outstanding: 4},
				LoadSettings: LoadSettings{Via: ViaFanOut, QP: QPConfig{Window: 256, AckTimeout: 20 * time.Millisecond, Class: class}, Policy: private.PolicyAll},
			}
		}
		l := build(t, f, c, load("a", "h2", "h1", 0, 100), load("b", "h3", "h1", 0, 100), load("c", "h4", "h1", 0, 100), load("victim", "h4", "h5", class, 20))
		finish(t, f, l...)
		for _, x := range l {
			require.NoError(t, x.Result.Err)
			require.Equal(t, x.Config.Count, x.Result.Done)
		}
		require.Zero(t, lost(f))
		require.NoError(t, f.Check())
		s, _ := f.Hosts[3].Link().Class(class)
		return l[3].Result.Last - l[3].Result.First, s.Pauses
	}
	blocked, stopped := run(0)
	require.NotZero(t, stopped)
	free, stopped := run(3)
	require.Zero(t, stopped)
	require.Greater(t, blocked, free*5/4, "it waits for the others")
}
