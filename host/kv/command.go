package kv

import (
	"bytes"
	"fmt"

	"github.com/p4ce/p4ce/host/kv/resp"
)

// class says where a command is executed.
type class uint8

const (
	local class = iota // on any server, without the log
	read               // on a View, after a barrier, at the leader
	write              // by the log
)

// command describes a command to the parser, and to clients that ask.
type command struct {
	name    string
	arity   int // number of arguments, including the name; -n: n or more
	flags   string
	first   int // position of the first key; 0: there are no keys
	last    int // position of the last key; -1: the last argument
	step    int
	class   class
	group   string
	usage   string // arguments, for people
	summary string
	parse   func(r *request, args [][]byte) string // args without the name; returns the text of an error
	max     int                                    // most arguments, if arity does not say it
	power   uint64                                 // the powers that a user needs
}

// request is a command of a client, ready to execute, or an error.
type request struct {
	cmd  *command // nil: unknown
	name string   // the result, as metrics name it
	err  string   // the text of an error, for the client
	may  bool     // false: the user may not, and err says so
	op   op       // of writes
	args [][]byte // of all others
	scan scanArgs
}

type scanArgs struct {
	cursor uint64
	count  int
	match  []byte
	none   bool // for a type that no key has
}

// Limits of SCAN.
const (
	defaultCount = 10
	maxCount     = 10000
)

// commands are all commands, in the order in which COMMAND lists them.
var commands = []command{
	{name: "acl", arity: -2, flags: "admin noscript loading stale", class: local, group: "server",
		usage: "CAT [category] | LIST | LOAD | USERS | WHOAMI", summary: "Shows and reloads the users"},
	{name: "append", arity: 3, flags: "write denyoom fast", first: 1, last: 1, step: 1, class: write, group: "string",
		usage: "key value", summary: "Appends a value to a key; creates the key if it does not exist", parse: parseAppend},
	{name: "auth", arity: -2, max: 3, flags: "noscript loading stale fast no_auth", class: local, group: "connection",
		usage: "[username] password", summary: "Authenticates this connection"},
	{name: "client", arity: -2, flags: "noscript loading stale", class: local, group: "connection",
		usage: "GETNAME | ID | INFO | LIST | SETINFO LIB-NAME|LIB-VER value | SETNAME name", summary: "Names and lists connections"},
	{name: "cluster", arity: -2, flags: "admin noscript loading stale", class: local, group: "server",
		usage: "MEMBERS | ADD id=address[+second],client | REMOVE id", summary: "Shows and changes the servers of the store"},
	{name: "command", arity: -1, flags: "loading stale", class: local, group: "server",
		usage: "[COUNT | DOCS [name ...] | INFO [name ...] | LIST]", summary: "Describes the commands"},
	{name: "config", arity: -2, flags: "admin noscript loading stale", class: local, group: "server",
		usage: "GET pattern [pattern ...]", summary: "Returns settings, for benchmarks that ask"},
	{name: "dbsize", arity: 1, flags: "readonly fast", class: read, group: "server",
		summary: "Returns the number of keys"},
	{name: "del", arity: -2, flags: "write", first: 1, last: -1, step: 1, class: write, group: "generic",
		usage: "key [key ...]", summary: "Deletes keys", parse: parseDel},
	{name: "echo", arity: 2, flags: "loading stale fast", class: local, group: "connection",
		usage: "message", summary: "Returns the message"},
	{name: "exists", arity: -2, flags: "readonly fast", first: 1, last: -1, step: 1, class: read, group: "generic",
		usage: "key [key ...]", summary: "Counts the keys that exist"},
	{name: "expire", arity: -3, flags: "write fast", first: 1, last: 1, step: 1, class: write, group: "generic",
		usage: "key seconds", summary: "Sets the time after which a key is deleted", parse: parseExpire},
	{name: "get", arity: 2, flags: "readonly fast", first: 1, last: 1, step: 1, class: read, group: "string",
		usage: "key", summary: "Returns the value of a key"},
	{name: "incr", arity: 2, flags: "write denyoom fast", first: 1, last: 1, step: 1, class: write, group: "string",
		usage: "key", summary: "Adds one to the integer value of a key, 0 if it does not exist", parse: parseIncr},
	{name: "incrby", arity: 3, flags: "write denyoom fast", first: 1, last: 1, step: 1, class: write, group: "string",
		usage: "key increment", summary: "Adds a number to the integer value of a key, 0 if it does not exist", parse: parseIncr},
	{name: "info", arity: -1, flags: "loading stale", class: local, group: "server",
		usage: "[section ...]", summary: "Returns facts about the server"},
	{name: "mget", arity: -2, flags: "readonly fast", first: 1, last: -1, step: 1, class: read, group: "string",
		usage: "key [key ...]", summary: "Returns the values of keys, all at one moment"},
	{name: "mset", arity: -3, flags: "write denyoom", first: 1, last: -1, step: 2, class: write, group: "string",
		usage: "key value [key value ...]", summary: "Sets keys, all at one moment", parse: parseMSet},
	{name: "ping", arity: -1, max: 2, flags: "loading stale fast", class: local, group: "connection",
		usage: "[message]", summary: "Answers PONG, or the message"},
	{name: "quit", arity: -1, flags: "noscript loading stale fast", class: local, group: "connection",
		summary: "Closes the connection"},
	{name: "scan", arity: -2, flags: "readonly", class: read, group: "generic",
		usage: "cursor [MATCH pattern] [COUNT count] [TYPE type]", summary: "Iterates over the keys", parse: parseScan},
	{name: "select", arity: 2, flags: "loading stale fast", class: local, group: "connection",
		usage: "0", summary: "Selects the database; there is one"},
	{name: "set", arity: -3, flags: "write denyoom", first: 1, last: 1, step: 1, class: write, group: "string",
		usage: "key value [NX | XX] [EX seconds | PX milliseconds]", summary: "Sets a key", parse: parseSet},
	{name: "ttl", arity: 2, flags: "readonly fast", first: 1, last: 1, step: 1, class: read, group: "generic",
		usage: "key", summary: "Returns the remaining seconds of a key"},
}

// maxName is longer than every command's name.
const maxName = 16

// commandTable finds commands by their names in lower case.
var commandTable = func() map[string]*command {
	t := make(map[string]*command, len(commands))
	for i := range commands {
		t[commands[i].name] = &commands[i]
		commands[i].power = 1 << i
	}
	return t
}()

// lookup finds a command by its name as a client writes it.
func lookup(name []byte) *command {
	var low [maxName]byte
	if len(name) > maxName {
		return nil
	}
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		low[i] = c
	}
	return commandTable[string(low[:len(name)])]
}

// parseRequest interprets what a client has sent. args are not copied.
func parseRequest(args [][]byte) request {
	if len(args) == 0 {
		return request{name: "unknown", err: "ERR empty command", may: true}
	}
	c := lookup(args[0])
	if c == nil {
		return request{name: "unknown", err: resp.Unknown(args), may: true}
	}
	r := request{cmd: c, name: c.name, args: args[1:], may: true}
	switch n := len(args); {
	case c.arity > 0 && n != c.arity, n < -c.arity, c.max > 0 && n > c.max:
		r.err = resp.Arguments(c.name)
		return r
	}
	if c.first > 0 {
		last := c.last
		if last < 0 {
			last = len(args) - 1
		}
		for i := c.first; i <= last; i += c.step {
			if len(args[i]) > MaxKey {
				r.err = fmt.Sprintf("ERR key is too long (%d bytes, at most %d)", len(args[i]), MaxKey)
				return r
			}
		}
	}
	if c.parse != nil {
		r.err = c.parse(&r, args[1:])
	}
	return r
}

// textNoRoom begins like Redis's error when no memory is left, so clients know that they may read and
// delete.
const textNoRoom = "OOM command not allowed: the disk of this server is nearly full (it keeps --disk-reserve bytes free; delete something, or enlarge the disk)"

const textNoRoomElsewhere = "OOM command not allowed: the disks of too many servers are nearly full, so no majority is left (they keep --disk-reserve bytes free; delete something, or enlarge the disks)"

// needsRoom reports whether a command that writes may permanently need more of the disk.
func (c *command) needsRoom() bool { return c.name != "del" && c.name != "expire" }

const textSyntax = "ERR syntax error"

func textExpireTime(name string) string { return "ERR invalid expire time in '" + name + "' command" }

func textValueTooLong(n int) string {
	return fmt.Sprintf("%s: %d bytes", textTooLong, n)
}

func parseSet(r *request, args [][]byte) string {
	r.op = op{code: opSet, args: args[:2]}
	for i := 2; i < len(args); i++ {
		unit := int64(0)
		switch a := args[i]; {
		case resp.Is(a, "nx") && r.op.flags&flagXX == 0:
			r.op.flags |= flagNX
		case resp.Is(a, "xx") && r.op.flags&flagNX == 0:
			r.op.flags |= flagXX
		case resp.Is(a, "ex"):
			unit = 1000
		case resp.Is(a, "px"):
			unit = 1
		default:
			return textSyntax
		}
		if unit == 0 {
			continue
		}
		if i++; i == len(args) || r.op.n != 0 {
			return textSyntax
		}
		n, ok := resp.ParseInt(args[i])
		if !ok {
			return textNotInteger
		}
		if n <= 0 || n > maxTime/unit {
			return textExpireTime("set")
		}
		r.op.n = n * unit
	}
	if len(args[1]) > MaxValue {
		return textValueTooLong(len(args[1]))
	}
	return ""
}

func parseDel(r *request, args [][]byte) string {
	r.op = op{code: opDel, args: args}
	return ""
}

func parseIncr(r *request, args [][]byte) string {
	r.op = op{code: opIncr, n: 1, args: args[:1]}
	if len(args) == 2 {
		var ok bool
		if r.op.n, ok = resp.ParseInt(args[1]); !ok {
			return textNotInteger
		}
	}
	return ""
}

func parseAppend(r *request, args [][]byte) string {
	r.op = op{code: opAppend, args: args}
	if len(args[1]) > MaxValue {
		return textValueTooLong(len(args[1]))
	}
	return ""
}

func parseMSet(r *request, args [][]byte) string {
	if len(args)%2 != 0 {
		return resp.Arguments("mset")
	}
	r.op = op{code: opMSet, args: args}
	for i := 1; i < len(args); i += 2 {
		if len(args[i]) > MaxValue {
			return textValueTooLong(len(args[i]))
		}
	}
	return ""
}

func parseExpire(r *request, args [][]byte) string {
	if len(args) > 2 {
		return resp.OneLine(fmt.Sprintf("ERR Unsupported option %s", args[2][:min(len(args[2]), 128)]))
	}
	n, ok := resp.ParseInt(args[1])
	if !ok {
		return textNotInteger
	}
	if n > maxTime/1000 {
		return textExpireTime("expire")
	}
	// However long ago that is, the key is removed.
	r.op = op{code: opExpire, n: max(n, -1) * 1000, args: args[:1]}
	return ""
}

func parseScan(r *request, args [][]byte) string {
	r.scan = scanArgs{count: defaultCount}
	var ok bool
	if r.scan.cursor, ok = resp.ParseUint(args[0]); !ok {
		return "ERR invalid cursor"
	}
	for i := 1; i < len(args); i += 2 {
		if i+1 == len(args) {
			return textSyntax
		}
		v := args[i+1]
		switch {
		case resp.Is(args[i], "match"):
			r.scan.match = v
			if bytes.Equal(v, []byte("*")) {
				r.scan.match = nil
			}
		case resp.Is(args[i], "count"):
			n, ok := resp.ParseInt(v)
			if !ok {
				return textNotInteger
			}
			if n < 1 {
				return textSyntax
			}
			r.scan.count = int(min(n, maxCount))
		case resp.Is(args[i], "type"):
			r.scan.none = !resp.Is(v, "string")
		default:
			return textSyntax
		}
	}
	return ""
}
