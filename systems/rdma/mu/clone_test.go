package mu

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// references are the fields of a core by which it might share something that changes
// with its clone. Clone copies each, or says here why it need not.
var references = map[string]string{
	"Core.cfg":     "Members is never changed, Log and Election are replaced",
	"Core.env":     "replaced",
	"Core.members": "never changed, only replaced",
	"Core.learner": "never changed, only replaced", "Core.also": "never changed, only replaced",
	"Core.peers":      "copied",
	"Core.scratch":    "has no meaning between two calls",
	"Core.camp":       "see below",
	"Core.lead":       "see below",
	"Core.reported":   "Members is never changed",
	"campaign.voters": "copied", "campaign.source": "copied",
	"leadership.ends": "copied", "leadership.barriers": "copied", "leadership.change": "never changed, only replaced", "leadership.members": "never changed, only replaced",
	"leadership.groups": "see below",
	"groups.group":      "see below", "groups.next": "see below", "groups.old": "copied",
	"group.link": "copied", "group.members": "copied",
	"peer.paths": "see below", "peer.logCopy": "see below",
	"paths.ctl": "copied", "paths.rep": "copied", "logCopy.logBuf": "copied",
	"link.ops": "copied",
}

// TestCloneKnowsAllReferences fails when a core gets a field by which a clone might
// share something, until somebody has thought about it.
func TestCloneKnowsAllReferences(t *testing.T) {
	seen := map[string]bool{}
	for _, v := range []any{Core{}, campaign{}, leadership{}, groups{}, group{}, peer{}, paths{}, observed{}, pulse{}, announcing{}, grant{}, logCopy{}, promotion{}, viaGroup{}, link{}, track{}, recovery{}, hold{}, status{}, barrier{}, pending{}} {
		typ := reflect.TypeOf(v)
		for i := range typ.NumField() {
			f := typ.Field(i)
			name := typ.Name() + "." + f.Name
			if refers(f.Type) {
				seen[name] = true
				if references[name] == "" {
					t.Errorf("%s: does Clone copy it?", name)
				}
			}
		}
	}
	for name := range references {
		if !seen[name] {
			t.Errorf("%s: there is no such field, or it refers to nothing", name)
		}
	}
}

func refers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface, reflect.Func, reflect.Chan:
		return true
	case reflect.Array:
		return refers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if refers(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

// TestCloneGoesOnAlone clones a core in the middle of a hostile run: what the clone
// does then is what the original does with the same input, and neither sees the other.
func TestCloneGoesOnAlone(t *testing.T) {
	moved := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		in := make([]byte, 6000)
		for i := range in {
			in[i] = byte(rng.Uint32())
		}
		half := rng.IntN(len(in))
		a := play(t, in[:half])
		b := *a
		b.log, b.vote = slices.Clone(a.log), slices.Clone(a.vote)
		core, move := a.core.Clone(&b, b.log, b.vote)
		b.core, b.up, b.order = core, map[Path]bool{}, slices.Clone(a.order)
		b.posted = map[Path][]Op{}
		for p, up := range a.up {
			b.up[p] = up
		}
		for p, ops := range a.posted {
			for _, op := range ops {
				data := op.Data
				if op.Data = move(data); len(data) > 0 && &op.Data[0] != &data[0] {
					moved++
				}
				if string(data) != string(op.Data) {
					t.Fatalf("seed %d: the bytes of an operation on %v have changed", seed, p)
				}
				if op.Read && len(data) > 0 && &op.Data[0] == &data[0] && b.up[p] && outstanding(a.core, p) {
					t.Fatalf("seed %d: a READ on %v goes to the old core", seed, p)
				}
				b.posted[p] = append(b.posted[p], op)
			}
		}
		before := a.core.Status()
		for b.in = slices.Clone(in[half:]); len(b.in) > 0; {
			b.step()
		}
		if !reflect.DeepEqual(a.core.Status(), before) {
			t.Fatalf("seed %d: the clone has changed the original", seed)
		}
		for a.in = slices.Clone(in[half:]); len(a.in) > 0; {
			a.step()
		}
		if sa, sb := a.core.Status(), b.core.Status(); !reflect.DeepEqual(sa, sb) || !reflect.DeepEqual(a.core.Peers(), b.core.Peers()) ||
			string(a.log) != string(b.log) || string(a.vote) != string(b.vote) {
			t.Fatalf("seed %d: the same input, but\n%+v\n%+v", seed, sa, sb)
		}
	}
	if moved == 0 {
		t.Error("no operation was under way in any clone")
	}
}

// outstanding reports whether the core waits for something on a path.
func outstanding(c *Core, path Path) bool {
	p := c.peer(path.Peer)
	return p != nil && path.Kind != Group && p.link(path).open() > 0
}
