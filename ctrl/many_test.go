package ctrl_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/p4ce/p4ce/ctrl"
	"github.com/p4ce/p4ce/ctrl/admin"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/session"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/agent"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/p4rt"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/l2/control"
	rdmacontrol "github.com/p4ce/p4ce/systems/rdma/control"
)

// device is a switch: the interpreter behind a P4Runtime server.
type device struct {
	target *interp.Target
	server *p4rt.Server
	grpc   *grpc.Server
	addr   string
}

func newDevice(t *testing.T) *device {
	d := &device{target: interp.New(interp.Options{})}
	var err error
	d.server, err = p4rt.New(p4rt.Options{Target: d.target, Compile: agent.Compile})
	require.NoError(t, err)
	d.grpc = d.server.GRPC(p4rt.Access{})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	d.addr = ln.Addr().String()
	go d.grpc.Serve(ln) //nolint:errcheck // ends with Stop
	t.Cleanup(func() {
		d.server.Close()
		d.grpc.Stop()
		d.target.Close()
	})
	return d
}

// run runs a controller until the test ends, and returns a client of its admin API.
func run(t *testing.T, switches ...ctrl.SwitchConfig) (context.Context, *admin.Client) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	addr := "unix:" + filepath.Join(t.TempDir(), "admin.sock")
	ready, done := make(chan struct{}), make(chan error, 1)
	for i := range switches {
		switches[i].P4RT.BackoffMin, switches[i].P4RT.BackoffMax = time.Millisecond, 20*time.Millisecond
	}
	go func() {
		done <- ctrl.Run(ctx, ctrl.Config{Switches: switches, Admin: addr, Ready: func() { close(ready) }})
	}()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-done)
	})
	select {
	case <-ready:
	case <-ctx.Done():
		t.Fatal("the controller is not ready")
	}
	return ctx, admin.NewClient(addr)
}

// TestManySwitches: one controller drives switches of several programs, each with its
// own application; what happens on one is that one's.
func TestManySwitches(t *testing.T) {
	a, b, c := newDevice(t), newDevice(t), newDevice(t)
	newL2 := func() session.App {
		app, err := control.New(control.Config{Ports: []uint16{1, 2}})
		require.NoError(t, err)
		return app
	}
	groups, err := rdmacontrol.New(rdmacontrol.Config{MAC: wire.MAC{2, 0, 0, 0, 0, 0xfe}, IPs: []wire.Addr{{10, 0, 0, 254}}})
	require.NoError(t, err)
	ctx, client := run(t,
		ctrl.SwitchConfig{Name: "a", P4RT: p4rtclient.Options{Address: a.addr}, App: newL2()},
		ctrl.SwitchConfig{Name: "b", P4RT: p4rtclient.Options{Address: b.addr}, App: newL2()},
		ctrl.SwitchConfig{Name: "c", P4RT: p4rtclient.Options{Address: c.addr}, App: groups})

	st, err := client.Status(ctx)
	require.NoError(t, err)
	var programs []string
	for _, sw := range st.Switches {
		require.True(t, sw.InControl)
		programs = append(programs, sw.Name+" "+sw.Program)
	}
	require.Equal(t, []string{"a l2", "b l2", "c rdma"}, programs)

	frame := append([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 7, 0x88, 0xb5}, make([]byte, 46)...)
	known := func(path string) (out []control.Address) {
		require.NoError(t, client.Get(ctx, path, &out))
		return out
	}
	learned := func(d *device, port uint16, want ...control.Address) {
		t.Helper()
		_, err := d.target.Inject(dataplane.Port(port), frame)
		require.NoError(t, err)
		require.Eventually(t, func() bool { return fmt.Sprint(known("/v1/addresses")) == fmt.Sprint(want) }, 30*time.Second, 2*time.Millisecond)
	}
	at := func(sw string, port uint16) control.Address {
		return control.Address{Switch: sw, MAC: "02:00:00:00:00:07", Port: port}
	}
	learned(a, 1, at("a", 1))
	learned(b, 2, at("a", 1), at("b", 2))
	learned(b, 1, at("a", 1), at("b", 1)) // it has moved, there
	require.Equal(t, []control.Address{at("b", 1)}, known("/v1/switches/b/addresses"))

	var list []rdmacontrol.GroupInfo
	require.NoError(t, client.Get(ctx, "/v1/groups", &list), "of those switches that have groups")
	require.Empty(t, list)
	require.ErrorContains(t, client.Get(ctx, "/v1/switches/a/groups", &list), "not found")
	require.ErrorContains(t, client.Get(ctx, "/v1/nothing", &list), "/v1/nothing: not found")
	require.ErrorContains(t, client.Get(ctx, "/v1/switches/-/addresses", &list), "this controller does not drive it")
	text, err := client.Metrics(ctx)
	require.NoError(t, err)
	for _, want := range []string{
		`p4ce_controller_address_events_total{event="moved",switch="a"} 0`, `p4ce_controller_address_events_total{event="moved",switch="b"} 1`,
		`p4ce_controller_groups{phase="running",switch="c"} 0`, `p4ce_controller_switch_in_control{switch="c"} 1`,
	} {
		require.Contains(t, text, want)
	}
}

// stubborn is an application whose first attempts to read the switch back fail.
type stubborn struct {
	session.App
	fail atomic.Int32
}

func (s *stubborn) Sync(ctx context.Context, c *p4rtclient.Client) (func() error, error) {
	if s.fail.Add(-1) >= 0 {
		return nil, errors.New("not yet")
	}
	return s.App.Sync(ctx, c)
}

// TestSyncAgain: a switch that cannot be read back is tried again, and is not in the
// controller's hands before.
func TestSyncAgain(t *testing.T) {
	d := newDevice(t)
	app, err := control.New(control.Config{})
	require.NoError(t, err)
	s := &stubborn{App: app}
	s.fail.Store(1)
	ctx, client := run(t, ctrl.SwitchConfig{Name: "a", P4RT: p4rtclient.Options{Address: d.addr}, App: s})
	require.Negative(t, s.fail.Load(), "a second attempt")
	st, err := client.Status(ctx)
	require.NoError(t, err)
	require.True(t, st.Switches[0].InControl)
	text, err := client.Metrics(ctx)
	require.NoError(t, err)
	require.Contains(t, text, `p4ce_controller_switch_events_total{event="taken_over",switch="a"} 1`)
}

// TestBackup: the controller with the highest election id has the switch; the one that
// had it knows that it has not.
func TestBackup(t *testing.T) {
	d := newDevice(t)
	at := func(election uint64) p4rtclient.Options {
		return p4rtclient.Options{Address: d.addr, ElectionLow: election, BackoffMin: time.Millisecond, BackoffMax: 20 * time.Millisecond}
	}
	first, err := control.New(control.Config{})
	require.NoError(t, err)
	second, err := control.New(control.Config{})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	start := func(app session.App, election uint64, ready func()) (stop func(), addr string) {
		addr = "unix:" + filepath.Join(t.TempDir(), "admin.sock")
		own, end := context.WithCancel(ctx)
		done := make(chan error, 1)
		go func() {
			done <- ctrl.Run(own, ctrl.Config{Admin: addr, Ready: ready, Switches: []ctrl.SwitchConfig{{Name: "a", App: app, P4RT: at(election)}}})
		}()
		return func() { end(); require.NoError(t, <-done) }, addr
	}
	up := make(chan struct{})
	stop, addr := start(first, 1, func() { close(up) })
	defer stop()
	<-up
	took := make(chan struct{})
	stop2, _ := start(second, 2, func() { close(took) })
	defer stop2()
	<-took
	client := admin.NewClient(addr)
	require.Eventually(t, func() bool {
		st, err := client.Status(ctx)
		return err == nil && st.Switches[0].Connected && !st.Switches[0].Primary && !st.Switches[0].InControl
	}, 30*time.Second, 2*time.Millisecond)
}
