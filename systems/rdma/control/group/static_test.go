package group

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStaticRules holds for static groups, whatever else is said about them
// (testdata/static has whole conversations).
func TestStaticRules(t *testing.T) {
	begin := func(t *testing.T) *world {
		w := newWorld(Config{})
		do(t, w, "make name=a port=4100 senders=10.0.0.0/29 replicas=10.0.0.2:5000,10.0.0.3:5000",
			"make name=m port=4200 replicas=10.0.0.2:5000,10.0.0.3:5000 reply=0,8,12,4,big")
		return w
	}
	connect := func(t *testing.T, w *world, port, data string) *Plan {
		t.Helper()
		do(t, w, "req from=10.0.0.1 id=1 qpn=0x11 port="+port, "rep from=10.0.0.2 qpn=0x22 data="+data, "rep from=10.0.0.3 qpn=0x33 data="+data,
			"done group=0")
		require.Len(t, w.plans, 1)
		require.Equal(t, "running", w.core.List()[0].Phase)
		return w.plans[0]
	}
	const region = "00000000000010000000007700002000" // 0x2000 bytes at 0x1000, key 0x77

	t.Run("only whom it is for", func(t *testing.T) {
		w := begin(t)
		require.Contains(t, do(t, w, "req from=10.0.0.9 id=1 qpn=0x11 port=4100"), "sender 10.0.0.9 may not send")
		require.Empty(t, w.core.List())
	})
	t.Run("a leader of ours is asked what it wants", func(t *testing.T) {
		w := begin(t)
		do(t, w, "req from=10.0.0.1 id=1 qpn=0x11 port=4100 replicas=10.0.0.4")
		require.Len(t, w.core.List()[0].Slots, 1)
		require.Equal(t, "10.0.0.4", w.core.List()[0].Slots[0].Replica)
	})
	t.Run("no memory, no WRITEs", func(t *testing.T) {
		w := begin(t)
		do(t, w, "req from=10.0.0.1 id=1 qpn=0x11 port=4100", "rep from=10.0.0.2 qpn=0x22 data=6869", "rep from=10.0.0.3 qpn=0x33 va=0x1000 rkey=5 size=4096")
		p := w.plans[0]
		require.EqualValues(t, 1, p.Size, "0 would be all of memory")
		for _, s := range p.Slots {
			require.Zero(t, s.RKey)
			require.Zero(t, s.VA)
		}
	})
	t.Run("the group's key, each replica's place", func(t *testing.T) {
		w := begin(t)
		p := connect(t, w, "4200", region)
		require.EqualValues(t, 0x2000, p.Size)
		for _, s := range p.Slots {
			require.EqualValues(t, 0x77, s.RKey)
			require.EqualValues(t, 0x1000, s.VA)
		}
		told := w.lastREP[addr("10.0.0.1")]
		require.NotNil(t, told)
		require.NotContains(t, message(told), `\x00\x00\x10\x00\x00\x00\x00w`, "the receiver's own")
	})
	t.Run("not while it is in use", func(t *testing.T) {
		w := begin(t)
		connect(t, w, "4100", "")
		require.Contains(t, do(t, w, "unmake name=a"), "in use by sender 10.0.0.1")
		require.Len(t, w.core.StaticGroups(), 2)
		do(t, w, "restart")
		require.Contains(t, do(t, w, "unmake name=a"), "in use by sender 10.0.0.1")
	})
	t.Run("one port, one group", func(t *testing.T) {
		w := begin(t)
		require.Contains(t, do(t, w, "make name=b port=4100 replicas=10.0.0.4:5000"), `port 4100 belongs to group "a"`)
		require.Len(t, w.core.StaticGroups(), 2)
	})
	t.Run("a receiver that leaves has still acknowledged", func(t *testing.T) {
		w := begin(t)
		connect(t, w, "4100", "")
		do(t, w, "dreq from=10.0.0.2", "advance by=1s")
		require.Equal(t, "running", w.core.List()[0].Phase)
		do(t, w, "advance by=2s")
		require.Equal(t, "removing", w.core.List()[0].Phase)
	})
}
