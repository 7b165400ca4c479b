package fabric

import (
	"fmt"
	"sync"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/p4rt"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
	names "github.com/p4ce/p4ce/p4/rdma"
)

// compiled is p4/rdma/rdma.p4, which all switches share.
var compiled = sync.OnceValues(func() (*ir.Program, error) {
	prog, diags := lang.Compile(lang.Options{Path: p4.Source("rdma"), FS: p4.FS})
	if diags.HasErrors() {
		return nil, diags.Err()
	}
	return prog, nil
})

// RDMA is a switch that runs p4/rdma/rdma.p4 in the interpreter, with its controller.
type RDMA struct {
	base
	Clock      Clock
	Controller *Controller

	target *interp.Target
	local  *p4rt.Local
	sink   interp.Sink
	in     *Half // by which the frame that is being processed came in; nil: from the controller
	copies int
}

// RDMAConfig is what an RDMA switch is like.
type RDMAConfig struct {
	Latency    Time // from the last bit of a frame until it may leave
	Clock      Clock
	Controller ControllerConfig
}

// NewRDMA makes a switch. Its controller begins when the network is complete (Start).
func (f *Fabric) NewRDMA(name string, c RDMAConfig) (*RDMA, error) {
	prog, err := compiled()
	if err != nil {
		return nil, err
	}
	s := &RDMA{base: newBase(f, name, c.Latency), Clock: c.Clock}
	s.target = interp.New(interp.Options{
		CPUPort: dataplane.Port(names.PortCPU), Clock: func() uint64 { return s.time() }, Rand: f.rand("switch " + name),
	})
	info, err := p4.Info("rdma")
	if err != nil {
		return nil, err
	}
	if s.local, err = p4rt.NewLocal(s.target, prog, info); err != nil {
		return nil, err
	}
	s.sink = interp.Sink{Send: s.leave, Digest: s.digest, Drop: func(reason string) { s.count.Drops[reason]++ }}
	s.Controller = newController(s, info, c.Controller)
	if err := f.add(s); err != nil {
		return nil, err
	}
	f.Switches = append(f.Switches, s)
	return s, nil
}

// Target is the interpreter, to look into.
func (s *RDMA) Target() *interp.Target { return s.target }

// time is the switch's clock, in nanoseconds; never below 0, which the program's counts cannot be.
func (s *RDMA) time() uint64 { return uint64(max(0, s.Clock.Local(s.f.now)) / Nanosecond) }

func (s *RDMA) receive(in *Half, fr *Frame) {
	s.count.In++
	s.in = in
	s.run(dataplane.Port(in.Dest), fr)
}

// inject has a packet-out come in.
func (s *RDMA) inject(b []byte) {
	s.count.In++
	s.in = nil
	s.run(dataplane.Port(names.PortCPU), s.f.copied(b))
}

func (s *RDMA) run(port dataplane.Port, fr *Frame) {
	s.copies = 0
	if err := s.target.Run(port, fr.B, s.time(), &s.sink); err != nil {
		s.f.Fail(fmt.Errorf("switch %s: %w", s.name, err))
	}
	if s.copies > 1 {
		s.count.Multicast += uint64(s.copies - 1)
	}
	s.f.release(fr)
}

// leave takes a copy from the program.
func (s *RDMA) leave(port dataplane.Port, b []byte) {
	s.copies++
	if port == dataplane.Port(names.PortCPU) {
		s.count.Punted++
		s.Controller.packetIn(s.local.PacketIn(b))
		return
	}
	if int(port) >= len(s.ports) || s.ports[port] == nil {
		s.count.Drops[dataplane.DropNoPort]++
		return
	}
	s.count.Out++
	fr := s.f.copied(b)
	fr.in = s.in
	s.ports[port].send(fr)
}

func (s *RDMA) digest(d dataplane.Digest) {
	if l := s.local.Digest(d); l != nil {
		s.Controller.digest(l)
	}
}
