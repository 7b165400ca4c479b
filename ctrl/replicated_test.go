package ctrl_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/server/v3/embed"

	"github.com/p4ce/p4ce/ctrl"
	"github.com/p4ce/p4ce/ctrl/admin"
	"github.com/p4ce/p4ce/ctrl/hosts"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/store"
	"github.com/p4ce/p4ce/ctrl/store/embedded"
	"github.com/p4ce/p4ce/ctrl/store/storetest"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/control"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
)

// peer is one of several controllers of a switch.
type peer struct {
	*control.AdminClient
	t     *testing.T
	proxy *storetest.Proxy // between it and etcd
	kill  func()           // ends it; what it had open is closed
	// records are those of its last term.
	records chan store.Records
}

// newEtcd starts an etcd server, and returns where it is and a folder.
func newEtcd(t *testing.T, options ...func(*embed.Config)) (endpoint, dir string) {
	dir, err := os.MkdirTemp("", "p4ce-ctrl-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	e, err := embedded.Start(filepath.Join(dir, "etcd"), nil, options...)
	require.NoError(t, err)
	t.Cleanup(e.Close)
	return e.Endpoint, dir
}

// newPeer runs a controller; it is ready when it has the switch, or knows who has.
func newPeer(t *testing.T, d *device, name, etcd, dir string) *peer {
	p := &peer{t: t, proxy: storetest.NewProxy(t, filepath.Join(dir, name+".etcd"), etcd), records: make(chan store.Records, 100)}
	kept, err := store.Open(t.Context(), store.Options{Endpoints: []string{p.proxy.Endpoint}, Name: name, TTL: time.Second})
	require.NoError(t, err)
	addr := "unix:" + filepath.Join(dir, name+".admin")
	p.AdminClient = control.NewAdminClient(addr)
	unit := ctrl.Unit{Name: "s", Make: func(_ context.Context, r store.Records) ([]ctrl.SwitchConfig, func(), error) {
		app, err := control.New(control.Config{MAC: wire.MAC{2, 0, 0, 0, 0, 0xfe}, IPs: []wire.Addr{{10, 0, 0, 254}},
			Hosts: []hosts.Host{{IP: wire.Addr{10, 0, 0, 2}, MAC: wire.MAC{2, 0, 0, 0, 0, 2}, Port: 2}}, Store: control.NewKeptStore(r)})
		p.records <- r
		return []ctrl.SwitchConfig{{Name: "s", App: app, P4RT: p4rtclient.Options{Address: d.addr, BackoffMin: time.Millisecond, BackoffMax: 20 * time.Millisecond}}}, nil, err
	}}
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() {
		done <- ctrl.Run(ctx, ctrl.Config{Admin: addr, Ready: func() { close(ready) }, Replicated: &ctrl.Replicated{Store: kept, Units: []ctrl.Unit{unit}}})
	}()
	p.kill = func() { cancel() }
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-done)
		kept.Close()
	})
	select {
	case <-ready:
	case <-time.After(time.Minute):
		t.Fatal("the controller is not ready")
	}
	return p
}

// serves waits until the controller says that it serves the switch, or that another does.
func (p *peer) serves(here bool, who string) {
	p.t.Helper()
	var st *admin.Status
	require.Eventually(p.t, func() bool {
		var err error
		st, err = p.Status(context.Background())
		return err == nil && st.Units[0].Here == here && st.Units[0].Holder == who && len(st.Switches) == 1 && st.Switches[0].InControl == here
	}, 3*time.Minute, 2*time.Millisecond, "%s: %+v", who, st)
}

func (p *peer) make(name string, port uint16) error {
	return p.CreateGroup(context.Background(), "s", group.Static{Name: name, Port: port, Policy: "all", Receivers: []group.Receiver{{Addr: wire.Addr{10, 0, 0, 2}.Netip(), Port: 7471}}})
}

// TestStandby: one controller serves the switch, the other one says who does. When the first one dies, without
// having told etcd, the second one takes over what it left, before the lease has expired.
func TestStandby(t *testing.T) {
	etcd, dir := newEtcd(t)
	d := newDevice(t)
	a := newPeer(t, d, "a", etcd, dir)
	a.serves(true, "a")
	b := newPeer(t, d, "b", etcd, dir)
	b.serves(false, "a")
	require.NoError(t, a.make("before", 1))
	err := b.make("elsewhere", 2)
	require.ErrorContains(t, err, `this controller is a standby: controller "a" serves s now [ask there]`)
	_, err = b.Groups(t.Context())
	require.ErrorContains(t, err, "is a standby")
	text, err := b.Metrics(t.Context())
	require.NoError(t, err)
	require.Contains(t, text, `p4ce_controller_office_held{unit="s"} 0`)
	st, err := b.Status(t.Context())
	require.NoError(t, err)
	require.True(t, st.Switches[0].Connected)
	require.False(t, st.Switches[0].Primary)

	a.proxy.Cut()
	a.kill()
	b.serves(true, "b")
	list, err := b.StaticGroups(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, "before", list[0].Name)
	require.NoError(t, b.make("after", 2))
	text, err = b.Metrics(t.Context())
	require.NoError(t, err)
	require.Contains(t, text, `p4ce_controller_office_held{unit="s"} 1`)
}

// TestCutFromEtcd: a controller that cannot reach etcd gives up its switch, another one takes it over, and the
// first one stands by when it can be reached again. What it would still write changes nothing.
func TestCutFromEtcd(t *testing.T) {
	long.Test(t)
	etcd, dir := newEtcd(t)
	d := newDevice(t)
	a := newPeer(t, d, "a", etcd, dir)
	b := newPeer(t, d, "b", etcd, dir)
	b.serves(false, "a")
	require.NoError(t, a.make("before", 1))
	a.proxy.Cut()
	b.serves(true, "b")
	require.Eventually(t, func() bool {
		st, err := a.Status(t.Context())
		return err == nil && !st.Units[0].Here && !st.Switches[0].InControl
	}, time.Minute, 2*time.Millisecond)
	require.ErrorContains(t, a.make("late", 3), "is a standby: no controller serves s now")
	require.NoError(t, b.make("after", 2))
	<-a.records // of the trial
	old := <-a.records
	a.proxy.Heal()
	require.ErrorIs(t, old.Put("rdma/s/made/late", []byte("{}")), store.ErrLost)
	a.serves(false, "b")
	list, err := b.StaticGroups(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 2)
	b.kill() // in order: it steps down
	a.serves(true, "a")
	list, err = a.StaticGroups(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 2, "and what b has made is there")
}

// TestNothingOfOthers: controllers without a unit, or with one twice, are refused.
func TestNothingOfOthers(t *testing.T) {
	_, err := ctrl.New(ctrl.Config{Replicated: &ctrl.Replicated{}})
	require.ErrorContains(t, err, "controller: no unit")
}
