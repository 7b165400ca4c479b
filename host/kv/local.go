package kv

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/p4ce/p4ce/host/kv/resp"
)

// redisVersion is what INFO tells tools that ask: the commands here are as in this version.
const redisVersion = "7.2.0"

// local executes a request that needs neither the log nor a barrier, or replies with its error.
func (c *client) local(r *request, start time.Time) {
	if c.err != nil {
		return
	}
	text := r.err
	if text == "" {
		text = c.localCommand(r)
	}
	if text != "" {
		result := resultError
		if !r.may {
			result = resultDenied
		}
		c.error(r, text, result, time.Since(start))
		return
	}
	c.done(r, time.Since(start), 0)
}

// localCommand writes a reply, or returns the text of an error.
func (c *client) localCommand(r *request) string {
	switch r.name {
	case "ping":
		if len(r.args) == 0 {
			c.w.WriteString("PONG")
		} else {
			c.w.WriteBulk(r.args[0])
		}
	case "echo":
		c.w.WriteBulk(r.args[0])
	case "quit":
		c.w.WriteString("OK")
		c.err = errQuit
	case "auth":
		return c.auth(r)
	case "acl":
		return c.acl(r)
	case "select":
		n, ok := resp.ParseInt(r.args[0])
		if !ok {
			return textNotInteger
		}
		if n != 0 {
			return "ERR DB index is out of range"
		}
		c.w.WriteString("OK")
	case "info":
		c.page(c.s.info(r.args))
	case "readonly", "readwrite":
		c.w.WriteString("OK")
	case "role":
		c.role()
	case "time":
		now := c.s.cfg.Clock()
		c.w.WriteArray(2)
		c.w.WriteBulkString(fmt.Sprint(now.Unix()))
		c.w.WriteBulkString(fmt.Sprint(now.Nanosecond() / 1000))
	case "wait":
		return c.wait(r)
	case "config":
		return c.config(r)
	case "client":
		return c.client(r)
	case "cluster":
		return c.cluster(r)
	case "command":
		return c.command(r)
	default:
		return c.stateCommand(r)
	}
	return ""
}

// subcommand finds args[0] among names. Each name has behind it the least and greatest number of
// arguments (-1: any).
func subcommand(r *request, names map[string][2]int) (string, string) {
	name := strings.ToLower(string(r.args[0]))
	n, ok := names[name]
	if !ok {
		return "", resp.OneLine(fmt.Sprintf("ERR unknown subcommand '%s'. Try %s HELP.", r.args[0][:min(len(r.args[0]), 128)], strings.ToUpper(r.name)))
	}
	if have := len(r.args) - 1; have < n[0] || n[1] >= 0 && have > n[1] {
		return "", resp.Arguments(r.name + "|" + name)
	}
	return name, ""
}

// help replies with lines, like HELP.
func (c *client) help(lines ...string) {
	c.w.WriteArray(len(lines))
	for _, l := range lines {
		c.w.WriteString(l)
	}
}

func (c *client) config(r *request) string {
	name, text := subcommand(r, map[string][2]int{"get": {1, -1}, "help": {0, 0}})
	switch {
	case text != "":
		return text
	case name == "help":
		c.help("CONFIG GET <pattern>", "    Return settings whose names match.")
		return ""
	}
	var found []string
	for _, kv := range [][2]string{
		{"appendonly", "no"}, {"databases", "1"}, {"maxclients", fmt.Sprint(c.s.cfg.MaxClients)}, {"save", ""}, {"timeout", fmt.Sprint(int(c.s.cfg.Idle.Seconds()))},
	} {
		for _, pattern := range r.args[1:] {
			if globMatch(bytes.ToLower(pattern), []byte(kv[0])) {
				found = append(found, kv[:]...)
				break
			}
		}
	}
	c.pairs(len(found) / 2)
	for _, s := range found {
		c.w.WriteBulkString(s)
	}
	return ""
}

func (c *client) command(r *request) string {
	name := "info"
	if len(r.args) > 0 {
		var text string
		name, text = subcommand(r, map[string][2]int{"count": {0, 0}, "docs": {0, -1}, "getkeys": {1, -1}, "help": {0, 0}, "info": {0, -1}, "list": {0, 3}})
		if text != "" {
			return text
		}
	}
	// The requested commands; nil: there is no such command.
	var asked []*command
	if len(r.args) > 1 {
		for _, a := range r.args[1:] {
			asked = append(asked, lookup(a))
		}
	} else {
		for i := range commands {
			asked = append(asked, &commands[i])
		}
	}
	switch name {
	case "count":
		c.w.WriteInt(len(commands))
	case "help":
		c.help("COMMAND [COUNT | DOCS [<name> ...] | INFO [<name> ...]]", "    Describe the commands.",
			"COMMAND GETKEYS <command>", "    Return the keys of a command.",
			"COMMAND LIST [FILTERBY ACLCAT <category> | MODULE <name> | PATTERN <pattern>]", "    Return the names of the commands.")
	case "getkeys":
		return c.commandKeys(parseRequest(r.args[1:]))
	case "list":
		return c.commandList(r.args[1:])
	case "info":
		c.w.WriteArray(len(asked))
		for _, cmd := range asked {
			c.commandInfo(cmd)
		}
	case "docs":
		asked = slices.DeleteFunc(asked, func(c *command) bool { return c == nil })
		c.pairs(len(asked))
		for _, cmd := range asked {
			c.commandDocs(cmd)
		}
	}
	return ""
}

// commandKeys replies with the keys of a request.
func (c *client) commandKeys(r request) string {
	switch {
	case r.cmd == nil:
		return "ERR Invalid command specified"
	case r.err != "":
		return "ERR Invalid arguments specified for command"
	case r.cmd.first == 0:
		return "ERR The command has no key arguments"
	}
	keys := r.keys()
	c.w.WriteArray(len(keys))
	for _, k := range keys {
		c.w.WriteBulk(k)
	}
	return ""
}

// commandList replies with the names of the commands that a filter lets through.
func (c *client) commandList(filter [][]byte) string {
	shows := func(*command) bool { return true }
	if len(filter) > 0 {
		if len(filter) != 3 || !resp.Is(filter[0], "filterby") {
			return textSyntax
		}
		by, value := filter[1], filter[2]
		switch {
		case resp.Is(by, "module"): // there are none
			shows = func(*command) bool { return false }
		case resp.Is(by, "pattern"):
			pattern := bytes.ToLower(value)
			shows = func(cmd *command) bool { return globMatch(pattern, []byte(cmd.name)) }
		case resp.Is(by, "aclcat"):
			category := strings.ToLower(string(value))
			shows = func(cmd *command) bool {
				return slices.ContainsFunc(powers, func(p power) bool { return p.name == cmd.name && slices.Contains(p.categories, category) })
			}
		default:
			return textSyntax
		}
	}
	var names []string
	for i := range commands {
		if shows(&commands[i]) {
			names = append(names, commands[i].name)
		}
	}
	c.w.WriteArray(len(names))
	for _, n := range names {
		c.w.WriteBulkString(n)
	}
	return ""
}

func (c *client) commandInfo(cmd *command) {
	if cmd == nil {
		c.nullArray()
		return
	}
	c.w.WriteArray(6)
	c.w.WriteBulkString(cmd.name)
	c.w.WriteInt(cmd.arity)
	flags := slices.DeleteFunc(strings.Fields(cmd.flags), func(f string) bool { return f == "dangerous" }) // Redis has no such flag
	c.w.WriteArray(len(flags))
	for _, f := range flags {
		c.w.WriteString(f)
	}
	c.w.WriteInt(cmd.first)
	c.w.WriteInt(cmd.last)
	c.w.WriteInt(cmd.step)
	c.reply(256)
}

// commandDocs writes a name and a map, as a list. There is one argument, whose name is the list of
// arguments in a form for people.
func (c *client) commandDocs(cmd *command) {
	c.w.WriteBulkString(cmd.name)
	fields := []string{"summary", cmd.summary, "since", "1.0.0", "group", cmd.group}
	n := len(fields)
	if cmd.usage != "" {
		n += 2
	}
	c.pairs(n / 2)
	for _, f := range fields {
		c.w.WriteBulkString(f)
	}
	if cmd.usage != "" {
		c.w.WriteBulkString("arguments")
		c.w.WriteArray(1)
		c.pairs(2)
		for _, f := range []string{"name", cmd.usage, "type", "string"} {
			c.w.WriteBulkString(f)
		}
	}
	c.reply(512)
}

// info returns the reply of INFO.
// seconds is a time as INFO shows it.
func seconds(t syscall.Timeval) string { return fmt.Sprintf("%d.%06d", t.Sec, t.Usec) }

func (s *Server) info(sections [][]byte) string {
	info := resp.NewInfo(sections)
	section := info.Section
	section("server", func(add func(string, any)) {
		up := int(time.Since(s.started).Seconds())
		add("redis_version", redisVersion)
		add("redis_mode", s.mode())
		add("server_name", "p4ce")
		add("p4ce_version", s.cfg.Version)
		add("os", runtime.GOOS+" "+runtime.GOARCH)
		add("arch_bits", 64)
		add("process_id", os.Getpid())
		add("tcp_port", s.port())
		add("uptime_in_seconds", up)
		add("uptime_in_days", up/86400)
	})
	section("clients", func(add func(string, any)) {
		add("connected_clients", s.connected())
		add("maxclients", s.cfg.MaxClients)
		add("client_memory", s.memory.sum())
		add("client_memory_limit", s.cfg.ClientMemory)
	})
	section("memory", func(add func(string, any)) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		add("used_memory", m.HeapInuse)
		add("used_memory_human", fmt.Sprintf("%.2fM", float64(m.HeapInuse)/(1<<20)))
	})
	section("cpu", func(add func(string, any)) {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err == nil {
			add("used_cpu_sys", seconds(u.Stime))
			add("used_cpu_user", seconds(u.Utime))
		}
	})
	section("stats", func(add func(string, any)) {
		add("total_connections_received", s.accepted.Load())
		add("rejected_connections", s.refused.Load())
		add("total_commands_processed", s.executed.Load())
	})
	section("replication", func(add func(string, any)) {
		leader, known := s.cfg.Log.Leader()
		if known && leader == s.cfg.Client {
			add("role", "master")
		} else {
			add("role", "slave")
			status := "down"
			if host, port, err := net.SplitHostPort(leader); known && err == nil {
				add("master_host", host)
				add("master_port", port)
				status = "up"
			}
			add("master_link_status", status)
		}
		if known {
			add("leader", leader)
		}
		if s.cfg.Info != nil {
			for _, kv := range s.cfg.Info() {
				add(kv[0], kv[1])
			}
		}
	})
	section("cluster", func(add func(string, any)) {
		enabled := 0
		if s.clustered() {
			enabled = 1
		}
		add("cluster_enabled", enabled)
	})
	section("persistence", func(add func(string, any)) {
		add("loading", 0)
		status := "ok"
		if err := s.cfg.Machine.Failure(); err != nil {
			status = resp.OneLine(err.Error())
		}
		add("disk", status)
	})
	section("keyspace", func(add func(string, any)) {
		if n := s.cfg.Machine.Keys(); n > 0 {
			add("db0", fmt.Sprintf("keys=%d", n))
		}
	})
	return info.String()
}

// port returns the port of a listener.
func (s *Server) port() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.listeners {
		if a, ok := l.Addr().(*net.TCPAddr); ok {
			return a.Port
		}
	}
	return 0
}
