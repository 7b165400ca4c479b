package explore

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/sim/explore"
	"github.com/p4ce/p4ce/sim/explore/exploretest"
)

var options = explore.Options{Workers: 1, Time: 3 * time.Minute, Converge: 50}

// edited is the programs with one text of one file replaced.
type edited struct {
	fs.FS
	t              *testing.T
	file, old, new string
}

// ReadFile implements fs.ReadFileFS.
func (e edited) ReadFile(name string) ([]byte, error) {
	b, err := fs.ReadFile(e.FS, name)
	if name != e.file || err != nil {
		return b, err
	}
	require.Contains(e.t, string(b), e.old, "%s", name)
	return []byte(strings.ReplaceAll(string(b), e.old, e.new)), nil
}

// TestBrokenRules breaks the program, once for every rule: random ways through a world must find it.
func TestBrokenRules(t *testing.T) {
	long.Test(t)
	const (
		groups = "one=2 both=3 ticks=4 repeats=2"
		epochs = "one=2 both=2 members=3 ticks=6 repeats=3 changes=2"
		order  = "two final timestamps|delivers .* after|acyclic|two orders"
		live   = "not delivered"
	)
	for _, f := range []struct{ name, bounds, file, old, new, want string }{
		{"one acknowledgement is a quorum", epochs, "tally", "(3, 0x03 &&& 0x03) : quorum();", "(3, 0x00 &&& 0x00) : quorum();", order},
		{"a quorum of one destination decides for both", groups, "tally", "(2, 0x0032 &&& 0x0033, 0x0001) : decide();", "(2, 0x0000 &&& 0x0000, 0x0001) : decide();", order},
		{"the final timestamp is not the greatest", groups, "tally", "if (greatest < hdr.amcast.lts) {", "if (false) {", order},
		{"a message that comes again gets a new timestamp", groups, "cells", "(ACT_START, 0, 1) : name##_load();", "(ACT_START, 0, 1) : name##_first();", order},
		{"proposals of other groups do not raise the clock", groups, "cells", "(ACT_OTHER, _, _) : raise_time();", "(ACT_OTHER, _, _) : same_time();", live},
		{"the highest seq is not that of the clock", groups, "cells", "(ACT_OTHER, _, _) : same_mark();", "", live},
	} {
		t.Run(f.name, func(t *testing.T) {
			b, err := ParseBounds(f.bounds)
			require.NoError(t, err)
			m, err := newModel(b, edited{p4.FS, t, "amcast/" + f.file + ".p4", f.old, f.new})
			require.NoError(t, err)
			o := explore.WalkOptions{Workers: 1, Walks: 6000, Steps: 300, Tries: 1}
			if strings.Contains(f.want, live) {
				o.Converge = 1
			}
			r, err := explore.Walk(m, o)
			require.NoError(t, err)
			require.NotNil(t, r.Violation, "nothing is found in %d walks", r.Walks)
			t.Logf("after %d walks: %v", r.Walks, r.Violation.Err)
			require.Regexp(t, regexp.MustCompile(f.want), r.Violation.Err.Error())
		})
	}
}

// TestKept explores the worlds that do not take long.
func TestKept(t *testing.T) {
	long.Test(t)
	exploretest.Kept(t, Kept, explore.Models(ParseBounds, NewModel), options)
}

// TestWalks goes random ways through larger worlds: the same ones every time.
func TestWalks(t *testing.T) {
	exploretest.Walks(t, Kept, explore.Models(ParseBounds, NewModel), explore.WalkOptions{Workers: 1, Walks: 200, Converge: 4})
}

func TestBounds(t *testing.T) {
	exploretest.Bounds(t, ParseBounds, Kept, "one", "one=x", "one=100", "one=7", "members=2", "changes=1", "forgets=1 members=1", "no=1")
}
