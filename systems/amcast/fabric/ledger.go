package fabric

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/amcast"
)

// ledger knows what was sent, and judges what replicas deliver.
//
//   - integrity: each message once, only if it was sent to the replica's group, and as it was sent.
//   - order: each replica delivers in the order of (final timestamp, message), strictly, and a message has one final
//     timestamp at all replicas: so no two replicas deliver two messages in different orders, and the order has no cycles.
//   - agreement, when all is over: a message that somebody has who lives, its sender or a replica, was delivered by all replicas
//     of all its groups that live. (What replicas delivered that died counts, too, as far as others have it.)
//   - genuineness: only the sender of a message and its destinations have a part in it: no other host, and no role of a switch
//     for another group, sends or receives a packet of it (genuine.go).
type ledger struct {
	err      error
	messages map[amcast.ID]*sent
	replicas map[replica]*history
	order    []replica
	gone     map[*fabric.Host]bool
	out      map[*fabric.Host]bool // whom the controller counts as failed
	count    int                   // deliveries
	parties  map[wire.Addr]*party
	exact    bool // packets are sound
	judged   int  // packets
	accused  int
}

type replica struct {
	host  *fabric.Host
	group uint8
}

type sent struct {
	by      *fabric.Host
	groups  amcast.Groups
	payload []byte
	final   uint32 // 0: nobody has delivered it
}

type history struct {
	last amcast.Delivery
	has  map[amcast.ID]bool
}

func newLedger() *ledger {
	return &ledger{
		messages: map[amcast.ID]*sent{}, replicas: map[replica]*history{}, gone: map[*fabric.Host]bool{}, out: map[*fabric.Host]bool{},
	}
}

func (l *ledger) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf(format, args...)
	}
}

// replica is one that there is.
func (l *ledger) replica(h *fabric.Host, group uint8) {
	r := replica{h, group}
	l.replicas[r] = &history{has: map[amcast.ID]bool{}}
	l.order = append(l.order, r)
}

// sent is a message that a host has sent.
func (l *ledger) sent(by *fabric.Host, id amcast.ID, groups amcast.Groups, payload []byte) {
	if l.messages[id] != nil {
		l.fail("message %v: was sent twice", id)
	}
	l.messages[id] = &sent{by: by, groups: groups, payload: bytes.Clone(payload)}
}

// died is a host that has ended.
func (l *ledger) died(h *fabric.Host) { l.gone[h] = true }

// ended is a host that the controller says has failed.
func (l *ledger) ended(h *fabric.Host) { l.out[h] = true }

// delivered is a message that a replica has delivered.
func (l *ledger) delivered(h *fabric.Host, group uint8, d *amcast.Delivery) {
	l.count++
	who := fmt.Sprintf("%s, group %d", h.Name(), group)
	r, m := l.replicas[replica{h, group}], l.messages[d.ID]
	switch {
	case m == nil:
		l.fail("%s: delivered %v, which nobody has sent", who, d.ID)
		return
	case !m.groups.Has(group) || m.groups != d.Groups || !bytes.Equal(m.payload, d.Payload):
		l.fail("%s: delivered %v to %v, which was sent to %v, or has another payload", who, d.ID, d.Groups, m.groups)
	case r.has[d.ID]:
		l.fail("%s: delivered %v twice", who, d.ID)
	case m.final != 0 && m.final != d.Final:
		l.fail("%s: delivered %v at %d; another replica did at %d", who, d.ID, d.Final, m.final)
	case len(r.has) > 0 && !r.last.Before(d):
		l.fail("%s: delivered %v at %d behind %v at %d", who, d.ID, d.Final, r.last.ID, r.last.Final)
	}
	m.final = d.Final
	r.has[d.ID] = true
	r.last = amcast.Delivery{Final: d.Final, ID: d.ID}
}

// missing is what a replica has not delivered that it must; "" if there is nothing. lives says which messages were sent by a
// host that lives.
func (l *ledger) missing(lives func(amcast.ID) bool) string {
	for id, m := range l.messages {
		if !lives(id) && !l.held(id, m) {
			continue // nobody has it, or not yet
		}
		for _, r := range l.order {
			if !l.gone[r.host] && m.groups.Has(r.group) && !l.delivers(r.host, r.group, id) {
				return fmt.Sprintf("%s, group %d: has not delivered %v, sent to %v (final timestamp %d)", r.host.Name(), r.group, id, m.groups, m.final)
			}
		}
	}
	return ""
}

// delivers reports whether a replica has delivered a message.
func (l *ledger) delivers(h *fabric.Host, group uint8, id amcast.ID) bool {
	return l.replicas[replica{h, group}].has[id]
}

// held reports whether a replica that lives has a message.
func (l *ledger) held(id amcast.ID, m *sent) bool {
	return slices.ContainsFunc(l.order, func(r replica) bool {
		return m.groups.Has(r.group) && !l.gone[r.host] && r.host.Endpoint().(*station).endpoint.Holds(r.group, id)
	})
}

// alike reports whether the replicas of a group that live have delivered the same.
func (l *ledger) alike() error {
	var errs []string
	for i, a := range l.order {
		for _, b := range l.order[:i] {
			if a.group == b.group && !l.gone[a.host] && !l.gone[b.host] && len(l.replicas[a].has) != len(l.replicas[b].has) {
				errs = append(errs, fmt.Sprintf("group %d: %s has delivered %d messages, %s %d", a.group, a.host.Name(), len(l.replicas[a].has), b.host.Name(), len(l.replicas[b].has)))
			}
		}
	}
	if len(errs) > 0 {
		slices.Sort(errs)
		return fmt.Errorf("%v", errs)
	}
	return nil
}
