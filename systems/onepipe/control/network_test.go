package control

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/systems/onepipe/private"

	names "github.com/p4ce/p4ce/p4/onepipe"
)

// pair is a leaf with h1 and h2 below a spine with h3.
const pair = `{
  "switches": [
    {"name": "leaf", "p4runtime": "unix:l", "mac": "02:00:00:00:00:01", "address": "10.0.0.1"},
    {"name": "spine", "p4runtime": "unix:s", "mac": "02:00:00:00:00:02", "address": "10.0.0.2", "level": 1}],
  "links": [["leaf:3", "spine:1"]],
  "hosts": [
    {"name": "h1", "at": "leaf:1", "mac": "02:00:00:00:01:01", "address": "10.0.1.1"},
    {"name": "h2", "at": "leaf:2", "mac": "02:00:00:00:01:02", "address": "10.0.1.2"},
    {"name": "h3", "at": "spine:2", "mac": "02:00:00:00:01:03", "address": "10.0.1.3"}]}`

// network is a core with switches whose registers are what the test says: the barriers of all links are at, but for
// those that stand still. Hosts answer at once.
type network struct {
	t       *testing.T
	c       *Core
	now     time.Duration
	at      uint64
	still   map[string]uint64 // by switch and the name of what is behind the link: both barriers
	commit  map[string]uint64 // the same: the commit barrier
	log     []string          // updates
	told    map[string]uint64 // when hosts have failed, as the others are told
	mute    map[string]bool   // hosts that do not answer
	slow    string            // the switch that does not do what it is told
	later   []Write           // what it does later
	hung    string            // the switch that answers nothing
	unsaid  []Read            // what it was asked
	again   []string          // switches that are to be read back
	outcome *private.Message  // the last Outcome
	ended   uint64            // the last token of a run that has ended, and of which nothing is known
	below   map[string]uint64 // how far below all others a switch's promises are, by its name
}

func newNetworkOf(t *testing.T, text string) *network {
	t.Helper()
	conf, _, err := ParseConfig([]byte(text))
	require.NoError(t, err)
	conf.Clock = func(now time.Duration) uint64 { return 1<<28<<names.BarrierShift + uint64(now) }
	n := &network{t: t, now: time.Second, at: 1 << 28, still: map[string]uint64{}, commit: map[string]uint64{}, told: map[string]uint64{}, mute: map[string]bool{}, below: map[string]uint64{}}
	n.c, err = New(conf, &book{}, n.now)
	require.NoError(t, err)
	for _, s := range conf.Net.Switches() {
		n.c.Synced(n.now, s, nil)
	}
	n.drain()
	for i, h := range n.hosts() {
		n.say(h, &private.Message{Kind: private.Join, Token: uint64(i + 1), Want: 1})
	}
	n.until(func() bool { return !slices.ContainsFunc(n.hosts(), func(h *host) bool { return !h.admitted }) })
	return n
}

func (n *network) hosts() (list []*host) {
	for _, h := range n.c.conf.Net.Hosts() {
		list = append(list, n.c.hosts[h.Name])
	}
	return list
}

// say has a host say something to the controller.
func (n *network) say(h *host, m *private.Message) {
	to := n.c.conf.Switches[h.at.name]
	n.c.PacketIn(n.now, h.at.name, h.link.port, names.ReasonLocal, private.AppendFrame(nil, h.addr.MAC, to.MAC, h.addr.IP, to.IP, m))
	n.drain()
}

// link is an input of a switch, by what is behind it.
func (n *network) link(sw, from string) *link {
	for _, l := range n.c.switches[sw].inputs {
		if l.host == from || l.target == from {
			return l
		}
	}
	return nil
}

// registers are those of a switch.
func (n *network) registers(sw string) map[string][]uint64 {
	v := map[string][]uint64{}
	for i, k := range kinds {
		v[k.promised] = slices.Repeat([]uint64{n.at - n.below[sw]}, 4)
		for _, r := range k.links {
			v[r] = make([]uint64, radix)
		}
		for _, l := range n.c.switches[sw].inputs {
			name := sw + " " + l.host + l.target
			at := n.at
			if x, ok := n.still[name]; ok {
				at = x
			}
			if x, ok := n.commit[name]; ok && i == 1 {
				at = x
			}
			v[k.links[l.place%radix]][l.place/radix] = at
		}
	}
	return v
}

// drain does what the core wants.
func (n *network) drain() {
	for o, ok := n.c.Poll(); ok; o, ok = n.c.Poll() {
		switch o := o.(type) {
		case Resync:
			n.again = append(n.again, o.Switch)
		case Read:
			if o.Switch == n.hung {
				n.unsaid = append(n.unsaid, o)
				continue
			}
			n.c.Values(n.now, o.Switch, o.ID, n.registers(o.Switch))
		case Write:
			if o.Switch == n.slow || o.Switch == n.hung {
				n.later = append(n.later, o)
				continue
			}
			for _, u := range o.Updates {
				n.log = append(n.log, o.Switch+": "+u.String())
			}
			n.c.Written(n.now, o.Switch, o.ID, nil)
		case Send:
			_, to, m, ok := private.ParseFrame(o.Frame)
			switch {
			case ok && m.Kind == private.Outcome:
				n.outcome = &m
			case ok && m.Kind == private.Joined && m.Have == 0:
				n.ended = m.Token
			}
			if ok && m.Kind == private.Failures {
				for _, f := range m.Failed {
					n.told[n.c.byAddr[f.Addr].name] = f.Time >> names.BarrierShift & (1<<32 - 1)
				}
				if !n.mute[n.c.byAddr[to].name] {
					n.say(n.c.byAddr[to], &private.Message{Kind: private.Done, Token: m.Token, Number: m.Number})
				}
			}
		}
	}
}

// tick lets some time pass.
func (n *network) tick() {
	n.now += 100 * time.Millisecond
	n.at++
	n.c.Tick(n.now)
	n.drain()
}

// until lets time pass until something is so.
func (n *network) until(is func() bool) {
	n.t.Helper()
	for range 100 {
		if is() {
			return
		}
		n.tick()
	}
	require.Fail(n.t, "it does not come to that")
}

// When a host has failed is what its own switch has heard of its commit barrier, though its switch has failed from the others'
// view: what the link between the switches says in the other direction is about others.
func TestTimeOfWhoIsCutOff(t *testing.T) {
	n := newNetworkOf(t, pair)
	n.still["spine leaf"] = n.at // only the spine notices that the link has failed
	n.commit["spine h3"] = n.at - 100
	n.until(func() bool { return n.c.hosts["h3"].ended != 0 })
	require.Equal(t, n.commit["spine h3"], n.told["h3"], "the leaf's own commit barrier is higher")
	require.Equal(t, off, n.c.hosts["h3"].link.state, "it is fenced")
	require.NotZero(t, n.c.hosts["h1"].token)
}

// A switch that no input of which counts is looked at nevertheless: its links come back.
func TestAllInputsFail(t *testing.T) {
	n := newNetworkOf(t, pair)
	n.still["spine leaf"], n.still["spine h3"] = n.at, n.at
	n.until(func() bool { return n.c.hosts["h3"].ended != 0 })
	require.Equal(t, off, n.link("spine", "leaf").state)
	n.now += time.Hour
	clear(n.still)
	n.until(func() bool { return n.link("spine", "leaf").state == open })
}

// A host that has failed hears nothing more, until it joins as another one: it would receive what the others take back.
func TestFailedHearsNothing(t *testing.T) {
	n := newNetworkOf(t, pair)
	n.still["leaf h2"] = n.at
	n.log = nil
	n.until(func() bool { return n.c.hosts["h2"].ended != 0 })
	lets := slices.IndexFunc(n.log, func(s string) bool { return strings.HasPrefix(s, "leaf: modify members 00 -> counts 01 01 ") })
	mute := slices.Index(n.log, "leaf: delete outputs 02 -> down 020000000001 0a000001 00 00")
	require.Positive(t, mute)
	require.Less(t, mute, lets, "before the commit barrier goes on without it")
	clear(n.still)
	n.say(n.c.hosts["h2"], &private.Message{Kind: private.Join, Token: 9, Want: 1})
	n.until(func() bool { return n.c.hosts["h2"].admitted })
	require.Contains(t, n.log, "leaf: insert outputs 02 -> down 020000000001 0a000001 00 00")
}

// A switch that begins anew does not know what it had promised: the hosts that had no other way have failed, at the time that
// its neighbours have heard of, and its links join again from both ends.
func TestSwitchBeginsAnew(t *testing.T) {
	n := newNetworkOf(t, pair)
	n.commit["leaf spine"] = n.at - 7
	n.c.Lost(n.now, "spine")
	n.drain()
	n.c.Synced(n.now, "spine", nil)
	n.still["spine leaf"], n.still["spine h3"] = 1, 1 // its registers begin anew, too
	n.drain()
	n.until(func() bool { return n.c.hosts["h3"].ended != 0 })
	require.Equal(t, n.commit["leaf spine"], n.told["h3"])
	require.Equal(t, off, n.link("leaf", "spine").state)
	clear(n.still)
	clear(n.commit)
	n.say(n.c.hosts["h3"], &private.Message{Kind: private.Join, Token: 9, Want: 1})
	n.until(func() bool {
		return n.c.hosts["h3"].admitted && n.link("leaf", "spine").state == open && n.link("spine", "leaf").state == open
	})
}

// A controller that begins anew tells all hosts that may have been admitted before.
func TestBeginsAnewAndTells(t *testing.T) {
	n := newNetworkOf(t, pair)
	kept := n.c.journal
	n.mute["h1"], n.mute["h3"] = true, true
	n.c.fence(n.c.switches["leaf"], n.link("leaf", "h2"), "the test says so")
	images := n.images()
	n.until(func() bool { return n.c.procedure != nil })
	before := n.c.procedure.number
	n.now += time.Millisecond
	var err error
	n.c, err = New(n.c.conf, kept, n.now)
	require.NoError(t, err)
	n.c.Synced(n.now, "leaf", images["leaf"]) // the other one is slower
	n.until(func() bool { return n.c.procedure != nil })
	n.c.Synced(n.now, "spine", images["spine"])
	n.drain()
	for _, name := range []string{"h1", "h3"} {
		h := n.c.hosts[name]
		n.say(h, &private.Message{Kind: private.Done, Token: h.token, Number: before})
		require.NotNil(t, n.c.procedure, "%s has answered the controller before, which knew less", name)
		n.say(h, &private.Message{Kind: private.Done, Token: h.token, Number: n.c.procedure.number})
	}
	require.Nil(t, n.c.procedure)
}

// Who does not answer has failed, too, and hears nothing more before the others go on.
func TestLateHearsNothing(t *testing.T) {
	n := newNetworkOf(t, pair)
	n.mute["h3"], n.slow = true, "spine"
	n.still["leaf h2"] = n.at
	n.until(func() bool { return n.c.hosts["h3"].link.held })
	for range 12 {
		n.tick()
	}
	require.NotNil(t, n.c.procedure, "h3 is not fenced yet, and may receive")
	n.slow = ""
	for _, w := range n.later {
		n.c.Written(n.now, w.Switch, w.ID, nil)
	}
	n.drain()
	n.until(func() bool { return n.c.procedure == nil })
	require.Contains(t, n.told, "h3")
}

// When all hosts below a switch have failed, the commit barrier above it waits until the others know that.
func TestAllBelowFail(t *testing.T) {
	n := newNetworkOf(t, pair)
	n.mute["h3"], n.log = true, nil
	n.still["leaf h1"], n.still["leaf h2"] = n.at, n.at
	n.until(func() bool { return n.c.procedure != nil })
	for range 3 {
		n.tick()
	}
	require.Equal(t, off, n.link("spine", "leaf").state)
	const alone = "spine: modify members 00 -> counts 01 01 01 01"
	require.NotContains(t, n.log, alone)
	n.mute["h3"] = false
	n.until(func() bool { return n.c.procedure == nil })
	require.Contains(t, n.log, alone)
}

// A host that joins in a part of the network that the others do not reach is not admitted: with others of its part, it would be
// an order of its own, and messages to it from the others would hold up theirs. It is when there is a way. Until then it waits, and
// has not failed: nobody knows of it.
func TestApart(t *testing.T) {
	n := newNetworkOf(t, pair)
	n.still["spine leaf"], n.still["leaf spine"] = n.at, n.at
	n.until(func() bool { return n.c.hosts["h3"].ended != 0 })
	h3 := n.c.hosts["h3"]
	n.say(h3, &private.Message{Kind: private.Join, Token: 9, Want: 1})
	for range 30 {
		n.tick()
		require.False(t, h3.admitted)
	}
	require.Equal(t, open, h3.link.state)
	n.still["leaf h2"] = n.at // others find out who has failed
	n.until(func() bool { return n.c.hosts["h2"].ended != 0 })
	require.EqualValues(t, 9, h3.token)
	require.True(t, n.c.hosts["h1"].admitted)
	clear(n.still)
	n.until(func() bool { return h3.admitted })
	require.EqualValues(t, 9, h3.token)
	require.Equal(t, open, n.link("leaf", "spine").state)
	require.Equal(t, open, n.link("spine", "leaf").state)
}

// When all begin again in a network that has fallen into parts, the largest part does, whoever comes first.
func TestLargestPartBegins(t *testing.T) {
	const h0 = `{"name": "h0", "at": "spine:2", "mac": "02:00:00:00:01:00", "address": "10.0.1.10"},`
	first := strings.Replace(pair, `"hosts": [`, `"hosts": [`+h0, 1)
	n := newNetworkOf(t, first[:strings.Index(first, ",\n    {\"name\": \"h3\"")]+"]}")
	n.still["spine leaf"], n.still["leaf spine"] = n.at, n.at
	n.until(func() bool { return n.c.hosts["h0"].ended != 0 })
	for _, h := range n.hosts()[1:] {
		n.say(h, &private.Message{Kind: private.Leave, Token: h.token})
	}
	n.until(func() bool { return !slices.ContainsFunc(n.hosts(), func(h *host) bool { return h.token != 0 }) })
	for i, h := range n.hosts() {
		n.say(h, &private.Message{Kind: private.Join, Token: uint64(i + 20), Want: 1})
	}
	n.until(func() bool { return n.c.hosts["h1"].admitted && n.c.hosts["h2"].admitted })
	require.Equal(t, open, n.c.hosts["h0"].link.state)
	require.False(t, n.c.hosts["h0"].admitted)
}
