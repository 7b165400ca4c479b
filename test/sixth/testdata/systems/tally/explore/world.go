// Package explore has a world for the explorer (sim/explore): requests of two keys are under way to a
// switch whose controller writes its table at any time.
//
//	client ── requests ──▶ switch: p4/tally ──▶ server
//	                          ▲
//	controller ── entry ──────┘
//
// Always: the switch has counted, of each key, what the server got.
package explore

import (
	"errors"
	"fmt"
	"slices"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/p4"
	names "github.com/p4ce/p4ce/p4/tally"
	"github.com/p4ce/p4ce/sim/explore"
	"github.com/p4ce/p4ce/sim/explore/program"
)

// Kinds are the kinds of worlds of this system.
var Kinds = []explore.Kind{{
	Name: "tally", Prefix: "tally-", Shared: true, Model: explore.Models(ParseBounds, NewModel),
	Kept: []explore.Kept{{Name: "counts", Shows: "a switch counts what it forwards", Bounds: "requests=4"}},
}}

// Bounds say how large a world is.
type Bounds struct{ Requests int }

// ParseBounds reads "requests=4".
func ParseBounds(text string) (b Bounds, err error) {
	if _, err := fmt.Sscanf(text, "requests=%d", &b.Requests); err != nil || b.Requests < 3 || b.Requests > 9 {
		return b, fmt.Errorf("%q: want requests=N, with 3 to 9 of them", text)
	}
	return b, nil
}

const (
	keys                   = 2
	clientPort, serverPort = 1, 2
)

// Model makes worlds.
type Model struct {
	bounds Bounds
	prog   *program.Program
	entry  *dataplane.Entry
	explore.GoalSet
}

// NewModel makes the model of a world.
func NewModel(b Bounds) (*Model, error) {
	prog, err := program.Load("tally", p4.FS, 0, nil)
	if err != nil {
		return nil, err
	}
	return &Model{
		bounds: b, prog: prog,
		entry: dataplane.NewEntry(prog.IR, names.TableHosts, []uint64{0x02000000000b}, 0, names.ActionForward, serverPort),
		GoalSet: explore.NewGoals(
			[]string{"two requests of one key are counted", "a request comes before the switch knows the server"}, []bool{true, true}),
	}, nil
}

// New implements explore.Model.
func (m *Model) New() (explore.World, error) {
	return &World{m: m, left: m.bounds.Requests, sw: m.prog.Empty, Trail: m.Trail()}, nil
}

// Goals, in the order of their names.
const (
	goalCounted = iota
	goalDropped
)

// Columns implements explore.Model.
func (m *Model) Columns() []string { return []string{"client", "switch"} }

// World is a switch, and what is under way to it.
type World struct {
	m      *Model
	left   int // requests that may be sent
	sw     *interp.State
	knows  bool      // the switch has the controller's entry
	flight [keys]int // requests under way
	got    [keys]int // that the server has
	explore.Trail
}

// Clone implements explore.Cloner.
func (w *World) Clone() explore.World { n := *w; return &n }

// Append implements explore.World.
func (w *World) Append(b []byte) []byte {
	b = append(b, byte(w.left))
	for key := range keys {
		b = append(b, byte(w.flight[key]), byte(w.got[key]))
	}
	return w.sw.Append(b)
}

// rows are the kinds of actions. Their first number is a key.
var rows = explore.Rows[*World]{
	{
		Name: "the controller writes the entry",
		Can:  explore.When(func(w *World) bool { return !w.knows }),
		Do:   func(w *World, _, _, _ int) error { return w.install() },
	},
	{
		Name: "send a request of key %d", Left: func(w *World) *int { return &w.left },
		Can: explore.Each(func(*World) (int, int) { return 0, keys }),
		Do: func(w *World, key, _, _ int) error {
			w.flight[key]++
			return nil
		},
	},
	{
		Name: "deliver a request of key %d",
		Can: func(w *World, can func(a, b, c int)) {
			for key, n := range w.flight {
				if n > 0 {
					can(key, 0, 0)
				}
			}
		},
		Do: func(w *World, key, _, _ int) error { return w.deliver(byte(key)) },
	},
}

// Actions implements explore.World.
func (w *World) Actions(a []explore.Action) []explore.Action { return rows.Actions(w, a) }

// Name implements explore.World.
func (w *World) Name(x explore.Action) string { return rows.Title(w, x) }

// Do implements explore.World.
func (w *World) Do(x explore.Action, note func(explore.Event)) error {
	defer w.Tell(note)()
	w.Line(0, 1, false, "%s", w.Name(x))
	return rows.Do(w, x)
}

// install has the controller write its entry.
func (w *World) install() error {
	w.knows = true
	err := errors.Join(w.m.prog.Restore(w.sw), w.m.prog.Insert(w.m.entry))
	if err == nil {
		w.sw, err = w.m.prog.Snapshot()
	}
	return err
}

// deliver has a request come to the switch, and looks at what it does.
func (w *World) deliver(key byte) error {
	w.flight[key]--
	next, effects, err := w.m.prog.Step(w.sw, clientPort, request(key), 0)
	if err != nil {
		return err
	}
	w.sw = next
	for _, out := range effects.Outs {
		if out.Port != serverPort || !slices.Equal(out.Frame, request(key)) {
			return fmt.Errorf("port %d gets %x", out.Port, out.Frame)
		}
		w.got[key]++
	}
	if len(effects.Outs) == 0 {
		w.Reach(goalDropped)
	}
	fields, err := w.m.prog.Register(names.RegisterRequests, int(key)) // Step leaves the switch in the new state
	if err != nil {
		return err
	}
	if counted := p4rtclient.ToUint(fields[0]); counted != uint64(w.got[key]) {
		return fmt.Errorf("key %d: the switch has counted %d requests, and the server has %d", key, counted, w.got[key])
	}
	if w.got[key] == 2 {
		w.Reach(goalCounted)
	}
	return nil
}

// request is the frame of a request.
func request(key byte) []byte {
	return []byte{
		2, 0, 0, 0, 0, 0xb, 2, 0, 0, 0, 0, 0xa, 8, 0, // Ethernet
		0x45, 0, 0, 29, 0, 0, 0, 0, 64, 17, 0x66, 0xce, 10, 0, 0, 1, 10, 0, 0, 2, // IPv4
		0xc3, 0x50, names.PortTally >> 8, names.PortTally & 0xff, 0, 9, 0, 0, // UDP without a checksum
		key,
	}
}
