package vm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/lab"
)

// running is a group of nodes under way.
type running struct {
	leader   *node
	replicas []*node
}

// begin starts replicas and a leader that is to replicate count records in each
// mode.
func (n *network) begin(t *testing.T, leader server, replicas []server, modes string, count int) *running {
	t.Helper()
	r := &running{}
	var addrs []string
	for _, s := range replicas {
		r.replicas = append(r.replicas, s.start("--role", "replica"))
		addrs = append(addrs, s.addr.String())
	}
	for _, nd := range r.replicas {
		nd.event(t, n.ctx, "ready")
	}
	r.leader = leader.start("--role", "leader", "--replicas", strings.Join(addrs, ","), "--switch", lab.SwitchIP.String(),
		"--modes", modes, "--input", n.inputFile(leader), "--count", fmt.Sprint(count))
	return r
}

// underWay lets the leader begin its next mode, and returns when some records are
// decided, and some not.
func (r *running) underWay(t *testing.T, n *network, mode string) {
	t.Helper()
	require.Equal(t, mode, r.leader.event(t, n.ctx, "mode").Mode)
	r.leader.say(t, "go")
	e, err := r.leader.await(n.ctx, "progress", func(e event) bool { return e.Event == "done" || e.Event == "progress" && e.Records > 0 })
	require.NoError(t, err)
	require.Equal(t, "progress", e.Event, "the leader is done before anything could happen to it: take more records")
	t.Logf("%s: %d of %d records are decided", mode, e.Records, e.Total)
}

// TestReplicaDies: of four replicas one dies in accelerated mode, and another in
// direct mode. The leader goes on with those that are left, who have everything.
func TestReplicaDies(t *testing.T) {
	const count = 4000
	n := newServers(t, 5, 0)
	r := n.begin(t, n.guest(0), []server{n.guest(1), n.guest(2), n.guest(3), n.guest(4)}, "accelerated,direct", count)
	for i, mode := range []string{"accelerated", "direct"} {
		r.underWay(t, n, mode)
		n.guests[4-i].Kill()
		require.EqualValues(t, count, r.leader.event(t, n.ctx, "done").Records)
	}
	want := r.leader.event(t, n.ctx, "digest")
	require.EqualValues(t, 2*count, want.Records)
	for _, nd := range r.replicas[:2] {
		require.Equal(t, want, nd.digest(t, n.ctx), nd.name)
	}
}
