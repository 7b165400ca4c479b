package kv

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/p4ce/p4ce/host/kv/resp"
)

// Reload reads the users again. Connections of users that are gone, or that have other passwords, end
// with their next command. After an error, the previous users stay in force.
func (s *Server) Reload() error {
	if s.cfg.Users == nil {
		return nil
	}
	u, err := s.cfg.Users()
	if err != nil {
		return err
	}
	s.users.Store(u)
	return nil
}

// errDenied ends a connection that may not continue, and has been told so.
var errDenied = errors.New("authentication failed")

// begin finds out whose a connection is that has sent nothing yet.
func (c *client) begin() {
	if t, ok := c.conn.(*tls.Conn); ok {
		ctx, cancel := context.WithDeadline(c.s.ctx, c.born.Add(authTime))
		defer cancel()
		if err := t.HandshakeContext(ctx); err != nil {
			c.s.denied.Add(1)
			c.s.log.Info("TLS handshake", "client", c.conn.RemoteAddr().String(), "error", err)
			c.err = err
			return
		}
		if peers := t.ConnectionState().PeerCertificates; len(peers) > 0 {
			c.certain, c.name = true, peers[0].Subject.CommonName
		}
	}
	c.users = c.s.users.Load()
	c.is(c.users.begins(c.name))
}

// is assigns a connection to a user, or to nobody.
func (c *client) is(u *user) {
	c.user = u
	switch {
	case u == nil:
		c.s.stands(c, stranger)
	case u.nopass && !c.certain: // whatever password it has sent
		c.s.stands(c, anonymous)
	default:
		c.s.stands(c, proved)
	}
	c.in.Strict = u == nil
	if u != nil {
		_ = c.conn.SetReadDeadline(time.Time{})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.says = ""
	if u != nil {
		c.says = u.name
	}
}

// untilAuth is how many requests come before, and including, the first that may change the
// connection's user.
func untilAuth(reqs []request) int {
	for i := range reqs {
		switch reqs[i].name {
		case "auth", "hello", "reset":
			return i + 1
		}
	}
	return len(reqs)
}

// permit replaces requests that the user may not make by errors.
func (c *client) permit(reqs []request) {
	if u := c.s.users.Load(); u != c.users {
		c.users = u
		if c.user != nil {
			if x := u.again(c.user); x != nil {
				c.is(x)
			} else {
				c.w.WriteError("NOAUTH user " + c.user.name + " is gone, or has another password")
				c.err = errDenied
				return
			}
		}
	}
	if c.user == everybody {
		return
	}
	for i := range reqs {
		if text := c.user.refuses(&reqs[i]); text != "" {
			reqs[i].err, reqs[i].may = text, false
		}
	}
}

// refuses returns why a user may not make a request, or "".
func (x *user) refuses(r *request) string {
	switch {
	case r.name == "auth", r.name == "hello", r.name == "quit", r.name == "reset":
		return ""
	case x == nil:
		return "NOAUTH Authentication required."
	case r.cmd == nil:
		return "" // it already has its error
	}
	power, name := r.cmd.power, r.name
	if (r.name == "acl" || r.name == "client" || r.name == "cluster") && len(r.args) > 0 && len(r.args[0]) < maxName {
		sub := r.name + "|" + strings.ToLower(string(r.args[0]))
		if p, ok := powerOf[sub]; ok {
			power, name = p, sub
		}
	}
	if !x.may.meets(power) {
		return fmt.Sprintf("NOPERM User %s has no permissions to run the '%s' command", x.name, name)
	}
	if c := r.cmd; c.first > 0 && !x.all {
		last := c.last
		if last < 0 {
			last = len(r.args)
		}
		for i := c.first; i <= min(last, len(r.args)); i += c.step {
			if !x.has(r.args[i-1]) {
				return "NOPERM No permissions to access a key"
			}
		}
	}
	return ""
}

// rare reports whether the nth occurrence of something that strangers can repeat as often as they like
// is logged. Ever fewer are logged, so nobody can fill a disk. All are counted.
func rare(n uint64) bool { return n&(n-1) == 0 }

// auth executes AUTH.
func (c *client) auth(r *request) string {
	name := defaultUser
	if len(r.args) == 2 {
		name = string(r.args[0])
	}
	text := c.login(name, r.args[len(r.args)-1])
	if text == "" {
		c.w.WriteString("OK")
	}
	return text
}

// login makes the connection a user's, or returns the text of an error.
func (c *client) login(name string, password []byte) string {
	if c.users == nil {
		return "ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?"
	}
	u := c.users.login(name, password)
	if u == nil {
		if n := c.s.denied.Add(1); rare(n) {
			c.s.log.Warn("AUTH: wrong name or password", "client", c.conn.RemoteAddr().String(), "user", resp.OneLine(name[:min(len(name), 128)]), "so_far", n)
		}
		if c.denied++; c.denied >= maxDenied {
			c.err = errDenied
		}
		return "WRONGPASS invalid username-password pair or user is disabled."
	}
	c.is(u)
	return ""
}

// acl executes ACL.
func (c *client) acl(r *request) string {
	name, text := subcommand(r, map[string][2]int{"cat": {0, 1}, "help": {0, 0}, "list": {0, 0}, "load": {0, 0}, "users": {0, 0}, "whoami": {0, 0}})
	if text != "" {
		return text
	}
	strs := func(all []string) {
		c.w.WriteArray(len(all))
		for _, s := range all {
			c.w.WriteBulkString(s)
			c.reply(len(s))
		}
	}
	users := c.users
	if users == nil {
		users = &Users{byName: map[string]*user{defaultUser: everybody}}
	}
	switch name {
	case "help":
		c.help("ACL WHOAMI", "    Return the name of this connection's user.", "ACL CAT [<category>]", "    Return the categories, or the commands of a category.",
			"ACL LIST | USERS", "    Return the users, or their names.", "ACL LOAD", "    Reload the users from their file.")
	case "whoami":
		c.w.WriteBulkString(c.user.name)
	case "users":
		strs(slices.Sorted(maps.Keys(users.byName)))
	case "list":
		strs(users.list())
	case "cat":
		if len(r.args) == 1 {
			strs(slices.Sorted(maps.Keys(categories)))
			return ""
		}
		bits, ok := categories[strings.ToLower(string(r.args[1]))]
		if !ok {
			return resp.OneLine(fmt.Sprintf("ERR Unknown category '%s'", r.args[1][:min(len(r.args[1]), 128)]))
		}
		var all []string
		for i, p := range powers {
			if bits.meets(onePower(i)) {
				all = append(all, p.name)
			}
		}
		strs(all)
	case "load":
		if c.s.cfg.Users == nil {
			return "ERR this server has no users file (--users)"
		}
		if err := c.s.Reload(); err != nil {
			return resp.OneLine("ERR " + err.Error())
		}
		c.w.WriteString("OK")
	}
	return ""
}

// memory is what all clients use in memory: buffers of incomplete requests, and replies that have not
// been taken.
type memory struct {
	limit int
	mu    sync.Mutex
	used  int
	of    map[*client]int
	gone  *atomic.Uint64 // counts victims
}

// errMemory ends a connection that uses more memory than any other when all together use too much.
// errSlow ends one that uses it for replies.
var (
	errMemory = &resp.Error{Text: "clients use too much memory, and this one uses most"}
	errSlow   = errors.New("clients use too much memory, and the replies of this one use most")
)

func (m *memory) sum() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used
}

func (m *memory) enter(c *client) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.of[c] = 0
}

func (m *memory) leave(c *client) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used -= m.of[c]
	delete(m.of, c)
}

// take adds n bytes to what a client uses. If all together then use too much, it returns the client
// that must go.
func (m *memory) take(c *client, n int) (victim *client) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.of[c]; !ok {
		return c // it is already going
	}
	m.of[c] += n
	if m.used += n; m.used <= m.limit || n <= 0 {
		return nil
	}
	for x, has := range m.of {
		if victim == nil || has > m.of[victim] || has == m.of[victim] && x.id > victim.id {
			victim = x
		}
	}
	m.gone.Add(1)
	m.used -= m.of[victim]
	delete(m.of, victim)
	return victim
}

// grow requests memory.
func (c *client) grow(n int) error {
	victim := c.s.memory.take(c, n)
	if victim == nil {
		return nil
	}
	if victim == c {
		return errMemory
	}
	c.s.log.Warn("clients use too much memory: ending the one that uses most", "client", victim.conn.RemoteAddr().String())
	_ = victim.conn.Close()
	return nil
}
