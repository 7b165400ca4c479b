package fabric

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/sim/events/soak"
	"github.com/p4ce/p4ce/sim/fabric"
)

var (
	seed0 = flag.Uint64("seed", 1, "the first seed of TestRandom")
	seeds = flag.Int("seeds", 40, "how many seeds TestRandom runs")
)

// network is a random network with one or two logs: leaves and spines, one to five acceptors, rings of a few instances, links that lose,
// double and spoil up to a twentieth of what they carry. The roles are in switches, or, in one of four, at hosts. In two of three
// something fails.
type network struct {
	text   string
	hosted bool
	fault  int
}

// What fails in a network.
const (
	nothing = iota
	hostDies
	leaderDies    // and another one leads
	acceptorDies  // for good: a spare takes its place, if there is one and the roles are in switches
	switchForgets // amnesia
	switchReturns // a switch dies, and begins again with nothing
	linksFlap
	faults
)

func random(seed uint64) network {
	r := rand.New(rand.NewPCG(seed, 9))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	n := network{hosted: r.IntN(4) == 0}
	var b strings.Builder
	spines, leaves, each := 2+r.IntN(2), 2+r.IntN(2), 2+r.IntN(2)
	program := "paxos"
	if n.hosted {
		program = "plain"
	}
	fmt.Fprintf(&b, "name: random-%d\nsystem: paxos\nseed: %d\nuntil: 20s\ntopology:\n", seed, seed)
	fmt.Fprintf(&b, "  kind: leaf-spine\n  edge: %s\n  core: %s\n  leaves: %d\n  spines: %d\n  hosts: %d\n", program, program, leaves, spines, each)
	for _, l := range []string{"host-links", "fabric-links"} {
		fmt.Fprintf(&b, "  %s: {rate: %s, delay: %s, loss: %s, duplicate: %s, corrupt: %s}\n", l,
			pick("10Gb/s", "100Gb/s"), pick("100ns", "500ns", "5us"), pick("0", "0.01%", "0.1%", "1%", "5%"), pick("0", "0.1%", "1%"), pick("0", "0.1%", "1%"))
	}
	fmt.Fprintf(&b, "  interfaces: {cpu: {request: %[1]s, completion: %[1]s}, packet: %[2]s}\n", pick("0", "500ns", "3us"), pick("0", "100ns"))
	b.WriteString("  controller: {delay: 2us, write: 100ns, hold: 3ms}\nretry: 500us\ngap: 300us\nreport: 1ms\nask: 1ms\nsilent: 10ms\nreplace: 3ms\n")
	fmt.Fprintf(&b, "window: %s\ncheckpoint: %s\n", pick("1", "8", "64"), pick("4", "16"))
	list := func(kind string, n int) (out []string) {
		for i := range n {
			out = append(out, fmt.Sprint(kind, i+1))
		}
		return out
	}
	some := func(list []string, n int) (out []string) {
		for _, i := range r.Perm(len(list))[:min(n, len(list))] {
			out = append(out, list[i])
		}
		return out
	}
	without := func(list, other []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
	}
	hosts := list("h", leaves*each)
	switches := slices.Concat(list("spine", spines), list("leaf", leaves))
	roles := switches
	if n.hosted {
		roles = hosts
	}
	apps := 1 + r.IntN(2)
	var proposers [][]string
	b.WriteString("applications:\n")
	for a := range apps {
		acceptors := some(roles, []int{1, 3, 3, 5}[r.IntN(4)])
		acceptors = acceptors[:(len(acceptors)-1)|1] // an odd number
		replicas := some(hosts, 1+r.IntN(3))
		guests := some(without(hosts, replicas), r.IntN(3))
		proposers = append(proposers, slices.Concat(replicas, guests))
		fmt.Fprintf(&b, "  - {name: log%d, leaders: [%s], acceptors: [%s], learners: [%s], replicas: [%s], proposers: [%s], instances: %s", a+1,
			strings.Join(some(roles, 2), ", "), strings.Join(acceptors, ", "), strings.Join(some(roles, 1+r.IntN(2)), ", "), strings.Join(replicas, ", "), strings.Join(guests, ", "), pick("32", "64", "300"))
		if n.hosted {
			fmt.Fprintf(&b, ", controller: %s}\n", hosts[r.IntN(len(hosts))])
		} else {
			fmt.Fprintf(&b, ", spares: [%s]}\n", strings.Join(some(without(switches, acceptors), r.IntN(2)), ", "))
		}
	}
	if r.IntN(3) > 0 {
		n.fault = 1 + r.IntN(faults-1)
	}
	b.WriteString("loads:\n")
	for i := range 1 + r.IntN(4) {
		a := r.IntN(apps)
		fmt.Fprintf(&b, "  - {name: l%d, application: log%d, from: %s, size: %s, count: %d, outstanding: %s, interval: %s, arrivals: %s}\n",
			i, a+1, proposers[a][r.IntN(len(proposers[a]))], pick("16", "33", "64"), 5+r.IntN(150), pick("1", "4", "16"), pick("1us", "5us", "20us"), pick("regular", "random"))
	}
	n.text = b.String()
	return n
}

// counts is what has happened in random networks.
type counts struct {
	Networks, Hosted, Frames    int
	Values, Deliveries          int
	Resent, Refused             int // requests
	Noops, Again, Transfers     int
	Judged                      int // packets
	Trims                       int
	Died, Leaders, Acceptors    int // hosts, and switches
	Forgot, Returned, Flaps     int
	TakeOvers, Replaced, Filled int
}

// trial is a random network on its way.
type trial struct {
	network
	*fabric.Run
	net *Network
	r   *rand.Rand
	counts
}

func try(seed uint64) (counts, error) {
	n := random(seed)
	c, err := n.run()
	if err != nil {
		err = fmt.Errorf("%w\n# what fails: %d\n%s", err, n.fault, n.text)
	}
	return c, err
}

func (n network) run() (counts, error) {
	s, err := systems.Scenario([]byte(n.text))
	if err != nil {
		return counts{}, err
	}
	run, err := s.Begin()
	if err != nil {
		return counts{}, err
	}
	t := &trial{network: n, Run: run, net: run.Fabric.System().(*Network), r: rand.New(rand.NewPCG(s.Seed, 10))}
	t.Networks = 1
	if n.hosted {
		t.Hosted = 1
	}
	if err := t.until(t.net.Running); err != nil {
		return t.counts, err
	}
	t.fail()
	if err := t.until(func() bool { return t.over() && t.net.Agree() == "" }); err != nil {
		return t.counts, err
	}
	return t.counts, t.judge()
}

// until runs until something holds, or everything has had its time.
func (t *trial) until(done func() bool) error {
	at, was := t.Fabric.Now(), false
	return t.Fabric.RunWhile(fabric.Time(t.Scenario.Until), func() bool {
		// It is looked at now and then: ledgers are long.
		if now := t.Fabric.Now(); now >= at {
			at, was = now+50*fabric.Microsecond, done()
		}
		return !was
	})
}

// over reports whether all loads have ended whose senders live.
func (t *trial) over() bool {
	return !slices.ContainsFunc(t.Loads, func(l *fabric.Load) bool { return !l.From.Endpoint().(*station).dead && !l.Over() })
}

// bears reports whether all logs go on without a node: it has no hosts, more than half of the acceptors stay, a leader and a learner too. If
// it is back it is not needed for long, but votes that it has forgotten are.
func (t *trial) bears(name string, back bool) bool {
	if strings.HasPrefix(name, "leaf") && !back {
		return false
	}
	for _, a := range t.net.apps {
		if slices.Contains(a.Acceptors, name) && len(a.Acceptors) < 3 || a.Controller == name {
			return false
		}
		if !back && (len(a.Learners) == 1 && a.Learners[0] == name || len(a.Leaders) == 1 && a.Leaders[0] == name) {
			return false
		}
		if slices.Contains(a.Replicas, name) && len(a.Replicas) < 3 {
			return false // more than half of the replicas must have checkpoints
		}
	}
	return true
}

// fail arranges for what fails.
func (t *trial) fail() {
	soon := func(do func()) { t.net.At(t.Fabric.Now()+fabric.Time(t.r.IntN(1500))*fabric.Microsecond, do) }
	one := func(list []string, back bool) string {
		for _, i := range t.r.Perm(len(list)) {
			if t.bears(list[i], back) {
				return list[i]
			}
		}
		return ""
	}
	host := func(name string) *fabric.Host { x, _ := t.net.Node(name); return x.(*fabric.Host) }
	sw := func(name string) *fabric.P4Switch { x, _ := t.net.Node(name); return x.(*fabric.P4Switch) }
	a := t.net.apps[t.r.IntN(len(t.net.apps))]
	var switches, hosts []string
	for _, s := range t.net.Switches {
		switches = append(switches, s.Name())
	}
	for _, h := range t.net.Hosts {
		hosts = append(hosts, h.Name())
	}
	if t.hosted {
		// A host that leads is followed by another one: somebody says so.
		switch t.fault {
		case hostDies, acceptorDies, switchForgets, switchReturns:
			list := hosts
			if t.fault == acceptorDies {
				list = a.Acceptors
			}
			x := one(list, false)
			if x == "" || slices.ContainsFunc(t.net.apps, func(a *application) bool { return a.Leaders[0] == x }) {
				return
			}
			soon(func() { t.net.Kill(host(x)) })
			t.Died++
			return
		case leaderDies:
			if x := a.Leaders[0]; t.bears(x, false) {
				soon(func() {
					t.net.Kill(host(x))
					for _, a := range t.net.apps {
						if a.Leaders[0] == x && len(a.Leaders) > 1 {
							t.net.LeadHost(a.index, 1)
						}
					}
				})
				t.Died++
			}
			return
		}
	}
	switch t.fault {
	case hostDies:
		if x := one(hosts, false); x != "" {
			soon(func() { t.net.Kill(host(x)) })
			t.Died++
		}
	case leaderDies:
		if x := one(a.Leaders[:1], false); x != "" {
			soon(func() { t.net.SwitchDies(sw(x)) })
			t.Leaders++
		}
	case acceptorDies:
		if x := one(a.Acceptors, false); x != "" {
			soon(func() { t.net.SwitchDies(sw(x)) })
			t.Acceptors++
		}
	case switchForgets:
		if x := one(switches, true); x != "" {
			soon(func() { t.net.SwitchForgets(sw(x)) })
			t.Forgot++
		}
	case switchReturns:
		if x := one(switches, true); x != "" {
			soon(func() {
				t.net.SwitchDies(sw(x))
				t.net.At(t.Fabric.Now()+fabric.Time(t.r.IntN(8000))*fabric.Microsecond, func() { t.net.SwitchReturns(sw(x)) })
			})
			t.Returned++
		}
	case linksFlap:
		for range 1 + t.r.IntN(3) {
			l := t.Fabric.Links[t.r.IntN(len(t.Fabric.Links))]
			soon(func() {
				t.Fabric.SetDown(l, true)
				t.net.At(t.Fabric.Now()+fabric.Time(t.r.IntN(6000))*fabric.Microsecond, func() { t.Fabric.SetDown(l, false) })
			})
			t.Flaps++
		}
	}
}

// judge looks at what has come out.
func (t *trial) judge() error {
	errs := []error{t.Fabric.Check()}
	if what := t.net.Agree(); what != "" {
		errs = append(errs, errors.New(what))
	}
	if !t.over() {
		errs = append(errs, errors.New("a load is not over"))
	}
	t.Frames, t.Judged = int(t.Fabric.Hops()), t.net.log.judged
	for _, a := range t.net.apps {
		t.Values += len(t.net.log.logs[a].values)
		for _, m := range a.members {
			t.Resent += int(m.proposer.Resent())
			t.Refused += int(m.proposer.Refused())
			if m.replica != nil {
				s := m.replica.Stats()
				t.Deliveries, t.Noops, t.Again, t.Transfers = t.Deliveries+int(s.Delivered), t.Noops+int(s.Noops), t.Again+int(s.Again), t.Transfers+m.transfers
			}
		}
		if a.hosted {
			s := a.cluster.control.Stats()
			t.Trims, t.TakeOvers = t.Trims+int(s.Trims), t.TakeOvers+int(s.Takeovers)-1
		}
	}
	if !t.hosted {
		for _, a := range t.net.Info() {
			t.Trims, t.TakeOvers = t.Trims+int(a.Stats.Trims), t.TakeOvers+int(a.Stats.TakeOvers)-1
			t.Replaced, t.Filled = t.Replaced+int(a.Stats.Replaced), t.Filled+int(a.Stats.Filled)
		}
	}
	return errors.Join(errs...)
}

// TestRandom runs random networks.
func TestRandom(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	begin := time.Now()
	repeat := func(seed uint64) string {
		return fmt.Sprintf("go test ./systems/paxos/fabric -run 'TestRandom$' -seed %d -seeds 1", seed)
	}
	total, failed := soak.Run(t, *seeds, *seed0, repeat, try)
	if len(failed) > 0 {
		t.Errorf("seeds that break a rule: %v", failed)
	}
	t.Logf("%d seeds from %d, %d broke a rule; %.1f a second\n%+v", total.Networks, *seed0, len(failed), float64(total.Networks)/time.Since(begin).Seconds(), total)
	if total.Networks >= 200 && !t.Failed() {
		soak.Busy(t, total)
	}
}

// Updates that are on their way to a switch when it forgets do not reach it.
func TestLateUpdates(t *testing.T) {
	run, n := begin(t, good)
	x, _ := n.Node("leaf1")
	s := x.(*fabric.P4Switch)
	require.NoError(t, run.Fabric.RunWhile(fabric.Second, func() bool { return s.Controller.Updates < 5 }))
	before := s.Controller.Updates
	n.control.Lost("leaf1")
	require.NoError(t, s.Forget())
	require.NoError(t, n.Run(n.Now()+20*fabric.Millisecond))
	require.Equal(t, before, s.Controller.Updates)
	n.control.Begins("leaf1")
	require.NoError(t, run.Finish())
	require.Greater(t, s.Controller.Updates, before)
	require.True(t, run.Over())
	require.Equal(t, "running", n.Info()[0].State)
	require.Empty(t, n.Agree())
}
