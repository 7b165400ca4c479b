package entries

import (
	"fmt"
	"strconv"
	"strings"
)

// Subject is what a statement is about.
type Subject int

// These are the subjects of statements.
const (
	Entry Subject = iota
	Default
	Group       // of ports, for multicast
	Member      // of an action profile
	MemberGroup // of members of an action profile
	Register
	Counter
	Meter
	Digest
)

// words begin statements about anything but a table.
var words = map[string]Subject{
	"multicast": Group, "member": Member, "member_group": MemberGroup, "register": Register, "counter": Counter, "meter": Meter, "digest": Digest,
}

func (s Subject) String() string {
	for w, x := range words {
		if x == s {
			return w
		}
	}
	return "table"
}

// Statement is a line. Names and values are as they are written.
type Statement struct {
	Line    int // 0: of no file
	Delete  bool
	Subject Subject
	// Name is that of the table, action profile, register, counter, meter or digest, or the number of the multicast group.
	Name string
	// Keys are those of an entry, or the fields of a register's element; with an empty Name its only value.
	Keys []Pair
	// Action of an entry, default entry or member. It is nil for what has none, and if one of Refers and Choices is not nil.
	Action *Call
	// Refers is what an entry names instead of an action.
	Refers *Reference
	// Choices are the actions of an entry that has not just one, without weight or port; or the members of a group.
	Choices []Choice
	// Index of a register, counter or meter; the number of a member, or of a group of members.
	Index    string
	Replicas []Replica
	// Attributes by their names: priority, idle, metadata, packets, bytes, cir, ….
	Attributes []Pair
	// Constant is an entry that only the program can change. String makes a comment of it.
	Constant bool
}

// Pair is a name with a value.
type Pair struct{ Name, Value string }

// Call is an action with its arguments.
type Call struct {
	Name string
	Args []Pair
}

// Replica is a copy that a group makes. Others are where it goes while the port does not work.
type Replica struct {
	Port, Instance uint32
	Others         []Replica
}

// Attribute is the value of an attribute.
func (s *Statement) Attribute(name string) (value string, ok bool) {
	for _, a := range s.Attributes {
		if a.Name == name {
			return a.Value, true
		}
	}
	return "", false
}

// attributesOf are the names of attributes that a statement may have.
var attributesOf = map[Subject][]string{
	Entry:       {"priority", "idle", "metadata", "packets", "bytes", "mode", "size"},
	Default:     {"metadata", "packets", "bytes"},
	Group:       {"metadata"},
	MemberGroup: {"max_size"},
	Counter:     {"packets", "bytes"},
	Meter:       {"cir", "cburst", "pir", "pburst", "none"},
	Digest:      {"max_list", "max_wait", "ack"},
}

// String is the statement as Parse reads it.
func (s *Statement) String() string {
	var b strings.Builder
	if s.Constant {
		b.WriteString("# const: ")
	}
	if s.Delete {
		b.WriteString("delete ")
	}
	if s.Subject != Entry && s.Subject != Default {
		b.WriteString(s.Subject.String() + " " + quote(s.Name, "["))
	} else {
		b.WriteString(quoteFirst(s.Name))
	}
	switch s.Subject {
	case Default:
		b.WriteString(" default")
	case Entry, Register:
		if s.Subject == Register {
			b.WriteString("[" + s.Index + "]")
		}
		for i, k := range s.Keys {
			if i > 0 {
				b.WriteByte(',')
			}
			if k.Name == "" {
				b.WriteString(" " + k.Value)
			} else {
				b.WriteString(" " + quote(k.Name, "") + "=" + k.Value)
			}
		}
	case Counter, Meter, Member, MemberGroup:
		b.WriteString("[" + s.Index + "]")
	}
	switch {
	case s.Action != nil:
		b.WriteString(" -> " + s.Action.String())
	case s.Refers != nil:
		b.WriteString(" -> " + s.Refers.String())
	case s.Choices != nil:
		b.WriteString(" ->")
		for i, c := range s.Choices {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(" " + c.String())
		}
		if len(s.Choices) == 0 && s.Subject != MemberGroup {
			b.WriteString(" ()")
		}
	}
	if s.Subject == Group && !s.Delete {
		b.WriteString(" ->")
		for i, r := range s.Replicas {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(" " + r.String())
		}
	}
	for _, a := range s.Attributes {
		b.WriteString(" " + a.Name)
		if a.Value != "" {
			b.WriteString(" " + a.Value)
		}
	}
	return b.String()
}

// String is ACTION(NAME=VALUE, …).
func (c *Call) String() string { return quote(c.Name, "") + "(" + pairs(c.Args) + ")" }

// String is PORT or PORT:INSTANCE, and behind | where it goes else.
func (r Replica) String() string {
	s := strconv.FormatUint(uint64(r.Port), 10)
	if r.Instance != 0 {
		s += ":" + strconv.FormatUint(uint64(r.Instance), 10)
	}
	for _, o := range r.Others {
		s += "|" + o.String()
	}
	return s
}

func pairs(list []Pair) string {
	var out []string
	for _, p := range list {
		out = append(out, quote(p.Name, "")+"="+p.Value)
	}
	return strings.Join(out, ", ")
}

// quote puts a name into quotes if it could be mistaken, beside what is always: ends ends a name in its place.
func quote(name, ends string) string {
	if name == "" || strings.ContainsAny(name, " \t\r\n\"#=,()>"+ends) {
		return `"` + name + `"`
	}
	return name
}

// quoteFirst is quote for the name of a table, which begins a line.
func quoteFirst(name string) string {
	if _, word := words[name]; word || name == "delete" {
		return `"` + name + `"`
	}
	return quote(name, "")
}

// Error is what is wrong with a line of a file.
type Error struct {
	File string
	Line int // 0: no line of a file
	Err  error
}

func (e *Error) Error() string {
	switch {
	case e.File == "":
		return e.Err.Error()
	case e.Line == 0:
		return e.File + ": " + e.Err.Error()
	}
	return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }
