package fabric

import (
	"bytes"
	"encoding/csv"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var systems = Systems{echo}

// A scenario of a system that the engine does not know runs to its end, with the system's keys, columns
// and properties.
func TestSystem(t *testing.T) {
	require.Equal(t, []string{"echo"}, systems.Examples())
	text, err := systems.Example("echo")
	require.NoError(t, err)
	_, err = systems.Example("../echo")
	require.ErrorContains(t, err, "no such example [examples: echo]")
	s, err := systems.Scenario(text)
	require.NoError(t, err)
	run, err := s.Begin()
	require.NoError(t, err)
	var trace, table, file bytes.Buffer
	run.Fabric.Tap(run.Fabric.NewTrace(&trace))
	require.NoError(t, run.Finish())
	require.Contains(t, trace.String(), "type 0x0800")
	require.NoError(t, run.Write(&table))
	t.Log("\n" + table.String())
	require.Regexp(t, `load +colour +size +done .* max +sent +connected`, table.String())
	require.Regexp(t, `a +blue +500 +100/100 `, table.String())
	require.NoError(t, run.CSV(&file))
	rows, err := csv.NewReader(&file).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 1+len(run.Loads))
	require.Equal(t, "load from colour hidden receivers", strings.Join(rows[0][:5], " "))
	require.Equal(t, "sent marked unheld", strings.Join(rows[0][len(rows[0])-3:], " "))
	require.Equal(t, "a h1 blue x 1", strings.Join(rows[1][:5], " "))

	run.Fabric.instance.(*echoes).broken = errors.New("an echo of nothing")
	require.ErrorContains(t, run.Finish(), "an echo of nothing", "the system's properties are looked at")
}

func TestScenarioErrors(t *testing.T) {
	const head = "system: echo\ntopology: {kind: rack, hosts: 2}\n"
	for text, want := range map[string]string{
		"":                               "empty",
		"topology: {}":                   "system: missing [want echo]",
		"system: air":                    `system: "air": want echo`,
		"system: [echo]":                 "cannot unmarshal",
		"system: echo\ntopology: 3":      "cannot unmarshal !!int `3` into scenario",
		"system: echo\nagain: {}":        "want one value",
		"system: echo\nagain: 0":         "again: want more than 0",
		"system: echo\ntopolgy: {}":      "field topolgy not found in type scenario",
		"system: echo\ntopology: {x: 1}": "field x not found in type scenario",
		"system: echo\ntopology: {kind: rack, hosts: 2, edge: echo}": `edge: "echo": want plain`,
		head + "loads: [{form: h1}]":                                 "line 3: field form not found in type scenario",
		head + "loads: [{from: h1, to: [h2], size: 5000}]":           "at most 4000 bytes",
		head + "loads: [{from: h1, to: [h2], size: 10}]":             "10 bytes",
		head + "loads: 3":   "cannot unmarshal",
		head + "loads: [3]": "cannot unmarshal",
		head + "---\n{}":    "more than one document",
		head:                "loads: none given",
	} {
		_, err := systems.Scenario([]byte(text))
		require.ErrorContains(t, err, want, text)
	}
	require.ErrorContains(t, func() error { _, err := New(1).NewLoad(0, LoadConfig{}, nil); return err }(), "no system")
	f := New(1)
	require.NoError(t, f.Build(rack(1)))
	require.ErrorContains(t, f.Use(echo, nil), "too late")
	_, err := f.NewP4Switch("s2", P4SwitchConfig{})
	require.ErrorContains(t, err, "no system with a program")
}

// lossyRack loses, doubles and spoils what it carries, under clocks that are wrong.
func lossyRack() TopologyConfig {
	c := rack(4)
	c.HostLink.Faults = Faults{Loss: 0.01, Duplicate: 0.01, Corrupt: 0.01}
	c.HostClock = func(n int) Clock { return Clock{Offset: Time(n) * Millisecond, Drift: int64(n) * 10000} }
	return c
}

// Frames are conserved, whatever happens to them; one seed gives one result.
func TestConservation(t *testing.T) {
	run := func(seed uint64) (uint64, HalfCounters) {
		f, loads := echoing(t, seed, lossyRack())
		x := NewHash()
		f.Tap(x)
		require.NoError(t, f.RunWhile(Second, func() bool { return !loads[0].Over() || !loads[1].Over() || !loads[2].Over() }))
		require.NoError(t, f.Check())
		var c HalfCounters
		for _, l := range f.Links {
			for _, h := range l.Half {
				c.Lost, c.Duplicated, c.Corrupted = c.Lost+h.Count.Lost, c.Duplicated+h.Count.Duplicated, c.Corrupted+h.Count.Corrupted
			}
		}
		return x.Sum(), c
	}
	a, c := run(1)
	require.NotZero(t, c.Lost)
	require.NotZero(t, c.Duplicated)
	require.NotZero(t, c.Corrupted)
	b, _ := run(1)
	require.Equal(t, a, b)
	b, _ = run(2)
	require.NotEqual(t, a, b)
}

// lost counts what queues had no room for.
func lost(f *Fabric) (n uint64) {
	for _, l := range f.Links {
		n += l.Half[0].Count.DropFull + l.Half[1].Count.DropFull
	}
	return n
}

// A full queue drops, PFC keeps it from being full, and those that are stopped go on.
func TestPFC(t *testing.T) {
	c := rack(8)
	c.HostLink.Queue = 100 << 10
	f, _ := echoed(t, 1, c)
	require.NotZero(t, lost(f), "without PFC the queue runs over")
	// 5 KiB of each sender, and what comes until it has stopped, fit in; all that is under way does not.
	c.HostLink.PFCStop, c.HostLink.PFCGo, c.HostLink.Queue = 5<<10, 2<<10, 200<<10
	f, _ = echoed(t, 1, c)
	require.Zero(t, lost(f))
	var n HalfCounters
	for _, l := range f.Links {
		n.Pauses, n.Paused = n.Pauses+l.Half[0].Count.Pauses, n.Paused+l.Half[0].Count.Paused
	}
	require.NotZero(t, n.Pauses)
	require.NotZero(t, n.Paused)
}

// Queues mark what finds them longer than they may be, and nothing else.
func TestECN(t *testing.T) {
	marks := func(change func(l *LinkConfig)) (n uint64) {
		c := rack(8)
		change(&c.HostLink)
		f, _ := echoed(t, 1, c)
		var seen uint64
		for _, h := range f.Hosts {
			seen += h.endpoint.(*echoEnd).marked
		}
		for _, l := range f.Links {
			for _, h := range l.Half {
				n += h.Count.Marked
				require.True(t, h.Count.Marked == 0 || h.Peak >= 50<<10, "%s marks below the threshold", h.Name)
			}
		}
		require.LessOrEqual(t, n, seen, "an answer carries its request's mark")
		return n
	}
	require.Zero(t, marks(func(*LinkConfig) {}))
	all := marks(func(l *LinkConfig) { l.ECNMin = 50 << 10 })
	require.NotZero(t, all)
	some := marks(func(l *LinkConfig) { l.ECNMin, l.ECNMax, l.ECNChance = 50<<10, 1<<20, 0.5 })
	require.NotZero(t, some)
	require.Less(t, some, all)
}

// Whatever the text, it is a scenario that can begin, or an error.
func FuzzScenario(f *testing.F) {
	text, err := systems.Example("echo")
	require.NoError(f, err)
	f.Add(string(text))
	f.Add("system: echo\ntopology: {kind: rack, hosts: 2}\nloads: [{from: h1, to: [h2]}]")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := systems.Scenario([]byte(text))
		if err != nil {
			require.NotContains(t, err.Error(), "fabric.", "the error speaks of Go")
			return
		}
		if t := &s.Topology; t.K > 2 || t.Hosts*max(1, t.Leaves) > 16 || t.Leaves*t.Spines > 16 {
			return // takes long
		}
		for _, l := range s.Loads {
			if l.Outstanding > 16 || l.Repeat > 4 || len(s.Loads) > 8 {
				return
			}
		}
		if run, err := s.Begin(); err == nil {
			n := 0
			_ = run.Fabric.RunWhile(Time(s.Until), func() bool { n++; return n < 500 })
			require.NoError(t, run.Fabric.Check())
		}
	})
}
