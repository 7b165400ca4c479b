package pipeline

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/bench/cpu"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/builtin"
	"github.com/p4ce/p4ce/dataplane/xdp"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/systems/rdma/lab/world"
)

// program is a program to run by itself, what is in front of its packet, and the packet.
type program struct {
	name, system string
	prog         *ebpf.Program
	front        []byte
	packet       []byte
	verdict      uint32
}

// xdpMd is struct xdp_md.
type xdpMd struct{ Data, DataEnd, DataMeta, Ingress, Queue, Egress uint32 }

const (
	xdpDrop     = 1
	xdpPass     = 2
	xdpRedirect = 4
)

// once runs the program once and returns the metadata and the packet behind it.
func (m *program) once() (meta, packet []byte, err error) {
	in := append(append([]byte(nil), m.front...), m.packet...)
	var after xdpMd
	opts := &ebpf.RunOptions{Data: in, DataOut: make([]byte, 4096),
		Context: xdpMd{Data: uint32(len(m.front)), DataEnd: uint32(len(in))}, ContextOut: &after}
	verdict, err := m.prog.Run(opts)
	if err != nil {
		return nil, nil, fmt.Errorf("%s, %s: %w", m.name, m.system, err)
	}
	if verdict != m.verdict {
		return nil, nil, fmt.Errorf("%s, %s: verdict %d, want %d", m.name, m.system, verdict, m.verdict)
	}
	return opts.DataOut[:after.Data], opts.DataOut[after.Data:], nil
}

// sample runs the program so many times and returns the CPU time of one, in ns. The call
// is long enough for its own cost not to show.
func (m *program) sample(runs int) (float64, error) {
	in := append(append([]byte(nil), m.front...), m.packet...)
	opts := &ebpf.RunOptions{Data: in, Repeat: uint32(runs),
		Context: xdpMd{Data: uint32(len(m.front)), DataEnd: uint32(len(in))}}
	start, err := cpu.Thread()
	if err != nil {
		return 0, err
	}
	verdict, err := m.prog.Run(opts)
	if err != nil {
		return 0, fmt.Errorf("%s, %s: %w", m.name, m.system, err)
	}
	end, err := cpu.Thread()
	if err != nil {
		return 0, err
	}
	if verdict != m.verdict {
		return 0, fmt.Errorf("%s, %s: verdict %d in repeated runs, want %d", m.name, m.system, verdict, m.verdict)
	}
	return float64((end - start).Nanoseconds()) / float64(runs), nil
}

// programs measures each program by itself, on one CPU: they keep what they need for
// repeated runs per CPU.
func programs(ctx context.Context, o Options, r *report.Result) error {
	cases, closer, err := setup()
	if err != nil {
		return err
	}
	defer closer()
	cpus, err := usable()
	if err != nil {
		return err
	}
	return on(cpus[0], func() error {
		for _, m := range cases { // warm
			if _, err := m.sample(o.Runs/10 + 1); err != nil {
				return err
			}
		}
		for i := range o.Repetitions {
			o.Progress("programs: %d of %d", i+1, o.Repetitions)
			for _, m := range cases { // in turn: a drift of the machine's speed hits all
				if ctx.Err() != nil {
					return ctx.Err()
				}
				ns, err := m.sample(o.Runs)
				if err != nil {
					return err
				}
				r.Add(report.Point{Metric: Program, Case: m.name}, m.system, i, ns)
			}
		}
		return nil
	})
}

// usable are the CPUs that this process may use.
func usable() (out []int, err error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, err
	}
	for i := range len(set) * 64 {
		if set.IsSet(i) {
			out = append(out, i)
		}
	}
	return out, nil
}

// on runs a function on a CPU.
func on(cpu int, f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return err
	}
	set.Set(cpu)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("run on CPU %d: %w", cpu, err)
	}
	defer unix.SchedSetaffinity(0, &before)
	return f()
}

// newTarget makes a switch of the generated programs, without ports.
func newTarget(test bool) (*xdp.Target, error) {
	pipeline, err := builtin.Pipeline("rdma")
	if err != nil {
		return nil, err
	}
	target, err := xdp.New(xdp.Config{CPUPort: dataplane.Port(names.PortCPU), PacketTest: test})
	if err != nil {
		return nil, err
	}
	if err := target.Load(pipeline); err != nil {
		target.Close()
		return nil, err
	}
	return target, nil
}

// setup loads both pipelines with the same group and returns the cases.
func setup() (cases []*program, closer func(), err error) {
	g := newGroup(7, 4, 0, 1)
	write, ack := packets(g)
	target, err := newTarget(true)
	if err != nil {
		return nil, nil, err
	}
	closer = func() { target.Close() }
	defer func() {
		if err != nil {
			closer()
		}
	}()
	if err := apply(target, g); err != nil {
		return nil, nil, err
	}
	h, err := loadHand([]*world.Group{g}, loopback, false)
	if err != nil {
		return nil, nil, fmt.Errorf("hand-written pipeline: %w", err)
	}
	closer = func() { h.Close(); target.Close() }
	in, err := target.TestProgram("test_ingress")
	if err != nil {
		return nil, nil, err
	}
	eg, err := target.TestProgram("test_egress")
	if err != nil {
		return nil, nil, err
	}
	front := func(port dataplane.Port) []byte {
		b := make([]byte, 16)
		binary.NativeEndian.PutUint64(b, 1)
		binary.NativeEndian.PutUint16(b[8:], uint16(port))
		return b
	}
	const scatter, gather, ingress, egress = "scatter", "gather", ", ingress", ", egress"
	cases = []*program{
		{name: "redirect", system: redirect, prog: h.Programs["plain_redirect"], packet: plain(g.Leader, g.Replicas[0]), verdict: xdpRedirect},
		{name: scatter + ingress, system: hand, prog: h.Programs["hand_ingress"], front: front(g.Leader.Port), packet: write, verdict: xdpRedirect},
		{name: scatter + ingress, system: p4, prog: in, front: front(g.Leader.Port), packet: write, verdict: xdpRedirect},
		{name: gather + ingress, system: hand, prog: h.Programs["hand_ingress"], front: front(g.Replicas[answering].Port), packet: ack, verdict: xdpRedirect},
		{name: gather + ingress, system: p4, prog: in, front: front(g.Replicas[answering].Port), packet: ack, verdict: xdpRedirect},
	}
	// The egress starts from what the ingress made of the packet.
	progs := map[string]*ebpf.Program{hand: h.Programs["hand_egress"], p4: eg}
	for _, c := range cases[1:] {
		meta, packet, err := c.once()
		if err != nil {
			return nil, nil, err
		}
		out := g.Replicas[answering].Port
		name := strings.TrimSuffix(c.name, ingress)
		if name == gather {
			out = g.Leader.Port
		}
		meta = append([]byte(nil), meta...)
		binary.NativeEndian.PutUint16(meta[10:], uint16(out))
		cases = append(cases, &program{name: name + egress, system: c.system, prog: progs[c.system], front: meta, packet: append([]byte(nil), packet...), verdict: xdpPass})
	}
	return cases, closer, nil
}
