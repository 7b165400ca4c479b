package fabric

import (
	"embed"
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

	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/sim/events/soak"
	"github.com/p4ce/p4ce/sim/fabric"
)

var (
	seed0 = flag.Uint64("seed", 1, "the first seed of random tests")
	seeds = flag.Int("seeds", 25, "how many seeds TestRandom runs four times of; others run a share of them")
)

// share is how many seeds a test runs that takes so many times as long as TestPlaces.
func share(of int) int { return max(1, *seeds/of) }

// found are networks that broke a rule, with what fails in them. The rule's mutant breaks it again.
//
//go:embed testdata/found/*.yaml
var found embed.FS

// network is a random network with random loads: racks, leaves and spines, three layers; clocks that are up to 100 us
// apart; links that lose, double and spoil up to a twentieth of what they carry; small windows and large messages. In some,
// hosts join late, and in one of two something fails.
type network struct {
	text  string
	fault int
}

// What fails in a network.
const (
	nothing = iota
	hostsDie
	hostLeaves
	hostLinkCut
	hostLinkFlaps // for less time than a link may be silent
	leafCut       // from all spines
	linksCut      // between switches; there are other ways
	hostsApart    // some do not reach some others, and in one of two another one dies
	faults
)

func random(seed uint64) network {
	r := rand.New(rand.NewPCG(seed, 4))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	var n network
	var hosts, leaves int
	var b strings.Builder
	fmt.Fprintf(&b, "name: random-%d\nsystem: onepipe\nseed: %d\nuntil: 400ms\ntopology:\n", seed, seed)
	switch kind := r.IntN(64); {
	case kind < 18:
		hosts = 2 + r.IntN(6)
		fmt.Fprintf(&b, "  kind: rack\n  hosts: %d\n", hosts)
	case kind < 46:
		spines, each := 1+r.IntN(3), 1+r.IntN(3)
		leaves = 2 + r.IntN(3)
		hosts = leaves * each
		fmt.Fprintf(&b, "  kind: leaf-spine\n  core: onepipe\n  leaves: %d\n  spines: %d\n  hosts: %d\n", leaves, spines, each)
	default:
		k, pods, each := 2, 2+r.IntN(3), 1+r.IntN(3)
		switch kind {
		case 61, 62:
			k, pods, each = 4, 2, 1
		case 63:
			k, pods, each = 4, 2+r.IntN(3), 1+r.IntN(2)
		}
		hosts = pods * k / 2 * each
		fmt.Fprintf(&b, "  kind: fat-tree\n  core: onepipe\n  k: %d\n  pods: %d\n  hosts: %d\n", k, pods, each)
	}
	for _, l := range []string{"host-links", "fabric-links"} {
		fmt.Fprintf(&b, "  %s: {rate: %s, delay: %s, loss: %s, duplicate: %s, corrupt: %s}\n", l,
			pick("10Gb/s", "25Gb/s", "100Gb/s"), pick("100ns", "500ns", "5us"), pick("0", "0.0001%", "0.01%", "0.1%", "1%", "5%"),
			pick("0", "0.1%", "1%"), pick("0", "0.1%", "1%"))
	}
	fmt.Fprintf(&b, "  clocks: {offset: %s, drift: %s}\n", pick("0", "1us", "20us", "100us"), pick("0", "50"))
	b.WriteString("  controller: {delay: 2us, write: 100ns}\n")
	processes := 1 + r.IntN(3)
	interval := []int{3, 10, 50}[r.IntN(3)]
	fmt.Fprintf(&b, "interval: %dus\nsilence: %dus\npoll: 20us\nprocesses: %d\nwindow: %s\n", interval, max(200, 10*interval), processes, pick("8", "32", "128"))
	if seed%2 == 0 {
		b.WriteString("pack: true\n")
	}
	if r.IntN(2) == 0 && hosts > 2 {
		n.fault = 1 + r.IntN(faults-1)
	}
	if n.fault == leafCut && leaves < 3 {
		n.fault = linksCut
	}
	if n.fault == nothing && r.IntN(4) == 0 {
		var join []string
		for _, h := range r.Perm(hosts)[:1+r.IntN(2)] {
			join = append(join, fmt.Sprintf("h%d: %dus", h+1, 200+r.IntN(1000)))
		}
		fmt.Fprintf(&b, "join: {%s}\n", strings.Join(join, ", "))
	}
	if n.fault == hostsApart {
		b.WriteString("doubt: 200us\n")
	}
	b.WriteString("loads:\n")
	for i := range 2 + r.IntN(5) {
		from := 1 + r.IntN(hosts)
		var to []string
		for _, h := range r.Perm(hosts)[:1+r.IntN(min(6, hosts))] {
			if h+1 != from {
				to = append(to, fmt.Sprintf("h%d", h+1))
			}
		}
		if len(to) == 0 {
			to = []string{fmt.Sprintf("h%d", from%hosts+1)}
		}
		fmt.Fprintf(&b, "  - {name: l%d, from: h%d, to: [%s], size: %s, count: %d, outstanding: %s, interval: %s, arrivals: %s, reliable: %v}\n",
			i, from, strings.Join(to, ", "), pick("16", "64", "300", "1400", "1401", "4KiB"), 5+r.IntN(40), pick("1", "4", "32"),
			pick("1us", "5us", "20us"), pick("regular", "random"), r.IntN(2) == 0)
	}
	n.text = b.String()
	return n
}

// counts is what has happened in random networks.
type counts struct {
	Networks, Hosts, Frames int
	Scatterings, Delivered  int
	Lost, Resent            int // messages that were reported, fragments that were sent again
	Late                    int // hosts that have joined late
	Died, Left, Cut, Behind int // hosts; Behind: a leaf that was cut off
	Flaps, Links            int // links of hosts that were down for a moment, links between switches
	Told                    int // hosts that were told that a process has failed
	Apart, Forwarded        int // hosts that do not reach another one, packets that the controller forwards
}

// trial is a random network on its way.
type trial struct {
	network
	*fabric.Run
	net     *Network
	silence fabric.Time // that links may keep
	r       *rand.Rand
	failed  map[*fabric.Host]bool // that are to have
	counts
}

// try runs the network of a seed.
func try(seed uint64) (counts, error) {
	n := random(seed)
	c, err := n.run()
	if err != nil {
		err = fmt.Errorf("%w\n# what fails: %d\n%s", err, n.fault, n.text)
	}
	return c, err
}

// run runs a random network. Everything is delivered, or its sender is told; in order, once, and of reliable scatterings all
// or nothing. Those fail who are cut off, and the others are told of each once.
func (n network) run() (counts, error) {
	s, err := systems.Scenario([]byte(n.text))
	if err != nil {
		return counts{}, err
	}
	run, err := s.Begin()
	if err != nil {
		return counts{}, err
	}
	t := &trial{network: n, Run: run, net: run.Fabric.System().(*Network), r: rand.New(rand.NewPCG(s.Seed, 6)), failed: map[*fabric.Host]bool{}}
	t.silence = fabric.Time(t.net.Set.Silence)
	t.Networks, t.Hosts, t.Late = 1, len(t.Fabric.Hosts), len(t.net.Set.Join)
	if err := t.until(t.admitted); err != nil {
		return t.counts, err
	}
	if err := t.fail(); err != nil {
		return t.counts, err
	}
	if err := t.until(func() bool { return t.over() && t.told() && t.even() }); err != nil {
		return t.counts, err
	}
	return t.counts, t.judge()
}

// until runs until something holds, or everything has had its time.
func (t *trial) until(done func() bool) error {
	return t.Fabric.RunWhile(fabric.Time(t.Scenario.Until), func() bool { return !done() })
}

// admitted reports whether all hosts may send but those that join late.
func (t *trial) admitted() bool {
	for _, h := range t.Fabric.Hosts {
		if _, late := t.net.Set.Join[h.Name()]; !late && len(h.Endpoint().(*station).procs) == 0 {
			return false
		}
	}
	return true
}

// over reports whether all loads have ended whose senders live.
func (t *trial) over() bool {
	return !slices.ContainsFunc(t.Loads, func(l *fabric.Load) bool { return !t.failed[l.From] && !l.Over() })
}

// told reports whether all who live have been told of all who have failed.
func (t *trial) told() bool {
	for _, h := range t.Fabric.Hosts {
		if !t.failed[h] && len(h.Endpoint().(*station).Failed) < len(t.failed)*t.net.Set.Processes {
			return false
		}
	}
	return true
}

// even reports whether no scattering of a dead sender has reached only some of its receivers so far.
func (t *trial) even() bool {
	_, partial := t.net.log.partial()
	return !partial
}

// soon is a moment while loads are at work.
func (t *trial) soon() fabric.Time {
	return t.Fabric.Now() + fabric.Time(t.r.IntN(600))*fabric.Microsecond
}

// host is one that has not failed.
func (t *trial) host() *fabric.Host {
	for {
		if h := t.Fabric.Hosts[t.r.IntN(len(t.Fabric.Hosts))]; !t.failed[h] {
			t.failed[h] = true
			return h
		}
	}
}

// cut takes a link down at a moment, for a time.
func (t *trial) cut(l *fabric.Link, at, long fabric.Time) {
	t.net.At(at, func() { t.Fabric.SetDown(l, true) })
	t.net.At(at+long, func() { t.Fabric.SetDown(l, false) })
}

// long is longer than a link may be silent.
func (t *trial) long() fabric.Time { return t.silence * fabric.Time(4+t.r.IntN(8)) }

// fail arranges for what fails.
func (t *trial) fail() error {
	switch t.fault {
	case hostsDie:
		for range 1 + t.r.IntN(min(2, len(t.Fabric.Hosts)-2)) {
			t.net.At(t.soon(), t.host().Endpoint().(*station).kill)
			t.Died++
		}
	case hostLeaves:
		t.net.At(t.soon(), t.host().Endpoint().(*station).leave)
		t.Left++
	case hostLinkCut:
		h, at := t.host(), t.soon()
		t.cut(h.Link().Link, at, t.long())
		t.net.At(at, func() { t.net.log.died(h.Addr()) }) // it lives, and hears of it later
		t.Cut++
	case hostLinkFlaps:
		h := t.Fabric.Hosts[t.r.IntN(len(t.Fabric.Hosts))]
		t.cut(h.Link().Link, t.soon(), t.silence/fabric.Time(3+t.r.IntN(8)))
		t.Flaps++
	case leafCut:
		leaf := fmt.Sprintf("leaf%d", 1+t.r.IntN(t.Scenario.Topology.Leaves))
		at, long := t.soon(), t.long()
		for _, l := range t.Fabric.Links {
			if l.Half[0].From.Name() == leaf {
				t.cut(l, at, long)
			} else if h, ok := l.Half[0].From.(*fabric.Host); ok && l.Half[1].From.Name() == leaf {
				t.failed[h] = true
				t.net.At(at, func() { t.net.log.died(h.Addr()) })
				t.Behind++
			}
		}
	case linksCut:
		return t.cutLinks()
	case hostsApart:
		t.apart()
		if t.r.IntN(2) == 0 {
			t.net.At(t.soon(), t.host().Endpoint().(*station).kill)
			t.Died++
		}
	}
	return nil
}

// apart has hosts not reach others, in one direction or in both, for a while or for good.
func (t *trial) apart() {
	for range 1 + t.r.IntN(3) {
		pair := t.r.Perm(len(t.Fabric.Hosts))[:2]
		at, long, good := t.soon(), t.long(), t.r.IntN(2) == 0
		for range 1 + t.r.IntN(2) {
			from, to := t.Fabric.Hosts[pair[0]], t.Fabric.Hosts[pair[1]].Endpoint().(*station)
			t.net.At(at, func() { to.misses(from, true) })
			if !good {
				t.net.At(at+long, func() { to.misses(from, false) })
			}
			pair[0], pair[1] = pair[1], pair[0]
			t.Apart++
		}
	}
}

// cutLinks cuts links between switches, one after the other, as long as there are other ways.
func (t *trial) cutLinks() error {
	net, err := t.net.Topology()
	if err != nil {
		return err
	}
	down := topology.Down{Ports: map[topology.Place]bool{}}
	for _, i := range t.r.Perm(len(t.Fabric.Links))[:min(6, len(t.Fabric.Links))] {
		l := t.Fabric.Links[i]
		at := topology.Place{Switch: l.Half[0].From.Name(), Port: l.Half[0].Port}
		if _, ok := l.Half[0].From.(*fabric.Host); ok {
			continue
		}
		if down.Ports[at] = true; !connected(net, down) {
			delete(down.Ports, at)
			continue
		}
		t.cut(l, t.soon(), []fabric.Time{t.silence / 2, t.long()}[t.r.IntN(2)])
		t.Links++
	}
	return nil
}

// connected reports whether each host has a way to each other one.
func connected(net *topology.Network, down topology.Down) bool {
	routes := net.Routes(down)
	for _, a := range net.Hosts() {
		for _, b := range net.Hosts() {
			if a != b && len(routes.NextHops(a.At.Switch, b.Name)) == 0 {
				return false
			}
		}
	}
	return true
}

// judge looks at what has come out.
func (t *trial) judge() error {
	errs := []error{t.Fabric.Check(), t.net.log.end()}
	t.Frames = int(t.Fabric.Hops())
	for _, f := range t.net.control.Core.Forwarding() {
		t.Forwarded += int(f.Packets)
	}
	for i, row := range t.Rows() {
		l := t.Loads[i]
		if some := slices.ContainsFunc(l.To, func(h *fabric.Host) bool { return !t.failed[h] }); some && !t.failed[l.From] { // who receives it
			if row.Err != nil || row.Done != row.Requests {
				errs = append(errs, fmt.Errorf("load %s: %d of %d scatterings have ended: %v", row.Load, row.Done, row.Requests, row.Err))
			}
		}
		t.Scatterings += row.Done
		t.Delivered += int(row.Counts[0])
		t.Lost += int(row.Counts[1])
	}
	for _, h := range t.Fabric.Hosts {
		st := h.Endpoint().(*station)
		if t.failed[h] || st.endpoint == nil { // everything was over before it joined
			continue
		}
		t.Resent += int(st.endpoint.Counters.Resent)
		if st.endpoint.Counters.Late > 0 || st.endpoint.Expelled() {
			errs = append(errs, fmt.Errorf("%s: %d fragments came below a barrier; expelled: %v", h.Name(), st.endpoint.Counters.Late, st.endpoint.Expelled()))
		}
		if got, want := len(st.Failed), len(t.failed)*t.net.Set.Processes; got != want {
			errs = append(errs, fmt.Errorf("%s: was told of %d processes that have failed, want %d", h.Name(), got, want))
		}
		for _, f := range st.Failed {
			if !slices.ContainsFunc(t.Fabric.Hosts, func(x *fabric.Host) bool { return t.failed[x] && x.Addr() == f.Process.Addr }) {
				errs = append(errs, fmt.Errorf("%s: was told that %v has failed, which lives", h.Name(), f.Process))
			}
			t.Told++
		}
	}
	return errors.Join(errs...)
}

// TestRandom runs random networks; `make seeds` runs very many.
func TestRandom(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(800)) // a run is small
	begin := time.Now()
	repeat := func(seed uint64) string {
		return fmt.Sprintf("go test ./systems/onepipe/fabric -run 'TestRandom$' -seed %d -seeds 1", seed)
	}
	total, failed := soak.Run(t, 4**seeds, *seed0, repeat, try)
	if len(failed) > 0 {
		t.Errorf("seeds that break a rule: %v", failed)
	}
	t.Logf("%d seeds from %d, %d broke a rule; %.1f a second\n%+v", total.Networks, *seed0, len(failed), float64(total.Networks)/time.Since(begin).Seconds(), total)
	if total.Networks >= 100 {
		soak.Busy(t, total)
	}
}

// TestFound runs the networks that have broken a rule.
func TestFound(t *testing.T) {
	files, err := found.ReadDir("testdata/found")
	require.NoError(t, err)
	for _, f := range files {
		t.Run(strings.TrimSuffix(f.Name(), ".yaml"), func(t *testing.T) {
			text, err := found.ReadFile("testdata/found/" + f.Name())
			require.NoError(t, err)
			n := network{text: string(text)}
			_, err = fmt.Sscanf(n.text, "# what fails: %d", &n.fault)
			require.NoError(t, err)
			_, err = n.run()
			require.NoError(t, err)
		})
	}
}
