package vm

import (
	"bytes"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/link/packet"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

var update = flag.Bool("update", false, "write the golden capture of a WRITE between rxe peers")

// golden is the capture that the packet tests take, for those without guests.
const golden = "../conformance/testdata/rxe_write.pcapng"

// server is a place for a node: a guest, or a host with a software endpoint.
type server struct {
	start   func(args ...string) *node
	addr    netip.Addr
	port    string // interface of the switch's port
	inGuest bool
}

func (n *network) guest(i int) server {
	return server{func(args ...string) *node { return n.guestNode(i, args...) }, n.places[i].addr.Addr(), n.places[i].tap, true}
}

func (n *network) host(i int) server {
	h := n.lab.Hosts[i]
	return server{func(args ...string) *node { return n.hostNode(i, args...) }, h.IP, h.PortInterface(), false}
}

// newServers makes a network whose guests have p4ce.
func newServers(t *testing.T, guests, hosts int) *network {
	t.Helper()
	return newNetwork(t, options{guests: guests, hosts: hosts, image: verbsImage(t), memory: 320, rxe: RXE{MTU: lab.MTU}})
}

// service is where p4ce's replicas listen.
const service = 4740

// replicate lets a leader replicate to replicas in both modes, and checks that
// all logs are equal. It returns the number of records in each mode.
func (n *network) replicate(t *testing.T, leader server, replicas []server) {
	t.Helper()
	ctx := n.ctx
	const count = 200
	var rs []*node
	var addrs []string
	for _, s := range replicas {
		rs = append(rs, s.start("--role", "replica"))
		addrs = append(addrs, s.addr.String())
	}
	for _, r := range rs {
		r.event(t, ctx, "ready")
	}
	l := leader.start("--role", "leader", "--replicas", strings.Join(addrs, ","), "--switch", n.home.String(),
		"--modes", "direct,accelerated", "--input", n.inputFile(leader), "--count", fmt.Sprint(count))
	for _, mode := range []string{"direct", "accelerated"} {
		require.Equal(t, mode, l.event(t, ctx, "mode").Mode)
		l.say(t, "go")
		done := l.event(t, ctx, "done")
		t.Logf("%s: %d records, %d WRITEs, %d repairs", done.Mode, done.Records, done.Writes, done.Repairs)
		require.Equal(t, mode, done.Mode)
		require.EqualValues(t, count, done.Records)
		if mode == "accelerated" && done.Repairs == 0 {
			require.Less(t, done.Writes, uint64(2*count), "one WRITE for each record, and some for commits")
		}
	}
	want := l.event(t, ctx, "digest")
	require.EqualValues(t, 2*count, want.Records)
	for _, r := range rs {
		require.Equal(t, want, r.digest(t, ctx), r.name)
	}
	for _, nd := range append(rs, l) {
		nd.say(t, "quit")
	}
	for _, nd := range append(rs, l) {
		<-nd.ended
		require.NoError(t, nd.err(), "%s: %s", nd.name, nd.log)
	}
}

// TestRXEGroups: a leader and 2, then 4 replicas, all with rxe, replicate
// through the switch. The capture shows that rxe took every packet that the switch
// has rewritten, whose ICRC rxe checks.
func TestRXEGroups(t *testing.T) {
	for _, replicas := range []int{2, 4} {
		t.Run(fmt.Sprintf("%d replicas", replicas), func(t *testing.T) {
			n := newServers(t, 1+replicas, 0)
			var rs []server
			for i := range replicas {
				rs = append(rs, n.guest(1+i))
			}
			n.replicate(t, n.guest(0), rs)
			n.requireOnce()
			all := n.stopSwitch()
			traffic := requireGroup(t, all, n.guest(0), rs)
			require.GreaterOrEqual(t, traffic.writes, 200)
			requireWellFormed(t, n.capture)
			if replicas == 2 && *update {
				writeGolden(t, all, n.guest(0))
			}
		})
	}
}

// requireOnce sees in rxe's counters that nothing was lost, out of order, or came twice.
func (n *network) requireOnce() {
	n.t.Helper()
	for i := range n.guests {
		c := n.counters(i)
		for _, name := range append(errorCounters, "duplicate_request") {
			require.Contains(n.t, c, name)
			require.Zero(n.t, c[name], "%s of guest %d", name, i+1)
		}
	}
}

// TestMixedGroups: rxe and software endpoints in one group, in either role.
func TestMixedGroups(t *testing.T) {
	n := newServers(t, 2, 2)
	for _, c := range []struct {
		name     string
		leader   server
		replicas []server
	}{
		{"rxe leads software", n.guest(0), []server{n.host(0), n.host(1)}},
		{"software leads rxe", n.host(0), []server{n.guest(0), n.guest(1)}},
		{"rxe leads both", n.guest(0), []server{n.guest(1), n.host(1)}},
	} {
		t.Run(c.name, func(t *testing.T) { n.replicate(t, c.leader, c.replicas) })
	}
	for _, c := range n.stopSwitch() {
		var p wire.Packet
		if wire.Parse(c.frame, &p) == nil {
			require.True(t, p.ICRCOK(), "ICRC of %s", &p)
		}
	}
	requireWellFormed(t, n.capture)
}

// TestDamagedPacket: one bit of the payload of a WRITE to a group of rxe replicas
// is flipped on its way to the switch. The switch, which does not see it, sends
// copies whose ICRC is as wrong; rxe takes none of them; the leader's retransmission
// repairs it. At the end the leader asks for a READ, and is refused.
func TestDamagedPacket(t *testing.T) {
	n := newServers(t, 2, 1)
	rs := []server{n.guest(0), n.guest(1)}
	for _, s := range rs {
		s.start("--role", "replica").event(t, n.ctx, "ready")
	}
	w := &watched{}
	require.NoError(t, n.lab.InHost(n.lab.Hosts[0], func() error {
		inner, err := packet.Open(lab.Interface, netip.Addr{})
		if err == nil {
			w = watch(t, inner, filepath.Join(t.TempDir(), "leader.pcapng"), 0)
		}
		return err
	}))
	var damaged atomic.Int64
	w.bend = func(frame []byte) {
		var p wire.Packet
		if wire.Parse(frame, &p) == nil && p.BTH.Opcode() == wire.WriteOnly && bytes.Contains(p.Payload, []byte("second")) && damaged.Add(1) == 1 {
			p.Payload[len(p.Payload)/2] ^= 1
		}
	}
	dev, err := roce.Open(w, roce.Options{})
	require.NoError(t, err)
	defer dev.Close()
	request := private.Request{Form: private.FormGroup, Policy: private.PolicyAll, Port: service, Term: 1, Replicas: []netip.Addr{rs[0].addr, rs[1].addr}}
	private.Secret{Cluster: 1}.Sign(&request) // the default of p4ce node
	data, err := request.Append(nil)
	require.NoError(t, err)
	qp, err := dev.CreateQP(roce.QPConfig{AckTimeout: 2 * time.Second, Retry: 7})
	require.NoError(t, err)
	conn, err := dev.Dial(n.ctx, netip.AddrPortFrom(lab.SwitchIP, service), qp, data)
	require.NoError(t, err)
	region, err := private.ParseRegion(conn.Private())
	require.NoError(t, err)
	do := func(op rdma.Op, data []byte, va uint64) rdma.Status {
		_, err := qp.PostSend(rdma.SendWR{Op: op, Local: data, VA: va, RKey: region.RKey})
		require.NoError(t, err)
		require.NoError(t, qp.SendCQ().Wait(n.ctx))
		var done [1]rdma.Completion
		require.Equal(t, 1, qp.SendCQ().Poll(done[:]))
		return done[0].Status
	}
	for i, what := range []string{"first", "second", "third"} {
		require.Equal(t, rdma.StatusOK, do(rdma.OpWrite, bytes.Repeat([]byte(what), 100), region.VA+uint64(4096*i)))
	}
	require.EqualValues(t, 2, damaged.Load(), "sent damaged, and once more")
	require.Equal(t, rdma.StatusRemoteInvalidRequest, do(rdma.OpRead, make([]byte, 64), region.VA), "a READ of a group")

	// The damaged packet came in and went out, and only its repetition was
	// acknowledged.
	all := n.stopSwitch()
	leader := n.host(0)
	damagedAt := map[string]wire.PSN{} // by port: PSNs differ between leader and replicas
	var repeated time.Time
	for _, c := range all {
		var p wire.Packet
		if wire.Parse(c.frame, &p) != nil || p.BTH.Opcode() != wire.WriteOnly {
			continue
		}
		psn, seen := damagedAt[c.port]
		switch {
		case !p.ICRCOK():
			require.False(t, seen, "damaged again: %s", &p)
			damagedAt[c.port] = p.BTH.PSN()
		case seen && psn == p.BTH.PSN() && !c.out:
			repeated = c.time
		}
	}
	require.Len(t, damagedAt, 3, "damaged packets: one came in, one went out to each replica")
	require.False(t, repeated.IsZero(), "the leader has repeated it")
	acks := map[string]int{}
	for _, c := range all {
		var p wire.Packet
		if wire.Parse(c.frame, &p) == nil && p.BTH.Opcode() == wire.Acknowledge && p.BTH.PSN() == damagedAt[c.port] {
			require.True(t, c.time.After(repeated), "acknowledged before it was repeated: %s", &p)
			require.Equal(t, c.port == leader.port, c.out)
			acks[c.port]++
		}
	}
	for port := range damagedAt {
		require.Positive(t, acks[port], "acknowledgements on %s", port)
	}
}

// groupTraffic is what a capture has of a group.
type groupTraffic struct{ writes, acks int }

// requireGroup checks a capture of a group whose leader lost nothing: each of its
// packets was sent once, reached each replica once, with a valid ICRC, and was
// acknowledged by each; and no acknowledgement that the leader got names a PSN
// that it had not sent by then.
func requireGroup(t *testing.T, all []captured, leader server, replicas []server) groupTraffic {
	t.Helper()
	type key struct {
		port string
		psn  wire.PSN
	}
	sw := wire.Addr(lab.SwitchIP.As4())
	sent := map[wire.PSN]int{}    // by the leader to the group
	copies := map[key]int{}       // by the switch to a replica, in the replica's PSNs
	acknowledged := map[key]int{} // by a replica
	var newest wire.PSN           // of what the leader has sent
	var got groupTraffic
	for _, c := range all {
		var p wire.Packet
		if wire.Parse(c.frame, &p) != nil || p.BTH.DestQP() == wire.GSIQP {
			continue
		}
		require.True(t, p.ICRCOK(), "ICRC of %s", &p)
		require.True(t, p.IP.ChecksumOK(), "IP checksum of %s", &p)
		psn := p.BTH.PSN()
		switch ack := p.BTH.Opcode() == wire.Acknowledge; {
		case ack && (p.IP.Dst() == sw || p.IP.Src() == sw):
			require.True(t, p.AETH.Syndrome().IsAck(), "a NAK: %s", &p)
			if !c.out {
				acknowledged[key{c.port, psn}]++
				break
			}
			require.Equal(t, leader.port, c.port, "an ACK of the switch: %s", &p)
			require.GreaterOrEqual(t, newest.Sub(psn), 0, "the ACK %s names a PSN after %d, the last that was sent", &p, newest)
			got.acks++
		case p.IP.Dst() == sw && !c.out:
			require.Equal(t, leader.port, c.port, "a request to the group: %s", &p)
			if got.writes == 0 || psn.Sub(newest) > 0 {
				newest = psn
			}
			sent[psn]++
			require.Equal(t, 1, sent[psn], "sent again: %s", &p)
			got.writes++
		case p.IP.Src() == sw && c.out:
			copies[key{c.port, psn}]++
			require.Equal(t, 1, copies[key{c.port, psn}], "copied twice: %s", &p)
		}
	}
	require.Len(t, copies, got.writes*len(replicas), "one copy for each replica")
	for k := range copies {
		require.Equal(t, 1, acknowledged[k], "acknowledgements of PSN %d by the replica on %s", k.psn, k.port)
	}
	require.Positive(t, got.acks)
	t.Logf("%d packets scattered to %d replicas, %d acknowledgements reached the leader", got.writes, len(replicas), got.acks)
	return got
}

// writeGolden keeps one WRITE of the capture, and what became of it on both sides
// of the switch, until all replicas have acknowledged it.
func writeGolden(t *testing.T, all []captured, leader server) {
	t.Helper()
	sw := wire.Addr(lab.SwitchIP.As4())
	const which = 10 // not the first, for which nothing was acknowledged before
	// PSNs differ between leader and replicas: count.
	count := map[string]int{}
	chosen := map[string]wire.PSN{} // by port
	var kept []captured
	for _, c := range all {
		var p wire.Packet
		if wire.Parse(c.frame, &p) != nil || p.BTH.DestQP() == wire.GSIQP || p.IP.Src() != sw && p.IP.Dst() != sw {
			continue
		}
		if p.BTH.Opcode() == wire.WriteOnly {
			if count[c.port]++; count[c.port] == which {
				chosen[c.port] = p.BTH.PSN()
			}
		}
		if psn, ok := chosen[c.port]; ok && psn == p.BTH.PSN() {
			kept = append(kept, c)
		}
	}
	f, err := os.Create(golden)
	require.NoError(t, err)
	defer f.Close()
	var w *pcapgo.NgWriter
	ids := map[string]int{}
	for _, c := range kept {
		name := "IN " + c.port
		if c.out {
			name = "OUT " + c.port
		}
		ifi := pcapgo.NgInterface{Name: name, LinkType: layers.LinkTypeEthernet}
		id, known := ids[name]
		switch {
		case known:
		case w == nil:
			w, err = pcapgo.NewNgWriterInterface(f, ifi, pcapgo.NgWriterOptions{SectionInfo: pcapgo.NgSectionInfo{
				Application: "p4ce", Comment: "One WRITE of a leader to a group of two replicas with policy quorum; all three are Linux's rxe.",
			}})
		default:
			id, err = w.AddInterface(ifi)
		}
		require.NoError(t, err)
		ids[name] = id
		ci := gopacket.CaptureInfo{Timestamp: c.time, CaptureLength: len(c.frame), Length: len(c.frame), InterfaceIndex: id}
		require.NoError(t, w.WritePacket(ci, c.frame))
	}
	require.NoError(t, w.Flush())
	t.Logf("%d packets written to %s", len(kept), golden)
}
