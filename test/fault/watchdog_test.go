package fault

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The programs that run for long, and what they rest on.
var (
	watchedPrograms = []string{"`p4ce switch`", "`p4ce controller`, rdma", "`p4ce controller`, paxos", "`p4ce kv`", "`p4ce kv --log paxos`"}
	dependencies    = []string{"etcd", "disk", "switch", "peer", "log pipe"}
)

// watchedCell is a program whose dependency stops, and what is seen meanwhile.
type watchedCell struct {
	program, dependency string
	how                 string // the dependency stops
	world               string
	// stop has it stop, until goOn.
	stop func(w *world) (goOn func())
	// while is what must be so while it stands still, in this order. After that it goes on, and all must be well.
	while []sight
	// none says why there is nothing to see.
	none string
}

// sight is something that must be so.
type sight struct {
	says string // what goes on, in the words of the matrix; "": see others
	see  func(w *world)
}

var writeMatrix = flag.Bool("update", false, "TestMatrix: write the matrix to docs/controllers.md")

// Where the matrix is.
const (
	matrixFile  = "../../docs/controllers.md"
	matrixBegin = "<!-- matrix: TestWatchdog -->\n"
	matrixEnd   = "<!-- end of matrix -->\n"
)

// matrix is what TestWatchdog sees, for the documentation.
func matrix() string {
	var b strings.Builder
	fmt.Fprintf(&b, "| program | what stops | what still works |\n|---|---|---|\n")
	for _, p := range watchedPrograms {
		for _, d := range dependencies {
			for _, c := range watchdog {
				if c.program != p || c.dependency != d {
					continue
				}
				if c.none != "" {
					fmt.Fprintf(&b, "| %s | %s | (%s) |\n", p, d, c.none)
					continue
				}
				var says []string
				for _, s := range c.while {
					if s.says != "" {
						says = append(says, s.says)
					}
				}
				fmt.Fprintf(&b, "| %s | %s: %s | %s |\n", p, d, c.how, strings.Join(says, "; "))
			}
		}
	}
	return b.String()
}

// TestMatrix: each program has something to show, or a reason, for each dependency, and the documentation says what the test
// sees.
func TestMatrix(t *testing.T) {
	for _, p := range watchedPrograms {
		for _, d := range dependencies {
			require.True(t, slices.ContainsFunc(watchdog, func(c watchedCell) bool { return c.program == p && c.dependency == d }), "%s without %s", p, d)
		}
	}
	for _, c := range watchdog {
		require.Contains(t, watchedPrograms, c.program)
		require.Contains(t, dependencies, c.dependency)
		require.Equal(t, c.none == "", c.stop != nil && len(c.while) > 0, "%s without %s", c.program, c.dependency)
	}
	text, err := os.ReadFile(matrixFile)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(text), matrixBegin)
	require.True(t, ok)
	_, after, ok := strings.Cut(rest, matrixEnd)
	require.True(t, ok)
	want := before + matrixBegin + matrix() + matrixEnd + after
	if *writeMatrix {
		require.NoError(t, os.WriteFile(matrixFile, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(text), "docs/controllers.md does not say what TestWatchdog sees [go test ./test/fault -run TestMatrix -update]")
}

// TestWatchdog stops what each program rests on, one thing after the other, and sees who still does its work; when the thing
// goes on all is well again. In the end nobody reads what the programs print, and they end when they are told to.
func TestWatchdog(t *testing.T) {
	for _, k := range []struct {
		name string
		open func(*testing.T) *world
	}{{inRDMA, openRDMA}, {inAlone, openAlone}, {inPaxos, openPaxos}, {inJournal, openJournal}} {
		t.Run(k.name, func(t *testing.T) {
			w := k.open(t)
			w.well()
			for _, c := range watchdog {
				if c.world != k.name {
					continue
				}
				if !t.Run(c.program+" without "+c.dependency, func(t *testing.T) { w.sees(t, &c) }) {
					return
				}
			}
			w.end()
		})
	}
}

// sees tries a cell.
func (w *world) sees(t *testing.T, c *watchedCell) {
	outer := w.t
	defer func() { w.t = outer }()
	w.t = t
	goOn := c.stop(w)
	for _, s := range c.while {
		at := time.Now()
		s.see(w)
		t.Logf("%v: %s", time.Since(at).Round(time.Millisecond), s.says)
	}
	goOn()
	at := time.Now()
	w.well()
	t.Logf("%v: all is well", time.Since(at).Round(time.Millisecond))
}
