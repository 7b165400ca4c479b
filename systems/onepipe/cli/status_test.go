package cli

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/systems/onepipe/control"
)

// What people read while others are told of a failure.
func TestStatus(t *testing.T) {
	var out strings.Builder
	(&status{
		Links: []control.LinkStatus{{State: "open"}, {State: "open"}, {State: "joining"}, {State: "counting"}, {State: "off"}},
		Processes: []control.ProcessStatus{
			{Host: "h1", First: 1, Count: 2, Admitted: true}, {Host: "h2", First: 3, Count: 2},
		},
		Failures:   []control.FailureStatus{{Host: "h3", First: 5, Count: 2, Waits: []string{"h1", "h2"}}, {Host: "h4", First: 7, Count: 1}},
		Forwarding: []control.ForwardingStatus{{Switch: "s", Pairs: []control.Pair{{From: "h1", To: "h2"}}}},
	}).print(&out)
	require.Equal(t, `links: 2 open, 2 joining, 1 off
hosts: 1 admitted, 1 joining; processes: 2
failure: host h3, processes 5 to 6; reliable delivery waits for answers of h1, h2
failure: host h4, processes 7 to 7; reliable delivery waits for answers of nobody
forwarding: host h2 does not answer host h1; the controller forwards their reliable messages
`, out.String())
}

// A controller that does not answer is said once.
func TestStatusOfNobody(t *testing.T) {
	c := Command()
	c.SetArgs([]string{"status", "--controller", "unix:" + t.TempDir() + "/nobody.sock"})
	c.SetOut(io.Discard)
	c.SetErr(io.Discard)
	err := c.ExecuteContext(t.Context())
	require.ErrorContains(t, err, "nobody answers")
	require.Equal(t, 1, strings.Count(err.Error(), "nobody answers"))
}
