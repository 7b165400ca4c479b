package control

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl"
	"github.com/p4ce/p4ce/ctrl/hosts"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/p4rt"
	verbs "github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/link/hub"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// world are several switches, each with a server of its own, cables between them, and one
// controller.
type world struct {
	t      testing.TB
	labs   map[string]*lab
	fabric *Fabric
	text   string            // the fabric's description
	stop   func()            // ends the controller
	cables map[string]*cable // by "SWITCH:PORT", the end that sends
}

// cable counts the requests that go into one end, and can be cut.
type cable struct {
	*hub.End
	requests atomic.Int64
	cut      *atomic.Bool // of both ends
	sent     atomic.Int64
	lossy    atomic.Int64 // one of so many is lost; 0 for none
}

func (c *cable) Send(frame []byte) {
	if n := c.lossy.Load(); c.cut.Load() || n > 0 && c.sent.Add(1)%n == 0 {
		return
	}
	if len(frame) > 42 && binary.BigEndian.Uint16(frame[12:]) == 0x0800 && frame[23] == 17 && binary.BigEndian.Uint16(frame[36:]) == wire.UDPPort && frame[42] < 0x0c {
		c.requests.Add(1)
	}
	c.End.Send(frame)
}

func (w *world) join(a, b topology.Place) {
	x, y := hub.Cable(4096)
	cut := new(atomic.Bool)
	for end, at := range map[*hub.End]topology.Place{x: a, y: b} {
		c := &cable{End: end, cut: cut}
		w.cables[at.String()] = c
		require.NoError(w.t, w.labs[at.Switch].target.AddLink(dataplane.Port(at.Port), "link "+at.String(), c))
	}
}

func fabricJSON(spines, leaves int, plain bool) string {
	var sw, links, hosts []string
	for s := range spines {
		sw = append(sw, fmt.Sprintf(`{"name":"s%d","p4runtime":"P4RT-s%d","address":"10.0.0.%d","mac":"02:66:00:00:00:%02x","level":1,"plain":%v}`, s, s, 250+s, 250+s, plain))
	}
	for l := range leaves {
		sw = append(sw, fmt.Sprintf(`{"name":"l%d","p4runtime":"P4RT-l%d","address":"10.0.0.%d","mac":"02:66:00:00:00:%02x","level":0}`, l, l, 240+l, 240+l))
		for s := range spines {
			links = append(links, fmt.Sprintf(`["l%d:%d","s%d:%d"]`, l, 31+s, s, 1+l))
		}
		for h := range 2 {
			n := 1 + 2*l + h
			hosts = append(hosts, fmt.Sprintf(`{"name":"h%d","at":"l%d:%d","address":"10.0.0.%d","mac":"02:66:00:00:00:%02x"}`, n, l, n, n, n))
		}
	}
	return fmt.Sprintf(`{"switches":[%s],"links":[%s],"hosts":[%s],"hold":"500ms"}`, strings.Join(sw, ","), strings.Join(links, ","), strings.Join(hosts, ","))
}

func newWorld(t testing.TB, text string) *world {
	w := &world{t: t, labs: map[string]*lab{}, cables: map[string]*cable{}}
	for _, name := range []string{"s0", "s1", "l0", "l1", "l2"} {
		w.labs[name] = newLab(t)
		text = strings.ReplaceAll(text, "P4RT-"+name+`"`, w.labs[name].addr+`"`)
	}
	var err error
	w.text = text
	w.fabric, err = ParseFabric([]byte(text))
	require.NoError(t, err)
	for _, name := range w.fabric.Net.Switches() {
		for _, port := range w.fabric.Net.LinkPorts(name) {
			at := topology.Place{Switch: name, Port: port}
			if far, _ := w.fabric.Net.Peer(at); far.Switch > at.Switch {
				w.join(at, far)
			}
		}
	}
	return w
}

// controller runs one for all switches.
func (w *world) controller(change func(*Config)) (stop func()) {
	conf := ctrl.Config{Admin: w.labs["l0"].admin}
	for i := range w.fabric.Switches {
		sw := &w.fabric.Switches[i]
		if w.fabric.Net.Plain(sw.Name) {
			continue
		}
		c, err := w.fabric.Config(Config{Store: w.labs["l0"].store}, sw.Name)
		require.NoError(w.t, err)
		if change != nil {
			change(&c)
		}
		app, err := New(c)
		require.NoError(w.t, err)
		conf.Switches = append(conf.Switches, ctrl.SwitchConfig{
			Name: sw.Name, App: app, P4RT: p4rtclient.Options{Address: sw.P4Runtime, BackoffMin: time.Millisecond, BackoffMax: 20 * time.Millisecond},
		})
	}
	w.stop = runs(w.t, w.labs["l0"].ctx, conf)
	return w.stop
}

// routerMAC is what a server sends to: its own switch.
func (w *world) device(l *lab, port int, mac wire.MAC) *roce.Device {
	sw, host := hub.Cable(4096)
	require.NoError(w.t, l.target.AddLink(dataplane.Port(port), fmt.Sprintf("server %d", port), sw))
	h := &routedWire{hostWire{End: host, ip: wire.Addr{10, 0, 0, byte(port)}, mac: wire.MAC{2, 0x66, 0, 0, 0, byte(port)}}, mac}
	d, err := roce.Open(h, roce.Options{})
	require.NoError(w.t, err)
	w.t.Cleanup(func() { d.Close() })
	return d
}

type routedWire struct {
	hostWire
	router wire.MAC
}

func (h *routedWire) Resolve(context.Context, netip.Addr) (wire.MAC, error) { return h.router, nil }

func (w *world) host(n int) *roce.Device {
	l := (n - 1) / 2
	return w.device(w.labs[fmt.Sprintf("l%d", l)], n, wire.MAC{2, 0x66, 0, 0, 0, byte(240 + l)})
}

// refused dials, and has the switch say why it forms no group.
func (w *world) refused(d *roce.Device, want string, replicas ...string) {
	w.t.Helper()
	_, err := w.dial(d, replicas...)
	var rej *roce.RejectedError
	require.ErrorAs(w.t, err, &rej)
	r, err := private.ParseRefusal(rej.Private)
	require.NoError(w.t, err)
	require.Contains(w.t, r.Text, want)
}

func (w *world) dial(d *roce.Device, replicas ...string) (*leader, error) {
	r := private.Request{Form: private.FormGroup, Policy: private.PolicyAll, LeaderID: 1, Term: 1, Port: replicaPort}
	for _, a := range replicas {
		r.Replicas = append(r.Replicas, netip.MustParseAddr(a))
	}
	data, err := r.Append(nil)
	require.NoError(w.t, err)
	qp, err := d.CreateQP(roce.QPConfig{AckTimeout: 200 * time.Millisecond})
	require.NoError(w.t, err)
	ctx := w.labs["l0"].ctx
	c, err := d.Dial(ctx, netip.MustParseAddrPort("10.0.0.240:1"), qp, data)
	if err != nil {
		return nil, err
	}
	ld := &leader{t: w.t, ctx: ctx, conn: c}
	ld.region, err = private.ParseRegion(c.Private())
	require.NoError(w.t, err)
	return ld, nil
}

// requests counts those on the links, and forgets them.
func (w *world) requests() map[string]int64 {
	out := map[string]int64{}
	for at, c := range w.cables {
		if n := c.requests.Swap(0); n > 0 {
			out[at] = n
		}
	}
	return out
}

func (w *world) empty() {
	for _, l := range w.labs {
		l.empty()
	}
}

// led is a group over several switches: its leader is h1.
type led struct {
	*leader
	w        *world
	replicas []*replica
}

// led forms a group of replicas on these hosts.
func (w *world) led(hosts ...int) *led {
	w.t.Helper()
	g := &led{w: w}
	dev := w.host(1)
	var to []string
	for _, n := range hosts {
		g.replicas, to = append(g.replicas, w.labs["l0"].serve(w.host(n), "")), append(to, fmt.Sprintf("10.0.0.%d", n))
	}
	var err error
	g.leader, err = w.dial(dev, to...)
	require.NoError(w.t, err)
	return g
}

// write has the leader write n texts, which all have as soon as they are acknowledged.
func (g *led) write(n int, what string) {
	g.w.t.Helper()
	for i := range n {
		text := fmt.Sprintf("%s %d", what, i)
		require.Equal(g.w.t, verbs.StatusOK, g.leader.write(text, g.region.RKey))
		for _, r := range g.replicas {
			require.Equal(g.w.t, text, r.content(len(text)))
		}
	}
}

// end ends the group, of which nothing is left then.
func (g *led) end() {
	g.w.t.Helper()
	require.NoError(g.w.t, g.conn.Close())
	for _, r := range g.replicas {
		<-r.gone
	}
	g.w.empty()
}

func TestFabricEndToEnd(t *testing.T) {
	w := newWorld(t, fabricJSON(2, 3, false))
	w.controller(nil)
	g := w.led(2, 3, 4, 5)
	w.requests() // of connection management
	g.write(20, "whole")
	links := w.requests()
	spine := 0
	if links["l0:32"] > 0 {
		spine = 1
	}
	used, other := fmt.Sprintf("s%d", spine), fmt.Sprintf("s%d", 1-spine)
	require.Equal(t, map[string]int64{fmt.Sprintf("l0:%d", 31+spine): 20, used + ":2": 20, used + ":3": 20}, links, "one copy per link")

	// The link by which they go is cut: all goes by the other spine, and nothing is lost.
	w.cables[fmt.Sprintf("l0:%d", 31+spine)].cut.Store(true)
	g.write(20, "cut")
	w.requests()
	g.write(20, "after")
	require.Equal(t, map[string]int64{fmt.Sprintf("l0:%d", 32-spine): 20, other + ":2": 20, other + ":3": 20}, w.requests())
	require.Eventually(t, func() bool {
		relays, err := w.labs[used].client.ReadTable(w.labs[used].ctx, w.labs[used].info, names.TableQP)
		return err == nil && len(relays) == 0
	}, 20*time.Second, time.Millisecond, "who is not needed any more has nothing left")

	// It is mended.
	w.cables[fmt.Sprintf("l0:%d", 31+spine)].cut.Store(false)
	require.Eventually(t, func() bool { return len(w.fabric.DownPorts()) == 0 }, 20*time.Second, time.Millisecond)
	g.write(20, "mended")

	g.end()
}

// TestFabricLoss: one packet of about a hundred is lost on every link, and the link by which the
// copies go is cut and mended again and again. Everybody has what was acknowledged.
func TestFabricLoss(t *testing.T) {
	long.Test(t)
	w := newWorld(t, fabricJSON(2, 3, false))
	w.controller(nil)
	g := w.led(2, 3, 4, 5)
	for i, at := range slices.Sorted(maps.Keys(w.cables)) {
		w.cables[at].lossy.Store(int64(89 + 2*i)) // not all at once
	}
	for round := range 3 {
		for i := range 60 {
			if i == 20 {
				links := w.requests()
				used := "l0:31"
				if links["l0:32"] > links["l0:31"] {
					used = "l0:32"
				}
				w.cables[used].cut.Store(true)
			}
			if i == 40 {
				w.cables["l0:31"].cut.Store(false)
				w.cables["l0:32"].cut.Store(false)
			}
			text := fmt.Sprintf("round %d record %d", round, i)
			require.Equal(t, verbs.StatusOK, g.leader.write(text, g.region.RKey), text)
			for _, r := range g.replicas {
				require.Equal(t, text, r.content(len(text)))
			}
		}
		require.Eventually(t, func() bool { return len(w.fabric.DownPorts()) == 0 }, 20*time.Second, time.Millisecond)
	}
	for _, c := range w.cables {
		c.lossy.Store(0)
	}
	g.end()
}

// reconnect ends the controller's connection to a switch, and waits until it has read the switch back.
func (w *world) reconnect(name string) {
	w.t.Helper()
	l := w.labs[name]
	syncs := func() (n uint64) {
		a := w.fabric.app(name)
		require.NoError(w.t, a.Ask(l.ctx, func() {
			if st := a.State(); st.InControl {
				n = st.Stats.Syncs
			}
		}))
		return n
	}
	was := syncs()
	l.grpc.Stop()
	var err error
	l.grpc = l.server.GRPC(p4rt.Access{})
	var ln net.Listener
	require.Eventually(w.t, func() bool { ln, err = net.Listen("tcp", l.addr); return err == nil }, 10*time.Second, time.Millisecond)
	go l.grpc.Serve(ln) //nolint:errcheck // ends with Stop
	require.Eventually(w.t, func() bool { return syncs() > was }, 20*time.Second, time.Millisecond)
}

// TestFabricReconnected: the controller loses its connections to a home and to relays, and what
// runs goes on; it ends as it should afterwards.
func TestFabricReconnected(t *testing.T) {
	long.Test(t)
	w := newWorld(t, fabricJSON(2, 3, false))
	w.controller(nil)
	g := w.led(3, 4)
	g.write(1, "before")
	for _, name := range []string{"l0", "l1", "s0", "s1"} {
		w.reconnect(name)
		g.write(1, "after "+name)
	}
	g.end()
}

// TestFabricToROnly: spines that know nothing of groups carry what leaves send each other.
func TestFabricToROnly(t *testing.T) {
	long.Test(t)
	w := newWorld(t, fabricJSON(2, 3, true))
	for s := range 2 {
		l := w.labs[fmt.Sprintf("s%d", s)]
		l.controller(func(c *Config) { // an ordinary router
			c.MAC, c.IPs, c.Ports = wire.MAC{2, 0x66, 0, 0, 0, byte(250 + s)}, []wire.Addr{{10, 0, 0, byte(250 + s)}}, []uint16{1, 2, 3}
			for leaf := range 3 {
				at := hosts.Host{MAC: wire.MAC{2, 0x66, 0, 0, 0, byte(240 + leaf)}, Port: uint16(1 + leaf)}
				for _, a := range []int{240 + leaf, 1 + 2*leaf, 2 + 2*leaf} {
					at.IP = wire.Addr{10, 0, 0, byte(a)}
					c.Hosts = append(c.Hosts, at)
				}
			}
		})
	}
	w.controller(nil)
	g := w.led(2, 3, 4, 5)
	w.requests()
	g.write(20, "record")
	links := w.requests()
	require.Equal(t, int64(40), links["l0:31"]+links["l0:32"], "one per rack: %v", links)
	require.Equal(t, int64(20), links["s0:2"]+links["s1:2"], "one for two: %v", links)
	require.Equal(t, int64(20), links["s0:3"]+links["s1:3"], "%v", links)

	// Nobody sends probes over links to plain switches: such a link is as its port is.
	for _, up := range []bool{false, true} {
		w.labs["l0"].server.SetPort(31, up)
		require.Eventually(t, func() bool { return len(w.fabric.DownPorts()) == map[bool]int{false: 1, true: 0}[up] }, 20*time.Second, time.Millisecond)
		require.Equal(t, verbs.StatusOK, g.leader.write("goes on", g.region.RKey))
	}
	g.end()
}

func TestFabricRefuses(t *testing.T) {
	long.Test(t)
	w := newWorld(t, fabricJSON(2, 3, false))
	w.controller(nil)
	dev := w.host(1)
	near, far := w.labs["l0"].serve(w.host(2), ""), w.labs["l1"].serve(w.host(3), "")
	ld, err := w.dial(dev, "10.0.0.2", "10.0.0.3")
	require.NoError(t, err)

	// The rack of one replica is cut off: its group waits, and another is refused.
	w.cables["l1:31"].cut.Store(true)
	w.cables["l1:32"].cut.Store(true)
	require.Eventually(t, func() bool { return len(w.fabric.DownPorts()) == 4 }, 20*time.Second, time.Millisecond)
	_, err = w.dial(w.host(6), "10.0.0.2")
	require.NoError(t, err, "who does not need it goes on")
	w.cables["l1:31"].cut.Store(false)
	require.Eventually(t, func() bool { return len(w.fabric.DownPorts()) == 2 }, 20*time.Second, time.Millisecond)
	require.Eventually(t, func() bool { return ld.write("again", ld.region.RKey) == verbs.StatusOK }, 20*time.Second, time.Millisecond)
	require.Equal(t, "again", near.content(5))
	require.Equal(t, "again", far.content(5))
	require.NoError(t, ld.conn.Close())
}

// TestFabricPipes: a group whose leader and whose replicas are on different pipes of the home is refused, and the leader
// is told why; groups within a pipe are formed.
func TestFabricPipes(t *testing.T) {
	long.Test(t)
	w := newWorld(t, strings.ReplaceAll(fabricJSON(2, 3, false), `"level":0`, `"level":0,"pipes":["0=1-16","1=17-32"]`))
	w.controller(nil)
	dev := w.host(1)
	near, _ := w.labs["l0"].serve(w.host(2), ""), w.labs["l1"].serve(w.host(3), "")
	w.refused(dev, "[one pipe, or p4ce controller --gather egress]", "10.0.0.2", "10.0.0.3")
	ld, err := w.dial(dev, "10.0.0.2")
	require.NoError(t, err)
	require.Equal(t, verbs.StatusOK, ld.write("within", ld.region.RKey))
	require.Equal(t, "within", near.content(6))
	require.NoError(t, ld.conn.Close())
}

// TestFabricBadInput: what cannot be is refused with a reason that the leader is told, and what runs goes on.
func TestFabricBadInput(t *testing.T) {
	long.Test(t)
	w := newWorld(t, fabricJSON(2, 3, false))
	w.controller(nil)
	dev := w.host(1)
	near, far := w.labs["l0"].serve(w.host(2), ""), w.labs["l1"].serve(w.host(3), "")
	ld, err := w.dial(dev, "10.0.0.2", "10.0.0.3")
	require.NoError(t, err)
	other := w.host(4)
	goesOn := func(what string) {
		t.Helper()
		require.Equal(t, verbs.StatusOK, ld.write(what, ld.region.RKey))
		require.Equal(t, what, near.content(len(what)))
		require.Equal(t, what, far.content(len(what)))
	}
	w.refused(other, "replica 0: 10.0.0.77 is not a host of the topology", "10.0.0.77")
	w.refused(other, "twice", "10.0.0.2", "10.0.0.2")
	many := private.Request{Form: private.FormGroup, Port: replicaPort}
	for i := range private.MaxReplicas + 1 {
		many.Replicas = append(many.Replicas, netip.AddrFrom4([4]byte{10, 0, 0, byte(2 + i)}))
	}
	_, err = many.Append(nil)
	require.ErrorContains(t, err, "group of 9 replicas (want 1 to 8)")
	goesOn("refused")

	// A rack is cut off: nobody can be reached there.
	w.cables["l2:31"].cut.Store(true)
	w.cables["l2:32"].cut.Store(true)
	require.Eventually(t, func() bool { return len(w.fabric.DownPorts()) == 4 }, 20*time.Second, time.Millisecond)
	w.refused(other, "replica 0: h5 (10.0.0.5) cannot be reached from switch l0", "10.0.0.5")
	goesOn("cut off")

	// A switch does not answer: its packets are forwarded as before, and nothing new is set up there.
	w.labs["l1"].grpc.Stop()
	goesOn("silent")
	require.Eventually(t, func() bool { return len(w.fabric.DownPorts()) > 4 }, 20*time.Second, time.Millisecond)
	goesOn("found silent")
}

func TestBadFabric(t *testing.T) {
	good := fabricJSON(2, 3, false)
	_, err := ParseFabric([]byte(good))
	require.NoError(t, err)
	for want, change := range map[string][2]string{
		`link s0:1 - l0:31 joins level 0 and level 0: up-down routing allows no loops`: {`"level":1`, `"level":0`},
		`switch s0 has no level, but others have`:                                      {`"level":1,`, ``},
		`all switches are plain`:                                                       {`"plain":false`, `"plain":true`},
		`switch l0: mac "x" is not an Ethernet address`:                                {`02:66:00:00:00:f0`, `x`},
		`l1: mac 02:66:00:00:00:f0 is that of l0`:                                      {`02:66:00:00:00:f1`, `02:66:00:00:00:f0`},
		`h1: address 10.0.0.240 is that of l0`:                                         {`"10.0.0.1"`, `"10.0.0.240"`},
		`host h1: address "1.2.3" is not a unicast IPv4 address`:                       {`"10.0.0.1"`, `"1.2.3"`},
		`host h1: at: "l0": want SWITCH:PORT`:                                          {`"at":"l0:1"`, `"at":"l0"`},
		`host h1: no switch "x"`:                                                       {`"at":"l0:1"`, `"at":"x:1"`},
		`want two ends`:                                                                {`["l0:31","s0:1"]`, `["l0:31"]`},
		`hold "1ms": want a duration of at least 5ms`:                                  {`500ms`, `1ms`},
		`switch s0: address and p4runtime are missing`:                                 {`"P4RT-s0"`, `""`},
		`unknown field "colour"`:                                                       {`"hold"`, `"colour"`},
		`unexpected text after`:                                                        {`"hold":"500ms"}`, `"hold":"500ms"}{}`},
		`switch l0: links to other switches: ports 31 and 32 are on pipes 0 and 1, and registers are per pipe`: {`"level":0`, `"level":0,"pipes":["0=1-31","1=32"]`},
		`switch l0: links to other switches: port 31 is on no pipe`:                                            {`"level":0`, `"level":0,"pipes":["0=1-16"]`},
		`switch l0: pipe "1": want a number and = first`:                                                       {`"level":0`, `"level":0,"pipes":["1"]`},
		`cannot be reached`: {`["l0:31","s0:1"],["l0:32","s1:1"],`, ``},
	} {
		text := strings.ReplaceAll(good, change[0], change[1])
		if change[0] == `"plain":false` {
			text = strings.ReplaceAll(text, `"level":0`, `"level":0,"plain":true`)
		}
		f, err := ParseFabric([]byte(text))
		if err == nil {
			_, err = f.Config(Config{}, "l0")
		}
		require.ErrorContains(t, err, want)
	}
}

func FuzzParseFabric(f *testing.F) {
	f.Add([]byte(fabricJSON(2, 3, false)))
	f.Add([]byte(fabricJSON(1, 2, true)))
	f.Fuzz(func(t *testing.T, text []byte) {
		fab, err := ParseFabric(text)
		if err != nil {
			return
		}
		for _, s := range fab.Net.Switches() {
			if !fab.Net.Plain(s) {
				_, err := fab.Config(Config{}, s)
				require.NoError(t, err)
			}
		}
	})
}
