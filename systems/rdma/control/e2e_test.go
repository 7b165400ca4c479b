package control

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/grpc"

	"github.com/p4ce/p4ce/ctrl"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/pipeline"
	"github.com/p4ce/p4ce/ctrl/session"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/agent"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/p4rt"
	verbs "github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/hub"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
	rdmaprivate "github.com/p4ce/p4ce/systems/rdma/private"
	"github.com/p4ce/p4ce/systems/rdma/proof"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// These tests run everything for real, in one process: the controller, the
// P4Runtime server, rdma.p4 in the interpreter, and software RDMA endpoints at
// its ports.

var (
	labSwitchIP  = wire.Addr{10, 0, 0, 254}
	labSwitchMAC = wire.MAC{2, 0x66, 0, 0, 0, 0xfe}
)

const replicaPort = 4000

// lab is a switch with servers.
type lab struct {
	chip   interp.Options
	t      testing.TB
	ctx    context.Context
	target *interp.Target
	server *p4rt.Server
	grpc   *grpc.Server
	addr   string
	admin  string
	store  Store
	secret rdmaprivate.Secret // of replicas and leaders
	tap    func(frame []byte) // sees what servers that are attached later send; nil: nobody looks
	refuse atomic.Pointer[func(*dataplane.Entry) bool]
	client *p4rtclient.Client // reads only
	info   *p4rtclient.Info
}

func newLab(t testing.TB) *lab { return newChip(t, interp.Options{}) }

// twoPipes is a chip with a pipe for even ports and one for odd ports.
var twoPipes = interp.Options{Pipes: 2, Pipe: func(p dataplane.Port) int { return int(p % 2) }}

// onTwoPipes is what a controller is told of it.
func onTwoPipes(t testing.TB, c *Config) {
	require.NoError(t, c.Wiring.AddPipe("0=2,4,6,8,10"))
	require.NoError(t, c.Wiring.AddPipe("1=1,3,5,7,9"))
}

func newChip(t testing.TB, chip interp.Options) *lab {
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	t.Cleanup(cancel)
	l := &lab{t: t, ctx: ctx, chip: chip, admin: "unix:" + filepath.Join(t.TempDir(), "admin.sock")}
	var err error
	l.store, err = NewFileStore(t.TempDir())
	require.NoError(t, err)
	l.startSwitch("127.0.0.1:0")
	t.Cleanup(func() { l.stopSwitch() })
	l.client, err = p4rtclient.New(p4rtclient.Options{Address: l.addr})
	require.NoError(t, err)
	t.Cleanup(func() { l.client.Close() })
	conf, err := pipeline.Load("rdma")
	require.NoError(t, err)
	l.info = p4rtclient.NewInfo(conf.GetP4Info())
	return l
}

func (l *lab) startSwitch(addr string) {
	l.target = interp.New(l.chip)
	var err error
	l.server, err = p4rt.New(p4rt.Options{Target: refusing{l.target, l}, Compile: agent.Compile})
	require.NoError(l.t, err)
	l.grpc = l.server.GRPC(p4rt.Access{})
	ln, err := net.Listen("tcp", addr)
	require.NoError(l.t, err)
	l.addr = ln.Addr().String()
	go l.grpc.Serve(ln) //nolint:errcheck // ends with Stop
}

// refusing is a target that has no room for entries that its lab refuses.
type refusing struct {
	*interp.Target
	l *lab
}

func (r refusing) refuses(e *dataplane.Entry) error {
	if f := r.l.refuse.Load(); f != nil && (*f)(e) {
		return dataplane.ErrFull
	}
	return nil
}

func (r refusing) Insert(e *dataplane.Entry) error {
	if err := r.refuses(e); err != nil {
		return err
	}
	return r.Target.Insert(e)
}

func (r refusing) Modify(e *dataplane.Entry) error {
	if err := r.refuses(e); err != nil {
		return err
	}
	return r.Target.Modify(e)
}

func (l *lab) stopSwitch() {
	l.server.Close()
	l.grpc.Stop()
	l.target.Close()
}

// controller runs a controller until the returned function is called.
func (l *lab) controller(change func(*Config)) (stop func()) {
	conf := Config{
		Store: l.store, MAC: labSwitchMAC, IPs: []wire.Addr{labSwitchIP}, Ports: []uint16{1, 2, 3, 4, 5},
	}
	if change != nil {
		change(&conf)
	}
	app, err := New(conf)
	require.NoError(l.t, err)
	sc := ctrl.SwitchConfig{
		Name: "s1", P4RT: p4rtclient.Options{Address: l.addr, BackoffMin: time.Millisecond, BackoffMax: 20 * time.Millisecond}, App: app,
	}
	return runs(l.t, l.ctx, ctrl.Config{Switches: []ctrl.SwitchConfig{sc}, Admin: l.admin})
}

// runs runs a controller, which is ready when it returns, until stop is called, or the test ends.
func runs(t testing.TB, ctx context.Context, conf ctrl.Config) (stop func()) {
	ready := make(chan struct{})
	conf.Ready = func() { close(ready) }
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- ctrl.Run(ctx, conf) }()
	select {
	case <-ready:
	case err := <-done:
		require.NoError(t, err)
	case <-ctx.Done():
		t.Fatal("the controller is not ready")
	}
	stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(t, <-done)
	})
	t.Cleanup(stop)
	return stop
}

// attach puts a server at a port.
func (l *lab) attach(port int) *roce.Device {
	sw, host := hub.Cable(4096)
	require.NoError(l.t, l.target.AddLink(dataplane.Port(port), fmt.Sprintf("server %d", port), sw))
	w := &hostWire{End: host, tap: l.tap, ip: wire.Addr{10, 0, 0, byte(port)}, mac: wire.MAC{2, 0x66, 0, 0, 0, byte(port)}}
	d, err := roce.Open(w, roce.Options{})
	require.NoError(l.t, err)
	l.t.Cleanup(func() { d.Close() })
	return d
}

// hostWire is a server's link; it answers ARP.
type hostWire struct {
	*hub.End
	tap func([]byte)
	ip  wire.Addr
	mac wire.MAC
}

func (h *hostWire) Info() link.Info {
	return link.Info{Addr: h.ip.Netip(), MAC: h.mac, MTU: 3000}
}

func (h *hostWire) Send(frame []byte) {
	if h.tap != nil {
		h.tap(frame)
	}
	h.End.Send(frame)
}

func (h *hostWire) Receive(frames [][]byte) (int, error) {
	n, err := h.End.Receive(frames)
	for _, f := range frames[:n] {
		if len(f) >= 42 && binary.BigEndian.Uint16(f[12:]) == 0x0806 && f[21] == 1 && wire.Addr(f[38:42]) == h.ip {
			r := append([]byte{}, f...)
			copy(r, f[6:12])
			copy(r[6:], h.mac[:])
			r[21] = 2
			copy(r[32:42], f[22:32])
			copy(r[22:], h.mac[:])
			copy(r[28:], h.ip[:])
			h.Send(r)
		}
	}
	return n, err
}

func (h *hostWire) Resolve(context.Context, netip.Addr) (wire.MAC, error) { return labSwitchMAC, nil }

// replica serves groups: it accepts every leader and offers one region.
type replica struct {
	dev  *roce.Device
	mr   *roce.MR
	gone chan struct{} // gets one element per connection that has ended

	// answers, when not nil, is of a stranger: he takes every connection, and says this instead of what a replica says.
	answers atomic.Pointer[func(says []byte) []byte]
}

func (l *lab) replica(port int, refuse string) *replica { return l.serve(l.attach(port), refuse) }

func (l *lab) serve(dev *roce.Device, refuse string) *replica {
	r := &replica{dev: dev, gone: make(chan struct{}, 100)}
	var err error
	r.mr, err = r.dev.RegisterMemory(make([]byte, 5000), verbs.LocalWrite|verbs.RemoteWrite)
	require.NoError(l.t, err)
	ln, err := r.dev.Listen(replicaPort)
	require.NoError(l.t, err)
	secret := l.secret
	guard := proof.NewGuard(secret)
	go func() {
		for {
			req, err := ln.Accept(l.ctx)
			if err != nil {
				return
			}
			var x *rdmaprivate.Exchange
			answers := r.answers.Load()
			if secret.Token != 0 && answers == nil {
				m, err := rdmaprivate.ParseRequest(req.Private())
				if err == nil {
					x, err = guard.Check(&m, req.RemoteAddr(), r.dev.Addr())
				}
				if err != nil {
					_ = req.Reject(28, rdmaprivate.Refuse(m.Slot, err))
					continue
				}
			}
			if refuse != "" {
				_ = req.Reject(28, rdmaprivate.Refusal{Slot: rdmaprivate.NoSlot, Text: refuse}.Append(nil))
				continue
			}
			qp, err := r.dev.CreateQP(roce.QPConfig{Access: verbs.RemoteWrite})
			if err != nil {
				return
			}
			go func() {
				reply, err := x.Reply(rdmaprivate.Region{VA: r.mr.Addr(), RKey: r.mr.Key(), Size: uint64(r.mr.Len())}.Append(nil))
				if err != nil {
					panic(err)
				}
				if answers != nil {
					reply = (*answers)(reply)
				}
				c, err := req.Accept(l.ctx, qp, reply)
				if err != nil {
					return
				}
				<-c.Done()
				c.Close()
				r.gone <- struct{}{}
			}()
		}
	}()
	return r
}

func (r *replica) content(n int) string {
	b := make([]byte, n)
	_, _ = r.mr.ReadAt(b, 0)
	return string(b)
}

// leader is a connection through the switch.
type leader struct {
	t      testing.TB
	ctx    context.Context
	conn   *roce.Conn
	region rdmaprivate.Region
}

func (l *lab) dial(d *roce.Device, policy rdmaprivate.Policy, replicas ...string) (*leader, error) {
	r := rdmaprivate.Request{Form: rdmaprivate.FormGroup, Policy: policy, LeaderID: 1, Term: 1, Port: replicaPort}
	for _, a := range replicas {
		r.Replicas = append(r.Replicas, netip.MustParseAddr(a))
	}
	c, err := proof.Dial(l.secret, &r, d.Addr(), labSwitchIP.Netip(), func(private []byte) (*roce.Conn, error) {
		qp, err := d.CreateQP(roce.QPConfig{AckTimeout: 200 * time.Millisecond})
		require.NoError(l.t, err)
		return d.Dial(l.ctx, netip.AddrPortFrom(labSwitchIP.Netip(), 1), qp, private)
	})
	if err != nil {
		return nil, err
	}
	ld := &leader{t: l.t, ctx: l.ctx, conn: c}
	ld.region, err = rdmaprivate.ParseRegion(c.Private())
	require.NoError(l.t, err)
	return ld, nil
}

// write sends data to offset 0 of every replica, and returns how it ended.
func (ld *leader) write(data string, rkey uint32) verbs.Status {
	n, err := ld.conn.QP().PostSend(verbs.SendWR{Op: verbs.OpWrite, Local: []byte(data), VA: ld.region.VA, RKey: rkey})
	require.NoError(ld.t, err)
	require.Equal(ld.t, 1, n)
	comps := make([]verbs.Completion, 1)
	for {
		if ld.conn.QP().SendCQ().Poll(comps) == 1 {
			return comps[0].Status
		}
		require.NoError(ld.t, ld.conn.QP().SendCQ().Wait(ld.ctx))
	}
}

// empty waits until the switch holds nothing of any group.
func (l *lab) empty() {
	l.t.Helper()
	var left string
	require.Eventually(l.t, func() bool {
		left = ""
		for _, table := range []string{names.TableQP, names.TableEndpoint, names.TableLeader, names.TableRegion} {
			list, err := l.client.ReadTable(l.ctx, l.info, table)
			if err != nil || len(list) > 0 {
				left += fmt.Sprintf("%s: %v %v; ", table, list, err)
			}
		}
		groups, err := l.client.ReadGroups(l.ctx)
		if err != nil || len(groups) > 0 {
			left += fmt.Sprintf("multicast: %v %v", groups, err)
		}
		return left == ""
	}, 20*time.Second, 2*time.Millisecond, "left on the switch: %s", &left)
}

func TestGroupEndToEnd(t *testing.T) {
	l := newLab(t)
	l.controller(nil)
	groupEndToEnd(t, l)
}

// TestGroupOverPipes is the same with ports on two pipes of a chip.
func TestGroupOverPipes(t *testing.T) {
	l := newChip(t, twoPipes)
	stop := l.controller(func(c *Config) {
		onTwoPipes(t, c)
		c.Ports = []uint16{8, 9}
	})
	dev := l.attach(9)
	l.replica(8, "")
	_, err := l.dial(dev, rdmaprivate.PolicyAll, "10.0.0.8")
	var rej *roce.RejectedError
	require.ErrorAs(t, err, &rej)
	why, err := rdmaprivate.ParseRefusal(rej.Private)
	require.NoError(t, err)
	require.Contains(t, why.Text, "[one pipe, or p4ce controller --gather egress]")
	stop()
	l.controller(func(c *Config) {
		onTwoPipes(t, c)
		c.GatherInEgress = true
	})
	groupEndToEnd(t, l)
}

func groupEndToEnd(t *testing.T, l *lab) {
	admin := NewAdminClient(l.admin)
	dev := l.attach(1)
	replicas := []*replica{l.replica(2, ""), l.replica(3, ""), l.replica(4, "")}
	for _, policy := range []rdmaprivate.Policy{rdmaprivate.PolicyQuorum, rdmaprivate.PolicyAll} {
		ld, err := l.dial(dev, policy, "10.0.0.2", "10.0.0.3", "10.0.0.4")
		require.NoError(t, err)
		require.Equal(t, uint64(0), ld.region.VA)
		require.Equal(t, uint64(4096), ld.region.Size, "5000 rounded down")
		for i := range 20 {
			text := fmt.Sprintf("%v record %d", policy, i)
			require.Equal(t, verbs.StatusOK, ld.write(text, ld.region.RKey))
			if policy == rdmaprivate.PolicyAll {
				for _, r := range replicas {
					require.Equal(t, text, r.content(len(text)), "acknowledged: everybody has it")
				}
			}
		}
		groups, err := admin.Groups(l.ctx)
		require.NoError(t, err)
		require.Len(t, groups, 1)
		require.Equal(t, "running", groups[0].Phase)
		require.Equal(t, policy.String(), groups[0].Policy)
		g, err := admin.Group(l.ctx, "-", int(groups[0].Index))
		require.NoError(t, err)
		require.Equal(t, uint64(20), g.Counters.Scattered)
		require.NoError(t, ld.conn.Close())
		for _, r := range replicas {
			<-r.gone // a DREQ for everybody
		}
		l.empty()
	}
	st, err := admin.Status(l.ctx)
	require.NoError(t, err)
	require.True(t, st.Switches[0].InControl)
	own, err := StatusOf(&st.Switches[0])
	require.NoError(t, err)
	learned := slices.DeleteFunc(own.Hosts, func(h HostInfo) bool { return h.Port > 4 }) // others may still be known
	require.Len(t, learned, 4, "all learned")
	require.Equal(t, map[int]string{0: "ingress", 2: "egress"}[l.chip.Pipes], own.Gather)
	require.Equal(t, uint64(2), own.Stats.Formed)
	l.records(0)

	_, err = admin.Group(l.ctx, "-", 99)
	require.ErrorContains(t, err, "group 99: does not exist on switch s1")
	_, err = admin.Group(l.ctx, "nobody", 1)
	require.ErrorContains(t, err, `switch "nobody"`)
	require.Contains(t, metrics(t, l), `p4ce_controller_group_events_total{event="formed",switch="s1"} 2`)
	require.Contains(t, metrics(t, l), `p4ce_controller_packet_ins_total{reason="cm",switch="s1"}`)
}

func metrics(t *testing.T, l *lab) string {
	text, err := NewAdminClient(l.admin).Metrics(l.ctx)
	require.NoError(t, err)
	return text
}

// TestWrongKey: a WRITE with another key than the group's reaches nobody, and
// fails at once with the right status.
func TestWrongKey(t *testing.T) {
	l := newLab(t)
	l.controller(nil)
	dev, r := l.attach(1), l.replica(2, "")
	ld, err := l.dial(dev, rdmaprivate.PolicyQuorum, "10.0.0.2")
	require.NoError(t, err)
	require.Equal(t, verbs.StatusOK, ld.write("good", ld.region.RKey))
	require.Equal(t, verbs.StatusRemoteAccess, ld.write("evil", ld.region.RKey+1))
	require.Equal(t, "good", r.content(4))
	require.NoError(t, ld.conn.Close())
	<-r.gone
	l.empty()
}

// TestReplicaFails: a replica that has withdrawn its memory refuses the leader's
// WRITE; the leader learns it at once, the controller through a digest.
func TestReplicaFails(t *testing.T) {
	l := newLab(t)
	l.controller(nil)
	dev, bad := l.attach(1), l.replica(2, "")
	l.replica(3, "")
	ld, err := l.dial(dev, rdmaprivate.PolicyAll, "10.0.0.2", "10.0.0.3")
	require.NoError(t, err)
	require.Equal(t, verbs.StatusOK, ld.write("one", ld.region.RKey))
	bad.dev.DeregisterMemory(bad.mr)
	require.Equal(t, verbs.StatusRemoteAccess, ld.write("two", ld.region.RKey))
	<-bad.gone // its queue pair is in error, so it disconnects, which ends the group
	l.empty()
	require.Eventually(t, func() bool {
		return strings.Contains(metrics(t, l), `p4ce_controller_group_events_total{event="nak",switch="s1"} 1`)
	}, 20*time.Second, 2*time.Millisecond)
	require.NoError(t, ld.conn.Close())
}

func TestReplicaRefuses(t *testing.T) {
	l := newLab(t)
	l.controller(nil)
	dev, ok := l.attach(1), l.replica(2, "")
	l.replica(3, "term 1 is over")
	_, err := l.dial(dev, rdmaprivate.PolicyQuorum, "10.0.0.2", "10.0.0.3")
	var rej *roce.RejectedError
	require.ErrorAs(t, err, &rej)
	why, err := rdmaprivate.ParseRefusal(rej.Private)
	require.NoError(t, err)
	require.Equal(t, rdmaprivate.Refusal{Slot: 1, Text: "replica 1 (10.0.0.3) refused: term 1 is over"}, why)
	// Nobody listens on the second server's port, and nobody is at 10.0.0.5.
	_, err = l.dial(dev, rdmaprivate.PolicyQuorum, "10.0.0.1")
	require.ErrorAs(t, err, &rej)
	l.empty()
	require.Empty(t, ok.gone, "it was never connected")
}

// TestReplicaSilent: a replica that does not exist is given up in time.
func TestReplicaSilent(t *testing.T) {
	l := newLab(t)
	l.controller(func(s *Config) { s.Group.SetupTimeout = 300 * time.Millisecond })
	dev := l.attach(1)
	_, err := l.dial(dev, rdmaprivate.PolicyQuorum, "10.0.0.5")
	var rej *roce.RejectedError
	require.ErrorAs(t, err, &rej)
	why, err := rdmaprivate.ParseRefusal(rej.Private)
	require.NoError(t, err)
	require.Contains(t, why.Text, "replica 0 (10.0.0.5) has not answered")
	l.empty()
}

// TestManyGroups: groups that form, work and end in parallel.
func TestManyGroups(t *testing.T) {
	l := newLab(t)
	l.controller(nil)
	dev := l.attach(1)
	l.replica(2, "")
	l.replica(3, "")
	const n = 32
	var wg sync.WaitGroup
	leaders := make([]*leader, n)
	errs := make([]error, n)
	for i := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			leaders[i], errs[i] = l.dial(dev, rdmaprivate.PolicyQuorum, "10.0.0.2", "10.0.0.3")
		}()
	}
	wg.Wait()
	for i := range n {
		require.NoError(t, errs[i], i)
		require.Equal(t, verbs.StatusOK, leaders[i].write("hello", leaders[i].region.RKey))
	}
	groups, err := NewAdminClient(l.admin).Groups(l.ctx)
	require.NoError(t, err)
	require.Len(t, groups, n)
	for _, ld := range leaders {
		require.NoError(t, ld.conn.Close())
	}
	l.empty()
}

// TestControllerRestart: a group runs on without a controller, is taken over by
// the next one, and is dissolved by it like any other.
func TestControllerRestart(t *testing.T) {
	t.Run("ingress", func(t *testing.T) { controllerRestart(t, newLab(t), nil) })
	t.Run("egress", func(t *testing.T) {
		controllerRestart(t, newChip(t, twoPipes), func(c *Config) {
			onTwoPipes(t, c)
			c.GatherInEgress = true
		})
	})
}

func controllerRestart(t *testing.T, l *lab, change func(*Config)) {
	stop := l.controller(change)
	dev, r := l.attach(1), l.replica(2, "")
	ld, err := l.dial(dev, rdmaprivate.PolicyAll, "10.0.0.2")
	require.NoError(t, err)
	require.Equal(t, verbs.StatusOK, ld.write("one", ld.region.RKey))
	stop()
	require.Equal(t, verbs.StatusOK, ld.write("two", ld.region.RKey), "without a controller")

	// What a controller leaves behind that dies in the middle of an install.
	half := &group.Plan{
		Index: 77, Switch: labSwitchIP, BCastQP: 0x777, RKey: 7, Size: 4096, Needed: 1,
		Leader: group.Endpoint{Addr: wire.Addr{10, 0, 0, 7}, QPN: 1, Host: group.Host{Port: 1}},
		Slots:  []group.Slot{{Endpoint: group.Endpoint{Addr: wire.Addr{10, 0, 0, 8}, QPN: 2, Host: group.Host{Port: 2}}, AggrQP: 0x778}},
	}
	l.asPrimary(func(c *p4rtclient.Client, r *tables) {
		u, err := r.install(half)
		require.NoError(t, err)
		require.NoError(t, c.Write(l.ctx, u[:len(u)-1]...))
	})

	l.controller(change)
	admin := NewAdminClient(l.admin)
	groups, err := admin.Groups(l.ctx)
	require.NoError(t, err)
	require.Len(t, groups, 1)
	require.True(t, groups[0].Adopted)
	require.Equal(t, "all", groups[0].Policy)
	require.Equal(t, verbs.StatusOK, ld.write("three", ld.region.RKey))
	require.Equal(t, "three", r.content(5))
	second, err := l.dial(dev, rdmaprivate.PolicyQuorum, "10.0.0.2") // new ones next to it
	require.NoError(t, err)
	require.Equal(t, verbs.StatusOK, second.write("four", second.region.RKey))
	require.NoError(t, second.conn.Close())
	<-r.gone
	require.NoError(t, ld.conn.Close())
	<-r.gone
	l.empty()
	l.records(0)
}

// records waits until the store has so many records of groups.
func (l *lab) records(n int) (records []group.Record) {
	l.t.Helper()
	require.Eventually(l.t, func() bool {
		var err error
		records, err = l.store.Load("s1") // an error: one has gone meanwhile
		return err == nil && len(records) == n
	}, 2*time.Minute, time.Millisecond)
	return records
}

// asPrimary does something on the switch as its primary, between controllers.
func (l *lab) asPrimary(fn func(*p4rtclient.Client, *tables)) {
	c, err := p4rtclient.New(p4rtclient.Options{Address: l.addr})
	require.NoError(l.t, err)
	defer c.Close()
	ctx, cancel := context.WithCancel(l.ctx)
	primary, done := make(chan bool, 1), make(chan error, 1)
	go func() {
		done <- c.Run(ctx, p4rtclient.Handler{Mastership: func(_ context.Context, p bool) { primary <- p }})
	}()
	require.True(l.t, <-primary)
	fn(c, &tables{info: l.info, mac: labSwitchMAC, wiring: &Wiring{}})
	cancel()
	<-done
}

// TestSwitchRestart: a switch that comes back empty has lost its groups; the
// controller tells the servers, and forms new ones.
func TestSwitchRestart(t *testing.T) {
	l := newLab(t)
	l.controller(nil)
	dev, r := l.attach(1), l.replica(2, "")
	ld, err := l.dial(dev, rdmaprivate.PolicyQuorum, "10.0.0.2")
	require.NoError(t, err)
	require.Equal(t, verbs.StatusOK, ld.write("one", ld.region.RKey))
	l.stopSwitch() // its ports go with it: the servers are cut off
	l.startSwitch(l.addr)
	admin := NewAdminClient(l.admin)
	require.Eventually(t, func() bool {
		st, err := admin.Status(l.ctx)
		if err != nil || !st.Switches[0].InControl {
			return false
		}
		own, err := StatusOf(&st.Switches[0])
		return err == nil && own.Groups == 0
	}, 20*time.Second, 2*time.Millisecond)
	l.empty()
	l.records(0)
	_ = r

	dev = l.attach(4)
	l.replica(5, "")
	ld, err = l.dial(dev, rdmaprivate.PolicyQuorum, "10.0.0.5")
	require.NoError(t, err)
	require.Equal(t, verbs.StatusOK, ld.write("two", ld.region.RKey))
}

// TestHostsTalk: servers reach each other through the switch as through any
// router, and the switch answers pings.
func TestHostsTalk(t *testing.T) {
	l := newLab(t)
	l.controller(nil)
	a, b := l.attach(1), l.replica(2, "")
	// a is learned when it speaks to the switch; b by the ARP that follows the
	// first packet to it, which is lost.
	_, err := l.dial(a, rdmaprivate.PolicyQuorum, "10.0.0.2")
	require.NoError(t, err)
	qp, err := a.CreateQP(roce.QPConfig{})
	require.NoError(t, err)
	c, err := a.Dial(l.ctx, netip.MustParseAddrPort("10.0.0.2:4000"), qp, nil)
	require.NoError(t, err)
	region, err := rdmaprivate.ParseRegion(c.Private())
	require.NoError(t, err)
	ld := &leader{t: t, ctx: l.ctx, conn: c, region: region}
	require.Equal(t, verbs.StatusOK, ld.write("direct", region.RKey))
	require.Equal(t, "direct", b.content(6))

	list, err := l.client.ReadTable(l.ctx, l.info, names.TableL3)
	require.NoError(t, err)
	require.Len(t, list, 2)
}

// TestPuntsAreLimited: when the controller has taken a switch over, a port that sends too much to
// it loses that, and another does not.
func TestPuntsAreLimited(t *testing.T) {
	l := newLab(t)
	l.controller(nil)
	frame := func(from byte) []byte {
		f := make([]byte, 60)
		copy(f, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, from, 0x08, 0x06})
		return f
	}
	limited := func(i int) uint64 {
		v, err := l.client.ReadCounter(l.ctx, l.info, names.CounterLimited, i)
		require.NoError(t, err)
		return v[0].Packets
	}
	// The meter's clock is that of the switch: what comes at once is a burst and what the rate
	// gives meanwhile.
	const burst = session.DefaultPuntRate
	start := time.Now()
	for range 3 * burst {
		_, err := l.target.Inject(2, frame(2))
		require.NoError(t, err)
	}
	_, err := l.target.Inject(3, frame(3))
	require.NoError(t, err)
	passed := 3*burst - limited(2)
	require.GreaterOrEqual(t, passed, uint64(burst))
	require.LessOrEqual(t, passed, burst+uint64(time.Since(start).Seconds()*burst)+1)
	require.Zero(t, limited(3))
}

// TestHostIsForgotten: the entries of a host that no longer answers leave the switch.
func TestHostIsForgotten(t *testing.T) {
	t.Parallel()
	long.Test(t)
	l := newLab(t)
	l.controller(func(c *Config) { c.HostAge = time.Millisecond })
	routes := func() (n int) {
		for _, table := range []string{names.TableL3, names.TableL2} {
			list, err := l.client.ReadTable(l.ctx, l.info, table)
			require.NoError(t, err)
			for _, e := range list {
				if !e.Default && e.Action != names.ActionRouter {
					n++
				}
			}
		}
		return n
	}
	require.Zero(t, routes())
	announce := append([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 9, 0x08, 0x06, 0, 1, 8, 0, 6, 4, 0, 1},
		2, 0, 0, 0, 0, 9, 10, 0, 0, 9, 0, 0, 0, 0, 0, 0, 10, 0, 0, 9)
	sw, host := hub.Cable(16)
	require.NoError(t, l.target.AddLink(2, "host", sw))
	host.Send(append(append(host.Buffer(), announce...), make([]byte, 18)...))
	require.NoError(t, host.Flush())
	require.Eventually(t, func() bool { return routes() == 2 }, 20*time.Second, 5*time.Millisecond, "learned")
	require.Eventually(t, func() bool { return routes() == 0 }, 30*time.Second, 20*time.Millisecond, "forgotten")
}
