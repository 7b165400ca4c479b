package explore

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"

	"github.com/p4ce/p4ce/ctrl/mirror"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/dataplane"
	names "github.com/p4ce/p4ce/p4/onepipe"
	"github.com/p4ce/p4ce/systems/onepipe"
	"github.com/p4ce/p4ce/systems/onepipe/control"
	"github.com/p4ce/p4ce/systems/onepipe/private"
)

// controller is the controller in a state. Worlds share it until one changes it.
type controller struct {
	owner *int
	*life
	inbox []event
	todo  [switches][]order
	held  [switches]map[string]mirror.Update // what each switch holds
	sum   key
}

// life is one of a controller, with what outlasts it.
type life struct {
	core *control.Core
	kept *records
}

// event is what the controller is told next.
type event struct {
	sw     int
	frame  []byte // a packet
	port   uint16
	reason names.Reason
	id     uint64              // a Write or a Read is done
	values map[string][]uint64 // what was read
	what   eventKind
	sum    key // of values
}

type eventKind byte

const (
	eventPacket eventKind = iota
	eventWritten
	eventValues
	eventLost
	eventSynced
)

// order is what a switch is to do next: an Output of the core.
type order struct {
	out  control.Output
	text string
}

// records are the journal, which outlasts a controller.
type records struct{ list []control.Record }

// Append implements control.Journal.
func (r *records) Append(x control.Record) error {
	i := slices.IndexFunc(r.list, func(o control.Record) bool { return o.Host == x.Host })
	if i < 0 {
		r.list = append(r.list, x)
	} else {
		r.list[i] = x
	}
	return nil
}

// Records implements control.Journal.
func (r *records) Records() []control.Record { return r.list }

// time is the controller's.
func (w *World) time() time.Duration { return time.Duration(w.now) * tick }

// ownControl returns a controller that this world may change.
func (w *World) ownControl() *controller {
	if w.ctl.owner != w.token {
		c := *w.ctl
		c.owner, c.life = w.token, w.m.copyLife(c.life)
		w.ctl = &c
	}
	return w.ctl
}

// begin starts a controller. Switches that are up come into its hands with what they hold.
func (w *World) begin(kept *records) error {
	core, err := control.New(w.m.conf, kept, w.time())
	if err != nil {
		return err
	}
	c := &controller{owner: w.token, life: &life{core, kept}}
	if w.ctl != nil {
		c.held = w.ctl.held
	}
	w.ctl = c
	for sw := range switches {
		if !w.failed[sw] {
			c.inbox = append(c.inbox, event{sw: sw, what: eventSynced})
		}
	}
	return w.decided()
}

// punted is a packet that a switch sends to the controller.
func (w *World) punted(sw int, frame []byte) {
	if w.ctl == nil {
		return
	}
	in := w.m.local.PacketIn(frame)
	e := event{sw: sw, what: eventPacket, frame: in.GetPayload()}
	for _, x := range in.GetMetadata() {
		switch x.GetMetadataId() {
		case names.PacketInIngressPortID:
			e.port = uint16(p4rtclient.ToUint(x.GetValue()))
		case names.PacketInReasonID:
			e.reason = names.Reason(p4rtclient.ToUint(x.GetValue()))
		}
	}
	w.tell(e)
}

// tell has the controller be told something, in its turn.
func (w *World) tell(e event) {
	c := w.ownControl()
	c.inbox = append(c.inbox[:len(c.inbox):len(c.inbox)], e)
	w.m.sumControl(c)
}

// acts reports whether the controller has something to do.
func (w *World) acts() bool {
	return w.ctl != nil && (len(w.ctl.inbox) > 0 || w.ctl.core.Deadline() <= w.time())
}

// act has the controller take what it is told next, or look at its clock.
func (w *World) act() error {
	c := w.ownControl()
	now := w.time()
	if len(c.inbox) == 0 {
		c.core.Tick(now)
		return w.decided()
	}
	e := c.inbox[0]
	c.inbox = c.inbox[1:]
	name := switchNames[e.sw]
	switch e.what {
	case eventPacket:
		if from, _, m, ok := private.ParseFrame(e.frame); ok {
			w.Line(colLeaf+e.sw, colControl, false, "%s says %s", hostName(w.hostAt(from)), says(&m))
		}
		c.core.PacketIn(now, name, e.port, e.reason, e.frame)
	case eventWritten:
		c.core.Written(now, name, e.id, nil)
	case eventValues:
		c.core.Values(now, name, e.id, e.values)
	case eventLost:
		c.core.Lost(now, name)
	case eventSynced:
		w.Line(colLeaf+e.sw, colControl, false, "is in the controller's hands")
		im := &mirror.Image{Groups: map[uint16][]p4rtclient.Replica{}}
		for _, k := range slices.Sorted(maps.Keys(c.held[e.sw])) {
			u := c.held[e.sw][k]
			if u.Entry != nil {
				im.Entries = append(im.Entries, *u.Entry)
			} else {
				im.Groups[u.Group.ID] = u.Group.Copies
			}
		}
		c.core.Synced(now, name, im)
	}
	return w.decided()
}

func says(m *private.Message) string {
	switch m.Kind {
	case private.Join:
		return "that it joins"
	case private.Joined:
		if m.Admitted {
			return "that it is admitted"
		}
		return "which numbers it has"
	case private.Leave:
		return "that it leaves"
	case private.Failures:
		return "who has failed"
	case private.Outcome:
		return "what counts"
	case private.Ask:
		return "who does not answer it"
	case private.Probe:
		return "are you there"
	case private.Here:
		return "that it is there"
	case private.Offer:
		return "that it forwards"
	case private.Forward:
		return "what it forwards"
	}
	return "that it knows who has failed"
}

// decided hands what the core wants to switches.
func (w *World) decided() error {
	c := w.ctl
	for o, ok := c.core.Poll(); ok; o, ok = c.core.Poll() {
		var sw string
		var text string
		switch o := o.(type) {
		case control.Note:
			if o.Text == "link admitted" {
				w.Reach(goalBack) // links are admitted in the beginning, and when they come back
			}
			w.Line(colControl, colControl, false, "%s %v", o.Text, o.Args)
			continue
		case control.Write:
			sw, text = o.Switch, fmt.Sprint(o.ID, o.Updates)
		case control.Read:
			sw, text = o.Switch, fmt.Sprint("read", o.ID)
		case control.Resync:
			sw, text = o.Switch, "resync"
		case control.Send:
			sw, text = o.Switch, fmt.Sprint(o.Port, o.Frame)
			_, _, m, ok := private.ParseFrame(o.Frame)
			if ok && m.Kind == private.Forward && onepipe.Opcode(m.Packet[14]>>4) == onepipe.Ack {
				w.Reach(goalForwarded)
			}
			if ok && m.Kind == private.Failures {
				if err := w.announced(&m); err != nil {
					return err
				}
			}
		}
		n := slices.Index(switchNames[:], sw)
		begins := func(e event) bool { return e.sw == n && (e.what == eventLost || e.what == eventSynced) }
		if w.failed[n] || slices.ContainsFunc(c.inbox, begins) {
			continue // its session has ended, whether the core knows that or not
		}
		c.todo[n] = append(c.todo[n][:len(c.todo[n]):len(c.todo[n])], order{o, text})
	}
	known := c.core.Processes()
	for n, h := range w.hosts {
		if h != nil && h.proc != nil && !slices.ContainsFunc(known, func(p control.ProcessStatus) bool { return p.Host == hostName(n) }) {
			w.book.fates[n].gone = true
		}
	}
	w.m.sumControl(c)
	return nil
}

// obeys reports whether a switch has something to do for the controller.
func (w *World) obeys(sw int) bool { return w.ctl != nil && len(w.ctl.todo[sw]) > 0 }

// obey has a switch do the next thing for the controller.
func (w *World) obey(sw int) error {
	c := w.ownControl()
	o := c.todo[sw][0]
	c.todo[sw] = c.todo[sw][1:]
	switch o := o.out.(type) {
	case control.Write:
		w.Line(colControl, colLeaf+sw, false, "%d updates", len(o.Updates))
		d, err := w.m.update(w.sw[sw], o.Updates)
		if err != nil {
			return err
		}
		w.sw[sw] = d
		c.hold(sw, o.Updates)
		w.tell(event{sw: sw, what: eventWritten, id: o.ID})
	case control.Read:
		return w.read(sw, o, nil)
	case reading:
		return w.read(sw, o.Read, o.values)
	case control.Resync:
		w.tell(event{sw: sw, what: eventSynced})
	case control.Send:
		if _, _, m, ok := private.ParseFrame(o.Frame); ok {
			w.Line(colControl, colLeaf+sw, false, "says %s, by port %d", says(&m), o.Port)
		}
		b, err := w.m.local.PacketOut(&p4.PacketOut{Payload: o.Frame, Metadata: []*p4.PacketMetadata{
			{MetadataId: names.PacketOutEgressPortID, Value: p4rtclient.Uint(uint64(o.Port))},
			{MetadataId: names.PacketOutPadID, Value: []byte{0}}, {MetadataId: names.PacketOutPad2ID, Value: []byte{0}},
		}})
		if err != nil {
			return err
		}
		w.m.sumControl(c)
		return w.step(sw, dataplane.Port(names.PortCPU), packet{frame: b})
	}
	return nil
}

// reading is a Read of which a part has been done.
type reading struct {
	control.Read
	values map[string][]uint64
}

// read reads the next registers for the controller: one kind in each step, as packets may come in between.
func (w *World) read(sw int, o control.Read, values map[string][]uint64) error {
	c := w.ctl
	kind := func(name string) string {
		return strings.TrimRight(name[strings.LastIndexByte(name, '.'):], "0123456789")
	}
	n := 1
	for n < len(o.Registers) && kind(o.Registers[n]) == kind(o.Registers[0]) {
		n++
	}
	v, err := w.m.cells(w.sw[sw].State, o.Registers[:n])
	if err != nil {
		return err
	}
	maps.Copy(v, values)
	if o.Registers = o.Registers[n:]; len(o.Registers) > 0 {
		text := fmt.Sprint("read ", len(o.Registers), v)
		c.todo[sw] = slices.Insert(slices.Clone(c.todo[sw]), 0, order{reading{o, v}, text})
		w.m.sumControl(c)
		return nil
	}
	w.tell(event{sw: sw, what: eventValues, id: o.ID, values: v, sum: w.m.key(fmt.Append(nil, v))})
	return nil
}

// hold notes what a switch holds.
func (c *controller) hold(sw int, list []mirror.Update) {
	held := maps.Clone(c.held[sw])
	if held == nil {
		held = map[string]mirror.Update{}
	}
	for _, u := range list {
		var k string
		switch {
		case u.Entry != nil:
			t := mirror.EntryThing(*u.Entry)
			k = t.Key()
		case u.Group != nil:
			k = fmt.Sprint(u.Group.ID)
		default:
			continue
		}
		if u.Op == mirror.Delete {
			delete(held, k)
		} else {
			held[k] = u
		}
	}
	c.held[sw] = held
}

// sumControl notes the state that a controller is in. What a switch holds is in the switch.
func (m *Model) sumControl(c *controller) {
	b := m.ctlEnc.Append(m.buf[:0], c.life)
	for _, e := range c.inbox {
		b = append(b, byte(e.what), byte(e.sw), byte(e.port), byte(e.reason), byte(e.id), byte(e.id>>8))
		b = be.AppendUint64(be.AppendUint64(b, e.sum[0]), e.sum[1])
		b = append(b, e.frame...)
	}
	for _, list := range c.todo {
		b = append(b, byte(len(list)))
		for _, o := range list {
			b = append(b, o.text...)
		}
	}
	m.buf = b
	c.sum = m.key(b)
}
