package agent

import (
	"net"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf/bundle"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/p4rt"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/link/oper"
)

// TestInterfaceDeleted: the controller, /healthz and the ports themselves say that an interface was deleted; with
// another one of its name the port is used again, which is counted.
func TestInterfaceDeleted(t *testing.T) {
	needs.Root(t, "network namespaces")
	l, err := lab.New(2)
	require.NoError(t, err)
	defer l.Close()
	target := interp.New(interp.Options{CPUPort: 64})
	c := Config{Target: "interp", Listen: "unix:" + filepath.Join(t.TempDir(), "s")}
	for _, h := range l.Hosts {
		c.Ports = append(c.Ports, Port{dataplane.Port(h.Port), h.PortInterface()})
	}
	require.NoError(t, c.setDefaults())
	h := newHealth()
	var w *watcher
	var s *p4rt.Server
	var unwatch func()
	require.NoError(t, l.InSwitch(func() (err error) {
		for _, p := range c.Ports {
			if err := target.AddPort(p.Number, p.Interface); err != nil {
				return err
			}
		}
		if s, err = p4rt.New(p4rt.Options{Target: target, Compile: reflector}); err != nil {
			return err
		}
		w, unwatch, err = watch(c, target, s, h)
		return err
	}))
	defer target.Close()
	defer s.Close()
	defer unwatch()
	g := s.GRPC(p4rt.Access{})
	at, err := net.Listen("unix", filepath.Join(t.TempDir(), "grpc"))
	require.NoError(t, err)
	go g.Serve(at) //nolint:errcheck // ends with Stop
	defer g.Stop()
	st := push(t, "unix:"+at.Addr().String(), bundle.Bundle{Program: "reflector", Source: "reflector"}, &p4config.P4Info{})

	second := uint32(l.Hosts[1].Port)
	told := func(want bool) {
		t.Helper()
		for {
			m, err := st.Recv()
			require.NoError(t, err)
			up, err := oper.Parse(m.GetOther())
			if err != nil {
				continue
			}
			if is, said := up[second]; said && is == want {
				return
			}
		}
	}
	healthy := func() bool { return h.look(t.Context()) == nil }
	told(true)
	for n := range uint64(3) {
		require.True(t, healthy())
		require.NoError(t, l.Unwire(l.Hosts[1]))
		told(false)
		require.Eventually(t, func() bool { return !healthy() }, 20*time.Second, time.Millisecond)
		require.NoError(t, l.Wire(l.Hosts[1]))
		require.Eventually(t, healthy, 20*time.Second, time.Millisecond)
		told(true)
		count, ok := w.reopened.Load(dataplane.Port(second))
		require.True(t, ok)
		require.Equal(t, n+1, count.(*atomic.Uint64).Load())
	}
	_, other := w.reopened.Load(dataplane.Port(l.Hosts[0].Port))
	require.False(t, other)
}
