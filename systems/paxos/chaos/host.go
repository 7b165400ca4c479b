package chaos

import (
	"fmt"
	"slices"
	"time"

	"github.com/p4ce/p4ce/systems/paxos"
)

// host is a server: a replica with its state machine, which is the list of what was delivered,
// and a proposer.
type host struct {
	w        *World
	index    int
	at       Addr
	disk     disk
	lives    uint32 // each has a client of its own
	disks    uint32 // each has an id of its own
	up       bool
	asleep   bool
	lost     bool // its disk, some time
	replica  *paxos.Replica
	proposer *paxos.Proposer
	log      []delivered
	names    map[uint32]string // of values under way, by number
	waiting  []string          // to be submitted
	wanted   map[uint64]bool   // instances that are being recovered
	run      int
}

// disk is what a host has when it starts again.
type disk struct {
	log      []delivered
	state    []byte
	position uint64 // of the state
}

// delivered is a value of the log.
type delivered struct {
	client, sequence uint32
	value            string
}

func (h *host) String() string { return fmt.Sprintf("host %d", h.index) }

func newHost(w *World, index int) *host {
	return &host{w: w, index: index, at: At(byte(hostAt + index))}
}

// id is what the host is in reports: one that has lost its disk is another one.
func (h *host) id() uint32 { return uint32(h.index)<<16 | h.disks }

func (h *host) start() {
	w := h.w
	h.run++
	h.lives++
	h.up, h.asleep, h.names, h.waiting = true, false, map[uint32]string{}, nil
	h.wanted = map[uint64]bool{}
	var guests []uint16
	for _, g := range w.guests {
		guests = append(guests, g.number())
	}
	var err error
	h.replica, err = paxos.NewReplica(paxos.ReplicaOptions{
		Host: h.id(), Acceptors: w.o.Acceptors + w.o.Spares, Ring: max(64, 4*w.o.Ring), GapAfter: time.Millisecond, Report: 4 * time.Millisecond, Guests: guests,
	})
	if err != nil {
		w.fail("replica: %v", err)
		return
	}
	h.proposer, err = paxos.NewProposer(paxos.ProposerOptions{
		Client: uint32(h.index+1)<<16 | h.lives, Window: 8, Resend: time.Millisecond,
	})
	if err != nil {
		w.fail("proposer: %v", err)
		return
	}
	h.log = slices.Clone(h.disk.log)
	if h.disk.state != nil {
		if err := h.replica.Restore(h.disk.state); err != nil {
			w.fail("host %d restores its own state: %v", h.index, err)
		}
	}
	h.tick(h.run)
}

func (h *host) stop(loses bool) {
	h.w.check.abandoned(h)
	h.up = false
	h.run++
	if loses {
		h.disk = disk{}
		h.disks++
		h.lost = true
	}
}

// submit has the proposer take values, as soon as it does.
func (h *host) submit(values ...string) {
	if !h.up {
		return
	}
	h.waiting = append(h.waiting, values...)
	h.push()
}

func (h *host) push() {
	for len(h.waiting) > 0 {
		n, err := h.proposer.Submit(h.w.Now(), []byte(h.waiting[0]))
		if err != nil {
			break
		}
		h.names[n] = h.waiting[0]
		h.w.check.submitted(h, h.waiting[0])
		h.waiting = h.waiting[1:]
	}
	h.flush()
}

func (h *host) flush() {
	for _, m := range h.proposer.Sends() {
		to := Leader
		if m.Kind == paxos.Report {
			to = controller
		}
		h.w.send(Packet{From: h.at, To: to, Message: m})
	}
	for _, s := range h.replica.Sends() {
		to := controller
		switch s.To {
		case paxos.ToController:
		case paxos.ToClient:
			to = At(byte(s.Message.Client >> 16))
		default:
			to = At(byte(acceptorAt + s.To))
			h.w.Stats.Queries++
		}
		h.w.send(Packet{From: h.at, To: to, Message: s.Message})
	}
}

func (h *host) receive(p Packet) {
	m, ok := arrive(p)
	if !ok || !h.up || h.asleep {
		return
	}
	h.w.log("host %d: %v %s", h.index, p.From.Addr(), show(&m))
	switch m.Kind {
	case paxos.Deliver:
		if p.From != Learner {
			return
		}
		h.replica.Deliver(h.w.Now(), &m)
	case paxos.Refused:
		h.replica.Refuse(&m)
		if p.From == Leader {
			h.proposer.Refuse(&m)
		}
	}
	h.drain()
}

func (h *host) drain() {
	var e paxos.Entry
	for h.replica.Next(&e) {
		v := delivered{e.Client, e.Sequence, string(e.Value)}
		h.log = append(h.log, v)
		h.w.Stats.Delivered++
		h.w.check.applied(h, v)
		if e.Client == uint32(h.index+1)<<16|h.lives && h.proposer.Delivered(h.w.Now(), e.Sequence) {
			delete(h.names, e.Sequence)
			h.w.check.acknowledged(h, v)
		}
		if h.replica.Position() == e.Instance && h.w.rand.IntN(4) == 0 { // between two values of an instance
			h.w.Stats.PartKept++
			h.checkpoint()
		}
	}
	h.recovered()
	h.push()
}

// recover wants to know an instance that was delivered here or comes soon, with a no-op of its own.
func (h *host) recover() {
	w := h.w
	i := h.replica.Position() + uint64(w.rand.IntN(w.o.Ring+3))
	if i = i - min(i, uint64(w.o.Ring)); i == 0 {
		return
	}
	noop := fmt.Sprintf("nothing in %d, says host %d", i, h.index)
	if err := h.replica.Recover(i, []byte(noop)); err != nil {
		w.fail("host %d recovers %d: %v", h.index, i, err)
		return
	}
	h.wanted[i] = true
	w.check.noops[uint32(i)] = append(w.check.noops[uint32(i)], noop)
}

// recovered takes what was recovered.
func (h *host) recovered() {
	for {
		d, ok := h.replica.Recovered()
		if !ok {
			return
		}
		delete(h.wanted, d.Instance)
		h.w.check.recovered(h, &d)
	}
}

// checkpoint writes the state to the disk.
func (h *host) checkpoint() {
	h.disk = disk{slices.Clone(h.log), h.replica.AppendState(nil), h.replica.Position()}
	h.replica.Checkpointed(h.replica.Position())
}

// transfer takes the state of the host that is furthest.
func (h *host) transfer() {
	var best *host
	for _, o := range h.w.hosts {
		if o != h && o.up && !o.asleep && o.replica.Position() > h.replica.Position() && (best == nil || o.replica.Position() > best.replica.Position()) {
			best = o
		}
	}
	if best == nil {
		return
	}
	h.w.Stats.Transfers++
	h.w.log("host %d takes the state of host %d", h.index, best.index)
	if err := h.replica.Restore(best.replica.AppendState(nil)); err != nil {
		h.w.fail("host %d restores the state of host %d: %v", h.index, best.index, err)
		return
	}
	h.log = slices.Clone(best.log)
	h.checkpoint()
	// What it has submitted may have been delivered meanwhile.
	client := uint32(h.index+1)<<16 | h.lives
	var done []uint32
	h.proposer.Each(func(n uint32) {
		if h.replica.Has(client, n) {
			done = append(done, n)
		}
	})
	for _, n := range done {
		h.proposer.Delivered(h.w.Now(), n)
		h.w.check.acknowledged(h, delivered{client, n, h.names[n]})
		delete(h.names, n)
	}
	h.drain()
}

// tick is done every 200 microseconds.
func (h *host) tick(run int) {
	w := h.w
	if run != h.run {
		return
	}
	if !h.asleep {
		h.proposer.Tick(w.Now())
		h.replica.Tick(w.Now())
		h.flush()
		if h.replica.Behind() {
			h.transfer()
		}
		if !w.healed && w.rand.IntN(40) == 0 {
			h.recover()
		}
		h.recovered()
		if w.rand.IntN(20) == 0 {
			h.checkpoint()
		}
	}
	w.after(200*time.Microsecond, func() { h.tick(run) })
}
