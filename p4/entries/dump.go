package entries

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
)

// Reader answers a P4Runtime read request.
type Reader func(ctx context.Context, entities ...*p4.Entity) ([]*p4.Entity, error)

// What says what to read of a switch.
type What struct {
	// Of are the subjects; none: all.
	Of []Subject
	// Name is the only object that is meant, of the only subject; "": all of them.
	Name string
	// All has also elements of registers that are 0, cells of counters that have counted nothing, and meters that limit nothing.
	All bool
	// Variable leaves out entries that only the program can change.
	Variable bool
}

// ParseWhat reads what to read: nothing, which means everything, or table, profile, counter, register, meter, group or digest, and perhaps a name.
// A group is one for multicast; a profile has members, and groups of them.
func ParseWhat(args []string) (What, error) {
	if len(args) == 0 {
		return What{}, nil
	}
	if len(args) > 2 {
		return What{}, fmt.Errorf("unexpected argument %q", args[2])
	}
	w := What{}
	switch args[0] {
	case "table":
		w.Of = []Subject{Entry, Default}
	case "profile":
		w.Of = []Subject{Member, MemberGroup}
	case "group", "multicast":
		w.Of = []Subject{Group}
	default:
		s, known := words[args[0]]
		if !known {
			return w, fmt.Errorf("%q: want table, profile, counter, register, meter, group or digest, and perhaps a name", args[0])
		}
		w.Of = []Subject{s}
	}
	if len(args) == 2 {
		w.Name = args[1]
	}
	return w, nil
}

// Subjects are the words that ParseWhat takes first.
func Subjects() []string {
	return []string{"counter", "digest", "group", "meter", "profile", "register", "table"}
}

// Names are the names of a program's objects of a subject, one of Subjects, in order.
func (p *Program) Names(subject string) (out []string) {
	switch subject {
	case "table":
		out = namesOf(p.info.GetTables())
	case "profile":
		out = namesOf(p.info.GetActionProfiles())
	case "counter":
		out = namesOf(p.info.GetCounters())
	case "register":
		out = namesOf(p.info.GetRegisters())
	case "meter":
		out = namesOf(p.info.GetMeters())
	case "digest":
		out = namesOf(p.info.GetDigests())
	}
	slices.Sort(out)
	return out
}

func namesOf[T object](list []T) (out []string) {
	for _, o := range list {
		out = append(out, called(o))
	}
	return out
}

func (w What) wants(s Subject) bool {
	for _, x := range w.Of {
		if x == s {
			return true
		}
	}
	return len(w.Of) == 0
}

// Read reads what a switch holds. The statements are in the order of the program.
func (p *Program) Read(ctx context.Context, read Reader, w What) ([]*Statement, error) {
	requests, err := p.requests(w)
	if err != nil {
		return nil, err
	}
	var out []*Statement
	for _, r := range requests {
		list, err := read(ctx, r)
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			if !w.All && empty(e) {
				continue
			}
			s, err := p.Statement(e)
			if err != nil {
				return nil, err
			}
			if !s.Constant || !w.Variable {
				out = append(out, s)
			}
		}
	}
	return out, nil
}

// requests are what to ask a switch for.
func (p *Program) requests(w What) (out []*p4.Entity, err error) {
	members, err := chosen("action profile", w, Member, p.info.GetActionProfiles())
	if err != nil {
		return nil, err
	}
	groups, err := chosen("action profile", w, MemberGroup, p.info.GetActionProfiles())
	if err != nil {
		return nil, err
	}
	for _, x := range members {
		out = append(out, &p4.Entity{Entity: &p4.Entity_ActionProfileMember{ActionProfileMember: &p4.ActionProfileMember{ActionProfileId: x.GetPreamble().GetId()}}})
	}
	for _, x := range groups {
		if x.GetWithSelector() {
			out = append(out, &p4.Entity{Entity: &p4.Entity_ActionProfileGroup{ActionProfileGroup: &p4.ActionProfileGroup{ActionProfileId: x.GetPreamble().GetId()}}})
		}
	}
	tables, err := chosen("table", w, Entry, p.info.GetTables())
	if err != nil {
		return nil, err
	}
	for _, t := range tables {
		for _, isDefault := range []bool{false, true} {
			e := &p4.TableEntry{TableId: t.GetPreamble().GetId(), IsDefaultAction: isDefault}
			if p.direct[e.TableId] != nil {
				e.CounterData = &p4.CounterData{}
			}
			out = append(out, &p4.Entity{Entity: &p4.Entity_TableEntry{TableEntry: e}})
		}
	}
	if w.wants(Group) {
		g, err := group(&Statement{Name: "1", Delete: true})
		if err != nil {
			return nil, err
		}
		id := int64(0)
		if w.Name != "" {
			if id, err = numberIn(w.Name, 1, 1<<16-1); err != nil {
				return nil, fmt.Errorf("multicast group %q: want a number from 1 to 65535", w.Name)
			}
		}
		g.GetPacketReplicationEngineEntry().GetMulticastGroupEntry().MulticastGroupId = uint32(id)
		out = append(out, g)
	}
	registers, err := chosen("register", w, Register, p.info.GetRegisters())
	if err != nil {
		return nil, err
	}
	for _, r := range registers {
		out = append(out, &p4.Entity{Entity: &p4.Entity_RegisterEntry{RegisterEntry: &p4.RegisterEntry{RegisterId: r.GetPreamble().GetId()}}})
	}
	counters, err := chosen("counter", w, Counter, p.info.GetCounters())
	if err != nil {
		return nil, err
	}
	for _, c := range counters {
		out = append(out, &p4.Entity{Entity: &p4.Entity_CounterEntry{CounterEntry: &p4.CounterEntry{CounterId: c.GetPreamble().GetId()}}})
	}
	meters, err := chosen("meter", w, Meter, p.info.GetMeters())
	if err != nil {
		return nil, err
	}
	for _, m := range meters {
		out = append(out, &p4.Entity{Entity: &p4.Entity_MeterEntry{MeterEntry: &p4.MeterEntry{MeterId: m.GetPreamble().GetId()}}})
	}
	digests, err := chosen("digest", w, Digest, p.info.GetDigests())
	if err != nil {
		return nil, err
	}
	for _, d := range digests {
		out = append(out, &p4.Entity{Entity: &p4.Entity_DigestEntry{DigestEntry: &p4.DigestEntry{DigestId: d.GetPreamble().GetId()}}})
	}
	return out, nil
}

// chosen are the objects of a subject that are to be read.
func chosen[T object](kind string, w What, s Subject, list []T) ([]T, error) {
	switch {
	case !w.wants(s):
		return nil, nil
	case w.Name == "":
		return list, nil
	}
	o, err := find(kind, w.Name, list)
	return []T{o}, err
}

// empty: nothing has happened there.
func empty(e *p4.Entity) bool {
	switch e := e.GetEntity().(type) {
	case *p4.Entity_RegisterEntry:
		return zero(e.RegisterEntry.GetData())
	case *p4.Entity_CounterEntry:
		return e.CounterEntry.GetData().GetPacketCount() == 0 && e.CounterEntry.GetData().GetByteCount() == 0
	case *p4.Entity_MeterEntry:
		return e.MeterEntry.GetConfig() == nil
	}
	return false
}

func zero(d *p4.P4Data) bool {
	for _, m := range d.GetStruct().GetMembers() {
		if !zero(m) {
			return false
		}
	}
	return new(big.Int).SetBytes(d.GetBitstring()).Sign() == 0
}

// Text writes statements, a line each, with an empty line in front of what is about something else. Without any it is a comment.
func Text(list []*Statement) []byte {
	return lines(list, func(*Statement) string { return "" })
}

func lines(list []*Statement, behind func(*Statement) string) []byte {
	var b strings.Builder
	if len(list) == 0 {
		b.WriteString("# nothing, or nothing but 0\n")
	}
	for i, s := range list {
		if i > 0 && (s.Subject != list[i-1].Subject || s.Name != list[i-1].Name && s.Subject != Group) &&
			!(s.Subject == Default && list[i-1].Subject == Entry && s.Name == list[i-1].Name) {
			b.WriteByte('\n')
		}
		b.WriteString(s.String() + behind(s) + "\n")
	}
	return []byte(b.String())
}

// Moment is what a switch held at one time.
type Moment struct {
	At   time.Time
	List []*Statement
}

// TextSince is Text, with how much counters have grown in a second since an earlier moment.
func (m Moment) TextSince(before Moment) []byte {
	was := map[string]*Statement{}
	for _, s := range before.List {
		was[s.uncounted()] = s
	}
	seconds := m.At.Sub(before.At).Seconds()
	return lines(m.List, func(s *Statement) string {
		old := was[s.uncounted()]
		unit := "packets"
		if _, ok := s.Attribute(unit); !ok {
			unit = "bytes"
		}
		if _, ok := s.Attribute(unit); !ok || len(before.List) == 0 || seconds <= 0 {
			return ""
		}
		grown := s.integer(unit)
		if old != nil {
			grown -= old.integer(unit)
		}
		if grown <= 0 {
			return ""
		}
		return fmt.Sprintf("   # %s %s/s", strconv.FormatFloat(float64(grown)/seconds, 'f', 0, 64), unit)
	})
}

// uncounted is the statement without what counts.
func (s *Statement) uncounted() string {
	c := *s
	c.Attributes = nil
	for _, a := range s.Attributes {
		if a.Name != "packets" && a.Name != "bytes" {
			c.Attributes = append(c.Attributes, a)
		}
	}
	return c.String()
}

// Watch returns a function that reads what a switch holds at a moment, and writes it with how fast counters have grown since the call
// before. One goroutine at a time may call it.
func (p *Program) Watch(read Reader, w What) func(context.Context) ([]byte, error) {
	var before Moment
	return func(ctx context.Context) ([]byte, error) {
		list, err := p.Read(ctx, read, w)
		if err != nil {
			return nil, err
		}
		now := Moment{time.Now(), list}
		text := now.TextSince(before)
		before = now
		return text, nil
	}
}
