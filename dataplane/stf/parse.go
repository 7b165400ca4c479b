package stf

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/p4ce/p4ce/dataplane"
)

// A Script is a parsed test.
type Script struct {
	Name  string
	Stmts []Stmt
}

// Stmt is a statement of a script.
type Stmt interface{ line() int }

type at int

func (a at) line() int { return int(a) }

// Op is what is done to an entry.
type Op int

// These are the operations.
const (
	Insert Op = iota
	Modify    // the action of one that is there
	Put       // one or the other
	Delete
)

type (
	// Add adds an entry, or changes or deletes one.
	Add struct {
		at
		Op       Op
		Table    string
		Priority int // -1 when absent
		Keys     []KeyValue
		Action   Call // of no meaning for Delete
	}
	// SetDefault sets a default action; without a name it is that of the program.
	SetDefault struct {
		at
		Table  string
		Action Call
	}
	// Packet sends a packet.
	Packet struct {
		at
		Port int
		Data []byte
	}
	// Expect says what leaves a port.
	Expect struct {
		at
		Port  int
		Any   bool // any packet
		Exact bool // no byte may follow
		Data  []byte
		Mask  []byte // 0xf in a nibble that matters
	}
	// Wait is where everything so far must have happened.
	Wait struct{ at }
	// ExpectDigest says what a packet reports.
	ExpectDigest struct {
		at
		Name   string
		Fields []KeyValue
	}
	// NoDigest is said for the reader; as ExpectDigest does, it makes every digest
	// that nobody expects a failure.
	NoDigest struct{ at }
	// NoPacket is said for the reader.
	NoPacket struct{ at }
	// Group makes a multicast group; with Create, an empty one that Join fills.
	Group struct {
		at
		ID      int
		Members []Member
	}
	// Node makes a multicast node; nodes are numbered from 0.
	Node struct {
		at
		Instance int
		Ports    []int
	}
	// Join puts a node into a group.
	Join struct {
		at
		Group, Node int
	}
	// WriteRegister sets an element.
	WriteRegister struct {
		at
		Name   string
		Index  int
		Values []string
	}
	// SetMeter configures a cell of a meter.
	SetMeter struct {
		at
		Name   string
		Index  int
		Config dataplane.Meter
	}
	// CheckEntry compares the direct counter of an entry, or of the default action.
	CheckEntry struct {
		at
		Entry   *Add
		Default bool
		Field   string // packets or bytes
		Op      string
		Value   string
	}
	// Check compares an element of a register or counter.
	Check struct {
		at
		Counter bool
		Name    string
		Index   int
		Field   string // packets, bytes, or a field of the register
		Op      string
		Value   string
	}
)

// KeyValue is one element of a key.
type KeyValue struct{ Key, Value string }

// Call is an action with its arguments.
type Call struct {
	Name string
	Args []KeyValue
}

// Member is a copy that a group makes.
type Member struct{ Port, Instance int }

// Parse reads a script. Errors name the line.
func Parse(name string, text []byte) (*Script, error) {
	s := &Script{Name: name}
	for i, l := range strings.Split(string(text), "\n") {
		if j := strings.IndexByte(l, '#'); j >= 0 {
			l = l[:j]
		}
		l = strings.TrimSpace(l)
		if l == "" {
			continue
		}
		st, err := parseLine(at(i+1), l)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
		s.Stmts = append(s.Stmts, st)
	}
	return s, nil
}

func parseLine(n at, l string) (Stmt, error) {
	word, rest, _ := strings.Cut(strings.ReplaceAll(l, "\t", " "), " ")
	rest = strings.TrimSpace(rest)
	if isStatement(word, l) {
		return parseStatement(n, l)
	}
	switch strings.ToLower(word) {
	case "add":
		return parseAdd(n, Insert, rest)
	case "modify":
		return parseAdd(n, Modify, rest)
	case "delete":
		return parseAdd(n, Delete, rest)
	case "check_entry":
		return parseCheckEntry(n, rest)
	case "setdefault":
		table, action, _ := strings.Cut(rest, " ")
		c, err := parseCall(action)
		return &SetDefault{n, unquote(table), c}, err
	case "packet":
		port, data, _ := strings.Cut(rest, " ")
		p, err := parsePort(port)
		if err != nil {
			return nil, err
		}
		b, err := hex.DecodeString(strings.ReplaceAll(data, " ", ""))
		if err != nil {
			return nil, fmt.Errorf("packet data %q: %w", data, err)
		}
		return &Packet{n, p, b}, nil
	case "expect":
		return parseExpect(n, rest)
	case "no_packet":
		return &NoPacket{n}, noMore(rest)
	case "expect_digest":
		return parseExpectDigest(n, strings.Fields(rest))
	case "no_digest":
		return &NoDigest{n}, noMore(rest)
	case "wait":
		return &Wait{n}, noMore(rest)
	case "multicast":
		return parseGroup(n, strings.Fields(rest))
	case "mc_mgrp_create":
		ns, err := numbers(strings.Fields(rest), 1, 1)
		if err != nil {
			return nil, err
		}
		return &Group{at: n, ID: ns[0]}, nil
	case "mc_node_create":
		ns, err := numbers(strings.Fields(rest), 2, 64)
		if err != nil {
			return nil, err
		}
		return &Node{n, ns[0], ns[1:]}, nil
	case "mc_node_associate":
		ns, err := numbers(strings.Fields(rest), 2, 2)
		if err != nil {
			return nil, err
		}
		return &Join{n, ns[0], ns[1]}, nil
	case "register_write":
		f := strings.Fields(rest)
		if len(f) < 3 {
			return nil, fmt.Errorf("register_write needs a name, an index and a value")
		}
		i, err := strconv.Atoi(f[1])
		return &WriteRegister{n, unquote(f[0]), i, f[2:]}, err
	case "meter_set_rates":
		return parseMeter(n, rest)
	case "check_counter", "check_register":
		return parseCheck(n, strings.ToLower(word) == "check_counter", rest)
	}
	return nil, fmt.Errorf("unknown statement %q", word)
}

func noMore(rest string) error {
	if rest != "" {
		return fmt.Errorf("unexpected %q at the end of the line", rest)
	}
	return nil
}

func unquote(s string) string { return strings.Trim(s, `"`) }

func parsePort(s string) (int, error) {
	p, err := strconv.Atoi(s)
	if err != nil || p < 0 || p > int(dataplane.MaxPort) {
		return 0, fmt.Errorf("port %q: a port is a number from 0 to %d", s, dataplane.MaxPort)
	}
	return p, nil
}

func numbers(words []string, least, most int) ([]int, error) {
	if len(words) < least || len(words) > most {
		return nil, fmt.Errorf("%d numbers where %d to %d are needed", len(words), least, most)
	}
	var out []int
	for _, w := range words {
		v, err := strconv.ParseUint(w, 0, 16)
		if err != nil {
			return nil, fmt.Errorf("%q is not a number of 16 bits", w)
		}
		out = append(out, int(v))
	}
	return out, nil
}

// parseAdd reads TABLE [PRIORITY] KEY:VALUE… ACTION(…); what is deleted has no action.
func parseAdd(n at, op Op, rest string) (Stmt, error) {
	a := &Add{at: n, Op: op}
	if op == Delete {
		return a, a.parseKeys("delete", rest)
	}
	head, call := rest, ""
	// The action is the last word in front of the parenthesis, with it.
	if p := strings.IndexByte(rest, '('); p >= 0 {
		start := strings.LastIndexByte(strings.TrimRight(rest[:p], " "), ' ') + 1
		head, call = rest[:start], rest[start:]
	} else if p := strings.LastIndexByte(rest, ' '); p >= 0 {
		head, call = rest[:p], rest[p+1:]
	}
	if i := strings.LastIndexByte(call, '='); i >= 0 && !strings.Contains(call[i:], ")") {
		call = strings.TrimSpace(call[:i]) // "= $name": a handle, which nothing here needs
	}
	c, err := parseCall(call)
	if err != nil {
		return nil, err
	}
	a.Action = c
	what := "add"
	if op == Modify {
		what = "modify"
	}
	return a, a.parseKeys(what, head)
}

// parseKeys reads TABLE [PRIORITY] KEY:VALUE….
func (a *Add) parseKeys(what, head string) error {
	a.Priority = -1
	words := strings.Fields(head)
	if len(words) == 0 {
		return fmt.Errorf("%s needs a table", what)
	}
	a.Table = unquote(words[0])
	for i, w := range words[1:] {
		k, v, ok := splitKey(w)
		if !ok {
			if i == 0 {
				p, err := strconv.ParseInt(w, 0, 32)
				if err == nil && p >= 0 && p < 1<<31-1 {
					a.Priority = int(p)
					continue
				}
			}
			return fmt.Errorf("%q is not KEY:VALUE", w)
		}
		a.Keys = append(a.Keys, KeyValue{unquote(k), v})
	}
	return nil
}

// parseCheckEntry reads TABLE [PRIORITY] KEY:VALUE… FIELD OP VALUE, or TABLE default FIELD OP VALUE.
func parseCheckEntry(n at, rest string) (Stmt, error) {
	f := strings.Fields(rest)
	if len(f) < 4 {
		return nil, fmt.Errorf("a table, keys and a comparison are needed: TABLE KEY:VALUE… FIELD OP VALUE")
	}
	head, tail := f[:len(f)-3], f[len(f)-3:]
	c := &CheckEntry{at: n, Entry: &Add{at: n}, Field: tail[0], Op: tail[1], Value: tail[2]}
	if c.Field != "packets" && c.Field != "bytes" {
		return nil, fmt.Errorf("a counter has packets and bytes, not %q", c.Field)
	}
	if !isComparison(c.Op) {
		return nil, fmt.Errorf("%q is not a comparison", c.Op)
	}
	if c.Default = len(head) == 2 && head[1] == "default"; c.Default {
		head = head[:1]
	}
	return c, c.Entry.parseKeys("check_entry", strings.Join(head, " "))
}

// splitKey cuts KEY:VALUE at the first colon outside brackets: a key may be a
// slice (x[15:8]), a value a MAC address.
func splitKey(w string) (k, v string, ok bool) {
	depth := 0
	for i := 0; i < len(w); i++ {
		switch w[i] {
		case '[':
			depth++
		case ']':
			depth--
		case ':':
			if depth <= 0 {
				return w[:i], w[i+1:], i > 0 && i+1 < len(w)
			}
		}
	}
	return "", "", false
}

// parseCall reads ACTION(NAME:VALUE, …) or ACTION.
func parseCall(s string) (Call, error) {
	s = strings.TrimSpace(s)
	name, rest, parens := strings.Cut(s, "(")
	c := Call{Name: unquote(strings.TrimSpace(name))}
	if c.Name == "" {
		return c, fmt.Errorf("an action is missing")
	}
	if !parens {
		return c, nil
	}
	args, tail, closed := strings.Cut(rest, ")")
	if !closed {
		return c, fmt.Errorf("action %s: the argument list has no ')'", c.Name)
	}
	if err := noMore(strings.TrimSpace(tail)); err != nil {
		return c, err
	}
	if strings.TrimSpace(args) == "" {
		return c, nil
	}
	for _, a := range strings.Split(args, ",") {
		k, v, ok := strings.Cut(strings.TrimSpace(a), ":")
		if !ok {
			return c, fmt.Errorf("action %s: %q is not NAME:VALUE", c.Name, a)
		}
		c.Args = append(c.Args, KeyValue{unquote(strings.TrimSpace(k)), strings.TrimSpace(v)})
	}
	return c, nil
}

func parseExpect(n at, rest string) (Stmt, error) {
	port, data, _ := strings.Cut(rest, " ")
	e := &Expect{at: n}
	if strings.HasSuffix(port, "$") && data == "" {
		port = strings.TrimSuffix(port, "$")
	}
	p, err := parsePort(port)
	if err != nil {
		return nil, err
	}
	e.Port = p
	data = strings.ReplaceAll(data, " ", "")
	if d, ok := strings.CutSuffix(data, "$"); ok {
		data, e.Exact = d, true
	}
	if data == "" {
		e.Any = true
		return e, nil
	}
	if len(data)%2 != 0 {
		return nil, fmt.Errorf("expected data has %d nibbles: bytes have two", len(data))
	}
	for i := 0; i < len(data); i += 2 {
		var b, m byte
		for j := 0; j < 2; j++ {
			b, m = b<<4, m<<4
			if data[i+j] == '*' {
				continue
			}
			v, err := strconv.ParseUint(string(data[i+j]), 16, 8)
			if err != nil {
				return nil, fmt.Errorf("expected data: %q is not a hexadecimal digit", data[i+j])
			}
			b |= byte(v)
			m |= 0xf
		}
		e.Data, e.Mask = append(e.Data, b), append(e.Mask, m)
	}
	return e, nil
}

func parseGroup(n at, words []string) (Stmt, error) {
	if len(words) == 0 {
		return nil, fmt.Errorf("multicast needs a group")
	}
	ids, err := numbers(words[:1], 1, 1)
	if err != nil {
		return nil, err
	}
	g := &Group{at: n, ID: ids[0]}
	for _, w := range words[1:] {
		p, i, ok := strings.Cut(w, ":")
		if !ok {
			return nil, fmt.Errorf("%q is not PORT:INSTANCE", w)
		}
		ns, err := numbers([]string{p, i}, 2, 2)
		if err != nil {
			return nil, err
		}
		g.Members = append(g.Members, Member{ns[0], ns[1]})
	}
	return g, nil
}

func parseMeter(n at, rest string) (Stmt, error) {
	f := strings.Fields(rest)
	if len(f) != 4 {
		return nil, fmt.Errorf("NAME INDEX RATE:BURST RATE:BURST is needed, the committed rate before the peak rate")
	}
	i, err := strconv.ParseUint(f[1], 0, 31)
	if err != nil {
		return nil, fmt.Errorf("index %q: %w", f[1], err)
	}
	m := &SetMeter{at: n, Name: unquote(f[0]), Index: int(i)}
	for k, dst := range [][2]*uint64{{&m.Config.CIR, &m.Config.CBurst}, {&m.Config.PIR, &m.Config.PBurst}} {
		rate, burst, _ := strings.Cut(f[2+k], ":")
		if *dst[0], err = strconv.ParseUint(rate, 0, 64); err == nil {
			*dst[1], err = strconv.ParseUint(burst, 0, 64)
		}
		if err != nil {
			return nil, fmt.Errorf("%q is not RATE:BURST: %w", f[2+k], err)
		}
	}
	return m, nil
}

func parseCheck(n at, counter bool, rest string) (Stmt, error) {
	name, tail, ok := strings.Cut(rest, "(")
	idx, tail, ok2 := strings.Cut(tail, ")")
	if !ok || !ok2 {
		return nil, fmt.Errorf("NAME(INDEX) is needed")
	}
	i, err := strconv.ParseUint(strings.TrimSpace(idx), 0, 31)
	if err != nil {
		return nil, fmt.Errorf("index %q: %w", idx, err)
	}
	c := &Check{at: n, Counter: counter, Name: unquote(strings.TrimSpace(name)), Index: int(i)}
	f := strings.Fields(tail)
	if len(f) == 3 {
		c.Field = f[0]
		f = f[1:]
	}
	if len(f) != 2 {
		return nil, fmt.Errorf("a comparison is needed: NAME(INDEX) FIELD OP VALUE")
	}
	if !isComparison(f[0]) {
		return nil, fmt.Errorf("%q is not a comparison", f[0])
	}
	c.Op, c.Value = f[0], f[1]
	if counter && c.Field != "packets" && c.Field != "bytes" {
		return nil, fmt.Errorf("a counter has packets and bytes, not %q", c.Field)
	}
	return c, nil
}
