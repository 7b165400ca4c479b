package ctrl

import (
	"context"
	crand "crypto/rand"
	"encoding/binary"
	"log/slog"
	"math/rand/v2"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/ctrl/group"
	"github.com/p4ce/p4ce/ctrl/hosts"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/wire"
)

// inboxSize is how much of what a switch sends up may wait for the loop. What
// does not fit stays in the stream, and in the end the switch drops it.
const inboxSize = 1024

// resyncAfter is the pause before a failed synchronisation is repeated.
const resyncAfter = time.Second

// Switch is the controller's side of one switch. All state belongs to the
// goroutine of loop; everything else posts functions to it.
type Switch struct {
	conf   SwitchConfig
	log    *slog.Logger
	store  Store
	client *p4rtclient.Client
	worker *worker
	rdma   *rdma
	inbox  chan func()
	start  time.Time

	hosts *hosts.Table
	core  *group.Core
	cmID  uint16   // IPv4 identification of CM frames
	cmPSN wire.PSN // of the switch's QP 1

	connected bool
	primary   bool
	synced    bool // the switch is in the controller's hands
	stats     switchStats
	ready     func() // called once, after the first synchronisation
}

type switchStats struct {
	packetIns, ignored, malformed, foreignPort, unknownReason, cmIn, cmOut, packetOutFailed, storeFailed, syncs uint64
}

// directory shows the host table to the groups.
type directory struct {
	t *hosts.Table
	w *Wiring
}

func (d directory) Host(a wire.Addr) (group.Host, bool) {
	h, ok := d.t.Get(a)
	return d.w.place(h.MAC, h.Port), ok
}

// newSwitch makes the switch's state; nothing is sent before run.
func newSwitch(conf SwitchConfig, store Store, log *slog.Logger) (*Switch, error) {
	table, err := hosts.New(hosts.Config{MAC: conf.MAC, IPs: conf.IPs, Ports: conf.Ports, Static: conf.Hosts})
	if err != nil {
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
	client, err := p4rtclient.New(conf.P4RT)
	if err != nil {
		return nil, err
	}
	return &Switch{
		conf: conf, log: log.With("switch", conf.Name), store: store, client: client, worker: newWorker(client),
		rdma: &rdma{p4rtclient.NewInfo(conf.Pipeline.GetP4Info()), conf.MAC, &conf.Wiring}, inbox: make(chan func(), inboxSize), start: time.Now(),
		hosts: table, core: group.New(conf.Group, directory{table, &conf.Wiring}),
	}, nil
}

func (s *Switch) now() time.Duration { return time.Since(s.start) }

// post hands a function to the loop.
func (s *Switch) post(ctx context.Context, fn func()) {
	select {
	case s.inbox <- fn:
	case <-ctx.Done():
	}
}

// ask runs a function on the loop and waits for it.
func (s *Switch) ask(ctx context.Context, fn func()) error {
	done := make(chan struct{})
	s.post(ctx, func() { fn(); close(done) })
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run serves the switch until ctx ends.
func (s *Switch) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{}, 2)
	go func() { s.worker.run(ctx); done <- struct{}{} }()
	go func() { s.loop(ctx); done <- struct{}{} }()
	err := s.client.Run(ctx, p4rtclient.Handler{
		Mastership: func(sctx context.Context, primary bool) {
			s.post(sctx, func() { s.mastership(ctx, primary) })
		},
		PacketIn: func(p *p4.PacketIn) { s.post(ctx, func() { s.packetIn(p) }) },
		Digest:   func(l *p4.DigestList) { s.post(ctx, func() { s.digest(l) }) },
		StreamError: func(e *p4.StreamError) {
			s.post(ctx, func() {
				s.stats.packetOutFailed++
				s.log.Warn("switch refused a message", "code", codes.Code(e.GetCanonicalCode()), "err", e.GetMessage())
			})
		},
		Disconnected: func(error) {
			s.post(ctx, func() { s.connected, s.primary, s.synced = false, false, false })
		},
	})
	cancel()
	<-done
	<-done
	s.client.Close()
	return err
}

func (s *Switch) loop(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		wait := min(s.core.Deadline(), s.hosts.Deadline())
		if wait != group.Never {
			timer.Reset(max(0, wait-s.now()))
		}
		select {
		case <-ctx.Done():
			return
		case fn := <-s.inbox:
			fn()
		case <-timer.C:
			s.core.Tick(s.now())
			s.hosts.Tick(s.now())
		}
		s.drain(ctx)
	}
}

// mastership handles the outcome of arbitration.
func (s *Switch) mastership(ctx context.Context, primary bool) {
	s.connected = true
	was := s.primary
	s.primary = primary
	if !primary {
		s.synced = false
		s.log.Info("another controller is the primary of the switch")
		return
	}
	if !was || !s.synced {
		s.sync(ctx)
	}
}

// packetIn handles a packet that the switch sent up.
func (s *Switch) packetIn(p *p4.PacketIn) {
	s.stats.packetIns++
	if !s.synced { // groups must be known before new ones are formed; senders repeat themselves
		s.stats.ignored++
		return
	}
	in := s.rdma.info.PacketIn(p)
	port, frame := uint16(in.Metadata[names.PacketInIngressPort]), in.Payload
	switch names.Reason(in.Metadata[names.PacketInReason]) {
	case names.ReasonARP:
		s.hosts.ARP(s.now(), port, frame)
	case names.ReasonUnknownDestination:
		s.hosts.Unknown(port, frame)
	case names.ReasonLocal:
		s.hosts.Local(s.now(), port, frame)
	case names.ReasonNoRoute:
		s.hosts.NoRoute(s.now(), port, frame)
	case names.ReasonTTL:
		s.hosts.Expired()
	case names.ReasonCM:
		s.receiveCM(port, frame)
	case names.ReasonInvalidRequest:
		s.refuse(port, frame, wire.NakInvalidRequest)
	case names.ReasonRemoteAccess:
		s.refuse(port, frame, wire.NakRemoteAccess)
	default:
		s.stats.unknownReason++
	}
}

// parse reads a RoCE frame and checks its ICRC.
func (s *Switch) parse(frame []byte) *wire.Packet {
	var p wire.Packet
	if wire.Parse(frame, &p) != nil || !s.conf.Group.ICRCOff && !p.ICRCOK() {
		s.stats.malformed++
		return nil
	}
	return &p
}

func (s *Switch) receiveCM(port uint16, frame []byte) {
	p := s.parse(frame)
	if p == nil {
		return
	}
	tid, m, err := cm.DecodeFrame(p)
	if err != nil {
		s.stats.malformed++
		return
	}
	if !s.fromItsPort(p.IP.Src(), port) {
		return
	}
	s.stats.cmIn++
	s.hosts.Neighbour(s.now(), port, frame)
	s.core.Receive(s.now(), p.IP.Dst(), p.IP.Src(), tid, m)
}

// fromItsPort reports whether a packet with a known host's address came in by a port
// of the class that the host is on; others are counted and ignored.
func (s *Switch) fromItsPort(src wire.Addr, port uint16) bool {
	h, known := s.hosts.Get(src)
	if known && s.conf.Wiring.class(h.Port) != s.conf.Wiring.class(port) {
		s.stats.foreignPort++
		return false
	}
	return true
}

func (s *Switch) refuse(port uint16, frame []byte, syndrome wire.Syndrome) {
	if p := s.parse(frame); p != nil && s.fromItsPort(p.IP.Src(), port) {
		s.core.Refuse(group.Request{
			Src: p.IP.Src(), Dst: p.IP.Dst(), DestQP: p.BTH.DestQP(), PSN: p.BTH.PSN(), SrcPort: p.UDP.SrcPort(),
		}, syndrome)
	}
}

func (s *Switch) digest(l *p4.DigestList) {
	for _, n := range s.rdma.decodeDigest(l) {
		s.core.ReplicaNAK(n.group, n.slot, n.syndrome, n.acked)
	}
	if err := s.client.AckDigest(l); err != nil {
		s.log.Debug("digest not acknowledged", "err", err)
	}
}

// drain carries out what the cores want.
func (s *Switch) drain(ctx context.Context) {
	for {
		frames, changes := s.hosts.Poll()
		for _, ch := range changes {
			s.hostChanged(ctx, ch)
		}
		for _, f := range frames {
			s.packetOut(f)
		}
		o, ok := s.core.Poll()
		if !ok {
			return
		}
		s.output(ctx, o)
	}
}

// output carries out one order of the groups.
func (s *Switch) output(ctx context.Context, o group.Output) {
	switch o := o.(type) {
	case group.Send:
		s.sendCM(o)
	case group.NAK:
		s.hosts.Send(s.now(), o.Header.Dst, wire.AppendFrame(nil, &o.Header, nil))
	case group.Install:
		u, err := s.rdma.install(o.Plan)
		s.order(ctx, o.Plan.Index, u, err)
	case group.Remove:
		u, err := s.rdma.remove(o.Plan)
		s.order(ctx, o.Plan.Index, u, err, codes.NotFound)
	case group.Update:
		u, err := s.rdma.move(o.Old, o.Plan)
		s.write("group moved", u, err)
	case group.Save:
		s.stored(s.store.Save(s.conf.Name, o.Record))
	case group.Forget:
		s.stored(s.store.Forget(s.conf.Name, o.Index))
	case group.Note:
		s.log.Log(ctx, o.Level, o.Text, o.Args...)
	}
}

func (s *Switch) stored(err error) {
	if err != nil {
		s.stats.storeFailed++
		s.log.Error("record not stored: after a restart the group can only be ended by its peers", "err", err)
	}
}

func (s *Switch) sendCM(o group.Send) {
	s.cmID++
	s.cmPSN = s.cmPSN.Add(1)
	frame, err := cm.AppendFrame(nil, cm.FrameHeader{
		Src: o.Local, Dst: o.Remote, SrcPort: wire.UDPPort, ID: s.cmID, PSN: s.cmPSN,
	}, o.TID, o.Message)
	if err != nil { // private data of ours that is too long
		s.log.Error("connection management message not sent", "to", o.Remote, "err", err)
		return
	}
	s.stats.cmOut++
	s.hosts.Send(s.now(), o.Remote, frame)
}

// order gives the switch the updates of a group, and the group the answer.
func (s *Switch) order(ctx context.Context, index uint16, u []*p4.Update, err error, allow ...codes.Code) {
	answer := func(err error) {
		s.post(ctx, func() { s.core.Done(s.now(), index, err) })
	}
	if err != nil { // the p4info does not have what it should
		go answer(err) // not from here: the inbox may be full
		return
	}
	s.worker.add(job{updates: u, allow: allow, done: answer})
}

// write gives the switch updates that nobody waits for.
func (s *Switch) write(what string, u []*p4.Update, err error, allow ...codes.Code) {
	failed := func(err error) {
		if err != nil {
			s.log.Error("switch not updated", "what", what, "err", err)
		}
	}
	if err != nil {
		failed(err)
		return
	}
	if len(u) > 0 {
		s.worker.add(job{updates: u, allow: allow, done: failed})
	}
}

func (s *Switch) packetOut(f hosts.PacketOut) {
	p, err := s.rdma.info.PacketOut(p4rtclient.Packet{Metadata: map[string]uint64{names.PacketOutEgressPort: uint64(f.Port)}, Payload: f.Frame})
	if err == nil {
		err = s.client.PacketOut(p)
	}
	if err != nil {
		s.stats.packetOutFailed++
		s.log.Debug("packet not sent", "port", f.Port, "err", err)
	}
}

// hostChanged installs a host that was learned, or has moved.
func (s *Switch) hostChanged(ctx context.Context, c hosts.Change) {
	if c.Old != nil {
		s.log.Info("host moved", "host", c.New.IP, "mac", macString(c.New.MAC), "port", c.New.Port, "old_mac", macString(c.Old.MAC), "old_port", c.Old.Port)
	} else {
		s.log.Info("host learned", "host", c.New.IP, "mac", macString(c.New.MAC), "port", c.New.Port)
	}
	if !s.synced {
		return // the synchronisation installs it
	}
	var u []*p4.Update
	var err error
	if c.Old != nil && c.Old.MAC != c.New.MAC && !s.macInUse(c.Old.MAC) {
		u, err = s.rdma.append(u, p4.Update_DELETE, s.rdma.host(*c.Old)[0])
		s.write("host moved", u, err, codes.NotFound)
	}
	// Several addresses may share a MAC, and a restarted controller may find
	// what it is about to write: insert what is new, then make it right.
	for _, op := range []p4.Update_Type{p4.Update_INSERT, p4.Update_MODIFY} {
		u, err = s.rdma.append(nil, op, s.rdma.host(c.New)...)
		s.write("host learned", u, err, codes.AlreadyExists)
	}
	if c.Old != nil {
		s.core.HostMoved(s.now(), c.New.IP)
	}
}

func (s *Switch) macInUse(m wire.MAC) bool {
	for _, h := range s.hosts.List() {
		if h.MAC == m {
			return true
		}
	}
	return false
}
