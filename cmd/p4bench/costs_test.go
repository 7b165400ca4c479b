package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/sim/fabric"
)

// Hosts of every system pay for requests, completions and frames, and still do what their scenario asks.
func TestHostsPay(t *testing.T) {
	systems := fabric.Systems(simSystems)
	for _, name := range []string{"amcast-leaf-spine", "ping", "onepipe-rack", "paxos-hosts", "paxos-fat-tree", "rack"} {
		text, err := systems.Example(name)
		require.NoError(t, err)
		for what, cpu := range map[string]fabric.ScenarioCosts{
			"value": {Value: 1000}, "request": {Request: 1000}, "completion": {Completion: 1000}, "sent": {Sent: 1000}, "received": {Received: 1000},
			"all": {Value: 1000, Request: 1000, Completion: 1000, Sent: 1000, Received: 1000, RunToCompletion: true},
		} {
			s, err := systems.Scenario(text)
			require.NoError(t, err)
			s.Topology.Interfaces.CPU = cpu
			for i := range s.Loads {
				s.Loads[i].Count = min(s.Loads[i].Count, 20)
			}
			run, err := s.Begin()
			require.NoError(t, err)
			require.NoError(t, run.Finish(), "%s: %s", name, what)
			for _, l := range run.Loads {
				require.NoError(t, l.Result.Err)
				require.Equal(t, l.Config.Count, l.Result.Done, "%s: %s: %s", name, what, l.Config.Name)
				var jobs uint64
				for _, th := range l.From.Threads() {
					jobs += th.Jobs
				}
				require.GreaterOrEqual(t, jobs, uint64(l.Config.Count), "%s: %s: %s", name, what, l.Config.Name)
			}
		}
	}
}
