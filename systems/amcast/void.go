package amcast

// A message whose client has failed, and whose payload no replica has, cannot be delivered. It would hold up what comes after
// it for ever, so it is declared void: no replica of any destination delivers it.
//
//	replica -- NOBODY --> decider: the first replica of the destinations that has not failed
//	decider -- GIVE UP -> all others that have not failed
//	        <- PROMISE -- who has no payload, and takes none any more, but from this decider
//	        <-- HAVE ---- who has it
//	decider --- VOID ---> all, when every one has promised
//
// Why nobody delivers what another one declares void: when all that have not failed have promised, and the decider has no
// payload either, nobody has one, and nobody takes one that is still on its way. Before, a single replica that had it, and
// has not failed, has not promised. A replica that has failed is cut off (package control). When a decider fails, the
// next one asks again: whoever has the payload from the one before says so.
//
// Only the controller says that a client has failed. One that lives has its payloads.

// doubtful is after how many questions nobody seems to have a payload.
const doubtful = 3

// self is how others see this replica.
func (r *Replica) self() To { return To{Kind: ToReplica, Group: r.o.Group, Index: r.o.Index} }

// from is who has sent a packet of replicas.
func (r *Replica) from(p *Packet) To {
	return To{Kind: ToReplica, Group: p.By, Index: int(p.Member)}
}

// decider is who decides about messages to groups. ok is false if nobody lives.
func (r *Replica) decider(groups Groups) (To, bool) {
	for _, g := range groups.List() {
		for i := range r.o.Directory[g].Count {
			if r.o.Directory[g].alive(i) {
				return To{Kind: ToReplica, Group: g, Index: i}, true
			}
		}
	}
	return To{}, false
}

// find has the decider find out whether anybody has a payload.
func (r *Replica) find(m *message) {
	to, ok := r.decider(m.groups)
	switch {
	case !ok:
	case to != r.self():
		r.ask(Send{to, r.about(kindNobody, m.id, m.groups, m.digest)})
	default:
		m.promised, m.decider = true, to
		r.each(m.groups, func(other To) {
			if !m.promises[other] {
				r.ask(Send{other, r.about(kindGiveUp, m.id, m.groups, m.digest)})
			}
		})
		r.conclude(m)
	}
}

// each calls a function for all other replicas of a message's destinations that live.
func (r *Replica) each(groups Groups, fn func(To)) {
	for _, g := range groups.List() {
		for i := range r.o.Directory[g].Count {
			if to := (To{Kind: ToReplica, Group: g, Index: i}); r.o.Directory[g].alive(i) && to != r.self() {
				fn(to)
			}
		}
	}
}

// conclude declares a message void if everybody has promised.
func (r *Replica) conclude(m *message) {
	all := m.payload == nil
	r.each(m.groups, func(to To) { all = all && m.promises[to] })
	if !all {
		return
	}
	r.each(m.groups, func(to To) { r.sends = append(r.sends, Send{to, r.about(kindVoid, m.id, m.groups, m.digest)}) })
	r.void(m)
}

func (r *Replica) about(kind Message, id ID, groups Groups, digest uint32) Packet {
	return Packet{Kind: kind, By: r.o.Group, Member: uint8(r.o.Index), Groups: groups, ID: id, Digest: digest}
}

// void gives a message up. It counts as delivered.
func (r *Replica) void(m *message) {
	m.delivered, m.payload = true, nil
	if x, known := r.places[m.seq]; known && m.epoch == r.epoch && x.message == m {
		r.places[m.seq] = place{delivered: true}
	}
	delete(r.open, m.id)
	r.keep(m)
	r.Stats.Void++
	r.tries = 0
}

// doubt takes packets about messages that may be void.
func (r *Replica) doubt(p *Packet) {
	from := r.from(p)
	if !p.Groups.Valid() || !p.Groups.Has(r.o.Group) || !p.Groups.Has(p.By) || from.Index >= r.o.Directory[p.By].Count || from == r.self() {
		r.Stats.Foreign++
		return
	}
	if p.Kind == kindVoid {
		if m := r.subject(p); m != nil && m.payload == nil {
			r.void(m)
		} else if m != nil {
			r.Stats.Conflicts++
		}
		if p.From == r.o.Group && p.Epoch > 0 && p.Epoch == r.epoch {
			r.put(nil, p.Seq, 0, p.Epoch)
		}
		return
	}
	if !r.failed[p.ID.Client] {
		return // it is too early
	}
	m := r.subject(p)
	if m == nil {
		if h := r.kept[p.ID.Client]; h != nil {
			if c := &h.cells[p.ID.Number%uint32(r.o.Window)]; c.there && c.number == p.ID.Number {
				r.sends = append(r.sends, Send{from, r.keptPacket(p.ID.Client, c)})
			}
		}
		return
	}
	decider, _ := r.decider(p.Groups)
	switch p.Kind {
	case kindNobody:
		if decider == r.self() && m.payload != nil {
			r.sends = append(r.sends, Send{from, r.openPacket(m)})
		} // else Tick goes on with it
	case kindGiveUp:
		switch {
		case m.payload != nil:
			r.sends = append(r.sends, Send{from, r.openPacket(m)})
		case from == decider:
			m.promised, m.decider = true, from
			r.sends = append(r.sends, Send{from, r.about(kindPromise, m.id, m.groups, m.digest)})
		}
	case kindPromise:
		if m.promised && m.decider == r.self() && decider == r.self() {
			if m.promises == nil {
				m.promises = map[To]bool{}
			}
			m.promises[from] = true
			r.conclude(m)
		}
	}
}

// subject is the message that a packet is about; nil: it was delivered, or is void.
func (r *Replica) subject(p *Packet) *message {
	if r.delivered(p.ID) {
		return nil
	}
	return r.message(p)
}
