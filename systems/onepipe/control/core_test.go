package control

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/onepipe/private"

	names "github.com/p4ce/p4ce/p4/onepipe"
)

const rack = `{
  "switches": [{"name": "s", "p4runtime": "unix:s", "mac": "02:00:00:00:00:01", "address": "10.0.0.1"}],
  "hosts": [
    {"name": "h1", "at": "s:1", "mac": "02:00:00:00:01:01", "address": "10.0.1.1"},
    {"name": "h2", "at": "s:2", "mac": "02:00:00:00:01:02", "address": "10.0.1.2"}
  ]
}`

// book is a journal in memory.
type book struct {
	list []Record
	fail bool
}

func (b *book) Append(r Record) error {
	if b.fail {
		return errors.New("full")
	}
	b.list = append(b.list, r)
	return nil
}
func (b *book) Records() []Record { return b.list }

func newCore(t *testing.T, j Journal) *Core {
	t.Helper()
	conf, servers, err := ParseConfig([]byte(rack))
	require.NoError(t, err)
	require.Equal(t, map[string]Server{"s": {Address: "unix:s"}}, servers)
	conf.Answer = -1 // tests answer when they like
	c, err := New(conf, j, 0)
	require.NoError(t, err)
	c.Synced(0, "s", nil)
	for o, ok := c.Poll(); ok; o, ok = c.Poll() {
		if w, is := o.(Write); is {
			c.Written(0, "s", w.ID, nil)
		}
	}
	return c
}

// join has a host ask to join, by a port, and returns the answer.
func join(t *testing.T, c *Core, port uint16, from wire.Addr, token uint64, want uint16) (m private.Message, answered bool) {
	t.Helper()
	ask := private.Message{Kind: private.Join, Token: token, Want: want}
	c.PacketIn(time.Second, "s", port, names.ReasonLocal, private.AppendFrame(nil, wire.MAC{2}, wire.MAC{2}, from, wire.Addr{10, 0, 0, 1}, &ask))
	for o, ok := c.Poll(); ok; o, ok = c.Poll() {
		switch o := o.(type) {
		case Write:
			c.Written(0, "s", o.ID, nil)
		case Send:
			require.Equal(t, port, o.Port)
			_, to, got, ok := private.ParseFrame(o.Frame)
			require.True(t, ok)
			require.Equal(t, from, to)
			m, answered = got, true
		}
	}
	return m, answered
}

// A number is one process's, whatever restarts: host or controller.
func TestNumbers(t *testing.T) {
	j := &book{}
	c := newCore(t, j)
	h1 := wire.Addr{10, 0, 1, 1}
	m, ok := join(t, c, 1, h1, 7, 3)
	require.True(t, ok)
	require.Equal(t, private.Message{Kind: private.Joined, Token: 7, First: 1, Have: 3}, m)
	m, _ = join(t, c, 1, h1, 7, 3)
	require.EqualValues(t, 1, m.First, "the same run")
	m, _ = join(t, c, 1, h1, 8, 2)
	require.EqualValues(t, 4, m.First, "the host has restarted")
	c = newCore(t, j)
	m, _ = join(t, c, 1, h1, 8, 2)
	require.EqualValues(t, 4, m.First, "the controller has, and the host has not")
	_, ok = join(t, c, 1, h1, 9, 1)
	require.False(t, ok, "the switch has forgotten the run before: it has failed")
	values := map[string][]uint64{}
	for _, r := range registers {
		values[r] = slices.Repeat([]uint64{7}, radix)
	}
	step(t, c, 2*time.Second, values)
	m, _ = join(t, c, 1, h1, 9, 1)
	require.EqualValues(t, 6, m.First, "both have")
}

// A host joins at its own port, with its own address; the rest is nobody's.
func TestStrangers(t *testing.T) {
	c := newCore(t, &book{})
	_, ok := join(t, c, 2, wire.Addr{10, 0, 1, 1}, 7, 1)
	require.False(t, ok, "by the port of another host")
	_, ok = join(t, c, 1, wire.Addr{10, 0, 1, 9}, 7, 1)
	require.False(t, ok, "from an address that nobody has")
	_, ok = join(t, c, 1, wire.Addr{10, 0, 1, 1}, 0, 1)
	require.False(t, ok, "without a token")
	require.Empty(t, c.Processes())
	_, ok = join(t, c, 1, wire.Addr{10, 0, 1, 1}, 7, 1)
	require.True(t, ok)
}

func TestConfigErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{`: "unexpected EOF",
		`{"switches": [{"name": "s", "mac": "02:00:00:00:00:01", "address": "10.0.0.1"}]}`:                           "switch s: p4runtime is missing",
		`{"switches": [{"name": "s", "p4runtime": "x", "mac": "no", "address": "10.0.0.1"}]}`:                        "switch s",
		`{"switches": [{"name": "s", "p4runtime": "x", "mac": "02:00:00:00:00:01", "address": "10.0.0.1", "x": 1}]}`: "unknown field",
		`{"switches": [{"name": "a", "p4runtime": "x", "mac": "02:00:00:00:00:01", "address": "10.0.0.1"},
		  {"name": "b", "p4runtime": "y", "mac": "02:00:00:00:00:02", "address": "10.0.0.2"}], "links": [["a:1", "b:1"]]}`: "level",
		`{"switches": [{"name": "a", "p4runtime": "x", "mac": "02:00:00:00:00:01", "address": "10.0.0.1"},
		  {"name": "b", "p4runtime": "y", "mac": "02:00:00:00:00:02", "address": "10.0.0.1", "level": 1}], "links": [["a:1", "b:1"]]}`: "switch b: has the address of switch a",
	} {
		_, _, err := ParseConfig([]byte(text))
		require.ErrorContains(t, err, want, text)
	}
}

// Numbers are durable, and damage is noticed.
func TestJournal(t *testing.T) {
	dir := t.TempDir()
	j, err := OpenJournal(dir)
	require.NoError(t, err)
	require.NoError(t, j.Append(Record{Host: "h1", Next: 4}))
	require.NoError(t, j.Append(Record{Host: "h/2", Next: 9, Token: 5, First: 8, Have: 1}))
	require.NoError(t, j.Append(Record{Host: "h1", Next: 7}))
	j, err = OpenJournal(dir)
	require.NoError(t, err)
	require.ElementsMatch(t, []Record{{Host: "h1", Next: 7}, {Host: "h/2", Next: 9, Token: 5, First: 8, Have: 1}}, j.Records())
}

// step lets the core look at the registers of its switch, and returns what it writes, one update after the other.
func step(t *testing.T, c *Core, now time.Duration, values map[string][]uint64) (list []string) {
	t.Helper()
	c.Tick(now)
	for o, ok := c.Poll(); ok; o, ok = c.Poll() {
		switch o := o.(type) {
		case Read:
			c.Values(now, "s", o.ID, values)
		case Write:
			for _, u := range o.Updates {
				list = append(list, u.String())
			}
			c.Written(now, "s", o.ID, nil)
		}
	}
	return list
}

// A link that joins begins behind what was promised, whatever was said of it; others wait for it before it is admitted, and its
// group begins behind, too, after that; it is admitted when it has come to what was promised by then, of both kinds.
func TestSteps(t *testing.T) {
	c := newCore(t, &book{})
	link, commit := names.RegisterBestEffortLink1, names.RegisterCommitLink1 // of h2
	values := map[string][]uint64{}
	set := func(promised, held, heldCommit uint64) map[string][]uint64 {
		for _, k := range kinds {
			values[k.promised] = []uint64{0, promised - 5, promised}
			for _, l := range k.links {
				values[l] = []uint64{0, 0, 0, 0}
			}
		}
		values[link][0], values[commit][0] = held, heldCommit
		return values
	}
	_, ok := join(t, c, 2, wire.Addr{10, 0, 1, 2}, 7, 1)
	require.True(t, ok)
	const promised = 0x20000000
	now := 2 * time.Second
	next := func(promised, held, heldCommit uint64) []string {
		now += 10 * time.Millisecond
		return step(t, c, now, set(promised, held, heldCommit))
	}
	list := next(promised, 0x30000000, 0x30000000)
	require.Equal(t, "set commit.link1[0] = 520093696", list[0], "2^24 behind, though the register says more; it never exceeds the other")
	require.Equal(t, "set best_effort.link1[0] = 520093696", list[1])
	require.Contains(t, list[2], "insert outputs 02", "barriers leave for it")
	require.Contains(t, list[3], "modify group")
	require.Contains(t, list[4], "insert inputs 02 -> input 01 00 01", "it joins")
	require.Len(t, list, 5)
	require.Empty(t, next(promised, promised-near-1, promised), "it is too far behind")
	require.Empty(t, next(promised, promised, promised-near-1))
	c.hosts["h2"].link.since = now // it has just begun: later it need not come so close
	list = next(promised, promised-near, promised-near)
	require.Len(t, list, 9)
	for i := range 4 {
		require.Contains(t, list[i], "modify members", "others wait for it")
	}
	require.Equal(t, []string{
		"delete inputs 02 -> input 01 00 01", "set commit.link1[0] = 520093696", "set commit.branch0[0] = 520093696",
		"set best_effort.branch0[0] = 520093696", "insert inputs 02 -> input 01 00 01",
	}, list[4:], "nothing raises the group's commit barrier before the other one is set back")
	require.Empty(t, next(promised+100, promised+99, promised+100))
	require.Empty(t, next(promised+100, promised+100, promised+99))
	list = next(promised+100, promised+100, promised+100)
	require.Equal(t, []string{"insert senders 02 0a000102 01 -> known", "modify inputs 02 -> input 02 00 01"}, list)
	require.True(t, c.Processes()[0].Admitted)
}

// admitted is a core that has admitted both hosts.
func admitted(t *testing.T) (c *Core, next func(promised, h1, h2 uint64) []string) {
	t.Helper()
	c = newCore(t, &book{})
	values := map[string][]uint64{}
	now := 2 * time.Second
	next = func(promised, h1, h2 uint64) []string {
		now += 200 * time.Millisecond
		for _, k := range kinds {
			values[k.promised] = []uint64{0, promised, promised}
			for i, l := range k.links {
				values[l] = []uint64{[]uint64{h1, h2, 0, 0}[i], 0, 0, 0}
			}
		}
		return step(t, c, now, values)
	}
	for i, a := range []wire.Addr{{10, 0, 1, 1}, {10, 0, 1, 2}} {
		_, ok := join(t, c, uint16(i+1), a, uint64(i+7), 1)
		require.True(t, ok)
	}
	for at := uint64(0x10000); !c.hosts["h1"].admitted || !c.hosts["h2"].admitted; at++ {
		require.Less(t, at, uint64(0x10040))
		next(at, at, at)
	}
	return c, next
}

// A link whose barrier stands still is fenced: nothing of it passes, best effort goes on at once, and the commit barrier does not,
// until it is known when the host has failed, which is read after the fence, and all others have answered.
func TestFence(t *testing.T) {
	c, next := admitted(t)
	var list []string
	at := uint64(0x20000)
	for ; len(list) == 0; at++ {
		require.Less(t, at, uint64(0x20010))
		list = next(at, at, 0x20000)
	}
	require.Contains(t, list, "modify members 00 -> counts 01 03 01 01")
	for _, gone := range []string{"delete inputs 02", "delete senders 02", "delete outputs 02"} {
		require.True(t, slices.ContainsFunc(list, func(u string) bool { return strings.HasPrefix(u, gone) }), "%s: %v", gone, list)
	}
	require.Nil(t, c.procedure, "its time is not known yet")
	require.Empty(t, next(at, at, 0x20123), "a late packet had raised it before the fence")
	require.NotNil(t, c.procedure)
	require.EqualValues(t, 0x20123, c.hosts["h2"].failedAt>>names.BarrierShift&0xffffffff)
	require.Empty(t, next(at+1, at+1, 0x20123), "h1 has not answered")
	require.Equal(t, []FailureStatus{{"s", "h2", c.hosts["h2"].first, c.hosts["h2"].have, c.hosts["h2"].failedAt, []string{"h1"}}}, c.Failures())
	require.False(t, c.hosts["h2"].admitted)
	answer := private.Message{Kind: private.Done, Token: 7, Number: c.procedure.number}
	c.PacketIn(time.Hour, "s", 1, names.ReasonLocal, private.AppendFrame(nil, wire.MAC{2}, wire.MAC{2}, wire.Addr{10, 0, 1, 1}, wire.Addr{10, 0, 0, 1},
		&private.Message{Kind: private.Done, Token: 7, Number: answer.Number + 1}))
	require.NotNil(t, c.procedure, "an answer to something else")
	c.PacketIn(time.Hour, "s", 1, names.ReasonLocal, private.AppendFrame(nil, wire.MAC{2}, wire.MAC{2}, wire.Addr{10, 0, 1, 1}, wire.Addr{10, 0, 0, 1}, &answer))
	require.Nil(t, c.procedure)
	require.Empty(t, c.Failures())
	list = nil
	for o, ok := c.Poll(); ok; o, ok = c.Poll() {
		if w, is := o.(Write); is {
			for _, u := range w.Updates {
				list = append(list, u.String())
			}
		}
	}
	require.Contains(t, list[0], "modify members 00 -> counts 01 01 01 01")
}

// A host that begins again before its silence was noticed is another one: others have to know of the run before first.
func TestRestart(t *testing.T) {
	c, _ := admitted(t)
	_, ok := join(t, c, 2, wire.Addr{10, 0, 1, 2}, 99, 1)
	require.False(t, ok)
	require.True(t, c.hosts["h2"].link.held)
	require.EqualValues(t, 8, c.hosts["h2"].token)
}

// A host behind a switch that has failed keeps its open link there, and is not admitted again while others are told.
func TestFailedStaysOut(t *testing.T) {
	c, _ := admitted(t)
	h := c.hosts["h2"]
	h.failedAt = 1
	c.announce([]*host{h})
	c.settle()
	require.False(t, h.admitted)
}

// A host that leaves is fenced at once, and others are told of it; one of which nobody has heard just goes.
func TestLeave(t *testing.T) {
	leave := func(c *Core, token uint64) {
		c.PacketIn(time.Hour, "s", 2, names.ReasonLocal, private.AppendFrame(nil, wire.MAC{2}, wire.MAC{2}, wire.Addr{10, 0, 1, 2}, wire.Addr{10, 0, 0, 1},
			&private.Message{Kind: private.Leave, Token: token}))
	}
	c, _ := admitted(t)
	h := c.hosts["h2"]
	leave(c, 9)
	require.False(t, h.link.held, "another run")
	leave(c, 8)
	require.True(t, h.link.held)
	require.EqualValues(t, 8, h.token, "others have to know first")
	leave(c, 8)
	require.True(t, h.link.held)

	c = newCore(t, &book{})
	_, ok := join(t, c, 2, wire.Addr{10, 0, 1, 2}, 8, 1)
	require.True(t, ok)
	leave(c, 8)
	require.False(t, c.hosts["h2"].link.held)
	require.Empty(t, c.Processes())
}

// Of several times at which hosts have failed behind a switch, the highest is right.
func TestTimes(t *testing.T) {
	require.EqualValues(t, 9, timeOf([]*link{{at: 4}, {at: 9}, {at: 7}}))
}

// said gives the core a message of a host, and returns what it says to hosts.
func said(t *testing.T, c *Core, now time.Duration, port uint16, m private.Message) (list []private.Message) {
	t.Helper()
	c.PacketIn(now, "s", port, names.ReasonLocal, private.AppendFrame(nil, wire.MAC{2}, wire.MAC{2}, wire.Addr{10, 0, 1, byte(port)}, wire.Addr{10, 0, 0, 1}, &m))
	c.Tick(now)
	for o, ok := c.Poll(); ok; o, ok = c.Poll() {
		if s, is := o.(Send); is {
			_, _, got, ok := private.ParseFrame(s.Frame)
			require.True(t, ok)
			list = append(list, got)
		}
	}
	return list
}

// A host that asks about a process that is not there is told so. One that is there is probed: it goes if it does not answer.
// If it does, and is asked about for long, the host that asks goes.
func TestAsk(t *testing.T) {
	ask := func(to wire.Addr, number uint16) private.Message {
		return private.Message{Kind: private.Ask, Token: 7, Failed: []private.Failed{{Addr: to, First: number}}}
	}
	h2 := wire.Addr{10, 0, 1, 2}
	const start = time.Hour
	c, _ := admitted(t)
	for _, nobody := range []private.Message{ask(wire.Addr{10, 9, 9, 9}, 1), ask(h2, 0), ask(h2, 2)} {
		list := said(t, c, start, 1, nobody)
		require.Len(t, list, 1)
		require.Equal(t, private.Failures, list[0].Kind)
		require.Zero(t, list[0].Number, "it needs no answer")
		require.Equal(t, nobody.Failed[0].First, list[0].Failed[0].First)
		require.EqualValues(t, 1, list[0].Failed[0].Have)
	}
	require.Empty(t, c.doubts)
	stranger := ask(h2, 1)
	stranger.Token = 8
	require.Empty(t, said(t, c, start, 1, stranger))
	require.Empty(t, said(t, c, start, 1, ask(wire.Addr{10, 0, 1, 1}, 1)), "about itself")

	gone := func(c *Core, answers bool) (h1, h2gone bool, after time.Duration) {
		for now := start; now < start+time.Minute; now += 100 * time.Millisecond {
			a := ask(h2, 1)
			a.Failed[0].Time = uint64(now - start)
			list := said(t, c, now, 1, a)
			for _, m := range list {
				if m.Kind == private.Probe && answers {
					said(t, c, now, 2, private.Message{Kind: private.Here, Token: 8, Number: m.Number})
				}
			}
			if a, b := c.hosts["h1"].link.held, c.hosts["h2"].link.held; a || b {
				return a, b, now - start
			}
		}
		return false, false, 0
	}
	c, _ = admitted(t)
	h1gone, h2gone, after := gone(c, false)
	require.Equal(t, []bool{false, true}, []bool{h1gone, h2gone})
	require.Equal(t, patience*c.conf.Patience, after)
	require.Empty(t, c.doubts)
	c, _ = admitted(t)
	h1gone, h2gone, after = gone(c, true)
	require.Equal(t, []bool{true, false}, []bool{h1gone, h2gone})
	require.Equal(t, 2*patience*c.conf.Patience+100*time.Millisecond, after)

	// Who is answered now and then is not cut off, however often it asks.
	c, _ = admitted(t)
	for now := start; now < start+time.Minute; now += 100 * time.Millisecond {
		a := ask(h2, 1)
		a.Failed[0].Time = uint64(500 * time.Millisecond)
		for _, m := range said(t, c, now, 1, a) {
			said(t, c, now, 2, private.Message{Kind: private.Here, Token: 8, Number: m.Number})
		}
		require.False(t, c.hosts["h1"].link.held)
	}

	// Who has been answered meanwhile asks no more.
	c, _ = admitted(t)
	list := said(t, c, start, 1, ask(h2, 1))
	require.Len(t, list, 1)
	require.Equal(t, private.Probe, list[0].Kind)
	said(t, c, start, 2, private.Message{Kind: private.Here, Token: 7, Number: list[0].Number})
	require.Zero(t, c.doubts[0].heard, "another run")
	said(t, c, start, 2, private.Message{Kind: private.Here, Token: 8, Number: list[0].Number + 1})
	require.Zero(t, c.doubts[0].heard, "another probe")
	c.Tick(start + c.conf.Patience + 1)
	require.Empty(t, c.doubts)

	// A controller that has lost the switch cannot have heard the answer.
	c, _ = admitted(t)
	c.Lost(start, "s")
	h1gone, h2gone, _ = gone(c, false)
	require.Equal(t, []bool{false, false}, []bool{h1gone, h2gone})
}

// A link from which nothing comes holds up nobody while it joins: hosts are admitted without it.
func TestJoinsInSilence(t *testing.T) {
	c := newCore(t, &book{})
	values := map[string][]uint64{}
	now := 2 * time.Second
	next := func(h1 uint64) {
		now += 100 * time.Millisecond
		for _, k := range kinds {
			values[k.promised] = []uint64{0, h1, h1}
			for i, l := range k.links {
				values[l] = []uint64{[]uint64{h1, 5, 0, 0}[i], 0, 0, 0}
			}
		}
		step(t, c, now, values)
	}
	for i, a := range []wire.Addr{{10, 0, 1, 1}, {10, 0, 1, 2}} {
		_, ok := join(t, c, uint16(i+1), a, uint64(i+7), 1)
		require.True(t, ok)
	}
	at := uint64(0x2000000)
	for range 4 {
		next(at)
		at++
	}
	require.False(t, c.hosts["h1"].admitted, "h2 is on its way")
	for range 8 {
		next(at)
		at++
	}
	require.True(t, c.hosts["h1"].admitted)
	require.Zero(t, c.hosts["h2"].token, "it must ask again")
}

// The time at which a host has failed is recorded before anybody hears of it, and stays what it was: a controller that starts
// again does not look again.
func TestTimeStays(t *testing.T) {
	fail := func(c *Core, next func(promised, h1, h2 uint64) []string, held uint64) {
		for at := uint64(0x20000); at < 0x20010 && c.procedure == nil; at++ {
			next(at, at, held)
		}
	}
	c, next := admitted(t)
	c.journal.(*book).fail = true
	fail(c, next, 0x20000)
	require.True(t, c.hosts["h2"].link.held)
	require.Nil(t, c.procedure, "it cannot be recorded")
	c.journal.(*book).fail = false
	fail(c, next, 0x20000)
	require.NotNil(t, c.procedure)
	list := c.journal.Records()
	require.EqualValues(t, 0x20000<<names.BarrierShift, list[len(list)-1].Failed&0x3fffffffff)

	c, next = admitted(t)
	c.journal.(*book).fail = true
	fail(c, next, 0x20000)
	c.journal.(*book).fail = false
	c.hosts["h2"].failedAt = 12345 // as the journal says
	fail(c, next, 0x20000)
	require.NotNil(t, c.procedure)
	require.EqualValues(t, 12345, c.hosts["h2"].failedAt)
}

// What is read of a busy switch is old: a link that joins for long need not come as close to what was promised, which is read
// before the links are.
func TestNear(t *testing.T) {
	for i, r := range registers {
		promised := r == kinds[0].promised || r == kinds[1].promised
		require.Equal(t, i < len(kinds), promised, r)
	}
	c := newCore(t, &book{})
	l := c.hosts["h1"].link
	require.EqualValues(t, near, c.near(l))
	c.now += 64 * c.conf.Poll
	require.EqualValues(t, 2*near, c.near(l))
	c.now += time.Hour
	require.EqualValues(t, 64*near, c.near(l))
	require.Less(t, c.near(l), uint32(behind), "what it begins with is not near")
	l.since = c.now
	require.EqualValues(t, near, c.near(l))
}
