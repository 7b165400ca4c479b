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
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
	names "github.com/p4ce/p4ce/p4/tally"
	"github.com/p4ce/p4ce/sim/explore"
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

// Kinds of actions. An action is kind<<8 | key.
const (
	aInstall = iota
	aRequest
	aDeliver
)

// Model makes worlds.
type Model struct {
	bounds   Bounds
	target   *interp.Target
	requests *ir.Register
	empty    *interp.State // no host is known
	entry    *dataplane.Entry
}

// NewModel makes the model of a world.
func NewModel(b Bounds) (*Model, error) {
	prog, diags := lang.Compile(lang.Options{Path: p4.Source("tally"), FS: p4.FS})
	if diags.HasErrors() {
		return nil, diags.Err()
	}
	m := &Model{bounds: b, target: interp.New(interp.Options{}), requests: dataplane.RegisterOf(prog, names.RegisterRequests)}
	if err := m.target.Load(&dataplane.Pipeline{Program: prog}); err != nil {
		return nil, err
	}
	m.entry = dataplane.NewEntry(prog, names.TableHosts, []uint64{0x02000000000b}, 0, names.ActionForward, serverPort)
	var err error
	m.empty, err = m.target.Snapshot()
	return m, err
}

// New implements explore.Model.
func (m *Model) New() (explore.World, error) {
	return &World{m: m, left: m.bounds.Requests, sw: m.empty}, nil
}

// Goals, by their bits.
const (
	goalCounted = iota
	goalDropped
)

// Goals implements explore.Model.
func (m *Model) Goals() []string {
	return []string{"two requests of one key are counted", "a request comes before the switch knows the server"}
}

// Columns implements explore.Model.
func (m *Model) Columns() []string { return []string{"client", "switch"} }

// World is a switch, and what is under way to it.
type World struct {
	m       *Model
	left    int // requests that may be sent
	sw      *interp.State
	knows   bool      // the switch has the controller's entry
	flight  [keys]int // requests under way
	got     [keys]int // that the server has
	reached uint64
}

// Clone implements explore.Cloner.
func (w *World) Clone() explore.World { n := *w; return &n }

// Reached implements explore.World.
func (w *World) Reached() uint64 { return w.reached }

// Append implements explore.World.
func (w *World) Append(b []byte) []byte {
	b = append(b, byte(w.left))
	for key := range keys {
		b = append(b, byte(w.flight[key]), byte(w.got[key]))
	}
	return w.sw.Append(b)
}

// Actions implements explore.World.
func (w *World) Actions(a []explore.Action) []explore.Action {
	if !w.knows {
		a = append(a, aInstall<<8)
	}
	for key := range keys {
		if w.left > 0 {
			a = append(a, explore.Action(aRequest<<8|key))
		}
		if w.flight[key] > 0 {
			a = append(a, explore.Action(aDeliver<<8|key))
		}
	}
	return a
}

// Name implements explore.World.
func (w *World) Name(x explore.Action) string {
	switch x >> 8 {
	case aInstall:
		return "the controller writes the entry"
	case aRequest:
		return fmt.Sprintf("send a request of key %d", x&0xff)
	}
	return fmt.Sprintf("deliver a request of key %d", x&0xff)
}

// Do implements explore.World.
func (w *World) Do(x explore.Action, note func(explore.Event)) error {
	if note != nil {
		note(explore.Event{From: 0, To: 1, Text: w.Name(x)})
	}
	switch key := byte(x); x >> 8 {
	case aRequest:
		w.left--
		w.flight[key]++
	case aDeliver:
		w.flight[key]--
		return w.deliver(key)
	default:
		return w.install()
	}
	return nil
}

// install has the controller write its entry.
func (w *World) install() error {
	w.knows = true
	err := errors.Join(w.m.target.Restore(w.sw), w.m.target.Insert(w.m.entry))
	if err == nil {
		w.sw, err = w.m.target.Snapshot()
	}
	return err
}

// deliver has a request come to the switch, and looks at what it does.
func (w *World) deliver(key byte) error {
	next, effects, err := w.m.target.Step(w.sw, clientPort, request(key), 0)
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
		w.reached |= 1 << goalDropped
	}
	fields, err := w.m.target.ReadRegister(w.m.requests, int(key)) // Step leaves the target in the new state
	if err != nil {
		return err
	}
	if counted := p4rtclient.ToUint(fields[0]); counted != uint64(w.got[key]) {
		return fmt.Errorf("key %d: the switch has counted %d requests, and the server has %d", key, counted, w.got[key])
	}
	if w.got[key] == 2 {
		w.reached |= 1 << goalCounted
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
