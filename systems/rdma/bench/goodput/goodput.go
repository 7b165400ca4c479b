// Package goodput measures the bytes of values that a leader decides per second when its link is
// the limit, by the size of a value, in direct and accelerated mode and as Mu: figure 5 of the P4CE paper.
package goodput

import (
	"context"
	"fmt"
	"strings"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/systems/rdma/bench/modes"
	"github.com/p4ce/p4ce/systems/rdma/lab/group"
)

// Metrics of a result.
const (
	Goodput = "goodput"
	Link    = "use of the leader's link"
)

// Wanted are the targets for the ratio of goodputs, by replicas; the paper has 2 and 4.
var Wanted = map[int]float64{2: 1.95, 4: 3.8}

// From is the size from which on the targets hold, as in the paper.
const From = 500

// Near is the part of its rate that a link carries which is the limit.
const Near = 0.9

// Options say what to measure.
type Options struct {
	modes.Options
	Sizes   []int   // bytes of a value
	Rate    float64 // of the leader's link, in bits per second
	Seconds float64 // that a repetition takes in accelerated mode
	Window  int
}

// New describes a run.
func New(o Options) *report.Result {
	r := &report.Result{Name: "goodput", Title: "Goodput against the size of values, the leader's link as the limit", Systems: modes.Systems(),
		Axis:    report.Metric{Name: "size of a value", Unit: "B"},
		Metrics: []report.Metric{{Name: Goodput, Unit: "Mbit/s"}, {Name: Link, Unit: "%", NoRatio: true}}}
	r.Set("leader's link", fmt.Sprintf("%g Mbit/s", o.Rate/1e6))
	r.Set("limited by", "pacing in the leader's endpoint (bytes with FCS, preamble and gap; the kernel's shapers do not see what AF_XDP sends)")
	r.Set("window", o.Window)
	r.Set("leader's ACK timeout", ackTimeout)
	o.Size = 0 // it is the axis
	o.Note(r)
	return r
}

// Figures are what is drawn of a result.
func Figures() []report.Figure {
	return []report.Figure{{Name: "goodput", Title: "Goodput, the leader's link as the limit", Metric: Goodput, LogX: true}}
}

// ackTimeout is longer than what a window waits for a slow link.
const ackTimeout = "2s"

// header is about what a WRITE of one packet takes of a link beside a value: Ethernet
// with preamble, gap and FCS 38, IPv4 20, UDP 8, BTH 12, RETH 16, ICRC 4, and the log's.
const header = 120

// count is how many values fill the link for a repetition's time.
func (o Options) count(size int) int {
	return max(int(o.Rate/8*o.Seconds/float64(size+header)), 2*o.Window)
}

// Measure measures with every number of replicas and every size, one after the other.
func Measure(ctx context.Context, o Options) (*report.Result, error) {
	r := New(o)
	return o.Options.Measure(r, func(n int) error {
		for _, size := range o.Sizes {
			if err := measure(ctx, o, n, size, r); err != nil {
				return fmt.Errorf("%d bytes: %w", size, err)
			}
		}
		judge(r, n, o.Sizes)
		return nil
	})
}

func measure(ctx context.Context, o Options, n, size int, r *report.Result) error {
	at := func(metric string) report.Point {
		return report.Point{Metric: metric, Case: modes.Case(n), X: float64(size)}
	}
	return o.Run(ctx, r, modes.Turns{
		Replicas: n, What: fmt.Sprintf(", %d B", size), Record: size, Window: o.Window,
		Leader: []string{"--count", fmt.Sprint(o.count(size)), "--input", o.Input,
			"--link-rate", fmt.Sprintf("%.0f", o.Rate), "--ack-timeout", ackTimeout},
		After: func(_ *group.Group, t modes.Turn) error {
			r.Add(at(Goodput), t.Mode, t.Repetition, float64(t.Done.Bytes)*8/t.Done.Seconds/1e6)
			r.Add(at(Link), t.Mode, t.Repetition, 100*float64(t.Done.Sent)*8/t.Done.Seconds/o.Rate)
			return nil
		},
	})
}

// judge compares the goodputs of each size that the target is about, if it was the link
// that limited them in both modes.
func judge(r *report.Result, n int, sizes []int) {
	wanted, ok := Wanted[n]
	if !ok {
		return
	}
	name := modes.Case(n)
	for _, size := range sizes {
		if size < From {
			continue
		}
		for _, by := range modes.Baselines() {
			var why []string
			for _, mode := range []string{modes.Accelerated, by} {
				if use := r.Of(report.Point{Metric: Link, Case: name, X: float64(size)}, mode).Median; use < 100*Near {
					why = append(why, fmt.Sprintf("in %s mode the leader's link carried %.0f %% of its rate: something else was the limit", mode, use))
				}
			}
			r.AtLeast(fmt.Sprintf("goodput of %d B at %d replicas, accelerated / %s", size, n, by), report.Point{Metric: Goodput, Case: name, X: float64(size)},
				modes.Accelerated, by, wanted, strings.Join(why, "; "))
		}
	}
}
