package control

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/links"
	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/internal/long"
)

// TestPortFails: links are hardly ever probed here. What goes on at once goes on because a switch has said that its port
// does not work.
func TestPortFails(t *testing.T) {
	long.Test(t)
	w := newWorld(t, patient(fabricJSON(2, 3, false)))
	w.labs["s1"].server.SetPort(3, false) // before there is a controller
	w.controller(nil)
	place := func(s string) topology.Place {
		p, err := topology.ParsePlace(s)
		require.NoError(t, err)
		return p
	}
	require.Eventually(t, func() bool {
		return fmt.Sprint(w.fabric.DownPorts()) == fmt.Sprint([]topology.Place{place("s1:3")})
	}, 20*time.Second, time.Millisecond, "a new primary is told")
	w.labs["s1"].server.SetPort(3, true)
	require.Eventually(t, func() bool { return len(w.fabric.DownPorts()) == 0 }, 20*time.Second, time.Millisecond, "probed at once")

	g := w.led(3, 4, 5)
	for round := range 4 { // at the home, and at spines
		w.requests()
		g.write(5, fmt.Sprintf("%d whole", round))
		carried := w.requests()
		spine := 0
		if carried["l0:32"] > 0 {
			spine = 1
		}
		at := fmt.Sprintf("l0:%d", 31+spine)
		if round%2 == 1 {
			at = fmt.Sprintf("s%d:2", spine)
		}
		p := place(at)
		w.cables[at].cut.Store(true)
		w.labs[p.Switch].server.SetPort(dataplane.Port(p.Port), false)
		g.write(5, fmt.Sprintf("%d down", round))
		require.Eventually(t, func() bool { // the group may not need this link
			return fmt.Sprint(w.fabric.DownPorts()) == fmt.Sprint([]topology.Place{p})
		}, 20*time.Second, time.Millisecond)

		// What was heard before the port went down, and comes up later, says nothing.
		a, far := w.fabric.app(p.Switch), func() topology.Place { q, _ := w.fabric.Net.Peer(p); return q }()
		require.NoError(t, a.Ask(w.labs[p.Switch].ctx, func() { a.tree.links.Packet(a.Now(), p.Port, links.LLDP(labSwitchMAC, far)) }))
		require.Equal(t, []topology.Place{p}, w.fabric.DownPorts())

		w.cables[at].cut.Store(false)
		w.labs[p.Switch].server.SetPort(dataplane.Port(p.Port), true)
		require.Eventually(t, func() bool { return len(w.fabric.DownPorts()) == 0 }, 20*time.Second, time.Millisecond)
		g.write(5, fmt.Sprintf("%d mended", round))
	}
	g.end()
}

// TestPortBeforeSessions: a port goes down before the other switches' sessions are made.
func TestPortBeforeSessions(t *testing.T) {
	f, err := ParseFabric([]byte(fabricJSON(2, 3, false)))
	require.NoError(t, err)
	c, err := f.Config(Config{}, "l0")
	require.NoError(t, err)
	_, err = New(c)
	require.NoError(t, err)
	require.True(t, f.SetPort(topology.Place{Switch: "l0", Port: f.Net.LinkPorts("l0")[0]}, false))
}
