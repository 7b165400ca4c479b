package mu

import "slices"

// Clone returns a core in the same state that continues independently, with another environment and
// other regions. It is for programs that explore several continuations.
//
// The regions hold what the old regions hold. The second result maps the bytes of an operation that
// the old core has posted (Op.Data) to those of the new core. Bytes that belong only to the operation
// are returned unchanged.
func (c *Core) Clone(env Env, log, election Memory) (*Core, func([]byte) []byte) {
	n := *c
	n.env, n.cfg.Log, n.cfg.Election = env, log, election
	n.scratch = nil
	peers := make(map[*peer]*peer, len(c.peers))
	move := func(p *peer) *peer {
		if p == nil {
			return nil
		}
		if peers[p] == nil {
			peers[p] = p.clone()
		}
		return peers[p]
	}
	moveAll := func(all []*peer) []*peer {
		all = slices.Clone(all)
		for i := range all {
			all[i] = move(all[i])
		}
		return all
	}
	n.peers = moveAll(c.peers)
	n.camp.voters, n.camp.source = moveAll(c.camp.voters), move(c.camp.source)
	l := &n.lead
	l.ends, l.first = slices.Clone(l.ends[l.first:]), 0
	l.barriers = slices.Clone(l.barriers)
	for _, g := range []*group{&l.group, &l.next} {
		g.members = moveAll(g.members)
		g.link = g.link.clone()
	}
	l.old = l.old.clone()

	return &n, func(b []byte) []byte {
		if len(b) == 0 {
			return b
		}
		pairs := [][2][]byte{
			{c.cfg.Log.Bytes(), log.Bytes()}, {c.cfg.Election.Bytes(), election.Bytes()},
			{c.lead.group.commitBuf[:], l.group.commitBuf[:]}, {c.lead.next.commitBuf[:], l.next.commitBuf[:]},
		}
		for o, p := range peers {
			pairs = append(pairs, [][2][]byte{
				{o.statusBuf[:], p.statusBuf[:]}, {o.announce[:], p.announce[:]}, {o.promise[:], p.promise[:]},
				{o.check[:], p.check[:]}, {o.commitBuf[:], p.commitBuf[:]}, {o.logBuf, p.logBuf},
			}...)
			for r := range o.ping {
				pairs = append(pairs, [2][]byte{o.ping[r][:], p.ping[r][:]})
			}
		}
		for _, p := range pairs {
			if at, ok := within(p[0], b); ok {
				return p[1][at : at+len(b)]
			}
		}
		return b
	}
}

// within reports where in a buffer some of its bytes begin.
func within(buf, part []byte) (at int, ok bool) {
	// A slice of a buffer reaches, in its capacity, to the buffer's end.
	at = cap(buf) - cap(part)
	return at, at >= 0 && at+len(part) <= len(buf) && &buf[at] == &part[0]
}

func (p *peer) clone() *peer {
	n := *p
	for r := range Routes {
		n.ctl[r], n.rep[r] = p.ctl[r].clone(), p.rep[r].clone()
	}
	if p.logBuf != nil {
		n.logBuf = append(make([]byte, 0, len(p.logBuf)), p.logBuf...)
	}
	return &n
}

func (l link) clone() link { return link{up: l.up, ops: slices.Clone(l.ops[l.first:])} }
