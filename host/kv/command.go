package kv

import (
	"fmt"
	"strings"

	"github.com/p4ce/p4ce/host/kv/resp"
)

// class says where a command is executed.
type class uint8

const (
	local class = iota // on any server, without the log
	read               // on a View, after a barrier, at the leader
	write              // by the log
	alone              // changes the connection's state: no other request is executed together with it
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
	power   powerSet                               // the powers that a user needs
}

// request is a command of a client, ready to execute, or an error.
type request struct {
	cmd  *command // nil: unknown
	name string   // the result, as metrics name it
	err  string   // the text of an error, for the client
	may  bool     // false: the user may not, and err says so
	op   op       // of writes
	args [][]byte
	n    [2]int64 // numbers among args
	scan scanArgs
}

// keys returns the keys of a request.
func (r *request) keys() [][]byte {
	c := r.cmd
	switch {
	case c.first == 0:
		return nil
	case c.step == 1:
		last := c.last
		if last < 0 {
			last = len(r.args)
		}
		return r.args[c.first-1 : last]
	}
	var keys [][]byte
	for i := c.first; i <= len(r.args); i += c.step {
		keys = append(keys, r.args[i-1])
	}
	return keys
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
	{name: "backup", arity: 1, flags: "admin noscript", class: alone, group: "server",
		summary: "Returns all keys at one point of the log, as bulk strings that end with an empty one (p4ce kv backup)"},
	{name: "client", arity: -2, flags: "noscript loading stale", class: local, group: "connection",
		usage: "GETNAME | ID | INFO | KILL address | KILL filter [filter ...] | LIST [filter ...] | NO-EVICT ON|OFF | NO-TOUCH ON|OFF | SETINFO LIB-NAME|LIB-VER value | SETNAME name", summary: "Names, lists and ends connections"},
	{name: "cluster", arity: -2, flags: "admin noscript loading stale", class: local, group: "server",
		usage: "MEMBERS | ADD id=address[+second],client | REMOVE id | INFO | KEYSLOT key | MYID | NODES | SHARDS | SLOTS", summary: "Shows and changes the servers of the store"},
	{name: "command", arity: -1, flags: "loading stale", class: local, group: "server",
		usage: "[COUNT | DOCS [name ...] | GETKEYS command | INFO [name ...] | LIST [FILTERBY ACLCAT|MODULE|PATTERN value]]", summary: "Describes the commands"},
	{name: "config", arity: -2, flags: "admin noscript loading stale", class: local, group: "server",
		usage: "GET pattern [pattern ...]", summary: "Returns settings, for benchmarks that ask"},
	{name: "copy", arity: -3, flags: "write denyoom", first: 1, last: 2, step: 1, class: write, group: "generic",
		usage: "source destination [DB 0] [REPLACE]", summary: "Copies the value of a key to another key", parse: parseCopy},
	{name: "dbsize", arity: 1, flags: "readonly fast", class: read, group: "server",
		summary: "Returns the number of keys"},
	{name: "decr", arity: 2, flags: "write denyoom fast", first: 1, last: 1, step: 1, class: write, group: "string",
		usage: "key", summary: "Takes one from the integer value of a key, 0 if it does not exist", parse: parseIncr},
	{name: "decrby", arity: 3, flags: "write denyoom fast", first: 1, last: 1, step: 1, class: write, group: "string",
		usage: "key decrement", summary: "Takes a number from the integer value of a key, 0 if it does not exist", parse: parseIncr},
	{name: "del", arity: -2, flags: "write", first: 1, last: -1, step: 1, class: write, group: "generic",
		usage: "key [key ...]", summary: "Deletes keys", parse: parseDel},
	{name: "discard", arity: 1, flags: "noscript loading stale fast", class: alone, group: "transactions",
		summary: "Forgets the commands of a transaction"},
	{name: "echo", arity: 2, flags: "loading stale fast", class: local, group: "connection",
		usage: "message", summary: "Returns the message"},
	{name: "exec", arity: 1, flags: "noscript loading stale", class: alone, group: "transactions",
		summary: "Executes the commands of a transaction"},
	{name: "exists", arity: -2, flags: "readonly fast", first: 1, last: -1, step: 1, class: read, group: "generic",
		usage: "key [key ...]", summary: "Counts the keys that exist"},
	{name: "expire", arity: -3, flags: "write fast", first: 1, last: 1, step: 1, class: write, group: "generic",
		usage: "key seconds [NX | XX | GT | LT]", summary: "Sets the time after which a key is deleted", parse: parseExpire},
	{name: "expireat", arity: -3, flags: "write fast", first: 1, last: 1, step: 1, class: write, group: "generic",
		usage: "key unix-time-seconds [NX | XX | GT | LT]", summary: "Sets the time at which a key is deleted", parse: parseExpire},
	{name: "expiretime", arity: 2, flags: "readonly fast", first: 1, last: 1, step: 1, class: read, group: "generic",
		usage: "key", summary: "Returns the time in seconds at which a key is deleted"},
	{name: "flushall", arity: -1, max: 2, flags: "write dangerous", class: write, group: "server",
		usage: "[ASYNC | SYNC]", summary: "Deletes all keys", parse: parseFlush},
	{name: "flushdb", arity: -1, max: 2, flags: "write dangerous", class: write, group: "server",
		usage: "[ASYNC | SYNC]", summary: "Deletes all keys", parse: parseFlush},
	{name: "get", arity: 2, flags: "readonly fast", first: 1, last: 1, step: 1, class: read, group: "string",
		usage: "key", summary: "Returns the value of a key"},
	{name: "getdel", arity: 2, flags: "write fast", first: 1, last: 1, step: 1, class: write, group: "string",
		usage: "key", summary: "Returns the value of a key, and deletes the key", parse: parseGetDel},
	{name: "getex", arity: -2, flags: "write fast", first: 1, last: 1, step: 1, class: write, group: "string",
		usage: "key [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT unix-time-milliseconds | PERSIST]", summary: "Returns the value of a key, and sets when the key is deleted", parse: parseGetEx},
	{name: "getrange", arity: 4, flags: "readonly", first: 1, last: 1, step: 1, class: read, group: "string",
		usage: "key start end", summary: "Returns a part of the value of a key", parse: parseRange},
	{name: "getset", arity: 3, flags: "write denyoom fast", first: 1, last: 1, step: 1, class: write, group: "string",
		usage: "key value", summary: "Returns the previous value of a key, and sets it", parse: parseSet},
	{name: "hello", arity: -1, flags: "noscript loading stale fast no_auth", class: alone, group: "connection",
		usage: "[protocol [AUTH username password] [SETNAME name]]", summary: "Selects the protocol, and authenticates this connection"},
	{name: "incr", arity: 2, flags: "write denyoom fast", first: 1, last: 1, step: 1, class: write, group: "string",
		usage: "key", summary: "Adds one to the integer value of a key, 0 if it does not exist", parse: parseIncr},
	{name: "incrby", arity: 3, flags: "write denyoom fast", first: 1, last: 1, step: 1, class: write, group: "string",
		usage: "key increment", summary: "Adds a number to the integer value of a key, 0 if it does not exist", parse: parseIncr},
	{name: "incrbyfloat", arity: 3, flags: "write denyoom fast", first: 1, last: 1, step: 1, class: write, group: "string",
		usage: "key increment", summary: "Adds a number to the decimal value of a key, 0 if it does not exist", parse: parseIncrFloat},
	{name: "info", arity: -1, flags: "loading stale dangerous", class: local, group: "server",
		usage: "[section ...]", summary: "Returns facts about the server"},
	{name: "keys", arity: 2, flags: "readonly dangerous", class: read, group: "generic",
		usage: "pattern", summary: "Returns all keys that match a pattern"},
	{name: "memory", arity: -2, flags: "readonly", first: 2, last: 2, step: 1, class: read, group: "server",
		usage: "USAGE key [SAMPLES count]", summary: "Returns how much memory a key takes about", parse: parseMemory},
	{name: "mget", arity: -2, flags: "readonly fast", first: 1, last: -1, step: 1, class: read, group: "string",
		usage: "key [key ...]", summary: "Returns the values of keys, all at one moment"},
	{name: "mset", arity: -3, flags: "write denyoom", first: 1, last: -1, step: 2, class: write, group: "string",
		usage: "key value [key value ...]", summary: "Sets keys, all at one moment", parse: parseMSet},
	{name: "msetnx", arity: -3, flags: "write denyoom", first: 1, last: -1, step: 2, class: write, group: "string",
		usage: "key value [key value ...]", summary: "Sets keys, all at one moment, if none exists", parse: parseMSet},
	{name: "multi", arity: 1, flags: "noscript loading stale fast", class: alone, group: "transactions",
		summary: "Begins a transaction"},
	{name: "object", arity: -2, flags: "readonly", first: 2, last: 2, step: 1, class: read, group: "generic",
		usage: "ENCODING key | REFCOUNT key", summary: "Describes how a value is stored", parse: parseObject},
	{name: "persist", arity: 2, flags: "write fast", first: 1, last: 1, step: 1, class: write, group: "generic",
		usage: "key", summary: "Removes the time after which a key is deleted", parse: parsePersist},
	{name: "pexpire", arity: -3, flags: "write fast", first: 1, last: 1, step: 1, class: write, group: "generic",
		usage: "key milliseconds [NX | XX | GT | LT]", summary: "Sets the time after which a key is deleted", parse: parseExpire},
	{name: "pexpireat", arity: -3, flags: "write fast", first: 1, last: 1, step: 1, class: write, group: "generic",
		usage: "key unix-time-milliseconds [NX | XX | GT | LT]", summary: "Sets the time at which a key is deleted", parse: parseExpire},
	{name: "pexpiretime", arity: 2, flags: "readonly fast", first: 1, last: 1, step: 1, class: read, group: "generic",
		usage: "key", summary: "Returns the time in milliseconds at which a key is deleted"},
	{name: "ping", arity: -1, max: 2, flags: "loading stale fast", class: local, group: "connection",
		usage: "[message]", summary: "Answers PONG, or the message"},
	{name: "psetex", arity: 4, flags: "write denyoom", first: 1, last: 1, step: 1, class: write, group: "string",
		usage: "key milliseconds value", summary: "Sets a key, and the time after which it is deleted", parse: parseSetEx},
	{name: "pttl", arity: 2, flags: "readonly fast", first: 1, last: 1, step: 1, class: read, group: "generic",
		usage: "key", summary: "Returns the remaining milliseconds of a key"},
	{name: "quit", arity: -1, flags: "noscript loading stale fast", class: local, group: "connection",
		summary: "Closes the connection"},
	{name: "randomkey", arity: 1, flags: "readonly", class: read, group: "generic",
		summary: "Returns a key"},
	{name: "readonly", arity: 1, flags: "loading stale fast", class: local, group: "connection",
		summary: "Accepted from cluster clients; reads are answered by the leader all the same"},
	{name: "readwrite", arity: 1, flags: "loading stale fast", class: local, group: "connection",
		summary: "Undoes READONLY"},
	{name: "rename", arity: 3, flags: "write", first: 1, last: 2, step: 1, class: write, group: "generic",
		usage: "key new", summary: "Renames a key; replaces one of that name", parse: parseCopy},
	{name: "renamenx", arity: 3, flags: "write fast", first: 1, last: 2, step: 1, class: write, group: "generic",
		usage: "key new", summary: "Renames a key, if there is none of that name", parse: parseCopy},
	{name: "reset", arity: 1, flags: "noscript loading stale fast no_auth", class: alone, group: "connection",
		summary: "Makes this connection like a new one"},
	{name: "role", arity: 1, flags: "noscript loading stale fast dangerous", class: local, group: "server",
		summary: "Returns whether this server leads, and who the others are"},
	{name: "scan", arity: -2, flags: "readonly", class: read, group: "generic",
		usage: "cursor [MATCH pattern] [COUNT count] [TYPE type]", summary: "Iterates over the keys", parse: parseScan},
	{name: "select", arity: 2, flags: "loading stale fast", class: local, group: "connection",
		usage: "0", summary: "Selects the database; there is one"},
	{name: "set", arity: -3, flags: "write denyoom", first: 1, last: 1, step: 1, class: write, group: "string",
		usage: "key value [NX | XX] [GET] [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT unix-time-milliseconds | KEEPTTL]", summary: "Sets a key", parse: parseSet},
	{name: "setex", arity: 4, flags: "write denyoom", first: 1, last: 1, step: 1, class: write, group: "string",
		usage: "key seconds value", summary: "Sets a key, and the time after which it is deleted", parse: parseSetEx},
	{name: "setnx", arity: 3, flags: "write denyoom fast", first: 1, last: 1, step: 1, class: write, group: "string",
		usage: "key value", summary: "Sets a key, if it does not exist", parse: parseSet},
	{name: "setrange", arity: 4, flags: "write denyoom", first: 1, last: 1, step: 1, class: write, group: "string",
		usage: "key offset value", summary: "Replaces a part of the value of a key", parse: parseSetRange},
	{name: "strlen", arity: 2, flags: "readonly fast", first: 1, last: 1, step: 1, class: read, group: "string",
		usage: "key", summary: "Returns the length of the value of a key"},
	{name: "substr", arity: 4, flags: "readonly", first: 1, last: 1, step: 1, class: read, group: "string",
		usage: "key start end", summary: "Returns a part of the value of a key", parse: parseRange},
	{name: "time", arity: 1, flags: "loading stale fast", class: local, group: "server",
		summary: "Returns this server's time"},
	{name: "touch", arity: -2, flags: "readonly fast", first: 1, last: -1, step: 1, class: read, group: "generic",
		usage: "key [key ...]", summary: "Counts the keys that exist"},
	{name: "ttl", arity: 2, flags: "readonly fast", first: 1, last: 1, step: 1, class: read, group: "generic",
		usage: "key", summary: "Returns the remaining seconds of a key"},
	{name: "type", arity: 2, flags: "readonly fast", first: 1, last: 1, step: 1, class: read, group: "generic",
		usage: "key", summary: "Returns the type of a key: string, or none"},
	{name: "unlink", arity: -2, flags: "write fast", first: 1, last: -1, step: 1, class: write, group: "generic",
		usage: "key [key ...]", summary: "Deletes keys", parse: parseDel},
	{name: "unwatch", arity: 1, flags: "noscript loading stale fast", class: alone, group: "transactions",
		summary: "Forgets the watched keys"},
	{name: "wait", arity: 3, flags: "", class: local, group: "generic",
		usage: "replicas timeout", summary: "Returns how many other servers have all writes that were answered"},
	{name: "watch", arity: -2, flags: "noscript loading stale fast", first: 1, last: -1, step: 1, class: alone, group: "transactions",
		usage: "key [key ...]", summary: "Makes a transaction depend on keys being unchanged"},
}

// maxName is longer than every command's name.
const maxName = 16

// commandTable finds commands by their names in lower case.
var commandTable = func() map[string]*command {
	t := make(map[string]*command, len(commands))
	for i := range commands {
		t[commands[i].name] = &commands[i]
		commands[i].power = onePower(i)
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
		last := min(c.last, len(args)-1)
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
func (c *command) needsRoom() bool { return strings.Contains(c.flags, "denyoom") }
