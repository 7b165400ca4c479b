package kv

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/tidwall/redcon"

	"github.com/p4ce/p4ce/host/kv/resp"
	"github.com/p4ce/p4ce/host/replicated"
)

// execute executes requests, which have this many bytes, and writes their replies.
func (c *client) execute(cmds []redcon.Command) {
	size := 0
	reqs := c.reqs[:0]
	for i := range cmds {
		size += len(cmds[i].Raw)
		reqs = append(reqs, c.s.parse(cmds[i].Args))
	}
	c.reqs = reqs
	c.s.executed.Add(uint64(len(cmds)))
	start := time.Now()
	c.mu.Lock()
	c.active, c.bytes, c.last = start, size, reqs[len(reqs)-1].name
	c.mu.Unlock()
	known := 0 // this many of reqs have been permitted or refused
	for len(reqs) > 0 && c.err == nil {
		if known == 0 {
			known = untilAuth(reqs)
			if c.permit(reqs[:known]); c.err != nil {
				break
			}
		}
		n, class := together(reqs[:known], c.s.cfg.MaxRecord-maxRecordHeader)
		if c.tx != nil {
			n, class = 1, alone
		}
		switch class {
		case alone:
			c.alone(&reqs[0], start)
		case write:
			c.writes(reqs[:n], start)
		case read:
			c.reads(reqs[:n], start)
		default:
			c.locals(reqs[:n], start)
		}
		known -= n
		if reqs = reqs[n:]; len(reqs) > 0 {
			start = time.Now()
		}
	}
	clear(c.reqs) // so what they refer to need not be kept
	if len(cmds) > keptRequests {
		c.reqs = nil
	}
	c.mu.Lock()
	c.bytes = 0
	c.mu.Unlock()
}

// parse interprets what a client has sent, and refuses what the log does not take. args are not copied.
func (s *Server) parse(args [][]byte) request {
	r := parseRequest(args)
	switch {
	case r.err != "" || r.cmd.class != write:
	case maxRecordHeader+r.op.size() > s.cfg.MaxRecord:
		r.err = fmt.Sprintf("ERR the command is too long for the log (at most %d bytes in all)", s.cfg.MaxRecord-maxRecordHeader-64)
	case r.cmd.needsRoom():
		r.err = s.noRoom()
	}
	return r
}

// noRoom returns why commands that need room are refused at the moment, or "".
func (s *Server) noRoom() string {
	if s.cfg.Machine.space.isLow() {
		return textNoRoom
	}
	if l, ok := s.cfg.Log.(replicated.LeaderLog); ok && l.Short() {
		return textNoRoomElsewhere
	}
	return ""
}

// keptRequests is for how many requests a connection keeps buffers, and keptBytes for how many bytes
// of writes.
const (
	keptRequests = 256
	keptBytes    = 64 << 10
)

// locals executes requests of class local.
func (c *client) locals(reqs []request, start time.Time) {
	for i := range reqs {
		if c.err == nil {
			c.local(&reqs[i], start)
		}
	}
}

// together returns how many of the first requests can be executed together. They have one class, with
// local requests among them, and their writes fit into room bytes.
func together(reqs []request, room int) (int, class) {
	class := local
	for i := range reqs {
		r := &reqs[i]
		if r.err != "" || r.cmd.class == local {
			if r.err == "" && r.mayEnd() { // what follows is not executed then
				return i + 1, class
			}
			continue
		}
		if r.cmd.class == alone {
			if i == 0 {
				return 1, alone
			}
			return i, class
		}
		if class == local {
			class = r.cmd.class
		}
		if r.cmd.class != class {
			return i, class
		}
		if class == write {
			if room -= r.op.size(); room < 0 {
				return i, class
			}
		}
	}
	return len(reqs), class
}

// mayEnd reports whether a request may end its connection.
func (r *request) mayEnd() bool {
	return r.name == "quit" || r.name == "client" && resp.Is(r.args[0], "kill")
}

// remote reports whether a request needs the log or a barrier.
func (r *request) remote() bool { return r.err == "" && r.cmd.class != local }

// writes executes requests of class write, and local requests among them.
func (c *client) writes(reqs []request, start time.Time) {
	p := &c.proposal
	p.ops, p.n = p.ops[:0], 0
	for i := range reqs {
		if r := &reqs[i]; r.remote() {
			p.ops = r.op.append(p.ops)
			p.n++
		}
	}
	replies, err := c.s.propose.submit(p)
	if cap(p.ops) > keptBytes {
		p.ops = nil
	}
	took := time.Since(start)
	for i := range reqs {
		r := &reqs[i]
		if !r.remote() {
			c.local(r, start)
			continue
		}
		if err != nil {
			text, result := c.s.describe(err, r)
			c.error(r, text, result, took)
			continue
		}
		c.write(r, replies[0], took)
		replies = replies[1:]
	}
}

// write writes the reply of a write.
func (c *client) write(r *request, reply Reply, took time.Duration) {
	n, text := c.written(r, reply)
	if text != "" {
		c.error(r, text, resultError, took)
		return
	}
	c.done(r, took, n)
}

// written writes the reply of a write, of about n bytes, or returns the text of an error.
func (c *client) written(r *request, reply Reply) (n int, text string) {
	switch reply.kind {
	case replyError:
		if r.name != "copy" || reply.text != textNoKey {
			return 0, reply.text
		}
		c.w.WriteInt(0)
	case replyInt:
		if r.name == "rename" {
			c.w.WriteString("OK")
		} else {
			c.w.WriteInt64(reply.n)
		}
	case replyText:
		c.w.WriteBulkString(reply.text)
		n = len(reply.text)
	case replyFound:
		n = c.value(&reply.found.entries[0])
	default: // it was done, or a condition was not met
		done := reply.kind == replyOK
		switch {
		case (r.name == "setnx" || r.name == "msetnx") && done:
			c.w.WriteInt(1)
		case r.name == "setnx" || r.name == "msetnx":
			c.w.WriteInt(0)
		case done:
			c.w.WriteString("OK")
		default:
			c.null()
		}
	}
	return n, ""
}

// done counts a request whose reply, of about n bytes, has been written.
func (c *client) done(r *request, took time.Duration, n int) {
	c.s.metrics.observe(r.name, resultOK, took)
	c.reply(n)
}

// error replies with an error.
func (c *client) error(r *request, text, result string, took time.Duration) {
	c.w.WriteError(text)
	c.s.metrics.observe(r.name, result, took)
	c.reply(len(text))
}

// describe words an error of the log or of the machine for clients. From the first words, Redis
// clients recognise a server that does not serve them.
func (s *Server) describe(err error, r *request) (text, result string) {
	write := r == nil || r.cmd.class != read
	var follower *replicated.NotLeaderError
	var unavailable *replicated.UnavailableError
	switch {
	case errors.As(err, &unavailable):
		return "CLUSTERDOWN " + resp.OneLine(unavailable.Error()), resultFollower
	case errors.As(err, &follower) && follower.Known && follower.Client != "" && r != nil && len(r.keys()) > 0:
		return resp.OneLine(fmt.Sprintf("MOVED %d %s", slotOf(r.keys()[0]), follower.Client)), resultFollower
	case errors.As(err, &follower) && follower.Known && follower.Client != "":
		return resp.OneLine(fmt.Sprintf("READONLY this server is a follower; the leader serves at %s", follower.Client)), resultFollower
	case errors.As(err, &follower) && follower.Known:
		return fmt.Sprintf("READONLY this server is a follower; the leader is server %d", follower.ID), resultFollower
	case errors.As(err, &follower):
		return "CLUSTERDOWN no leader is known at the moment (an election may be under way, or no majority of the servers is up)", resultFollower
	case errors.Is(err, context.DeadlineExceeded) && s.propose.shared && write:
		return fmt.Sprintf("TIMEOUT the write was not decided within %v (no leader or no majority of the acceptors answers?); it may or may not take effect", s.cfg.Timeout), resultTimeout
	case errors.Is(err, context.DeadlineExceeded) && s.propose.shared:
		return fmt.Sprintf("TIMEOUT this server could not learn within %v what others have decided (no leader or no majority of the acceptors answers?)", s.cfg.Timeout), resultTimeout
	case errors.Is(err, context.DeadlineExceeded) && write:
		return fmt.Sprintf("TIMEOUT the write was not decided within %v (no majority of the servers answers?); it may or may not take effect", s.cfg.Timeout), resultTimeout
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("TIMEOUT this server could not confirm within %v that it leads (no majority of the servers answers?)", s.cfg.Timeout), resultTimeout
	case errors.Is(err, replicated.ErrUnknownOutcome) && s.propose.shared:
		return "UNKNOWN outcome unknown: this server was behind and took the state of another server, or it is ending; the write may or may not have taken effect", resultUnknown
	case errors.Is(err, replicated.ErrUnknownOutcome):
		return "UNKNOWN outcome unknown: the leader changed, or this server ended, before the write was decided; it may or may not take effect", resultUnknown
	case errors.Is(err, ErrClosed), errors.Is(err, context.Canceled):
		return "CLUSTERDOWN this server is shutting down", resultError
	}
	if e := s.cfg.Machine.Failure(); e != nil {
		err = e
	}
	return "MISCONF " + resp.OneLine(err.Error()), resultError
}

// reads executes requests of class read, and local requests among them, after one barrier.
func (c *client) reads(reqs []request, start time.Time) {
	err := c.s.barrier.wait()
	now := c.s.propose.readTime()
	took := time.Since(start)
	for i := range reqs {
		r := &reqs[i]
		if !r.remote() {
			c.local(r, start)
			continue
		}
		n := 0
		if err == nil {
			if n, err = c.read(r, now); err == nil {
				c.done(r, took, n)
				continue
			}
		}
		text, result := c.s.describe(err, r)
		c.error(r, text, result, took)
	}
}

// read executes a request on the machine. Unless there is an error, it writes the reply, of about n
// bytes.
func (c *client) read(r *request, now int64) (n int, err error) {
	if r.cmd.first == 0 {
		v, err := c.s.cfg.Machine.View(now)
		if err != nil {
			return 0, err
		}
		defer v.Close()
		switch r.name {
		case "scan":
			return c.scan(r, v)
		case "keys":
			return c.keys(r, v)
		case "randomkey":
			return c.randomKey(v)
		}
		keys, err := v.Keys()
		if err == nil {
			c.w.WriteUint64(keys)
		}
		return 0, err
	}
	clear(c.found) // what was read before need not be kept
	if c.found, now, err = c.s.cfg.Machine.Read(now, r.keys(), c.found[:0]); err != nil {
		return 0, err
	}
	return c.has(r, c.found, now), nil
}

// has writes the reply of a read that has found entries at a time, and returns its length, or less.
func (c *client) has(r *request, found []entry, now int64) int {
	e := &found[0]
	switch r.name {
	case "get":
		return c.value(e)
	case "mget":
		c.w.WriteArray(len(found))
		for i := range found {
			c.reply(c.value(&found[i]))
		}
	case "exists", "touch":
		count := 0
		for i := range found {
			if found[i].exists {
				count++
			}
		}
		c.w.WriteInt(count)
	case "ttl":
		c.w.WriteInt64(untilExpiry(e, 1000, now-500))
	case "pttl":
		c.w.WriteInt64(untilExpiry(e, 1, now))
	case "expiretime":
		c.w.WriteInt64(untilExpiry(e, 1000, 0))
	case "pexpiretime":
		c.w.WriteInt64(untilExpiry(e, 1, 0))
	case "strlen":
		c.w.WriteInt(len(e.value))
	case "getrange", "substr":
		part := cutRange(e.value, r.n[0], r.n[1])
		c.w.WriteBulk(part)
		return len(part)
	case "type":
		if e.exists {
			c.w.WriteString("string")
		} else {
			c.w.WriteString("none")
		}
	case "memory":
		if e.exists {
			c.w.WriteInt(itemSize + len(r.args[1]) + len(e.value))
		} else {
			c.null()
		}
	case "object":
		switch {
		case !e.exists:
			c.null()
		case resp.Is(r.args[0], "refcount"):
			c.w.WriteInt(1)
		default:
			c.w.WriteBulkString(encodingOf(e.value))
		}
	}
	return 0
}

// untilExpiry is a key's expiry from a moment on, in units of ms; -1: it has none, -2: there is no such key.
func untilExpiry(e *entry, unit, from int64) int64 {
	switch {
	case !e.exists:
		return -2
	case e.expiry == 0:
		return -1
	}
	return (e.expiry - from) / unit
}

// cutRange returns the bytes from first to last, which count from the end if they are negative.
func cutRange(v []byte, first, last int64) []byte {
	n := int64(len(v))
	if first < 0 {
		first = max(first+n, 0)
	}
	if last < 0 {
		last = max(last+n, 0)
	}
	if last = min(last, n-1); first > last {
		return nil
	}
	return v[first : last+1]
}

// encodingOf is what Redis says of such a value.
func encodingOf(v []byte) string {
	const embedded = 44
	if _, ok := resp.ParseInt(v); ok {
		return "int"
	}
	if len(v) <= embedded {
		return "embstr"
	}
	return "raw"
}

// value writes a key's value, and returns its length.
func (c *client) value(e *entry) int {
	if e.exists {
		c.w.WriteBulk(e.value)
	} else {
		c.null()
	}
	return len(e.value)
}

// scanBytes limits a reply of SCAN, which may exceed it by one key.
const scanBytes = 1 << 20

func (c *client) scan(r *request, v *View) (int, error) {
	var keys [][]byte
	n := 0
	next, err := v.Scan(r.scan.cursor, r.scan.count, func(key []byte) bool {
		if !r.scan.none && (r.scan.match == nil || globMatch(r.scan.match, key)) && c.user.has(key) {
			keys = append(keys, append([]byte{}, key...))
			n += len(key) + 16
		}
		return n < scanBytes
	})
	if err != nil {
		return 0, err
	}
	c.w.WriteArray(2)
	c.w.WriteBulkString(strconv.FormatUint(next, 10))
	c.w.WriteArray(len(keys))
	for _, k := range keys {
		c.w.WriteBulk(k)
	}
	return n, nil
}

// keys executes KEYS. The reply counts as memory of the client while it is made.
func (c *client) keys(r *request, v *View) (n int, err error) {
	var keys [][]byte
	taken := 0
	defer func() { c.s.memory.take(c, -taken) }()
	pattern := r.args[0]
	cursor := uint64(0)
	for {
		at := n
		cursor, err = v.Scan(cursor, maxCount, func(key []byte) bool {
			if globMatch(pattern, key) && c.user.has(key) {
				keys = append(keys, append([]byte{}, key...))
				n += len(key) + 64
			}
			return true
		})
		if err != nil {
			return 0, err
		}
		if grown := n - at; grown > 0 {
			if c.grow(grown) != nil {
				c.err = errSlow
				return 0, errSlow
			}
			taken += grown
		}
		if cursor == 0 {
			break
		}
	}
	c.w.WriteArray(len(keys))
	for _, k := range keys {
		c.w.WriteBulk(k)
	}
	return n, nil
}

// randomKey executes RANDOMKEY: it replies with the first key from a random place on.
func (c *client) randomKey(v *View) (int, error) {
	var key []byte
	find := func(cursor uint64) (err error) {
		for first := true; key == nil && (first || cursor != 0); first = false {
			cursor, err = v.Scan(cursor, defaultCount, func(k []byte) bool {
				if key == nil && c.user.has(k) {
					key = append([]byte{}, k...)
				}
				return key == nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
	err := find(rand.Uint64())
	if err == nil && key == nil {
		err = find(0)
	}
	if err != nil {
		return 0, err
	}
	if key == nil {
		c.null()
	} else {
		c.w.WriteBulk(key)
	}
	return len(key), nil
}
