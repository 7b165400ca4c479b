package fabric

import (
	"bytes"

	"github.com/p4ce/p4ce/dataplane/halves"
)

// Halves is how a switch runs a program in halves.
type Halves struct {
	Program  halves.Program
	Delay    Time // from the data plane to the slow half, and back
	Interval Time // the slow half works at its multiples; 0: whenever there is something
}

// slow is the slow half of a switch.
type slow struct {
	Halves
	s      *P4Switch
	target *halves.Target
}

// takes takes a frame that has left the data plane.
func (h *slow) takes(b []byte) {
	f := h.s.f
	frame := bytes.Clone(b)
	f.At(f.Now()+h.Delay, func() {
		if _, first := h.target.Take(frame); first {
			at := f.Now()
			if h.Interval > 0 {
				at += h.Interval - at%h.Interval
			}
			f.At(at, h.work)
		}
	})
}

func (h *slow) work() {
	f := h.s.f
	h.target.Work(h.s.time(), func(b []byte) error {
		out := bytes.Clone(b)
		f.At(f.Now()+h.Delay, func() { h.s.inject(out) })
		return nil
	})
}
