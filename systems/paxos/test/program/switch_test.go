package program

import (
	"encoding/binary"
	"fmt"
	"net"
	"sync"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/stf/testbed"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
	names "github.com/p4ce/p4ce/p4/paxos"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/paxos"
)

// compile compiles the program once.
var compile = sync.OnceValues(func() (*ir.Program, error) {
	p, diags := lang.Compile(lang.Options{Path: p4.Source("paxos"), FS: p4.FS})
	return p, diags.Err()
})

// Places in the network: addresses are 10.0.0.N, ports N, MAC addresses end in N.
type place byte

const (
	leaderAt   place = 1
	acceptorAt place = 10 // and following
	learnerAt  place = 20
	proposer   place = 30
	replica    place = 40
	coordAt    place = 50
)

const udpPort = uint64(names.PortFirst)

func (p place) ip() net.IP { return net.IPv4(10, 0, 0, byte(p)) }
func (p place) ip32() uint64 {
	return uint64(binary.BigEndian.Uint32(p.ip().To4()))
}
func (p place) mac() net.HardwareAddr { return net.HardwareAddr{2, 0, 0, 0, 0, byte(p)} }
func (p place) mac48() uint64         { return 0x020000000000 | uint64(p) }

// frame is a message on the wire.
func frame(t testing.TB, from, to place, m paxos.Message) []byte {
	t.Helper()
	payload, err := m.Append(nil)
	require.NoError(t, err)
	ip := &layers.IPv4{Version: 4, TTL: 64, Protocol: layers.IPProtocolUDP, SrcIP: from.ip(), DstIP: to.ip()}
	udp := &layers.UDP{SrcPort: layers.UDPPort(udpPort), DstPort: layers.UDPPort(udpPort)}
	require.NoError(t, udp.SetNetworkLayerForChecksum(ip))
	b := gopacket.NewSerializeBuffer()
	require.NoError(t, gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true},
		&layers.Ethernet{SrcMAC: from.mac(), DstMAC: to.mac(), EthernetType: layers.EthernetTypeIPv4}, ip, udp, gopacket.Payload(payload)))
	return b.Bytes()
}

// sent is a message that came out of a switch.
type sent struct {
	from, to place
	paxos.Message
}

func (s sent) String() string {
	return fmt.Sprintf("%d->%d %v inst %d rnd %d vrnd %d acc %d flags %d client %d seq %d %q", s.from, s.to, s.Kind, s.Instance, s.Round, s.VoteRound,
		s.Acceptor, s.Flags, s.Client, s.Sequence, s.Value)
}

// parse takes a frame of a switch apart; its checksums must be right.
func parse(t testing.TB, b []byte) sent {
	t.Helper()
	p := gopacket.NewPacket(b, layers.LayerTypeEthernet, gopacket.Default)
	require.Nil(t, p.ErrorLayer())
	ip, ok := p.Layer(layers.LayerTypeIPv4).(*layers.IPv4)
	require.True(t, ok, "IPv4")
	udp, ok := p.Layer(layers.LayerTypeUDP).(*layers.UDP)
	require.True(t, ok, "UDP")
	require.EqualValues(t, 0xffff, wire.Sum(0, b[14:34]), "IPv4 checksum")
	require.NotZero(t, udp.Checksum, "UDP checksum")
	require.EqualValues(t, 0xffff, wire.SumUDP(wire.Addr(b[26:30]), wire.Addr(b[30:34]), b[34:34+udp.Length]), "UDP checksum")
	s := sent{from: place(ip.SrcIP[3]), to: place(ip.DstIP[3])}
	require.NoError(t, s.Parse(udp.Payload))
	return s
}

// device is a switch with the program.
type device struct {
	testbed.Target
	p *ir.Program
}

// targets are what tests run on.
func targets(t *testing.T, f func(t *testing.T, open func() *device)) {
	for _, kind := range []string{"interp", "xdp"} {
		t.Run(kind, func(t *testing.T) {
			if kind == "xdp" {
				needs.Root(t, "XDP")
			}
			f(t, func() *device { return open(t, kind) })
		})
	}
}

func open(t testing.TB, kind string) *device {
	t.Helper()
	program, err := compile()
	require.NoError(t, err)
	object, err := bpf.Object("paxos")
	require.NoError(t, err)
	target, err := testbed.New(kind, dataplane.Port(names.PortCPU))
	require.NoError(t, err)
	t.Cleanup(func() { target.Close() })
	d := &device{target, program}
	require.NoError(t, target.Load(&dataplane.Pipeline{Program: d.p, Object: object}))
	return d
}

func (d *device) insert(t testing.TB, table string, keys []uint64, action string, args ...uint64) {
	t.Helper()
	require.NoError(t, d.Insert(dataplane.NewEntry(d.p, table, keys, 0, action, args...)))
}

func (d *device) write(t testing.TB, register string, index int, v uint64) {
	t.Helper()
	require.NoError(t, d.WriteRegister(dataplane.RegisterOf(d.p, register), index, [][]byte{dataplane.Bytes(v, 32)}))
}

const (
	life = 77
	app  = 1
	size = 8 // of what may be used at once
	ring = names.Ring
)

// role gives the switch an address of a role.
func (d *device) role(t testing.TB, at names.At, where place) {
	t.Helper()
	d.insert(t, names.TableService, []uint64{where.ip32(), udpPort}, names.ActionRole, uint64(at), app, life)
	if at == names.AtLeader { // everybody may propose, from where he is
		for who := place(1); who < 0xff; who++ {
			d.insert(t, names.TableProposers, []uint64{app, who.ip32(), uint64(who)}, names.ActionMayPropose)
		}
	}
}

// live says that the registers are those of the role.
func (d *device) live(t testing.TB, first, last uint64) {
	t.Helper()
	d.write(t, names.RegisterLife, app, life)
	d.write(t, names.RegisterFirst, app, first)
	d.write(t, names.RegisterLast, app, last)
}

// copyTo is one of a group's copies.
type copyTo struct {
	want     names.Became
	kind     names.Message
	from, to place
}

// group makes a multicast group; replication ids are its number times 16 and on.
func (d *device) group(t testing.TB, number uint16, copies ...copyTo) {
	t.Helper()
	var rs []dataplane.Replica
	for i, c := range copies {
		rid := number*16 + uint16(i)
		rs = append(rs, dataplane.Replica{Port: dataplane.Port(c.to), Instance: rid})
		d.insert(t, names.TableCopies, []uint64{uint64(rid)}, names.ActionTo, uint64(c.want), uint64(c.kind), c.from.mac48(), c.to.mac48(), c.from.ip32(), c.to.ip32(), udpPort)
	}
	require.NoError(t, d.SetGroup(number, rs))
}

// inject gives the switch a message, and returns what comes out.
func (d *device) inject(t testing.TB, from, to place, m paxos.Message) []sent {
	t.Helper()
	if m.Kind == paxos.Vote && m.Acceptor == 0 && from > acceptorAt && from < learnerAt {
		m.Acceptor = uint8(from - acceptorAt) // it says who it is
	}
	return d.injectFrame(t, from, frame(t, from, to, m))
}

func (d *device) injectFrame(t testing.TB, from place, b []byte) (out []sent) {
	t.Helper()
	outs, err := d.Inject(dataplane.Port(from), b)
	require.NoError(t, err)
	for _, o := range outs {
		s := parse(t, o.Frame)
		require.Equal(t, dataplane.Port(s.to), o.Port)
		out = append(out, s)
	}
	return out
}

// dropped returns how many messages were dropped or refused for a reason.
func (d *device) dropped(t testing.TB, reason names.Drop) uint64 {
	t.Helper()
	v, err := d.ReadCounter(dataplane.CounterOf(d.p, names.CounterDrops), int(reason))
	require.NoError(t, err)
	return v.Packets
}
