package paxos

import (
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/sim/explore"
)

func search(t *testing.T, bounds string, programs fs.FS) (*Model, *explore.Result) {
	t.Helper()
	b, err := ParseBounds(bounds)
	if err != nil {
		t.Fatal(err)
	}
	m, err := newModel(b, programs)
	if err != nil {
		t.Fatal(err)
	}
	r, err := explore.Search(m, explore.Options{Workers: 1, Time: 5 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d states, depth %d, %v, %.0f states/s", b, r.States, r.Depth, r.Time.Round(time.Millisecond), r.Rate())
	if r.Violation != nil {
		var chart strings.Builder
		if explore.Chart(&chart, m, r.Violation) == nil {
			t.Error("the violation does not come again")
		}
		t.Logf("\n%s", chart.String())
	}
	return m, r
}

// TestKept explores the worlds that do not take long.
func TestKept(t *testing.T) {
	for _, k := range Kept {
		if k.Large {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			m, r := search(t, k.Bounds, p4.FS)
			switch missed := explore.Missed(m, r.Reached); {
			case r.Violation != nil:
				t.Error(r.Violation.Err)
			case !r.Complete:
				t.Errorf("not complete: %s", r.Why)
			case len(missed) > 0:
				t.Errorf("never reached: %q", missed)
			}
		})
	}
}
