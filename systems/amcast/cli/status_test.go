package cli

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/systems/amcast/control"
)

// What people read while a group waits, and another one changes.
func TestStatus(t *testing.T) {
	var out strings.Builder
	require.NoError(t, (&status{
		Groups: []control.GroupStatus{{Number: 1, State: "running"}, {Number: 2, State: "waiting", Why: "its leader is lost"}, {Number: 3, State: "changing", Begun: 7}},
		Hosts:  []control.HostStatus{{Host: "h1", State: "admitted", Client: 4, Ago: 20 * time.Millisecond}, {Host: "h2", State: "awaited"}},
	}).print(&out))
	require.Equal(t, `groups: 1 of 3 have their leaders
group 2: waiting: its leader is lost
group 3: epoch 7 was begun, and is not complete
HOST  STATE     CLIENT  HEARD OF
h1    admitted  4       20ms ago
h2    awaited   -       -
`, out.String())
	out.Reset()
	require.NoError(t, printGroups(&out, []control.GroupStatus{{
		Number: 1, State: "running", Epoch: 3, Leader: "s1", Members: []control.MemberStatus{{Switch: "s1", State: "ready"}, {Switch: "s2", State: "lost"}},
		Deliverers: []string{"l1", "l2"}, Replicas: []control.ReplicaStatus{{Host: "h1", State: "there"}, {Host: "h2", State: "failed"}},
	}, {Number: 2, State: "waiting"}}))
	require.Equal(t, `GROUP  STATE    EPOCH  LEADER  MEMBERS        DELIVERERS  REPLICAS
1      running  3      s1      s1, s2 (lost)  l1, l2      h1, h2 (failed)
2      waiting  0      -                                  `+`
`, out.String())
}

// A controller that does not answer is said once; what cannot be is refused before.
func TestCommands(t *testing.T) {
	run := func(line string) error {
		c := Command()
		c.SetArgs(strings.Fields(line + " --controller unix:" + t.TempDir() + "/nobody.sock"))
		c.SetOut(io.Discard)
		c.SetErr(io.Discard)
		return c.ExecuteContext(t.Context())
	}
	for _, line := range []string{"status", "groups", "members 1 s1"} {
		err := run(line)
		require.ErrorContains(t, err, "nobody answers")
		require.Equal(t, 1, strings.Count(err.Error(), "nobody answers"))
	}
	require.ErrorContains(t, run("members 0 s1"), `group "0": want a number from 1 to 255`)
	require.ErrorContains(t, run("members 1"), "requires at least 2 arg")
}
