package pipeline

import (
	"context"
	"fmt"
	"strings"

	"github.com/cilium/ebpf"

	"github.com/p4ce/p4ce/bench/program"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/builtin"
	"github.com/p4ce/p4ce/dataplane/xdp"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/systems/rdma/lab/world"
)

// programs measures each program by itself.
func programs(ctx context.Context, o Options, r *report.Result) error {
	cases, closer, err := setup()
	if err != nil {
		return err
	}
	defer closer()
	return program.Measure(ctx, program.Options{Runs: o.Runs, Repetitions: o.Repetitions, Progress: o.Progress}, cases, func(m *program.Program, i int, ns float64) {
		r.Add(report.Point{Metric: Program, Case: m.Case}, m.System, i, ns)
	})
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
func setup() (cases []*program.Program, closer func(), err error) {
	g := newGroup(7, 4, 0, 1)
	write, ack := packets(g)
	target, err := newTarget(true)
	if err != nil {
		return nil, nil, err
	}
	closeAll := func() { target.Close() }
	defer func() {
		if err != nil {
			closeAll()
		}
	}()
	if err := apply(target, g); err != nil {
		return nil, nil, err
	}
	h, err := loadHand([]*world.Group{g}, loopback, false)
	if err != nil {
		return nil, nil, fmt.Errorf("hand-written pipeline: %w", err)
	}
	closeAll = func() { h.Close(); target.Close() }
	in, err := target.TestProgram("test_ingress")
	if err != nil {
		return nil, nil, err
	}
	eg, err := target.TestProgram("test_egress")
	if err != nil {
		return nil, nil, err
	}
	const scatter, gather, ingress, egress = "scatter", "gather", ", ingress", ", egress"
	cases = []*program.Program{
		{Case: "redirect", System: redirect, Prog: h.Programs["plain_redirect"], Packet: plain(g.Leader, g.Replicas[0]), Verdict: program.Redirect},
		{Case: scatter + ingress, System: hand, Prog: h.Programs["hand_ingress"], Front: program.Front(uint16(g.Leader.Port)), Packet: write, Verdict: program.Redirect},
		{Case: scatter + ingress, System: p4, Prog: in, Front: program.Front(uint16(g.Leader.Port)), Packet: write, Verdict: program.Redirect},
		{Case: gather + ingress, System: hand, Prog: h.Programs["hand_ingress"], Front: program.Front(uint16(g.Replicas[answering].Port)), Packet: ack, Verdict: program.Redirect},
		{Case: gather + ingress, System: p4, Prog: in, Front: program.Front(uint16(g.Replicas[answering].Port)), Packet: ack, Verdict: program.Redirect},
	}
	// The egress starts from what the ingress made of the packet.
	progs := map[string]*ebpf.Program{hand: h.Programs["hand_egress"], p4: eg}
	for _, c := range cases[1:] {
		meta, packet, err := c.Once()
		if err != nil {
			return nil, nil, err
		}
		out := g.Replicas[answering].Port
		name := strings.TrimSuffix(c.Case, ingress)
		if name == gather {
			out = g.Leader.Port
		}
		cases = append(cases, &program.Program{Case: name + egress, System: c.System, Prog: progs[c.System], Front: program.Leaves(meta, uint16(out)), Packet: append([]byte(nil), packet...), Verdict: program.Pass})
	}
	return cases, closeAll, nil
}
