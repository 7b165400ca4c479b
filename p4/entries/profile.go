package entries

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
	p4 "github.com/p4lang/p4runtime/go/p4/v1"
)

// Reference is what an entry names in the action profile of its table, instead of an action: a member, or a group of members.
type Reference struct {
	Group bool
	ID    string
}

// subject is that of the statement that makes what is named.
func (r *Reference) subject() Subject {
	if r.Group {
		return MemberGroup
	}
	return Member
}

func (r *Reference) String() string { return r.subject().String() + " " + r.ID }

// Choice is an action of a set, of which each packet takes one, or a member of a group.
type Choice struct {
	Action *Call  // of a set; nil: of a group
	Member string // of a group
	Weight string // "": 1
	Watch  string // the port without which the choice is none; "": none
}

func (c Choice) String() string {
	s := quote(c.Member, "")
	if c.Action != nil {
		s = c.Action.String()
	}
	if c.Weight != "" {
		s += " weight " + c.Weight
	}
	if c.Watch != "" {
		s += " watch " + c.Watch
	}
	return s
}

// ids of members and groups are from 1.
const mostID = 1<<32 - 1

// id reads the number of a member or a group.
func id(what Subject, s string) (uint32, error) {
	n, err := numberIn(s, 1, mostID)
	if err != nil {
		return 0, fmt.Errorf("%s %q: want a number from 1 to %d", what, s, uint32(mostID))
	}
	return uint32(n), nil
}

// does reads what an entry does: member ID, member_group ID, an action, or a set of actions, which is () if none is in it.
func (c *cursor) does(s *Statement) error {
	for _, r := range []*Reference{{Group: false}, {Group: true}} {
		if !c.word(r.subject().String()) {
			continue
		}
		n, err := c.name("the number of the "+r.subject().String(), "")
		if err != nil {
			return err
		}
		if _, err := id(r.subject(), n); err != nil {
			return fmt.Errorf("%w [an action of this name: %s(…)]", err, r.subject())
		}
		r.ID, s.Refers = n, r
		return nil
	}
	if c.take("(") {
		if s.Choices = []Choice{}; !c.take(")") {
			return errors.New("an action is missing in front of ( [() is a set without actions]")
		}
		return nil
	}
	for first := true; first || c.take(","); first = false {
		a, err := c.call()
		if err != nil {
			return err
		}
		x := Choice{Action: a}
		if err := c.choice(&x); err != nil {
			return fmt.Errorf("action %s: %w", a.Name, err)
		}
		s.Choices = append(s.Choices, x)
	}
	if only := s.Choices[0]; len(s.Choices) == 1 && only.Weight == "" && only.Watch == "" {
		s.Action, s.Choices = only.Action, nil
	}
	return nil
}

// choice reads weight N and watch PORT.
func (c *cursor) choice(x *Choice) error {
	for {
		word, at, least, most := "weight", &x.Weight, uint64(1), uint64(1<<31-1)
		if !c.word(word) {
			if word, at, least, most = "watch", &x.Watch, 0, 1<<32-1; !c.word(word) {
				return nil
			}
		}
		v, err := c.name("the value of "+word, ",")
		if err != nil {
			return err
		}
		if _, err := numberIn(v, least, most); err != nil {
			return fmt.Errorf("%s %q: want a number from %d to %d", word, v, least, most)
		}
		if *at != "" {
			return fmt.Errorf("%s is given twice", word)
		}
		*at = v
	}
}

// ofProfile reads what follows PROFILE[ID] of a member or a group. What is deleted may have it, too: it means nothing.
func (c *cursor) ofProfile(s *Statement) (err error) {
	if _, err := id(s.Subject, s.Index); err != nil {
		return err
	}
	if !c.take("->") {
		if s.Delete {
			return nil
		}
		follows := "ACTION(PARAMETER=VALUE, …)"
		if s.Subject == MemberGroup {
			follows = "MEMBER, MEMBER weight N watch PORT, …"
		}
		return fmt.Errorf("%s %s[%s]: -> is missing [%s %s[%s] -> %s]", s.Subject, s.Name, s.Index, s.Subject, s.Name, s.Index, follows)
	}
	if s.Subject == Member {
		s.Action, err = c.call()
		return err
	}
	s.Choices = []Choice{}
	for c.space(); c.rest != ""; c.space() {
		if len(s.Choices) > 0 && !c.take(",") || len(s.Choices) == 0 && c.rest[0] > '9' {
			return nil // attributes follow
		}
		var x Choice
		if x.Member, err = c.name("a member", ","); err != nil {
			return err
		}
		if _, err := id(Member, x.Member); err != nil {
			return err
		}
		if err := c.choice(&x); err != nil {
			return fmt.Errorf("member %s: %w", x.Member, err)
		}
		s.Choices = append(s.Choices, x)
	}
	return nil
}

// weight of a choice in a group of a profile, whose groups may have none.
func (c Choice) weight(x *p4config.ActionProfile) (int32, error) {
	switch {
	case x.GetWeightsDisallowed() && c.Weight != "":
		return 0, fmt.Errorf("weight: the groups of action profile %s have none", called(x))
	case x.GetWeightsDisallowed():
		return 0, nil
	case c.Weight == "":
		return 1, nil
	}
	n, err := numberIn(c.Weight, 1, 1<<31-1)
	return int32(n), err
}

// watch is the port of a choice; ok: it has one.
func (c Choice) watch() (port []byte, ok bool) {
	v, err := strconv.ParseUint(c.Watch, 0, 32)
	return Bytes(new(big.Int).SetUint64(v)), err == nil
}

// does encodes what an entry of a table does.
func (p *Program) does(t *p4config.Table, s *Statement) (*p4.TableAction, error) {
	x := p.profiles[t.GetImplementationId()]
	set := x.GetWithSelector() && s.Subject == Entry && s.Refers == nil
	for _, a := range []string{"mode", "size"} {
		if _, given := s.Attribute(a); given && !set {
			return nil, fmt.Errorf("%s: only entries with actions, of a table with a selector, have it", a)
		}
	}
	switch {
	case s.Refers != nil && x == nil:
		return nil, fmt.Errorf("%s: the table has no action profile [-> ACTION(PARAMETER=VALUE, …)]", s.Refers)
	case s.Refers != nil && s.Subject == Default:
		return nil, fmt.Errorf("%s: the default entry has an action itself [default -> ACTION(PARAMETER=VALUE, …)]", s.Refers)
	case s.Refers != nil && s.Refers.Group && !x.GetWithSelector():
		return nil, fmt.Errorf("%s: action profile %s has no selector, and no groups [-> member ID]", s.Refers, called(x))
	case s.Refers != nil:
		n, err := id(s.Refers.subject(), s.Refers.ID)
		if s.Refers.Group {
			return &p4.TableAction{Type: &p4.TableAction_ActionProfileGroupId{ActionProfileGroupId: n}}, err
		}
		return &p4.TableAction{Type: &p4.TableAction_ActionProfileMemberId{ActionProfileMemberId: n}}, err
	case set:
		return p.set(t, x, s)
	case x != nil && s.Subject == Entry:
		return nil, fmt.Errorf("its entries name members of action profile %s [-> member ID, and member %s[ID] -> ACTION(…)]", called(x), called(x))
	case s.Choices != nil && s.Subject == Default:
		return nil, errors.New("the default entry has one action, without weight or watch")
	case s.Choices != nil:
		return nil, errors.New("it has no selector, so an entry has one action, without weight or watch")
	}
	a, err := p.call(t, s.Action, s.Subject == Default)
	return &p4.TableAction{Type: &p4.TableAction_Action{Action: a}}, err
}

// modes and sizes of sets, as they are written.
var (
	modes = map[p4.ActionProfileActionSet_ActionSelectionMode]string{
		p4.ActionProfileActionSet_HASH: "hash", p4.ActionProfileActionSet_RANDOM: "random",
	}
	sizes = map[p4.ActionProfileActionSet_SizeSemantics]string{
		p4.ActionProfileActionSet_SUM_OF_WEIGHTS: "weights", p4.ActionProfileActionSet_SUM_OF_MEMBERS: "members",
	}
)

// keyFor is the key of a value; 0: none has it.
func keyFor[K ~int32](m map[K]string, value string) (zero K) {
	for k, v := range m {
		if v == value {
			return k
		}
	}
	return zero
}

// set encodes the actions of an entry.
func (p *Program) set(t *p4config.Table, x *p4config.ActionProfile, s *Statement) (*p4.TableAction, error) {
	list := s.Choices
	if list == nil {
		list = []Choice{{Action: s.Action}}
	}
	mode, _ := s.Attribute("mode")
	size, _ := s.Attribute("size")
	out := &p4.ActionProfileActionSet{ActionSelectionMode: keyFor(modes, mode), SizeSemantics: keyFor(sizes, size)}
	for _, c := range list {
		a, err := p.call(t, c.Action, false)
		if err != nil {
			return nil, err
		}
		one := &p4.ActionProfileAction{Action: a}
		if one.Weight, err = c.weight(x); err != nil {
			return nil, err
		}
		if port, ok := c.watch(); ok {
			one.WatchKind = &p4.ActionProfileAction_WatchPort{WatchPort: port}
		}
		out.ActionProfileActions = append(out.ActionProfileActions, one)
	}
	return &p4.TableAction{Type: &p4.TableAction_ActionProfileActionSet{ActionProfileActionSet: out}}, nil
}

// place finds the profile of a member or group, and its number.
func (p *Program) place(s *Statement) (*p4config.ActionProfile, uint32, error) {
	x, err := find("action profile", s.Name, p.info.GetActionProfiles())
	if err != nil {
		return nil, 0, err
	}
	n, err := id(s.Subject, s.Index)
	return x, n, err
}

func (p *Program) member(s *Statement) (*p4.Entity, error) {
	x, n, err := p.place(s)
	if err != nil {
		return nil, err
	}
	e := &p4.ActionProfileMember{ActionProfileId: x.GetPreamble().GetId(), MemberId: n}
	if !s.Delete {
		// P4Runtime demands that all tables of a profile have the same actions.
		i := slices.IndexFunc(p.info.GetTables(), func(t *p4config.Table) bool { return t.GetImplementationId() == e.ActionProfileId })
		if i < 0 {
			return nil, fmt.Errorf("action profile %s: no table has it, so that a member can have no action", called(x))
		}
		if e.Action, err = p.call(p.info.GetTables()[i], s.Action, false); err != nil {
			return nil, fmt.Errorf("member %s[%d]: %w", called(x), n, err)
		}
	}
	return &p4.Entity{Entity: &p4.Entity_ActionProfileMember{ActionProfileMember: e}}, nil
}

func (p *Program) memberGroup(s *Statement) (*p4.Entity, error) {
	x, n, err := p.place(s)
	if err != nil {
		return nil, err
	}
	if !x.GetWithSelector() {
		return nil, fmt.Errorf("action profile %s has no selector, and no groups [member %s[ID] -> ACTION(…)]", called(x), called(x))
	}
	e := &p4.ActionProfileGroup{ActionProfileId: x.GetPreamble().GetId(), GroupId: n}
	if !s.Delete {
		e.MaxSize = int32(s.integer("max_size"))
		seen := map[uint32]bool{}
		for _, c := range s.Choices {
			m := &p4.ActionProfileGroup_Member{}
			if m.MemberId, err = id(Member, c.Member); err == nil && seen[m.MemberId] {
				err = fmt.Errorf("member %d is given twice [weight N]", m.MemberId)
			}
			if err == nil {
				m.Weight, err = c.weight(x)
			}
			if err != nil {
				return nil, fmt.Errorf("member_group %s[%d]: %w", called(x), n, err)
			}
			seen[m.MemberId] = true
			if port, ok := c.watch(); ok {
				m.WatchKind = &p4.ActionProfileGroup_Member_WatchPort{WatchPort: port}
			}
			e.Members = append(e.Members, m)
		}
	}
	return &p4.Entity{Entity: &p4.Entity_ActionProfileGroup{ActionProfileGroup: e}}, nil
}

// stage orders changes: what an entry names is there before it, and leaves after it.
func (c Change) stage() int {
	removes := c.Update.GetType() == p4.Update_DELETE
	switch c.Update.GetEntity().GetEntity().(type) {
	case *p4.Entity_ActionProfileMember:
		if removes {
			return 4
		}
		return 0
	case *p4.Entity_ActionProfileGroup:
		if removes {
			return 3
		}
		return 1
	}
	return 2
}

// Batches parts changes, which are in the order of Changes: each batch is to be written, and what is there replaced, before the next
// one. A switch may carry out what is written together in any order (P4Runtime, Batching and Ordering of Updates).
func Batches(changes []Change) (out [][]Change) {
	for i, c := range changes {
		if i == 0 || c.stage() != changes[i-1].stage() {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], c)
	}
	return out
}

func inOrder(changes []Change) {
	slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Compare(a.stage(), b.stage()) })
}

// read describes what was read of a choice. watch is of older switches.
func (c *Choice) read(weight, watch int32, port []byte) {
	if weight > 1 {
		c.Weight = strconv.Itoa(int(weight))
	}
	switch {
	case len(port) > 0:
		c.Watch = strconv.FormatUint(uint64(portNumber(port)), 10)
	case watch > 0:
		c.Watch = strconv.Itoa(int(watch))
	}
}

// readDoes describes what an entry does.
func (p *Program) readDoes(s *Statement, t *p4config.Table, a *p4.TableAction) (err error) {
	if k, is := a.GetType().(*p4.TableAction_Action); is {
		s.Action, err = p.readCall(k.Action)
		return err
	}
	if p.profiles[t.GetImplementationId()] == nil {
		return fmt.Errorf("an entry whose action is not one of the program's: %T", a.GetType())
	}
	switch k := a.GetType().(type) {
	case *p4.TableAction_ActionProfileMemberId:
		s.Refers = &Reference{ID: strconv.FormatUint(uint64(k.ActionProfileMemberId), 10)}
	case *p4.TableAction_ActionProfileGroupId:
		s.Refers = &Reference{Group: true, ID: strconv.FormatUint(uint64(k.ActionProfileGroupId), 10)}
	case *p4.TableAction_ActionProfileActionSet:
		s.Choices = []Choice{}
		for _, x := range k.ActionProfileActionSet.GetActionProfileActions() {
			var c Choice
			if c.Action, err = p.readCall(x.GetAction()); err != nil {
				return err
			}
			c.read(x.GetWeight(), x.GetWatch(), x.GetWatchPort()) //nolint:staticcheck // what another client may have written
			s.Choices = append(s.Choices, c)
		}
		if len(s.Choices) == 1 && s.Choices[0].Weight == "" && s.Choices[0].Watch == "" {
			s.Action, s.Choices = s.Choices[0].Action, nil
		}
	default:
		return fmt.Errorf("an action of kind %T: not in this syntax", k)
	}
	return nil
}

// readSet adds how a set is chosen from, behind what all entries have.
func (s *Statement) readSet(m *p4.ActionProfileActionSet) {
	if v := modes[m.GetActionSelectionMode()]; v != "" {
		s.attribute("mode", v)
	}
	if v := sizes[m.GetSizeSemantics()]; v != "" {
		s.attribute("size", v)
	}
}

// readCall describes an action.
func (p *Program) readCall(act *p4.Action) (*Call, error) {
	a := p.actions[act.GetActionId()]
	if a == nil {
		return nil, unknown("action", act.GetActionId())
	}
	c := &Call{Name: called(a)}
	args := map[uint32][]byte{}
	for _, v := range act.GetParams() {
		args[v.GetParamId()] = v.GetValue()
	}
	for _, param := range a.GetParams() {
		f := formOf(param.GetName(), param.GetBitwidth(), param.GetAnnotations())
		c.Args = append(c.Args, Pair{param.GetName(), f.text(args[param.GetId()])})
	}
	return c, nil
}

func (p *Program) readMember(e *p4.ActionProfileMember) (*Statement, error) {
	x := p.profiles[e.GetActionProfileId()]
	if x == nil {
		return nil, unknown("action profile", e.GetActionProfileId())
	}
	s := &Statement{Subject: Member, Name: called(x), Index: strconv.FormatUint(uint64(e.GetMemberId()), 10)}
	var err error
	if s.Action, err = p.readCall(e.GetAction()); err != nil {
		return nil, fmt.Errorf("member %s[%s]: %w", s.Name, s.Index, err)
	}
	return s, nil
}

func (p *Program) readMemberGroup(e *p4.ActionProfileGroup) (*Statement, error) {
	x := p.profiles[e.GetActionProfileId()]
	if x == nil {
		return nil, unknown("action profile", e.GetActionProfileId())
	}
	s := &Statement{Subject: MemberGroup, Name: called(x), Index: strconv.FormatUint(uint64(e.GetGroupId()), 10), Choices: []Choice{}}
	for _, m := range e.GetMembers() {
		c := Choice{Member: strconv.FormatUint(uint64(m.GetMemberId()), 10)}
		c.read(m.GetWeight(), m.GetWatch(), m.GetWatchPort()) //nolint:staticcheck // what another client may have written
		s.Choices = append(s.Choices, c)
	}
	if n := e.GetMaxSize(); n != 0 {
		s.attribute("max_size", strconv.Itoa(int(n)))
	}
	return s, nil
}
