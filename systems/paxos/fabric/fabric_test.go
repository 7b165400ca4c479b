package fabric

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/frames"
)

var systems = fabric.Systems{System}

func scenario(t testing.TB, text string) *fabric.Scenario {
	t.Helper()
	s, err := systems.Scenario([]byte(text))
	require.NoError(t, err)
	return s
}

func begin(t testing.TB, text string) (*fabric.Run, *Network) {
	t.Helper()
	run, err := scenario(t, text).Begin()
	require.NoError(t, err)
	return run, run.Fabric.System().(*Network)
}

// Scenarios that come with the system run to their end.
func TestScenarios(t *testing.T) {
	for _, name := range systems.Examples() {
		t.Run(name, func(t *testing.T) {
			text, err := systems.Example(name)
			require.NoError(t, err)
			run, n := begin(t, string(text))
			require.NoError(t, run.Finish())
			for _, row := range run.Rows() {
				require.NoError(t, row.Err, row.Load)
				require.Equal(t, row.Requests, row.Done, row.Load)
			}
			// Who has lost something is given the time to ask for it.
			require.NoError(t, n.RunWhile(n.Now()+fabric.Second, func() bool { return n.Agree() != "" }))
			require.Empty(t, n.Agree())
			require.NoError(t, n.Check())
			require.NotZero(t, n.log.judged)
		})
	}
}

const good = `name: x
system: paxos
topology: {kind: leaf-spine, core: paxos, leaves: 2, spines: 1, hosts: 2}
applications:
  - {name: log, leaders: [spine1], acceptors: [leaf1, leaf2, spine1], learners: [leaf2], replicas: [h3], proposers: [h1]}
loads:
  - {name: a, from: h1, size: 64, count: 10}
`

const hosts = `name: x
system: paxos
topology: {kind: leaf-spine, edge: plain, leaves: 2, spines: 1, hosts: 3}
applications:
  - {name: log, leaders: [h1], acceptors: [h2, h4, h5], learners: [h3], replicas: [h3], proposers: [h6], controller: h2}
loads:
  - {name: a, from: h6, size: 64, count: 10}
`

// What a scenario says that cannot be.
func TestBadScenarios(t *testing.T) {
	for _, text := range []string{good, hosts} {
		run, n := begin(t, text)
		require.NoError(t, run.Finish())
		require.True(t, run.Over())
		require.Empty(t, n.Agree())
	}
	for _, c := range []struct{ text, old, new, want string }{
		{good, "applications:\n  - {name: log, leaders: [spine1], acceptors: [leaf1, leaf2, spine1], learners: [leaf2], replicas: [h3], proposers: [h1]}\n", "", "applications: missing"},
		{good, "size: 64", "size: 65", "values of 65 bytes: want at most 64"},
		{good, "from: h1, size", "from: h1, to: [h3], size", "the system's own keys say who receives"},
		{good, "leaders: [spine1]", "leaders: [nobody]", `"nobody": does not exist`},
		{good, "leaders: [spine1]", "leaders: [h2]", "either all in switches, or all at hosts"},
		{good, "replicas: [h3]", "replicas: [h9]", `no host "h9"`},
		{good, "replicas: [h3]", "replicas: [leaf1]", `no host "leaf1"`},
		{good, "proposers: [h1]", "controller: h2", "controller: is of roles at hosts"},
		{good, "proposers: [h1]", "instances: 65537", "65537 instances: want at most 65536"},
		{good, "core: paxos", "core: plain", "switch spine1 is plain"},
		{good, "name: log", "name: ''", "want a unique name"},
		{good, "loads:", "window: 1025\nloads:", "window: 1025: want 1 to 1024"},
		{good, "loads:", "retry: 0\nloads:", "want more than 0"},
		{good, "loads:", "checkpoint: 0\nloads:", "checkpoint: 0 instances"},
		{good, "loads:", "kill: {h9: 1ms}\nloads:", "kill: no host h9"},
		{good, "loads:", "traffic: [{from: h9, to: h1}]\nloads:", `traffic 1: no host "h9"`},
		{good, "loads:", "traffic: [{from: h1, to: h1}]\nloads:", "traffic 1: h1 sends to itself"},
		{good, "loads:", "traffic: [{from: h1, to: h2, size: 59}]\nloads:", "traffic 1: frames of 59 bytes"},
		{hosts, "controller: h2", "controller: s9", `no host "s9"`},
		{hosts, ", controller: h2", "", "controller: missing"},
		{hosts, "edge: plain", "core: paxos", "no application has roles in switches"},
		{hosts, "acceptors: [h2, h4, h5]", "acceptors: [h2, h2, h5]", "h2 is twice a acceptor"},
		{hosts, "proposers: [h6]", "spares: [h6]", "acceptors at hosts are not replaced"},
	} {
		require.Contains(t, c.text, c.old)
		s, err := systems.Scenario([]byte(strings.Replace(c.text, c.old, c.new, 1)))
		if err == nil {
			_, err = s.Begin()
		}
		require.ErrorContains(t, err, c.want, c.new)
	}
	for _, c := range []struct{ old, new, want string }{
		{"from: h1, size", "from: h2, size", "host h2 is not a proposer of log"},
		{"from: h1, size", "from: h1, application: other, size", `no application "other"`},
	} {
		require.Contains(t, good, c.old)
		run, _ := begin(t, strings.Replace(good, c.old, c.new, 1))
		require.NoError(t, run.Finish())
		require.ErrorContains(t, run.Loads[0].Result.Err, c.want)
	}
}

// One seed gives one result, also when the controller acts.
func TestSame(t *testing.T) {
	var hashes []uint64
	for range 2 {
		text, err := systems.Example("paxos-fat-tree")
		require.NoError(t, err)
		run, n := begin(t, string(text))
		x, _ := n.Node("agg7")
		n.At(30*fabric.Millisecond, func() { n.SwitchForgets(x.(*fabric.P4Switch)) })
		require.NoError(t, run.Finish())
		require.NoError(t, n.Run(n.Now()+100*fabric.Millisecond))
		hashes = append(hashes, run.Hash.Sum())
	}
	require.Equal(t, hashes[0], hashes[1])
}

// A replica that has lost the last value gets it, also if all that its acceptors say again is no news to the learner on their switch.
func TestLastValue(t *testing.T) {
	run, n := begin(t, `name: x
system: paxos
topology: {kind: leaf-spine, core: paxos, leaves: 1, spines: 1, hosts: 2}
report: 5ms
applications:
  - {name: log, leaders: [leaf1], acceptors: [leaf1], learners: [leaf1], replicas: [h1, h2]}
loads:
  - {name: a, from: h1, size: 64, count: 3, outstanding: 1, interval: 1ms}
`)
	require.NoError(t, n.RunWhile(fabric.Second, func() bool { return len(n.log.logs[n.apps[0]].log) < 2 }))
	l, _ := n.Link("h2-leaf1")
	n.SetDown(l, true)
	require.NoError(t, run.Finish())
	require.True(t, run.Over())
	n.SetDown(l, false)
	require.NotEmpty(t, n.Agree())
	require.NoError(t, n.RunWhile(n.Now()+fabric.Second, func() bool { return n.Agree() != "" }))
	require.Empty(t, n.Agree())
}

// A host that leads dies, and another one leads: what was under way is answered.
func TestHostLeads(t *testing.T) {
	run, n := begin(t, strings.Replace(strings.Replace(hosts, "leaders: [h1]", "leaders: [h1, h5]", 1), "count: 10", "count: 300, interval: 10us", 1))
	require.NoError(t, n.RunWhile(fabric.Second, func() bool { return len(n.log.logs[n.apps[0]].log) < 100 }))
	x, _ := n.Node("h1")
	n.Kill(x.(*fabric.Host))
	n.LeadHost(0, 1)
	require.NoError(t, run.Finish())
	require.True(t, run.Over())
	require.EqualValues(t, 2, n.apps[0].cluster.control.Stats().Round)
	require.Empty(t, n.Agree())
}

// The time that programs take is that of each message on its way: of the request, the leader, the acceptor, the learner and the replica, which are one process, and of
// the answer.
func TestWork(t *testing.T) {
	took := func(work string) fabric.Time {
		text := strings.Replace(hosts, "topology: {", "topology: {interfaces: {cpu: {request: "+work+", completion: "+work+"}}, ", 1)
		text = strings.Replace(text, "acceptors: [h2, h4, h5]", "acceptors: [h2]", 1)
		run, _ := begin(t, strings.Replace(text, "count: 10", "count: 1", 1))
		require.NoError(t, run.Finish())
		require.Equal(t, 1, run.Loads[0].Result.Done)
		return run.Loads[0].Result.Last - run.Loads[0].Result.First
	}
	require.Equal(t, 5*10*fabric.Microsecond, took("10us")-took("0"), "proposed, given an instance, voted for, counted and applied, answered")
}

// The ledger notices what must not be.
func TestLedger(t *testing.T) {
	run, n := begin(t, strings.Replace(good, "replicas: [h3]", "replicas: [h3, h4]", 1))
	require.NoError(t, run.Finish())
	require.NoError(t, n.RunWhile(n.Now()+fabric.Second, func() bool { return n.Agree() != "" }))
	a := n.apps[0]
	of := func(name string) *member {
		x, _ := n.Node(name)
		return n.member(x.(*fabric.Host), 0)
	}
	h1, h3, h4 := of("h1"), of("h3"), of("h4")
	entryOf := func(i int) *paxos.Entry {
		e := n.log.logs[a].log[i]
		return &paxos.Entry{Instance: e.instance, Client: e.client, Sequence: e.sequence, Value: n.log.logs[a].values[e.number].data}
	}
	change := func(e *paxos.Entry, f func(*paxos.Entry)) *paxos.Entry { f(e); return e }
	log := n.log
	for _, c := range []struct {
		what string
		do   func(l *ledger)
		want string
	}{
		{"a value that nobody has proposed", func(l *ledger) { l.delivered(h3, change(entryOf(0), func(e *paxos.Entry) { e.Sequence = 99 })) }, "nobody has proposed"},
		{"another value", func(l *ledger) { l.delivered(h3, change(entryOf(0), func(e *paxos.Entry) { e.Value = []byte("x") })) }, "nobody has proposed"},
		{"twice", func(l *ledger) { l.delivered(h3, change(entryOf(9), func(e *paxos.Entry) { e.Instance++ })) }, "twice"},
		{"another order", func(l *ledger) { l.members[h4] = 3; l.delivered(h4, entryOf(5)) }, "where another replica has delivered"},
		{"another instance", func(l *ledger) {
			l.members[h4] = 3
			l.delivered(h4, change(entryOf(3), func(e *paxos.Entry) { e.Instance++ }))
		}, "where another replica has delivered"},
		{"an earlier instance", func(l *ledger) {
			l.submitted(h1, 11, []byte("eleven"))
			l.delivered(h3, &paxos.Entry{Instance: 1, Client: h1.client, Sequence: 11, Value: []byte("eleven")})
		}, "behind"},
		{"an instance of another client", func(l *ledger) {
			l.submitted(h3, 11, []byte("eleven"))
			l.delivered(h3, &paxos.Entry{Instance: entryOf(9).Instance, Client: h3.client, Sequence: 11, Value: []byte("eleven")})
		}, "behind"},
		{"a lower number in an instance that is shared", func(l *ledger) {
			for _, n := range []uint32{12, 11} {
				l.submitted(h1, n, []byte("late"))
				require.NoError(t, l.err)
				l.delivered(h3, &paxos.Entry{Instance: entryOf(9).Instance, Client: h1.client, Sequence: n, Value: []byte("late")})
			}
		}, "behind"},
		{"an answer too early", func(l *ledger) { l.submitted(h1, 11, []byte("eleven")); l.answered(h1, 11) }, "is told that value 11 is delivered, and it is not"},
		{"an answer of a replica that has not delivered it", func(l *ledger) { l.members[h3] = 3; h3.client, l.err = h1.client, nil; l.answered(h3, 10) }, "is told that value 10 is delivered"},
		{"a number twice", func(l *ledger) { l.submitted(h1, 10, []byte("ten")) }, "number 10 is given twice"},
		{"a state of before", func(l *ledger) { l.members[h4] = 3; l.transferred(h3, h4) }, "takes the state of h4"},
	} {
		l := *log
		l.logs, l.members = map[*application]*history{a: {values: maps.Clone(log.logs[a].values), log: slices.Clone(log.logs[a].log)}}, maps.Clone(log.members)
		old := h3.client
		c.do(&l)
		h3.client = old
		require.ErrorContains(t, l.err, c.want, c.what)
		require.NoError(t, log.err)
	}
	// Messages that do not agree.
	for _, c := range []struct {
		m    paxos.Message
		want string
	}{
		{paxos.Message{Kind: paxos.Deliver, Instance: 1, Round: 9, Client: 1, Sequence: 1, Value: []byte("x")}, "instance 1: deliver"},
		{paxos.Message{Kind: paxos.Accept, Instance: 1, Round: 1, Client: 1, Sequence: 1, Value: []byte("x")}, "instance 1: accept"},
		{paxos.Message{Kind: paxos.Accept, Instance: 1, Round: 2, Client: 1, Sequence: 1, Value: []byte("x")}, ""},
		{paxos.Message{Kind: paxos.Deliver, Instance: 999, Round: 1, Client: 1, Sequence: 1, Value: []byte("x")}, ""},
	} {
		l := *log
		l.said = maps.Clone(log.said)
		data, err := c.m.Append(nil)
		require.NoError(t, err)
		l.Frame(0, nil, frames.Append(nil, h1.st.h.MAC(), h3.st.h.MAC(), h1.at, h3.at, data))
		if c.want == "" {
			require.NoError(t, l.err)
		} else {
			require.ErrorContains(t, l.err, c.want)
		}
	}
	// And what is missing at the end.
	require.Empty(t, log.missing(a))
	log.members[h4]--
	require.Contains(t, log.missing(a), "h4 has 9 of 10 values")
	log.members[h4]++
	log.submitted(h1, 11, []byte("eleven"))
	require.Contains(t, log.missing(a), "h1 waits for value 11")
	h1.st.dead = true
	require.Empty(t, log.missing(a), "of a host that is dead nobody waits")
}

// Traffic that has ports of its own is forwarded at the full rate, and nothing of it is lost; what meets on a link does not fit.
func TestTraffic(t *testing.T) {
	run := func(traffic string) (sent []Sent) {
		text := strings.Replace(strings.Replace(good, "hosts: 2", "hosts: 4", 1), "replicas: [h3]", "replicas: [h5]", 1)
		run, n := begin(t, strings.Replace(text, "loads:", "traffic: "+traffic+"\nloads:", 1))
		require.NoError(t, n.RunWhile(fabric.Second, func() bool { return !n.ready }))
		begun := n.Now()
		require.NoError(t, run.Finish())
		require.True(t, run.Over())
		require.NoError(t, n.Run(n.Now()+fabric.Millisecond))
		n.StopTraffic()
		took := n.Now() - begun
		require.NoError(t, n.Run(n.Now()+fabric.Millisecond))
		for i, x := range n.Traffic() {
			require.Positive(t, x.Received)
			rate := float64(x.Sent) * (1514 + 24) * 8 / (float64(took) / float64(fabric.Second))
			require.InDelta(t, float64(n.Set.Traffic[i].Rate), rate, 1e9, "%d", i)
		}
		require.Empty(t, n.Agree())
		require.NoError(t, n.Check())
		return n.Traffic()
	}
	for _, x := range run("[{from: h2, to: h3, rate: 100Gb/s}, {from: h3, to: h4, rate: 40Gb/s}]") {
		require.Equal(t, x.Sent, x.Received)
	}
	both := run("[{from: h2, to: h4, rate: 100Gb/s}, {from: h3, to: h4, rate: 40Gb/s}]")
	require.Less(t, float64(both[0].Received+both[1].Received), 0.85*float64(both[0].Sent+both[1].Sent))
}
