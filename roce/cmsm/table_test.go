package cmsm

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/cm"
)

// states makes a connection in each state, on agent a of the pair if it is active, on b
// if it is not. Whatever was to be sent or told is taken away.
var states = []struct {
	name string
	make func(p *pair) *Conn
	does string
}{
	{"req-sent", func(p *pair) *Conn { return p.connect(17) }, `
		REP: rep-received, +accepted, in 10s
		MRA of REQ: req-sent, in 4.394967296s
		REJ: time-wait, +rejected, in 1s
		Reject: time-wait, >REJ of 2 for 28, in 1s
		Disconnect: time-wait, >REJ of 2 for 28, in 1s
		in time: req-sent, >REQ, in 100ms, Retransmitted=1; req-sent, >REQ, in 100ms, Retransmitted=1; req-sent, >REQ, in 100ms, Retransmitted=1; time-wait, +timed out, >REJ of 0 for 4, in 1s; gone`},
	{"rep-received", func(p *pair) *Conn { return p.until(2) }, `
		REP: rep-received, in 9.999s, Duplicates=1
		REJ: time-wait, +rejected, in 1s
		DREQ: time-wait, +disconnected, >DREP, in 1s
		Delay: rep-received, >MRA, in 9.999s
		Reject: time-wait, >REJ of 1 for 28, in 1s
		Confirm: established, >RTU
		Disconnect: time-wait, >REJ of 1 for 28, in 1s
		in time: time-wait, +timed out, >REJ of 2 for 4, in 1s; gone`},
	{"rep-received, delayed", func(p *pair) *Conn {
		c := p.until(2)
		require.NoError(p.t, c.Delay(p.now, time.Second))
		return c
	}, `
		REP: rep-received, >MRA, in 9.999s, Repeated=1
		REJ: time-wait, +rejected, in 1s
		DREQ: time-wait, +disconnected, >DREP, in 1s
		Delay: rep-received, >MRA, in 9.999s
		Reject: time-wait, >REJ of 1 for 28, in 1s
		Confirm: established, >RTU
		Disconnect: time-wait, >REJ of 1 for 28, in 1s
		in time: time-wait, +timed out, >REJ of 2 for 4, in 1s; gone`},
	{"established, active", func(p *pair) *Conn { c, _ := p.establish(17); return c }, `
		REP: established, >RTU, Repeated=1
		RTU: established, Duplicates=1
		DREQ: time-wait, +disconnected, >DREP, in 1s
		Disconnect: dreq-sent, >DREQ, in 100ms`},
	{"requested", func(p *pair) *Conn { return p.until(1) }, `
		REJ: time-wait, +rejected, in 1s
		REQ: requested, in 9.999s, Duplicates=1
		Delay: requested, >MRA, in 9.999s
		Accept: rep-sent, >REP, in 100ms
		Reject: time-wait, >REJ of 0 for 28, in 1s
		Disconnect: time-wait, >REJ of 0 for 28, in 1s
		in time: time-wait, +timed out, >REJ of 2 for 4, in 1s; gone`},
	{"requested, delayed", func(p *pair) *Conn {
		c := p.until(1)
		require.NoError(p.t, c.Delay(p.now, time.Second))
		return c
	}, `
		REJ: time-wait, +rejected, in 1s
		REQ: requested, >MRA, in 9.999s, Repeated=1
		Delay: requested, >MRA, in 9.999s
		Accept: rep-sent, >REP, in 100ms
		Reject: time-wait, >REJ of 0 for 28, in 1s
		Disconnect: time-wait, >REJ of 0 for 28, in 1s
		in time: time-wait, +timed out, >REJ of 2 for 4, in 1s; gone`},
	{"rep-sent", func(p *pair) *Conn { c := p.until(1); p.accept(c); return c }, `
		RTU: established, +established
		Heard: established, +established
		MRA of REP: rep-sent, in 4.394967296s
		REJ: time-wait, +rejected, in 1s
		DREQ: time-wait, +disconnected, >DREP, in 1s
		REQ: rep-sent, >REP, in 99ms, Repeated=1
		Reject: time-wait, >REJ of 2 for 28, in 1s
		Disconnect: dreq-sent, >DREQ, in 100ms
		in time: rep-sent, >REP, in 100ms, Retransmitted=1; rep-sent, >REP, in 100ms, Retransmitted=1; rep-sent, >REP, in 100ms, Retransmitted=1; time-wait, +timed out, >REJ of 1 for 4, in 1s; gone`},
	{"established, passive", func(p *pair) *Conn { _, c := p.establish(17); return c }, `
		RTU: established, Duplicates=1
		DREQ: time-wait, +disconnected, >DREP, in 1s
		REQ: established, Duplicates=1
		Disconnect: dreq-sent, >DREQ, in 100ms`},
	{"dreq-sent", func(p *pair) *Conn {
		c, _ := p.establish(17)
		require.NoError(p.t, c.Disconnect(p.now, nil))
		return c
	}, `
		REJ: time-wait, +disconnected, in 1s
		DREQ: time-wait, +disconnected, >DREP, in 1s
		DREP: time-wait, +disconnected, in 1s
		in time: dreq-sent, >DREQ, in 100ms, Retransmitted=1; dreq-sent, >DREQ, in 100ms, Retransmitted=1; dreq-sent, >DREQ, in 100ms, Retransmitted=1; time-wait, +disconnected, in 1s; gone`},
	{"time-wait, refused", func(p *pair) *Conn {
		c := p.until(1)
		require.NoError(p.t, c.Reject(p.now, cm.ReasonConsumer, nil))
		return c
	}, `
		REJ: time-wait, in 999ms, Duplicates=1
		DREQ: time-wait, >DREP, in 999ms, Repeated=1
		REQ: time-wait, >REJ of 0 for 28, in 999ms, Repeated=1
		in time: gone`},
	{"time-wait, refusing", func(p *pair) *Conn {
		c := p.until(2)
		require.NoError(p.t, c.Reject(p.now, cm.ReasonConsumer, nil))
		return c
	}, `
		REP: time-wait, >REJ of 1 for 28, in 999ms, Repeated=1
		REJ: time-wait, in 999ms, Duplicates=1
		DREQ: time-wait, >DREP, in 999ms, Repeated=1
		in time: gone`},
	{"time-wait, let go", func(p *pair) *Conn {
		c, _ := p.establish(17)
		require.NoError(p.t, c.Disconnect(p.now, nil))
		p.a.Receive(p.now, addrA, addrB, theirTID, &cm.DREP{LocalCommID: c.RemoteID(), RemoteCommID: c.LocalID()})
		return c
	}, `
		REJ: time-wait, in 999ms, Duplicates=1
		DREQ: time-wait, >DREP, in 999ms, Repeated=1
		in time: gone`},
	{"time-wait, forgotten", func(p *pair) *Conn {
		c, _ := p.establish(17)
		p.a.Receive(p.now, addrA, addrB, theirTID, &cm.REJ{LocalCommID: c.RemoteID(), RemoteCommID: c.LocalID(), Reason: cm.ReasonStaleConnection})
		require.Equal(p.t, Counters{}, p.a.Counters())
		return c
	}, `
		REJ: time-wait, in 999ms, Duplicates=1
		DREQ: time-wait, >DREP, in 999ms, Repeated=1
		in time: gone`},
	{"time-wait, rejected, active", func(p *pair) *Conn {
		c := p.until(2)
		p.a.Receive(p.now, addrA, addrB, theirTID, &cm.REJ{LocalCommID: c.RemoteID(), RemoteCommID: c.LocalID(), Reason: cm.ReasonNoResources, PrivateData: []byte("bye")})
		return c
	}, `
		REJ: time-wait, in 999ms, Duplicates=1
		DREQ: time-wait, >DREP, in 999ms, Repeated=1
		in time: gone`},
	{"time-wait, rejected, passive", func(p *pair) *Conn {
		c := p.until(1)
		p.accept(c)
		p.b.Receive(p.now, addrB, addrA, theirTID, &cm.REJ{LocalCommID: c.RemoteID(), RemoteCommID: c.LocalID(), Reason: cm.ReasonNoResources, PrivateData: []byte("bye")})
		return c
	}, `
		REJ: time-wait, in 999ms, Duplicates=1
		DREQ: time-wait, >DREP, in 999ms, Repeated=1
		REQ: time-wait, in 999ms, Duplicates=1
		in time: gone`},
	{"time-wait, disconnected while rejecting", func(p *pair) *Conn {
		_, c := p.establish(17)
		require.NoError(p.t, c.Disconnect(p.now, nil))
		p.b.Receive(p.now, addrB, addrA, theirTID, &cm.REJ{LocalCommID: c.RemoteID(), RemoteCommID: c.LocalID(), Reason: cm.ReasonNoResources})
		return c
	}, `
		REJ: time-wait, in 999ms, Duplicates=1
		DREQ: time-wait, >DREP, in 999ms, Repeated=1
		REQ: time-wait, in 999ms, Duplicates=1
		in time: gone`},
	{"time-wait, stale", func(p *pair) *Conn {
		_, c := p.establish(17)
		p.b.Receive(p.now, addrB, addrA, theirTID, &cm.REQ{LocalCommID: 999, LocalQPN: 17})
		p.take(p.b) // the refusal of the new one
		return c
	}, `
		REJ: time-wait, in 999ms, Duplicates=1
		DREQ: time-wait, >DREP, in 999ms, Repeated=1
		REQ: time-wait, in 999ms, Duplicates=1
		in time: gone`},
	{"time-wait, ended", func(p *pair) *Conn {
		c, _ := p.establish(17)
		p.a.Receive(p.now, addrA, addrB, theirTID, &cm.DREQ{LocalCommID: c.RemoteID(), RemoteCommID: c.LocalID(), RemoteQPN: c.localQPN()})
		return c
	}, `
		REJ: time-wait, in 999ms, Duplicates=1
		DREQ: time-wait, >DREP, in 999ms, Repeated=1
		in time: gone`},
}

// until carries so many messages of a handshake, and returns the end that has the last.
func (p *pair) until(messages int) *Conn {
	active := p.connect(17)
	p.deliver(p.take(p.a))
	passive := p.event(p.b, Requested).Conn
	if messages == 1 {
		return passive
	}
	p.accept(passive)
	p.deliver(p.take(p.b))
	p.event(p.a, Accepted)
	return active
}

// happened takes what an agent has to send and to tell, and says it in short, with the
// state, the time to the deadline, and the counters that have moved since.
func (p *pair) happened(c *Conn, before Counters) string {
	out := []string{c.State()}
	ag := c.agent
	for e, ok := ag.PollEvent(); ok; e, ok = ag.PollEvent() {
		require.Same(p.t, c, e.Conn)
		out = append(out, "+"+e.Kind.String())
		if e.Kind == Rejected {
			require.Equal(p.t, cm.ReasonNoResources, e.Reason)
		}
		if e.Kind == Rejected || e.Kind == Disconnected && e.Private != nil {
			require.Equal(p.t, "bye", string(e.Private))
		}
	}
	for m, ok := ag.PollMessage(); ok; m, ok = ag.PollMessage() {
		require.Equal(p.t, c.Local(), m.Local)
		require.Equal(p.t, c.Remote(), m.Remote)
		v := reflect.ValueOf(m.Message).Elem()
		require.EqualValues(p.t, c.LocalID(), v.FieldByName("LocalCommID").Uint())
		if id := v.FieldByName("RemoteCommID"); id.IsValid() {
			require.EqualValues(p.t, c.RemoteID(), id.Uint())
		}
		text := ">" + m.Message.Attribute().String()
		// IB 12.6.2: an answer has the transaction of what it answers, a request its own.
		switch x := m.Message.(type) {
		case *cm.REJ:
			text += fmt.Sprintf(" of %d for %d", x.Rejected, x.Reason)
			require.Equal(p.t, c.tid, m.TID)
		case *cm.MRA:
			require.Equal(p.t, map[string]cm.MessageKind{"requested": cm.KindREQ, "rep-received": cm.KindREP}[c.State()], x.Received)
			require.Equal(p.t, TimeoutCode(time.Second), x.ServiceTimeout)
			require.Equal(p.t, c.tid, m.TID)
		case *cm.DREP:
			require.EqualValues(p.t, theirTID, m.TID)
		case *cm.DREQ:
			require.NotEqual(p.t, c.tid, m.TID)
			require.Equal(p.t, c.remoteQPN, x.RemoteQPN)
		default:
			require.Equal(p.t, c.tid, m.TID)
		}
		out = append(out, text)
	}
	if d := ag.Deadline(); d != Never {
		out = append(out, "in "+(d-p.now).String())
	}
	was, is := reflect.ValueOf(before), reflect.ValueOf(ag.Counters())
	for i := range is.NumField() {
		if n := is.Field(i).Uint() - was.Field(i).Uint(); n > 0 {
			out = append(out, fmt.Sprintf("%s=%d", is.Type().Field(i).Name, n))
		}
	}
	return strings.Join(out, ", ")
}

// events are what can come to a connection: messages of its peer, deadlines, and what
// its owner asks for.
func (p *pair) events() map[string]func(c *Conn) error {
	all := map[string]func(c *Conn) error{
		"Delay":      func(c *Conn) error { return c.Delay(p.now, time.Second) },
		"Accept":     func(c *Conn) error { return c.Accept(p.now, &cm.REP{}) },
		"Reject":     func(c *Conn) error { return c.Reject(p.now, cm.ReasonConsumer, nil) },
		"Confirm":    func(c *Conn) error { return c.Confirm(p.now) },
		"Disconnect": func(c *Conn) error { return c.Disconnect(p.now, nil) },
		"Heard":      func(c *Conn) error { c.Heard(); return nil },
		"REQ": func(c *Conn) error {
			c.agent.Receive(p.now, c.Local(), c.Remote(), theirTID, c.REQ())
			return nil
		},
	}
	for name, m := range map[string]cm.Message{
		"REP": &cm.REP{LocalQPN: 33}, "RTU": &cm.RTU{}, "DREP": &cm.DREP{},
		"MRA of REQ": &cm.MRA{Received: cm.KindREQ, ServiceTimeout: 20}, "MRA of REP": &cm.MRA{Received: cm.KindREP, ServiceTimeout: 20},
		"REJ": &cm.REJ{Reason: cm.ReasonNoResources, PrivateData: []byte("bye")}, "DREQ": &cm.DREQ{PrivateData: []byte("bye")},
	} {
		all[name] = func(c *Conn) error {
			v := reflect.ValueOf(m).Elem()
			theirs := c.RemoteID()
			if theirs == 0 {
				theirs = 2001
			}
			v.FieldByName("LocalCommID").SetUint(uint64(theirs))
			v.FieldByName("RemoteCommID").SetUint(uint64(c.LocalID()))
			if f := v.FieldByName("RemoteQPN"); f.IsValid() {
				f.SetUint(uint64(c.localQPN()))
			}
			c.agent.Receive(p.now, c.Local(), c.Remote(), theirTID, m)
			return nil
		}
	}
	return all
}

// theirTID is the transaction of what a peer sends in the table.
const theirTID = 7

// TestStates: what every message, call and deadline does in every state (IB spec
// 12.9.5 to 12.9.8), a millisecond after the state was entered. What a state does not
// name is a call that is refused, or a message that counts as unexpected, and changes
// nothing.
func TestStates(t *testing.T) {
	for _, s := range states {
		want := map[string]string{}
		for line := range strings.Lines(strings.TrimSpace(s.does)) {
			what, does, ok := strings.Cut(strings.TrimSpace(line), ": ")
			require.True(t, ok, line)
			want[what] = does
		}
		for what := range newPair(t).events() {
			p := newPair(t)
			event := p.events()[what]
			c := s.make(p)
			if what == "REQ" && c.Active() {
				continue
			}
			p.happened(c, Counters{})
			before := c.agent.Counters()
			p.now += time.Millisecond
			was := p.happened(c, before)
			err := event(c)
			got := p.happened(c, before)
			switch does, ok := want[what]; {
			case ok:
				require.NoError(t, err, "%s, %s", s.name, what)
				require.Equal(t, does, got, "%s, %s", s.name, what)
			case what == "Heard":
				require.Equal(t, was, got, "%s, %s", s.name, what)
			case strings.ToUpper(what[:2]) == what[:2]: // a message
				require.Equal(t, was+", Unexpected=1", got, "%s, %s", s.name, what)
			default:
				require.ErrorIs(t, err, ErrState, "%s, %s", s.name, what)
				require.Equal(t, was, got, "%s, %s", s.name, what)
			}
			delete(want, what)
		}
		// What comes at its deadlines if nothing else does.
		p := newPair(t)
		c := s.make(p)
		p.happened(c, Counters{})
		var got []string
		for c.agent.Deadline() != Never {
			before := c.agent.Counters()
			c.agent.Tick(c.agent.Deadline() - 1)
			p.now = c.agent.Deadline()
			p.silent(c.agent)
			p.noEvent()
			c.agent.Tick(p.now)
			got = append(got, p.happened(c, before))
		}
		if len(got) > 0 {
			require.Equal(t, want["in time"], strings.Join(got, "; "), "%s", s.name)
			delete(want, "in time")
		}
		require.Empty(t, want, "%s", s.name)
	}
}
