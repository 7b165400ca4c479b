package byhand

import (
	"context"
	"errors"
	"os"

	"github.com/cilium/ebpf/rlimit"

	"github.com/p4ce/p4ce/bench/program"
	"github.com/p4ce/p4ce/bench/report"
)

// Cost is the metric of a result. Its cases are kinds of packets, and its systems are ByHand and InP4.
const (
	Cost   = "program by itself"
	ByHand = "C by hand"
	InP4   = "P4"
)

// maxOverHand is the bound that the project holds itself to.
const maxOverHand = 1.1

// Options say how to measure.
type Options = program.Options

// Benchmark is what a system compares.
type Benchmark struct {
	Name     string // of the command, and of the result
	Title    string
	Settings []report.Setting
	// Setup loads both programs and returns what is measured. The systems of the cases are ByHand and InP4. close frees everything.
	Setup func() (cases []*program.Program, close func(), err error)
}

// Measure measures everything, the systems in turns.
func (b *Benchmark) Measure(ctx context.Context, o Options) (*report.Result, error) {
	if os.Geteuid() != 0 {
		return nil, errors.New("this measurement runs XDP programs, which needs root")
	}
	if err := rlimit.RemoveMemlock(); err != nil {
		return nil, err
	}
	r := &report.Result{Name: b.Name, Title: b.Title, Systems: []string{ByHand, InP4}, Metrics: []report.Metric{{Name: Cost, Unit: "ns"}}}
	r.Set("repetitions", o.Repetitions)
	r.Set("runs of a program", o.Runs)
	r.Settings = append(r.Settings, b.Settings...)
	run, err := r.Begin()
	if err != nil {
		return nil, err
	}
	cases, closeAll, err := b.Setup()
	if err != nil {
		return nil, err
	}
	defer closeAll()
	err = program.Measure(ctx, o, cases, func(m *program.Program, i int, ns float64) {
		r.Add(report.Point{Metric: Cost, Case: m.Case}, m.System, i, ns)
	})
	if err != nil {
		return nil, err
	}
	if err := run.End(); err != nil {
		return nil, err
	}
	for _, p := range r.Points(Cost) {
		r.AtMost(p.Case+", P4 / C by hand", p, InP4, ByHand, maxOverHand, "")
	}
	return r, nil
}
