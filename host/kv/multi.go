package kv

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/p4ce/p4ce/host/kv/resp"
)

// A transaction is one record, or a part of one: its commands take effect together, and nothing comes between them.
// The record begins with a check for each watched key, that its contents are still those that WATCH saw. Every server
// executes the checks, so a transaction has the same outcome on all.

// queued are the commands of a transaction that has begun.
type queued struct {
	reqs []request
	size int  // bytes that count as memory of the client
	bad  bool // a command was refused: EXEC executes none
}

// watched is a key, and its sum when WATCH saw it; nil: it did not exist.
type watched struct{ key, sum []byte }

const (
	textAborted  = "EXECABORT Transaction discarded because of previous errors."
	textNotMulti = "ERR this command is not allowed in a transaction"
)

// alone executes a request that changes the connection's state, or that belongs to a transaction.
func (c *client) alone(r *request, start time.Time) {
	switch {
	case r.name == "exec":
		c.exec(r, start)
		return
	case c.tx != nil && r.name != "multi" && r.name != "discard" && r.name != "watch" && r.name != "reset" && r.name != "quit":
		c.queue(r, start)
		return
	case c.tx != nil && r.err != "":
		c.tx.bad = true
	case r.err == "" && r.name == "watch" && c.tx == nil:
		c.watch(r, start)
		return
	}
	c.local(r, start) // which refuses what is wrong, and calls stateCommand
}

// stateCommand is localCommand for commands of class alone.
func (c *client) stateCommand(r *request) string {
	switch r.name {
	case "multi":
		if c.tx != nil {
			c.tx.bad = true
			return "ERR MULTI calls can not be nested"
		}
		c.tx = &queued{}
	case "discard":
		if c.tx == nil {
			return "ERR DISCARD without MULTI"
		}
		c.forget()
	case "watch":
		c.tx.bad = true
		return "ERR WATCH inside MULTI is not allowed"
	case "unwatch":
		c.unwatch()
	case "backup":
		return c.backup(r)
	case "hello":
		return c.hello(r)
	case "reset":
		c.forget()
		c.proto3 = false
		c.is(c.users.begins(c.name))
		c.mu.Lock()
		c.title, c.said3 = "", false
		c.mu.Unlock()
		c.w.WriteString("RESET")
		return ""
	}
	c.w.WriteString("OK")
	return ""
}

// forget ends a transaction, and forgets the watched keys.
func (c *client) forget() {
	if c.tx != nil {
		c.s.memory.take(c, -c.tx.size)
		c.tx = nil
	}
	c.unwatch()
}

func (c *client) unwatch() {
	for _, w := range c.watched {
		c.s.memory.take(c, -w.size())
	}
	c.watched = nil
}

func (w *watched) size() int { return len(w.key) + 128 }

// queue adds a command to the transaction, or refuses it.
func (c *client) queue(r *request, start time.Time) {
	text := r.err
	if text == "" && (r.cmd.class == alone && r.name != "unwatch" || r.cmd.class == read && r.cmd.first == 0 || r.name == "auth") {
		text = textNotMulti
	}
	if text == "" && r.cmd.class != local {
		if err := c.s.elsewhere(); err != nil {
			text, _ = c.s.describe(err, r)
		}
	}
	if text != "" {
		c.tx.bad = true
		c.error(r, text, resultError, time.Since(start))
		return
	}
	args := make([][]byte, 0, 1+len(r.args))
	args = append(args, []byte(r.name))
	size := 256
	for _, a := range r.args {
		args = append(args, bytes.Clone(a))
		size += 64 + len(a)
	}
	if err := c.grow(size); err != nil {
		c.err = err
		return
	}
	c.tx.size += size
	q := c.s.parse(args)
	if q.err != "" { // the disk has just become full
		c.tx.bad = true
		c.error(r, q.err, resultError, time.Since(start))
		return
	}
	c.tx.reqs = append(c.tx.reqs, q)
	c.w.WriteString("QUEUED")
	c.done(r, time.Since(start), 0)
}

// watch executes WATCH, after a barrier like any read.
func (c *client) watch(r *request, start time.Time) {
	err := c.s.barrier.wait()
	if err == nil {
		clear(c.found)
		c.found, _, err = c.s.cfg.Machine.Read(c.s.propose.readTime(), r.args, c.found[:0])
	}
	if err != nil {
		text, result := c.s.describe(err, r)
		c.error(r, text, result, time.Since(start))
		return
	}
	for i, key := range r.args {
		w := watched{key: bytes.Clone(key)}
		if e := &c.found[i]; e.exists {
			w.sum = e.sum()
		}
		if c.err = c.grow(w.size()); c.err != nil {
			return
		}
		c.watched = append(c.watched, w)
	}
	c.w.WriteString("OK")
	c.done(r, time.Since(start), 0)
}

// exec executes a transaction.
func (c *client) exec(r *request, start time.Time) {
	tx, keys := c.tx, c.watched
	text := r.err
	switch {
	case text != "":
	case tx == nil:
		text = "ERR EXEC without MULTI"
	case tx.bad || slices.ContainsFunc(tx.reqs, c.mayNot):
		text = textAborted
	}
	if tx != nil {
		defer c.forget()
	}
	if text != "" {
		c.error(r, text, resultError, time.Since(start))
		return
	}
	replies, err := c.together(tx.reqs, keys)
	took := time.Since(start)
	switch {
	case err == errLongTransaction:
		c.error(r, fmt.Sprintf("EXECABORT Transaction discarded: it is too long for the log (at most %d bytes in all)", c.s.cfg.MaxRecord-maxRecordHeader-64), resultError, took)
		return
	case err != nil:
		text, result := c.s.describe(err, r)
		c.error(r, text, result, took)
		return
	case len(replies) > 0 && replies[0].kind == replyNot:
		c.nullArray()
		c.done(r, took, 0)
		return
	}
	if len(replies) > 0 {
		replies = replies[1+len(keys):]
	}
	c.w.WriteArray(len(tx.reqs))
	for i := range tx.reqs {
		q := &tx.reqs[i]
		var n int
		var text string
		switch q.cmd.class {
		case write:
			n, text = c.written(q, replies[0])
			replies = replies[1:]
		case read:
			n = c.has(q, replies[0].found.entries, replies[0].found.now)
			replies = replies[1:]
		case alone: // UNWATCH: they are forgotten anyway
			c.w.WriteString("OK")
		default:
			text = c.localCommand(q)
		}
		result := resultOK
		if text != "" {
			c.w.WriteError(text)
			result = resultError
		}
		c.s.metrics.observe(q.name, result, took)
		c.reply(n + len(text))
	}
	c.done(r, took, 0)
}

// mayNot reports whether the user may not make a queued request any more.
func (c *client) mayNot(r request) bool { return c.user.refuses(&r) != "" }

var errLongTransaction = fmt.Errorf("the transaction is too long")

// together has the log execute the commands of a transaction that need it, if keys are unchanged. There is a reply for
// the transaction, for each key, and for each command; none at all if nothing needs the log.
func (c *client) together(reqs []request, keys []watched) ([]Reply, error) {
	var ops []op
	for _, w := range keys {
		check := op{code: opCheck, args: [][]byte{w.key}}
		if w.sum != nil {
			check.args = append(check.args, w.sum)
		}
		ops = append(ops, check)
	}
	for i := range reqs {
		switch r := &reqs[i]; r.cmd.class {
		case write:
			ops = append(ops, r.op)
		case read:
			ops = append(ops, op{code: opRead, args: r.keys()})
		}
	}
	if len(ops) == 0 {
		return nil, nil
	}
	begin := op{code: opBegin, n: int64(len(ops))}
	size := begin.size()
	for i := range ops {
		size += ops[i].size()
	}
	if size > c.s.cfg.MaxRecord-maxRecordHeader {
		return nil, errLongTransaction
	}
	p := newProposal()
	p.ops = begin.append(make([]byte, 0, size))
	for i := range ops {
		p.ops = ops[i].append(p.ops)
	}
	p.n = 1 + len(ops)
	return c.s.propose.submit(&p)
}

// null writes that there is no value.
func (c *client) null() {
	if c.proto3 {
		c.w.WriteRaw([]byte("_\r\n"))
	} else {
		c.w.WriteNull()
	}
}

// nullArray writes that there is no list.
func (c *client) nullArray() {
	if c.proto3 {
		c.w.WriteRaw([]byte("_\r\n"))
	} else {
		c.w.WriteRaw([]byte("*-1\r\n"))
	}
}

// pairs begins a map of n names and values: in RESP2, it is a list.
func (c *client) pairs(n int) {
	if c.proto3 {
		c.w.WriteRaw(fmt.Appendf(nil, "%%%d\r\n", n))
	} else {
		c.w.WriteArray(2 * n)
	}
}

// page writes a text for people.
func (c *client) page(text string) {
	if c.proto3 {
		c.w.WriteRaw(fmt.Appendf(nil, "=%d\r\ntxt:%s\r\n", len(text)+4, text))
	} else {
		c.w.WriteBulkString(text)
	}
}

// hello executes HELLO.
func (c *client) hello(r *request) string {
	proto3 := c.proto3
	args := r.args
	if len(args) > 0 {
		n, ok := resp.ParseInt(args[0])
		switch {
		case !ok:
			return "ERR Protocol version is not an integer or out of range"
		case n != 2 && n != 3:
			return "NOPROTO unsupported protocol version"
		}
		proto3, args = n == 3, args[1:]
	}
	var title []byte
	for len(args) > 0 {
		switch {
		case resp.Is(args[0], "auth") && len(args) >= 3:
			if text := c.login(string(args[1]), args[2]); text != "" {
				return text
			}
			args = args[3:]
		case resp.Is(args[0], "setname") && len(args) >= 2:
			if title = args[1]; !goodName(title) {
				return textName
			}
			args = args[2:]
		default:
			return resp.OneLine(fmt.Sprintf("ERR Syntax error in HELLO option '%s'", args[0][:min(len(args[0]), 128)]))
		}
	}
	if c.user == nil {
		return "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time"
	}
	c.proto3 = proto3
	c.mu.Lock()
	if c.said3 = proto3; title != nil {
		c.title = string(title)
	}
	c.mu.Unlock()
	proto, role := 2, "replica"
	if proto3 {
		proto = 3
	}
	if c.s.serves() {
		role = "master"
	}
	c.pairs(7)
	for _, f := range [][2]string{{"server", "redis"}, {"version", redisVersion}} {
		c.w.WriteBulkString(f[0])
		c.w.WriteBulkString(f[1])
	}
	c.w.WriteBulkString("proto")
	c.w.WriteInt(proto)
	c.w.WriteBulkString("id")
	c.w.WriteUint64(c.id)
	for _, f := range [][2]string{{"mode", c.s.mode()}, {"role", role}} {
		c.w.WriteBulkString(f[0])
		c.w.WriteBulkString(f[1])
	}
	c.w.WriteBulkString("modules")
	c.w.WriteArray(0)
	return ""
}
