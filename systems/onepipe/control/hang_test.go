package control

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/mirror"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	names "github.com/p4ce/p4ce/p4/onepipe"
	"github.com/p4ce/p4ce/systems/onepipe/private"
)

// images are what the switches hold.
func (n *network) images() map[string]*mirror.Image {
	images := map[string]*mirror.Image{}
	for name, s := range n.c.switches {
		im := &mirror.Image{Groups: map[uint16][]p4rtclient.Replica{}}
		for _, x := range n.c.want(s) {
			if u := x.Update(mirror.Insert); u.Entry != nil {
				im.Entries = append(im.Entries, *u.Entry)
			} else {
				im.Groups[u.Group.ID] = u.Group.Copies
			}
		}
		images[name] = im
	}
	return images
}

// replace has a controller begin that knows the journal.
func (n *network) replace() {
	n.t.Helper()
	var err error
	n.c, err = New(n.c.conf, n.c.journal, n.now)
	require.NoError(n.t, err)
}

// A switch and the controller begin anew at the same time. The journal says who had joined behind the switch: those have failed,
// at the time that its neighbours have heard of, however old that is; and its links join again from both ends, whoever is there
// first.
func TestForgetTogether(t *testing.T) {
	for _, first := range []string{"leaf", "spine"} {
		n := newNetworkOf(t, pair)
		images := n.images()
		n.replace()
		// The spine is down for longer than what a switch begins with is old.
		n.below["leaf"] = 2*behind + 100
		n.commit["leaf spine"] = n.at - 2*behind - 50
		n.still["spine leaf"], n.still["spine h3"] = n.at-behind, n.at-behind
		n.log = nil
		images["spine"] = nil
		second := map[string]string{"leaf": "spine", "spine": "leaf"}[first]
		n.c.Synced(n.now, first, images[first])
		n.drain()
		n.tick()
		n.c.Synced(n.now, second, images[second])
		n.drain()
		require.True(t, n.link("leaf", "spine").held, "%s first: the leaf does not believe it any more", first)
		n.until(func() bool { return n.c.hosts["h3"].ended != 0 })
		require.Equal(t, n.commit["leaf spine"], n.told["h3"], "%s first", first)
		require.NotContains(t, n.told, "h1")
		require.False(t, slices.ContainsFunc(n.log, func(s string) bool { return strings.HasPrefix(s, "spine: insert inputs") }), "before the others know")
		clear(n.still)
		clear(n.commit)
		clear(n.below)
		n.say(n.c.hosts["h3"], &private.Message{Kind: private.Join, Token: 9, Want: 1})
		n.until(func() bool {
			return n.c.hosts["h3"].admitted && n.link("leaf", "spine").state == open && n.link("spine", "leaf").state == open
		})
		require.NotZero(t, n.c.hosts["h1"].token)
		require.NotZero(t, n.c.hosts["h2"].token)
	}
}

// A controller dies while it tells a switch that has forgotten everything what it has in the beginning: the next one sees that it
// has not begun. Later ones find in the switch which links do not count, and in its registers that they have heard nothing.
func TestBeginsHalf(t *testing.T) {
	n := newNetworkOf(t, pair)
	images := n.images()
	n.below["leaf"] = 2*behind + 100
	n.commit["leaf spine"] = n.at - 2*behind - 50
	n.still["spine leaf"], n.still["spine h3"] = n.at-behind, n.at-behind
	n.replace()
	n.c.Synced(n.now, "spine", nil)
	whole := n.images()["spine"]
	half := *whole
	half.Entries = slices.DeleteFunc(slices.Clone(half.Entries), func(e p4rtclient.Entry) bool {
		return e.Table == names.TableInputs || e.Table == names.TableMembers && p4rtclient.ToUint(e.Get(names.TableMembersKeyMdGroup)) == 3
	})
	for _, im := range []*mirror.Image{&half, whole} {
		n.replace()
		n.c.Synced(n.now, "spine", im)
		require.Equal(t, im == &half, n.c.switches["spine"].fresh)
		n.c.Synced(n.now, "leaf", images["leaf"])
		clear(n.told)
		n.mute["h1"], n.mute["h2"] = true, true // the journal goes on from here
		n.until(func() bool { return n.told["h3"] != 0 })
		require.Equal(t, n.commit["leaf spine"], n.told["h3"])
		require.True(t, n.link("leaf", "spine").held)
	}
}

// A network that begins, and whose spine is there last, has forgotten nothing.
func TestBeginsOneByOne(t *testing.T) {
	n := newNetworkOf(t, pair)
	for _, h := range n.hosts() {
		n.say(h, &private.Message{Kind: private.Leave, Token: h.token})
	}
	n.until(func() bool { return n.c.procedure == nil && n.c.hosts["h1"].token == 0 })
	n.replace()
	n.c.Synced(n.now, "leaf", nil)
	n.drain()
	for i, h := range n.hosts()[:2] {
		n.say(h, &private.Message{Kind: private.Join, Token: uint64(i + 30), Want: 1})
	}
	n.tick()
	n.c.Synced(n.now, "spine", nil)
	n.drain()
	n.until(func() bool { return n.c.hosts["h1"].admitted && n.c.hosts["h2"].admitted })
	require.EqualValues(t, 30, n.c.hosts["h1"].token)
}

// The same, when hosts behind two leaves have joined already.
func TestSpineIsLast(t *testing.T) {
	n := newNetworkOf(t, strings.NewReplacer(`  "links": [["leaf:3", "spine:1"]],`, `  "links": [["leaf:3", "spine:1"], ["two:3", "spine:2"]],`,
		`{"name": "h3", "at": "spine:2"`, `{"name": "h3", "at": "two:2"`,
		`    {"name": "spine"`, `    {"name": "two", "p4runtime": "unix:t", "mac": "02:00:00:00:00:03", "address": "10.0.0.3"}, {"name": "spine"`).Replace(pair))
	n.c.journal = &book{}
	n.replace()
	for _, sw := range []string{"leaf", "two"} {
		n.c.Synced(n.now, sw, nil)
		n.drain()
	}
	for i, h := range n.hosts() {
		n.say(h, &private.Message{Kind: private.Join, Token: uint64(i + 30), Want: 1})
	}
	n.tick()
	n.c.Synced(n.now, "spine", nil)
	n.drain()
	for _, leaf := range []string{"leaf", "two"} {
		l := n.link("spine", leaf)
		require.False(t, l.failed || l.held, "the spine has forgotten nothing of %s", leaf)
	}
	n.until(func() bool { return !slices.ContainsFunc(n.hosts(), func(h *host) bool { return !h.admitted }) })
	require.EqualValues(t, 32, n.c.hosts["h3"].token)
}

// A link that joins from a switch that begins anew joins again: what it has heard is of before.
func TestJoinsFromOneThatBeginsAnew(t *testing.T) {
	n := newNetworkOf(t, pair)
	l := n.link("leaf", "spine")
	l.state, l.ready = joining, true
	n.log = nil
	n.c.Lost(n.now, "spine")
	n.c.Synced(n.now, "spine", nil)
	n.still["spine leaf"], n.still["spine h3"] = 1, 1
	n.drain()
	require.Equal(t, off, l.state)
	require.False(t, l.held)
}

// A switch that answers nothing counts as gone, and is asked for again. Its neighbours take out the links from it, and send it no
// barriers before it is known that those who have failed behind it get none.
func TestHangs(t *testing.T) {
	n := newNetworkOf(t, pair)
	images := n.images()
	n.hung, n.log = "spine", nil
	n.still["leaf spine"] = n.at
	n.link("spine", "leaf").ready = false // it was being told something
	began := n.now
	n.until(func() bool { return len(n.again) > 0 })
	require.Equal(t, []string{"spine"}, n.again)
	require.LessOrEqual(t, n.now-began, n.c.conf.Answer+300*time.Millisecond)
	n.until(func() bool { return n.c.procedure != nil || n.c.hosts["h3"].ended != 0 })
	n.until(func() bool { return n.c.hosts["h3"].ended != 0 })
	const barriers = "leaf: delete outputs 03 -> up 020000000001 0a000001 00 00"
	quiet := slices.Index(n.log, barriers)
	lets := slices.IndexFunc(n.log, func(s string) bool { return strings.HasPrefix(s, "leaf: modify members 02 -> counts 00 00 ") })
	require.GreaterOrEqual(t, quiet, 0, "%q", n.log)
	require.Less(t, quiet, lets, "before the commit barrier goes on without it: %q", n.log)
	require.Len(t, n.again, 1, "it is asked once")

	// Others may leave and join meanwhile.
	h2 := n.c.hosts["h2"]
	n.say(h2, &private.Message{Kind: private.Leave, Token: h2.token})
	n.until(func() bool { return h2.token == 0 })
	n.say(h2, &private.Message{Kind: private.Join, Token: 77, Want: 1})
	n.until(func() bool { return h2.admitted })

	// It answers: what it was asked before, and what it holds.
	late := n.unsaid[len(n.unsaid)-1]
	n.hung, n.slow, n.log = "", "spine", nil
	n.later = nil
	n.c.Synced(n.now, "spine", images["spine"])
	n.drain()
	n.c.Values(n.now, "spine", late.ID, n.registers("spine"))
	for range 5 {
		n.tick()
	}
	const again = "leaf: insert outputs 03 -> up 020000000001 0a000001 00 00"
	require.NotContains(t, n.log, again, "h3 still gets barriers")
	n.slow = ""
	clear(n.still)
	for len(n.later) > 0 {
		w := n.later[0]
		n.later = n.later[1:]
		for _, u := range w.Updates {
			n.log = append(n.log, w.Switch+": "+u.String())
		}
		n.c.Written(n.now, w.Switch, w.ID, nil)
		n.drain()
	}
	n.until(func() bool { return slices.Contains(n.log, again) })
	mute := slices.IndexFunc(n.log, func(s string) bool { return strings.HasPrefix(s, "spine: delete outputs 02") })
	require.GreaterOrEqual(t, mute, 0)
	require.Less(t, mute, slices.Index(n.log, again))
	n.say(n.c.hosts["h3"], &private.Message{Kind: private.Join, Token: 9, Want: 1})
	n.until(func() bool { return n.c.hosts["h3"].admitted })
}

// A switch that hangs with hosts that have failed is not waited for, but their neighbours' silence is: they may hear what comes
// from there.
func TestHangsWithFailed(t *testing.T) {
	n := newNetworkOf(t, pair)
	n.still["leaf spine"] = n.at
	n.c.fence(n.c.switches["leaf"], n.link("leaf", "spine"), "the test says so") // while the spine answers
	n.drain()
	require.False(t, n.link("leaf", "spine").mute)
	n.hung = "spine"
	n.slow = "leaf"
	n.until(func() bool { return len(n.again) > 0 })
	for range 3 {
		n.tick()
	}
	require.True(t, n.link("leaf", "spine").mute)
	require.Zero(t, n.c.hosts["h3"].ended, "the leaf still sends it barriers")
	n.slow = ""
	for len(n.later) > 0 {
		w := n.later[0]
		n.later = n.later[1:]
		n.c.Written(n.now, w.Switch, w.ID, nil)
		n.drain()
	}
	n.until(func() bool { return n.c.hosts["h3"].ended != 0 })
}

// An answer to a question before the switch was lost is none to a later one.
func TestLateValues(t *testing.T) {
	n := newNetworkOf(t, pair)
	n.hung = "spine"
	n.until(func() bool { return len(n.unsaid) == 1 })
	image := n.images()["spine"]
	n.c.Lost(n.now, "spine")
	n.now += time.Millisecond
	n.c.Synced(n.now, "spine", image)
	n.until(func() bool { return len(n.unsaid) == 2 })
	n.c.Values(n.now, "spine", n.unsaid[0].ID, n.registers("spine"))
	require.NotZero(t, n.c.switches["spine"].reading)
	n.c.Values(n.now, "spine", n.unsaid[1].ID, n.registers("spine"))
	require.Zero(t, n.c.switches["spine"].reading)
}

// The inputs of a switch that answers late are not silent: it may have heard nothing meanwhile.
func TestAnswersLate(t *testing.T) {
	n := newNetworkOf(t, pair)
	stop := func() { // the switch stands still itself
		at := n.at
		n.still["spine leaf"], n.still["spine h3"] = at, at
		n.until(func() bool { return n.link("spine", "h3").said[0] == uint32(at) })
	}
	stop()
	n.hung = "spine"
	n.until(func() bool { return len(n.unsaid) == 1 })
	for range 10 {
		n.tick()
	}
	n.hung = ""
	n.c.Values(n.now, "spine", n.unsaid[0].ID, n.registers("spine"))
	n.drain()
	require.Equal(t, open, n.link("spine", "h3").state)
	clear(n.still)
	for range 10 {
		n.tick()
	}
	require.Equal(t, open, n.link("spine", "h3").state)
	n.still["spine h3"] = n.at
	n.until(func() bool { return n.link("spine", "h3").state != open })

	// So are those of a switch that was lost for a while.
	n = newNetworkOf(t, pair)
	stop()
	image := n.images()["spine"]
	n.c.Lost(n.now, "spine")
	n.now += time.Minute
	n.c.Synced(n.now, "spine", image)
	n.drain()
	for range 3 {
		n.tick()
	}
	require.Equal(t, open, n.link("spine", "h3").state)
}

// A controller that begins anew finds in its neighbours that a switch is to get no barriers.
func TestHangsBeyondTheController(t *testing.T) {
	n := newNetworkOf(t, pair)
	n.hung = "spine"
	n.still["leaf spine"] = n.at
	n.until(func() bool { return n.c.hosts["h3"].ended != 0 })
	images := n.images()
	n.replace()
	n.log = nil
	n.c.Synced(n.now, "leaf", images["leaf"])
	n.drain()
	for range 10 {
		n.tick()
	}
	const again = "leaf: insert outputs 03 -> up 020000000001 0a000001 00 00"
	require.NotContains(t, n.log, again)
	n.hung = ""
	clear(n.still)
	n.c.Synced(n.now, "spine", images["spine"])
	n.drain()
	n.until(func() bool { return slices.Contains(n.log, again) })
}

// The links of a switch that begins have said nothing, and it shows: they are further below what it promises than any that counts.
func TestInitial(t *testing.T) {
	n := newNetworkOf(t, pair)
	n.replace()
	n.hung = "leaf"
	n.c.Synced(n.now, "leaf", nil)
	o, ok := n.c.Poll()
	for ; ok; o, ok = n.c.Poll() {
		if _, is := o.(Write); is {
			break
		}
	}
	values := map[string]uint64{}
	for _, u := range o.(Write).Updates {
		if u.Register != nil {
			values[u.Register.Name] = u.Register.Value
		}
	}
	for _, k := range kinds {
		for _, l := range k.links {
			require.EqualValues(t, behind, values[k.promised]-values[l])
		}
	}
	require.Greater(t, uint64(behind/2), uint64(64*near), "what counts is not as far")
}
