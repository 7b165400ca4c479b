// Package exploretest tests the worlds that a system has for the explorer (sim/explore).
package exploretest

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/p4ce/p4ce/sim/explore"
)

// Search searches a world, and logs what it finds.
func Search(t *testing.T, m explore.Model, o explore.Options) *explore.Result {
	t.Helper()
	r, err := explore.Search(m, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d states, %d converge, depth %d, %v, %.0f states/s", r.States, r.Live, r.Depth, r.Time.Round(time.Millisecond), r.Rate())
	show(t, m, r.Violation)
	return r
}

func show(t *testing.T, m explore.Model, violation *explore.Run) {
	t.Helper()
	if violation == nil {
		return
	}
	var chart strings.Builder
	if explore.Chart(&chart, m, violation) == nil {
		t.Error("the violation does not come again")
	}
	t.Logf("\n%s", chart.String())
}

// each has a test look at the kept worlds that are walked, or at those that are searched and do not take long. Nothing
// is violated, and all goals are reached.
func each(t *testing.T, kept []explore.Kept, walked bool, model func(bounds string) (explore.Model, error),
	look func(t *testing.T, k explore.Kept, m explore.Model) (violation *explore.Run, reached uint64)) {
	for _, k := range kept {
		if k.Walk > 0 != walked || k.Large {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			m, err := model(k.Bounds)
			if err != nil {
				t.Fatal(err)
			}
			violation, reached := look(t, k, m)
			if violation != nil {
				t.Error(violation.Err)
			} else if missed := explore.Missed(m, reached); len(missed) > 0 {
				t.Errorf("never reached: %q", missed)
			}
		})
	}
}

// Kept searches those of the kept worlds that do not take long. All states are seen and all goals reached, and
// nothing is violated; with o.Converge some states converge.
func Kept(t *testing.T, kept []explore.Kept, model func(bounds string) (explore.Model, error), o explore.Options) {
	each(t, kept, false, model, func(t *testing.T, _ explore.Kept, m explore.Model) (*explore.Run, uint64) {
		r := Search(t, m, o)
		switch {
		case r.Violation != nil:
		case !r.Complete:
			t.Errorf("not complete: %s", r.Why)
		case o.Converge > 0 && r.Live == 0:
			t.Error("no state was asked to converge")
		}
		return r.Violation, r.Reached
	})
}

// Walks goes random ways, the same ones every time, through those of the kept worlds that have more states than can be searched.
func Walks(t *testing.T, kept []explore.Kept, model func(bounds string) (explore.Model, error), o explore.WalkOptions) {
	each(t, kept, true, model, func(t *testing.T, k explore.Kept, m explore.Model) (*explore.Run, uint64) {
		o := o
		o.Steps, o.Seed = k.Steps, 1
		r, err := explore.Walk(m, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d walks, %d steps, %d converge at their end, %v", r.Walks, r.Steps, r.Live, r.Time.Round(time.Millisecond))
		show(t, m, r.Violation)
		return r.Violation, r.Reached
	})
}

// Bounds demands that the bounds of each world are read back as they are written, and that what is bad is refused.
func Bounds[B comparable](t *testing.T, parse func(string) (B, error), kept []explore.Kept, bad ...string) {
	for _, k := range kept {
		if b, err := parse(k.Bounds); err != nil {
			t.Error(err)
		} else if again, err := parse(explore.BoundsText(b)); err != nil || again != b {
			t.Errorf("%s becomes %s, %v", k.Bounds, explore.BoundsText(b), err)
		}
	}
	for _, text := range bad {
		if _, err := parse(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

// Broken breaks a program, once for every rule: the first Old text of a file becomes New. The world must find it: a violation that
// Want, a regular expression, matches.
func Broken(t *testing.T, programs fs.FS, model func(programs fs.FS, bounds string) (explore.Model, error), o explore.Options,
	faults []struct{ Name, Bounds, File, Old, New, Want string }) {
	for _, f := range faults {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			m, err := model(edited{programs, t, f.File, f.Old, f.New}, f.Bounds)
			if err != nil {
				t.Fatal(err)
			}
			r := Search(t, m, o)
			if r.Violation == nil {
				t.Fatalf("nothing is found (complete: %v %s)", r.Complete, r.Why)
			}
			if !regexp.MustCompile(f.Want).MatchString(r.Violation.Err.Error()) {
				t.Errorf("got %v, want %q", r.Violation.Err, f.Want)
			}
		})
	}
}

// edited is a file system in which the first old text of a file is replaced.
type edited struct {
	fs.FS
	t              *testing.T
	file, old, new string
}

// ReadFile implements fs.ReadFileFS.
func (e edited) ReadFile(name string) ([]byte, error) {
	b, err := fs.ReadFile(e.FS, name)
	if err != nil || name != e.file {
		return b, err
	}
	if !strings.Contains(string(b), e.old) {
		e.t.Errorf("%s no longer has %q", name, e.old)
	}
	return []byte(strings.Replace(string(b), e.old, e.new, 1)), nil
}
