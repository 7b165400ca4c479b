package fabric

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/session"
	"github.com/p4ce/p4ce/host/roce/dcqcn"
	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// marking is a link that marks as the DCQCN configuration of 100 Gb/s has it in the MC-RDMA paper.
func marking() fabric.LinkConfig {
	l := fast()
	l.Queue, l.ECNMin, l.ECNMax, l.ECNChance = 8<<20, 50e3, 500e3, 0.01
	return l
}

// quick makes rates converge in a run of milliseconds.
var quick = dcqcn.Params{RateAI: 1e9, RateHAI: 2e9, AlphaInterval: 10 * time.Microsecond, IncreaseTimer: 50 * time.Microsecond}

// Senders that react share a port, and keep its queue short; those that do not fill it. The rates
// are even in the end. Marks are made by the links' model, or by the program: for the depth of the chip's
// queue, or of a virtual one.
func TestCongestionControl(t *testing.T) {
	links := rack(4)
	links.Edge, links.HostLink = fabric.ProgramPlain, marking()
	chip := func(ecn session.ECN) fabric.TopologyConfig {
		c := rack(4)
		c.HostLink.Queue, c.Controller.ECN = 8<<20, ecn
		return c
	}
	for name, c := range map[string]fabric.TopologyConfig{
		"links":         links,
		"queue":         chip(session.ECN{Queue: 100e3}),
		"virtual queue": chip(session.ECN{Rate: 100e9, Queue: 100e3}),
	} {
		t.Run(name, func(t *testing.T) { congest(t, c) })
	}
	t.Run("no marks", func(t *testing.T) {
		peak, _ := share(t, chip(session.ECN{}), &quick)
		require.Greater(t, peak, 1_000_000, "nothing slows senders down")
	})
}

func congest(t *testing.T, c fabric.TopologyConfig) {
	wild, _ := share(t, c, nil)
	tame, rates := share(t, c, &quick)
	t.Logf("queue at most: %d bytes without, %d with; rates %.3g", wild, tame, rates)
	require.Greater(t, wild, 1_000_000)
	require.Less(t, 2*tame, wild)
	sum := 0.
	for _, r := range rates {
		sum += r
	}
	require.Greater(t, sum, 75e9)
	for _, r := range rates {
		require.InEpsilon(t, sum/3, r, 0.4)
	}
}

// share has three senders share a port, and returns how long its queue was at most in the end, and their rates in bit/s.
func share(t *testing.T, c fabric.TopologyConfig, with *dcqcn.Params) (peak int, rates []float64) {
	f := network(t, 1)
	var loads []LoadConfig
	for i, from := range []string{"h2", "h3", "h4"} {
		loads = append(loads, LoadConfig{
			LoadConfig: fabric.LoadConfig{
				Name: from, From: from, To: []string{"h1"},
				Size: 64 << 10, Count: 1200, Outstanding: 8, Start: fabric.Time(i) * fabric.Millisecond,
			},
			LoadSettings: LoadSettings{
				Via: ViaFanOut,
				QP:  QPConfig{Window: 4096, ECN: true, AckTimeout: 20 * time.Millisecond, Congestion: with}, Policy: private.PolicyAll,
			},
		})
	}
	l := build(t, f, c, loads...)
	require.NoError(t, f.Run(10*fabric.Millisecond))
	before := []int{l[0].Result.Done, l[1].Result.Done, l[2].Result.Done}
	port, _ := f.Link("h1-s1")
	port.Half[1].Peak = 0
	require.NoError(t, f.Run(15*fabric.Millisecond))
	for i, x := range l {
		require.NoError(t, x.Result.Err)
		rates = append(rates, float64(x.Result.Done-before[i])*64*1024*8/5e-3)
	}
	require.Zero(t, lost(f))
	require.NoError(t, f.Check())
	return port.Half[1].Peak, rates
}

// A group's receivers are congested all at once: the home lets one notification through in each interval,
// and the sender slows down as it would for one receiver.
func TestGroupIsNotThrottledManyTimes(t *testing.T) {
	run := func(n int, interval time.Duration) (rate float64, told uint64) {
		f, err := New(1, Settings{CNPInterval: interval})
		require.NoError(t, err)
		c := rack(2*n + 1)
		c.HostLink = marking()
		c.HostLink.ECNMax = c.HostLink.ECNMin // all beyond are marked
		var to []string
		loads := []LoadConfig{}
		for i := range n {
			to = append(to, fmt.Sprint("h", i+2))
			loads = append(loads, LoadConfig{
				LoadConfig: fabric.LoadConfig{
					Name: "against" + to[i], From: fmt.Sprint("h", n+2+i), To: to[i : i+1],
					Size: 64 << 10, Count: 100000, Outstanding: 8, Start: 2 * fabric.Millisecond,
				},
				LoadSettings: LoadSettings{Via: ViaFanOut, QP: QPConfig{Window: 4096, AckTimeout: 20 * time.Millisecond, Congestion: &quick}},
			})
		}
		loads = append(loads, LoadConfig{
			LoadConfig: fabric.LoadConfig{Name: "group", From: "h1", To: to, Size: 16 << 10, Count: 100000, Outstanding: 32, Start: 2 * fabric.Millisecond},
			LoadSettings: LoadSettings{
				Via: ViaGroup, Policy: private.PolicyAll,
				QP: QPConfig{Window: 4096, AckTimeout: 20 * time.Millisecond, Congestion: &quick},
			},
		})
		l := build(t, f, c, loads...)
		require.NoError(t, f.Run(5*fabric.Millisecond))
		g := l[len(l)-1]
		before := g.Result.Done
		require.NoError(t, f.Run(8*fabric.Millisecond))
		require.NoError(t, g.Result.Err)
		return float64(g.Result.Done-before) * 16 * 1024 * 8 / 3e-3, channelOf(g).Senders()[0].RC().Counters().CNPIn
	}
	limited, told := run(4, 0)
	free, all := run(4, -1)
	t.Logf("with four congested receivers %.3g bit/s and %d notifications; %.3g bit/s and %d without the home's limit", limited, told, free, all)
	require.LessOrEqual(t, told, uint64(6*fabric.Millisecond/(50*fabric.Microsecond)+2))
	require.Greater(t, all, told*3/2)
	require.Greater(t, limited, free)
}
