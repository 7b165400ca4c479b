package interp

import (
	"bytes"

	"github.com/p4ce/p4ce/dataplane"
)

// Inject runs one frame through the whole pipeline, as if it had arrived at port, and returns every
// copy: the unicast copy first, then those of the multicast group in the order of its replicas. No
// real port sees them. A digest goes to the receiver of events.
func (t *Target) Inject(p dataplane.Port, frame []byte) ([]dataplane.Out, error) {
	return t.InjectAt(p, frame, t.clock())
}

// InjectAt is Inject with the time in ns that the program sees.
func (t *Target) InjectAt(p dataplane.Port, frame []byte, now uint64) ([]dataplane.Out, error) {
	var outs []dataplane.Out
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.p == nil {
		return nil, dataplane.ErrNoPipeline
	}
	t.process(p, frame, now, effects{drop: t.countDrop, digest: t.digest, send: func(port dataplane.Port, out []byte) {
		outs = append(outs, dataplane.Out{Port: port, Frame: bytes.Clone(out)})
	}})
	return outs, nil
}

// Sink takes what packets do beside changing registers and counters. The frame given to
// Send is valid during the call only; a copy for the CPU port is a packet-in.
type Sink struct {
	Send   func(dataplane.Port, []byte)
	Digest func(dataplane.Digest)
	Drop   func(reason string) // of a packet or of one copy: a dataplane.Drop* reason
}

// Run is InjectAt for many packets: copies, digests and drops go to the sink, nothing is allocated,
// and nothing is counted. A frame into the CPU port is a packet-out.
func (t *Target) Run(in dataplane.Port, frame []byte, now uint64, s *Sink) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.p == nil {
		return dataplane.ErrNoPipeline
	}
	t.process(in, frame, now, effects{send: s.Send, digest: s.Digest, drop: s.Drop})
	return nil
}

// PacketOut injects a frame at the CPU port; the copies leave through real
// ports.
func (t *Target) PacketOut(frame []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.p == nil {
		return dataplane.ErrNoPipeline
	}
	t.process(t.cpu, frame, t.clock(), t.real)
	t.flush()
	return nil
}

// receive handles frames that a port has received.
func (t *Target) receive(p *port, frames [][]byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p.removed {
		return
	}
	for _, f := range frames {
		p.rxFrames.Add(1)
		p.rxBytes.Add(uint64(len(f)))
		if t.p == nil {
			t.drops[dataplane.DropNoPipeline]++
			continue
		}
		t.process(p.num, f, t.clock(), t.real)
	}
	t.flush()
}

// effects are what a packet does beside changing registers and counters. The
// frame given to send is valid during the call only.
type effects struct {
	send   func(dataplane.Port, []byte)
	digest func(dataplane.Digest)
	drop   func(reason string) // of a packet or of one copy
}

// process runs a frame through ingress, replication and egress. t.mu is held.
func (t *Target) process(in dataplane.Port, frame []byte, now uint64, e effects) {
	t.ingress(in, frame, now, e, func(r dataplane.Replica, v verdict) {
		t.egress(r, v.frame, v.bypass, len(frame), now, e)
	})
}

// ingress runs a frame through ingress and replication. t.mu is held.
func (t *Target) ingress(in dataplane.Port, frame []byte, now uint64, e effects, one func(dataplane.Replica, verdict)) {
	v := t.p.runIngress(in, frame, now, e.digest)
	switch {
	case v.drop != "":
		e.drop(v.drop)
	case v.unicast:
		one(dataplane.Replica{Port: v.port}, v)
	}
	for _, g := range v.groups {
		if g == 0 || v.drop != "" {
			continue
		}
		replicas, ok := t.groups.byID[g]
		if !ok {
			e.drop(dataplane.DropUnknownGroup)
			continue
		}
		for _, r := range replicas {
			one(r, v)
		}
	}
	if v.toCPU {
		one(dataplane.Replica{Port: t.cpu}, v)
	}
}

// egress runs a copy through the egress. t.mu is held.
func (t *Target) egress(r dataplane.Replica, frame []byte, bypass bool, size int, now uint64, e effects) {
	if !bypass {
		var drop string
		if frame, drop = t.p.runEgress(r, frame, size, now); drop != "" {
			e.drop(drop)
			return
		}
	}
	e.send(r.Port, frame)
}

// Queued is a copy of a packet that waits for its egress.
type Queued struct {
	dataplane.Replica
	frame  []byte
	bypass bool
	size   int
}

// Enqueue runs a frame through the ingress only. The copies are the caller's, who decides when each goes on with Dequeue:
// so does the queue of a port.
func (t *Target) Enqueue(in dataplane.Port, frame []byte, now uint64) (copies []Queued, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.p == nil {
		return nil, dataplane.ErrNoPipeline
	}
	t.ingress(in, frame, now, effects{drop: t.countDrop, digest: t.digest}, func(r dataplane.Replica, v verdict) {
		copies = append(copies, Queued{Replica: r, frame: bytes.Clone(v.frame), bypass: v.bypass, size: len(frame)})
	})
	return copies, nil
}

// Dequeue runs the egress over a copy. The frame given to send is valid during the call only.
func (t *Target) Dequeue(q *Queued, now uint64, send func(dataplane.Port, []byte)) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.p == nil {
		return dataplane.ErrNoPipeline
	}
	t.egress(q.Replica, q.frame, q.bypass, q.size, now, effects{drop: t.countDrop, send: send})
	return nil
}

func (t *Target) countDrop(reason string) { t.drops[reason]++ }

func (t *Target) digest(d dataplane.Digest) {
	if t.events.Digest != nil {
		t.events.Digest(d)
	}
}

// transmit sends a frame out of a port, or to the controller.
func (t *Target) transmit(p dataplane.Port, frame []byte) {
	if p == t.cpu {
		if t.events.PacketIn != nil {
			t.events.PacketIn(frame)
		}
		return
	}
	port, ok := t.ports[p]
	if !ok {
		t.drops[dataplane.DropNoPort]++
		return
	}
	t.send(port, frame)
}
