// Package testrun has programs of this repository on an XDP target without ports, for test runs in the kernel (BPF_PROG_TEST_RUN): a
// benchmark or a test fills the tables, and runs the ingress and the egress with packets of its own.
package testrun

import (
	"errors"

	"github.com/cilium/ebpf"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/builtin"
	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// Switch is a program, with what is in its tables. The first error of a call is kept in Err, and later calls do nothing.
type Switch struct {
	Target          *xdp.Target
	Prog            *ir.Program
	Ingress, Egress *ebpf.Program
	Err             error
}

// New loads a program of this repository. The caller closes it.
func New(name string, cpu dataplane.Port) (*Switch, error) {
	pipeline, err := builtin.Pipeline(name)
	if err != nil {
		return nil, err
	}
	target, err := xdp.New(xdp.Config{CPUPort: cpu, PacketTest: true})
	if err != nil {
		return nil, err
	}
	s := &Switch{Target: target, Prog: pipeline.Program}
	if err = target.Load(pipeline); err == nil {
		s.Ingress, err = target.TestProgram("test_ingress")
	}
	if err == nil {
		s.Egress, err = target.TestProgram("test_egress")
	}
	if err != nil {
		return nil, errors.Join(err, target.Close())
	}
	return s, nil
}

// Close frees the program.
func (s *Switch) Close() { s.Target.Close() }

// Insert adds an entry to a table.
func (s *Switch) Insert(table string, keys []uint64, action string, args ...uint64) {
	if s.Err == nil {
		s.Err = s.Target.Insert(dataplane.NewEntry(s.Prog, table, keys, 0, action, args...))
	}
}

// Group makes a multicast group.
func (s *Switch) Group(id uint16, replicas ...dataplane.Replica) {
	if s.Err == nil {
		s.Err = s.Target.SetGroup(id, replicas)
	}
}

// Register writes a cell of 32 bits.
func (s *Switch) Register(r *ir.Register, index int, v uint64) {
	if s.Err == nil {
		s.Err = s.Target.WriteRegister(r, index, [][]byte{dataplane.Bytes(v, 32)})
	}
}
