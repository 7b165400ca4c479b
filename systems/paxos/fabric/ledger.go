package fabric

import (
	"bytes"
	"fmt"

	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/frames"
)

// ledger knows what was proposed, and judges what replicas deliver. Of each application:
//
//   - integrity: a value that is delivered was proposed, as it is, with this number by this client, and each replica delivers it once.
//   - order: replicas deliver the same values in the same order, each in the same instance, with ascending instances. Values
//     that share an instance are of one client, and have ascending numbers. Each replica has delivered a part of one log from its beginning
//     on, by itself or by taking over the state of another one.
//   - answers: when a proposer is told that its value is delivered, a replica has delivered it; its own, if it has one.
//   - one value: what learners say of an instance, on any link and at any time, is one value, and so is what is proposed for it in
//     one round.
//   - agreement, when all is over: the replicas that live have delivered all values that were answered, and those of hosts that live.
type ledger struct {
	err     error
	logs    map[*application]*history
	members map[*member]int // values that each has delivered
	said    map[claim]what  // by messages
	judged  int             // packets
}

// history is what has happened to an application.
type history struct {
	values map[number]*value
	log    []entry // of the replica that is furthest
}

// number is that of a value.
type number struct{ client, sequence uint32 }

type value struct {
	of       *member
	data     []byte
	place    int // in the log, from 1; 0: nobody has delivered it
	answered bool
}

// entry is a place in the log.
type entry struct {
	instance uint64
	number
}

// before reports whether an entry may follow this one: in a later instance, or in the same one as the next value of its client.
func (e entry) before(next entry) bool {
	return e.instance < next.instance || e.instance == next.instance && e.client == next.client && e.sequence < next.sequence
}

// claim is what a message is about.
type claim struct {
	port     uint16
	kind     paxos.Kind
	round    uint32 // of an Accept
	instance uint32
}

// what is a value of a message.
type what struct {
	number
	shared uint8
	data   string
}

func newLedger() *ledger {
	return &ledger{logs: map[*application]*history{}, members: map[*member]int{}, said: map[claim]what{}}
}

func (l *ledger) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf(format, args...)
	}
}

// joins is a host's part in an application that there is.
func (l *ledger) joins(m *member) {
	l.members[m] = 0
	if l.logs[m.app] == nil {
		l.logs[m.app] = &history{values: map[number]*value{}}
	}
}

// submitted is a value that a host has proposed.
func (l *ledger) submitted(m *member, sequence uint32, data []byte) {
	n := number{m.client, sequence}
	if l.logs[m.app].values[n] != nil {
		l.fail("%s, %s: number %d is given twice", m.app.Name, m.st.h.Name(), sequence)
	}
	l.logs[m.app].values[n] = &value{of: m, data: bytes.Clone(data)}
}

// delivered is a value that a replica has delivered.
func (l *ledger) delivered(m *member, e *paxos.Entry) {
	x, i := l.logs[m.app], l.members[m]
	who := fmt.Sprintf("%s, %s", m.app.Name, m.st.h.Name())
	mine := entry{e.Instance, number{e.Client, e.Sequence}}
	v := x.values[mine.number]
	if v == nil || !bytes.Equal(v.data, e.Value) {
		l.fail("%s: delivered %d/%d %q in instance %d, which nobody has proposed", who, e.Client, e.Sequence, e.Value, e.Instance)
		return
	}
	l.members[m]++
	if i < len(x.log) {
		if x.log[i] != mine {
			l.fail("%s: delivered %v as value %d, where another replica has delivered %v", who, mine, i+1, x.log[i])
		}
		return
	}
	switch {
	case v.place > 0:
		l.fail("%s: delivered %v twice", who, mine)
		return
	case i > 0 && !x.log[i-1].before(mine):
		l.fail("%s: delivered %v behind %v", who, mine, x.log[i-1])
		return
	}
	x.log = append(x.log, mine)
	v.place = len(x.log)
}

// transferred is a replica that has taken the state of another one.
func (l *ledger) transferred(m, from *member) {
	if l.members[m] > l.members[from] {
		l.fail("%s, %s: has delivered %d values, and takes the state of %s, which has %d", m.app.Name, m.st.h.Name(), l.members[m], from.st.h.Name(), l.members[from])
	}
	l.members[m] = l.members[from]
}

// answered is a value whose proposer was told that it is delivered.
func (l *ledger) answered(m *member, sequence uint32) {
	v, has := l.logs[m.app].values[number{m.client, sequence}], len(l.logs[m.app].log)
	if m.replica != nil {
		has = l.members[m]
	}
	if v == nil || v.place == 0 || v.place > has {
		l.fail("%s, %s: is told that value %d is delivered, and it is not", m.app.Name, m.st.h.Name(), sequence)
		return
	}
	v.answered = true
}

// missing is what a replica that lives has not delivered and must, or a host that waits; "" if there is nothing.
func (l *ledger) missing(a *application) string {
	x := l.logs[a]
	for n, v := range x.values {
		switch {
		case v.answered && v.place == 0:
			return fmt.Sprintf("value %v was answered, and nobody has delivered it", n)
		case !v.of.st.dead && !v.answered:
			return fmt.Sprintf("%s waits for value %d", v.of.st.h.Name(), n.sequence)
		}
	}
	for _, m := range a.members {
		if m.replica != nil && !m.st.dead && l.members[m] != len(x.log) {
			return fmt.Sprintf("%s has %d of %d values, and is at instance %d", m.st.h.Name(), l.members[m], len(x.log), m.replica.Position())
		}
	}
	return ""
}

// Frame implements fabric.Tap: messages about an instance agree. What is damaged is no message.
func (l *ledger) Frame(_ fabric.Time, _ *fabric.Half, b []byte) {
	_, to, data, err := frames.Open(b)
	var x paxos.Message
	if err != nil || x.Parse(data) != nil || x.Kind != paxos.Deliver && x.Kind != paxos.Accept {
		return
	}
	port := to.Port()
	if port >= portsFrom {
		port -= (port - portsFrom) % portsEach // of the application, whichever program it is for
	}
	c := claim{port: port, kind: x.Kind, instance: x.Instance}
	if x.Kind == paxos.Accept {
		c.round = x.Round
	}
	w := what{number{x.Client, x.Sequence}, x.Shared, string(x.Value)}
	l.judged++
	if old, ok := l.said[c]; ok && old != w {
		l.fail("instance %d: %v %v %q, and %v %q before (round %d)", x.Instance, x.Kind, w.number, w.data, old.number, old.data, c.round)
	}
	l.said[c] = w
}
