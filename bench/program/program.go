// Package program times XDP programs by themselves, in test runs of the kernel (BPF_PROG_TEST_RUN): without drivers, and
// without the copying of frames.
package program

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/cilium/ebpf"

	"github.com/p4ce/p4ce/bench/cpu"
)

// Program is a program to run by itself, what is in front of its packet, and the packet.
type Program struct {
	Case, System string
	Prog         *ebpf.Program
	Front        []byte
	Packet       []byte
	Verdict      uint32
	// Fresh is not nil if the packet must be fresh in each run. It has the packet, too, and is measured in place of Prog.
	Fresh *Fresh
}

// Verdicts of XDP.
const (
	Drop     = 1
	Pass     = 2
	Redirect = 4
)

// XDP is struct xdp_md.
type XDP struct{ Data, DataEnd, DataMeta, Ingress, Queue, Egress uint32 }

// Front is what is in front of a packet that comes in by a port, for the test_ingress of generated and of hand-written
// programs.
func Front(port uint16) []byte {
	b := make([]byte, 16)
	binary.NativeEndian.PutUint64(b, 1)
	binary.NativeEndian.PutUint16(b[8:], port)
	return b
}

// Leaves is what is in front of a copy that leaves by a port, of what the ingress has put there.
func Leaves(meta []byte, port uint16) []byte {
	b := append([]byte(nil), meta...)
	binary.NativeEndian.PutUint16(b[10:], port)
	return b
}

func (m *Program) String() string { return m.Case + ", " + m.System }

// Once runs the program once and returns the metadata and the packet behind it.
func (m *Program) Once() (meta, packet []byte, err error) {
	in := append(append([]byte(nil), m.Front...), m.Packet...)
	var after XDP
	opts := &ebpf.RunOptions{Data: in, DataOut: make([]byte, 4096),
		Context: XDP{Data: uint32(len(m.Front)), DataEnd: uint32(len(in))}, ContextOut: &after}
	verdict, err := m.Prog.Run(opts)
	if err != nil {
		return nil, nil, fmt.Errorf("%v: %w", m, err)
	}
	if verdict != m.Verdict {
		return nil, nil, fmt.Errorf("%v: verdict %d, want %d", m, verdict, m.Verdict)
	}
	return opts.DataOut[:after.Data], opts.DataOut[after.Data:], nil
}

// sample runs the program so many times and returns the CPU time of one, in ns. The call
// is long enough for its own cost not to show.
func (m *Program) sample(runs int) (float64, error) {
	if m.Fresh != nil {
		ns, err := m.Fresh.NS(runs)
		if err != nil {
			return 0, fmt.Errorf("%v: %w", m, err)
		}
		return ns, nil
	}
	in := append(append([]byte(nil), m.Front...), m.Packet...)
	opts := &ebpf.RunOptions{Data: in, Repeat: uint32(runs),
		Context: XDP{Data: uint32(len(m.Front)), DataEnd: uint32(len(in))}}
	start, err := cpu.Thread()
	if err != nil {
		return 0, err
	}
	verdict, err := m.Prog.Run(opts)
	if err != nil {
		return 0, fmt.Errorf("%v: %w", m, err)
	}
	end, err := cpu.Thread()
	if err != nil {
		return 0, err
	}
	if verdict != m.Verdict {
		return 0, fmt.Errorf("%v: verdict %d in repeated runs, want %d", m, verdict, m.Verdict)
	}
	return float64((end - start).Nanoseconds()) / float64(runs), nil
}

// OnCPU runs f on one of the CPUs that this process may use.
func OnCPU(f func() error) error {
	cpus, err := cpu.Usable()
	if err != nil {
		return err
	}
	return cpu.On(cpus[0], f)
}

// Options say what to measure.
type Options struct {
	Runs, Repetitions int
	Progress          func(format string, args ...any)
}

// Measure measures each program on one CPU: they keep what they need for repeated runs per CPU. It gives each figure to add, with
// the number of its repetition, from 0.
func Measure(ctx context.Context, o Options, list []*Program, add func(m *Program, repetition int, ns float64)) error {
	return OnCPU(func() error {
		for _, m := range list { // warm
			if _, err := m.sample(o.Runs/10 + 1); err != nil {
				return err
			}
		}
		for i := range o.Repetitions {
			o.Progress("programs: %d of %d", i+1, o.Repetitions)
			for _, m := range list { // in turn: a drift of the machine's speed hits all
				if ctx.Err() != nil {
					return ctx.Err()
				}
				ns, err := m.sample(o.Runs)
				if err != nil {
					return err
				}
				add(m, i, ns)
			}
		}
		return nil
	})
}
