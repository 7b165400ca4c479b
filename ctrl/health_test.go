package ctrl_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/systems/l2/control"
)

// TestHealthOfSwitch: a controller whose switch does not answer says so.
func TestHealthOfSwitch(t *testing.T) {
	d := newDevice(t)
	app, err := control.New(control.Config{Ports: []uint16{1, 2}})
	require.NoError(t, err)
	ctx, client := run(t, ctrl.SwitchConfig{Name: "s", App: app, P4RT: p4rtclient.Options{Address: d.addr}})
	require.NoError(t, client.Health(ctx))
	d.grpc.Stop()
	require.ErrorContains(t, client.Health(ctx), "switch s: does not answer")
	_, err = client.Status(ctx)
	require.NoError(t, err)
}

// TestOutOfLine: a controller that cannot reach etcd, and so could not take over, says so, whether it was the primary or not.
func TestOutOfLine(t *testing.T) {
	long.Test(t)
	etcd, dir := newEtcd(t)
	d := newDevice(t)
	a := newPeer(t, d, "a", etcd, dir)
	a.serves(true, "a")
	b := newPeer(t, d, "b", etcd, dir)
	b.serves(false, "a")
	for _, p := range []*peer{a, b} {
		require.NoError(t, p.Health(t.Context()))
		p.proxy.Cut()
	}
	for _, p := range []*peer{a, b} {
		require.Eventually(t, func() bool {
			err := p.Health(t.Context())
			return err != nil && strings.Contains(err.Error(), "unit s: this controller has not been a candidate for")
		}, time.Minute, 10*time.Millisecond)
		p.proxy.Heal()
	}
	for _, p := range []*peer{a, b} {
		require.Eventually(t, func() bool { return p.Health(t.Context()) == nil }, time.Minute, 10*time.Millisecond)
	}
}
