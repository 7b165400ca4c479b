package control

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	verbs "github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
	"github.com/p4ce/p4ce/systems/rdma/private"
	"github.com/p4ce/p4ce/systems/rdma/region"
)

// rows is a leaf-spine of three leaves and two spines with this many hosts at each leaf: host n has port n, of
// one of the leaves, and uplinks are ports 200 and 201.
func rows(hosts ...int) string {
	var sw, links, at []string
	for s := range 2 {
		sw = append(sw, fmt.Sprintf(`{"name":"s%d","p4runtime":"P4RT-s%d","address":"10.0.0.%d","mac":"02:66:00:00:00:%02x","level":1}`, s, s, 250+s, 250+s))
	}
	n := 0
	for l := range 3 {
		sw = append(sw, fmt.Sprintf(`{"name":"l%d","p4runtime":"P4RT-l%d","address":"10.0.0.%d","mac":"02:66:00:00:00:%02x","level":0}`, l, l, 240+l, 240+l))
		for s := range 2 {
			links = append(links, fmt.Sprintf(`["l%d:%d","s%d:%d"]`, l, 200+s, s, 1+l))
		}
		for range hosts[l] {
			n = after(n)
			at = append(at, fmt.Sprintf(`{"name":"h%d","at":"l%d:%d","address":"10.0.0.%d","mac":"02:66:00:00:00:%02x"}`, n, l, n, n, n))
		}
	}
	return fmt.Sprintf(`{"switches":[%s],"links":[%s],"hosts":[%s],"hold":"500ms"}`, strings.Join(sw, ","), strings.Join(links, ","), strings.Join(at, ","))
}

// after is the number of the next host: the switch's CPU is at port 64.
func after(n int) int {
	if n == 63 {
		return 65
	}
	return n + 1
}

// many is a group of all hosts but the first, which is its leader.
type many struct {
	*world
	leaf     map[int]string // of a host
	dev      *roce.Device
	replicas []*replica
	made     group.Static
	api      *AdminClient
}

func newMany(t *testing.T, refuses int, hosts ...int) *many {
	m := &many{world: newWorld(t, rows(hosts...)), leaf: map[int]string{}, made: group.Static{Name: "many", Port: 7000, Policy: "all"}}
	m.controller(nil)
	m.api = NewAdminClient(m.labs["l0"].admin)
	n := 0
	for l, count := range hosts {
		for range count {
			n = after(n)
			name := fmt.Sprintf("l%d", l)
			dev := m.device(m.labs[name], n, wire.MAC{2, 0x66, 0, 0, 0, byte(240 + l)})
			if n == 1 {
				m.dev = dev
				continue
			}
			text := ""
			if n == refuses {
				text = "I would rather not"
			}
			m.replicas = append(m.replicas, m.labs[name].serve(dev, text))
			m.made.Receivers = append(m.made.Receivers, at(n))
		}
	}
	return m
}

func (m *many) connect() (*leader, error) {
	qp, err := m.dev.CreateQP(roce.QPConfig{AckTimeout: 200 * time.Millisecond})
	require.NoError(m.t, err)
	ctx := m.labs["l0"].ctx
	c, err := m.dev.Dial(ctx, netip.MustParseAddrPort("10.0.0.240:7000"), qp, []byte("hello"))
	if err != nil {
		return nil, err
	}
	ld := &leader{t: m.t, ctx: ctx, conn: c}
	ld.region, err = private.ParseRegion(c.Private())
	require.NoError(m.t, err)
	return ld, nil
}

func (m *many) write(ld *leader, n int, what string) {
	m.t.Helper()
	for i := range n {
		text := fmt.Sprintf("%s %d", what, i)
		require.Equal(m.t, verbs.StatusOK, ld.write(text, ld.region.RKey))
		for k, r := range m.replicas {
			require.Equal(m.t, text, r.content(len(text)), "acknowledged, and replica %d lacks it", k)
		}
	}
}

func (m *many) over() {
	for _, r := range m.replicas {
		<-r.gone
	}
	m.empty()
}

// TestGatherInTree: racks gather for their own. One copy is on each link, also when a spine is lost; nobody is told
// of what a receiver lacks; when the leader leaves, nothing is left anywhere.
func TestGatherInTree(t *testing.T) {
	t.Parallel()
	long.Test(t)
	m := newMany(t, 0, 5, 5, 5)
	require.NoError(t, m.api.CreateGroup(m.labs["l0"].ctx, "l0", m.made))
	ld, err := m.connect()
	require.NoError(t, err)
	require.Equal(t, private.Region{RKey: ld.region.RKey, Size: 4096}, ld.region)
	groups, err := m.api.Groups(m.labs["l0"].ctx)
	require.NoError(t, err)
	slots := map[string]int{}
	for _, g := range groups {
		slots[g.Switch] = len(g.Slots)
		if g.Switch != "l0" {
			require.Equal(t, "10.0.0.240", g.Leader)
			require.Equal(t, "10.0.0.1", g.PartOf)
		}
	}
	require.Equal(t, map[string]int{"l0": 6, "l1": 5, "l2": 5}, slots, "four of its own, and two racks")
	_, err = region.Add(ld.ctx, roce.RDMA(m.dev, roce.QPConfig{}), region.Group{Switch: netip.MustParseAddr("10.0.0.240"), Port: regionPort, RKey: ld.region.RKey}, 1<<20, 4096)
	require.ErrorContains(t, err, "a group for which other switches gather has only one region")
	m.requests()
	m.write(ld, 20, "whole")
	links := m.requests()
	spine := 0
	if links["l0:201"] > 0 {
		spine = 1
	}
	require.Equal(t, map[string]int64{fmt.Sprintf("l0:%d", 200+spine): 20, fmt.Sprintf("s%d:2", spine): 20, fmt.Sprintf("s%d:3", spine): 20}, links, "one copy per link")

	for i, c := range []string{"l0:200", "l0:201", "s0:2", "s1:2", "l1:200", "l1:201", "l2:200", "l2:201"} {
		m.cables[c].lossy.Store(int64(17 + 2*i))
	}
	m.write(ld, 60, "lossy")
	m.cables[fmt.Sprintf("l0:%d", 200+spine)].cut.Store(true)
	m.write(ld, 60, "cut")
	for _, c := range m.cables {
		c.lossy.Store(0)
	}
	require.Eventually(t, func() bool { return len(m.fabric.DownPorts()) == 2 }, 20*time.Second, time.Millisecond)
	m.cables[fmt.Sprintf("l0:%d", 200+spine)].cut.Store(false)
	require.Eventually(t, func() bool { return len(m.fabric.DownPorts()) == 0 }, 20*time.Second, time.Millisecond)
	m.write(ld, 20, "mended")

	require.NoError(t, ld.conn.Close())
	m.over()

	// A switch that gathers ends its part: the leader is told, and comes again.
	ld, err = m.connect()
	require.NoError(t, err)
	m.write(ld, 1, "again")
	require.NoError(t, m.api.RemoveGroup(ld.ctx, "l1", int(index(t, m.api, "l1"))))
	<-ld.conn.Done()
	m.over()
	ld, err = m.connect()
	require.NoError(t, err)
	m.write(ld, 1, "anew")
	require.NoError(t, ld.conn.Close())
	m.over()
}

func index(t *testing.T, api *AdminClient, sw string) uint16 {
	groups, err := api.Groups(t.Context())
	require.NoError(t, err)
	for _, g := range groups {
		if g.Switch == sw {
			return g.Index
		}
	}
	require.Fail(t, "no group", "%s: %v", sw, groups)
	return 0
}

// TestGatherSixtyFour: as many receivers as two levels have slots, some of them at the home itself.
func TestGatherSixtyFour(t *testing.T) {
	long.Test(t)
	m := newMany(t, 0, 10, 28, 27)
	require.Len(t, m.replicas, 64)
	require.NoError(t, m.api.CreateGroup(m.labs["l0"].ctx, "l0", m.made))
	ld, err := m.connect()
	require.NoError(t, err)
	m.write(ld, 10, "record")
	require.NoError(t, ld.conn.Close())
	m.over()
}

// TestGatherRefused: what cannot be gathered is refused with a reason, and leaves nothing.
func TestGatherRefused(t *testing.T) {
	long.Test(t)
	m := newMany(t, 8, 2, 6, 6)
	ctx := m.labs["l0"].ctx
	other := m.made
	other.Policy = "quorum"
	requireCode(t, m.api.CreateGroup(ctx, "l0", other), codes.InvalidArgument, "13 replicas, and a group of policy quorum has at most 8 here")
	other = m.made
	other.Receivers = make([]group.Receiver, 65)
	requireCode(t, m.api.CreateGroup(ctx, "l0", other), codes.InvalidArgument, "65 replicas, and a group of policy all has at most 64 here")
	require.NoError(t, m.api.CreateGroup(ctx, "l0", m.made))
	_, err := m.connect()
	var rej *roce.RejectedError
	require.ErrorAs(t, err, &rej)
	r, err := private.ParseRefusal(rej.Private)
	require.NoError(t, err)
	require.Contains(t, r.Text, "I would rather not", "though it was another switch that it said so to")
	m.empty()

	// A rack that cannot be reached.
	m.cables["l1:200"].cut.Store(true)
	m.cables["l1:201"].cut.Store(true)
	require.Eventually(t, func() bool { return len(m.fabric.DownPorts()) == 4 }, 20*time.Second, time.Millisecond)
	_, err = m.connect()
	require.ErrorAs(t, err, &rej)
	r, err = private.ParseRefusal(rej.Private)
	require.NoError(t, err)
	require.Contains(t, r.Text, "cannot be reached from switch l0")
	m.empty()
}
