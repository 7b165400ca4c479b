package kv

import (
	"container/list"
	"time"
)

// standing is what a connection has shown about who it is. Who has shown less makes room for who comes.
type standing int

const (
	stranger  standing = iota // it is nobody's: it may authenticate
	anonymous                 // it is the default user's, who needs no password, or there are no users
	proved                    // by a password, or a certificate
)

// room are the connections that can make room for others. Its owner has the lock.
type room struct {
	strangers list.List // the oldest first
	anonymous map[*client]bool
}

// sampled is how many anonymous connections are looked at for the one that has been idle longest. All would be
// work that grows with what strangers do.
const sampled = 16

// enter files a connection that is new, or of another standing than before.
func (r *room) enter(c *client, is standing) {
	r.leave(c)
	switch is {
	case stranger:
		c.place = r.strangers.PushBack(c)
	case anonymous:
		if r.anonymous == nil {
			r.anonymous = map[*client]bool{}
		}
		r.anonymous[c] = true
	}
}

func (r *room) leave(c *client) {
	if c.place != nil {
		r.strangers.Remove(c.place)
		c.place = nil
	}
	delete(r.anonymous, c)
}

// victim returns who makes room: the oldest stranger, or else an anonymous connection that has been idle since
// before the given time, and longest of those looked at. nil: nobody.
func (r *room) victim(idleSince time.Time) *client {
	if oldest := r.strangers.Front(); oldest != nil {
		return oldest.Value.(*client)
	}
	var victim *client
	n := 0
	for c := range r.anonymous {
		if at := c.lastActive(); at.Before(idleSince) {
			victim, idleSince = c, at
		}
		if n++; n == sampled {
			break
		}
	}
	return victim
}

// lastActive is when the client's last command came; now, while one is being executed.
func (c *client) lastActive() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bytes > 0 {
		return time.Now()
	}
	return c.active
}

// makeRoom ends a connection in favour of one that comes, if there is one that has shown less than it may yet.
// mu is held.
func (s *Server) makeRoom() bool {
	idleSince := time.Now()
	if s.users.Load() == nil {
		// Nobody can show anything. Who works stays.
		idleSince = idleSince.Add(-authTime)
	}
	c := s.room.victim(idleSince)
	if c == nil {
		return false
	}
	delete(s.clients, c)
	s.room.leave(c)
	s.evicted.Add(1)
	_ = c.conn.Close()
	return true
}

// stands files a connection that has become somebody's, or nobody's.
func (s *Server) stands(c *client, is standing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clients[c] { // else it has made room already
		s.room.enter(c, is)
	}
}
