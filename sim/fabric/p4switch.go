package fabric

import (
	"fmt"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/builtin"
	"github.com/p4ce/p4ce/dataplane/halves"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/p4rt"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// cpuPort is the controller's port, as p4/lib/ports.p4 has it.
const cpuPort = 64

// P4Switch is a switch that runs its system's program in the interpreter, with its controller.
type P4Switch struct {
	base
	Clock      Clock
	Controller *Controller

	prog   *builtin.Program
	target *interp.Target
	all    whole // target, or both halves
	slow   *slow // nil: the data plane runs the whole program
	local  *p4rt.Local
	sink   interp.Sink
	in     *ingress // of the frame that is being processed; nil: it is from the controller
	copies int
	lives  int // how often it has begun

	damaged bool // the frame that is being processed is
}

// whole is a target whose registers can be read as a whole.
type whole interface {
	dataplane.Target
	Words(r *ir.Register) ([]uint64, error)
}

// P4SwitchConfig is what a P4Switch is like.
type P4SwitchConfig struct {
	Latency    Time // from the last bit of a frame until it may leave
	Clock      Clock
	Controller ControllerConfig
}

// NewP4Switch makes a switch. Its controller begins when the network is complete (Start).
func (f *Fabric) NewP4Switch(name string, c P4SwitchConfig) (*P4Switch, error) {
	if f.system.Program == "" {
		return nil, fmt.Errorf("switch %s: the network has no system with a program", name)
	}
	prog, err := builtin.Load(f.system.Program)
	if err != nil {
		return nil, err
	}
	s := &P4Switch{base: newBase(f, name, c.Latency), Clock: c.Clock, prog: prog}
	s.target = interp.New(interp.Options{
		CPUPort: cpuPort, Clock: func() uint64 { return s.time() }, Rand: f.Rand("switch " + name), Depth: s.depth, Shared: f.shared,
	})
	s.all = s.target
	if h, ok := f.instance.(Halver); ok {
		if c := h.Halves(name); c != nil {
			s.slow = &slow{Halves: *c, s: s}
			s.slow.target = halves.New(s.target, interp.New(interp.Options{
				CPUPort: cpuPort, Clock: func() uint64 { return s.time() }, Rand: f.Rand("CPU of " + name), Shared: f.shared,
			}), c.Program)
			s.all = s.slow.target
		}
	}
	if f.program == nil { // one for all switches
		if f.program, err = p4rt.NewLocalProgram(prog.IR, prog.Info); err != nil {
			return nil, err
		}
	}
	if s.local, err = f.program.Start(s.all); err != nil {
		return nil, err
	}
	s.sink = interp.Sink{Send: s.leave, Digest: s.digest, Drop: s.dropped}
	s.Controller = newController(s, prog.Info, c.Controller)
	if err := f.add(s); err != nil {
		return nil, err
	}
	f.Switches = append(f.Switches, s)
	return s, nil
}

// Forget has the switch lose all that it holds, as if it had begun anew. Updates on their way do not reach it.
func (s *P4Switch) Forget() (err error) {
	s.lives++
	s.local, err = s.f.program.Start(s.all)
	return err
}

// Target is what runs the program, to look into.
func (s *P4Switch) Target() dataplane.Target { return s.all }

// Entries is how many table entries the switch has, but for those of tables whose entries are const.
func (s *P4Switch) Entries() int { return s.local.Entries() }

// Program is what the switch runs: names the registers and the counters of Target.
func (s *P4Switch) Program() *builtin.IR { return s.prog.IR }

// depth is how many cells wait to leave by a port.
func (s *P4Switch) depth(port dataplane.Port) uint32 {
	if int(port) >= len(s.ports) || s.ports[port] == nil {
		return 0
	}
	return uint32((s.ports[port].bytes + queueCell - 1) / queueCell)
}

// queueCell is the unit of a chip's queue depth, in bytes.
const queueCell = 80

// time is the switch's clock, in nanoseconds; never below 0, which the program's counts cannot be.
func (s *P4Switch) time() uint64 { return uint64(max(0, s.Clock.Local(s.f.Now())) / Nanosecond) }

func (s *P4Switch) turned(out *Half) { s.Controller.port(out) }

func (s *P4Switch) receive(in *Half, fr *Frame) {
	s.count.In++
	s.in = s.f.comes(in, fr.B)
	s.in.copies = 1 // the frame itself, until all copies are there
	fr.in = s.in
	s.run(dataplane.Port(in.Dest), fr)
}

// inject has a packet-out come in.
func (s *P4Switch) inject(b []byte) {
	s.count.In++
	s.in = nil
	s.run(dataplane.Port(cpuPort), s.f.copied(b))
}

func (s *P4Switch) run(port dataplane.Port, fr *Frame) {
	s.copies, s.damaged = 0, fr.damaged
	if err := s.target.Run(port, fr.B, s.time(), &s.sink); err != nil {
		s.f.Fail(fmt.Errorf("switch %s: %w", s.name, err))
	}
	if s.copies > 1 {
		s.count.Multicast += uint64(s.copies - 1)
	}
	s.f.release(fr)
}

// leave takes a copy from the program.
func (s *P4Switch) leave(port dataplane.Port, b []byte) {
	s.copies++
	if port == dataplane.Port(cpuPort) {
		s.count.Punted++
		if s.slow != nil && s.slow.target.IsSlow(b) {
			s.slow.takes(b)
			return
		}
		s.Controller.packetIn(s.local.PacketIn(b))
		return
	}
	if int(port) >= len(s.ports) || s.ports[port] == nil {
		s.count.Drops[dataplane.DropNoPort]++
		return
	}
	s.count.Out++
	fr := s.f.copied(b)
	if fr.damaged = s.damaged; s.in != nil {
		fr.in = s.in
		s.in.copies++
	}
	s.ports[port].send(fr)
}

// dropped counts a copy that the program has dropped, or the frame.
func (s *P4Switch) dropped(reason string) {
	s.copies++
	s.count.Drops[reason]++
}

func (s *P4Switch) digest(d dataplane.Digest) {
	if l := s.local.Digest(d); l != nil {
		s.Controller.digest(l)
	}
}
