package fabric

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/sim/fabric"
)

// systems is what there is.
var systems = fabric.Systems{System}

func example(t testing.TB, name string) *fabric.Scenario {
	text, err := systems.Example(name)
	require.NoError(t, err)
	s, err := systems.Scenario(text)
	require.NoError(t, err)
	return s
}

// Every example runs to its end, conserves frames, and answers nothing that is not held.
func TestExamples(t *testing.T) {
	long.Test(t)
	for _, name := range systems.Examples() {
		t.Run(name, func(t *testing.T) {
			s := example(t, name)
			require.Equal(t, name, s.Name)
			run, err := s.Begin()
			require.NoError(t, err)
			require.NoError(t, run.Finish())
			for _, r := range run.Rows() {
				require.NoError(t, r.Err, r.Load)
				require.Equal(t, r.Requests, r.Done, r.Load)
				require.Zero(t, r.Unheld, r.Load)
			}
			require.NoError(t, run.Fabric.Check())
			var out bytes.Buffer
			require.NoError(t, run.Write(&out))
			t.Log("\n" + out.String())
			out.Reset()
			require.NoError(t, run.CSV(&out))
			rows, err := csv.NewReader(&out).ReadAll()
			require.NoError(t, err)
			require.Len(t, rows, 1+len(run.Loads))
		})
	}
}

func TestScenarioErrors(t *testing.T) {
	const sys = "system: rdma\n"
	const head = sys + "topology: {kind: rack, hosts: 2}\n"
	for text, want := range map[string]string{
		"":                             "empty",
		sys + "topology: {kind: ring}": `kind: "ring"`,
		sys + "topolgy: {}":            "field topolgy not found",
		sys + "topology: {kind: rack}": "hosts: 0",
		head:                           "loads: none given",
		head + "loads: [{form: h1}]":   "field form not found",
		head + "loads: [{from: h1}]":   "no receivers",
		head + "loads: [{from: h1, to: [h2], size: 3}]":                                               "3 bytes",
		head + "loads: [{from: h1, to: [h2], size: 3KK}]":                                             `unit "KK"`,
		head + "loads: [{from: h1, to: [h2], policy: most}]":                                          `policy "most"`,
		head + "loads: [{from: h1, to: [h2], via: air}]":                                              `via "air"`,
		head + "loads: [{from: h1, to: [h2], mtu: 1500}]":                                             "mtu 1500",
		head + "loads: [{from: h1, to: [h2], arrivals: random}]":                                      "random intervals",
		head + "loads: [{from: h1, to: [h2], ack-timeout: 5}]":                                        `unit ""`,
		head + "loads: [{from: h1, to: [h2]}]\nfaults: [{at: 1ms}]":                                   "want a link",
		head + "loads: [{from: h1, to: [h2]}]\nfaults: [{link: h1-s1}]":                               "want down",
		head + "loads: [{from: h1, to: [h2]}]\nfaults: [{link: h1-s1, loss: 120%}]":                   "probability",
		head + "loads: [{from: h1, to: [h2]}]\n---\n{}":                                               "more than one document",
		head + "loads: [{from: h1, to: [h2], name: x}, {from: h1, to: [h2], name: x}]":                "the name is used twice",
		sys + "topology: {kind: fat-tree, k: 3}\nloads: [{from: h1, to: [h2]}]":                       "even",
		sys + "topology: {kind: rack, hosts: 2, controller: {hold: 1us}}\nloads: []":                  "hold",
		head + "loads: [{from: h1, to: [h2], dcqcn: true}]\ndcqcn: {g: 3}":                            "g of 3",
		sys + "topology: {kind: rack, hosts: 2, host-links: {rate: 0Gb/s}}\nloads: []":                "rate of 0",
		sys + "topology: {kind: rack, hosts: 2, host-links: {pfc-stop: 1KB, pfc-go: 2KB}}\nloads: []": "pfc-go",
		sys + "topology: {kind: rack, hosts: 2, clocks: {drift: .nan}}\nloads: []":                    "drift",
	} {
		_, err := systems.Scenario([]byte(text))
		require.ErrorContains(t, err, want, text)
	}
	// What only the network can tell.
	for text, want := range map[string]string{
		head + "loads: [{from: h1, to: [h3]}]":                                      "no host h3",
		head + "loads: [{from: h1, to: [s1]}]":                                      "is not a host",
		head + "loads: [{from: h1, to: [h1]}]":                                      "itself",
		head + "loads: [{from: h1, to: [h2, h2]}]":                                  "twice",
		head + "loads: [{from: h1, to: [h2]}]\nfaults: [{link: h1-s2, down: true}]": "no link h1-s2",
	} {
		s, err := systems.Scenario([]byte(text))
		require.NoError(t, err, text)
		_, err = s.Begin()
		require.ErrorContains(t, err, want, text)
	}
	for text, want := range map[string]string{
		sys + "topology: {kind: rack, hosts: 2, links: {h1-s1: {rat: 1}}}":                         "field rat not found",
		sys + "topology: {kind: rack, hosts: 2, links: {h1-s1: {rate: fast}}}":                     "does not begin with a number",
		head + "loads: [{from: h1, to: [h2], repeat: 70000}]":                                      "repeat and step",
		head + "loads: [{from: h1, to: [h2], repeat: 50000}, {from: h2, to: [h1], repeat: 50000}]": "more than",
	} {
		_, err := systems.Scenario([]byte(text))
		require.ErrorContains(t, err, want, text)
	}
	for text, want := range map[string]string{
		sys + "topology: {kind: rack, hosts: 2, links: {h9-s1: {rate: 1Gb/s}}}\nloads: [{from: h1, to: [h2]}]": "no link h9-s1",
		sys + "topology: {kind: rack, hosts: 2, links: {h1-s1: {rate: 0Gb/s}}}\nloads: [{from: h1, to: [h2]}]": "rate of 0",
	} {
		s, err := systems.Scenario([]byte(text))
		require.NoError(t, err, text)
		_, err = s.Begin()
		require.ErrorContains(t, err, want, text)
	}
	// What only the run can tell: a group at a switch that makes none.
	s, err := systems.Scenario([]byte(sys + "topology: {kind: rack, hosts: 2, edge: plain}\nloads: [{from: h1, to: [h2]}]"))
	require.NoError(t, err)
	run, err := s.Begin()
	require.NoError(t, err)
	require.NoError(t, run.Finish())
	require.ErrorContains(t, run.Loads[0].Result.Err, "forms groups")
}

// A load that is repeated goes round the hosts; a link may be another than the rest.
func TestRepeatAndLinks(t *testing.T) {
	s, err := systems.Scenario([]byte(`
system: rdma
topology: {kind: rack, hosts: 6, edge: plain, host-links: {rate: 40Gb/s}, links: {h2-s1: {rate: 1Gb/s}}}
loads: [{name: x, via: fan-out, from: h1, to: [h2], count: 20, repeat: 5}, {name: y, via: fan-out, from: h1, to: [h2], count: 1, repeat: 2, step: 1}]
`))
	require.NoError(t, err)
	run, err := s.Begin()
	require.NoError(t, err)
	var got []string
	for _, l := range run.Loads {
		got = append(got, l.Config.Name+" "+l.Config.From+" "+l.Config.To[0])
	}
	require.Equal(t, []string{"x-1 h1 h2", "x-2 h3 h4", "x-3 h5 h6", "x-4 h1 h2", "x-5 h3 h4", "y-1 h1 h2", "y-2 h2 h3"}, got)
	require.EqualValues(t, 1e9, run.Fabric.Links[1].Config.Rate)
	require.EqualValues(t, 40e9, run.Fabric.Links[2].Config.Rate)
	require.NoError(t, run.Finish())
	rows := run.Rows()
	require.Greater(t, rows[1].Goodput, 5*rows[0].Goodput, "the slow link is slow")
}

// Whatever the text, it is a scenario that can begin, or an error.
func FuzzScenario(f *testing.F) {
	for _, name := range systems.Examples() {
		text, err := systems.Example(name)
		require.NoError(f, err)
		f.Add(string(text))
	}
	f.Add("system: rdma\ntopology: {kind: rack, hosts: 2}\nloads: [{from: h1, to: [h2]}]")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := systems.Scenario([]byte(text))
		if err != nil {
			require.False(t, strings.Contains(err.Error(), "fabric."), "the error speaks of Go: %v", err)
			return
		}
		if t := &s.Topology; t.K > 2 || t.Edge == Program || t.Hosts*max(1, t.Leaves) > 16 || t.Leaves*t.Spines > 16 {
			return // takes long
		}
		for _, l := range s.Loads {
			if l.Size > 4096 || l.Outstanding > 16 || len(l.To) > 8 || l.Repeat > 4 || len(s.Loads) > 8 {
				return
			}
		}
		if run, err := s.Begin(); err == nil {
			n := 0
			_ = run.Fabric.RunWhile(fabric.Time(s.Until), func() bool { n++; return n < 500 })
			require.NoError(t, run.Fabric.Check())
		}
	})
}
