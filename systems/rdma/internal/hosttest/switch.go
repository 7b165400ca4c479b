// Package hosttest is for tests of servers: software devices on a hub, and a stand-in for a
// switch and its controller.
package hosttest

import (
	"errors"
	"math/rand/v2"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/link/hub"
	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/cmsm"
	"github.com/p4ce/p4ce/roce/wire"
	rdmaprivate "github.com/p4ce/p4ce/systems/rdma/private"
)

// Switch does for one group what the switch and its controller do: it answers
// connection management, copies WRITEs to the replicas and gathers their
// acknowledgements cumulatively. It exists for the tests of the leader only; what
// is tested end to end is the P4 program.
type Switch struct {
	t     *testing.T
	port  *hub.Port
	addr  wire.Addr
	agent *cmsm.Agent
	// Of the cluster of leader and replicas.
	secret     rdmaprivate.Secret
	challenger *rdmaprivate.Challenger
	start      time.Time
	done       chan struct{}

	mu     sync.Mutex
	Drop   func(slot int, p *wire.Packet) bool // scatter copies to lose
	Silent bool                                // forward no data
	Refuse string                              // groups, and say why

	leader   *cmsm.Conn
	req      rdmaprivate.Request
	exchange *rdmaprivate.Exchange // with the leader
	slots    []slot
	psn      wire.PSN // the leader's first
	commit   wire.PSN
	started  bool
}

type slot struct {
	conn   *cmsm.Conn
	prover *rdmaprivate.Prover
	region rdmaprivate.Region
	qpn    uint32
	delta  int
	acked  wire.PSN
	ready  bool
}

const (
	bcastQP = 0x100
	aggrQP  = 0x200
)

// NewSwitch attaches a switch to a hub, until the test ends. It knows the secret of the cluster.
func NewSwitch(t *testing.T, h *hub.Hub, addr netip.Addr, secret rdmaprivate.Secret) *Switch {
	port, err := h.Attach(addr, 0)
	require.NoError(t, err)
	a, _ := wire.AddrFrom(addr)
	s := &Switch{t: t, port: port, addr: a, secret: secret, challenger: rdmaprivate.NewChallenger([32]byte{9}), agent: cmsm.NewAgent(cmsm.Config{Seed: 9}), start: time.Now(), done: make(chan struct{})}
	go s.run()
	t.Cleanup(func() {
		_ = port.Close()
		<-s.done
	})
	return s
}

// Set changes the fields of the switch while it runs.
func (s *Switch) Set(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

func (s *Switch) run() {
	defer close(s.done)
	frames := make([][]byte, 64)
	for {
		n, err := s.port.Receive(frames)
		if err != nil {
			return
		}
		s.mu.Lock()
		for _, f := range frames[:n] {
			var p wire.Packet
			if wire.Parse(f, &p) == nil && p.ICRCOK() {
				s.packet(&p)
			}
		}
		s.mu.Unlock()
	}
}

func (s *Switch) packet(p *wire.Packet) {
	now := time.Since(s.start)
	switch {
	case cm.IsFrame(p):
		tid, m, err := cm.DecodeFrame(p)
		if err != nil {
			return
		}
		s.agent.Receive(now, s.addr, p.IP.Src(), tid, m)
		for {
			e, ok := s.agent.PollEvent()
			if !ok {
				break
			}
			s.event(now, e)
		}
		for {
			m, ok := s.agent.PollMessage()
			if !ok {
				break
			}
			f, err := cm.AppendFrame(nil, cm.FrameHeader{Src: m.Local, Dst: m.Remote}, m.TID, m.Message)
			if err == nil {
				s.port.Send(f)
			}
		}
	case s.Silent || !s.started:
	case p.BTH.DestQP() == bcastQP:
		s.scatter(p)
	default:
		s.gather(p)
	}
}

func (s *Switch) event(now time.Duration, e cmsm.Event) {
	switch e.Kind {
	case cmsm.Requested:
		_, user, _ := cm.SplitPrivateData(e.REQ.PrivateData)
		r, err := rdmaprivate.ParseRequest(user)
		var x *rdmaprivate.Exchange
		if err == nil && s.Refuse == "" {
			_, x, err = s.challenger.Check(now, &r, e.Conn.Remote().Netip(), s.addr.Netip(), s.secret)
		} else {
			err = errors.New(s.Refuse)
		}
		if err == nil && r.Form != rdmaprivate.FormGroup {
			err = errors.New("no group")
		}
		if err != nil {
			_ = e.Conn.Reject(now, cm.ReasonConsumer, rdmaprivate.Refuse(rdmaprivate.NoSlot, err))
			return
		}
		s.exchange = x
		s.leader, s.req, s.psn, s.started = e.Conn, r, wire.PSNMask-20, false
		s.slots = make([]slot, len(r.Replicas))
		for i, a := range r.Replicas {
			m := rdmaprivate.Request{Form: rdmaprivate.FormMember, LeaderID: r.LeaderID, Term: r.Term, Leader: e.Conn.Remote().Netip(), Slot: uint8(i)}
			s.slots[i].prover = s.secret.Prover(&m, s.addr.Netip(), a, rand.Uint64)
			s.ask(now, i)
		}
	case cmsm.Accepted:
		all := true
		for i := range s.slots {
			sl := &s.slots[i]
			if sl.conn == e.Conn {
				if sl.prover.Replied(e.REP.PrivateData) != nil {
					_ = e.Conn.Disconnect(now, nil)
					_ = s.leader.Reject(now, cm.ReasonConsumer, rdmaprivate.Refusal{Text: "replica is a stranger"}.Append(nil))
					return
				}
				sl.region, _ = rdmaprivate.ParseRegion(e.REP.PrivateData)
				sl.qpn, sl.delta = e.REP.LocalQPN, wire.PSNOf(e.REP.StartingPSN).Sub(s.psn)
				sl.acked, sl.ready = s.psn.Add(-1), true
				_ = e.Conn.Confirm(now)
			}
			all = all && sl.ready
		}
		if all && !s.started {
			s.started, s.commit = true, s.psn.Add(-1)
			region := rdmaprivate.Region{VA: 0, RKey: 0xabc, Size: s.slots[0].region.Size}
			private, _ := s.exchange.Reply(region.Append(nil))
			rep, _ := cmsm.Offer{QPN: bcastQP, StartingPSN: s.psn, Private: private}.REP()
			_ = s.leader.Accept(now, rep)
		}
	case cmsm.Rejected, cmsm.TimedOut:
		for i := range s.slots {
			if s.slots[i].conn == e.Conn && e.Kind == cmsm.Rejected {
				if again, _, _ := s.slots[i].prover.Refused(e.Private); again {
					s.ask(now, i)
					return
				}
			}
		}
		if s.leader != nil && e.Conn != s.leader && !s.started {
			_ = s.leader.Reject(now, cm.ReasonConsumer, rdmaprivate.Refusal{Text: "replica refused"}.Append(nil))
		}
	case cmsm.Disconnected:
		if e.Conn == s.leader {
			s.started = false
			for i := range s.slots {
				_ = s.slots[i].conn.Disconnect(now, nil)
			}
		}
	}
}

// ask connects to a replica.
func (s *Switch) ask(now time.Duration, i int) {
	data, _ := s.slots[i].prover.Private()
	to := s.req.Replicas[i]
	req, _ := cmsm.Offer{
		Local: s.addr.Netip(), Remote: to, Port: s.req.Port, QPN: aggrQP + uint32(i), StartingPSN: 1,
		MTU: cm.MTUBytes(s.leader.REQ().PathMTU), Private: data,
	}.REQ()
	dst, _ := wire.AddrFrom(to)
	s.slots[i].conn = s.agent.Connect(now, s.addr, dst, req)
}

func (s *Switch) scatter(p *wire.Packet) {
	for i := range s.slots {
		sl := &s.slots[i]
		if s.Drop != nil && s.Drop(i, p) {
			continue
		}
		h := wire.Header{
			Src: s.addr, Dst: sl.conn.Remote(), Opcode: p.BTH.Opcode(), AckReq: p.BTH.AckReq(), DestQP: sl.qpn,
			PSN: p.BTH.PSN().Add(sl.delta), SrcPort: 0xc123,
		}
		if p.RETH != nil {
			h.VA, h.RKey, h.Length = p.RETH.VA()+sl.region.VA, sl.region.RKey, p.RETH.Length()
		}
		s.port.Send(wire.AppendFrame(nil, &h, p.Payload))
	}
}

func (s *Switch) gather(p *wire.Packet) {
	i := int(p.BTH.DestQP()) - aggrQP
	if i < 0 || i >= len(s.slots) || p.AETH == nil {
		return
	}
	sl := &s.slots[i]
	psn := p.BTH.PSN().Add(-sl.delta)
	syndrome := p.AETH.Syndrome()
	if !syndrome.IsAck() {
		if e := psn.Add(-1); sl.acked.Before(e) {
			sl.acked = e
		}
		s.forward(s.commit.Add(1), syndrome, p.AETH.MSN())
		return
	}
	if sl.acked.Before(psn) {
		sl.acked = psn
	}
	n := 0
	for k := range s.slots {
		if !s.slots[k].acked.Before(psn) {
			n++
		}
	}
	if n >= s.req.Policy.Needed(len(s.slots)) {
		if s.commit.Before(psn) {
			s.commit = psn
		}
		s.forward(psn, syndrome, p.AETH.MSN())
	}
}

func (s *Switch) forward(psn wire.PSN, syndrome wire.Syndrome, msn uint32) {
	s.port.Send(wire.AppendFrame(nil, &wire.Header{
		Src: s.addr, Dst: s.leader.Remote(), Opcode: wire.Acknowledge, DestQP: s.leader.REQ().LocalQPN, PSN: psn, Syndrome: syndrome, MSN: msn,
	}, nil))
}
