package consensus

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/p4ce/p4ce/sim/explore"
	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/mu/rig"
)

// What a cluster may take to go on, in rounds: in each, everybody's heartbeat moves and
// everything happens that is due. Time-outs that are never over in a search are over in
// every patience-th round.
const (
	maxRounds = 3000
	patience  = 150
	maxSweeps = 6 // of what is due, in one round
)

// Converge implements explore.Converger. A random majority that has forgotten nothing is
// well from now on; the others stay as they are, or are cut off, crash, or are held up
// for good. Only connections of the majority's servers do not: they time out. The majority must decide something, and all of it apply that. Where no
// majority has its memory left nothing is demanded.
func (w *World) Converge(pick uint64, note func(explore.Event)) (bool, error) {
	defer w.Tell(note)()
	w.err = nil
	rng := rand.New(rand.NewPCG(pick, 0x6c697665))
	core := w.core(rng)
	if core == nil {
		return false, nil
	}
	w.m = w.m.fair
	w.left = [budgets]int{groups: 2}
	held := w.held
	w.held = nil
	in := func(id int) bool { return slices.Contains(core, id) }
	for _, item := range held { // what concerns somebody else stays held up
		what, from, to := int(item>>6), int(item>>3&7), int(item&7)
		switch {
		case in(from) && (what == holdTick || what == holdDisk || in(to)):
		case (what == holdExec || what == holdDone) && (in(from) || in(to)):
			w.timeOut(from, to)
		default:
			w.held = append(w.held, item)
		}
	}
	for len(w.late) > 0 {
		w.runLate(0)
	}
	w.Line(-1, -1, false, "servers %v are well from now on, and nobody else", core)
	for i := range w.servers {
		s := w.own(i)
		switch {
		case in(i) && !s.up:
			s.start()
		case in(i):
			s.cut = false
		case !s.up:
		default:
			switch rng.IntN(4) {
			case 0:
				s.say("crashes")
				s.crash()
			case 1:
				s.say("is cut off the network")
				w.cutOff(s)
			case 2:
				s.say("is held up")
				w.held = append(w.held, uint16(holdTick<<6|i<<3))
			}
		}
	}
	slices.Sort(w.held)
	w.held = slices.Compact(w.held)
	w.Tell(nil) // what all do again and again is not of interest
	record := "+"
	for round := range maxRounds {
		step := beat
		if round%patience == patience-1 {
			step = 2 * time.Hour
		}
		for i := range w.servers {
			if w.servers[i].up {
				w.own(i).clock += step
			}
		}
		if err := w.fairRound(); err != nil {
			return true, err
		}
		if w.knows(core, record) {
			w.Tell(note)
			w.Line(-1, -1, false, "all of these have applied something new after %d rounds", round+1)
			return true, nil
		}
		if round%20 != 0 {
			continue
		}
		for i := range w.servers { // whoever takes itself for the leader
			if s := w.servers[i]; s.up && s.core.Status().Role == mu.Leader && !slices.Contains(w.held, uint16(holdTick<<6|i<<3)) {
				s = w.own(i)
				// It may be refused: another membership is being decided.
				if _, ok, err := s.core.Propose(s.clock, []byte(record)); ok && err == nil {
					s.core.Flush(s.clock)
				}
			}
		}
	}
	text := ""
	for _, s := range w.servers {
		if s.up {
			st := s.core.Status()
			text += fmt.Sprintf("; server %d: %v, %v, term %v, position %d, members %v", s.id, st.Role, st.State, st.Term, st.Position, rig.IDs(st.Members))
		} else {
			text += fmt.Sprintf("; server %d is down", s.id)
		}
	}
	return true, fmt.Errorf("servers %v do not go on%s", core, text)
}

// timeOut breaks the connections from one server to another: a queue pair retries what is not acknowledged a bounded
// number of times, so that nothing stays on its way for good.
func (w *World) timeOut(from, to int) {
	for k := range w.servers[from].conns[to] {
		if w.servers[from].conns[to][k].up {
			w.own(from).conns[to][k].broken = true
		}
	}
}

// fairRound lets everybody look, and everything happen that is due, but what is held up.
func (w *World) fairRound() error {
	isHeld := func(what, from, to int) bool { return slices.Contains(w.held, uint16(what<<6|from<<3|to)) }
	for range maxSweeps {
		busy := false
		w.tickAll()
		for i := range w.servers {
			if s := w.servers[i]; !s.up || isHeld(holdTick, i, 0) {
				continue
			}
			s := w.own(i)
			if len(s.journal.open) > 0 && !isHeld(holdDisk, i, 0) {
				s.written()
				busy = true
			}
			if s.fetching >= 0 {
				w.fetch(s)
				busy = true
			}
			w.lose(s)
			for j := range w.servers {
				if w.linkable(s, w.servers[j]) {
					w.link(i, j)
					busy = true
				}
				for k := range s.conns[j] {
					c := &s.conns[j][k]
					late := k == int(mu.Replication) && isHeld(holdExec, i, j)
					for c.up && !c.broken && len(c.posted) > 0 && !late {
						w.exec(i, j, mu.Kind(k), false)
						busy = busy || k == int(mu.Replication)
					}
					if n := len(c.done); c.up && !c.broken && n > 0 && !(k == int(mu.Replication) && isHeld(holdDone, i, j)) {
						w.finish(i, j, mu.Kind(k), n)
					}
				}
			}
			w.fairGroups(s, func(to int) bool { return isHeld(holdCopy, i, to) })
			s.settle()
			if w.err != nil {
				return w.err
			}
		}
		if !busy {
			break
		}
	}
	w.check()
	return w.err
}

// fairGroups is what of a round the switch does for one server.
func (w *World) fairGroups(s *server, isHeld func(to int) bool) {
	for range 10 {
		i := slices.IndexFunc(s.groups, func(g group) bool {
			return !g.formed || g.broken || g.hopeless() || g.ready() > 0 ||
				slices.ContainsFunc(g.members, func(m member) bool { return !m.stuck && m.done-g.base < len(g.posted) && !isHeld(m.id) })
		})
		if i < 0 {
			return
		}
		switch g := &s.groups[i]; {
		case !g.formed:
			w.form(s.id)
		case g.broken || g.hopeless():
			w.loseGroup(s, i, 0)
		case g.ready() > 0:
			w.groupDone(s.id, i)
		default:
			for m := range g.members {
				for g.next(m) && !g.broken && !isHeld(g.members[m].id) {
					w.copyTo(s.id, i, m)
				}
			}
		}
	}
}

// knows reports whether servers are full members and have all applied a record.
func (w *World) knows(core []int, record string) bool {
	at := slices.IndexFunc(w.decided, func(d decision) bool { return d.record == record })
	if at < 0 {
		return false
	}
	members := w.members()
	for _, id := range core {
		s := w.servers[id]
		if !rig.Has(members, id) {
			continue // it was removed meanwhile
		}
		if !s.up || s.core.Status().State != mu.Full || s.machine.pos < w.decided[at].pos {
			return false
		}
	}
	return true
}

// members is today's membership, as the most advanced member knows it.
func (w *World) members() []mu.Member {
	var best []mu.Member
	pos := uint64(0)
	for _, s := range w.servers {
		m := max(s.machine.pos, s.disk.pos)
		known := s.disk.members
		if s.up {
			known = s.machine.members
		}
		if rig.Has(known, s.id) && (best == nil || m > pos) {
			best, pos = known, m
		}
	}
	return best
}

// core draws a majority of every membership that anybody may take for today's, of
// servers that have forgotten nothing; nil if there is none.
func (w *World) core(rng *rand.Rand) []int {
	var able []int
	all := [][]mu.Member{w.members()}
	for _, s := range w.servers {
		if len(s.disk.members) > 0 {
			all = append(all, s.disk.members)
		}
		remembers := s.up && s.core.Status().State == mu.Full
		if w.m.bounds.Durable {
			remembers = s.journal.stored.Full
		}
		if remembers && rig.Has(all[0], s.id) {
			able = append(able, s.id)
		}
		if s.up {
			all = append(all, s.core.Status().Members)
		} else if w.m.bounds.Durable {
			return nil // what it will read from its disk is not looked at here
		}
		all = append(all, rig.Memberships(s.log, s.given)...)
	}
	// What a leader was asked for may not be in any log yet.
	if rest := slices.DeleteFunc(slices.Clone(all[0]), func(m mu.Member) bool { return w.removed>>m.ID&1 == 1 }); len(rest) > 0 {
		all = append(all, rest)
	}
	return rig.Core(rng, able, all)
}
