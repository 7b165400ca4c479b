package testbed

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/stf"
	"github.com/p4ce/p4ce/dataplane/xdp"
)

// Now is the time in ns at which all packets arrive: one second.
const Now = 1_000_000_000

// Target is what packet tests run on.
type Target interface {
	dataplane.Target
	dataplane.Injector
}

// frozen is an XDP target whose clock stands still.
type frozen struct{ *xdp.Target }

func (f frozen) Inject(p dataplane.Port, frame []byte) ([]dataplane.Out, error) {
	return f.InjectAt(p, frame, Now)
}

// New makes a target, "interp" or "xdp", whose port cpu leads to the
// controller.
func New(kind string, cpu dataplane.Port) (Target, error) {
	if err := cpu.Check(); err != nil {
		return nil, fmt.Errorf("CPU %w", err)
	}
	switch kind {
	case "interp":
		return interp.New(interp.Options{
			CPUPort: cpu,
			Clock:   func() uint64 { return Now },
			Rand:    rand.New(rand.NewPCG(1, 2)),
		}), nil
	case "xdp":
		t, err := xdp.New(xdp.Config{CPUPort: cpu, PacketTest: true})
		if err != nil {
			return nil, err
		}
		return frozen{t}, nil
	}
	return nil, fmt.Errorf("target %q: xdp or interp", kind)
}

// Run runs a script on a target of its own, which starts with empty tables.
func Run(s *stf.Script, pipe *dataplane.Pipeline, kind string, cpu dataplane.Port) (res *stf.Result, err error) {
	t, err := New(kind, cpu)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	if err := t.Load(pipe); err != nil {
		return nil, fmt.Errorf("%s target: %w", kind, err)
	}
	return stf.Run(s, pipe.Program, t), nil
}
