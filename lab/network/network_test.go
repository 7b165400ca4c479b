package network

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/lab/launch"
)

// TestLeafSpine: what is wired to what, and who has which address, in racks, in a row and with plain spines.
func TestLeafSpine(t *testing.T) {
	wired, at, err := LeafSpine{Leaves: 2, Spines: 1, Hosts: 2}.Build()
	require.NoError(t, err)
	require.Equal(t, []string{"s0", "l0", "l1"}, wired.Switches())
	require.Equal(t, []Cable{{"l0", "31", "s0", "1"}, {"l1", "31", "s0", "2"}, {"l0", "1", "h1", ""}, {"l0", "2", "h2", ""}, {"l1", "1", "h3", ""}, {"l1", "2", "h4", ""}}, cables(wired))
	require.Equal(t, netip.MustParseAddr("10.0.0.4"), at["h4"].IP)
	require.Equal(t, "02:66:00:00:00:f1", at["l1"].MAC.String())
	require.Equal(t, 1, wired.Level("s0"))
	require.Len(t, at, 7)

	wired, at, err = LeafSpine{Leaves: 3, Hosts: 1}.Build()
	require.NoError(t, err)
	require.Equal(t, []Cable{{"l0", "32", "l1", "31"}, {"l1", "32", "l2", "31"}, {"l0", "1", "h1", ""}, {"l1", "1", "h2", ""}, {"l2", "1", "h3", ""}}, cables(wired))
	require.True(t, at["l0"].IP.IsValid())

	wired, at, err = LeafSpine{Leaves: 1, Spines: 2, Hosts: 1, Plain: true}.Build()
	require.NoError(t, err)
	require.True(t, wired.Plain("s1") && !wired.Plain("l0"))
	require.Equal(t, Address{MAC: net.HardwareAddr{2, 0x66, 0, 0, 0, 251}}, at["s1"], "nothing is sent to it")

	for _, s := range []LeafSpine{{}, {Leaves: 11, Hosts: 1}, {Leaves: 1, Spines: 5, Hosts: 1}, {Leaves: 1, Hosts: Uplink}, {Leaves: 10, Hosts: 24}} {
		_, _, err := s.Build()
		require.ErrorContains(t, err, "at most", "%v", s)
	}
}

// TestNamespaces: four hosts in namespaces behind two leaves and a spine, here all ordinary routers, reach one another; not
// over a link that is down, or cut; a program on a host is killed alone.
func TestNamespaces(t *testing.T) {
	needs.Root(t, "network namespaces")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	wired, at, err := LeafSpine{Leaves: 2, Spines: 1, Hosts: 2}.Build()
	require.NoError(t, err)
	require.NoError(t, wired.SetPlain("l0", "l1", "s0"))
	hosts := []string{"h1", "h2", "h3", "h4"}
	n, err := Start(ctx, wired, Options{Binary: "/bin/sh", Dir: t.TempDir(), Target: "xdp", Addresses: at, Namespaces: hosts, Bad: map[string]Rates{"l0-s0": {}, "l1-h4": {}}})
	t.Cleanup(n.Close)
	require.NoError(t, err)
	for _, a := range hosts {
		for _, b := range hosts {
			if a != b {
				require.NoError(t, reach(ctx, n, a, b), "%s to %s", a, b)
			}
		}
	}
	lost := func(from, to string) {
		t.Helper()
		soon, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
		defer cancel()
		require.Error(t, reach(soon, n, from, to))
		require.NoError(t, reach(ctx, n, "h1", "h2"), "they have the leaf in common")
	}
	for link, way := range map[string][2]string{"l0-s0": {"h1", "h3"}, "l1-h4": {"h3", "h4"}} {
		n.BadLink(link).Cut(true)
		lost(way[0], way[1])
		n.BadLink(link).Cut(false)
		require.NoError(t, reach(ctx, n, way[0], way[1]))
	}
	require.NoError(t, n.SetPort("l1", "h3", false))
	lost("h4", "h3")

	p, err := n.Runner.Start(launch.Options{Name: "on h4", Host: n.Host("h4"), Args: []string{"-c", `echo '{"event":"ready"}'; ls /sys/class/net >&2; read x`}})
	require.NoError(t, err)
	q, err := n.Runner.Start(launch.Options{Name: "on h1", Host: n.Host("h1"), Args: []string{"-c", `echo '{"event":"ready"}'; read x`}})
	require.NoError(t, err)
	require.NoError(t, p.AwaitReady(ctx))
	require.NoError(t, q.AwaitReady(ctx))
	p.Kill()
	require.True(t, q.Running())
	n.Close()
	require.False(t, q.Running(), "it ends with the network")
}

// reach has one host send packets to another until one has arrived there, or ctx ends.
func reach(ctx context.Context, n *Network, from, to string) error {
	var in, out net.PacketConn
	listen := func(c *net.PacketConn, at string) error {
		return n.Lab().InHost(n.Host(at), func() (err error) {
			*c, err = net.ListenPacket("udp4", ":0")
			return err
		})
	}
	if err := listen(&in, to); err != nil {
		return err
	}
	defer in.Close()
	if err := listen(&out, from); err != nil {
		return err
	}
	defer out.Close()
	for ctx.Err() == nil {
		_, _ = out.WriteTo([]byte("x"), &net.UDPAddr{IP: n.Host(to).IP.AsSlice(), Port: in.LocalAddr().(*net.UDPAddr).Port})
		_ = in.SetReadDeadline(time.Now().Add(5 * time.Millisecond))
		if _, who, err := in.ReadFrom(make([]byte, 1)); err == nil {
			if got := who.(*net.UDPAddr).AddrPort().Addr().Unmap(); got != n.Host(from).IP {
				return fmt.Errorf("a packet of %v", got)
			}
			return nil
		}
	}
	return fmt.Errorf("nothing of %s arrives at %s: %w", from, to, ctx.Err())
}
