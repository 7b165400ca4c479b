package control

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	verbs "github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/internal/long"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/systems/rdma/region"
)

// regional is a group over three leaves, whose receivers offer regions.
type regional struct {
	*world
	dev      *roce.Device
	ld       *leader
	replicas []*replica
	mrs      []chan *roce.MR
	gone     []chan struct{}
	group    region.Group
}

const regionSize = 1 << 16

func newRegional(t *testing.T) *regional {
	w := &regional{world: newWorld(t, fabricJSON(2, 3, false))}
	w.controller(nil)
	w.dev = w.host(1)
	l := w.labs["l0"]
	for _, n := range []int{2, 3, 4, 5} {
		r := l.serve(w.host(n), "")
		mrs, gone := l.offers(r, regionSize)
		w.replicas, w.mrs, w.gone = append(w.replicas, r), append(w.mrs, mrs), append(w.gone, gone)
	}
	var err error
	w.ld, err = w.dial(w.dev, "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5")
	require.NoError(t, err)
	w.group = region.Group{Switch: w.fabric.sw["l0"].Addr.Netip(), Port: regionPort, RKey: w.ld.region.RKey, LeaderID: 1, Term: 1}
	return w
}

// area is a region, and each receiver's memory of it.
type area struct {
	*region.Region
	mrs []*roce.MR
}

func (w *regional) add(va uint64) *area {
	w.t.Helper()
	var r *region.Region
	var err error
	require.Eventually(w.t, func() bool { // probes are lost, or late on a busy machine: a rack may be cut off for a moment
		r, err = region.Add(w.ld.ctx, roce.RDMA(w.dev, roce.QPConfig{}), w.group, va, regionSize)
		return err == nil || !strings.Contains(err.Error(), "cannot be reached")
	}, 20*time.Second, 10*time.Millisecond)
	require.NoError(w.t, err)
	return w.area(r)
}

// area collects what receivers have offered for a region.
func (w *regional) area(r *region.Region) *area {
	a := &area{Region: r}
	for i := range w.mrs {
		a.mrs = append(a.mrs, <-w.mrs[i])
	}
	return a
}

// write fills all of a region, in packets of the path MTU, and sees that every receiver has it where it should.
func (w *regional) write(a *area, what string) {
	w.t.Helper()
	data := make([]byte, regionSize)
	for n := 0; n < len(data); {
		n += copy(data[n:], fmt.Sprintf("%s %d; ", what, n))
	}
	require.Equal(w.t, verbs.StatusOK, w.ld.writeAt(a.VA, data), what)
	got := make([]byte, regionSize)
	for i, mr := range a.mrs {
		_, err := mr.ReadAt(got, 0)
		require.NoError(w.t, err)
		require.True(w.t, slices.Equal(data, got), "%s: acknowledged, and replica %d lacks it", what, i)
	}
}

// own writes to the group's first region.
func (w *regional) own(what string) {
	w.t.Helper()
	require.Equal(w.t, verbs.StatusOK, w.ld.write(what, w.ld.region.RKey))
	for _, r := range w.replicas {
		require.Equal(w.t, what, r.content(len(what)))
	}
}

func (w *regional) close(a *area) {
	w.t.Helper()
	require.NoError(w.t, a.Close())
	for i := range w.gone {
		<-w.gone[i]
	}
}

// used is the spine that the group's copies go by, and a link that leads there.
func (w *regional) used(links map[string]int64) (spine, up string) {
	if links["l0:32"] > links["l0:31"] {
		return "s1", "l0:32"
	}
	return "s0", "l0:31"
}

// regionsAt is how many entries for regions a switch holds.
func (w *regional) regionsAt(name string) int {
	w.t.Helper()
	list, err := w.labs[name].client.ReadTable(w.ld.ctx, w.labs[name].info, names.TableRegion)
	require.NoError(w.t, err)
	return len(list)
}

// TestFabricRegions: regions are added to a group with relays and taken away, while the leader writes and its tree changes. Each
// link carries a packet once.
func TestFabricRegions(t *testing.T) {
	long.Test(t)
	w := newRegional(t)
	first, second := w.add(1<<20), w.add(1<<21)
	w.own("own")
	w.requests()
	w.write(first, "first")
	links := w.requests()
	packets := int64(regionSize / w.dev.MaxPathMTU())
	spine, up := w.used(links)
	require.Equal(t, map[string]int64{up: packets, spine + ":2": packets, spine + ":3": packets}, links, "one copy per link")
	w.write(second, "second")
	for _, name := range []string{"l0", spine, "l1"} {
		require.Equal(t, 2, w.regionsAt(name), name)
	}
	require.Equal(t, verbs.StatusOK, w.ld.writeAt(first.VA+regionSize-1, []byte("x")), "its last byte")

	// Links lose packets, and the one that all go by is cut: relays at other switches have the regions, too.
	for i, at := range []string{"l0:31", "l0:32", "s0:2", "s1:2", "l1:31", "l1:32"} {
		w.cables[at].lossy.Store(int64(37 + 2*i))
	}
	w.write(first, "lossy")
	w.cables[up].cut.Store(true)
	w.write(second, "cut")
	third := w.add(1 << 22)
	w.write(third, "added meanwhile")
	for _, c := range w.cables {
		c.lossy.Store(0)
	}
	w.close(first)
	w.write(third, "after the first")
	other := map[string]string{"s0": "s1", "s1": "s0"}[spine]
	for _, name := range []string{"l0", other, "l1"} {
		require.Eventually(t, func() bool { return w.regionsAt(name) == 2 }, 20*time.Second, time.Millisecond, name)
	}
	require.Eventually(t, func() bool { return w.regionsAt(spine) == 0 }, 20*time.Second, time.Millisecond, "it is not needed any more")
	w.cables[up].cut.Store(false)
	require.Eventually(t, func() bool { return len(w.fabric.DownPorts()) == 0 }, 20*time.Second, time.Millisecond)
	w.write(second, "mended")
	first = w.add(1 << 20)
	w.write(first, "the same place again")
	w.own("own again")

	// The group's end is that of its regions.
	require.NoError(t, w.ld.conn.Close())
	for _, a := range []*area{first, second, third} {
		<-a.Done()
	}
	for _, r := range w.replicas {
		<-r.gone
	}
	w.empty()
}

// TestFabricRegionRefused: a region that a relay has no room for is refused in words, and the group and its other regions go on.
func TestFabricRegionRefused(t *testing.T) {
	t.Parallel()
	long.Test(t)
	w := newRegional(t)
	first := w.add(1 << 20)
	w.write(first, "first")
	app := w.fabric.app("l1")
	var all []uint16
	require.NoError(t, app.Ask(w.ld.ctx, func() {
		for {
			i, ok := app.core.Reserve(app.Now())
			if !ok {
				return
			}
			all = append(all, i)
		}
	}))
	_, err := region.Add(w.ld.ctx, roce.RDMA(w.dev, roce.QPConfig{}), w.group, 1<<21, regionSize)
	require.ErrorContains(t, err, "switch l1: has no room for another relay")
	w.write(first, "goes on")
	w.own("goes on")
	require.NoError(t, app.Ask(w.ld.ctx, func() {
		for _, i := range all {
			app.core.Release(0, i)
		}
	}))
	w.write(first, "still")
	require.Eventually(t, func() bool {
		r, err := region.Add(w.ld.ctx, roce.RDMA(w.dev, roce.QPConfig{}), w.group, 1<<21, regionSize)
		if err != nil {
			return false
		}
		w.write(w.area(r), "there is room")
		return true
	}, 30*time.Second, 100*time.Millisecond)
	require.NoError(t, w.ld.conn.Close())
	w.empty()
}

// TestFabricRegionsReconnected: a relay's switch loses its connection to the controller, and has the regions afterwards; the home
// does, and they end, as on one switch.
func TestFabricRegionsReconnected(t *testing.T) {
	long.Test(t)
	w := newRegional(t)
	first := w.add(1 << 20)
	w.write(first, "first")
	for _, name := range []string{"l1", "l0"} {
		w.reconnect(name)
		w.own("after " + name)
		if name == "l1" {
			w.write(first, "after "+name)
		}
	}
	select {
	case <-first.Done():
	case <-w.ld.ctx.Done():
		t.Fatal("the region has outlived its home's connection")
	}
	for i := range w.gone {
		<-w.gone[i]
	}
	w.own("without it")
	for _, name := range []string{"l0", "l1", "s0", "s1"} {
		require.Eventually(t, func() bool { return w.regionsAt(name) == 0 }, 20*time.Second, time.Millisecond, name)
	}
	again := w.add(1 << 20)
	w.write(again, "added again")
	require.NoError(t, w.ld.conn.Close())
	w.empty()
}
