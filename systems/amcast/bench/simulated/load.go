package simulated

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/amcast"
)

// load has clients keep messages under way, and looks at what replicas deliver.
type load struct {
	*cluster
	r       *rand.Rand
	size    int
	pick    func(*rand.Rand) []uint8 // the groups of a message
	window  int                      // messages of a client that are under way
	clients int                      // that send

	messages map[amcast.ID]*underway
	last     map[string]amcast.Delivery // of each replica
	sent     int
	done     int // messages that all replicas have delivered
	warm     int // of them: those that are not measured
	end      int
	from, to fabric.Time // when the last that is not measured was done, and the last one
	sum      fabric.Time // of latencies
	count    int         // of these
	before   uint64      // packets of replicas that are not measured
	packets  uint64      // that are
}

// underway is a message that some replica has not delivered.
type underway struct {
	sent  fabric.Time
	final uint32
	left  int // deliveries
}

// take takes a message that a replica delivers.
func (l *load) take(replica string, d *amcast.Delivery) {
	if last, any := l.last[replica]; any && !last.Before(d) {
		l.Fail(fmt.Errorf("%s delivers %v at %d behind %v at %d", replica, d.ID, d.Final, last.ID, last.Final))
	}
	l.last[replica] = amcast.Delivery{ID: d.ID, Final: d.Final}
	m := l.messages[d.ID]
	if m == nil {
		l.Fail(fmt.Errorf("%s delivers %v, which is delivered everywhere, or was not sent", replica, d.ID))
		return
	}
	if m.final != 0 && m.final != d.Final {
		l.Fail(fmt.Errorf("%s delivers %v at %d, which another replica has delivered at %d", replica, d.ID, d.Final, m.final))
	}
	m.final = d.Final
	now := l.Now()
	if l.done >= l.warm && l.done < l.end {
		l.sum += now - m.sent
		l.count++
	}
	if m.left--; m.left > 0 {
		return
	}
	delete(l.messages, d.ID)
	if l.done++; l.done == l.warm {
		l.from, l.before = now, l.frames()
	}
	if l.done == l.end {
		l.to, l.packets = now, l.frames()-l.before
	}
}

// frames are packets of all replicas, since the start.
func (l *load) frames() (n uint64) {
	for _, h := range l.replicas {
		n += h.Count.In + h.Count.Out
	}
	return n
}

// fill has a client send as many messages as may be under way.
func (l *load) fill(client int) {
	for client < l.clients && l.open(client) < l.window {
		groups, err := amcast.NewGroups(l.pick(l.r)...)
		if err != nil {
			l.Fail(err)
			return
		}
		payload := make([]byte, l.size)
		for i := range min(8, l.size) {
			payload[i] = byte(l.sent >> (8 * i))
		}
		// A delivery may come before Multicast returns, if the client is a replica; here it is none.
		id, err := l.multicast(client, groups, payload)
		if errors.Is(err, amcast.ErrFull) {
			return // its oldest message is not finished: room is called
		}
		if err != nil {
			l.Fail(err)
			return
		}
		l.sent++
		l.messages[id] = &underway{sent: l.Now(), left: len(groups.List()) * l.copies}
	}
}

// limit is the longest that a load may take.
const limit = fabric.Second

// measured is what a run has shown.
type measured struct {
	perSecond float64
	latency   fabric.Time // mean
	packets   float64     // that a replica receives and sends, for each delivery
}

// run measures so many messages, behind those that warm up.
func (l *load) run(seed uint64, count int) (measured, error) {
	l.r = rand.New(rand.NewPCG(seed, 11))
	l.messages, l.last = map[amcast.ID]*underway{}, map[string]amcast.Delivery{}
	all := l.window * l.clients
	l.warm = all + 10
	l.end = l.warm + max(count, 2*all)
	l.delivered = l.take
	l.room = func(client int) { l.At(l.Now(), func() { l.fill(client) }) }
	for client := range l.clients {
		l.At(l.Now()+fabric.Time(l.r.Int64N(int64(5*fabric.Microsecond))), func() { l.fill(client) })
	}
	if err := l.RunWhile(l.Now()+limit, func() bool { return l.done < l.end }); err != nil {
		return measured{}, err
	}
	if l.done < l.end {
		return measured{}, fmt.Errorf("%d of %d messages were delivered in %v", l.done, l.end, limit.Duration())
	}
	m := measured{perSecond: float64(l.end-l.warm) / (float64(l.to-l.from) / float64(fabric.Second)), latency: l.sum / fabric.Time(l.count), packets: float64(l.packets) / float64(l.count)}
	return m, l.Check()
}

// loaded are clients, and how many messages of each are under way, so that there are so many in all.
func loaded(total int) (senders, each int) {
	senders = min(total, clients)
	return senders, total / senders
}

// measure is one run of a system.
func measure(seed uint64, system string, groups int, packet fabric.Time, total, size, count int, pick func(*rand.Rand) []uint8) (measured, error) {
	c, err := build(seed, system, groups, packet)
	if err != nil {
		return measured{}, err
	}
	l := &load{cluster: c, size: size, pick: pick}
	l.clients, l.window = loaded(total)
	m, err := l.run(seed, count)
	if err != nil {
		return m, fmt.Errorf("%s, %d groups, %d messages of %d bytes under way: %w", system, groups, total, size, err)
	}
	return m, nil
}

// everybody has messages go to all groups.
func everybody(groups int) func(*rand.Rand) []uint8 {
	var list []uint8
	for g := range groups {
		list = append(list, uint8(g+1))
	}
	return func(*rand.Rand) []uint8 { return list }
}

// mixture has so many of 100 messages go to two groups, and the others to one.
func mixture(groups, percent int) func(*rand.Rand) []uint8 {
	return func(r *rand.Rand) []uint8 {
		n := 1
		if r.IntN(100) < percent {
			n = 2
		}
		var list []uint8
		for _, g := range r.Perm(groups)[:n] {
			list = append(list, uint8(g+1))
		}
		return list
	}
}
