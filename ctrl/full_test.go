package ctrl_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/store"
	"github.com/p4ce/p4ce/ctrl/store/storetest"
	"github.com/p4ce/p4ce/internal/long"
)

// TestEtcdFull: when etcd has no space, the controller that serves the switch goes on, says so, and refuses what it would
// have to store; another one can still take over from it. When etcd has space again all is well by itself.
func TestEtcdFull(t *testing.T) {
	long.Test(t)
	etcd, dir := newEtcd(t, storetest.SmallQuota)
	d := newDevice(t)
	a := newPeer(t, d, "a", etcd, dir)
	a.serves(true, "a")
	b := newPeer(t, d, "b", etcd, dir)
	b.serves(false, "a")
	require.NoError(t, a.make("before", 1))
	free := storetest.Fill(t, etcd)
	says := func(p *peer) {
		t.Helper()
		require.ErrorContains(t, p.make("refused", 2), "etcd has no space [compact and defragment it")
		err := p.Health(t.Context())
		require.ErrorContains(t, err, "unit s: etcd has no space")
		text, err := p.Metrics(t.Context())
		require.NoError(t, err)
		require.Regexp(t, `p4ce_controller_switch_events_total\{event="store_failed",switch="s"\} [1-9]`, text)
	}
	a.serves(true, "a")
	late, err := store.Open(t.Context(), store.Options{Endpoints: []string{etcd}, Name: "late", TTL: time.Second})
	require.NoError(t, err)
	_, err = late.Campaign(t.Context(), "s")
	require.ErrorIs(t, err, store.ErrNoSpace, "there is no room for another candidate")
	require.NoError(t, late.Close())
	says(a)
	a.serves(true, "a")
	a.kill()
	b.serves(true, "b")
	says(b)
	names := func() string {
		list, err := b.StaticGroups(t.Context())
		require.NoError(t, err)
		var out []string
		for _, g := range list {
			out = append(out, g.Name)
		}
		return strings.Join(out, " ")
	}
	require.Equal(t, "before", names())
	free()
	require.Eventually(t, func() bool { return b.Health(t.Context()) == nil }, time.Minute, 10*time.Millisecond)
	require.NoError(t, b.make("after", 3))
	require.Equal(t, "after before", names())
	require.NoError(t, b.Health(t.Context()))
}
