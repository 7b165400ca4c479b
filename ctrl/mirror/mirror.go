// Package mirror keeps what a switch holds beside what it is to hold: entries of tables, multicast
// groups. It says by which updates the one becomes the other. Registers are set, and not compared.
//
//	Read --> Image --> Mirror <-- Want(things) --> updates: new things, then what goes
//
// Contract: a Mirror belongs to one goroutine. What it has said counts as done: whoever learns that an
// update has failed reads the switch again, and adopts the Image.
package mirror

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
)

// Op is what an Update does.
type Op int

// What an Update does. Registers are Set, the rest is made, changed and taken away.
const (
	Insert Op = iota
	Modify
	Delete
	Set
)

// Update is one change of a switch: of an entry, a multicast group, or a register.
type Update struct {
	Op       Op
	Entry    *p4rtclient.Entry
	Group    *Group
	Register *Register
}

// Group is a multicast group.
type Group struct {
	ID     uint16
	Copies []p4rtclient.Replica
}

// Register is a cell of a register; a negative index is all cells.
type Register struct {
	Name  string
	Index int
	Value uint64
	Rest  []uint64 // further fields, of a register that has several
}

func (u Update) String() string {
	op := [...]string{"insert", "modify", "delete", "set"}[u.Op]
	switch {
	case u.Entry != nil:
		return fmt.Sprintf("%s %s", op, describe(u.Entry))
	case u.Group != nil:
		return fmt.Sprintf("%s group %d %v", op, u.Group.ID, u.Group.Copies)
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s[%d] = %d %s", op, u.Register.Name, u.Register.Index, u.Register.Value, strings.Trim(fmt.Sprint(u.Register.Rest), "[]")))
}

func describe(e *p4rtclient.Entry) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s", e.Table)
	for _, f := range e.Match {
		fmt.Fprintf(&b, " %x", f.Value)
	}
	fmt.Fprintf(&b, " -> %s", e.Action)
	for _, f := range e.Args {
		fmt.Fprintf(&b, " %x", f.Value)
	}
	return b.String()
}

// Encode makes P4Runtime updates of a list, in its order.
func Encode(info *p4rtclient.Info, list []Update) (out []*p4.Update, err error) {
	for _, u := range list {
		var e *p4.Entity
		switch {
		case u.Entry != nil:
			e, err = info.Entry(*u.Entry)
		case u.Group != nil:
			e = p4rtclient.Group(u.Group.ID, u.Group.Copies)
		default:
			e, err = info.Register(u.Register.Name, u.Register.Index, append([]uint64{u.Register.Value}, u.Register.Rest...)...)
		}
		if err != nil {
			return nil, err
		}
		kind := [...]p4.Update_Type{Insert: p4.Update_INSERT, Modify: p4.Update_MODIFY, Delete: p4.Update_DELETE, Set: p4.Update_MODIFY}[u.Op]
		out = append(out, &p4.Update{Type: kind, Entity: e})
	}
	return out, nil
}

// Thing is an entry or a group that a switch shall have.
type Thing struct {
	key, value string
	update     Update
}

// Update is the update that does something with the thing.
func (t *Thing) Update(op Op) Update {
	u := t.update
	u.Op = op
	return u
}

// Key names what the thing is: two things with one key differ in what they say of it.
func (t *Thing) Key() string { return t.key }

// EntryThing is an entry.
func EntryThing(e p4rtclient.Entry) Thing {
	t := Thing{key: e.Table, value: e.Action, update: Update{Entry: &e}}
	for _, f := range e.Match {
		t.key += fmt.Sprintf(" %x", short(f.Value))
	}
	for _, f := range e.Args {
		t.value += fmt.Sprintf(" %x", short(f.Value))
	}
	return t
}

// GroupThing is a multicast group.
func GroupThing(id uint16, copies []p4rtclient.Replica) Thing {
	sorted := slices.SortedFunc(slices.Values(copies), func(a, b p4rtclient.Replica) int {
		return cmp.Or(cmp.Compare(a.Instance, b.Instance), cmp.Compare(a.Port, b.Port))
	})
	return Thing{key: fmt.Sprintf("group %d", id), value: fmt.Sprint(sorted), update: Update{Group: &Group{id, sorted}}}
}

// short makes values comparable: those that are read back are as long as their fields.
func short(b []byte) []byte {
	for len(b) > 1 && b[0] == 0 {
		b = b[1:]
	}
	return b
}

// Image is what a switch holds.
type Image struct {
	Entries []p4rtclient.Entry
	Groups  map[uint16][]p4rtclient.Replica
}

// Has reports whether the switch holds a thing, as it is.
func (im *Image) Has(t Thing) bool {
	for _, e := range im.Entries {
		if held := EntryThing(e); held.key == t.key {
			return held.value == t.value
		}
	}
	return false
}

// Mirror is what a switch holds when all updates are done.
type Mirror struct {
	tables []string
	have   map[string]Thing
}

// New makes the mirror of a switch that holds nothing. tables are those that are mirrored, in the
// order in which entries are made: what handles a packet is there before what lets it in. They are
// taken away in the reverse order. The empty name stands for the groups.
func New(tables []string) *Mirror { return &Mirror{tables: tables, have: map[string]Thing{}} }

// Read reads what a mirror needs.
func (m *Mirror) Read(ctx context.Context, c *p4rtclient.Client, info *p4rtclient.Info) (*Image, error) {
	im := &Image{}
	for _, t := range m.tables {
		if t == "" {
			continue
		}
		list, err := c.ReadTable(ctx, info, t)
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			if !e.Default {
				im.Entries = append(im.Entries, e)
			}
		}
	}
	var err error
	im.Groups, err = c.ReadGroups(ctx)
	return im, err
}

// Adopt says what the switch holds.
func (m *Mirror) Adopt(im *Image) {
	m.have = map[string]Thing{}
	for _, e := range im.Entries {
		t := EntryThing(e)
		m.have[t.key] = t
	}
	for id, copies := range im.Groups {
		t := GroupThing(id, copies)
		m.have[t.key] = t
	}
}

func (m *Mirror) class(t *Thing) int {
	if t.update.Group != nil {
		return slices.Index(m.tables, "")
	}
	return slices.Index(m.tables, t.update.Entry.Table)
}

// Prune returns the updates that take away, at once, the entries of some tables that the switch shall not have any more. It
// comes before Want where what goes must be gone before anything new is there.
func (m *Mirror) Prune(want []Thing, tables ...string) (out []Update) {
	keep := make(map[string]bool, len(want))
	for _, w := range want {
		keep[w.key] = true
	}
	for _, h := range m.have {
		if h.update.Entry != nil && slices.Contains(tables, h.update.Entry.Table) && !keep[h.key] {
			out = append(out, h.Update(Delete))
			delete(m.have, h.key)
		}
	}
	slices.SortFunc(out, func(a, b Update) int { return cmp.Compare(a.String(), b.String()) })
	return out
}

// Want makes what the switch has into what it shall have, and returns the updates: new things first,
// each after what it needs, then what goes.
func (m *Mirror) Want(want []Thing) (out []Update) {
	slices.SortStableFunc(want, func(a, b Thing) int { return cmp.Compare(m.class(&a), m.class(&b)) })
	keep := make(map[string]bool, len(want))
	for _, w := range want {
		keep[w.key] = true
		old, there := m.have[w.key]
		if there && old.value == w.value {
			continue
		}
		u := w.update
		u.Op = Insert
		if there {
			u.Op = Modify
		}
		out = append(out, u)
		m.have[w.key] = w
	}
	var gone []Thing
	for k, h := range m.have {
		if !keep[k] {
			gone = append(gone, h)
		}
	}
	slices.SortFunc(gone, func(a, b Thing) int {
		return cmp.Or(cmp.Compare(m.class(&b), m.class(&a)), cmp.Compare(a.key, b.key))
	})
	for _, g := range gone {
		u := g.update
		u.Op = Delete
		out = append(out, u)
		delete(m.have, g.key)
	}
	return out
}
