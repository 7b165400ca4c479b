package consensus

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/p4ce/p4ce/sim/explore"
	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// Kinds of actions. An action is kind<<24 | a<<16 | b<<8 | c.
const (
	aTick = iota
	aExec
	aDone
	aLose
	aLink
	aLate
	aApply
	aFetch
	aForm
	aCopy
	aGroupDone
	aGroupFail
	aPropose
	aBarrier
	aJoin
	aRemove
	aHeal
	aRestart
	aBeats
	aTime
	aCut
	aBreak
	aTorn
	aMiss
	aCrash
	aDisk
	aHold
	aRelease
)

func action(kind, a, b, c int) explore.Action {
	return explore.Action(kind<<24 | a<<16 | b<<8 | c)
}

func parts(x explore.Action) (kind, a, b, c int) {
	return int(x >> 24), int(x >> 16 & 255), int(x >> 8 & 255), int(x & 255)
}

var kinds = [...]string{"control", "log"}

// Name implements explore.World.
func (w *World) Name(x explore.Action) string {
	kind, a, b, c := parts(x)
	switch kind {
	case aTick:
		return fmt.Sprintf("tick %d", a)
	case aExec:
		return fmt.Sprintf("exec %d>%d %s", a, b, kinds[c])
	case aDone:
		return fmt.Sprintf("done %d>%d %s %d", a, b, kinds[c&1], c>>1)
	case aLose:
		return fmt.Sprintf("lose %d", a)
	case aLink:
		return fmt.Sprintf("link %d>%d", a, b)
	case aLate:
		l := &w.late[a]
		return fmt.Sprintf("late %d>%d %v #%d", l.from, l.to, l.path.Kind, a)
	case aApply:
		return fmt.Sprintf("apply %d", a)
	case aFetch:
		return fmt.Sprintf("fetch %d", a)
	case aForm:
		return fmt.Sprintf("form %d", a)
	case aCopy:
		return fmt.Sprintf("copy %d>%d group %d", a, w.servers[a].groups[b].members[c].id, w.servers[a].groups[b].gen)
	case aGroupDone:
		return fmt.Sprintf("done %d group %d", a, w.servers[a].groups[b].gen)
	case aGroupFail:
		return fmt.Sprintf("lose %d group %d", a, w.servers[a].groups[b].gen)
	case aPropose:
		return fmt.Sprintf("propose %d", a)
	case aBarrier:
		return fmt.Sprintf("barrier %d", a)
	case aJoin:
		return fmt.Sprintf("join %d", a)
	case aRemove:
		return fmt.Sprintf("remove %d %d", a, b)
	case aHeal:
		return fmt.Sprintf("heal %d", a)
	case aRestart:
		return fmt.Sprintf("restart %d", a)
	case aBeats:
		return "beats"
	case aTime:
		return fmt.Sprintf("time %d", a)
	case aCut:
		return fmt.Sprintf("cut %d", a)
	case aBreak:
		return fmt.Sprintf("break %d>%d %s", a, b, kinds[c])
	case aTorn:
		return fmt.Sprintf("torn %d>%d", a, b)
	case aMiss:
		return fmt.Sprintf("miss %d>%d group %d", a, w.servers[a].groups[b].members[c].id, w.servers[a].groups[b].gen)
	case aCrash:
		return fmt.Sprintf("crash %d", a)
	case aDisk:
		return fmt.Sprintf("disk %d", a)
	case aHold:
		return "hold " + heldName(a, b, c)
	case aRelease:
		return "release " + heldName(a, b, c)
	}
	return fmt.Sprint(x)
}

func heldName(what, from, to int) string {
	if what == holdTick {
		return fmt.Sprintf("server %d", from)
	}
	if what == holdDisk {
		return fmt.Sprintf("disk %d", from)
	}
	return fmt.Sprintf("%s %d>%d", [...]string{"", "exec", "done", "copy"}[what], from, to)
}

// Actions implements explore.World.
//
// With Bounds.Order, of what is due only the first is possible, or to hold it up.
func (w *World) Actions(out []explore.Action) []explore.Action {
	from := len(out)
	out = w.due(out)
	if w.m.bounds.Order && len(out) > from {
		free := out[from:]
		if len(w.held) > 0 {
			free = slices.DeleteFunc(free, func(x explore.Action) bool {
				item, ok := w.item(x)
				return ok && slices.Contains(w.held, item)
			})
		}
		if len(free) > 0 {
			first := 0
			for i, x := range free {
				if w.rank(x) < w.rank(free[first]) {
					first = i
				}
			}
			out = append(out[:from], free[first])
			kind, a, b, c := parts(free[first])
			if kind == aDone && w.m.bounds.Batch && c&1 == int(mu.Replication) {
				if n := len(w.servers[a].conns[b][1].done); n > 1 {
					out = append(out, action(aDone, a, b, 1|n<<1))
				}
			}
			if item, ok := w.item(out[from]); ok && w.left[holds] > 0 {
				out = append(out, action(aHold, int(item>>6), int(item>>3&7), int(item&7)))
			}
			if item := uint16(holdTick<<6 | b<<3); kind == aExec && w.left[holds] > 0 && !slices.Contains(w.held, item) {
				out = append(out, action(aHold, holdTick, b, 0))
			}
		} else {
			out = out[:from]
		}
		for _, item := range w.held {
			out = append(out, action(aRelease, int(item>>6), int(item>>3&7), int(item&7)))
		}
	}
	return w.chosen(out)
}

// What can be held up: a server's own steps, and what a connection executes or
// reports. An item is what<<6 | from<<3 | to.
const (
	holdTick = iota
	holdExec
	holdDone
	holdCopy
	holdDisk
)

// item is what has to be held up so that an action does not happen.
func (w *World) item(x explore.Action) (uint16, bool) {
	kind, a, b, c := parts(x)
	switch {
	case kind == aExec && c == int(mu.Replication):
		return uint16(holdExec<<6 | a<<3 | b), true
	case kind == aDone && c&1 == int(mu.Replication):
		return uint16(holdDone<<6 | a<<3 | b), true
	case kind == aDisk:
		return uint16(holdDisk<<6 | a<<3), true
	case kind == aCopy:
		return uint16(holdCopy<<6 | a<<3 | w.servers[a].groups[b].members[c].id), true
	}
	return 0, false
}

// rank is the order in which what is due happens: servers before the network, and
// connections by turns, so that none that is asked again and again keeps the others
// from theirs.
func (w *World) rank(x explore.Action) int {
	kind, a, b, c := parts(x)
	switch kind {
	case aExec:
		return 100 + (2*(maxServers*a+b)+c-w.turn+256)%256
	}
	return 10 + kind
}

// due appends what happens by itself.
func (w *World) due(out []explore.Action) []explore.Action {
	add := func(kind, a, b, c int) { out = append(out, action(kind, a, b, c)) }
	bounds := &w.m.bounds
	for i, s := range w.servers {
		if !s.up {
			continue
		}
		if !s.ticked && !bounds.Order {
			add(aTick, i, 0, 0)
		}
		if len(s.queue) > 0 {
			add(aApply, i, 0, 0)
		}
		if s.fetching >= 0 {
			add(aFetch, i, 0, 0)
		}
		if len(s.journal.open) > 0 {
			add(aDisk, i, 0, 0)
		}
		broken := false
		for j, o := range w.servers {
			if i == j {
				continue
			}
			if i < j && (w.linkable(s, o) || w.linkable(o, s)) {
				add(aLink, i, j, 0)
			}
			for k := range s.conns[j] {
				c := &s.conns[j][k]
				switch {
				case !c.up:
				case c.broken:
					broken = true
				default:
					if len(c.posted) > 0 {
						add(aExec, i, j, k)
					}
					if n := len(c.done); n > 0 {
						add(aDone, i, j, k|1<<1)
						if n > 1 && bounds.Batch && k == int(mu.Replication) && !bounds.Order {
							add(aDone, i, j, k|n<<1)
						}
					}
				}
			}
		}
		if broken {
			add(aLose, i, 0, 0)
		}
		for g := range s.groups {
			gr := &s.groups[g]
			if !gr.formed {
				add(aForm, i, 0, 0)
				continue
			}
			for m := range gr.members {
				if gr.next(m) && !gr.broken {
					add(aCopy, i, g, m)
				}
			}
			if gr.ready() > 0 && !gr.broken {
				add(aGroupDone, i, g, 0)
			}
			if gr.broken || gr.hopeless() {
				add(aGroupFail, i, g, 0)
			}
		}
	}
	return out
}

// chosen appends what clients, operators and faults may do at any time.
func (w *World) chosen(out []explore.Action) []explore.Action {
	add := func(kind, a, b, c int) { out = append(out, action(kind, a, b, c)) }
	bounds := &w.m.bounds
	for i, s := range w.servers {
		if !s.up {
			add(aRestart, i, 0, 0)
			continue
		}
		if s.cut {
			add(aHeal, i, 0, 0)
		}
		for j := range w.servers {
			for k := range s.conns[j] {
				c := &s.conns[j][k]
				if !c.up || c.broken {
					continue
				}
				if w.left[torns] > 0 && k == int(mu.Replication) && len(c.posted) > 0 && len(c.posted[0].Data) > packet {
					add(aTorn, i, j, 0)
				}
				if w.left[loses] > 0 {
					add(aBreak, i, j, k)
				}
			}
		}
		for g := range s.groups {
			gr := &s.groups[g]
			if !gr.formed {
				continue
			}
			for m := range gr.members {
				if gr.next(m) && !gr.broken && w.left[misses] > 0 {
					add(aMiss, i, g, m)
				}
			}
			if w.left[loses] > 0 && !gr.broken && !gr.hopeless() {
				add(aGroupFail, i, g, 0)
			}
		}
		if w.left[entries]+w.left[barriers]+w.left[joins] > 0 || bounds.Remove != "" {
			if st := s.core.Status(); st.Role == mu.Leader {
				if w.left[entries] > 0 {
					add(aPropose, i, 0, 0)
				}
				if w.left[barriers] > 0 {
					add(aBarrier, i, 0, 0)
				}
				if w.left[joins] > 0 && s.core.CaughtUp(mu.ID(bounds.Servers)) {
					add(aJoin, i, 0, 0)
				}
				for _, r := range bounds.Remove {
					if id := int(r - '0'); w.removed>>id&1 == 0 {
						add(aRemove, i, id, 0)
					}
				}
			}
		}
		if w.left[times] > 0 {
			add(aTime, i, 0, 0)
		}
		if bounds.Victims != "" && !strings.ContainsRune(bounds.Victims, rune('0'+i)) {
			continue
		}
		if w.left[cuts] > 0 && !s.cut {
			add(aCut, i, 0, 0)
		}
		if w.left[crashes] > 0 {
			add(aCrash, i, 0, 0)
		}
	}
	for i := range w.late {
		add(aLate, i, 0, 0)
	}
	if w.left[beats] > 0 {
		add(aBeats, 0, 0, 0)
	}
	return out
}

// packet is what of a WRITE is executed as a whole.
const packet = 64

// Do implements explore.World.
func (w *World) Do(x explore.Action, note func(explore.Event)) error {
	w.note, w.err, w.newly = note, nil, 0
	kind, a, b, c := parts(x)
	var s *server
	if kind < aHold && kind != aLate && kind != aBeats {
		s = w.own(a)
	}
	switch kind {
	case aTick:
		s.core.Tick(s.clock)
	case aApply:
		s.applied()
	case aExec:
		if w.m.bounds.Order {
			w.turn = 2*(maxServers*a+b) + c + 1
		}
		w.exec(a, b, mu.Kind(c), false)
		if mu.Kind(c) == mu.Control && !w.m.bounds.Split && len(s.conns[b][c].done) > 0 {
			w.finish(a, b, mu.Control, len(s.conns[b][c].done))
		}
	case aTorn:
		w.left[torns]--
		w.exec(a, b, mu.Replication, true)
	case aDone:
		w.finish(a, b, mu.Kind(c&1), c>>1)
	case aBreak:
		w.left[loses]--
		w.line(a, b, true, "connection (%s) ends", kinds[c])
		w.down(s, b, mu.Kind(c))
	case aLose:
		w.lose(s)
	case aLink:
		w.line(a, b, false, "connect")
		for _, pair := range [...][2]int{{a, b}, {b, a}} {
			if w.linkable(w.servers[pair[0]], w.servers[pair[1]]) {
				w.link(pair[0], pair[1])
			}
		}
	case aLate:
		w.runLate(a)
	case aFetch:
		w.fetch(s)
	case aDisk:
		s.written()
	case aForm:
		w.form(a)
	case aCopy:
		w.copyTo(a, b, c)
	case aMiss:
		w.left[misses]--
		m := &s.groups[b].members[c]
		w.line(a, m.id, true, "a copy is lost")
		m.stuck = true
	case aGroupDone:
		w.groupDone(a, b)
	case aGroupFail:
		g := s.groups[b]
		if !g.broken && !g.hopeless() {
			w.left[loses]--
		}
		s.say("its connection to group %d ends", g.gen)
		w.leaveGroup(s, b)
		s.core.Down(s.clock, mu.Path{Kind: mu.Group, Gen: g.gen})
	case aPropose:
		w.propose(s)
	case aBarrier:
		w.left[barriers]--
		id := uint64(w.m.bounds.Barriers) - uint64(w.left[barriers])
		s.barriers = append(s.barriers, asked{id, w.reported})
		s.say("is asked for a read barrier, to cover %d records", w.reported)
		if s.core.Barrier(s.clock, id) != nil {
			s.barriers = s.barriers[:len(s.barriers)-1]
		}
	case aJoin:
		n := w.m.bounds.Servers
		s.say("is asked to make server %d a member", n)
		if s.core.ChangeMembership(s.clock, append(slices.Clone(s.core.Status().Members), mu.Member{ID: mu.ID(n)})) == nil {
			w.left[joins] = 0
		}
	case aRemove:
		s.say("is asked to remove server %d", b)
		rest := slices.DeleteFunc(slices.Clone(s.core.Status().Members), func(m mu.Member) bool { return int(m.ID) == b })
		if s.core.ChangeMembership(s.clock, rest) == nil {
			w.removed |= 1 << b
		}
	case aHeal:
		s.say("is connected to the network again")
		s.cut = false
	case aCut:
		w.left[cuts]--
		s.say("is cut off the network")
		s.cut = true
		w.breakAll(a)
		w.lose(w.own(a))
	case aCrash:
		w.left[crashes]--
		s.say("crashes")
		s.crash()
	case aRestart:
		s.say("starts again")
		s.start()
	case aTime:
		w.left[times]--
		s.say("sees 25 ms pass")
		s.clock += 25 * time.Millisecond
		s.core.Tick(s.clock)
	case aBeats:
		w.left[beats]--
		w.beats()
	case aHold:
		w.left[holds]--
		item := uint16(a<<6 | b<<3 | c)
		at, _ := slices.BinarySearch(w.held, item)
		w.held = slices.Insert(slices.Clone(w.held), at, item)
		w.line(-1, -1, false, "%s is held up", heldName(a, b, c))
	case aRelease:
		w.held = slices.DeleteFunc(slices.Clone(w.held), func(item uint16) bool { return item == uint16(a<<6|b<<3|c) })
		w.line(-1, -1, false, "%s goes on", heldName(a, b, c))
	}
	for _, s := range w.servers {
		if s.owner == w.token && s.up {
			s.settle()
		}
	}
	if kind == aTick {
		s.ticked = true
	}
	if w.m.bounds.Order {
		w.tickAll()
	}
	w.check()
	for _, s := range w.servers {
		if s.owner == w.token {
			s.sum = s.hash()
		}
	}
	w.note = nil
	return w.err
}
