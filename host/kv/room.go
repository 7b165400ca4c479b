package kv

import (
	"container/list"
	"time"
)

// standing is how much a connection has proved about its user. A connection that has proved less makes
// room for new ones.
type standing int

const (
	stranger  standing = iota // it belongs to nobody: it may authenticate
	anonymous                 // it belongs to the default user without a password, or there are no users
	proved                    // authenticated by a password or a certificate
)

// room has the connections that can make room for others. Its owner holds the lock.
type room struct {
	strangers list.List // the oldest first
	anonymous map[*client]bool
}

// sampled is how many anonymous connections are examined for the one that has been idle longest.
// Examining all would be work that grows with what strangers do.
const sampled = 16

// enter files a connection that is new, or whose standing has changed.
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

// victim returns the connection that makes room: the oldest stranger, or else an anonymous connection
// that has been idle since before the given time, and longest among those examined. nil: none.
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

// lastActive returns when the client's last command arrived. While one is being executed, that is now.
func (c *client) lastActive() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bytes > 0 {
		return time.Now()
	}
	return c.active
}

// makeRoom ends a connection in favour of a new one, if there is one that has proved less than the new
// one may yet prove. mu is held.
func (s *Server) makeRoom() bool {
	idleSince := time.Now()
	if s.users.Load() == nil {
		// No connection can prove anything. A connection that works stays.
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

// stands files a connection that has got a user, or has lost it.
func (s *Server) stands(c *client, is standing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clients[c] { // otherwise it has already made room
		s.room.enter(c, is)
	}
}
