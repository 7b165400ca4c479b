package e2e

import (
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/sim/fabric"
	rdmafabric "github.com/p4ce/p4ce/systems/rdma/fabric"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// linkLog is what a host's link has carried, in both directions, in a form that has nothing of
// what is drawn by lot or depends on the time: numbers of queue pairs and keys are replaced by
// the order of their coming, PSNs and addresses count from the first of their queue pair.
type linkLog struct {
	mu    sync.Mutex
	lines []string
	nth   map[string]int
	first map[string]uint64
}

func newLinkLog() *linkLog { return &linkLog{nth: map[string]int{}, first: map[string]uint64{}} }

// id is a small number for a value of a kind.
func (l *linkLog) id(kind string, v uint64) int {
	key := fmt.Sprint(kind, v)
	if _, ok := l.nth[key]; !ok {
		l.nth[kind]++
		l.nth[key] = l.nth[kind]
	}
	return l.nth[key]
}

// since is a value since the first of its kind.
func (l *linkLog) since(kind string, v uint64) uint64 {
	if _, ok := l.first[kind]; !ok {
		l.first[kind] = v
	}
	return v - l.first[kind]
}

func (l *linkLog) add(sent bool, frame []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var p wire.Packet
	if wire.Parse(frame, &p) != nil {
		return // ARP, and what kernels say
	}
	text := "received"
	if sent {
		text = "sent"
	}
	b := p.BTH
	text += fmt.Sprintf(" %v %d bytes, ICRC %v, TTL %d, TOS %d", b.Opcode(), len(p.Payload), p.ICRCOK(), p.IP.TTL(), p.IP.TOS())
	if b.DestQP() == wire.GSIQP {
		_, m, err := cm.DecodeFrame(&p)
		text += fmt.Sprintf(" %T %v", m, err)
	} else {
		// A host has one queue pair here: what it sends and what it gets answer each other.
		text += fmt.Sprintf(" qp %d psn +%d ack %v", l.id("qp", uint64(b.DestQP())), l.since("psn", uint64(b.PSN())), b.AckReq())
	}
	if p.RETH != nil {
		text += fmt.Sprintf(" va +%d key %d length %d", l.since("va", p.RETH.VA()), l.id("key", uint64(p.RETH.RKey())), p.RETH.Length())
	}
	if p.AETH != nil {
		text += fmt.Sprintf(" %v msn %d", p.AETH.Syndrome(), p.AETH.MSN())
	}
	l.lines = append(l.lines, text)
}

// tappedWire writes down what a device sends and receives.
type tappedWire struct {
	link.Wire
	log *linkLog
}

func (w tappedWire) Receive(frames [][]byte) (int, error) {
	n, err := w.Wire.Receive(frames)
	for _, f := range frames[:n] {
		w.log.add(false, f)
	}
	return n, err
}

func (w tappedWire) Send(frame []byte) {
	w.log.add(true, frame)
	w.Wire.Send(frame)
}

// tapped opens a RoCE endpoint on a host.
func (c *system) tapped(host int, log *linkLog) *roce.Device {
	return c.deviceOn(host, roce.Options{}, func(w link.Wire) link.Wire { return tappedWire{w, log} })
}

// What both do: a group of two replicas, policy all, requests of three packets, one after the other.
const (
	fabricWrites = 20
	fabricSize   = 2500
	fabricRing   = 8192
)

// TestFabricIsReal runs the same small scenario in the fabric and in namespaces on XDP: each link
// carries the same packets in the same order.
func TestFabricIsReal(t *testing.T) {
	c := newCluster(t, 3)
	real := []*linkLog{newLinkLog(), newLinkLog(), newLinkLog()}
	for i := 1; i <= 2; i++ {
		serveWrites(t, c, c.tapped(i, real[i]))
	}
	dev := c.tapped(0, real[0])
	req := private.Request{Form: private.FormGroup, Policy: private.PolicyAll, LeaderID: 1, Port: service, Replicas: []netip.Addr{c.ip(1), c.ip(2)}}
	data, err := req.Append(nil)
	require.NoError(t, err)
	qp, err := dev.CreateQP(roce.QPConfig{MTU: 1024})
	require.NoError(t, err)
	conn, err := dev.Dial(c.ctx, netip.AddrPortFrom(lab.SwitchIP, service), qp, data)
	require.NoError(t, err)
	region, err := private.ParseRegion(conn.Private())
	require.NoError(t, err)
	for i := range fabricWrites {
		off := uint64(i%2) * fabricSize
		require.Equal(t, rdma.StatusOK, write(t, c.ctx, conn, region.VA+off, region.RKey, make([]byte, fabricSize)))
	}

	same := simulated(t, 1024)
	for i := range real {
		real[i].mu.Lock()
		defer real[i].mu.Unlock()
		t.Logf("host %d: %d packets, the last one: %s", i, len(real[i].lines), real[i].lines[len(real[i].lines)-1])
		require.Equal(t, real[i].lines, same[i].lines, "link of host %d: namespaces, then the fabric", i)
		require.GreaterOrEqual(t, len(real[i].lines), 3+4*fabricWrites)
	}
	require.NotEqual(t, real[0].lines, simulated(t, 2048)[0].lines, "packets of another length are seen")
}

// simulated is the same in the fabric.
func simulated(t *testing.T, mtu int) []*linkLog {
	f, err := rdmafabric.New(1, rdmafabric.Settings{})
	require.NoError(t, err)
	link := fabric.LinkConfig{Rate: 10e9, Delay: fabric.Microsecond}
	require.NoError(t, f.Build(fabric.TopologyConfig{Kind: fabric.Rack, Hosts: 3, Edge: rdmafabric.Program, HostLink: link, Latency: fabric.Microsecond}))
	require.NoError(t, f.Start())
	load, err := f.NewLoad(0, rdmafabric.LoadConfig{
		LoadConfig: fabric.LoadConfig{
			Name: "group", From: "h1", To: []string{"h2", "h3"},
			Size: fabricSize, Count: fabricWrites, Outstanding: 1, Start: fabric.Millisecond,
		},
		LoadSettings: rdmafabric.LoadSettings{
			Via: rdmafabric.ViaGroup, Policy: private.PolicyAll,
			QP: rdmafabric.QPConfig{MTU: mtu, AckTimeout: 67 * time.Millisecond},
		},
	})
	require.NoError(t, err)
	tap := fabricTap{f.Fabric, []*linkLog{newLinkLog(), newLinkLog(), newLinkLog()}}
	f.Tap(tap)
	require.NoError(t, f.RunWhile(fabric.Second, func() bool { return !load.Over() }))
	require.NoError(t, load.Result.Err)
	require.Equal(t, fabricWrites, load.Result.Done)

	return tap.logs
}

// fabricTap sorts what links deliver by host.
type fabricTap struct {
	f    *fabric.Fabric
	logs []*linkLog
}

// Frame implements fabric.Tap.
func (x fabricTap) Frame(_ fabric.Time, h *fabric.Half, b []byte) {
	for i, host := range x.f.Hosts {
		if h.From == fabric.Node(host) || h.To == fabric.Node(host) {
			x.logs[i].add(h.From == fabric.Node(host), b)
		}
	}
}

// serveWrites is a replica that has memory, and does nothing.
func serveWrites(t *testing.T, c *system, dev *roce.Device) {
	mr, err := dev.RegisterMemory(make([]byte, fabricRing), rdma.LocalWrite|rdma.RemoteWrite)
	require.NoError(t, err)
	l, err := dev.Listen(service)
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		r, err := l.Accept(c.ctx)
		if err != nil {
			return // the test is over
		}
		qp, err := dev.CreateQP(roce.QPConfig{Access: rdma.RemoteWrite, MTU: r.PathMTU()})
		if err != nil {
			t.Error(err)
			return
		}
		region := private.Region{VA: mr.Addr(), Size: uint64(mr.Len()), RKey: mr.Key()}
		if _, err := r.Accept(c.ctx, qp, region.Append(nil)); err != nil && c.ctx.Err() == nil {
			t.Error(err)
		}
	}()
}
