package control

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/dataplane"
	names "github.com/p4ce/p4ce/p4/paxos"
	"github.com/p4ce/p4ce/systems/paxos"
)

// twoConfig is the paper's testbed: two switches with three acceptors. l has two of them.
const twoConfig = `{
  "controller": {"address": "10.0.0.250", "mac": "02:00:00:00:00:fa"},
  "switches": [
    {"name": "t", "p4runtime": "t", "mac": "02:00:00:00:01:01", "learner": "10.0.2.1", "acceptor": "10.0.1.1"},
    {"name": "l", "p4runtime": "l", "mac": "02:00:00:00:01:02", "acceptor": "10.0.1.2", "places": [{"name": "l2", "acceptor": "10.0.1.3"}]}
  ],
  "links": [["t:1", "l:1"], ["t:2", "l:2"]],
  "hosts": [
    {"name": "p1", "at": "t:10", "address": "10.0.3.1", "mac": "02:00:00:00:03:01"},
    {"name": "r1", "at": "t:11", "address": "10.0.3.2", "mac": "02:00:00:00:03:02"},
    {"name": "r2", "at": "t:12", "address": "10.0.3.3", "mac": "02:00:00:00:03:03"}
  ],
  "applications": [{
    "name": "log", "leader": {"address": "10.0.0.100", "mac": "02:00:00:00:00:64"},
    "leaders": ["l", "t"], "acceptors": ["t", "l", "l2"], "learners": ["t"], "replicas": ["r1", "r2"], "proposers": ["p1"]
  }]
}`

// placesConfig has an acceptor on the switch that leads, and a spare on the one that learns, neither of which is one by itself. The first
// neighbour of the leader, a3, has no role.
var placesConfig = strings.NewReplacer(
	`"name": "l", `, `"name": "l", "places": [{"name": "lp", "acceptor": "10.0.1.8"}], `,
	`"name": "t", `, `"name": "t", "places": [{"name": "tp", "acceptor": "10.0.1.9"}], `,
	`"acceptors": ["a1", "a2", "a3"], "spares": ["a4"]`, `"acceptors": ["a1", "a2", "lp"], "spares": ["tp"]`,
	`, ["a3:2", "l:5"]`, "", `"links": [`, `"links": [["a3:2", "l:5"], `,
).Replace(redundantConfig)

// oneConfig has all three acceptors on the switch that leads and learns, which says to itself what it says to two of them.
var oneConfig = strings.NewReplacer(
	`"acceptor": "10.0.1.1"`, `"acceptor": "10.0.1.1", "places": [{"name": "t2", "acceptor": "10.0.1.4"}, {"name": "t3", "acceptor": "10.0.1.5"}], "loop": [3, 4]`,
	`"leaders": ["l", "t"]`, `"leaders": ["t"]`, `["t", "l", "l2"]`, `["t", "t2", "t3"]`,
).Replace(twoConfig)

func begin(t *testing.T, config string) *simWorld {
	w, err := newWorld(config, 1)
	require.NoError(t, err)
	w.settle(50 * time.Millisecond)
	for range 2 * testRing {
		w.submit(t)
	}
	return w
}

// voted is how many votes the registers of an acceptor have.
func (w *simWorld) voted(t *testing.T, name string) (n int) {
	d, number := w.at(Member{Switch: name})
	for i := range testRing {
		cell, err := d.target.ReadRegister(dataplane.RegisterOf(d.program, names.RegisterVoted), number*testRing+i)
		require.NoError(t, err)
		if cell[1][len(cell[1])-1] != 0 {
			n++
		}
	}
	return n
}

// TestTwoSwitches: three acceptors on two switches, each with registers of its own, whoever leads.
func TestTwoSwitches(t *testing.T) {
	w := begin(t, twoConfig)
	for _, leader := range []string{"l", "t", "l"} {
		require.NoError(t, w.core.Lead(w.now, "log", leader))
		w.settle(50 * time.Millisecond)
		require.Contains(t, w.leaders(), leader)
		for range testRing {
			w.submit(t)
		}
		for _, a := range []string{"t", "l", "l2"} {
			require.Equal(t, testRing, w.voted(t, a), "%s has voted in each instance, when %s leads", a, leader)
		}
	}
	in := w.core.Info()[0]
	require.Equal(t, "l", in.Acceptors[2].On)
	require.Equal(t, "ready", in.Acceptors[2].State)

	// What a switch loses, all of its places lose: of three acceptors two are too many.
	w.restart("l")
	w.settle(2 * w.conf.Timing.Replace)
	w.good(t)
	in = w.core.Info()[0]
	require.Equal(t, "waiting", in.State)
	require.Equal(t, "acceptors: l, l2", in.Waiting)
	require.Equal(t, "forgotten", in.Acceptors[1].State)
	require.Equal(t, "forgotten", in.Acceptors[2].State)
}

// TestOneSwitch: three acceptors on one switch, each with registers of its own, of which any two are enough; what they say to each other
// passes no other switch. One switch is no more than one, though: without it, or when it forgets, there is none.
func TestOneSwitch(t *testing.T) {
	w := begin(t, oneConfig)
	for range testRing {
		w.submit(t)
	}
	for _, a := range []string{"t", "t2", "t3"} {
		require.Equal(t, testRing, w.voted(t, a), "%s has voted in each instance", a)
	}
	for _, a := range w.core.Info()[0].Acceptors {
		require.Equal(t, "ready", a.State)
	}
	cable := topology.Place{Switch: "t", Port: 3}
	w.failed[cable] = silent
	w.seq++
	w.request(w.seq)
	w.settle(50 * time.Millisecond)
	w.good(t)
	require.False(t, w.acked[w.seq], "one of three is no majority")
	delete(w.failed, cable)
	w.submit(t)
	w.kill("l") // by which the controller asks acceptors, and nothing else goes
	w.submit(t)

	w.restart("t")
	w.settle(2 * w.conf.Timing.Replace)
	w.good(t)
	require.Equal(t, "acceptors: t, t2, t3", w.core.Info()[0].Waiting)
}

// TestPlacesCount: the votes of places are needed: of one on the switch that leads, and of one on the switch that learns, which
// replaces an acceptor that is lost. Both get what they say to their own switch by way of another one.
func TestPlacesCount(t *testing.T) {
	w := begin(t, placesConfig)
	w.kill("a2")
	for range 3 {
		w.submit(t) // by a1 and lp
	}
	w.settle(3 * w.conf.Timing.Replace)
	require.Equal(t, []string{"a1", "tp", "lp"}, w.acceptors())
	w.submit(t)
	w.kill("a1")
	for range 3 {
		w.submit(t) // by tp and lp
	}
	gaps := w.core.Info()[0].Stats.Gaps
	w.kill("a3")
	w.submit(t) // around by somebody else, at once
	require.Equal(t, gaps, w.core.Info()[0].Stats.Gaps)
	require.Equal(t, map[string]uint32{"l": w.durable.active.Round}, w.leaders())
	w.failLink("t", "l", portDown)
	w.settle(2 * w.conf.Timing.Hold) // the dead ones are silent
	for range 3 {
		w.submit(t)
	}
}

// TestPlaceAtHost: a host cannot tell a place of its own switch what to vote for, nor vote in its name.
func TestPlaceAtHost(t *testing.T) {
	w := begin(t, strings.NewReplacer(`"acceptor": "10.0.1.1"`, `"places": [{"name": "t2", "acceptor": "10.0.1.4"}]`, `["t", "l", "l2"]`, `["t2", "l", "l2"]`).Replace(twoConfig))
	place, sw, leader := w.conf.Switches["t2"], w.conf.Switches["t"], w.conf.Apps[0].Leader
	next := w.durable.first + 5
	delivered := func(port uint16, from, to Address, m paxos.Message) (voted, delivered bool) {
		frame, err := appendDatagram(nil, from, to, Port(0), &m)
		require.NoError(t, err)
		outs, err := w.devices["t"].target.Inject(dataplane.Port(port), frame)
		require.NoError(t, err)
		for _, o := range outs {
			d, ok := parseDatagram(o.Frame)
			voted, delivered = voted || ok && d.Kind == paxos.Vote, delivered || ok && d.Kind == paxos.Deliver
		}
		return voted, delivered
	}
	accept := paxos.Message{Kind: paxos.Accept, Instance: next, Round: 1, Client: 7, Sequence: 900, Value: []byte("v")}
	vote := accept
	vote.Kind, vote.VoteRound = paxos.Vote, 1
	for _, port := range []uint16{10, 11, 12, 14, 1} {
		voted, _ := delivered(port, leader, Address{place.MAC, place.Acceptor}, accept)
		require.Equal(t, port == 1, voted, "by port %d", port)
		one := false
		for i, from := range []*Switch{place, w.conf.Switches["l"]} {
			vote.Acceptor = uint8(i)
			_, got := delivered(port, Address{from.MAC, from.Acceptor}, Address{sw.MAC, sw.Learner}, vote)
			one = one || got
		}
		require.Equal(t, port == 1, one, "by port %d", port)
	}
}

// TestRandomPlaces is TestRandomLinks with places.
func TestRandomPlaces(t *testing.T) {
	for seed := *first; seed < *first+uint64(*seeds); seed++ {
		config := placesConfig
		switch seed % 4 {
		case 0:
			config = twoConfig
		case 1:
			config = oneConfig
		}
		w, err := newWorld(config, seed)
		require.NoError(t, err)
		w.links, w.late = true, seed%2 == 0
		w.startController()
		w.walk()
		w.good(t)
	}
}

func TestPlaceErrors(t *testing.T) {
	for _, tt := range []struct{ old, new, want string }{
		{`"acceptor": "10.0.1.1"`, `"acceptor": "10.0.1.1", "loop": [3]`, "switch t: loop: want the two ports that a cable joins, not 1 of them"},
		{`"acceptor": "10.0.1.1"`, `"acceptor": "10.0.1.1", "loop": [3, 4, 5]`, "switch t: loop: want the two ports that a cable joins, not 3 of them"},
		{`"acceptor": "10.0.1.1"`, `"acceptor": "10.0.1.1", "loop": [3, 511]`, "switch t: loop: port 511 [want 1 to 510]"},
		{`"acceptor": "10.0.1.1"`, `"acceptor": "10.0.1.1", "loop": [3, 2]`, "switch t: loop: port 2 leads to l:2"},
		{`"acceptor": "10.0.1.1"`, `"acceptor": "10.0.1.1", "loop": [12, 3]`, "switch t: loop: port 12 leads to host r2"},
		{`"acceptor": "10.0.1.1"`, `"acceptor": "10.0.1.1", "pipes": ["0=1-16", "1=17-32"], "loop": [17, 18]`, "switch t: "},
		{`"name": "l2"`, `"name": "t"`, `place "t" of switch l: want a name that no switch and no other place has`},
		{`"name": "l2"`, `"name": "p1"`, `place p1 of switch l: a host has that name`},
		{`"acceptor": "10.0.1.3"`, `"acceptor": "10.0.1.1"`, "address 10.0.1.1 is that of"},
		{`"acceptor": "10.0.1.3"`, `"acceptor": ""`, "place l2"},
		{`"leaders": ["l", "t"]`, `"leaders": ["l2"]`, "leaders: l2 is a place for an acceptor, on switch l"},
		{`"learners": ["t"]`, `"learners": ["l2"]`, "learners: l2 is a place for an acceptor, on switch l"},
		{`"places": [`, `"places": [{"name": "l3", "acceptor": "10.0.1.4"}, {"name": "l4", "acceptor": "10.0.1.5"}, {"name": "l5", "acceptor": "10.0.1.6"}, `, "place l2 of switch l: takes the registers of an application"},
		{`"applications": [`, `"applications": [{
    "name": "other", "leader": {"address": "10.0.0.101", "mac": "02:00:00:00:00:65"}, "leaders": ["t"], "acceptors": ["l2"], "learners": ["t"], "replicas": ["r1"]
  }, `, "application log: place l2 is already other's"},
	} {
		text := strings.Replace(twoConfig, tt.old, tt.new, 1)
		require.NotEqual(t, twoConfig, text, tt.old)
		_, err := ParseConfig([]byte(text))
		require.ErrorContains(t, err, tt.want)
	}
}
