package control

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/links"
	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/dataplane"
	verbs "github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/link/hub"
	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/cmsm"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// madeUp is a host that does not exist.
func madeUp(net byte, n int) wire.Addr { return wire.Addr{10, net, byte(n >> 8), byte(n)} }

// TestSearchesOnBehalf: what the controller has to answer to, or to ask, because somebody has said so counts as a
// search of his port: answers to senders that do not exist, and requests to replicas that do not.
func TestSearchesOnBehalf(t *testing.T) {
	for name, replicas := range map[string]int{"senders": 0, "replicas": private.MaxReplicas} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			l.controller(func(c *Config) { c.HostsPerPort = 4 })
			at := map[dataplane.Port]*hub.End{}
			for _, port := range []dataplane.Port{1, 2, 5} {
				sw, end := hub.Cable(1 << 14)
				require.NoError(t, l.target.AddLink(port, fmt.Sprint("host", port), sw))
				t.Cleanup(func() { end.Close() })
				at[port] = end
			}
			wanted, asked := wire.Addr{10, 0, 0, 7}, make(chan struct{})
			go func() {
				found := sync.OnceFunc(func() { close(asked) })
				frames := make([][]byte, 64)
				for {
					n, err := at[1].Receive(frames)
					if errors.Is(err, net.ErrClosed) {
						return
					}
					for _, f := range frames[:n] {
						if len(f) >= 42 && f[12] == 8 && f[13] == 6 && wire.Addr(f[38:42]) == wanted {
							found()
						}
					}
				}
			}()
			admin := NewAdminClient(l.admin)
			for n := range 1500 {
				from := madeUp(66, n)
				r := private.Request{Form: private.FormGroup, Term: 1, Port: replicaPort, Replicas: []netip.Addr{from.Netip()}} // refused: its own replica
				if replicas > 0 {
					from, r.Replicas = madeUp(66, n%4), nil
					for i := range replicas {
						r.Replicas = append(r.Replicas, madeUp(77, n*replicas+i).Netip())
					}
				}
				data, err := r.Append(nil)
				require.NoError(t, err)
				req, err := cmsm.Offer{Local: from.Netip(), Remote: labSwitchIP.Netip(), Port: replicaPort, SrcPort: 5, QPN: uint32(0x777 + n), StartingPSN: 9, MTU: 1024, Private: data}.REQ()
				require.NoError(t, err)
				req.LocalCommID = uint32(n + 1)
				frame, err := cm.AppendFrame(nil, cm.FrameHeader{SrcMAC: wire.MAC{2, 0x66, 0, 0, 0, 0x66}, DstMAC: labSwitchMAC, Src: from, Dst: labSwitchIP, SrcPort: 0xc001}, uint64(n), req)
				require.NoError(t, err)
				at[5].Send(frame)
				if n%250 == 249 { // no more at once than queues hold
					require.Eventually(t, func() bool {
						st, err := admin.Status(l.ctx)
						require.NoError(t, err)
						own, err := StatusOf(&st.Switches[0])
						require.NoError(t, err)
						return own.Stats.Requested == uint64(n+1)
					}, 20*time.Second, time.Millisecond)
				}
			}
			// Somebody else's packet to a host that has not been heard of.
			at[2].Send(wire.AppendFrame(nil, &wire.Header{
				SrcMAC: wire.MAC{2, 0, 0, 0, 0, 2}, DstMAC: labSwitchMAC, Src: wire.Addr{10, 0, 0, 2}, Dst: wanted, SrcPort: 0xc001, Opcode: wire.SendOnly, DestQP: 9,
			}, []byte("hello")))
			select {
			case <-asked:
			case <-time.After(10 * time.Second):
				require.Fail(t, "it is not looked for")
			}
			text := metrics(t, l)
			require.Regexp(t, `event="port_full",switch="s1"} [1-9]`, text, "his port has looked for as many as it may")
			require.Contains(t, text, `event="searches_full",switch="s1"} 0`, "and there was room for others")
		})
	}
}

// TestStrictHosts: who is not among the operator's hosts is not heard; who is gets his group.
func TestStrictHosts(t *testing.T) {
	l := newLab(t)
	l.controller(func(c *Config) {
		c.StrictHosts = true
		for i := range 2 {
			h, err := ParseHost(fmt.Sprintf("10.0.0.%d,02:66:00:00:00:%02x,%d", i+1, i+1, i+1))
			require.NoError(t, err)
			c.Hosts = append(c.Hosts, h)
		}
	})
	known, stranger := l.attach(1), l.attach(3)
	l.replica(2, "")
	qp, err := stranger.CreateQP(roce.QPConfig{})
	require.NoError(t, err)
	data, err := (&private.Request{Form: private.FormGroup, LeaderID: 1, Term: 1, Port: replicaPort, Replicas: []netip.Addr{netip.MustParseAddr("10.0.0.2")}}).Append(nil)
	require.NoError(t, err)
	short, cancel := context.WithTimeout(l.ctx, 2*time.Second)
	defer cancel()
	_, err = stranger.Dial(short, netip.AddrPortFrom(labSwitchIP.Netip(), 1), qp, data)
	require.Error(t, err)
	_, err = l.dial(known, private.PolicyQuorum, "10.0.0.2")
	require.NoError(t, err)
	st, err := NewAdminClient(l.admin).Status(l.ctx)
	require.NoError(t, err)
	own, err := StatusOf(&st.Switches[0])
	require.NoError(t, err)
	require.Equal(t, uint64(1), own.Stats.Requested)
	require.Len(t, own.Hosts, 2)
}

// TestConnectionsOfOthers: somebody on another port knows everything of a group's connections. By the names of
// its leader and its replicas he ends none of them, and begins none in their place.
func TestConnectionsOfOthers(t *testing.T) {
	l := newLab(t)
	l.controller(nil)
	admin := NewAdminClient(l.admin)
	dev := l.attach(1)
	replicas := []*replica{l.replica(2, ""), l.replica(3, "")}
	ld, err := l.dial(dev, private.PolicyAll, "10.0.0.2", "10.0.0.3")
	require.NoError(t, err)
	require.Equal(t, verbs.StatusOK, ld.write("before", ld.region.RKey))
	records := l.records(1)
	before, err := admin.Groups(l.ctx)
	require.NoError(t, err)

	sw, end := hub.Cable(1 << 10)
	require.NoError(t, l.target.AddLink(5, "somebody", sw))
	t.Cleanup(func() { end.Close() })
	for _, c := range append([]group.ConnRecord{records[0].Leader}, records[0].Slots...) {
		from, _ := wire.AddrFrom(c.Addr)
		req, err := cmsm.Offer{Local: c.Addr, Remote: labSwitchIP.Netip(), Port: replicaPort, SrcPort: 5, QPN: c.QPN, StartingPSN: 9, MTU: 1024}.REQ()
		require.NoError(t, err)
		req.LocalCommID = c.RemoteID // a new connection of the same queue pair: the old one is stale
		for _, m := range []cm.Message{
			&cm.DREQ{LocalCommID: c.RemoteID, RemoteCommID: c.LocalID, RemoteQPN: c.OwnQPN},
			&cm.DREP{LocalCommID: c.RemoteID, RemoteCommID: c.LocalID},
			&cm.REJ{LocalCommID: c.RemoteID, RemoteCommID: c.LocalID, Rejected: cm.KindREP, Reason: cm.ReasonStaleConnection},
			&cm.REJ{LocalCommID: c.RemoteID, RemoteCommID: c.LocalID, Reason: cm.ReasonConsumer},
			&cm.MRA{LocalCommID: c.RemoteID, RemoteCommID: c.LocalID, Received: cm.KindREQ, ServiceTimeout: 31},
			&cm.RTU{LocalCommID: c.RemoteID, RemoteCommID: c.LocalID}, req,
		} {
			for _, mac := range []wire.MAC{{2, 0x66, 0, 0, 0, from[3]}, {2, 0x66, 0, 0, 0, 0x66}} {
				frame, err := cm.AppendFrame(nil, cm.FrameHeader{SrcMAC: mac, DstMAC: labSwitchMAC, Src: from, Dst: labSwitchIP, SrcPort: 0xc001}, 7, m)
				require.NoError(t, err)
				end.Send(frame)
			}
		}
	}
	// What comes behind them on the port was handled: so were they.
	announce := append([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0x66, 0, 0, 0, 0x66, 0x08, 0x06, 0, 1, 8, 0, 6, 4, 0, 1},
		2, 0x66, 0, 0, 0, 0x66, 10, 0, 0, 0x66, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0x66)
	end.Send(append(announce, make([]byte, 18)...))
	require.NoError(t, end.Flush())
	require.Eventually(t, func() bool {
		st, err := admin.Status(l.ctx)
		require.NoError(t, err)
		own, err := StatusOf(&st.Switches[0])
		require.NoError(t, err)
		return len(own.Hosts) == 4
	}, 20*time.Second, time.Millisecond)
	require.Equal(t, verbs.StatusOK, ld.write("after", ld.region.RKey))
	for _, r := range replicas {
		require.Equal(t, "after", r.content(len("after")))
	}
	after, err := admin.Groups(l.ctx)
	require.NoError(t, err)
	require.Equal(t, before, after)
}

// forgeries are probes by the name of every port of a network: of its links, and of its hosts. Their source is the
// forger's own MAC address: the switch drops what comes from his port with its own address, or with that of a neighbour (own_mac).
func forgeries(f *Fabric) (out [][]byte) {
	for _, sw := range f.Switches {
		for port := range uint16(40) {
			out = append(out, links.LLDP(wire.MAC{2, 0x66, 0, 0, 0, 0x66}, topology.Place{Switch: sw.Name, Port: port}))
		}
	}
	return out
}

// foreignProbes is how many probes a switch has not heeded.
func (w *world) foreignProbes(name string) (n uint64) {
	a := w.fabric.app(name)
	require.NoError(w.t, a.Ask(w.labs[name].ctx, func() { n = a.tree.links.Foreign() }))
	return n
}

// TestForgedProbes: somebody on a port of a leaf says, by the name of every port of the network, that its links work. A link that
// is cut is down, as one is that nobody speaks for; others are not, and the group goes on. What he says is counted, and goes nowhere.
func TestForgedProbes(t *testing.T) {
	long.Test(t)
	w := newWorld(t, strings.Replace(fabricJSON(2, 3, false), `"500ms"`, `"4s"`, 1)) // on a busy machine no link is silent for so long
	w.controller(nil)
	sw, end := hub.Cable(1 << 10)
	require.NoError(t, w.labs["l0"].target.AddLink(9, "somebody", sw))
	ctx, stop := context.WithCancel(w.labs["l0"].ctx)
	over := make(chan struct{})
	t.Cleanup(func() { stop(); <-over; end.Close() })
	forged := forgeries(w.fabric)
	go func() {
		defer close(over)
		pause := time.NewTicker(w.fabric.Probe / 4)
		defer pause.Stop()
		for ctx.Err() == nil {
			for _, f := range forged {
				end.Send(append(end.Buffer(), f...))
			}
			_ = end.Flush()
			select {
			case <-pause.C:
			case <-ctx.Done():
			}
		}
	}()

	g := w.led(2, 3, 5)
	write := func(n int, what string) map[string]int64 {
		t.Helper()
		w.requests()
		g.write(n, what)
		return w.requests()
	}
	require.Eventually(t, func() bool { return w.foreignProbes("l0") > 2*uint64(len(forged)) }, 20*time.Second, time.Millisecond)
	require.Empty(t, w.fabric.DownPorts())
	links := write(20, "forged")
	used, other := topology.Place{Switch: "l0", Port: 31}, topology.Place{Switch: "l0", Port: 32}
	if links[other.String()] > 0 {
		used, other = other, used
	}
	far, _ := w.fabric.Net.Peer(used)
	w.cables[used.String()].cut.Store(true)
	require.Eventually(t, func() bool { return len(w.fabric.DownPorts()) == 2 }, 20*time.Second, time.Millisecond, "both ends say that the link is down")
	require.ElementsMatch(t, []topology.Place{used, far}, w.fabric.DownPorts())
	spine := fmt.Sprintf("s%d", other.Port-31)
	require.ElementsMatch(t, []string{other.String(), spine + ":2", spine + ":3"}, slices.Collect(maps.Keys(write(20, "cut"))))
	before := w.foreignProbes("l0")
	require.Eventually(t, func() bool { return w.foreignProbes("l0") > before+2*uint64(len(forged)) }, 20*time.Second, time.Millisecond)
	require.ElementsMatch(t, []topology.Place{used, far}, w.fabric.DownPorts(), "it stays down")
	w.cables[used.String()].cut.Store(false)
	require.Eventually(t, func() bool { return len(w.fabric.DownPorts()) == 0 }, 20*time.Second, time.Millisecond)
	for _, name := range []string{"s0", "s1", "l1", "l2"} {
		require.Zero(t, w.foreignProbes(name), name)
	}
	require.Contains(t, metrics(t, w.labs["l0"]), `event="foreign_probe",switch="l0"`)
	g.end()
}

// TestForgedProbesOfPlain: nobody sends probes for a switch that only routes. One by its name, which has come through it,
// says nothing: else its silence afterwards would say that the link is down.
func TestForgedProbesOfPlain(t *testing.T) {
	w := newWorld(t, fabricJSON(2, 3, true))
	w.fabric.Probe, w.fabric.Hold = 5*time.Millisecond, 25*time.Millisecond
	w.controller(nil)
	for _, end := range []string{"s0:1", "s1:1"} {
		at, err := topology.ParsePlace(end)
		require.NoError(t, err)
		c := w.cables[end]
		c.Send(append(c.Buffer(), links.LLDP(wire.MAC{2, 0x66, 0, 0, 0, 0x66}, at)...))
		require.NoError(t, c.Flush())
	}
	require.Eventually(t, func() bool { return w.foreignProbes("l0") == 2 }, 20*time.Second, time.Millisecond)
	// Many times the time for which a link may be silent, by the switch's own clock.
	a := w.fabric.app("l0")
	now := func() (d time.Duration) {
		require.NoError(t, a.Ask(w.labs["l0"].ctx, func() { d = a.Now() }))
		return d
	}
	for until := now() + 10*w.fabric.Hold; now() < until; {
		require.Empty(t, w.fabric.DownPorts())
	}
}
