package amcast

import (
	"maps"
	"slices"
	"time"
)

// A client that lives repeats a message until all replicas of its groups that live have delivered it. When it fails, the replicas
// that have delivered its last messages do so in its place:
//
//	heir -- HAVE --> the others that live
//	     <-- DONE -- who has delivered it
//
// Without, a replica may never hear of a message: the proposal to it and the word that it is final are lost, and nothing comes
// after them. What is older than a window was finished: the client would not have gone on without.

// estate is what a replica has delivered of clients that have failed, and others may not have.
type estate struct {
	due   time.Duration
	tries int
	left  map[ID]map[To]bool // messages, and who has delivered them
}

// ClientFailed says that a client has failed, for good.
func (r *Replica) ClientFailed(client uint16) {
	if r.failed[client] {
		return
	}
	r.failed[client] = true
	if h := r.kept[client]; h != nil {
		for i := range h.cells {
			if c := &h.cells[i]; c.there {
				r.inherit(ID{client, c.number})
			}
		}
	}
}

// inherit has a message of a failed client that was delivered here delivered everywhere.
func (r *Replica) inherit(id ID) {
	if c := r.keptOf(id); c.payload == nil {
		return // it is void: others find out when they ask
	}
	e := &r.estate
	if e.left == nil {
		e.left = map[ID]map[To]bool{}
	}
	if len(e.left) == 0 {
		e.due, e.tries = r.now+r.o.Retry, 0
	}
	e.left[id] = map[To]bool{}
}

// bequeath tells those who have not said that they have delivered what was inherited.
func (r *Replica) bequeath(now time.Duration) {
	e := &r.estate
	if len(e.left) == 0 || now < e.due {
		return
	}
	for _, id := range slices.SortedFunc(maps.Keys(e.left), ID.compare) {
		c, others := r.keptOf(id), 0
		if c != nil {
			r.each(c.groups, func(to To) {
				if !e.left[id][to] {
					others++
					r.ask(Send{to, r.keptPacket(id.Client, c)})
				}
			})
		}
		if others == 0 {
			delete(e.left, id)
		}
	}
	e.due = now + r.pace.patience(r.o.Retry, e.tries)
	e.tries++
}

// inherited takes word that another replica has delivered a message.
func (r *Replica) inherited(p *Packet) {
	if from := r.from(p); p.By != 0 && from.Index < r.o.Directory[p.By].Count && r.estate.left[p.ID] != nil {
		r.estate.left[p.ID][from] = true
		r.estate.tries = 0
		return
	}
	r.Stats.Foreign++
}
