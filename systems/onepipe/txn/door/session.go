package door

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/p4ce/p4ce/host/kv/resp"
	"github.com/p4ce/p4ce/systems/onepipe/txn"
)

// MaxRequest bounds a request, in bytes: more than a transaction may have, so that what is too long is said.
const MaxRequest = 128 << 10

// maxCommand is longer than every command's name.
const maxCommand = 16

// Store executes transactions: a txn.Node.
type Store interface {
	Do(ctx context.Context, ops ...txn.Op) (txn.Outcome, error)
	Status() txn.Status
}

// Config says what is behind a door.
type Config struct {
	Store Store
	// Timeout ends transactions that are not answered.
	Timeout time.Duration
	// Version is the version of the program, for INFO.
	Version string
	// Stats is the server's, for INFO.
	Stats func() resp.Stats
	// MaxClients is how many the server takes, for INFO.
	MaxClients int
}

// Door makes sessions.
type Door struct {
	c       Config
	started time.Time
}

// New makes a door.
func New(c Config) *Door { return &Door{c, time.Now()} }

// Session makes the handler of a connection.
func (d *Door) Session() resp.Handler { return &session{d: d} }

// session is a connection.
type session struct {
	d *Door

	multi  bool  // behind MULTI
	queued batch // what is to be executed
	broken bool  // something of it is wrong
}

// others are the commands that are no part of a transaction, with the least and the greatest number of arguments (-1: any).
var others = map[string][2]int{
	"ping": {0, 1}, "echo": {1, 1}, "info": {0, -1}, "multi": {0, 0}, "exec": {0, 0}, "discard": {0, 0}, "quit": {0, -1},
}

// Execute implements resp.Handler.
func (s *session) Execute(ctx context.Context, w *resp.Writer, args [][]byte) (quit bool) {
	if len(args) == 0 {
		w.WriteError("ERR empty command")
		return false
	}
	name := string(args[0][:min(len(args[0]), maxCommand)])
	name = strings.ToLower(name)
	if _, ok := verbs[name]; ok {
		s.keys(ctx, w, name, args[1:])
		return false
	}
	n, ok := others[name]
	switch have := len(args) - 1; {
	case !ok:
		s.refuse(w, resp.Unknown(args))
	case have < n[0] || n[1] >= 0 && have > n[1]:
		s.refuse(w, resp.Arguments(name))
	case name == "quit":
		w.WriteString("OK")
		return true
	case name == "multi" || name == "exec" || name == "discard":
		s.transaction(ctx, w, name)
	case s.multi:
		s.refuse(w, fmt.Sprintf("ERR '%s' is not for a transaction: want GET, SET, DEL, MGET, MSET or SHARD", name))
	case name == "ping" && have == 0:
		w.WriteString("PONG")
	case name == "info":
		w.WriteBulkString(s.d.info(args[1:]))
	default: // ping and echo
		w.WriteBulk(args[1])
	}
	return false
}

// refuse replies that a command is wrong. Behind MULTI, nothing is executed any more.
func (s *session) refuse(w *resp.Writer, text string) {
	s.broken = s.multi
	w.WriteError(text)
}

// keys executes a command on keys, or queues it.
func (s *session) keys(ctx context.Context, w *resp.Writer, name string, args [][]byte) {
	b := &s.queued
	if !s.multi {
		b = &batch{}
	}
	if wrong := b.add(name, args); wrong != "" {
		s.refuse(w, wrong)
		return
	}
	if s.multi {
		w.WriteString("QUEUED")
		return
	}
	s.do(ctx, w, b, func() {})
}

// transaction begins or ends one of several commands.
func (s *session) transaction(ctx context.Context, w *resp.Writer, name string) {
	switch {
	case name == "multi" && s.multi:
		s.refuse(w, "ERR MULTI calls can not be nested")
		return
	case name == "multi":
		s.multi = true
		w.WriteString("OK")
		return
	case !s.multi:
		w.WriteError(fmt.Sprintf("ERR %s without MULTI", strings.ToUpper(name)))
		return
	}
	b, broken := s.queued, s.broken
	s.multi, s.broken, s.queued = false, false, batch{}
	switch {
	case name == "discard":
		w.WriteString("OK")
	case broken:
		w.WriteError("EXECABORT Transaction discarded because of previous errors.")
	case len(b.steps) == 0:
		w.WriteArray(0)
	default:
		s.do(ctx, w, &b, func() { w.WriteArray(len(b.steps)) })
	}
}

// do executes a batch, and writes its replies behind what head writes, or an error.
func (s *session) do(ctx context.Context, w *resp.Writer, b *batch, head func()) {
	t := s.d.c.Timeout
	ctx, cancel := context.WithTimeoutCause(ctx, t, fmt.Errorf("not answered within %v", t))
	defer cancel()
	o, err := s.d.c.Store.Do(ctx, b.ops...)
	if err != nil {
		w.WriteError(describe(err))
		return
	}
	head()
	b.reply(w, &o)
}

// describe words how a transaction has ended that has no replies.
func describe(err error) string {
	why := func(is error) string { return strings.TrimPrefix(strings.TrimPrefix(err.Error(), is.Error()), ": ") }
	switch {
	case errors.Is(err, txn.ErrNotDone):
		return resp.OneLine("NOTDONE no shard has executed the transaction, and none will: " + why(txn.ErrNotDone))
	case errors.Is(err, txn.ErrPartly):
		return "PARTLY all shards have executed the transaction, and one has failed that did not answer: what its keys were is unknown, and they are gone"
	case errors.Is(err, txn.ErrUnknown):
		return resp.OneLine("UNKNOWN all its shards have executed the transaction, or none, or they will: " + why(txn.ErrUnknown))
	}
	return resp.OneLine("ERR " + err.Error())
}

// info is the reply of INFO.
func (d *Door) info(sections [][]byte) string {
	st := d.c.Store.Status()
	var clients resp.Stats
	if d.c.Stats != nil {
		clients = d.c.Stats()
	}
	i := resp.NewInfo(sections)
	i.Section("server", func(add func(string, any)) {
		add("server_name", "p4ce")
		add("p4ce_version", d.c.Version)
		add("process_id", os.Getpid())
		add("uptime_in_seconds", int(time.Since(d.started).Seconds()))
	})
	i.Section("clients", func(add func(string, any)) {
		add("connected_clients", clients.Clients)
		add("maxclients", d.c.MaxClients)
	})
	i.Section("stats", func(add func(string, any)) {
		add("total_connections_received", clients.Accepted)
		add("rejected_connections", clients.Refused)
		add("total_commands_processed", clients.Executed)
	})
	i.Section("shards", func(add func(string, any)) {
		add("host", st.Name)
		add("servers", st.Servers)
		state := "serves"
		if st.Why != "" {
			state = resp.OneLine(st.Why)
		}
		add("state", state)
		add("absent", st.Absent)
		if st.Why == "" {
			add("process", fmt.Sprintf("%s/%d", st.Address, st.Process))
		}
		add("lives", st.Lives)
		add("keys", st.Keys)
		add("bytes", st.Bytes)
		add("parts_executed", st.Shard.Executed)
		add("answers_sent_again", st.Shard.Again)
	})
	i.Section("transactions", func(add func(string, any)) {
		add("under_way", st.UnderWay)
		for _, how := range txn.Ends() {
			add(how, st.Ended[how])
		}
		add("reads_repeated", st.Client.Repeated)
	})
	return i.String()
}
