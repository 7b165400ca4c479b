package mu

import "encoding/binary"

// recovery is what a server does before it answers anyone. It announces a new incarnation to so many
// others that every majority without it includes one of them. Then it promises the highest term that
// they had promised by then.
type recovery struct {
	done     bool
	latest   uint64 // own incarnation, as others know it
	promised Term
}

func (c *Core) recovered() bool { return c.recover.done }

// reach is how many others must be reached, so that any majority that included this server has one of
// them.
func (c *Core) reach() int { return len(c.members) - len(c.members)/2 }

func (c *Core) recoverStep() {
	r := &c.recover
	if len(c.members) == 0 && !r.done {
		// It is to be added: it was never part of anything.
		c.incarnation, r.done = max(c.cfg.Incarnation, 1), true
		c.publish()
		return
	}
	others := 0
	for _, p := range c.peers {
		if p.member {
			others++
		}
	}
	need := min(c.reach(), others)
	vectors, done, full := 0, 0, 0
	for _, p := range c.peers {
		if !p.member || p.control() == nil {
			continue
		}
		switch p.announced {
		case announceNone:
			p.announced = announceVector
			c.postControl(p, opVector, 0, true, ElectionRegion, offAnnounce+8*uint64(c.cfg.ID), p.announce[:])
		case announceWriting:
			vectors++
		case announceDone:
			vectors++
			done++
			if p.promiser == Full {
				full++
			}
		}
	}
	if c.incarnation == 0 && vectors >= need {
		c.incarnation = max(c.cfg.Incarnation, r.latest+1)
		c.cfg.Election.Access(func(b []byte) {
			binary.LittleEndian.PutUint64(b[offAnnounce+8*int(c.cfg.ID):], c.incarnation)
		})
		c.statusDirty = true
	}
	if c.incarnation != 0 {
		for _, p := range c.peers {
			if p.member && p.announced == announceWriting && p.control() != nil {
				p.announced = announceReading
				// Separate bytes, because a READ on another path may be on its way into the peer's.
				b := binary.LittleEndian.AppendUint64(nil, c.incarnation)
				c.postControl(p, opAnnounce, 0, false, ElectionRegion, offAnnounce+8*uint64(c.cfg.ID), b)
				// Operations are executed in order: this READ follows the WRITE.
				c.postControl(p, opPromise, 0, true, ElectionRegion, 0, p.promise[:])
			}
		}
	}
	// A server that is recovering itself knows nothing about promises. Only if all answer can nobody
	// know more.
	if !r.done && c.incarnation != 0 && (full >= need || done == others) {
		r.done = true
		c.promise(max(c.promised, r.promised))
		c.env.Eventf("incarnation %d, promises term %v", c.incarnation, c.promised)
		c.publish()
	}
}

func (c *Core) recoverDone(p *peer, kind pendingKind) {
	r := &c.recover
	switch kind {
	case opVector:
		if p.announced == announceVector {
			p.announced = announceWriting
			v := binary.LittleEndian.Uint64(p.announce[:])
			r.latest = max(r.latest, v)
			p.vector[c.cfg.ID] = v
			c.accused(p) // before it is written over
		}
	case opPromise:
		if p.announced != announceReading {
			return
		}
		var s status
		if err := s.decode(p.promise[:]); err != nil {
			// Torn: read again.
			c.postControl(p, opPromise, 0, true, ElectionRegion, 0, p.promise[:])
			return
		}
		if s.durable != c.cfg.Durable {
			return // not one of ours
		}
		own := binary.LittleEndian.Uint64(p.promise[offAnnounce+8*int(c.cfg.ID):])
		if c.cfg.Durable && s.state == Full && (own != c.incarnation || !announcedOnDisk(&s, p.promise[:])) {
			p.announced = announceNone // and again, until it is
			break
		}
		p.announced, p.promiser = announceDone, s.state
		r.promised = max(r.promised, s.promised)
	}
	c.recoverStep()
}
