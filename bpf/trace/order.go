package trace

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// side is a direction of a port.
type side struct{ port, out uint16 }

// packet is what the pipeline has recorded.
type packet struct {
	side
	time  uint64 // nanoseconds of the kernel's monotonic clock
	frame []byte
}

// parse takes struct p4_trace_event and the packet apart. The frame aliases b.
func parse(b []byte) (packet, bool) {
	if len(b) < headerSize {
		return packet{}, false
	}
	n := min(int(binary.NativeEndian.Uint32(b[8:])), len(b)-headerSize)
	return packet{
		time:  binary.NativeEndian.Uint64(b),
		side:  side{binary.NativeEndian.Uint16(b[12:]), binary.NativeEndian.Uint16(b[14:])},
		frame: b[headerSize : headerSize+n],
	}, true
}

// order puts packets of several CPUs into the order of their times. Each CPU has
// a ring, in which times only grow. The perf reader goes through the rings in
// rounds: it looks how far each is filled, then reads each up to there, the
// highest CPU first. So when a round is over, what is still to come is younger
// than all that was read in the round before it: that was in the rings before
// this round looked at any.
type order struct {
	write   func(packet) error
	pending []packet
	newest  uint64 // of all that was read
	safe    uint64 // newest, as it was when this round began
	cpu     int    // of the last packet
	left    int    // bytes that its ring still had
	started bool
}

// add takes the next packet that the reader returns, its CPU, and how many bytes
// are left in that CPU's ring in this round.
func (o *order) add(p packet, cpu, left int) error {
	var err error
	if o.started && (cpu > o.cpu || cpu == o.cpu && o.left == 0) {
		err = o.round()
	}
	o.started, o.cpu, o.left = true, cpu, left
	o.pending = append(o.pending, p)
	o.newest = max(o.newest, p.time)
	return err
}

// round ends a round.
func (o *order) round() error {
	err := o.release(o.safe)
	o.safe, o.started = o.newest, false
	return err
}

// end writes all that is left.
func (o *order) end() error { return o.release(o.newest) }

func (o *order) release(until uint64) error {
	slices.SortStableFunc(o.pending, func(a, b packet) int { return cmp.Compare(a.time, b.time) })
	n := 0
	for n < len(o.pending) && o.pending[n].time <= until {
		if err := o.write(o.pending[n]); err != nil {
			return err
		}
		n++
	}
	o.pending = slices.Delete(o.pending, 0, n)
	return nil
}
