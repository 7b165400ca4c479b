package p4rt

import (
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/protobuf/proto"
)

// maxPendingDigests bounds the messages of one digest that wait to be sent or
// acknowledged.
const maxPendingDigests = 16384

// digester collects the messages of one digest into lists (P4Runtime 9.7 and
// 16.3). It is a pure state machine with time as a parameter: the caller
// serialises calls, sends the lists, and calls tick at the deadline.
//
//	add ──> current list ──(max_list_size or max_timeout_ns)──> sent ──ack or ack_timeout_ns──> forgotten
//
// While an equal message is in the current list or sent and not acknowledged, a
// message is not repeated.
type digester struct {
	id      uint32
	config  *p4.DigestEntry_Config
	nextID  uint64
	current []*p4.P4Data
	oldest  time.Time // of current
	pending map[string]uint64
	lists   []sentList // oldest first
	Dropped uint64
}

type sentList struct {
	id   uint64
	sent time.Time
	keys []string
}

func newDigester(id uint32, config *p4.DigestEntry_Config) *digester {
	return &digester{id: id, config: config, nextID: 1, pending: map[string]uint64{}}
}

// add takes a message and returns the list to send now, if any.
func (d *digester) add(data *p4.P4Data, now time.Time) *p4.DigestList {
	d.expire(now)
	key, err := proto.MarshalOptions{Deterministic: true}.Marshal(data)
	if err != nil { // bytes and structs always marshal
		d.Dropped++
		return nil
	}
	if _, known := d.pending[string(key)]; known {
		return nil
	}
	if len(d.pending) >= maxPendingDigests {
		d.Dropped++
		return nil
	}
	if len(d.current) == 0 {
		d.oldest = now
	}
	d.current = append(d.current, data)
	d.pending[string(key)] = d.nextID
	if d.config.GetMaxTimeoutNs() == 0 || d.config.GetMaxListSize() > 0 && len(d.current) >= int(d.config.GetMaxListSize()) {
		return d.flush(now)
	}
	return nil
}

// tick returns the list whose time has come, if any.
func (d *digester) tick(now time.Time) *p4.DigestList {
	d.expire(now)
	if len(d.current) > 0 && now.Sub(d.oldest) >= time.Duration(d.config.GetMaxTimeoutNs()) {
		return d.flush(now)
	}
	return nil
}

// deadline is when tick has something to do; ok is false when never.
func (d *digester) deadline() (at time.Time, ok bool) {
	if len(d.current) == 0 {
		return time.Time{}, false
	}
	return d.oldest.Add(time.Duration(d.config.GetMaxTimeoutNs())), true
}

func (d *digester) flush(now time.Time) *p4.DigestList {
	l := &p4.DigestList{DigestId: d.id, ListId: d.nextID, Data: d.current, Timestamp: now.UnixNano()}
	sent := sentList{id: d.nextID, sent: now}
	for k, id := range d.pending {
		if id == d.nextID {
			sent.keys = append(sent.keys, k)
		}
	}
	d.current = nil
	d.lists = append(d.lists, sent)
	d.nextID++
	if d.config.GetAckTimeoutNs() == 0 { // nothing is remembered
		d.forget(0)
	}
	return l
}

// ack forgets a list; false when there is no such list (acknowledged already,
// or timed out).
func (d *digester) ack(list uint64) bool {
	for i, l := range d.lists {
		if l.id == list {
			d.forget(i)
			return true
		}
	}
	return false
}

func (d *digester) forget(i int) {
	for _, k := range d.lists[i].keys {
		delete(d.pending, k)
	}
	d.lists = append(d.lists[:i], d.lists[i+1:]...)
}

func (d *digester) expire(now time.Time) {
	for len(d.lists) > 0 && now.Sub(d.lists[0].sent) >= time.Duration(d.config.GetAckTimeoutNs()) {
		d.forget(0)
	}
}
