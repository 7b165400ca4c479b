package kv

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/p4ce/p4ce/host/kv/resp"
)

// goodName reports whether a connection may be named so.
func goodName(name []byte) bool {
	return len(name) <= maxClientName && !bytes.ContainsFunc(name, func(r rune) bool { return r < '!' || r > '~' })
}

const textName = "ERR Client names cannot contain spaces, newlines or special characters."

// maxClientName limits what CLIENT SETNAME and SETINFO store.
const maxClientName = 1 << 10

func (c *client) client(r *request) string {
	name, text := subcommand(r, map[string][2]int{
		"getname": {0, 0}, "help": {0, 0}, "id": {0, 0}, "info": {0, 0}, "kill": {1, -1}, "list": {0, -1}, "no-evict": {1, 1}, "no-touch": {1, 1}, "setinfo": {2, 2}, "setname": {1, 1},
	})
	if text != "" {
		return text
	}
	switch name {
	case "id":
		c.w.WriteUint64(c.id)
	case "help":
		c.help("CLIENT GETNAME | ID | INFO", "    Return the name, the number or the properties of this connection.",
			"CLIENT LIST [filter ...]", "    Return the properties of all connections, or of those that match every filter:",
			"    ID <id> [id ...] | TYPE <type> | USER <name> | ADDR <address> | LADDR <address> | MAXAGE <seconds> | SKIPME <YES|NO>",
			"CLIENT KILL <address> | <filter> [filter ...]", "    End a connection, or those that match every filter (SKIPME is YES unless given).",
			"CLIENT NO-EVICT | NO-TOUCH <ON|OFF>", "    Accepted; the store evicts no connections, and does not record when keys were used.",
			"CLIENT SETNAME <name>", "    Name this connection.", "CLIENT SETINFO <LIB-NAME|LIB-VER> <value>", "    Set the name or version of the client library.")
	case "getname":
		c.mu.Lock()
		name := c.title
		c.mu.Unlock()
		if name == "" {
			c.null()
		} else {
			c.w.WriteBulkString(name)
		}
	case "info":
		c.page(c.describe())
	case "list":
		f, text := c.filter(r.args[1:], new(bool))
		if text != "" {
			return text
		}
		var b strings.Builder
		for _, x := range c.s.connections() {
			if f.matches(x) {
				b.WriteString(x.describe())
			}
		}
		c.page(b.String())
	case "kill":
		return c.kill(r.args[1:])
	case "no-evict", "no-touch": // nothing is evicted, and touching has no effect
		if !resp.Is(r.args[1], "on") && !resp.Is(r.args[1], "off") {
			return textSyntax
		}
		c.w.WriteString("OK")
	case "setname", "setinfo":
		value := r.args[len(r.args)-1]
		if !goodName(value) {
			if name == "setinfo" {
				return "ERR " + strings.ToLower(string(r.args[1][:min(len(r.args[1]), 128)])) + " cannot contain spaces, newlines or special characters."
			}
			return textName
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		switch {
		case name == "setname":
			c.title = string(value)
		case resp.Is(r.args[1], "lib-name"):
			c.lib = string(value)
		case resp.Is(r.args[1], "lib-ver"):
			c.ver = string(value)
		default:
			return resp.OneLine(fmt.Sprintf("ERR Unrecognized option '%s'", r.args[1][:min(len(r.args[1]), 128)]))
		}
		c.w.WriteString("OK")
	}
	return ""
}

// describe returns a line of CLIENT LIST.
func (c *client) describe() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	proto := 2
	if c.said3 {
		proto = 3
	}
	return fmt.Sprintf("id=%d addr=%s laddr=%s name=%s age=%d idle=%d flags=N db=0 qbuf=%d cmd=%s user=%s lib-name=%s lib-ver=%s resp=%d\n",
		c.id, c.conn.RemoteAddr(), c.conn.LocalAddr(), c.title, int(now.Sub(c.born).Seconds()), int(now.Sub(c.active).Seconds()), c.bytes, c.last, c.says, c.lib, c.ver, proto)
}

// connections returns all connections, the oldest first.
func (s *Server) connections() []*client {
	s.mu.Lock()
	clients := slices.Collect(maps.Keys(s.clients))
	s.mu.Unlock()
	slices.SortFunc(clients, func(a, b *client) int { return cmp.Compare(a.id, b.id) })
	return clients
}

// kill ends connections: CLIENT KILL ADDRESS, or CLIENT KILL with filters. A command that such a connection has sent and
// that has no reply yet may still take effect.
func (c *client) kill(args [][]byte) string {
	var f filter
	if len(args) == 1 {
		f.and(func(x *client) bool { return x.conn.RemoteAddr().String() == string(args[0]) })
	} else {
		skip := true
		var text string
		if f, text = c.filter(args, &skip); text != "" {
			return text
		}
	}
	n := 0
	for _, x := range c.s.connections() {
		if !f.matches(x) {
			continue
		}
		n++
		if x == c {
			c.err = errQuit // with its reply
		} else {
			_ = x.conn.Close()
		}
	}
	switch {
	case len(args) > 1:
		c.w.WriteInt(n)
	case n == 0:
		return "ERR No such client"
	default:
		c.w.WriteString("OK")
	}
	return ""
}

// filter says which connections a command is about: those that meet every condition.
type filter []func(*client) bool

func (f *filter) and(condition func(*client) bool) { *f = append(*f, condition) }

func (f filter) matches(x *client) bool {
	for _, meets := range f {
		if !meets(x) {
			return false
		}
	}
	return true
}

// filter parses the filters of CLIENT LIST and CLIENT KILL. skip says whether the command is not about the connection that
// sends it, unless a filter says so.
func (c *client) filter(args [][]byte, skip *bool) (f filter, text string) {
	now := time.Now()
	for len(args) > 0 {
		if len(args) == 1 {
			return nil, textSyntax
		}
		name, value := args[0], string(args[1])
		args = args[2:]
		switch {
		case resp.Is(name, "id"):
			ids := map[uint64]bool{}
			for more := true; more; {
				id, ok := resp.ParseInt([]byte(value))
				if !ok || id <= 0 {
					return nil, "ERR client-id should be greater than 0"
				}
				ids[uint64(id)] = true
				if more = len(args) > 0 && len(args[0]) > 0 && args[0][0] >= '0' && args[0][0] <= '9'; more {
					value, args = string(args[0]), args[1:]
				}
			}
			f.and(func(x *client) bool { return ids[x.id] })
		case resp.Is(name, "type"):
			switch strings.ToLower(value) {
			case "normal":
			case "master", "primary", "replica", "slave", "pubsub": // there are none
				f.and(func(*client) bool { return false })
			default:
				return nil, resp.OneLine(fmt.Sprintf("ERR Unknown client type '%s'", value[:min(len(value), 128)]))
			}
		case resp.Is(name, "user"):
			f.and(func(x *client) bool {
				x.mu.Lock()
				defer x.mu.Unlock()
				return x.says == value
			})
		case resp.Is(name, "addr"):
			f.and(func(x *client) bool { return x.conn.RemoteAddr().String() == value })
		case resp.Is(name, "laddr"):
			f.and(func(x *client) bool { return x.conn.LocalAddr().String() == value })
		case resp.Is(name, "maxage"):
			n, ok := resp.ParseInt([]byte(value))
			if !ok || n < 0 || n > math.MaxInt64/int64(time.Second) {
				return nil, "ERR maxage is not an integer or out of range"
			}
			f.and(func(x *client) bool { return now.Sub(x.born) >= time.Duration(n)*time.Second })
		case resp.Is(name, "skipme"):
			*skip = strings.EqualFold(value, "yes")
			if !*skip && !strings.EqualFold(value, "no") {
				return nil, textSyntax
			}
		default:
			return nil, textSyntax
		}
	}
	if *skip {
		f.and(func(x *client) bool { return x != c })
	}
	return f, ""
}
