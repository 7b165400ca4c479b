package control

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	names "github.com/p4ce/p4ce/p4/onepipe"
	"github.com/p4ce/p4ce/systems/onepipe/private"
)

// returning is a network in which h2 has failed and h3 is slow to answer, and when that was, as a barrier.
func returning(t *testing.T) (n *network, failed uint64) {
	n = newNetworkOf(t, pair)
	n.mute["h1"], n.mute["h3"] = true, true
	n.still["leaf h2"] = n.at
	n.until(func() bool { return n.c.procedure != nil })
	return n, n.at
}

// done has a host answer, and say that what it has sent to h2 counts below a barrier.
func (n *network) done(name string, barrier uint64) {
	h, h2 := n.c.hosts[name], n.c.hosts["h2"]
	at := barrier << names.BarrierShift & (1<<48 - 1)
	n.say(h, &private.Message{Kind: private.Done, Token: h.token, Number: n.c.procedure.number, Failed: []private.Failed{{Addr: h2.addr.IP, First: h2.first, Have: h2.have, Time: at}}})
}

// asks has h2's run that has failed ask, and returns what it is told.
func (n *network) asks() *private.Message {
	n.outcome = nil
	h := n.c.hosts["h2"]
	n.say(h, &private.Message{Kind: private.Join, Token: 2, Want: 1})
	return n.outcome
}

// times are those of an Outcome, as barriers, by host.
func (n *network) times(m *private.Message) map[string]uint64 {
	out := map[string]uint64{}
	for _, f := range m.Failed {
		out[n.c.byAddr[f.Addr].name] = f.Time >> names.BarrierShift & (1<<32 - 1)
	}
	return out
}

// A host that has failed and asks is told what counts of what each other one has sent, when the commit barrier has passed that at all
// switches. What it has sent itself counts below the time of its failure.
func TestOutcome(t *testing.T) {
	n, _ := returning(t)
	far := n.at + 40
	n.done("h1", n.at-3)
	n.done("h3", far)
	require.Nil(t, n.c.procedure)
	require.Zero(t, n.c.hosts["h2"].token)
	n.below["spine"] = 1 << 20
	for n.at < far+3 {
		require.Nil(t, n.asks(), "what h3 has said is not certain")
		n.tick()
	}
	for range 5 {
		n.tick()
	}
	require.Nil(t, n.asks(), "the spine's hosts have not got that barrier")
	clear(n.below)
	n.outcome = nil
	n.until(func() bool { return n.outcome != nil }) // it need not ask again
	require.Equal(t, map[string]uint64{"h1": n.times(n.outcome)["h1"], "h2": n.told["h2"], "h3": far}, n.times(n.outcome))
	require.EqualValues(t, 2, n.outcome.Token)
	require.EqualValues(t, 3, n.outcome.Want)

	// So it is by the journal.
	n.replace()
	again := n.c.hosts["h2"]
	require.EqualValues(t, 2, again.ended)
	require.Len(t, again.counts, 3)
}

// What a host says first counts, whatever it says later, also to another controller; and if it fails, what counts is below that.
func TestOutcomeOfOneThatFails(t *testing.T) {
	n, at := returning(t)
	n.done("h3", at+1000)
	before := n.images()
	n.replace()
	n.c.Synced(n.now, "leaf", before["leaf"])
	n.c.Synced(n.now, "spine", before["spine"])
	n.drain()
	n.until(func() bool { return n.c.procedure != nil })
	n.done("h3", at+2000)
	n.done("h1", at-1)
	n.until(func() bool { return n.c.procedure == nil })
	times := map[string]uint64{}
	for _, x := range n.c.hosts["h2"].counts {
		times[x.Host] = x.Time >> names.BarrierShift & (1<<32 - 1)
	}
	require.Equal(t, at+1000, times["h3"])
	n.mute["h1"] = false
	n.still["spine h3"], n.commit["spine h3"] = n.at, n.at-2
	failed := n.at - 2
	n.until(func() bool { return n.c.hosts["h3"].ended != 0 })
	require.Equal(t, failed, n.told["h3"])
	n.outcome = nil
	n.until(func() bool { n.asks(); return n.outcome != nil })
	require.Equal(t, failed, n.times(n.outcome)["h3"])
}

// What counted for the run before counts no more.
func TestOutcomeOfTheLastRun(t *testing.T) {
	n, at := returning(t)
	n.done("h1", at-3)
	n.done("h3", at-3)
	clear(n.still)
	h := n.c.hosts["h2"]
	n.say(h, &private.Message{Kind: private.Join, Token: 60, Want: 1})
	n.until(func() bool { return h.admitted })
	require.EqualValues(t, 2, h.ended, "it may still ask")
	n.still["leaf h2"] = n.at
	n.until(func() bool { return n.c.procedure != nil })
	require.Zero(t, h.ended)
	at = n.at
	n.done("h1", at-3)
	n.done("h3", at-3)
	require.EqualValues(t, 60, h.ended)
	require.Len(t, h.counts, 3)
	require.Equal(t, at-3, h.counts[0].Time>>names.BarrierShift&(1<<32-1))
}

// Of one that has left nothing is kept, nor of a run before the last.
func TestNoOutcome(t *testing.T) {
	n := newNetworkOf(t, pair)
	h := n.c.hosts["h2"]
	n.say(h, &private.Message{Kind: private.Leave, Token: h.token})
	n.until(func() bool { return h.token == 0 })
	require.Empty(t, h.counts)
	require.Nil(t, n.asks())
	require.EqualValues(t, 2, n.ended, "it is told that its run has ended")
	n.now += time.Second
	n.say(h, &private.Message{Kind: private.Join, Token: 50, Want: 1})
	n.until(func() bool { return h.admitted })
	n.still["leaf h2"] = n.at
	n.until(func() bool { return h.ended == 50 })
	require.NotEmpty(t, h.counts)
}
