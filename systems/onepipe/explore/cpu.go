package explore

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/halves"
	"github.com/p4ce/p4ce/dataplane/interp"
	names "github.com/p4ce/p4ce/p4/onepipe"
	"github.com/p4ce/p4ce/systems/onepipe/agent"
)

// A switch whose CPU sends the beacons is two programs (package dataplane/halves): fast, its data plane, and prog, which runs in
// the CPU. Beacons that have come to the CPU wait for it, for as long as it takes.

// addHalves makes what such a switch runs.
func (m *Model) addHalves() error {
	if m.bounds.CPU == 0 {
		return nil
	}
	m.fast = interp.New(interp.Options{CPUPort: dataplane.Port(names.PortCPU)})
	m.halves = halves.New(m.fast, m.prog.Target, agent.Beacons)
	err := m.halves.Load(&dataplane.Pipeline{Program: m.prog.IR})
	if err == nil {
		m.fastEmpty, err = m.fast.Snapshot()
	}
	return err
}

// empty is a switch that holds nothing.
func (m *Model) empty(sw int) device {
	d := device{State: m.prog.Empty}
	if sw < m.bounds.CPU {
		d.fast = m.fastEmpty
	}
	return m.device(d)
}

// restore has the programs of a switch be in its state.
func (m *Model) restore(d device) error {
	if d.fast != nil {
		if err := m.fast.Restore(d.fast); err != nil {
			return err
		}
	}
	return m.prog.Restore(d.State)
}

// snapshot is a switch in the state in which its programs are now.
func (m *Model) snapshot(d device) (device, error) {
	var err error
	if d.fast != nil {
		if d.fast, err = m.fast.Snapshot(); err != nil {
			return d, err
		}
	}
	if d.State, err = m.prog.Snapshot(); err != nil {
		return d, err
	}
	return m.device(d), nil
}

// stepFast runs a packet through a data plane.
func (w *World) stepFast(sw int, port dataplane.Port, p packet) error {
	d := w.sw[sw]
	s, e, err := w.m.fast.Step(d.fast, port, p.frame, 0)
	if err != nil {
		return err
	}
	d.fast = s
	outs := slices.DeleteFunc(slices.Clone(e.Outs), func(o dataplane.Out) bool {
		slow := o.Port == dataplane.Port(names.PortCPU) && w.m.halves.IsSlow(o.Frame)
		if slow {
			d.waiting = append(d.waiting[:len(d.waiting):len(d.waiting)], packet{o.Frame, p.late})
		}
		return slow
	})
	w.sw[sw] = w.m.device(d)
	return w.leave(sw, outs, p.late)
}

// work has a CPU take what waits for it.
func (w *World) work(sw int) error {
	d := w.sw[sw]
	var before [unused + 1][]uint32
	var err error
	for port := range before {
		if before[port], err = w.m.heard(d.State, sw, dataplane.Port(port)); err != nil {
			return err
		}
	}
	if err := w.m.restore(d); err != nil {
		return err
	}
	late := false
	for _, p := range d.waiting {
		late = late || p.late
		w.m.halves.Take(p.frame)
	}
	d.waiting = nil
	var frames [][]byte
	w.m.halves.Work(0, func(b []byte) error {
		frames = append(frames, bytes.Clone(b))
		return nil
	})
	if d, err = w.m.snapshot(d); err != nil {
		return err
	}
	w.sw[sw] = d
	for port := range before {
		after, err := w.m.heard(d.State, sw, dataplane.Port(port))
		if err != nil {
			return err
		}
		for i := range after {
			if below(after[i], before[port][i]) {
				return fmt.Errorf("what the CPU of the %s has heard of port %d falls from %d to %d", switchNames[sw], port, before[port][i], after[i])
			}
		}
	}
	for _, b := range frames {
		if err := w.stepFast(sw, dataplane.Port(names.PortCPU), packet{b, late}); err != nil {
			return err
		}
	}
	return nil
}
