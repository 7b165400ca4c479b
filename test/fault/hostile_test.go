package fault

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/lab"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/cmsm"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/control"
	"github.com/p4ce/p4ce/systems/rdma/lab/cluster"
	"github.com/p4ce/p4ce/systems/rdma/lab/store"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// servicePort is that of p4ce kv.
const servicePort = 4740

// stranger is a host on a port of its own that sends what it likes. It knows everything
// but the tokens: addresses, queue pairs, packet sequence numbers.
type stranger struct {
	t    *testing.T
	fd   int
	self *lab.Host
	sent map[string]int // frames, by kind
}

func newStranger(t *testing.T, l *lab.Lab, h *lab.Host) *stranger {
	s := &stranger{t: t, self: h, sent: map[string]int{}}
	require.NoError(t, l.InHost(h, func() error {
		ifi, err := net.InterfaceByName(lab.Interface)
		if err != nil {
			return err
		}
		if s.fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0); err != nil {
			return err
		}
		return unix.Bind(s.fd, &unix.SockaddrLinklayer{Ifindex: ifi.Index})
	}))
	t.Cleanup(func() { _ = unix.Close(s.fd) })
	return s
}

func (s *stranger) send(kind string, frame []byte) {
	s.t.Helper()
	_, err := unix.Write(s.fd, frame)
	require.NoError(s.t, err, kind)
	s.sent[kind]++
}

// party is somebody by whose name the stranger sends.
type party struct {
	ip  wire.Addr
	mac wire.MAC
}

func partyOf(ip netip.Addr, mac net.HardwareAddr) party {
	a, _ := wire.AddrFrom(ip)
	return party{a, wire.MAC(mac)}
}

func host(h *lab.Host) party { return partyOf(h.IP, h.MAC) }

var theSwitch = partyOf(lab.SwitchIP, lab.SwitchMAC)

// roce sends a packet of the transport by somebody's name, once with the sender's
// Ethernet address and once with the stranger's own.
func (s *stranger) roce(kind string, from, to party, h wire.Header, payload []byte) {
	for _, mac := range []wire.MAC{from.mac, wire.MAC(s.self.MAC)} {
		h.Src, h.Dst, h.SrcMAC, h.DstMAC, h.SrcPort = from.ip, to.ip, mac, to.mac, 0xc000|uint16(rand.Uint32())
		s.send(kind, wire.AppendFrame(nil, &h, payload))
	}
}

// group attacks a group whose state it knows.
func (s *stranger) group(hosts map[string]party, g *control.GroupInfo) {
	payload := make([]byte, 256)
	for i := range payload {
		payload[i] = byte(rand.Uint32())
	}
	leader, sent := hosts[g.Leader], wire.PSNOf(g.Counters.Sent)
	for _, ahead := range []int{-1, 0, 1, 2, 1 << 10, 1 << 20, 1 << 22, 1 << 23, 3 << 22} {
		psn := sent.Add(ahead)
		for _, slot := range g.Slots {
			replica := hosts[slot.Replica]
			theirs := psn.Add(int(slot.Delta))
			for name, syndrome := range map[string]wire.Syndrome{"ACK": 0x1f, "ACK without credit": 0, "NAK": 0x60, "NAK of access": 0x62, "RNR NAK": 0x2e} {
				s.roce(name, replica, theSwitch, wire.Header{Opcode: wire.Acknowledge, DestQP: slot.AggrQP, PSN: theirs, Syndrome: syndrome, MSN: 5}, nil)
			}
			s.roce("ACK as the switch", theSwitch, leader, wire.Header{Opcode: wire.Acknowledge, DestQP: slot.QPN, PSN: psn, Syndrome: 0x1f}, nil)
			for name, op := range map[string]wire.Opcode{"MIDDLE as the switch": wire.WriteMiddle, "LAST as the switch": wire.WriteLast} {
				s.roce(name, theSwitch, replica, wire.Header{Opcode: op, DestQP: slot.QPN, PSN: theirs, AckReq: true}, payload)
			}
		}
		for name, op := range map[string]wire.Opcode{"MIDDLE": wire.WriteMiddle, "LAST": wire.WriteLast, "SEND": wire.SendOnly} {
			s.roce(name, leader, theSwitch, wire.Header{Opcode: op, DestQP: g.BCastQP, PSN: psn, AckReq: true}, payload)
		}
		s.roce("WRITE", leader, theSwitch, wire.Header{Opcode: wire.WriteOnly, DestQP: g.BCastQP, PSN: psn, VA: 256, RKey: rand.Uint32(), Length: 256}, payload)
	}
}

// manage sends connection management by somebody's name.
func (s *stranger) manage(kind string, from, to party, m cm.Message) {
	f, err := cm.AppendFrame(nil, cm.FrameHeader{SrcMAC: from.mac, DstMAC: to.mac, Src: from.ip, Dst: to.ip, SrcPort: 0xc001, PSN: wire.PSNOf(rand.Uint32())}, rand.Uint64(), m)
	require.NoError(s.t, err)
	s.send(kind, f)
}

// request asks for a connection, by somebody's name and with a guess of the token.
func (s *stranger) request(kind string, from, to party, m private.Request) {
	private.Secret{Cluster: m.Cluster, Token: 1}.Sign(&m)
	data, err := m.Append(nil)
	require.NoError(s.t, err)
	req, err := cmsm.Offer{Local: from.ip.Netip(), Remote: to.ip.Netip(), Port: servicePort, SrcPort: 5, QPN: 0x777, StartingPSN: 9, MTU: 1024, Private: data}.REQ()
	require.NoError(s.t, err)
	req.LocalCommID = rand.Uint32()
	s.manage(kind, from, to, req)
}

// connections attacks connection management.
func (s *stranger) connections(servers []party, ids []uint64) {
	self := host(s.self)
	for i, to := range servers {
		for _, from := range []party{self, servers[(i+1)%len(servers)]} {
			for kind := range uint8(4) {
				s.request("REQ to a server", from, to, private.Request{
					Form: private.FormPeer, LeaderID: uint16((i + 1) % 3), Peer: uint16(i % 3), Port: servicePort, Kind: kind, Cluster: ids[i], Version: 2,
				})
			}
			s.request("REQ as a switch", from, to, private.Request{Form: private.FormMember, Term: 99 << 32, Leader: servers[0].ip.Netip()})
			s.request("REQ for a group", from, theSwitch, private.Request{Form: private.FormGroup, Term: 99 << 32, Port: servicePort, Replicas: []netip.Addr{to.ip.Netip()}})
			for _, peer := range []party{to, theSwitch} {
				s.manage("DREQ", from, peer, &cm.DREQ{LocalCommID: rand.Uint32(), RemoteCommID: rand.Uint32()})
				s.manage("REJ", from, peer, &cm.REJ{LocalCommID: rand.Uint32(), RemoteCommID: rand.Uint32(), Reason: cm.ReasonStaleConnection})
			}
		}
	}
}

// arpFrame says, to target, that sender is at an address.
func arpFrame(op uint16, at, dst wire.MAC, sender, target party) []byte {
	a := wire.ARP{Op: op, SenderMAC: at, Sender: sender.ip, TargetMAC: dst, Target: target.ip}
	return a.Frame(at, dst)
}

// arp says that everybody's address is the stranger's.
func (s *stranger) arp(all []party) {
	mine := wire.MAC(s.self.MAC)
	everybody := wire.MAC{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	for _, a := range all {
		s.send("ARP announcement", arpFrame(1, mine, everybody, a, a))
		for _, b := range all {
			if a != b {
				s.send("ARP question", arpFrame(1, mine, everybody, a, b))
				s.send("ARP answer", arpFrame(2, mine, b.mac, a, b))
			}
		}
	}
}

// TestTwoClustersAndStranger: two stores behind one switch, each with its token, and a
// third party on a port of its own that sends well-formed packets by everybody's name, plain
// and in every form that hosts might take for the same. Nothing of it has any effect but that
// it is counted.
func TestTwoClustersAndStranger(t *testing.T) {
	wanted(t)
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	log := &lab.Log{}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log of all processes:\n%s", log)
		}
	})
	const n, token = 3, 0x5eed
	dir := t.TempDir()
	var flags []string
	for c := range 2 {
		f := fmt.Sprintf("%d=%s", c+1, secret(t, uint64(token+c)))
		for i := range n {
			f += fmt.Sprintf(",10.66.0.%d/32", 11+c*n+i)
		}
		flags = append(flags, "--cluster", f)
	}
	// Who is where is known beforehand: announcements of others are not believed.
	for i := range 2*n + 1 {
		flags = append(flags, "--host", fmt.Sprintf("10.66.0.%d,02:66:00:00:00:%02x,%d", 11+i, 11+i, 1+i))
	}
	beside := t.TempDir() // of the second store
	first, err := store.Start(ctx, store.Options{
		Servers: n, Others: n + 1, ID: 1, Token: token, Binary: binary, Dir: dir, Switch: true, Log: log,
		Flags: []string{"--timeout", "2s", "--heartbeat", "60ms"}, Cluster: cluster.Options{Controller: flags},
	})
	require.NoError(t, err)
	t.Cleanup(first.Close)
	second, err := first.StartBeside(store.Options{
		Servers: n, ID: 2, Token: token + 1, Binary: binary, Dir: beside, Switch: true, Log: log, Flags: []string{"--timeout", "2s", "--heartbeat", "60ms"},
	})
	require.NoError(t, err)
	t.Cleanup(second.Close)
	var runs []*run
	for _, s := range []*store.Store{first, second} {
		r := &run{Store: s, t: t, ctx: ctx}
		r.accelerated()
		r.load = startLoad(ctx, s)
		r.progress()
		runs = append(runs, r)
	}
	x := newStranger(t, first.Lab, first.Lab.Hosts[2*n])
	byName := map[string]party{}
	var servers []party
	var ids []uint64
	for i, h := range first.Lab.Hosts[:2*n] {
		p := host(h)
		servers, ids, byName[h.IP.String()] = append(servers, p), append(ids, uint64(1+i/n)), p
	}
	var witnesses []witness
	for _, h := range first.Lab.Hosts[:2*n] {
		witnesses = append(witnesses, newWitness(t, first.Lab, h))
	}
	pretences, before := x.pretences(servers), drops(ctx, t, first)
	wrapped := 0
	acknowledged := []map[string]string{{}, {}}
	attack := func() {
		const rounds = 20
		for round := range rounds {
			var infos []*control.GroupInfo
			require.Eventually(t, func() bool { // one may be formed anew at any time on a busy machine: unnoticed sees that
				infos = nil
				groups, err := first.Admin.Groups(ctx)
				if err != nil || len(groups) != 2 {
					return false
				}
				for _, g := range groups {
					info, err := first.Admin.Group(ctx, "-", int(g.Index))
					if err != nil {
						return false // it has ended meanwhile
					}
					infos = append(infos, info)
				}
				return true
			}, 20*time.Second, 5*time.Millisecond, "both stores have a group")
			for _, info := range infos {
				x.group(byName, info)
				if round%(rounds/2) == 0 {
					wrapped += x.wrappedGroup(byName, info)
				}
			}
			x.connections(servers, ids)
			x.arp(append(servers, theSwitch))
			for i := round; i < len(pretences); i += rounds {
				wrapped += x.wrapped(pretences[i])
				for _, r := range runs {
					r.load.progress(t, 5)
				}
			}
			for i, r := range runs {
				r.acknowledge(acknowledged[i])
				r.load.progress(t, 20)
			}
			for _, h := range first.Lab.Hosts[:2*n] {
				trusts(t, first.Lab, h, x.self)
			}
		}
	}
	runs[0].unnoticed(func() { runs[1].unnoticed(attack) })
	t.Logf("sent: %v", x.sent)
	after := drops(ctx, t, first)
	counted := uint64(0)
	for d := range after {
		t.Logf("dropped %-20v %d", d, after[d]-before[d])
		counted += after[d] - before[d]
	}
	for _, d := range []names.Drop{names.DropWrapped, names.DropOwnAddress, names.DropForeignSource} {
		require.Greater(t, after[d], before[d], "%v", d)
	}
	t.Logf("%d frames in other forms", wrapped)
	require.GreaterOrEqual(t, counted, uint64(wrapped), "each is dropped")
	for i, w := range witnesses {
		w.only(t, x.self.IP, func() { x.send("ordinary", x.datagram(host(x.self), wire.MAC(x.self.MAC), servers[i])) })
	}
	// Nor has anybody been misled for later: the next leader has what was acknowledged, servers find each other anew, and
	// groups are formed.
	for i, r := range runs {
		r.failOver(acknowledged[i])
	}
	runs[1].regroups()
	for _, r := range runs {
		r.progress()
		r.finish()
	}
	st, err := first.Admin.Status(ctx)
	require.NoError(t, err)
	own, err := control.StatusOf(&st.Switches[0])
	require.NoError(t, err)
	require.Len(t, own.Hosts, 2*n+1)
	for _, h := range own.Hosts {
		require.True(t, h.Static, "%+v", h)
	}
	require.Positive(t, own.Stats.Refused, "requests for groups were refused")
}

// flood sends what each packet of costs the controller work, as fast as it can, until ctx ends: for
// addresses that nobody has, by names that nobody has, and requests that nobody answers.
func (s *stranger) flood(ctx context.Context, servers []party) {
	everybody := wire.MAC{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	mine := wire.MAC(s.self.MAC)
	for ctx.Err() == nil {
		var nobody party
		nobody.ip, nobody.mac = wire.Addr{10, 66, byte(1 + rand.IntN(200)), byte(rand.Uint32())}, wire.MAC{2, 0xee, byte(rand.Uint32()), byte(rand.Uint32()), byte(rand.Uint32()), byte(rand.Uint32())}
		to := servers[rand.IntN(len(servers))]
		question := append(append(append([]byte{}, everybody[:]...), nobody.mac[:]...), 0x08, 0x06, 0, 1, 8, 0, 6, 4, 0, 1)
		question = append(append(append(append(question, nobody.mac[:]...), nobody.ip[:]...), 0, 0, 0, 0, 0, 0), to.ip[:]...)
		s.send("flood of ARP", question)
		frame := make([]byte, 60)
		copy(frame, nobody.mac[:])
		copy(frame[6:], mine[:])
		frame[12], frame[13] = 0x88, 0xb5
		s.send("flood to unknown addresses", frame)
		s.request("flood of REQs", nobody, theSwitch, private.Request{
			Form: private.FormGroup, Term: rand.Uint64(), Port: servicePort, Replicas: []netip.Addr{to.ip.Netip()},
		})
		for _, mac := range []wire.MAC{mine, nobody.mac} {
			h := wire.Header{Opcode: wire.WriteOnly, DestQP: rand.Uint32() & wire.QPNMask, PSN: wire.PSNOf(rand.Uint32()), VA: rand.Uint64() >> 17, RKey: rand.Uint32(), Length: 64}
			h.Src, h.Dst, h.SrcMAC, h.DstMAC, h.SrcPort = nobody.ip, to.ip, mac, to.mac, 0xc000
			s.send("flood of WRITEs", wire.AppendFrame(nil, &h, make([]byte, 64)))
			h.Dst, h.DstMAC, h.Opcode = theSwitch.ip, theSwitch.mac, wire.ReadRequest
			s.send("flood of READs", wire.AppendFrame(nil, &h, nil))
		}
	}
}

// TestFloods: a third party on a port of a switch with a store sends as fast as it can what costs
// the controller work, and says that it is everybody. Nobody has told the controller who is where.
// No server has moved, no group has ended, what was written is there, the store goes on at no less
// than half its rate, and a host that comes to another port finds its place.
func TestFloods(t *testing.T) {
	wanted(t)
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	log := &lab.Log{}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log of all processes:\n%s", log)
		}
	})
	const n, token = 3, 0x5eed
	// What the flood takes of the machine's CPUs is no fault of the switch: servers are patient.
	s, err := store.Start(ctx, store.Options{
		Servers: n, Others: 2, ID: 1, Token: token, Binary: binary, Dir: t.TempDir(), Switch: true, Log: log,
		Flags: []string{"--timeout", "2s", "--heartbeat", "60ms"}, Cluster: cluster.Options{Controller: []string{"--cluster", "1=" + secret(t, token)}},
	})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	r := &run{Store: s, t: t, ctx: ctx}
	r.accelerated()
	r.load = startLoad(ctx, s)
	r.progress()
	x := newStranger(t, s.Lab, s.Lab.Hosts[n])
	var servers []party
	for _, h := range s.Lab.Hosts[:n] {
		servers = append(servers, host(h))
	}
	hosts := func() map[string]control.HostInfo {
		st, err := s.Admin.Status(ctx)
		require.NoError(t, err)
		own, err := control.StatusOf(&st.Switches[0])
		require.NoError(t, err)
		at := map[string]control.HostInfo{}
		for _, h := range own.Hosts {
			at[h.IP] = h
		}
		return at
	}
	before := hosts()
	const interval = 2 * time.Second
	operations := func() int64 {
		from := r.load.done.Load()
		time.Sleep(interval)
		return r.load.done.Load() - from
	}
	var quiet, hostile int64
	r.unnoticed(func() {
		for round := 1; ; round++ {
			q := operations()
			flooding, stop := context.WithCancel(ctx)
			var wg sync.WaitGroup
			wg.Go(func() {
				for flooding.Err() == nil {
					x.arp(append(servers, theSwitch))
					short, done := context.WithTimeout(flooding, 50*time.Millisecond)
					x.flood(short, servers)
					done()
				}
			})
			h := operations()
			stop()
			wg.Wait()
			quiet, hostile = quiet+q, hostile+h
			t.Logf("round %d: %d operations in peace, %d under attack", round, q, h)
			// One round in which other work took the machine says nothing.
			if round >= 3 && (2*hostile >= quiet || round == 6) {
				break
			}
		}
	})
	t.Logf("sent: %v", x.sent)
	require.GreaterOrEqual(t, 2*hostile, quiet, "half the rate, taken together")
	after := hosts()
	for ip, h := range before {
		require.Equal(t, h, after[ip], "nobody has moved")
	}
	// A host that nobody has heard of yet.
	late := s.Lab.Hosts[n+1]
	require.NotContains(t, after, late.IP.String())
	y := newStranger(t, s.Lab, late)
	require.Eventually(t, func() bool {
		y.arp([]party{host(late)})
		return hosts()[late.IP.String()].Port == late.Port
	}, 20*time.Second, 100*time.Millisecond, "a host on another port is known")
	r.regroups()
	r.progress()
	r.finish()
}
