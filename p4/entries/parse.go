package entries

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// most is how many errors of a file are told.
const most = 10

// Parse reads a text. file is its name, for errors, which are *Error, joined.
func Parse(file string, text []byte) ([]*Statement, error) {
	var out []*Statement
	var errs []error
	n := 0
	for l := range strings.Lines(string(text)) {
		n++
		s, err := parseLine(l)
		switch {
		case err != nil:
			if len(errs) < most {
				errs = append(errs, &Error{file, n, err})
			}
		case s != nil:
			s.Line = n
			out = append(out, s)
		}
	}
	return out, errors.Join(errs...)
}

// cursor is what is left of a line.
type cursor struct{ rest string }

func (c *cursor) space() { c.rest = strings.TrimLeft(c.rest, " \t\r\n") }

// take takes a prefix, and white space in front of it.
func (c *cursor) take(prefix string) bool {
	c.space()
	rest, ok := strings.CutPrefix(c.rest, prefix)
	if ok {
		c.rest = rest
	}
	return ok
}

// word takes a word, if it is the next one.
func (c *cursor) word(w string) bool {
	c.space()
	rest, ok := strings.CutPrefix(c.rest, w)
	if !ok || rest != "" && !strings.ContainsAny(rest[:1], " \t") {
		return false
	}
	c.rest = rest
	return true
}

// until takes what is in front of the first of some ends that is outside quotes, or all.
func (c *cursor) until(ends ...string) string {
	at := len(c.rest)
	for _, e := range ends {
		if i := outside(c.rest, e); i >= 0 {
			at = min(at, i)
		}
	}
	s := c.rest[:at]
	c.rest = c.rest[at:]
	return strings.TrimSpace(s)
}

// outside is where a text begins that is not in quotes, -1: nowhere.
func outside(s, text string) int {
	quoted := false
	for i := 0; i < len(s); i++ {
		if s[i] == '"' {
			quoted = !quoted
		}
		if !quoted && strings.HasPrefix(s[i:], text) {
			return i
		}
	}
	return -1
}

// name takes a name, which ends at white space or at one of the ends.
func (c *cursor) name(what, ends string) (string, error) {
	c.space()
	if rest, ok := strings.CutPrefix(c.rest, `"`); ok {
		n, rest, closed := strings.Cut(rest, `"`)
		if !closed {
			return "", fmt.Errorf("%s: a quote is not closed", what)
		}
		c.rest = rest
		if n == "" {
			return "", fmt.Errorf("%s: the name is empty", what)
		}
		return n, nil
	}
	i := strings.IndexAny(c.rest, " \t\r\n\""+ends)
	if i < 0 {
		i = len(c.rest)
	}
	n := c.rest[:i]
	c.rest = c.rest[i:]
	if n == "" {
		return "", fmt.Errorf("%s is missing", what)
	}
	return n, nil
}

// end is an error if anything is left.
func (c *cursor) end() error {
	if c.space(); c.rest != "" {
		return fmt.Errorf("unexpected %q", c.rest)
	}
	return nil
}

// parseLine reads a line; nil: there is nothing in it.
func parseLine(l string) (*Statement, error) {
	if !utf8.ValidString(l) {
		return nil, errors.New("it is no text (UTF-8)")
	}
	if i := outside(l, "#"); i >= 0 {
		l = l[:i]
	}
	if strings.TrimSpace(l) == "" {
		return nil, nil
	}
	c := &cursor{l}
	s := &Statement{Delete: c.word("delete")}
	for w, subject := range words {
		if c.word(w) {
			s.Subject = subject
			return s, c.other(s)
		}
	}
	return s, c.entry(s)
}

// entry reads what is about a table.
func (c *cursor) entry(s *Statement) (err error) {
	head := &cursor{c.rest}
	arrow := outside(c.rest, "->")
	if arrow >= 0 {
		head.rest, c.rest = c.rest[:arrow], c.rest[arrow+len("->"):]
	}
	if s.Name, err = head.name("a table", "="); err != nil {
		return err
	}
	if head.take("=") {
		return fmt.Errorf("a table is missing in front of %s=… [TABLE KEY=VALUE, … -> ACTION(PARAMETER=VALUE, …)]", s.Name)
	}
	if strings.TrimSpace(head.rest) == "default" {
		s.Subject = Default
	} else if err := head.keys(s); err != nil {
		return err
	}
	switch {
	case arrow < 0 && s.Delete:
		return nil
	case arrow < 0:
		return errors.New("-> is missing [TABLE KEY=VALUE, … -> ACTION(PARAMETER=VALUE, …)]")
	}
	if err := c.does(s); err != nil {
		return err
	}
	return c.attributes(s)
}

// keys reads KEY=VALUE, …; in front of what is deleted, the priority may be behind them.
func (c *cursor) keys(s *Statement) error {
	if s.Delete {
		if head, prio, ok := strings.Cut(" "+c.rest, " priority "); ok && !strings.Contains(prio, "=") {
			c.rest = head
			s.Attributes = append(s.Attributes, Pair{"priority", strings.TrimSpace(prio)})
			if err := checkAttribute(s, s.Attributes[0]); err != nil {
				return err
			}
		}
	}
	for c.space(); c.rest != ""; {
		k, err := c.pair("a key")
		if err != nil {
			return err
		}
		s.Keys = append(s.Keys, k)
		if !c.take(",") {
			return c.end()
		}
		if c.space(); c.rest == "" {
			return errors.New("a key is missing behind the last comma")
		}
	}
	return nil
}

// pair reads NAME=VALUE.
func (c *cursor) pair(what string) (p Pair, err error) {
	if p.Name, err = c.name(what, "=,()"); err != nil {
		return p, err
	}
	if !c.take("=") {
		return p, fmt.Errorf("%s %q has no value [NAME=VALUE, with a comma between two]", what, p.Name)
	}
	p.Value = c.until(",", ")")
	if p.Value == "" || strings.ContainsAny(p.Value, `="(`) {
		return p, fmt.Errorf("%s %q: %q is no value [NAME=VALUE, with a comma between two]", what, p.Name, p.Value)
	}
	return p, nil
}

// call reads ACTION(NAME=VALUE, …) or ACTION.
func (c *cursor) call() (*Call, error) {
	n, err := c.name("an action", "(),=")
	if err != nil {
		return nil, err
	}
	a := &Call{Name: n}
	if !c.take("(") {
		return a, nil
	}
	for !c.take(")") {
		if len(a.Args) > 0 && !c.take(",") {
			return nil, fmt.Errorf("action %s: ) is missing", n)
		}
		if c.space(); c.rest == "" {
			return nil, fmt.Errorf("action %s: ) is missing", n)
		}
		p, err := c.pair("action " + n + ": parameter")
		if err != nil {
			return nil, err
		}
		a.Args = append(a.Args, p)
	}
	return a, nil
}

// attributes reads NAME VALUE … at the end of a line.
func (c *cursor) attributes(s *Statement) error {
	for c.space(); c.rest != ""; c.space() {
		n, err := c.name("an attribute", "")
		if err != nil {
			return err
		}
		if !slices.Contains(attributesOf[s.Subject], n) {
			if len(attributesOf[s.Subject]) == 0 {
				return fmt.Errorf("unexpected %q", n)
			}
			return fmt.Errorf("unexpected %q [here may be %s]", n, strings.Join(attributesOf[s.Subject], ", "))
		}
		a := Pair{Name: n}
		if n != "none" {
			if a.Value, err = c.name("the value of "+n, ""); err != nil {
				return err
			}
		}
		if _, twice := s.Attribute(n); twice {
			return fmt.Errorf("%s is given twice", n)
		}
		if err := checkAttribute(s, a); err != nil {
			return err
		}
		s.Attributes = append(s.Attributes, a)
	}
	return nil
}

// other reads what is about anything but a table.
func (c *cursor) other(s *Statement) (err error) {
	cell := s.Subject == Register || s.Subject == Counter || s.Subject == Meter
	if s.Delete && cell {
		return fmt.Errorf("a %s cannot be deleted, only written", s.Subject)
	}
	profile := s.Subject == Member || s.Subject == MemberGroup
	indexed := cell || profile
	ends := ""
	if indexed {
		ends = "["
	}
	if s.Name, err = c.name("the name of the "+s.Subject.String(), ends); err != nil {
		return err
	}
	if indexed {
		if !c.take("[") {
			return fmt.Errorf("%s %s: an index is missing [%s %s[INDEX] …]", s.Subject, s.Name, s.Subject, s.Name)
		}
		s.Index = c.until("]")
		if !c.take("]") || s.Index == "" || strings.ContainsAny(s.Index, "[\" \t") {
			return fmt.Errorf("%s %s: %q is no index [%s %s[INDEX] …]", s.Subject, s.Name, s.Index, s.Subject, s.Name)
		}
	}
	switch {
	case s.Subject == Group:
		err = c.group(s)
	case profile:
		err = c.ofProfile(s)
	case s.Delete:
	case s.Subject == Register:
		return c.element(s)
	}
	if err != nil {
		return err
	}
	if err := c.attributes(s); err != nil {
		return err
	}
	if len(s.Attributes) == 0 && !s.Delete && s.Subject != Group && !profile {
		return fmt.Errorf("%s %s: a value is missing [%s]", s.Subject, s.Name, strings.Join(attributesOf[s.Subject], ", "))
	}
	if s.Delete && len(s.Attributes) > 0 && !profile {
		return fmt.Errorf("unexpected %q: what is deleted has no value", s.Attributes[0].Name)
	}
	return nil
}

// element reads the value of a register's element.
func (c *cursor) element(s *Statement) error {
	if outside(c.rest, "=") >= 0 {
		for {
			p, err := c.pair("a field")
			if err != nil {
				return err
			}
			s.Keys = append(s.Keys, p)
			if !c.take(",") {
				return c.end()
			}
		}
	}
	v, err := c.name("the value of register "+s.Name, ",")
	if err != nil {
		return err
	}
	s.Keys = []Pair{{"", v}}
	return c.end()
}

// group reads -> PORT:INSTANCE, ….
func (c *cursor) group(s *Statement) error {
	if n, err := strconv.ParseUint(s.Name, 0, 16); err != nil || n == 0 {
		return fmt.Errorf("multicast group %q: want a number from 1 to 65535", s.Name)
	}
	if s.Delete {
		return nil
	}
	if !c.take("->") {
		return fmt.Errorf("multicast group %s: -> is missing [multicast %s -> PORT, PORT:INSTANCE, …]", s.Name, s.Name)
	}
	for c.space(); c.rest != ""; {
		if len(s.Replicas) > 0 && !c.take(",") || len(s.Replicas) == 0 && c.rest[0] > '9' {
			return nil // attributes follow
		}
		w, err := c.name("a port", ",")
		if err != nil {
			return err
		}
		var r Replica
		for i, one := range strings.Split(w, "|") {
			x, err := replica(one)
			if err != nil {
				return fmt.Errorf("multicast group %s: %w", s.Name, err)
			}
			if i == 0 {
				r = x
			} else {
				r.Others = append(r.Others, x)
			}
		}
		s.Replicas = append(s.Replicas, r)
		c.space()
	}
	return nil
}

func replica(s string) (r Replica, err error) {
	port, instance, given := strings.Cut(s, ":")
	n, err := strconv.ParseUint(port, 0, 32)
	i := uint64(0)
	if err == nil && given {
		i, err = strconv.ParseUint(instance, 0, 32)
	}
	if err != nil {
		return r, fmt.Errorf("%q is no copy: want PORT or PORT:INSTANCE, both numbers", s)
	}
	return Replica{Port: uint32(n), Instance: uint32(i)}, nil
}

// largest is the largest number of an attribute: P4Runtime has signed ones.
const largest = 1<<63 - 1

// checkAttribute is an error if the value of an attribute is none.
func checkAttribute(s *Statement, a Pair) error {
	var err error
	want := fmt.Sprintf("a number up to %d", uint64(largest))
	switch a.Name {
	case "none":
		return nil
	case "priority":
		want = "a number from 1 to 2147483647; the largest wins"
		_, err = numberIn(a.Value, 1, 1<<31-1)
	case "max_list", "max_size":
		want = "a number from 0 to 2147483647"
		_, err = numberIn(a.Value, 0, 1<<31-1)
	case "idle", "max_wait", "ack":
		want = "a duration, such as 1m30s"
		_, err = duration(a.Value)
	case "mode":
		want = "hash or random"
		err = oneOf(modes, a.Value)
	case "size":
		want = "weights or members, whose sum is the size of a set"
		err = oneOf(sizes, a.Value)
	case "metadata":
		want = "bytes in hexadecimal, such as 0x01ff"
		_, err = metadata(a.Value)
	default:
		_, err = numberIn(a.Value, 0, largest)
	}
	if err != nil {
		return fmt.Errorf("%s %q: want %s", a.Name, a.Value, want)
	}
	return nil
}

func oneOf[K ~int32](m map[K]string, s string) error {
	if keyFor(m, s) == 0 {
		return strconv.ErrSyntax
	}
	return nil
}

func numberIn(s string, least, most uint64) (int64, error) {
	n, err := strconv.ParseUint(s, 0, 64)
	if err == nil && (n < least || n > most) {
		err = strconv.ErrRange
	}
	return int64(n), err
}

// duration reads a duration in ns.
func duration(s string) (int64, error) {
	d, err := time.ParseDuration(s)
	if err == nil && d < 0 {
		err = strconv.ErrRange
	}
	return int64(d), err
}

// metadata reads bytes.
func metadata(s string) ([]byte, error) {
	digits, ok := strings.CutPrefix(s, "0x")
	if !ok || digits == "" {
		return nil, strconv.ErrSyntax
	}
	return hex.DecodeString(digits)
}
