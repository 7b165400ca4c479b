package fabric

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/sim/fabric"
)

// fanOuts has every host write to all in other racks, by unicast.
func fanOuts(count int) (loads []LoadConfig) {
	for h := 1; h <= 8; h++ {
		var to []string
		for o := 1; o <= 8; o++ {
			if (o-1)/2 != (h-1)/2 {
				to = append(to, fmt.Sprintf("h%d", o))
			}
		}
		loads = append(loads, LoadConfig{
			LoadConfig:   fabric.LoadConfig{Name: fmt.Sprintf("h%d", h), From: fmt.Sprintf("h%d", h), To: to, Size: 2000, Count: count, Outstanding: 4, Start: 5 * fabric.Millisecond},
			LoadSettings: LoadSettings{Via: ViaFanOut, QP: QPConfig{AckTimeout: time.Millisecond}},
		})
	}
	return loads
}

// ups are the requests that each link from a leaf to a spine has carried, and by which of them each queue pair's have gone.
type ups struct {
	requests map[string]int
	ways     map[[2]wire.Addr]map[uint32]map[string]bool
}

func (u *ups) tap(f *Network) {
	u.requests, u.ways = map[string]int{}, map[[2]wire.Addr]map[uint32]map[string]bool{}
	f.Tap(fabric.TapFunc(func(_ fabric.Time, h *fabric.Half, b []byte) {
		var p wire.Packet
		if h.From.Name()[0] != 'l' || h.To.Name()[0] != 's' || wire.Parse(b, &p) != nil || p.BTH.Opcode() > wire.WriteOnly {
			return
		}
		u.requests[h.Name]++
		flow := [2]wire.Addr{p.IP.Src(), p.IP.Dst()}
		if u.ways[flow] == nil {
			u.ways[flow] = map[uint32]map[string]bool{}
		}
		if u.ways[flow][p.BTH.DestQP()] == nil {
			u.ways[flow][p.BTH.DestQP()] = map[string]bool{}
		}
		u.ways[flow][p.BTH.DestQP()][h.Name] = true
	}))
}

// Unicast is dealt out over both spines, of P4 and plain ones, and a queue pair keeps its path, and its order.
func TestUnicastOverAllPaths(t *testing.T) {
	for _, core := range []string{Program, fabric.ProgramPlain} {
		t.Run(core, func(t *testing.T) {
			f := network(t, 1)
			loads := build(t, f, leafSpine(core), fanOuts(100)...)
			var u ups
			u.tap(f)
			finish(t, f, loads...)
			for _, l := range loads {
				require.NoError(t, l.Result.Err)
				require.Equal(t, 100, l.Result.Done)
				require.Zero(t, l.Result.Unheld)
				for _, s := range channelOf(l).Senders() {
					require.Zero(t, s.RC().Counters().NaksIn, "they overtake each other")
				}
			}
			require.NoError(t, f.Check())
			require.Len(t, u.requests, 8)
			for leaf := 1; leaf <= 4; leaf++ {
				a, b := u.requests[fmt.Sprintf("leaf%d>spine1", leaf)], u.requests[fmt.Sprintf("leaf%d>spine2", leaf)]
				require.Greater(t, 4*min(a, b), a+b, "of leaf %d: %d and %d", leaf, a, b)
			}
			require.Len(t, u.ways, 8*6)
			to := map[wire.Addr]map[string]bool{}
			for flow, qps := range u.ways {
				for qp, ways := range qps {
					require.Len(t, ways, 1, "%v %#x", flow, qp)
					for way := range ways {
						if to[flow[1]] == nil {
							to[flow[1]] = map[string]bool{}
						}
						to[flow[1]][way] = true
					}
				}
			}
			for host, ways := range to { // each of three leaves has two flows to it
				require.Greater(t, len(ways), 3, "%v has one path from each leaf", host)
			}
		})
	}
}

// A link fails and comes back under unicast: all goes by the other spine meanwhile, and by both again, and nothing is lost for good.
func TestUnicastPathsFollowLinks(t *testing.T) {
	f := network(t, 1)
	c := leafSpine(Program)
	c.Controller.Hold = 5 * fabric.Millisecond
	list := fanOuts(1000)
	for i := range list {
		list[i].Interval = 100 * fabric.Microsecond
	}
	loads := build(t, f, c, list...)
	var u ups
	u.tap(f)
	link, ok := f.Link("leaf1-spine1")
	require.True(t, ok)
	var during, down map[string]int
	f.At(20*fabric.Millisecond, func() { f.SetDown(link, true) })
	f.At(40*fabric.Millisecond, func() { clear(u.requests) })
	f.At(60*fabric.Millisecond, func() {
		during = map[string]int{}
		for name, n := range u.requests {
			during[name] = n
		}
		f.SetDown(link, false)
	})
	f.At(80*fabric.Millisecond, func() { clear(u.requests) })
	finish(t, f, loads...)
	for _, l := range loads {
		require.NoError(t, l.Result.Err)
		require.Equal(t, 1000, l.Result.Done)
		require.Zero(t, l.Result.Unheld)
	}
	down = u.requests
	require.Zero(t, during["leaf1>spine1"])
	require.NotZero(t, during["leaf1>spine2"])
	require.NotZero(t, during["leaf2>spine1"], "to other leaves there are two ways")
	require.NotZero(t, down["leaf1>spine1"], "it is used again")
	require.NoError(t, f.Check())
}
