package control

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/p4rt"
	verbs "github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/internal/long"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
)

// patient is a fabric whose links may be silent for long, also on a machine that has much else to do: they fail when
// a switch says so.
func patient(text string) string { return strings.Replace(text, `"500ms"`, `"5h"`, 1) }

// again has another controller, that knows what the store and the switches say.
func (w *world) again() (stop func()) {
	w.t.Helper()
	var err error
	w.fabric, err = ParseFabric([]byte(w.text))
	require.NoError(w.t, err)
	return w.controller(nil)
}

// mute ends a switch's P4Runtime server, until it is called again; the switch forwards meanwhile.
func (l *lab) mute() (again func()) {
	l.grpc.Stop()
	return func() {
		l.grpc = l.server.GRPC(p4rt.Access{})
		var ln net.Listener
		var err error
		require.Eventually(l.t, func() bool { ln, err = net.Listen("tcp", l.addr); return err == nil }, 10*time.Second, time.Millisecond)
		go l.grpc.Serve(ln) //nolint:errcheck // ends with Stop
	}
}

// entries counts those of a table.
func (l *lab) entries(table string) int {
	list, err := l.client.ReadTable(l.ctx, l.info, table)
	require.NoError(l.t, err)
	return len(list)
}

// TestTakenOver: a controller ends at any point of a change of a tree, and another takes the group over. The leader goes
// on writing; what is incomplete is completed, and what belongs to nothing is removed.
func TestTakenOver(t *testing.T) {
	t.Parallel()
	long.Test(t)
	w := newWorld(t, patient(fabricJSON(2, 3, false)))
	w.controller(nil)
	g := w.led(2, 3, 4, 5)
	spine := func() int {
		w.requests()
		g.write(5, "which")
		if w.requests()["l0:32"] > 0 {
			return 1
		}
		return 0
	}
	until := func(what string, f func() bool) {
		t.Helper()
		require.Eventually(t, f, 20*time.Second, time.Millisecond, what)
	}
	copies := func() string {
		l := w.labs["l0"]
		g, err := l.client.ReadGroups(l.ctx)
		require.NoError(t, err)
		return fmt.Sprint(g)
	}
	g.write(5, "whole")
	groups := func() []GroupInfo {
		list, err := NewAdminClient(w.labs["l0"].admin).Groups(w.labs["l0"].ctx)
		require.NoError(t, err)
		return list
	}
	was, home := spine(), copies() // where the group is while all links work
	link, port := fmt.Sprintf("l0:%d", 31+was), dataplane.Port(31+was)
	one := func(spine int) {
		t.Helper()
		until("one relay for all", func() bool {
			return w.labs[fmt.Sprintf("s%d", spine)].entries(names.TableQP) == 1 && w.labs[fmt.Sprintf("s%d", 1-spine)].entries(names.TableQP) == 0
		})
	}
	for round, c := range []struct {
		name string
		when func(next *lab) // in a change, until when
	}{
		{"nothing is being changed", nil},
		{"the link is down", func(*lab) {
			until("the controller knows", func() bool { return len(w.fabric.DownPorts()) > 0 })
		}},
		{"there is a new relay", func(next *lab) {
			until("a relay", func() bool { return next.entries(names.TableQP) > 0 })
		}},
		{"the home has changed", func(*lab) { until("other copies", func() bool { return copies() != home }) }},
	} {
		t.Log(round, c.name)
		if c.when != nil {
			w.cables[link].cut.Store(true)
			w.labs["l0"].server.SetPort(port, false)
			c.when(w.labs[fmt.Sprintf("s%d", 1-was)])
		}
		w.stop()
		w.again()
		g.write(10, c.name)
		require.Len(t, groups(), 1)
		require.True(t, groups()[0].Adopted)
		if c.when != nil {
			require.Equal(t, 1-was, spine())
			one(1 - was)
		} else {
			one(was)
		}
		w.cables[link].cut.Store(false)
		w.labs["l0"].server.SetPort(port, true)
		until("mended", func() bool { return len(w.fabric.DownPorts()) == 0 })
		until("where it was", func() bool { return copies() == home })
		one(was)
		g.write(5, "mended")
	}

	// The store is lost, and with it the plan: the group cannot be taken over, and its relays are removed with it.
	kept := w.labs["l0"].store
	w.labs["l0"].store = NewMemoryStore()
	w.stop()
	w.again()
	w.empty()
	require.Empty(t, groups())
	w.stop()

	// With the record, but without the group: its peers are told.
	w.labs["l0"].store = kept
	w.again()
	<-g.conn.Done()
	for _, r := range g.replicas {
		<-r.gone
	}
	w.empty()
}

// TestTakenOverNested: a group of groups is taken over, and ends as a whole.
func TestTakenOverNested(t *testing.T) {
	long.Test(t)
	m := newMany(t, 0, 3, 5, 5)
	require.NoError(t, m.api.CreateGroup(m.labs["l0"].ctx, "l0", m.made))
	ld, err := m.connect()
	require.NoError(t, err)
	m.write(ld, 5, "before")
	m.stop()
	m.write(ld, 5, "without a controller")
	m.again()
	m.write(ld, 5, "after")
	require.NoError(t, ld.conn.Close())
	m.over()
}

// TestTakenOverLater: one of the switches is taken over after all others, that know of what it has: the home, or a relay.
func TestTakenOverLater(t *testing.T) {
	t.Parallel()
	long.Test(t)
	for _, home := range []bool{true, false} {
		w := newWorld(t, patient(fabricJSON(2, 3, false)))
		w.controller(nil)
		replicas := []*replica{w.labs["l1"].serve(w.host(3), ""), w.labs["l1"].serve(w.host(5), "")}
		ld, err := w.dial(w.host(1), "10.0.0.3", "10.0.0.5")
		require.NoError(t, err)
		require.Equal(t, verbs.StatusOK, ld.write("before", ld.region.RKey))
		w.stop()
		relay := "s0"
		if w.labs["s1"].entries(names.TableQP) > 0 {
			relay = "s1"
		}
		require.Equal(t, 1, w.labs[relay].entries(names.TableQP))
		late := map[bool]string{true: "l0", false: relay}[home]
		again := w.labs[late].mute()
		w.fabric, err = ParseFabric([]byte(w.text))
		require.NoError(t, err)
		done := make(chan struct{})
		go func() { defer close(done); w.controller(nil) }()
		for _, name := range w.fabric.Net.Switches() {
			require.Eventually(t, func() bool { return name == late || w.fabric.synced(name) }, 20*time.Second, time.Millisecond)
		}
		require.Equal(t, verbs.StatusOK, ld.write("meanwhile", ld.region.RKey))
		again()
		<-done
		require.Equal(t, verbs.StatusOK, ld.write("after", ld.region.RKey))
		require.Equal(t, "after", replicas[1].content(5))
		require.Equal(t, 1, w.labs[relay].entries(names.TableQP), "it was never without")
		require.NoError(t, ld.conn.Close())
		for _, r := range replicas {
			<-r.gone
		}
		w.empty()
	}
}

// TestReadBackRelays: what a home holds of a group with relays is no group by itself, and one only with a record that fits.
func TestReadBackRelays(t *testing.T) {
	n := newNested(t)
	plan := *n.plans[1]
	plan.Slots = plan.Slots[:1]
	read := func(relay bool) *parts {
		l := n.tables.atHome(&plan, []branch{{port: 7, relay: relay}})
		p := &parts{endpoint: map[int]entry{0: l.rewriting[0]}, leader: &l.rewriting[1], replicas: l.copies, isGroup: true}
		p.gather, p.scatter = l.lets[:1], l.lets[1:]
		require.True(t, p.layout(plan.Index).equal(&l))
		return p
	}
	require.NotNil(t, (&tables{wiring: &Wiring{}}).plan(plan.Index, read(false)))
	require.Nil(t, (&tables{wiring: &Wiring{}}).plan(plan.Index, read(true)), "the relay's queue pair would be taken for the replica's")
	for name, c := range map[string]struct {
		change func(*group.Plan)
		ok     bool
	}{
		"the same":           {func(*group.Plan) {}, true},
		"hosts have moved":   {func(p *group.Plan) { p.Slots[0].Host.Port, p.Leader.Host.Port = 99, 98 }, true},
		"another group":      {func(p *group.Plan) { p.BCastQP++ }, false},
		"another key":        {func(p *group.Plan) { p.RKey++ }, false},
		"another leader":     {func(p *group.Plan) { p.Leader.Addr[3]++ }, false},
		"its queue pair":     {func(p *group.Plan) { p.Leader.QPN++ }, false},
		"another replica":    {func(p *group.Plan) { p.Slots[0].Addr[3]++ }, false},
		"its connection":     {func(p *group.Plan) { p.Slots[0].AggrQP++ }, false},
		"other PSNs":         {func(p *group.Plan) { p.Slots[0].StartPSN++ }, false},
		"a replica more":     {func(p *group.Plan) { p.Slots = append(p.Slots, p.Slots[0]) }, false},
		"a region of it":     {func(p *group.Plan) { p.Region = true }, false},
		"at another number":  {func(p *group.Plan) { p.Index++ }, false},
		"one without a plan": {nil, false},
	} {
		r := group.Record{Index: plan.Index}
		if c.change != nil {
			p := plan
			p.Slots = append([]group.Slot(nil), plan.Slots...)
			c.change(&p)
			r.Plan = &p
		}
		got := read(true).recorded(plan.Index, []group.Record{{Index: 77}, r})
		require.Equal(t, c.ok, got != nil, name)
	}
	half := read(true)
	half.leader = nil
	require.Nil(t, half.recorded(plan.Index, []group.Record{{Index: plan.Index, Plan: &plan}}))
}
