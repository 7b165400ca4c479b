package fabric

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/amcast"
)

var systems = fabric.Systems{System}

func scenario(t *testing.T, text string) *fabric.Scenario {
	t.Helper()
	s, err := systems.Scenario([]byte(text))
	require.NoError(t, err)
	return s
}

// Scenarios that come with the system run to their end.
func TestScenarios(t *testing.T) {
	for _, name := range systems.Examples() {
		t.Run(name, func(t *testing.T) {
			text, err := systems.Example(name)
			require.NoError(t, err)
			run, err := scenario(t, string(text)).Begin()
			require.NoError(t, err)
			n := run.Fabric.System().(*Network)
			require.NoError(t, n.RunWhile(fabric.Second, func() bool { return !over(run) }))
			for _, row := range run.Rows() {
				require.NoError(t, row.Err, row.Load)
				require.Equal(t, row.Requests, row.Done, row.Load)
			}
			require.NoError(t, n.Check())
			require.Empty(t, n.log.missing(func(amcast.ID) bool { return true }))
			require.NoError(t, n.log.alike())
		})
	}
}

func over(run *fabric.Run) bool {
	for _, l := range run.Loads {
		if !l.Over() {
			return false
		}
	}
	return true
}

// What a scenario says that cannot be.
func TestBadScenarios(t *testing.T) {
	const good = `name: x
system: amcast
topology: {kind: leaf-spine, core: amcast, leaves: 2, spines: 1, hosts: 2}
groups:
  - {number: 1, members: [spine1], replicas: [h1]}
loads:
  - {name: a, from: h3, groups: [1], size: 64, count: 1}
`
	s := scenario(t, good)
	_, err := s.Begin()
	require.NoError(t, err)
	for _, c := range []struct{ old, new, want string }{
		{"groups:\n  - {number: 1, members: [spine1], replicas: [h1]}\n", "", "groups: missing"},
		{"size: 64", "size: 1401", "messages of 1401 bytes: want at most 1400"},
		{"groups: [1]", "groups: []", "0 destination groups"},
		{"groups: [1]", "to: [h1], groups: [1]", "the system's own keys say who receives"},
		{"members: [spine1]", "members: [nobody]", `"nobody" is not known`},
		{"replicas: [h1]", "replicas: [h9]", `"h9" is not known`},
		{"number: 1", "number: 0", "want different numbers from 1 to 255"},
	} {
		require.Contains(t, good, c.old)
		s, err := systems.Scenario([]byte(strings.Replace(good, c.old, c.new, 1)))
		if err == nil {
			_, err = s.Begin()
		}
		require.ErrorContains(t, err, c.want)
	}
}

// A member that takes longer to be given an epoch than the next ones take to be complete holds up nobody: no epoch begins for it again
// and again.
func TestSlowMember(t *testing.T) {
	run, err := scenario(t, `name: x
system: amcast
topology: {kind: leaf-spine, core: amcast, leaves: 4, spines: 2, hosts: 3, controller: {delay: 2us, write: 100ns}}
groups:
  - {number: 1, members: [spine2, leaf2, leaf4, spine1, leaf1], deliverers: [leaf3], replicas: [h10, h4]}
loads:
  - {name: a, from: h7, groups: [1], size: 64, count: 60, outstanding: 4, interval: 1us}
`).Begin()
	require.NoError(t, err)
	n := run.Fabric.System().(*Network)
	x, ok := n.Node("spine2")
	require.True(t, ok)
	n.At(150*fabric.Microsecond, func() { n.SwitchForgets(x.(*fabric.P4Switch)) })
	require.NoError(t, n.RunWhile(10*fabric.Millisecond, func() bool { return true }))
	require.True(t, over(run))
	require.NoError(t, n.Check())
	g := n.Groups()[0]
	require.Equal(t, "running", g.State)
	require.EqualValues(t, 3, g.Epoch, "one without the switch, and one with it")
}
