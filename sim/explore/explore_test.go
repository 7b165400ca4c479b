package explore

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// jugs is the old puzzle: two jugs of 3 and 5 litres, and how to measure some others.
type jugs struct {
	size, has [2]int
	never     int // so much in the larger one is a violation; -1: none
}

type puzzle struct {
	never int
	clone bool
	panic bool
}

func (p puzzle) New() (World, error) {
	j := &jugs{size: [2]int{3, 5}, never: p.never}
	if p.panic {
		j.size[0] = 0
	}
	if p.clone {
		return &cloned{j}, nil
	}
	return j, nil
}
func (p puzzle) Goals() []string   { return []string{"1 litre", "4 litres", "6 litres"} }
func (p puzzle) Columns() []string { return []string{"small", "large"} }

type cloned struct{ *jugs }

func (c *cloned) Clone() World { j := *c.jugs; return &cloned{&j} }

func (j *jugs) Actions(a []Action) []Action { return append(a, 0, 1, 2, 3, 4, 5) }
func (j *jugs) Name(a Action) string {
	return [...]string{"fill small", "fill large", "empty small", "empty large", "pour large", "pour small"}[a]
}
func (j *jugs) Do(a Action, note func(Event)) error {
	if j.size[0] == 0 && j.has[1] == 5 {
		panic("no jug")
	}
	if note != nil && a > 3 {
		note(Event{From: int(5 - a), To: int(a - 4), Text: "pours"})
	}
	switch i := int(a) & 1; {
	case a < 2:
		j.has[i] = j.size[i]
	case a < 4:
		j.has[i] = 0
	default:
		n := min(j.has[1-i], j.size[i]-j.has[i])
		j.has[1-i] -= n
		j.has[i] += n
	}
	if j.has[1] == j.never {
		return fmt.Errorf("%d litres", j.never)
	}
	return nil
}
func (j *jugs) Append(b []byte) []byte { return append(b, byte(j.has[0]), byte(j.has[1])) }
func (j *jugs) Reached() uint64 {
	switch j.has[1] {
	case 1:
		return 1
	case 4:
		return 2
	}
	return 0
}

func TestSearchIsComplete(t *testing.T) {
	for _, clone := range []bool{true, false} {
		for _, keep := range []int{1, 1000} {
			m := puzzle{never: -1, clone: clone}
			r, err := Search(m, Options{Keep: keep})
			// Of 24 pairs those can be reached in which one jug is empty or full.
			if err != nil || !r.Complete || r.States != 16 || r.Violation != nil {
				t.Errorf("clone %v: %+v, %v", clone, r, err)
			}
			if missed := Missed(m, r.Reached); len(missed) != 1 || missed[0] != "6 litres" {
				t.Errorf("missed %q", missed)
			}
		}
	}
}

func TestShortestViolation(t *testing.T) {
	for _, workers := range []int{1, 4} {
		m := puzzle{never: 4, clone: true}
		r, err := Search(m, Options{Workers: workers})
		if err != nil || r.Violation == nil || r.Complete {
			t.Fatal(r, err)
		}
		want := "fill large, pour large, empty small, pour large, fill large, pour large"
		if got := strings.Join(r.Violation.Names, ", "); got != want || r.Depth != 6 || r.Violation.Err.Error() != "4 litres" {
			t.Errorf("%s (depth %d): %v", got, r.Depth, r.Violation.Err)
		}
		var chart, kept strings.Builder
		if err := Chart(&chart, m, r.Violation); err == nil || err.Error() != "4 litres" {
			t.Error(err)
		}
		if !strings.Contains(chart.String(), "│◀──────│       pours\n") || !strings.Contains(chart.String(), "VIOLATION  4 litres") {
			t.Error(chart.String())
		}
		if err := WriteScenario(&kept, "jugs", r.Violation); err != nil {
			t.Fatal(err)
		}
		s, err := ReadScenario("# kept\n\n" + kept.String())
		if err != nil || s.World != "jugs" || s.Violates != "4 litres" || !reflect.DeepEqual(s.Steps, r.Violation.Names) {
			t.Errorf("%+v, %v", s, err)
		}
		if err := replay(m, s.Steps, false, nil).Err; err == nil || err.Error() != "4 litres" {
			t.Error(err)
		}
		if err := replay(puzzle{never: -1}, s.Steps, false, nil).Err; err != nil {
			t.Error(err)
		}
	}
	if err := replay(puzzle{}, []string{"drink"}, false, nil).Err; err == nil || !strings.Contains(err.Error(), "step 1 (drink) cannot happen") {
		t.Error(err)
	}
	for _, text := range []string{"", "step a", "world a\nfoo b"} {
		if _, err := ReadScenario(text); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func TestBoundsAreSaid(t *testing.T) {
	for _, o := range []Options{{Depth: 2}, {States: 5}, {Time: 1}} {
		r, err := Search(puzzle{never: -1, clone: true}, o)
		if err != nil || r.Complete || r.Why == "" {
			t.Errorf("%+v: %+v, %v", o, r, err)
		}
	}
}

func TestPanicIsAViolation(t *testing.T) {
	r, err := Search(puzzle{never: -1, clone: true, panic: true}, Options{})
	if err != nil || r.Violation == nil || !strings.Contains(r.Violation.Err.Error(), "panic: no jug at explore_test.go:") {
		t.Fatal(r, err)
	}
}

func TestWalk(t *testing.T) {
	r, err := Walk(puzzle{never: 4}, WalkOptions{Walks: 500, Steps: 60, Seed: 1})
	if err != nil || r.Violation == nil || len(r.Violation.Names) != 6 {
		t.Fatalf("%+v, %v", r, err)
	}
	r, err = Walk(puzzle{never: -1}, WalkOptions{Walks: 5000, Steps: 60, Seed: 1})
	if err != nil || r.Violation != nil || r.Walks != 5000 || r.Steps != 5000*60 || len(Missed(puzzle{}, r.Reached)) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

type inner struct{ a, b uint32 }

type outer struct {
	text  string
	list  []inner
	p, q  *inner
	many  [20]uint64
	env   any
	dirty int
	ring  []int
	first int
	ok    bool
}

func TestEncoder(t *testing.T) {
	e := &Encoder{Skip: map[string]bool{"explore.outer.dirty": true}, Queues: map[string][2]string{"explore.outer": {"ring", "first"}}}
	one := inner{1, 2}
	base := func() *outer {
		return &outer{text: "x", list: []inner{{3, 4}}, p: &one, q: &one, ring: []int{7, 8}, first: 1, ok: true}
	}
	same := func(name string, want bool, change func(*outer)) {
		t.Helper()
		o := base()
		change(o)
		if got := string(e.Append(nil, o)) == string(e.Append(nil, base())); got != want {
			t.Errorf("%s: same bytes %v, want %v", name, got, want)
		}
	}
	same("nothing", true, func(*outer) {})
	same("text", false, func(o *outer) { o.text = "y" })
	same("list", false, func(o *outer) { o.list[0].b = 5 })
	same("longer list", false, func(o *outer) { o.list = append(o.list, inner{}) })
	same("equal pointers to equal things", true, func(o *outer) { n := one; o.p, o.q = &n, &n })
	same("different pointers", false, func(o *outer) { n := one; o.q = &n })
	same("nil", false, func(o *outer) { o.q = nil })
	same("many", false, func(o *outer) { o.many[19] = 1 })
	same("interface", true, func(o *outer) { o.env = 5 })
	same("skipped", true, func(o *outer) { o.dirty = 5 })
	same("used up", true, func(o *outer) { o.ring = []int{9, 8} })
	same("moved up", true, func(o *outer) { o.ring, o.first = []int{8}, 0 })
	same("not used up", false, func(o *outer) { o.ring = []int{7, 9} })
	same("flag", false, func(o *outer) { o.ok = false })
}

func TestSet(t *testing.T) {
	var s set
	h := newHasher()
	for round := range 2 {
		for i := range uint32(5000) {
			k := h.key(binary.LittleEndian.AppendUint32(nil, i))
			if s.has(k) != (round == 1) || s.add(k) != (round == 0) {
				t.Fatalf("round %d: key %d", round, i)
			}
		}
	}
	if s.n != 5000 {
		t.Error(s.n)
	}
}
