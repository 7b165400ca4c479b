package stf

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/entries"
)

// isStatement reports whether a line is one of package entries: TABLE KEY=VALUE, … -> ACTION(…), and what begins like it.
func isStatement(word, line string) bool {
	return strings.Contains(line, "->") || word == "delete" && (strings.Contains(line, "=") || strings.HasSuffix(line, " default"))
}

// parseStatement reads such a line, which is about an entry, a default entry, or a multicast group.
func parseStatement(n at, line string) (Stmt, error) {
	list, err := entries.Parse("", []byte(line))
	if err != nil {
		return nil, err
	}
	s := list[0]
	if s.Refers != nil || s.Choices != nil || s.Subject == entries.Member {
		return nil, errors.New("members of action profiles in a packet test: the tables PROFILE.groups, PROFILE.slots and TABLE.members have them")
	}
	var call Call
	if s.Action != nil && !s.Delete {
		call = Call{s.Action.Name, keyValues(s.Action.Args)}
	}
	switch s.Subject {
	case entries.Default:
		if len(s.Attributes) > 0 {
			return nil, fmt.Errorf("%s: not in a packet test", s.Attributes[0].Name)
		}
		return &SetDefault{n, s.Name, call}, nil
	case entries.Entry:
		a := &Add{at: n, Op: Put, Table: s.Name, Priority: -1, Keys: keyValues(s.Keys), Action: call}
		if s.Delete {
			a.Op = Delete
		}
		for _, x := range s.Attributes {
			if x.Name != "priority" {
				return nil, fmt.Errorf("%s: not in a packet test", x.Name)
			}
			p, err := strconv.ParseInt(x.Value, 0, 32)
			if err != nil {
				return nil, err
			}
			a.Priority = int(p)
		}
		return a, nil
	case entries.Group:
		id, err := strconv.ParseUint(s.Name, 0, 16)
		if err != nil {
			return nil, err
		}
		g := &Group{at: n, ID: int(id)}
		for _, r := range s.Replicas {
			if len(r.Others) > 0 || r.Port > 1<<16-1 || r.Instance > 1<<16-1 {
				return nil, fmt.Errorf("%s: a copy in a packet test is PORT:INSTANCE", r)
			}
			g.Members = append(g.Members, Member{int(r.Port), int(r.Instance)})
		}
		return g, nil
	}
	return nil, fmt.Errorf("a %s in a packet test: register_write, meter_set_rates", s.Subject)
}

func keyValues(list []entries.Pair) (out []KeyValue) {
	for _, p := range list {
		out = append(out, KeyValue{p.Name, p.Value})
	}
	return out
}

// place is where an entry is, whatever its priority.
func place(e *dataplane.Entry) string { return fmt.Sprintf("%s %x", e.Table.Name, e.Matches) }

// existing finds the priority of an entry that the script has added: the one that is given, or else the only one.
func (r *runner) existing(st *Add, e *dataplane.Entry) error {
	have := r.added[place(e)]
	switch {
	case st.Priority >= 0 || !prioritised(e.Table):
	case len(have) == 1:
		e.Priority = have[0]
	case len(have) == 0:
		return fmt.Errorf("table %s: the script has added no such entry", e.Table.Name)
	default:
		return fmt.Errorf("table %s: %d entries differ in their priorities only: which is meant? [TABLE PRIORITY KEY:VALUE…]", e.Table.Name, len(have))
	}
	return nil
}

// change carries out what is said of an entry, and remembers what there is.
func (r *runner) change(st *Add) error {
	e, err := r.entry(st)
	if err != nil {
		return err
	}
	at := place(e)
	op := st.Op
	if op == Put {
		op = Insert
		if have := r.added[at]; slices.Contains(have, e.Priority) || st.Priority < 0 && len(have) == 1 {
			op = Modify
		}
	}
	if op != Insert {
		if err := r.existing(st, e); err != nil {
			return err
		}
	}
	switch op {
	case Delete:
		if err := r.sw.Delete(e); err != nil {
			return err
		}
		r.added[at] = slices.DeleteFunc(r.added[at], func(p int32) bool { return p == e.Priority })
		return nil
	case Modify:
		return r.sw.Modify(e)
	}
	if prioritised(e.Table) && st.Priority < 0 {
		e.Priority = r.next
		r.next--
	}
	if err := r.sw.Insert(e); err != nil {
		return err
	}
	r.added[at] = append(r.added[at], e.Priority)
	return nil
}

// checkEntry compares a direct counter.
func (r *runner) checkEntry(st *CheckEntry) error {
	want, err := number(st.Value)
	if err != nil {
		return err
	}
	t, err := r.table(st.Entry.Table)
	if err != nil {
		return err
	}
	e := &dataplane.Entry{Table: t}
	if !st.Default {
		if e, err = r.entry(&Add{Op: Delete, Table: t.Name, Keys: st.Entry.Keys, Priority: st.Entry.Priority}); err != nil {
			return err
		}
		if err := r.existing(st.Entry, e); err != nil {
			return err
		}
	}
	if t.Counter == nil {
		return fmt.Errorf("table %s has no direct counter", t.Name)
	}
	v, err := r.sw.ReadDirectCounter(e)
	if err != nil {
		return err
	}
	n := v.Packets
	if st.Field == "bytes" {
		n = v.Bytes
	}
	return compare(fmt.Sprintf("table %s: %s", t.Name, st.Field), new(big.Int).SetUint64(n), st.Op, want)
}
