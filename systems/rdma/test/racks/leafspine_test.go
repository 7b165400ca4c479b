package racks

import (
	"context"
	"net/netip"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/network"
	"github.com/p4ce/p4ce/systems/rdma/lab/multicast"
)

// racks is a leaf-spine network on XDP: six switches, twelve hosts.
type racks struct {
	*multicast.Network
	t       *testing.T
	ctx     context.Context
	devices map[string]*roce.Device
}

func newRacks(t *testing.T, hold time.Duration, bad map[string]network.Rates) *racks {
	return newRacksOf(t, multicast.Options{Leaves: 4, Spines: 2, Hosts: 3, Hold: hold, Bad: bad})
}

// newRacksOf builds another network of leaves and spines on XDP, as o says.
func newRacksOf(t *testing.T, o multicast.Options) *racks {
	needs.Root(t, "network namespaces and XDP")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	log := &lab.Log{}
	o.Binary, o.Dir, o.Target, o.Log = binary, t.TempDir(), "xdp", log
	n, err := multicast.Start(ctx, o)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("switches and controller:\n%s", log)
		}
	})
	require.NoError(t, err)
	t.Cleanup(n.Close)
	return &racks{n, t, ctx, map[string]*roce.Device{}}
}

func (r *racks) device(host string) *roce.Device {
	if r.devices[host] == nil {
		d, err := r.Device(host)
		require.NoError(r.t, err)
		r.devices[host] = d
	}
	return r.devices[host]
}

// mend makes bad links good, on which packets were lost.
func (r *racks) mend(bad map[string]network.Rates) {
	r.t.Helper()
	lost := uint64(0)
	for name := range bad {
		r.BadLink(name).Mend()
		lost += r.BadLink(name).Lost.Load()
	}
	require.Positive(r.t, lost)
	r.t.Logf("%d packets lost on links", lost)
}

// numbered is a group of which every member keeps count.
type numbered struct {
	r     *racks
	tx    *multicast.Sender
	rx    []*multicast.Receiver
	names []string
}

// shape is that of the records of all groups here.
func shape(port uint16) multicast.Shape {
	return multicast.Shape{Records: 8000, Size: 64, Port: port}
}

// group has a host lead others, through its own switch.
func (r *racks) group(port uint16, from string, to ...string) *numbered {
	r.t.Helper()
	g, addrs := r.receivers(port, to...)
	var err error
	g.tx, err = shape(port).Send(r.ctx, r.device(from), r.Home(from), addrs)
	require.NoError(r.t, err)
	return g
}

// receivers are hosts who wait for a group.
func (r *racks) receivers(port uint16, names ...string) (g *numbered, addrs []netip.Addr) {
	r.t.Helper()
	g = &numbered{r: r, names: names}
	for _, name := range names {
		rx, err := shape(port).Receive(r.ctx, r.device(name))
		require.NoError(r.t, err)
		g.rx = append(g.rx, rx)
		addrs = append(addrs, r.device(name).Addr())
	}
	return g, addrs
}

func (g *numbered) write(n int, each func(int)) {
	g.r.t.Helper()
	g.writeIn(16, n, each)
}

// writeIn writes with so many records under way at most.
func (g *numbered) writeIn(window, n int, each func(int)) {
	g.r.t.Helper()
	_, err := g.tx.Write(g.r.ctx, n, window, each)
	require.NoError(g.r.t, err)
}

// check sees that everybody has every record once.
func (g *numbered) check() {
	g.r.t.Helper()
	for i, rx := range g.rx {
		require.NoError(g.r.t, rx.Await(g.r.ctx, g.tx.Total()), "%s", g.names[i])
	}
}

func (g *numbered) close() {
	g.r.t.Helper()
	require.NoError(g.r.t, g.tx.Close())
	for _, rx := range g.rx {
		select {
		case <-rx.Over():
		case <-g.r.ctx.Done():
			g.r.t.Fatal("a receiver is still in the group")
		}
	}
}

// empty waits until no switch holds anything of a group.
func (r *racks) empty() {
	r.t.Helper()
	var left string
	if !assert.Eventually(r.t, func() bool {
		var err error
		left, err = r.Left(r.ctx)
		return err == nil && left == ""
	}, 30*time.Second, 20*time.Millisecond) {
		r.t.Fatalf("left on the switches: %s", left)
	}
}

// arrived says what links have carried while f ran.
func (r *racks) arrived(f func()) map[string]uint64 {
	r.t.Helper()
	before, err := r.Arrived(r.ctx)
	require.NoError(r.t, err)
	f()
	after, err := r.Arrived(r.ctx)
	require.NoError(r.t, err)
	for l := range after {
		after[l] -= before[l]
	}
	return after
}

// TestLeafSpine has groups across racks, on real switches: each link carries one copy of what is
// for those behind it, and acknowledgements go home.
func TestLeafSpine(t *testing.T) {
	long.Test(t)
	r := newRacks(t, time.Second/2, nil)
	const n = 3000
	one := r.group(4740, "h1", "h2", "h4", "h5", "h7", "h8", "h10", "h11", "h12") // l0; l0, 2 x l1, 2 x l2, 3 x l3
	two := r.group(4741, "h6", "h3", "h9")                                        // l1; l0, l2
	for _, c := range []struct {
		g       *numbered
		home    string
		behind  map[string]uint64 // receivers by leaf, those at home left out
		answers uint64            // of which each record has one
	}{
		{one, "l0", map[string]uint64{"l1": 2, "l2": 2, "l3": 3}, 7},
		{two, "l1", map[string]uint64{"l0": 1, "l2": 1}, 2},
	} {
		links := r.arrived(func() { c.g.write(n, nil) })
		c.g.check()
		t.Logf("home %s: %v", c.home, links)
		var copies, answers uint64 // in units of n, rounded: there are LLDP frames, and ACKs may speak for several records
		spine := ""
		for link, got := range links {
			from, to, _ := strings.Cut(link, "-")
			switch {
			case from == c.home: // up
				require.Less(t, got, uint64(n+n/4), "one copy goes up: %v", links)
				if got >= n {
					require.Empty(t, spine, "one spine has it: %v", links)
					spine = to
				}
				copies += got / n
			case to == c.home: // down, home: acknowledgements
				answers += got
			case from[0] == 's' && c.behind[to] > 0:
				require.Less(t, got, uint64(n+n/4), "one copy goes to %s: %v", to, links)
				copies += got / n
			case to[0] == 's': // acknowledgements on their way
				require.LessOrEqual(t, got, c.behind[from]*n+n/4, "%v", links)
			default:
				require.Less(t, got, uint64(n/4), "nothing for nobody: %v", links)
			}
		}
		require.Equal(t, uint64(1+len(c.behind)), copies, "as many as the tree has links: %v", links)
		require.LessOrEqual(t, answers, c.answers*n+n/4, "%v", links)
		require.GreaterOrEqual(t, answers, uint64(n), "they are gathered at home: %v", links)
	}
	one.close()
	two.close()
	r.empty()
}

// TestLeafSpineFails: links between switches lose one packet of a hundred, one is cut and mended, a
// port goes down, and then a spine is gone, while groups run. Everything arrives once.
func TestLeafSpineFails(t *testing.T) {
	long.Test(t)
	bad := lossy(4, 2)
	r := newRacks(t, time.Second/2, bad)
	one := r.group(4740, "h1", "h2", "h4", "h7", "h10", "h12")
	two := r.group(4741, "h6", "h3", "h9", "h11")
	const n = 400
	used := func(g *numbered, home string) string { // the spine that a group's copies go by
		links := r.arrived(func() { g.write(n, nil) })
		if links[home+"-s1"] > links[home+"-s0"] {
			return "s1"
		}
		return "s0"
	}
	both := func(each func(int)) {
		done := make(chan error, 1)
		go func() {
			_, err := two.tx.Write(r.ctx, n, 16, nil)
			done <- err
		}()
		one.write(n, each)
		require.NoError(t, <-done)
	}

	// The link that the first group's copies go up by.
	up := used(one, "l0")
	both(func(i int) {
		if i == n/4 {
			r.BadLink("l0-" + up).Cut(true)
		}
	})
	require.NotEqual(t, up, used(one, "l0"), "they go by the other spine")
	r.BadLink("l0-" + up).Cut(false)
	require.NoError(t, r.Whole(r.ctx))

	// A port without carrier.
	up = used(two, "l1")
	both(func(i int) {
		switch i {
		case n / 4:
			require.NoError(t, r.SetPort("l1", up, false))
		case 3 * n / 4:
			require.NoError(t, r.SetPort("l1", up, true))
		}
	})

	require.NoError(t, r.Whole(r.ctx))

	// A spine is killed.
	up = used(one, "l0")
	both(func(i int) {
		if i == n/2 {
			r.Kill(up)
		}
	})
	one.write(n, nil)
	one.check()
	two.check()

	// It comes back, as it was new, and is of use again: the other one goes.
	require.NoError(t, r.StartSwitch(r.ctx, up))
	require.NoError(t, r.Whole(r.ctx))
	other := map[string]string{"s0": "s1", "s1": "s0"}[up]
	require.NoError(t, r.Switch(other).Signal(syscall.SIGKILL))
	both(nil)
	one.check()
	two.check()
	require.NoError(t, r.StartSwitch(r.ctx, other))
	require.NoError(t, r.Whole(r.ctx))
	r.mend(bad)
	one.close()
	two.close()
	r.empty()
}

// TestLeafSpinePortDown: links are hardly ever probed. A port goes down, and the group goes on, since the switch has told its
// controller of it; it comes up again, and is of use.
func TestLeafSpinePortDown(t *testing.T) {
	long.Test(t)
	r := newRacks(t, 5*time.Hour, nil)
	g := r.group(4740, "h1", "h4", "h5", "h7", "h10")
	const n = 400
	used := func() string {
		links := r.arrived(func() { g.write(n, nil) })
		if links["l0-s1"] > links["l0-s0"] {
			return "s1"
		}
		return "s0"
	}
	for range 2 {
		up := used()
		g.write(n, func(i int) {
			if i == n/2 {
				require.NoError(t, r.SetPort("l0", up, false))
			}
		})
		require.NotEqual(t, up, used())
		require.NoError(t, r.SetPort("l0", up, true))
		require.NoError(t, r.Whole(r.ctx))
		require.Equal(t, up, used(), "as it was")
	}
	g.check()
	g.close()
	r.empty()
}

// TestMulticastDemo is what a user sees of this, also without root.
func TestMulticastDemo(t *testing.T) {
	long.Test(t)
	needs.Root(t, "network namespaces and XDP")
	for _, target := range []string{"xdp", "interp"} {
		out, err := exec.Command(binary, "demo", "multicast", "--target", target, "--count", "400", "--window", "16").CombinedOutput()
		require.NoError(t, err, "%s", out)
		t.Logf("%s", out)
		require.Contains(t, string(out), "All eight have all 800 records, each once.")
	}
}
