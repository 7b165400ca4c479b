package chaos

import (
	"fmt"
	"slices"
	"time"

	"github.com/p4ce/p4ce/systems/paxos"
)

// guest is a host that proposes, and is no replica: replicas answer it.
type guest struct {
	w        *World
	index    int
	at       Addr
	lives    uint32 // each has a client of its own
	up       bool
	proposer *paxos.Proposer
	names    map[uint32]string // of values under way, by number
	waiting  []string          // to be submitted
	run      int
}

func newGuest(w *World, index int) *guest {
	return &guest{w: w, index: index, at: At(byte(guestAt + index))}
}

func (g *guest) String() string { return fmt.Sprintf("guest %d", g.index) }

// number is the upper half of its clients.
func (g *guest) number() uint16 { return uint16(guestAt + g.index) }

func (g *guest) client() uint32 { return uint32(g.number())<<16 | g.lives }

func (g *guest) start() {
	g.run++
	g.lives++
	g.up, g.names, g.waiting = true, map[uint32]string{}, nil
	var err error
	if g.proposer, err = paxos.NewProposer(paxos.ProposerOptions{Client: g.client(), Window: 8, Resend: time.Millisecond}); err != nil {
		g.w.fail("proposer: %v", err)
		return
	}
	g.tick(g.run)
}

func (g *guest) stop() {
	g.w.check.abandoned(g)
	g.up = false
	g.run++
}

func (g *guest) submit(values ...string) {
	if g.up {
		g.waiting = append(g.waiting, values...)
		g.push()
	}
}

func (g *guest) push() {
	for len(g.waiting) > 0 {
		n, err := g.proposer.Submit(g.w.Now(), []byte(g.waiting[0]))
		if err != nil {
			break
		}
		g.names[n] = g.waiting[0]
		g.w.check.submitted(g, g.waiting[0])
		g.waiting = g.waiting[1:]
	}
	for _, m := range slices.Clone(g.proposer.Sends()) {
		to := Leader
		if m.Kind == paxos.Report {
			to = controller
		}
		g.w.send(Packet{From: g.at, To: to, Message: m})
	}
}

func (g *guest) receive(p Packet) {
	m, ok := arrive(p)
	if !ok || !g.up {
		return
	}
	switch {
	case m.Kind == paxos.Answer && m.Client == g.client() && g.w.byHost[p.From] != nil:
		if g.proposer.Delivered(g.w.Now(), m.Sequence) {
			g.w.Stats.Answered++
			g.w.check.acknowledged(g, delivered{m.Client, m.Sequence, g.names[m.Sequence]})
			delete(g.names, m.Sequence)
		}
	case m.Kind == paxos.Refused && p.From == Leader:
		g.proposer.Refuse(&m)
		if paxos.Reason(m.VoteRound) == paxos.ReasonFull && m.Sequence == g.proposer.Oldest() {
			for _, h := range g.w.hosts {
				g.w.send(Packet{From: g.at, To: h.at, Message: m})
			}
		}
	}
	g.push()
}

// tick is done every 200 microseconds.
func (g *guest) tick(run int) {
	if run != g.run {
		return
	}
	g.proposer.Tick(g.w.Now())
	g.push()
	g.w.after(200*time.Microsecond, func() { g.tick(run) })
}
