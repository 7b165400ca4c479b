package control

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/fleet/fleettest"
	"github.com/p4ce/p4ce/ctrl/mirror"
	"github.com/p4ce/p4ce/dataplane"
	names "github.com/p4ce/p4ce/p4/amcast"
	"github.com/p4ce/p4ce/systems/amcast"
)

func begun(t *testing.T) *world {
	w := newWorld(t, square, 1)
	w.until("all run", w.running)
	return w
}

// everything has messages sent, and waits until they are delivered.
func (w *world) everything() {
	w.Helper()
	for range 3 {
		for _, name := range []string{"h1", "h2", "h3", "h4"} {
			if !w.dead[name] {
				w.send(name, 1)
				w.send(name, 1, 2)
				w.send(name, 2)
			}
		}
	}
	w.until("all is delivered", func() bool { return w.missing() == "" })
}

// TestOrder: messages are delivered everywhere, in one order.
func TestOrder(t *testing.T) {
	w := begun(t)
	w.everything()
	require.Len(t, w.sent, 36)
	for _, g := range w.core.Groups() {
		require.EqualValues(t, 1, g.Epoch)
	}
}

// kill takes a switch away.
func (w *world) kill(name string) {
	w.devices[name].dead = true
	w.lose(name)
}

// again has a switch begin anew.
func (w *world) again(name string) {
	w.devices[name].dead = false
	w.forget(name)
	w.sync(name)
}

// TestLeaderLost: another one leads, with all that was known; the old one, when it is back, is a member like others.
func TestLeaderLost(t *testing.T) {
	w := begun(t)
	w.everything()
	w.devices["leaf1"].cut = true // it goes on, and the controller does not reach it
	w.lose("leaf1")
	for _, name := range []string{"h1", "h3", "h4"} {
		w.send(name, 1, 2)
	}
	w.until("another one leads", func() bool { return w.group(1).Leader == "spine1" && w.group(1).State == "running" })
	w.dead["h1"], w.dead["h2"] = true, true // nothing is heard of them, so they count as failed
	w.everything()
	w.devices["leaf1"].cut = false
	w.sync("leaf1")
	w.everything()
	require.EqualValues(t, 2, w.group(1).Epoch)
}

// TestAmnesia: a member that has forgotten everything is given all in a new epoch; one that has not is taken as it is.
func TestAmnesia(t *testing.T) {
	w := begun(t)
	w.everything()
	w.lose("spine1")
	w.sync("spine1")
	w.until("it is back", w.running)
	require.EqualValues(t, 1, w.group(1).Epoch)
	w.kill("spine1")
	w.again("spine1")
	w.until("it is back", w.running)
	require.EqualValues(t, 2, w.group(1).Epoch)
	require.EqualValues(t, 2, w.group(2).Epoch)
	w.everything()
	// Both others are gone: what it was given is all there is.
	w.kill("spine2")
	w.until("a spare is there", func() bool { return w.running() && w.group(1).Epoch == 3 })
	w.kill("leaf1")
	w.dead["h1"], w.dead["h2"] = true, true
	w.until("another one leads", func() bool { return w.group(1).State == "running" && w.group(1).Leader != "leaf1" })
	w.everything()
}

// TestAmnesiaDoesNotCount: a fence that is written into a switch which has just forgotten everything makes no member of it.
func TestAmnesiaDoesNotCount(t *testing.T) {
	w := begun(t)
	w.everything()
	w.before = func(d *device, o Output) {
		if o, ok := o.(Write); ok && d.name == "spine2" && len(o.Updates) > 0 && o.Updates[0].Register != nil && o.Updates[0].Register.Name == names.RegisterLife {
			w.before = nil
			entries, groups := d.entries, d.groups
			w.forget("spine2") // the session does not notice yet
			for id, copies := range groups {
				require.NoError(t, w.update(d, mirror.Update{Op: mirror.Insert, Group: &mirror.Group{ID: id, Copies: copies}}))
			}
			for _, e := range entries {
				require.NoError(t, w.update(d, mirror.Update{Op: mirror.Insert, Entry: &e}))
			}
		}
	}
	w.kill("leaf1")
	w.dead["h1"], w.dead["h2"] = true, true
	for range 20000 {
		w.step(false)
	}
	require.Nil(t, w.before)
	require.NotZero(t, w.core.stats.Amnesia)
	require.EqualValues(t, 1, w.group(1).Epoch, "one of three members has its registers")
	require.Equal(t, "waiting", w.group(1).State)
	require.Contains(t, w.group(1).Why, "only 1 are there with their registers")
}

// TestMinority: without most of the members of the last epoch there is no new one.
func TestMinority(t *testing.T) {
	w := begun(t)
	w.everything()
	w.kill("spine1")
	w.kill("leaf1")
	w.dead["h1"], w.dead["h2"] = true, true
	w.again("spine1")
	for range 20000 {
		w.step(false)
	}
	require.EqualValues(t, 1, w.group(1).Epoch)
	require.Equal(t, "waiting", w.group(1).State)
	w.devices["leaf1"].dead = false // it had not forgotten
	w.dead["h1"], w.dead["h2"] = false, false
	w.sync("leaf1")
	w.until("hosts know that they count as failed", func() bool { return w.hosts["h1"].Ended() && w.hosts["h2"].Ended() })
	w.dead["h1"], w.dead["h2"] = true, true
	w.until("all run", w.running)
	w.everything()
}

// TestEpochOnce: an epoch is recorded before anybody hears of it, and a controller that begins anew uses another one.
func TestEpochOnce(t *testing.T) {
	w := begun(t)
	w.everything()
	recorded := func() (last uint32) {
		for _, r := range w.journal.Records() {
			if r.Group != nil && r.Group.Number == 1 {
				last = r.Group.Last
			}
		}
		return last
	}
	w.before = func(_ *device, o Output) {
		if o, ok := o.(Write); ok {
			for _, u := range o.Updates {
				if e := u.Entry; e != nil && e.Table == names.TableService {
					require.LessOrEqual(t, dataplaneUint(e.Arg(names.ActionTakeParamEpoch)), uint64(max(recorded(), 1)))
				}
			}
		}
	}
	w.kill("leaf1")
	w.dead["h1"], w.dead["h2"] = true, true
	require.EqualValues(t, 2, recorded())
	w.step(false)
	w.start() // in the middle
	w.until("another one leads", func() bool { return w.group(1).State == "running" && w.group(1).Leader == "spine1" })
	require.EqualValues(t, 3, w.group(1).Epoch)
	w.everything()
}

// TestStopsWhileGiving: a controller stops while members are given the state of a new epoch, after any update. The next one has
// that state, and nothing is lost.
func TestStopsWhileGiving(t *testing.T) {
	for _, after := range []int{2, 60, 120, 200, 300, 400} {
		w := begun(t)
		w.everything()
		w.deaf = "h3" // h1 delivers what h3 does not: it has its place in the order
		for range 5 {
			w.send("h1", 1)
			w.send("h2", 1, 2)
		}
		n := len(w.logs[seat{1, 0}].list)
		w.until("h1 delivers", func() bool { return len(w.logs[seat{1, 0}].list) == n+10 })
		giving, left := false, after
		w.before = func(_ *device, o Output) {
			if o, ok := o.(Write); ok && len(o.Updates) > 0 {
				r := o.Updates[0].Register
				if giving = giving || r != nil && r.Name == names.RegisterClock; giving {
					left--
				}
			}
		}
		require.NoError(t, w.core.Members(w.now, 1, []string{"spine1", "leaf1", "spine2"}))
		for left > 0 {
			w.poll()
			for _, name := range []string{"spine1", "leaf1", "spine2"} {
				if d := w.devices[name]; len(d.orders) > 0 && left > 0 {
					w.obey(d)
				}
			}
		}
		w.before, w.deaf = nil, ""
		w.start()
		w.until("it leads", func() bool { return w.running() && w.group(1).Leader == "spine1" })
		w.everything()
	}
}

// TestLeadsWithMost: a leader leads when most of the members have the state of its epoch.
func TestLeadsWithMost(t *testing.T) {
	w := begun(t)
	w.everything()
	role, _ := w.conf.role("spine1", duty{1, false})
	w.before = func(d *device, o Output) {
		o2, ok := o.(Write)
		if !ok || d.name != "spine1" {
			return
		}
		for _, u := range o2.Updates {
			e := u.Entry
			if e == nil || u.Op == mirror.Delete || e.Table != names.TableService || dataplaneUint(e.Arg(names.ActionTakeParamRole)) != uint64(role) ||
				dataplaneUint(e.Arg(names.ActionTakeParamAt)) != uint64(names.AtMember) || dataplaneUint(e.Arg(names.ActionTakeParamLeads)) != 1 {
				continue
			}
			have := 0
			for _, m := range []string{"spine1", "spine2", "leaf1"} {
				r, _ := w.conf.role(m, duty{1, false})
				if w.register(w.devices[m], names.RegisterLife, r)[0] == w.core.life(duty{1, false}, 2) {
					have++
				}
			}
			require.GreaterOrEqual(t, have, 2)
		}
	}
	require.NoError(t, w.core.Members(w.now, 1, []string{"spine1", "spine2", "leaf1"}))
	for range 5000 { // spine1 is the first to do what it is told
		w.poll()
		if d := w.devices["spine1"]; len(d.orders) > 0 {
			w.obey(d)
			continue
		}
		w.step(false)
	}
	w.until("it leads", func() bool { return w.running() && w.group(1).Leader == "spine1" })
	w.everything()
}

func dataplaneUint(b []byte) (v uint64) {
	for _, x := range b {
		v = v<<8 | uint64(x)
	}
	return v
}

// TestQuiet: while a member is fenced, no packet changes its registers: it has no entry.
func TestQuiet(t *testing.T) {
	w := begun(t)
	w.everything()
	w.before = func(d *device, o Output) {
		if _, ok := o.(Read); ok {
			for _, e := range d.entries {
				require.False(t, e.Table == names.TableService && dataplaneUint(e.Arg(names.ActionTakeParamGroup)) == 1 && dataplaneUint(e.Arg(names.ActionTakeParamAt)) == uint64(names.AtMember), "%s", d.name)
			}
		}
	}
	require.NoError(t, w.core.Members(w.now, 1, []string{"spine1", "leaf1", "leaf2"}))
	w.until("it leads", func() bool { return w.running() && w.group(1).Leader == "spine1" })
	w.everything()
}

// TestMembers: others are members when somebody asks for them; what cannot be is refused.
func TestMembers(t *testing.T) {
	w := begun(t)
	w.everything()
	for _, c := range []struct {
		number  uint8
		members []string
		want    string
	}{
		{7, []string{"leaf1"}, "group 7: is not known"},
		{1, nil, "0 members: want 1 to 5"},
		{1, []string{"leaf1", "x"}, `switch "x" may not be a member`},
		{1, []string{"leaf1", "leaf1"}, "named twice"},
	} {
		require.ErrorContains(t, w.core.Members(w.now, c.number, c.members), c.want)
	}
	require.NoError(t, w.core.Members(w.now, 1, []string{"leaf2"}))
	w.until("it leads", func() bool { return w.running() && w.group(1).Leader == "leaf2" })
	require.Len(t, w.group(1).Members, 1)
	w.everything()
	w.kill("spine1")
	require.ErrorContains(t, w.core.Members(w.now, 1, []string{"spine1"}), "does not have switch spine1")
}

// TestForeign: registers of another deployment, or of a journal that was lost, are nobody's.
func TestForeign(t *testing.T) {
	w := begun(t)
	w.everything()
	w.journal = &fleettest.Journal[Record]{}
	w.start()
	for range 20000 {
		w.step(false)
	}
	require.Equal(t, "waiting", w.group(1).State)
	require.Zero(t, w.group(1).Epoch)
	for _, m := range w.group(1).Members {
		require.Equal(t, "foreign", m.State)
	}
}

// TestCutOff: a host that has failed is cut off by all switches before others are told that they need not wait for it.
func TestCutOff(t *testing.T) {
	w := begun(t)
	w.everything()
	w.until("all is finished", func() bool { return w.hosts["h3"].Open() == 0 })
	w.dead["h1"] = true
	finished := func() uint64 { return w.hosts["h3"].Stats().Sender.Finished }
	before := finished()
	w.send("h3", 1)
	host := w.conf.Hosts["h1"].MAC
	for finished() == before {
		w.step(true)
	}
	for name, d := range w.devices {
		for _, e := range d.entries {
			require.False(t, e.Table == names.TableL2 && slices.Equal(e.Match[0].Value, host[:]), "%s forwards to a host that has failed", name)
		}
	}
	w.everything()
	w.dead["h1"] = false // it was not dead
	w.until("it knows", func() bool { return w.hosts["h1"].Ended() })
	w.dead["h1"] = true
	w.everything()
}

// TestRuns: a run that has left is followed by one with the same client, behind its messages; one that has failed by one with
// another client. Neither has the replicas.
func TestRuns(t *testing.T) {
	w := begun(t)
	w.everything()
	w.until("all is finished", func() bool { return w.hosts["h1"].Open() == 0 })
	first, _ := w.hosts["h1"].Client()
	w.hosts["h1"].Leave()
	w.poll()
	w.until("it has left", func() bool { return w.core.Hosts()[0].State == "left" })
	w.until("others know", w.core.quiet)
	delete(w.logs, seat{1, 0})
	w.open("h1")
	w.until("it is admitted", w.running)
	again, _ := w.hosts["h1"].Client()
	require.Equal(t, first, again)
	_, _, err := w.hosts["h1"].Next(1)
	require.ErrorIs(t, err, amcast.ErrLost)
	w.everything()
	w.send("h1", 1, 2)
	w.poll()
	w.open("h1") // it begins again, in the middle of a message
	w.until("it is admitted", w.running)
	other, _ := w.hosts["h1"].Client()
	require.NotEqual(t, first, other)
	for id, by := range w.by {
		if by == "h1" && id.Client == first {
			w.by[id] = "gone"
		}
	}
	w.dead["gone"] = true
	w.everything()
}

// TestNoClients: when all numbers have been used, hosts are not admitted, and the log says so.
func TestNoClients(t *testing.T) {
	w := newWorld(t, square, 1)
	r := &HostRecord{Host: "gone", Token: 9, Client: names.MaxClients - 1, Failed: true}
	require.NoError(t, w.journal.Append(Record{Host: r}))
	w.start()
	for range 20000 {
		w.step(false)
	}
	require.False(t, w.hosts["h1"].Admitted())
	require.Contains(t, fmt.Sprint(w.trace), "all numbers of clients have been used")
}

// TestForged: an acknowledgement or a proposal in the name of a member, from a host, is not counted, wherever it is sent.
func TestForged(t *testing.T) {
	w := begun(t)
	w.everything()
	drops := func(sw string) map[names.Drop]uint64 {
		out := map[names.Drop]uint64{}
		for _, name := range []string{names.CounterDrops, names.CounterRefusals} {
			for _, d := range []names.Drop{names.DropAcker, names.DropProposer, names.DropForeignSource, names.DropOwnAddress, names.DropWindow, names.DropReused, names.DropGroups} {
				v, err := w.devices[sw].target.ReadCounter(dataplane.CounterOf(w.prog, name), int(d))
				require.NoError(t, err)
				out[d] += v.Packets
			}
		}
		return out
	}
	member, own := w.conf.Switches["spine1"].Address, w.conf.Hosts["h1"].Address
	forge := func(p amcast.Packet, from, to Address, port uint16) {
		f := p.Append(nil, amcast.Ends{SrcMAC: from.MAC, DstMAC: to.MAC, Src: from.IP, Dst: to.IP, SrcPort: names.PortFirst, DstPort: port})
		w.arrive(frame{"leaf1", 11, f})
		for len(w.air) > 0 {
			f := w.air[0]
			w.air = w.air[1:]
			w.arrive(f)
		}
	}
	deliverer, _ := w.conf.role("leaf1", duty{1, true})
	remote, _ := w.conf.role("leaf2", duty{1, true})
	role, _ := w.conf.role("leaf1", duty{2, false})
	one := amcast.Groups(0x01000000)
	before, far := drops("leaf1"), drops("leaf2")
	ack := amcast.Packet{Kind: amcast.MsgACK, From: 1, By: 1, Groups: one, ID: amcast.ID{Client: 1, Number: 99}, Member: 1, Epoch: 1, ByEpoch: 1, LTS: 1}
	forge(ack, member, w.conf.Switches["leaf1"].Address, rolePort(deliverer))
	forge(ack, own, w.conf.Switches["leaf1"].Address, rolePort(deliverer))
	require.EqualValues(t, 2, drops("leaf1")[names.DropAcker]-before[names.DropAcker])
	forge(ack, member, w.conf.Switches["leaf2"].Address, rolePort(remote)) // it does not get past the first switch
	require.EqualValues(t, 1, drops("leaf1")[names.DropForeignSource]-before[names.DropForeignSource])
	require.Equal(t, far, drops("leaf2"))
	prop := amcast.Packet{Kind: amcast.MsgProp, From: 2, Groups: 0x02000000, ID: amcast.ID{Client: 1, Number: 99}, Epoch: 1, LTS: 1, Seq: 1}
	forge(prop, w.conf.Switches["leaf2"].Address, w.conf.Switches["leaf1"].Address, rolePort(role))
	if _, members := w.devices["leaf1"], w.group(2).Members; slices.ContainsFunc(members, func(m MemberStatus) bool { return m.Switch == "leaf1" }) {
		require.EqualValues(t, 1, drops("leaf1")[names.DropProposer]-before[names.DropProposer])
	}
	number, _ := w.hosts["h1"].Client()
	start := amcast.Packet{Kind: amcast.MsgStart, Groups: 0x01070000, ID: amcast.ID{Client: number, Number: 99}, Seq: 99} // a group that there is not
	leader, _ := w.conf.role("leaf1", duty{1, false})
	forge(start, own, w.conf.Switches["leaf1"].Address, rolePort(leader))
	start.Groups, start.Seq = one, 20 // beyond the window
	forge(start, own, w.conf.Switches["leaf1"].Address, rolePort(leader))
	used := slices.SortedFunc(maps.Keys(w.sent), func(a, b amcast.ID) int { return int(b.Number) - int(a.Number) })
	start.ID = used[slices.IndexFunc(used, func(id amcast.ID) bool { return id.Client == number && w.sent[id].Has(1) })]
	start.Seq, start.Digest = start.ID.Number, 1 // with another payload
	start.Groups = w.sent[start.ID]
	forge(start, own, w.conf.Switches["leaf1"].Address, rolePort(leader))
	after := drops("leaf1")
	for _, d := range []names.Drop{names.DropGroups, names.DropWindow, names.DropReused} {
		require.EqualValues(t, 1, after[d]-before[d], "%v", d)
	}
	w.everything()
}

// TestARP: a switch answers for hosts, and for itself.
func TestARP(t *testing.T) {
	w := begun(t)
	h1, h3, leaf := w.conf.Hosts["h1"], w.conf.Hosts["h3"], w.conf.Switches["leaf1"]
	for _, who := range []Address{h3.Address, leaf.Address} {
		ask := append(append([]byte{255, 255, 255, 255, 255, 255}, h1.MAC[:]...), 8, 6, 0, 1, 8, 0, 6, 4, 0, 1)
		ask = append(append(append(append(ask, h1.MAC[:]...), h1.IP[:]...), 0, 0, 0, 0, 0, 0), who.IP[:]...)
		w.poll()
		w.core.PacketIn(w.now, "leaf1", 11, names.ReasonARP, ask)
		o, ok := w.core.Poll()
		require.True(t, ok)
		answer, ok := o.(Send)
		require.True(t, ok)
		require.EqualValues(t, 11, answer.Port)
		require.Equal(t, h1.MAC[:], answer.Frame[:6])
		require.Equal(t, who.MAC[:], answer.Frame[22:28], "where it is")
	}
}

var seeds = flag.Int("seeds", 8, "how many random worlds")

// TestRandom: switches die, forget, and come back; the controller stops at any update, and begins again; hosts die; packets are
// lost, doubled and late. What is delivered is in one order; at the end, when all is well again, everything is delivered.
func TestRandom(t *testing.T) {
	n := *seeds
	if testing.Short() {
		n = min(n, 3)
	}
	for seed := range uint64(n) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { random(t, 1+seed) })
	}
}

// ready reports whether all members of all groups are: of three, one may be lost at a time.
func (w *world) ready() bool {
	return !slices.ContainsFunc(w.core.Groups(), func(g GroupStatus) bool {
		return g.Epoch == 0 || slices.ContainsFunc(g.Members, func(m MemberStatus) bool { return m.State != "ready" })
	})
}

func random(t *testing.T, seed uint64) {
	w := newWorld(t, square, seed)
	w.lossy = true
	names := w.conf.Net.Switches()
	down := ""
	for range 12000 {
		w.step(true)
		host := []string{"h1", "h2", "h3", "h4"}[w.rng.IntN(4)]
		switch p := w.rng.IntN(4000); {
		case p < 60:
			if !w.dead[host] && w.hosts[host].Admitted() {
				w.send(host, [][]uint8{{1}, {2}, {1, 2}}[w.rng.IntN(3)]...)
			}
		case p < 64:
			if down == "" && w.ready() {
				down = names[w.rng.IntN(len(names))]
				w.kill(down)
			}
		case p < 72:
			if down != "" {
				w.again(down)
				down = ""
			}
		case p < 80:
			w.start()
		case p == 80:
			w.dead[host] = w.dead[host] || len(w.dead) == 0 && w.now > time.Second
		}
		for name, h := range w.hosts {
			if h.Ended() {
				w.dead[name] = true // its switch was away for too long
			}
		}
	}
	w.lossy = false
	if down != "" {
		w.again(down)
	}
	w.until("all run", func() bool {
		for name, h := range w.hosts {
			w.dead[name] = w.dead[name] || h.Ended()
		}
		return w.running()
	})
	w.until("all is delivered", func() bool {
		for name, h := range w.hosts {
			w.dead[name] = w.dead[name] || h.Ended()
		}
		return w.missing() == ""
	})
	t.Logf("%d messages, epochs %d and %d, %v of simulated time", len(w.sent), w.group(1).Epoch, w.group(2).Epoch, w.now)
}
