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
	"github.com/p4ce/p4ce/systems/amcast"
	"github.com/p4ce/p4ce/systems/amcast/control"
)

var (
	seed0 = flag.Uint64("seed", 1, "the first seed of TestRandom")
	seeds = flag.Int("seeds", 60, "how many seeds TestRandom runs")
)

// network is a random network with random groups and loads: leaves and spines, one to four groups of one to five members, hosts
// with several replicas, links that lose, double and spoil up to a twentieth of what they carry. In two of three something
// fails.
type network struct {
	text  string
	fault int
}

// What fails in a network.
const (
	nothing = iota
	hostsDie
	leaderDies    // and its groups go on with another one
	followerDies  // for good: a spare takes its place, or nobody does
	switchForgets // amnesia
	switchReturns // a switch dies, and begins again with nothing
	linksFlap     // of switches: nobody fails
	faults
)

func random(seed uint64) network {
	r := rand.New(rand.NewPCG(seed, 7))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	var n network
	var b strings.Builder
	spines, leaves, each := 2+r.IntN(2), 2+r.IntN(3), 1+r.IntN(3)
	hosts := leaves * each
	fmt.Fprintf(&b, "name: random-%d\nsystem: amcast\nseed: %d\nuntil: 2s\ntopology:\n", seed, seed)
	fmt.Fprintf(&b, "  kind: leaf-spine\n  core: amcast\n  leaves: %d\n  spines: %d\n  hosts: %d\n", leaves, spines, each)
	for _, l := range []string{"host-links", "fabric-links"} {
		fmt.Fprintf(&b, "  %s: {rate: %s, delay: %s, loss: %s, duplicate: %s, corrupt: %s}\n", l,
			pick("10Gb/s", "25Gb/s", "100Gb/s"), pick("100ns", "500ns", "5us"), pick("0", "0.0001%", "0.01%", "0.1%", "1%", "5%"),
			pick("0", "0.1%", "1%"), pick("0", "0.1%", "1%"))
	}
	b.WriteString("  controller: {delay: 2us, write: 100ns}\nsilence: 5ms\nreplace: 2ms\n")
	fmt.Fprintf(&b, "window: %s\n", pick("1", "4", "16"))
	var switches []string
	for i := range spines {
		switches = append(switches, fmt.Sprintf("spine%d", i+1))
	}
	for i := range leaves {
		switches = append(switches, fmt.Sprintf("leaf%d", i+1))
	}
	some := func(list []string, n int) (out []string) {
		for _, i := range r.Perm(len(list))[:min(n, len(list))] {
			out = append(out, list[i])
		}
		return out
	}
	var names []string
	for i := range hosts {
		names = append(names, fmt.Sprintf("h%d", i+1))
	}
	groups := 1 + r.IntN(4)
	b.WriteString("groups:\n")
	for g := range groups {
		members := some(switches, []int{1, 3, 3, 5}[r.IntN(4)])
		members = members[:(len(members)-1)|1] // an odd number
		spares := some(slices.DeleteFunc(slices.Clone(switches), func(s string) bool { return slices.Contains(members, s) }), r.IntN(2))
		fmt.Fprintf(&b, "  - {number: %d, members: [%s], spares: [%s], deliverers: [leaf%d], replicas: [%s]}\n", g+1,
			strings.Join(members, ", "), strings.Join(spares, ", "), 1+r.IntN(leaves), strings.Join(some(names, 1+r.IntN(3)), ", "))
	}
	if r.IntN(3) > 0 {
		n.fault = 1 + r.IntN(faults-1)
	}
	b.WriteString("loads:\n")
	for i := range 1 + r.IntN(4) {
		var to []string
		for _, g := range r.Perm(groups)[:1+r.IntN(groups)] {
			to = append(to, fmt.Sprint(g+1))
		}
		fmt.Fprintf(&b, "  - {name: l%d, from: h%d, groups: [%s], size: %s, count: %d, outstanding: %s, interval: %s, arrivals: %s}\n",
			i, 1+r.IntN(hosts), strings.Join(to, ", "), pick("16", "64", "300", "1400"), 3+r.IntN(20), pick("1", "4", "16"),
			pick("1us", "5us", "20us", "100us"), pick("regular", "random"))
	}
	n.text = b.String()
	return n
}

// counts is what has happened in random networks.
type counts struct {
	Networks, Hosts, Frames  int
	Messages, Deliveries     int
	Resent                   int // messages, started again
	Judged, Exact            int // packets: who has a part in a message; and which role of a switch
	Died, Leaders, Followers int // hosts, and switches
	Forgot, Returned, Flaps  int
	Epochs                   int // beyond the first of each group
	Stuck                    int // groups that had lost more members than they may
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
	t, err := n.begin()
	if err != nil {
		return counts{}, err
	}
	return t.finish()
}

func (n network) begin() (*trial, error) {
	s, err := systems.Scenario([]byte(n.text))
	if err != nil {
		return nil, err
	}
	run, err := s.Begin()
	if err != nil {
		return nil, err
	}
	t := &trial{network: n, Run: run, net: run.Fabric.System().(*Network), r: rand.New(rand.NewPCG(s.Seed, 8))}
	t.Networks, t.Hosts = 1, len(t.Fabric.Hosts)
	return t, nil
}

func (t *trial) finish() (counts, error) {
	if err := t.until(t.begun); err != nil {
		return t.counts, err
	}
	if !t.begun() {
		return t.counts, fmt.Errorf("the network has not begun after %v: %+v", t.Fabric.Now().Duration(), t.net.Groups())
	}
	t.fail()
	if err := t.until(func() bool { return t.over() && t.net.log.missing(t.lives) == "" }); err != nil {
		return t.counts, err
	}
	return t.counts, t.judge()
}

// until runs until something holds, or everything has had its time.
func (t *trial) until(done func() bool) error {
	at := t.Fabric.Now()
	was := false
	return t.Fabric.RunWhile(fabric.Time(t.Scenario.Until), func() bool {
		// It is looked at now and then: ledgers are long.
		if now := t.Fabric.Now(); now >= at {
			at, was = now+20*fabric.Microsecond, done()
		}
		return !was
	})
}

// begun reports whether all hosts may send, and all groups run.
func (t *trial) begun() bool {
	for _, h := range t.Fabric.Hosts {
		if !h.Endpoint().(*station).admitted {
			return false
		}
	}
	for _, g := range t.net.Groups() {
		if g.State != "running" {
			return false
		}
	}
	return true
}

// lives reports whether the sender of a message does.
func (t *trial) lives(id amcast.ID) bool {
	for _, h := range t.Fabric.Hosts {
		st := h.Endpoint().(*station)
		if n, ok := st.endpoint.Client(); ok && n == id.Client {
			return !st.dead
		}
	}
	return false
}

// over reports whether all loads have ended whose senders live.
func (t *trial) over() bool {
	return !slices.ContainsFunc(t.Loads, func(l *fabric.Load) bool { return !l.From.Endpoint().(*station).dead && !l.Over() })
}

// soon is a moment while loads are at work.
func (t *trial) soon() fabric.Time {
	return t.Fabric.Now() + fabric.Time(t.r.IntN(600))*fabric.Microsecond
}

// bears reports whether all groups go on without a switch: more than half of their members stay, and all hosts can be reached.
func (t *trial) bears(sw *fabric.P4Switch) bool {
	if strings.HasPrefix(sw.Name(), "leaf") {
		return false
	}
	for _, g := range t.net.Groups() {
		n := len(g.Members)
		if slices.ContainsFunc(g.Members, func(m control.MemberStatus) bool { return m.Switch == sw.Name() }) && n < 3 {
			return false
		}
	}
	return true
}

// fail arranges for what fails.
func (t *trial) fail() {
	soon := func(do func(*fabric.P4Switch), s *fabric.P4Switch) { t.net.At(t.soon(), func() { do(s) }) }
	var may []*fabric.P4Switch
	for _, s := range t.net.Switches {
		if sw := s.(*fabric.P4Switch); t.bears(sw) {
			may = append(may, sw)
		}
	}
	leads := func(s *fabric.P4Switch) bool {
		return slices.ContainsFunc(t.net.Groups(), func(g control.GroupStatus) bool { return g.Leader == s.Name() })
	}
	follows := func(s *fabric.P4Switch) bool { return !leads(s) }
	one := func(ok func(*fabric.P4Switch) bool) *fabric.P4Switch {
		for _, i := range t.r.Perm(len(may)) {
			if ok(may[i]) {
				return may[i]
			}
		}
		return nil
	}
	switch t.fault {
	case hostsDie:
		for range 1 + t.r.IntN(2) {
			if h := t.Fabric.Hosts[t.r.IntN(len(t.Fabric.Hosts))]; t.replaceable(h) {
				t.net.At(t.soon(), h.Endpoint().(*station).kill)
				t.Died++
			}
		}
	case leaderDies:
		if s := one(leads); s != nil {
			soon(t.net.SwitchDies, s)
			t.Leaders++
		}
	case followerDies:
		if s := one(follows); s != nil {
			soon(t.net.SwitchDies, s)
			t.Followers++
		}
	case switchForgets:
		if s := one(func(*fabric.P4Switch) bool { return true }); s != nil {
			soon(t.net.SwitchForgets, s)
			t.Forgot++
		}
	case switchReturns:
		if s := one(func(*fabric.P4Switch) bool { return true }); s != nil {
			t.net.At(t.soon(), func() {
				t.net.SwitchDies(s)
				t.net.At(t.Fabric.Now()+fabric.Time(t.r.IntN(5000))*fabric.Microsecond, func() { t.net.SwitchReturns(s) })
			})
			t.Returned++
		}
	case linksFlap:
		for range 1 + t.r.IntN(3) {
			l := t.Fabric.Links[t.r.IntN(len(t.Fabric.Links))]
			at := t.soon()
			t.net.At(at, func() { t.Fabric.SetDown(l, true) })
			t.net.At(at+fabric.Time(t.r.IntN(1500))*fabric.Microsecond, func() { t.Fabric.SetDown(l, false) })
			t.Flaps++
		}
	}
}

// replaceable reports whether each group of a host has another replica that lives.
func (t *trial) replaceable(h *fabric.Host) bool {
	for _, g := range t.net.Set.Groups {
		if slices.Contains(g.Replicas, h.Name()) && len(g.Replicas) < 3 {
			return false
		}
	}
	return true
}

// judge looks at what has come out.
func (t *trial) judge() error {
	errs := []error{t.Fabric.Check(), t.net.log.alike()}
	if what := t.net.log.missing(t.lives); what != "" {
		errs = append(errs, errors.New(what))
	}
	t.Frames = int(t.Fabric.Hops())
	t.Messages, t.Deliveries, t.Judged = len(t.net.log.messages), t.net.log.count, t.net.log.judged
	if t.net.log.exact {
		t.Exact = t.Judged
	}
	for _, g := range t.net.Groups() {
		t.Epochs += int(g.Epoch) - 1
		if g.State != "running" {
			t.Stuck++
		}
	}
	for _, h := range t.Fabric.Hosts {
		st := h.Endpoint().(*station)
		if t.net.log.out[h] {
			errs = append(errs, fmt.Errorf("%s: counts as failed, and lives", h.Name()))
		}
		s := st.endpoint.Stats()
		t.Resent += int(s.Sender.Resent)
		for g, r := range s.Replicas {
			if r.Conflicts > 0 {
				errs = append(errs, fmt.Errorf("%s, group %d: %d packets say something else than what is known", h.Name(), g, r.Conflicts))
			}
		}
	}
	for i, row := range t.Rows() {
		if l := t.Loads[i]; !l.From.Endpoint().(*station).dead && (row.Err != nil || row.Done != row.Requests) {
			errs = append(errs, fmt.Errorf("load %s: %d of %d messages are finished: %v", row.Load, row.Done, row.Requests, row.Err))
		}
	}
	return errors.Join(errs...)
}

// TestRandom runs random networks.
func TestRandom(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(800)) // a run is small
	begin := time.Now()
	repeat := func(seed uint64) string {
		return fmt.Sprintf("go test ./systems/amcast/fabric -run 'TestRandom$' -seed %d -seeds 1", seed)
	}
	total, failed := soak.Run(t, *seeds, *seed0, repeat, try)
	if len(failed) > 0 {
		t.Errorf("seeds that break a rule: %v", failed)
	}
	t.Logf("%d seeds from %d, %d broke a rule; %.1f a second\n%+v", total.Networks, *seed0, len(failed), float64(total.Networks)/time.Since(begin).Seconds(), total)
	if total.Networks >= 100 && !t.Failed() {
		total.Stuck = 1 // none is
		soak.Busy(t, total)
	}
}

// deaths is a network of which h1, a client with a replica, and h2 die as soon as they have delivered a message of h1 that h4 has
// nothing of.
func deaths(t *testing.T) (run *trial, last amcast.ID) {
	n := network{text: `name: deaths
system: amcast
seed: 1
until: 2s
topology: {kind: leaf-spine, core: amcast, leaves: 2, spines: 2, hosts: 2, host-links: {loss: 5%}, controller: {delay: 2us, write: 100ns}}
silence: 5ms
replace: 2ms
groups:
  - {number: 1, members: [leaf2, spine2, spine1], deliverers: [leaf1], replicas: [h1, h2, h4]}
loads:
  - {name: own, from: h1, groups: [1], size: 64, count: 500, outstanding: 4, interval: 20us, arrivals: random}
  - {name: other, from: h3, groups: [1], size: 64, count: 500, outstanding: 4, interval: 20us, arrivals: random}
`}
	run, err := n.begin()
	require.NoError(t, err)
	require.NoError(t, run.until(run.begun))
	host := func(name string) *station {
		return run.Fabric.Hosts[slices.IndexFunc(run.Fabric.Hosts, func(h *fabric.Host) bool { return h.Name() == name })].Endpoint().(*station)
	}
	h1, h2, h4 := host("h1"), host("h2"), host("h4")
	require.NoError(t, run.Fabric.RunWhile(fabric.Second, func() bool {
		for id, m := range run.net.log.messages {
			if m.by == h1.h && run.net.log.delivers(h1.h, 1, id) && run.net.log.delivers(h2.h, 1, id) && !h4.endpoint.Holds(1, id) {
				last = id
				return false
			}
		}
		return true
	}))
	require.NotZero(t, last, "h4 has lost nothing")
	h1.kill()
	h2.kill()
	_, err = run.finish()
	require.NoError(t, err)
	void := h4.endpoint.Stats().Replicas[1].Void
	require.NotZero(t, void)
	return run, last
}

// TestTakenAlong: a client and the replicas that have its last message die together. The replica that is left declares the message
// void: the others have delivered it, and nobody who lives can.
func TestTakenAlong(t *testing.T) {
	run, last := deaths(t)
	require.NotZero(t, run.net.log.messages[last].final)
	for _, h := range run.Fabric.Hosts {
		require.False(t, !run.net.Dead(h) && run.net.Host(h).Holds(1, last), h.Name())
	}
}

// TestHeldCounts: what one replica has that lives, all must deliver, also if its client has died.
func TestHeldCounts(t *testing.T) {
	run, _ := deaths(t)
	require.Empty(t, run.net.Agree())
	for _, r := range run.net.log.order {
		if run.net.log.gone[r.host] {
			continue
		}
		has := run.net.log.replicas[r].has
		require.NotEmpty(t, has)
		for id := range has {
			delete(has, id)
			require.Contains(t, run.net.Agree(), fmt.Sprintf("has not delivered %v", id))
			return
		}
	}
}
