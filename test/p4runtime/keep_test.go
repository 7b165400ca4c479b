package p4runtime

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// recorder is an interpreter that knows its entries, so that another can go on with them. It fails once, or for good: then the process
// that used it has ended.
type recorder struct {
	*interp.Target
	pipeline *dataplane.Pipeline
	entries  map[string]*dataplane.Entry // by table and key
	defaults map[string]dataplane.Action // by table
	left     int                         // inserts, changes and deletions until one fails; -1: none does
	dies     bool
	dead     bool
	onlyNew  bool // deletions do not fail
	ops      int
	broken   string    // what a packet would have found missing
	from     *recorder // what it takes over
}

var errTrouble = fmt.Errorf("trouble: %w", dataplane.ErrFull)

func newRecorder() *recorder {
	return &recorder{Target: interp.New(interp.Options{CPUPort: cpuPort}), entries: map[string]*dataplane.Entry{}, defaults: map[string]dataplane.Action{}, left: -1}
}

func (r *recorder) trouble() error {
	if r.dead {
		return errTrouble
	}
	r.ops++
	if r.left != 0 {
		r.left = max(-1, r.left-1)
		return nil
	}
	r.left, r.dead = -1, r.dies
	return errTrouble
}

func nameOf(e *dataplane.Entry) string { return e.Table.Name + " " + e.ID() }

func (r *recorder) write(e *dataplane.Entry, do func(*dataplane.Entry) error) error {
	if err := r.trouble(); err != nil {
		return err
	}
	if err := do(e); err != nil {
		return err
	}
	x := *e
	x.Action.Args = slices.Clone(x.Action.Args)
	r.entries[nameOf(e)] = &x
	r.look()
	return nil
}

// look notes an entry, or a slot of a group, that leads to nothing: at no moment may a packet find that.
func (r *recorder) look() {
	number := func(b []byte) (n uint32) {
		for _, x := range b {
			n = n<<8 | uint32(x)
		}
		return n
	}
	find := func(t *ir.Table, keys ...uint32) *dataplane.Entry {
		e := &dataplane.Entry{Table: t}
		for _, k := range keys {
			e.Matches = append(e.Matches, dataplane.Match{Value: dataplane.Bytes(uint64(k), 32)})
		}
		return r.entries[nameOf(e)]
	}
	for name, e := range r.entries {
		in := e.Table.Indirect
		if in == nil {
			continue
		}
		id := number(e.Action.Args[0])
		members := []uint32{id}
		if e.Action.Action != in.ToMember {
			members = nil
			size := find(in.Profile.Groups, id)
			if size == nil {
				r.broken = name + " names a group that is not there"
				continue
			}
			for i := range number(size.Action.Args[0]) {
				slot := find(in.Profile.Slots, id, i)
				if slot == nil {
					r.broken = fmt.Sprintf("%s names a group without slot %d", name, i)
					continue
				}
				members = append(members, number(slot.Action.Args[0]))
			}
		}
		for _, m := range members {
			if find(in.Members, m) == nil {
				r.broken = fmt.Sprintf("%s leads to member %d, which is not there", name, m)
			}
		}
	}
}

func (r *recorder) Insert(e *dataplane.Entry) error { return r.write(e, r.Target.Insert) }
func (r *recorder) Modify(e *dataplane.Entry) error { return r.write(e, r.Target.Modify) }

func (r *recorder) Delete(e *dataplane.Entry) error {
	if r.dead {
		return errTrouble
	}
	if !r.onlyNew {
		if err := r.trouble(); err != nil {
			return err
		}
	}
	delete(r.entries, nameOf(e))
	r.look()
	return r.Target.Delete(e)
}

func (r *recorder) SetDefault(t *ir.Table, a *dataplane.Action) error {
	if err := r.trouble(); err != nil {
		return err
	}
	if err := r.Target.SetDefault(t, a); err != nil {
		return err
	}
	if delete(r.defaults, t.Name); a != nil {
		r.defaults[t.Name] = *a
	}
	return nil
}

func (r *recorder) Stage(p *dataplane.Pipeline) (dataplane.Staged, error) {
	r.pipeline = p
	return r.Target.Stage(p)
}

func (r *recorder) Kept() ([]byte, error) {
	if r.from == nil || r.from.pipeline == nil {
		return nil, nil
	}
	return r.from.pipeline.Config, nil
}

// Adopt loads the program, and what the other had: with the program's objects as they have been compiled now.
func (r *recorder) Adopt(p *dataplane.Pipeline) (*dataplane.State, error) {
	if err := r.Load(p); err != nil {
		return nil, err
	}
	st := &dataplane.State{}
	for _, t := range p.Program.Tables {
		if t.ConstEntries {
			continue
		}
		action := func(a dataplane.Action) dataplane.Action {
			for _, own := range t.Actions {
				if own.Action.Name == a.Action.Name {
					return dataplane.Action{Action: own.Action, Args: a.Args}
				}
			}
			panic(a.Action.Name)
		}
		for _, own := range t.Entries {
			if err := r.Target.Delete(dataplane.ProgramEntry(t, own)); err != nil {
				return nil, err
			}
		}
		for _, e := range r.from.entries {
			if e.Table.Name != t.Name {
				continue
			}
			x := *e
			x.Table, x.Action = t, action(e.Action)
			if err := r.Insert(&x); err != nil {
				return nil, err
			}
			st.Entries = append(st.Entries, &x)
		}
		if a, is := r.from.defaults[t.Name]; is {
			a = action(a)
			if err := r.SetDefault(t, &a); err != nil {
				return nil, err
			}
			st.Defaults = append(st.Defaults, dataplane.Entry{Table: t, Action: a})
		}
	}
	return st, nil
}

// parts are the entries of tables that clients do not see.
func (r *recorder) parts() (out []string) {
	for name, e := range r.entries {
		if e.Table.Part {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// content is all that the recorder has, as text.
func (r *recorder) content() string {
	var out []string
	for name, e := range r.entries {
		out = append(out, fmt.Sprintf("%s %s %x", name, e.Action.Action.Name, e.Action.Args))
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// step is an update of a script.
type step struct {
	op   p4.Update_Type
	text string
}

func ins(text string) step { return step{p4.Update_INSERT, text} }
func mod(text string) step { return step{p4.Update_MODIFY, text} }
func del(text string) step { return step{p4.Update_DELETE, text} }

const cAny = `match { field_id: 1 ternary { value: "\x05" mask: "\xff" } } priority: 1`

// profileScripts are histories of profiles, which end with nothing.
var profileScripts = map[string][]step{
	"members and groups": {
		ins(member(next, 1, fwd(1))), ins(member(next, 2, fwd(2))), ins(member(next, 3, fwd(3))), ins(memberGroup(next, 1, of(1, 1, 0)+of(2, 2, 0))),
		ins(entry(chosenT, b1, group1)), ins(entry(alsoT, cAny, group1)), ins(entry(chosenT, b2, member1)), mod(member(next, 2, fwd(7))),
		mod(memberGroup(next, 1, of(3, 1, 0)+of(2, 1, 0)+of(1, 2, 0))), mod(entry(chosenT, b2, "action { action_profile_member_id: 3 }")), mod(memberGroup(next, 1, of(2, 1, 0))),
		mod(missOf(chosenT, fwd6)), mod(memberGroup(next, 1, "")), mod(entry(chosenT, b2, group1)), del(entry(chosenT, b2, "")), del(entry(alsoT, cAny, "")), del(entry(chosenT, b1, "")),
		del(memberGroup(next, 1, "")), del(member(next, 2, "")), del(member(next, 1, "")), del(member(next, 3, "")),
	},
	"resilient": {
		ins(member(sticky, 1, fwd(1))), ins(member(sticky, 2, fwd(2))), ins(memberGroup(sticky, 4, "max_size: 5 "+of(1, 1, 0)+of(2, 2, 0))),
		ins(entry(stickyT, b1, "action { action_profile_group_id: 4 }")), mod(memberGroup(sticky, 4, "max_size: 5 "+of(2, 2, 0))), mod(memberGroup(sticky, 4, "max_size: 5 "+of(2, 2, 0)+of(1, 3, 0))),
		del(entry(stickyT, b1, "")), del(memberGroup(sticky, 4, "")), del(member(sticky, 1, "")), del(member(sticky, 2, "")),
	},
	"action sets": {
		ins(entry(chosenT, b1, actionSet(shot(1, 1, 0)+shot(2, 2, 0)))), ins(entry(alsoT, cAny, actionSet(shot(3, 1, 0)))), mod(entry(chosenT, b1, actionSet(shot(4, 1, 0)+shot(5, 1, 0)+shot(4, 1, 0)))),
		ins(entry(stickyT, b1, actionSet(shot(6, 1, 0)+shot(7, 3, 0)))), mod(entry(stickyT, b1, actionSet(""))), del(entry(chosenT, b1, "")), del(entry(stickyT, b1, "")), del(entry(alsoT, cAny, "")),
	},
}

// seen is what clients and packets see of the profiles.
func (d *device) seen() string {
	d.Helper()
	var out []string
	for _, q := range []string{member(0, 0, ""), memberGroup(0, 0, ""), entry(chosenT, "", ""), entry(alsoT, "", ""), entry(stickyT, "", ""), missOf(chosenT, "")} {
		for _, e := range d.reads(q) {
			out = append(out, strings.Join(strings.Fields(e.String()), " "))
		}
	}
	slices.Sort(out) // the order of entries is not in a switch
	out = append(out, fmt.Sprint(d.spread(chosen, 1, 0, 6), d.spread(chosen, 2, 0, 6), d.spread(also, 0, 5, 6)))
	// Of a resilient group, the slots themselves are a matter of its history: how many each member has is not.
	list := d.spread(stuck, 1, 0, 20)
	slices.Sort(list)
	return strings.Join(append(out, fmt.Sprint(slices.Compact(list))), "\n")
}

// play runs a script until an update fails, and returns how many did not, and what is seen before each and after the last.
func (d *device) play(script []step) (n int, states []string) {
	d.Helper()
	states = append(states, d.seen())
	for _, s := range script {
		if _, err := d.Write(d.ctx(), d.request(d.up(s.op, s.text))); err != nil {
			return n, states
		}
		n, states = n+1, append(states, d.seen())
	}
	return n, states
}

func runOn(t *testing.T, r *recorder) *device {
	d := serveDevice(t, interpreter, r)
	d.run()
	return d
}

// TestProfilesSurvive: a process that ends at any moment of a history of profiles leaves what the next one takes over: the state
// before the update that was under way, or that after it. Nothing else stays: what the next one deletes is gone from the switch.
func TestProfilesSurvive(t *testing.T) {
	for name, script := range profileScripts {
		t.Run(name, func(t *testing.T) {
			r := newRecorder()
			n, states := runOn(t, r).play(script)
			require.Equal(t, len(script), n)
			require.Empty(t, r.parts(), "the script leaves nothing")
			require.Empty(t, r.broken)
			died := 0
			for at := range r.ops {
				a := newRecorder()
				a.left, a.dies = at, true
				first := runOn(t, a)
				k := 0
				for _, s := range script {
					if _, err := first.Write(first.ctx(), first.request(first.up(s.op, s.text))); err != nil {
						break
					}
					k++
				}
				if !a.dead {
					continue
				}
				died++
				b := newRecorder()
				b.from = a
				second := serveDevice(t, interpreter, b)
				second.main = second.stream()
				second.main.claim("", 1)
				second.main.is(codes.OK, 1)
				now := second.seen()
				require.Contains(t, []string{states[k], states[min(k+1, n)]}, now, "the process ended with operation %d, in update %d (%v)", at, k, script[min(k, n-1)])
				// It goes on from there, once the update is in either state.
				if now == states[k] {
					second.writes(second.up(script[k].op, script[k].text))
				}
				for _, s := range script[min(k+1, n):] {
					second.writes(second.up(s.op, s.text))
				}
				require.Empty(t, b.parts(), "operation %d in update %d", at, k)
			}
			require.Greater(t, died, len(script), "an update has several operations")
		})
	}
}

// TestProfilesWhole: an update whose entry the switch has no room for, at whatever place, changes nothing: not what is seen, and not
// what the switch has.
func TestProfilesWhole(t *testing.T) {
	for name, script := range profileScripts {
		t.Run(name, func(t *testing.T) {
			r := newRecorder()
			r.onlyNew = true
			n, states := runOn(t, r).play(script)
			require.Equal(t, len(script), n)
			for at := range r.ops {
				a := newRecorder()
				a.left, a.onlyNew = at, true
				d := runOn(t, a)
				failed := false
				for k, s := range script {
					before := a.content()
					u := d.up(s.op, s.text)
					if _, err := d.Write(d.ctx(), d.request(u)); err != nil {
						require.Equal(t, []codes.Code{codes.ResourceExhausted}, d.details(err), "%v", err)
						failed = true
						require.Equal(t, states[k], d.seen(), "operation %d in update %d (%v)", at, k, s)
						require.Equal(t, before, a.content(), "operation %d in update %d (%v)", at, k, s)
						d.writes(u) // now it works
					}
				}
				require.True(t, failed || a.left >= 0)
				require.Empty(t, a.parts())
			}
		})
	}
}
