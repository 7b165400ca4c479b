package fabric

import (
	"errors"
	"fmt"
)

// Check says which property the network, or its system, breaks. It may be called between any two events.
func (f *Fabric) Check() error {
	err := f.conserved()
	if v, ok := f.instance.(Verifier); ok {
		err = errors.Join(err, v.Verify())
	}
	return err
}

// conserved says where frames have come from nothing, or gone without being counted.
func (f *Fabric) conserved() error {
	var errs []error
	held := 0
	for _, l := range f.Links {
		for _, h := range l.Half {
			c := &h.Count
			in := c.Offered + c.Duplicated
			out := c.Delivered + c.DropFull + c.DropDown + c.Lost + uint64(h.Waiting()+h.Flying())
			if in != out {
				errs = append(errs, fmt.Errorf("%s: %d frames in, %d out: %+v", h.Name, in, out, *c))
			}
			held += h.Waiting() + h.Flying()
			if err := h.paused(); err != nil {
				errs = append(errs, err)
			}
		}
	}
	for _, h := range f.Hosts {
		held += h.waiting
	}
	if held != f.Held() {
		errs = append(errs, fmt.Errorf("%d frames are on links and in hosts, %d exist", held, f.Held()))
	}
	for _, s := range f.Switches {
		c := s.Counters()
		var drops uint64
		for _, n := range c.Drops {
			drops += n
		}
		if got := c.Out + c.Punted + drops; got != c.In+c.Multicast {
			errs = append(errs, fmt.Errorf("%s: %d frames and %d copies in, %d out: %+v", s.Name(), c.In, c.Multicast, got, *c))
		}
	}
	return errors.Join(errs...)
}
