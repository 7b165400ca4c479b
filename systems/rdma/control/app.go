package control

import (
	"context"
	crand "crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/ctrl/hosts"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/session"
	"github.com/p4ce/p4ce/host/durable"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
)

// App makes a switch that runs rdma.p4 one that forms groups. It is a session.App.
type App struct {
	session.Base
	*session.Session
	conf   Config
	tables *tables

	hosts *hosts.Table
	core  *group.Core
	tree  *planter // of a fabric's switch, nil for one by itself
	cmID  uint16   // IPv4 identification of CM frames
	cmPSN wire.PSN // of the switch's QP 1
	from  int      // port of the packet that is being handled, or hosts.NoPort
	stats stats

	keeper *keeper // of the records
}

type stats struct {
	malformed, foreignPort, unknownReason, cmIn, cmOut, recordsDamaged uint64
	punts                                                              map[names.Reason]uint64 // packet-ins
}

// directory shows the host table to the groups.
type directory struct {
	t *hosts.Table
	w *Wiring
	f *Fabric // nil: a switch by itself
	s string  // its name in the fabric
}

func (d directory) Host(a wire.Addr) (group.Host, bool) {
	h, ok := d.t.Get(a)
	at := d.w.place(h.MAC, h.Port)
	if d.f != nil && ok {
		if port, known := d.f.arrives(d.s, a); known {
			at.PortGroup = d.w.portGroup(port)
		}
	}
	return at, ok
}

// New makes the application of one switch.
func New(conf Config) (*App, error) {
	if err := conf.setDefaults(); err != nil {
		return nil, err
	}
	var seed [40]byte
	if _, err := crand.Read(seed[:]); err != nil {
		return nil, err
	}
	if conf.Group.Rand == nil {
		conf.Group.Rand = rand.New(rand.NewChaCha8([32]byte(seed[:32])))
	}
	if conf.Group.CM.Seed == 0 {
		conf.Group.CM.Seed = binary.BigEndian.Uint64(seed[32:])
	}
	a := &App{conf: conf, stats: stats{punts: map[names.Reason]uint64{}}}
	table, err := hosts.New(hosts.Config{
		MAC: conf.MAC, IPs: conf.IPs, Ports: conf.Ports, Static: conf.Hosts, Links: conf.links,
		PerPort: conf.HostsPerPort, Age: conf.HostAge, InUse: func(ip wire.Addr) bool { return a.core.Uses(ip) },
		Strict: conf.StrictHosts, Unnamed: conf.guard().unnamed,
	})
	if err != nil {
		return nil, err
	}
	if f := conf.fabric; f != nil {
		conf.Group.Reachable = func(a wire.Addr) error { return f.reachable(conf.name, a) }
		conf.Group.Nest = func(list []wire.Addr) ([]group.Part, error) { return f.nest(conf.name, list) }
	}
	a.conf, a.hosts, a.from = conf, table, hosts.NoPort
	a.conf.Hosts = nil // they are in the table
	a.core = group.New(conf.Group, directory{table, &a.conf.Wiring, conf.fabric, conf.name})
	if conf.fabric != nil {
		a.tree = newPlanter(a, conf.fabric)
	}
	return a, nil
}

// Name implements session.App.
func (a *App) Name() string { return Program }

// Pipeline implements session.Loader.
func (a *App) Pipeline() string {
	if a.conf.GatherInEgress {
		return programInEgress
	}
	return Program
}

// Bind implements session.App.
func (a *App) Bind(s *session.Session) error {
	a.Session = s
	a.tables = newTables(s.Info(), &a.conf)
	if err := a.tables.check(); err != nil {
		return fmt.Errorf("the pipeline is not that of p4/rdma/rdma.p4: %w", err)
	}
	a.core.AnyPipe(a.tables.egress)
	a.keeper = &keeper{store: a.conf.Store, sw: s.Name(), log: s.Log(), ending: s.Ending(), start: s.Go, now: s.Owned()}
	if err := a.restoreStatic(); err != nil {
		return err
	}
	if a.tree != nil {
		a.tree.f.join(a.conf.name, a) // from now on the others hand it work
	}
	return nil
}

// Health implements session.App.
func (a *App) Health() error { return a.keeper.health() }

// Sync implements session.App.
func (a *App) Sync(ctx context.Context, c *p4rtclient.Client) (adopt func() error, err error) {
	if err := a.setUp(ctx, c); err != nil {
		return nil, err
	}
	im, err := a.tables.read(ctx, c)
	if err != nil {
		return nil, err
	}
	records, err := a.keeper.load()
	if errors.Is(err, durable.ErrDamaged) {
		a.stats.recordsDamaged++
		a.Log().Error("records of groups are damaged: only their peers can end these groups; the other groups continue", "err", err)
	} else if err != nil {
		return nil, err
	}
	return func() error { return a.adopt(im, records) }, nil
}

// setUp writes what is of the program and not of any group or host.
func (a *App) setUp(ctx context.Context, c *p4rtclient.Client) error {
	u, err := a.program()
	if err != nil {
		return err
	}
	if err := c.Write(ctx, u[0]); err != nil {
		return err
	}
	return c.WriteAllowing(ctx, []codes.Code{codes.AlreadyExists}, u[1])
}

// program are the updates of setUp: the time between CNPs, and the digest.
func (a *App) program() ([]*p4.Update, error) {
	interval, err := a.tables.cnpInterval(a.conf.CNPInterval)
	if err != nil {
		return nil, err
	}
	d, err := a.tables.digest()
	if err != nil {
		return nil, err
	}
	return []*p4.Update{p4rtclient.Modify(interval), p4rtclient.Insert(d)}, nil
}

// Begin does what Sync and what it returns do, on a switch that holds nothing: for an owned
// session, which has no client to read with.
func (a *App) Begin() error {
	u, err := a.program()
	if err != nil {
		return err
	}
	a.Write("program", u, nil)
	return a.adopt(&image{}, nil)
}

// adopt goes on where the switch is.
func (a *App) adopt(im *image, records []group.Record) error {
	plans, leftovers, err := a.tables.plans(im, func(index uint16, p *parts) (*group.Plan, bool) {
		if a.tree == nil {
			return nil, false
		}
		return a.tree.found(index, p, records)
	})
	if err != nil {
		return err
	}
	for _, h := range im.hosts() {
		a.hosts.Restore(h)
	}
	a.hosts.Poll() // static hosts are among what is missing
	missing, err := a.tables.difference(im, a.tables.network(a.conf.IPs, a.hosts.List()), func(ip wire.Addr) bool {
		_, known := a.hosts.Get(ip)
		return known
	})
	if err != nil {
		return err
	}
	others, err := a.tables.others()
	if err != nil {
		return err
	}
	a.Write("leftovers of groups", leftovers, nil, codes.NotFound)
	a.Write("hosts and addresses", missing, nil)
	a.Write("what ports may send", others, nil)
	a.core.Sync(a.Now(), plans, records)
	a.core.HostsMoved(a.Now())
	if a.tree != nil {
		a.tree.restored()
	}
	if a.tables.guard.unnamed {
		a.Log().Warn("the switch has no room to name all hosts of the network: ports of hosts may send from addresses that are known there, and from no others")
	}
	a.Log().Info("switch taken over", "groups", len(plans), "leftovers", len(leftovers), "hosts", len(a.hosts.List()), "written", len(missing))
	return nil
}

// Ports implements session.App.
func (a *App) Ports(up map[uint32]bool) {
	if a.tree != nil {
		a.tree.links.Ports(up)
	}
}

// Deadline implements session.App.
func (a *App) Deadline() time.Duration {
	at := min(a.core.Deadline(), a.hosts.Deadline())
	if a.tree != nil {
		at = min(at, a.tree.deadline())
	}
	return at
}

// Tick implements session.App.
func (a *App) Tick() {
	a.core.Tick(a.Now())
	a.hosts.Tick(a.Now())
	if a.tree != nil {
		a.tree.tick()
	}
}

// PacketIn implements session.App.
func (a *App) PacketIn(in p4rtclient.Packet) {
	port, frame := uint16(in.Metadata[names.PacketInIngressPort]), in.Payload
	reason := names.Reason(in.Metadata[names.PacketInReason])
	if slices.Contains(names.Reasons(), reason) { // others have no name, and are counted together
		a.stats.punts[reason]++
	}
	a.from = int(port)
	switch reason {
	case names.ReasonARP:
		a.hosts.ARP(a.Now(), port, frame)
	case names.ReasonUnknownDestination:
		if a.tree != nil && a.tree.links.Packet(a.Now(), port, frame) {
			return
		}
		a.hosts.Unknown(port, frame)
	case names.ReasonLocal:
		a.hosts.Local(a.Now(), port, frame)
	case names.ReasonNoRoute:
		a.hosts.NoRoute(a.Now(), port, frame)
	case names.ReasonTTL:
		a.hosts.Expired()
	case names.ReasonCM:
		a.receiveCM(port, frame)
	case names.ReasonInvalidRequest:
		a.refuse(port, frame, wire.NakInvalidRequest)
	case names.ReasonRemoteAccess:
		a.refuse(port, frame, wire.NakRemoteAccess)
	default:
		a.stats.unknownReason++
	}
}

// parse reads a RoCE frame and checks its ICRC.
func (a *App) parse(frame []byte) *wire.Packet {
	var p wire.Packet
	if wire.Parse(frame, &p) != nil || !a.conf.Group.ICRCOff && !p.ICRCOK() {
		a.stats.malformed++
		return nil
	}
	return &p
}

func (a *App) receiveCM(port uint16, frame []byte) {
	p := a.parse(frame)
	if p == nil {
		return
	}
	tid, m, err := cm.DecodeFrame(p)
	if err != nil {
		a.stats.malformed++
		return
	}
	if !a.fromItsPort(p.IP.Src(), port) {
		return
	}
	a.stats.cmIn++
	a.hosts.Neighbour(a.Now(), port, frame)
	a.core.Receive(a.Now(), p.IP.Dst(), p.IP.Src(), tid, m)
}

// fromItsPort reports whether a packet with a known host's address came in by a port
// of the port group that the host is on; others are counted and ignored.
func (a *App) fromItsPort(src wire.Addr, port uint16) bool {
	if _, known := a.hosts.Get(src); !known {
		if !a.conf.StrictHosts || slices.Contains(a.conf.links, port) { // what comes from a switch has been looked at there
			return true
		}
		a.stats.foreignPort++
		return false
	}
	if h, _ := (directory{a.hosts, &a.conf.Wiring, a.conf.fabric, a.conf.name}).Host(src); h.PortGroup != a.conf.Wiring.portGroup(port) {
		a.stats.foreignPort++
		return false
	}
	return true
}

func (a *App) refuse(port uint16, frame []byte, syndrome wire.Syndrome) {
	if p := a.parse(frame); p != nil && a.fromItsPort(p.IP.Src(), port) {
		a.core.Refuse(group.Request{
			Src: p.IP.Src(), Dst: p.IP.Dst(), DestQP: p.BTH.DestQP(), PSN: p.BTH.PSN(), SrcPort: p.UDP.SrcPort(),
		}, syndrome)
	}
}

// Digest implements session.App.
func (a *App) Digest(name string, rows []p4rtclient.Row) {
	if name != names.DigestNAKDigest {
		return
	}
	for _, r := range rows {
		a.core.ReplicaNAK(
			uint16(r.Uint(names.DigestNAKDigestGroup)), int(r.Uint(names.DigestNAKDigestSlot)),
			wire.Syndrome(r.Uint(names.DigestNAKDigestSyndrome)), psnOf(r.Uint(names.DigestNAKDigestAcked)))
	}
}

// Drain implements session.App: it carries out what the cores want.
func (a *App) Drain() {
	for {
		frames, changes := a.hosts.Poll()
		for _, ch := range changes {
			a.hostChanged(ch)
		}
		if slices.ContainsFunc(changes, func(c hosts.Change) bool { return c.New.Routed }) {
			a.routesChanged()
		}
		for _, f := range frames {
			a.packetOut(f)
		}
		o, ok := a.core.Poll()
		if !ok {
			a.from = hosts.NoPort
			return
		}
		a.output(o)
	}
}

// output carries out one order of the groups.
func (a *App) output(o group.Output) {
	switch o := o.(type) {
	case group.Send:
		a.sendCM(o)
	case group.NAK:
		a.hosts.Send(a.Now(), o.Header.Dst, wire.AppendFrame(nil, &o.Header, nil), a.from)
	case group.Install:
		if a.tree != nil {
			a.tree.install(o.Plan)
			return
		}
		u, err := a.tables.install(o.Plan)
		a.order(o.Plan.Index, u, err)
	case group.Remove:
		if a.tree != nil {
			a.tree.remove(o.Plan)
			return
		}
		u, err := a.tables.remove(o.Plan)
		a.order(o.Plan.Index, u, err, codes.NotFound)
	case group.Update:
		if a.tree != nil {
			a.tree.update(o.Plan)
			return
		}
		u, err := a.tables.move(o.Old, o.Plan)
		a.Write("group moved", u, err)
	case group.Entrust:
		a.tree.entrust(o.Nested)
	case group.Save:
		a.keeper.save(o.Record)
	case group.Forget:
		a.keeper.forget(o.Index)
	case group.Note:
		a.Log().Log(context.Background(), o.Level, o.Text, o.Args...)
	}
}

func (a *App) sendCM(o group.Send) {
	a.cmID++
	a.cmPSN = a.cmPSN.Add(1)
	frame, err := cm.AppendFrame(nil, cm.FrameHeader{
		Src: o.Local, Dst: o.Remote, SrcPort: wire.UDPPort, ID: a.cmID, PSN: a.cmPSN,
	}, o.TID, o.Message)
	if err != nil { // private data of ours that is too long
		a.Log().Error("connection management message not sent", "to", o.Remote, "err", err)
		return
	}
	a.stats.cmOut++
	behalf := a.from
	if o.Forms {
		behalf = int(o.Behalf)
	}
	a.hosts.Send(a.Now(), o.Remote, frame, behalf)
}

// order gives the switch the updates of a group, and the group the answer.
func (a *App) order(index uint16, u []*p4.Update, err error, allow ...codes.Code) {
	a.Order(u, err, func(err error) { a.core.Done(a.Now(), index, err) }, allow...)
}

func (a *App) packetOut(f hosts.PacketOut) {
	a.PacketOut(p4rtclient.Packet{Metadata: map[string]uint64{names.PacketOutEgressPort: uint64(f.Port)}, Payload: f.Frame})
}

// hostChanged installs a host that was learned, or has moved.
func (a *App) hostChanged(c hosts.Change) {
	switch {
	case c.Gone:
		a.hostGone(*c.Old)
		return
	case c.New.Routed && c.Old != nil: // by another path: its route is one of many (routesChanged)
	case c.Old != nil:
		a.Log().Info("host moved", "host", c.New.IP, "mac", macString(c.New.MAC), "port", c.New.Port, "old_mac", macString(c.Old.MAC), "old_port", c.Old.Port)
	default:
		a.Log().Info("host learned", "host", c.New.IP, "mac", macString(c.New.MAC), "port", c.New.Port)
	}
	switch {
	case !a.InControl():
		return // the synchronisation installs it
	case !c.New.Routed:
		a.attached(c)
	case c.Old == nil:
		u, err := a.tables.info.Updates(nil, p4.Update_INSERT, a.tables.beyond(c.New)...)
		a.Write("host learned", u, err, codes.AlreadyExists)
	}
	if c.Old != nil {
		a.core.HostMoved(a.Now(), c.New.IP)
	}
}

// attached writes the entries of a host of this switch.
func (a *App) attached(c hosts.Change) {
	var u []*p4.Update
	var err error
	if c.Old != nil && c.Old.MAC != c.New.MAC && !a.macInUse(c.Old.MAC) {
		u, err = a.tables.info.Updates(u, p4.Update_DELETE, a.tables.macOf(*c.Old)...)
		a.Write("host moved", u, err, codes.NotFound)
	}
	// Several addresses may share a MAC, and a restarted controller may find
	// what it is about to write: insert what is new, then make it right.
	list := a.tables.host(c.New)
	for _, op := range []p4.Update_Type{p4.Update_INSERT, p4.Update_MODIFY} {
		u, err = a.tables.info.Updates(nil, op, list...)
		a.Write("host learned", u, err, codes.AlreadyExists)
	}
}

// hostGone takes away what forwards to a host.
func (a *App) hostGone(h hosts.Host) {
	a.Log().Info("host forgotten", "host", h.IP, "mac", macString(h.MAC), "port", h.Port)
	if !a.InControl() {
		return // the synchronisation finds that it belongs to nothing
	}
	list := a.tables.ipOf(h)
	if !a.macInUse(h.MAC) {
		list = append(list, a.tables.macOf(h)...)
	}
	u, err := a.tables.info.Updates(nil, p4.Update_DELETE, list...)
	a.Write("host forgotten", u, err, codes.NotFound)
}

// routesChanged writes what is different of the routes to hosts behind other switches, and takes away the sets of paths behind
// which nobody is any more.
func (a *App) routesChanged() {
	if a.Session == nil || !a.InControl() {
		return // the synchronisation finds what is missing, and what belongs to nothing
	}
	u, err := a.tables.reroute(a.hosts.List())
	if len(u) == 0 && err == nil {
		return
	}
	a.Log().Info("routes changed", "updates", len(u))
	a.Order(u, err, func(err error) {
		if err != nil { // which routes the switch has now, only the switch knows
			a.Log().Error("routes not written; the controller reads the switch again", "err", err)
			a.Resync()
		}
	})
}

func (a *App) macInUse(m wire.MAC) bool {
	for _, h := range a.hosts.List() {
		if h.MAC == m {
			return true
		}
	}
	return false
}

// Groups describes the groups of the switch; on the loop.
func (a *App) Groups() []group.Info { return a.core.List() }
