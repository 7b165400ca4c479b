package wrapped

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/builtin"
	"github.com/p4ce/p4ce/dataplane/stf/testbed"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/lab/wrap"
	"github.com/p4ce/p4ce/p4/lang/ir"
	"github.com/p4ce/p4ce/p4/paxos"
	"github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
	hostpaxos "github.com/p4ce/p4ce/systems/paxos"
)

// Who there is. The stranger is at a port that is nobody's.
var (
	theSwitch = party{wire.Addr{10, 66, 0, 1}, wire.MAC{2, 0x50, 0x34, 0x63, 0x65, 1}}
	victim    = party{wire.Addr{10, 66, 0, 11}, wire.MAC{2, 0, 0, 0, 0, 11}}
	other     = party{wire.Addr{10, 66, 0, 12}, wire.MAC{2, 0, 0, 0, 0, 12}}
	beyond    = party{wire.Addr{10, 66, 9, 9}, wire.MAC{2, 0, 0, 0, 9, 9}}
	stranger  = party{wire.Addr{10, 66, 0, 66}, wire.MAC{2, 0, 0, 0, 0, 0x66}}
)

const (
	victimPort, otherPort, strangerPort, cpu = 1, 2, 6, 64

	noIPv4Port, noARPPort = 7, 8 // what they may not send
	linkPort              = 9    // to another switch
)

type party struct {
	ip  wire.Addr
	mac wire.MAC
}

func (p party) at() uint64    { return uint64(binary.BigEndian.Uint32(p.ip[:])) }
func (p party) ether() uint64 { return binary.BigEndian.Uint64(append([]byte{0, 0}, p.mac[:]...)) }

func ethernet(dst, src wire.MAC, kind uint16, body []byte) []byte {
	f := append(append([]byte{}, dst[:]...), src[:]...)
	return append(binary.BigEndian.AppendUint16(f, kind), body...)
}

func ipv4(dst, src wire.MAC, from, to wire.Addr, payload []byte) []byte {
	b := []byte{0x45, 0, 0, 0, 0x12, 0x34, 0x40, 0, 64, 17, 0, 0}
	b = append(append(append(b, from[:]...), to[:]...), payload...)
	binary.BigEndian.PutUint16(b[2:], uint16(len(b)))
	binary.BigEndian.PutUint16(b[10:], ^wire.Sum(0, b[:20]))
	return ethernet(dst, src, 0x0800, b)
}

// datagram is one of UDP, without a checksum.
func datagram(port uint16, data []byte) []byte {
	b := binary.BigEndian.AppendUint16([]byte{0x30, 0x39}, port)
	b = binary.BigEndian.AppendUint16(b, uint16(8+len(data)))
	return append(append(b, 0, 0), data...)
}

func arp(dst, src wire.MAC, op byte, sender, target wire.Addr) []byte {
	a := wire.ARP{Op: uint16(op), SenderMAC: src, Sender: sender, TargetMAC: dst, Target: target}
	return a.Frame(src, dst)[:wire.EthernetLen+wire.ARPLen]
}

// icmp6 is a message of ICMPv6 to all nodes, from a link-local address.
func icmp6(src wire.MAC, kind byte) []byte {
	from, to := append([]byte{0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0}, src[:]...), append([]byte{0xff, 2}, make([]byte, 14)...)
	to[15] = 1
	m := append([]byte{kind, 0, 0, 0, 64, 0, 7, 8}, make([]byte, 8)...)
	pseudo := append(append(append([]byte{}, from...), to...), 0, 0, 0, byte(len(m)), 0, 0, 0, 58)
	binary.BigEndian.PutUint16(m[2:], ^wire.Sum(uint32(wire.Sum(0, pseudo)), m))
	b := append([]byte{0x60, 0, 0, 0, 0, byte(len(m)), 58, 255}, append(append(from, to...), m...)...)
	return ethernet(wire.MAC{0x33, 0x33, 0, 0, 0, 1}, src, 0x86dd, b)
}

// guard is something that the plain form of a packet does not get through.
type guard struct {
	name  string
	plain []byte
	port  dataplane.Port
	// vlans is set where it holds in VLANs, too: what is said of addresses. ARP of VLANs is their own affair.
	vlans bool
	// theirs is the port from which the plain form does get through; 0: from none.
	theirs dataplane.Port
}

func common() []guard {
	mac := stranger.mac
	udp := datagram(9999, []byte("to the victim"))
	return []guard{
		{"IPv4 of the switch", ipv4(victim.mac, mac, theSwitch.ip, victim.ip, udp), strangerPort, true, 0},
		{"Ethernet of the switch", ipv4(victim.mac, theSwitch.mac, stranger.ip, victim.ip, udp), strangerPort, true, 0},
		{"IPv4 of a host elsewhere", ipv4(victim.mac, mac, other.ip, victim.ip, udp), strangerPort, true, otherPort},
		{"Ethernet of a host elsewhere", ipv4(victim.mac, other.mac, stranger.ip, victim.ip, udp), strangerPort, true, otherPort},
		{"IPv4 of who is behind a switch", ipv4(victim.mac, mac, beyond.ip, victim.ip, udp), strangerPort, true, linkPort},
		{"Ethernet of who is behind a switch", ipv4(victim.mac, beyond.mac, stranger.ip, victim.ip, udp), strangerPort, true, linkPort},
		{"an answer of ARP that the switch is elsewhere", arp(victim.mac, mac, 2, theSwitch.ip, victim.ip), strangerPort, false, 0},
		{"a question of ARP that says so", arp(victim.mac, mac, 1, theSwitch.ip, victim.ip), strangerPort, false, 0},
		{"an answer of ARP that a host is elsewhere", arp(victim.mac, mac, 2, other.ip, victim.ip), strangerPort, false, 0},
		{"an announcement of who is new", arp(victim.mac, mac, 1, stranger.ip, stranger.ip), strangerPort, false, 0},
		{"a router advertisement", icmp6(mac, 134), strangerPort, true, linkPort},
		{"a redirect", icmp6(mac, 137), strangerPort, true, linkPort},
		{"IPv4 where it is not allowed", ipv4(victim.mac, mac, stranger.ip, victim.ip, udp), noIPv4Port, true, strangerPort},
		{"ARP where it is not allowed", arp(victim.mac, mac, 1, stranger.ip, victim.ip), noARPPort, true, 0},
	}
}

// roce are packets of a group that somebody else than its members sends, with all the right numbers.
func roce() (out []guard) {
	for name, h := range map[string]wire.Header{
		"a WRITE by the leader's name": {Opcode: wire.WriteOnly, DestQP: leaderQP, PSN: 100, RKey: 0xabcd, VA: 0, Length: 16, Src: other.ip},
		"an ACK by a replica's name":   {Opcode: wire.Acknowledge, DestQP: replicaQP, PSN: 100, Syndrome: 0x1f, MSN: 1, Src: victim.ip},
	} {
		h.SrcMAC, h.DstMAC, h.Dst, h.SrcPort = stranger.mac, theSwitch.mac, theSwitch.ip, 0xc000
		var payload []byte
		var theirs dataplane.Port
		if h.Opcode == wire.WriteOnly {
			payload, theirs = make([]byte, 16), otherPort
		}
		out = append(out, guard{name, wire.AppendFrame(nil, &h, payload), strangerPort, true, theirs})
	}
	return out
}

const (
	leaderQP, replicaQP = 0x100000, 0x100001
	udpPort             = hostpaxos.PortFirst
	app, round, life    = 1, 5, 77
)

// messages are those of Paxos that somebody else than who they say sends.
func messages(t testing.TB) (out []guard) {
	for name, m := range map[string]hostpaxos.Message{
		"a request":           {Kind: hostpaxos.Request, Client: 9, Sequence: 1, Value: []byte("forged")},
		"a proposal":          {Kind: hostpaxos.Accept, Instance: 1, Round: round, Client: 9, Sequence: 1, Value: []byte("forged")},
		"a vote that decides": {Kind: hostpaxos.Vote, Acceptor: 1, Instance: 1, Round: round, Client: 9, Sequence: 1, Value: []byte("forged")},
	} {
		payload, err := m.Append(nil)
		require.NoError(t, err)
		udp := datagram(udpPort, payload)
		to := map[hostpaxos.Kind]wire.Addr{hostpaxos.Request: {10, 66, 0, 2}, hostpaxos.Accept: {10, 66, 0, 3}, hostpaxos.Vote: {10, 66, 0, 4}}[m.Kind]
		from := other.ip
		wire.SetSumUDP(from, to, udp)
		out = append(out, guard{name, ipv4(theSwitch.mac, stranger.mac, from, to, udp), strangerPort, true, otherPort})
	}
	return out
}

// device is a switch with a program.
type device struct {
	testbed.Target
	p *ir.Program
}

func (d *device) insert(t testing.TB, table string, keys []uint64, action string, args ...uint64) {
	t.Helper()
	require.NoError(t, d.Insert(dataplane.NewEntry(d.p, table, keys, 0, action, args...)))
}

func (d *device) write(t testing.TB, register string, index int, v uint64) {
	t.Helper()
	require.NoError(t, d.WriteRegister(dataplane.RegisterOf(d.p, register), index, [][]byte{dataplane.Bytes(v, 32)}))
}

func open(t testing.TB, program, target string) *device {
	t.Helper()
	pipeline, err := builtin.Pipeline(program)
	require.NoError(t, err)
	d, err := testbed.New(target, cpu)
	require.NoError(t, err)
	t.Cleanup(func() { d.Close() })
	require.NoError(t, d.Load(pipeline))
	return &device{d, pipeline.Program}
}

// network is what every switch has.
func (d *device) network(t testing.TB) {
	d.insert(t, rdma.TableSwitchIP, []uint64{theSwitch.at()}, rdma.ActionToSwitch)
	d.insert(t, rdma.TableL2, []uint64{theSwitch.ether()}, rdma.ActionRouter)
	d.insert(t, rdma.TableOwnMAC, []uint64{theSwitch.ether()}, rdma.ActionPretended)
	d.insert(t, rdma.TableOwnIP, []uint64{theSwitch.at()}, rdma.ActionPretended)
	for _, h := range []struct {
		party
		port uint64
	}{{victim, victimPort}, {other, otherPort}} {
		d.insert(t, rdma.TableL2, []uint64{h.ether()}, rdma.ActionForward, h.port)
		d.insert(t, rdma.TableOwnMAC, []uint64{h.ether()}, rdma.ActionMACAt, h.port)
		d.insert(t, rdma.TableOwnIP, []uint64{h.at()}, rdma.ActionIPAt, h.port)
	}
	d.insert(t, rdma.TableL2, []uint64{0x333300000001}, rdma.ActionForward, victimPort) // as if it had been flooded
	d.insert(t, rdma.TableOwnMAC, []uint64{beyond.ether()}, rdma.ActionMACBeyond)
	d.insert(t, rdma.TableOwnIP, []uint64{beyond.at()}, rdma.ActionIPBeyond)
	d.insert(t, rdma.TableMaySend, []uint64{noIPv4Port}, rdma.ActionSends, uint64(rdma.FamilyIPv4), 1)
	d.insert(t, rdma.TableMaySend, []uint64{linkPort}, rdma.ActionSends, 0, 0)
	d.insert(t, rdma.TableMaySend, []uint64{noARPPort}, rdma.ActionSends, uint64(rdma.FamilyARP), 1)
}

// group is one of the other host, who leads, and the victim.
func (d *device) group(t testing.TB) {
	d.insert(t, rdma.TableQP, []uint64{other.at(), theSwitch.at(), leaderQP, otherPort}, rdma.ActionScatter, 5, 1, 0xabcd, 0xfffff000, 1)
	d.insert(t, rdma.TableQP, []uint64{victim.at(), theSwitch.at(), replicaQP, victimPort}, rdma.ActionGather, 5, 0, 0, 1, 1, otherPort, 0)
	d.insert(t, rdma.TableEndpoint, []uint64{40}, rdma.ActionToReplica, theSwitch.ether(), victim.ether(), victim.at(), 0x22, 0, 0x1000, 0xc0c0, 0, 0, 0)
	require.NoError(t, d.SetGroup(1, []dataplane.Replica{{Port: victimPort, Instance: 40}}))
}

// roles are all that there are in one switch: the other host proposes, and is the owner of the round, and an acceptor.
func (d *device) roles(t testing.TB) {
	for at, ip := range map[paxos.At]wire.Addr{paxos.AtLeader: {10, 66, 0, 2}, paxos.AtAcceptor: {10, 66, 0, 3}, paxos.AtLearner: {10, 66, 0, 4}} {
		d.insert(t, paxos.TableService, []uint64{uint64(binary.BigEndian.Uint32(ip[:])), udpPort}, paxos.ActionRole, uint64(at), app, life)
	}
	d.write(t, paxos.RegisterLife, app, life)
	d.write(t, paxos.RegisterFirst, app, 1)
	d.write(t, paxos.RegisterLast, app, 100000)
	d.write(t, paxos.RegisterNext, app, 1)
	d.insert(t, paxos.TableLeader, []uint64{app, uint64(paxos.AtLeader), uint64(paxos.MsgRequest)}, paxos.ActionLead, round, 2)
	d.insert(t, paxos.TableProposers, []uint64{app, other.at(), otherPort}, paxos.ActionMayPropose)
	d.insert(t, paxos.TableAcceptor, []uint64{app, uint64(paxos.AtAcceptor)}, paxos.ActionVoteAs, 0, 1, 2, 0)
	d.insert(t, paxos.TableRounds, []uint64{app, round, other.at(), otherPort}, paxos.ActionOwned)
	d.insert(t, paxos.TableMembers, []uint64{app, round}, paxos.ActionLearnFor, 1, 2)
	d.insert(t, paxos.TableVoters, []uint64{uint64(paxos.AtLearner), app, round, other.at(), 1, otherPort}, paxos.ActionVoter, 1)
	d.insert(t, paxos.TableCopies, []uint64{50}, paxos.ActionTo, 7, uint64(paxos.MsgDeliver), theSwitch.ether(), victim.ether(), theSwitch.at(), victim.at(), udpPort)
	require.NoError(t, d.SetGroup(2, []dataplane.Replica{{Port: victimPort, Instance: 50}}))
}

// TestGuards: what a guard refuses it refuses in every form.
func TestGuards(t *testing.T) {
	long.Test(t)
	for _, target := range []string{"interp", "xdp"} {
		for program, extra := range map[string]func(testing.TB) ([]guard, func(*device)){
			"rdma":  func(t testing.TB) ([]guard, func(*device)) { return roce(), func(d *device) { d.group(t) } },
			"paxos": func(t testing.TB) ([]guard, func(*device)) { return messages(t), func(d *device) { d.roles(t) } },
		} {
			t.Run(target+"/"+program, func(t *testing.T) {
				if target == "xdp" {
					needs.Root(t, "XDP")
				}
				guards, fill := extra(t)
				d := open(t, program, target)
				d.network(t)
				fill(d)
				for _, g := range append(common(), guards...) {
					t.Run(g.name, func(t *testing.T) { g.check(t, d) })
				}
			})
		}
	}
}

func (g *guard) check(t *testing.T, d *device) {
	all := wrap.All(g.plain)
	require.Equal(t, g.plain, all[0].Frames[0])
	count := 0
	for _, w := range all {
		if w.VLAN && !g.vlans {
			continue
		}
		count++
		for _, f := range w.Frames {
			outs, err := d.Inject(g.port, f)
			require.NoError(t, err)
			for _, o := range outs {
				// Who asks is told why he does not get it, and nobody else.
				require.True(t, o.Port == cpu || o.Port == g.port, "%s: left by port %d", w.Name, o.Port)
			}
		}
	}
	require.GreaterOrEqual(t, count, 200)
	if g.theirs != 0 { // it is the port that makes the difference
		outs, err := d.Inject(g.theirs, g.plain)
		require.NoError(t, err)
		require.Len(t, outs, 1)
		require.EqualValues(t, victimPort, outs[0].Port)
	}
	t.Logf("%d forms", count)
}

// TestOrdinary: without the guards' reasons the same forms go on, but for those in which something could hide.
func TestOrdinary(t *testing.T) {
	for _, program := range []string{"rdma", "paxos"} {
		t.Run(program, func(t *testing.T) {
			d := open(t, program, "interp")
			d.network(t)
			udp := datagram(9999, []byte("to the victim"))
			passed := map[string]bool{}
			for _, w := range wrap.All(ipv4(victim.mac, stranger.mac, stranger.ip, victim.ip, udp)) {
				for _, f := range w.Frames {
					outs, err := d.Inject(strangerPort, f)
					require.NoError(t, err)
					for _, o := range outs {
						require.EqualValues(t, victimPort, o.Port)
						require.Equal(t, f, o.Frame, "as it came")
						passed[w.Name] = true
					}
				}
			}
			for _, tags := range []string{"", "8100/0 ", "8100/0p7 ", "88a8/7 ", "8100/7 ", "88a8/7 8100/7 "} {
				for _, form := range []string{"plain", "one option", "40 bytes of options", "trailer", "fragments", "fragments with options"} {
					require.Contains(t, passed, fmt.Sprintf("%sEtherType %s", tags, form))
				}
			}
		})
	}
}
