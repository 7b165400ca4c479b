package failover

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/p4ce/p4ce/bench/report"
)

// paper is what the P4CE paper measured, Table IV: Mu and P4CE.
var paper = map[string][2]string{
	NoCrash:        {"-", "-"},
	CrashedReplica: {"0.1 ms", "40.1 ms"},
	CrashedLeader:  {"0.9 ms", "40.9 ms"},
	CrashedSwitch:  {"60 ms", "60 ms"},
	FormingGroup:   {"-", "40 ms"},
	FormingOwn:     {"-", "-"},
}

var (
	events = []string{NoCrash, CrashedReplica, CrashedLeader, CrashedSwitch, FormingGroup, FormingOwn}
	modes  = []string{"direct", "accelerated"}
)

// rounds returns the times of an event in a mode, in the order of measuring.
func (r *Result) rounds(event, mode string) (out []time.Duration) {
	for _, s := range r.Samples {
		if s.Event == event && s.Mode == mode {
			out = append(out, s.Took)
		}
	}
	return out
}

// took is rounds in the order of size.
func (r *Result) took(event, mode string) []time.Duration {
	out := r.rounds(event, mode)
	slices.Sort(out)
	return out
}

func quantile(sorted []time.Duration, q float64) time.Duration {
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// Write writes the timelines, failover.svg and .png, into a folder, and the table beside
// the paper's to w.
func (r *Result) Write(w io.Writer, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tab, "EVENT\tMODE\tROUNDS\tMEDIAN\tP99\tMAX\tPAPER: MU\tP4CE\n")
	ms := func(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d)/1e6) }
	for _, e := range events {
		for _, m := range modes {
			if t := r.took(e, m); len(t) > 0 {
				fmt.Fprintf(tab, "%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\n", e, m, len(t), ms(quantile(t, 0.5)), ms(quantile(t, 0.99)), ms(t[len(t)-1]), paper[e][0], paper[e][1])
			}
		}
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	for _, e := range events[1:4] {
		if d, a := r.took(e, modes[0]), r.took(e, modes[1]); len(d) > 0 && len(a) > 0 {
			fmt.Fprintf(w, "%s: accelerated / direct = %.2f (medians of this run)\n", e, float64(quantile(a, 0.5))/float64(quantile(d, 0.5)))
		}
	}
	return report.DrawPanels(dir, "failover", r.timelines())
}

// bin is the resolution of the timeline.
const bin = 2 * time.Millisecond

// timelines are what was decided around each fault, averaged over the rounds.
func (r *Result) timelines() (all []report.Panel) {
	for _, e := range events[1:4] {
		p := report.Panel{
			Title: e, X: "ms since the fault", Y: "decided per ms",
			Min: -float64(Around) / 1e6 / 3, Max: float64(Around) / 1e6 * 2 / 3,
		}
		for system, m := range modes {
			key := Key{e, m}
			if r.Rounds[key] == 0 {
				continue
			}
			counts := map[int]int{}
			for _, a := range r.Answers[key] {
				counts[int((a+Around)/bin)]++
			}
			c := report.Curve{Name: m, System: system}
			for i := range int(2 * Around / bin) {
				x := float64(time.Duration(i)*bin-Around) / 1e6
				if x < p.Min || x > p.Max {
					continue
				}
				c.Points = append(c.Points, report.XY{X: x, Y: float64(counts[i]) / float64(r.Rounds[key]) / (float64(bin) / 1e6)})
			}
			p.Curves = append(p.Curves, c)
		}
		all = append(all, p)
	}
	return all
}

// Bound is the longest interruption by a crashed switch that the project holds itself
// to.
const Bound = 60 * time.Millisecond

// Over says which aims were missed.
func (r *Result) Over() []string {
	var out []string
	if t := r.took(CrashedSwitch, "accelerated"); len(t) > 0 && quantile(t, 0.5) > Bound {
		out = append(out, fmt.Sprintf("a crashed switch costs %v (aim: less than %v)", quantile(t, 0.5).Round(time.Microsecond), Bound))
	}
	if t := r.took(FormingOwn, "accelerated"); len(t) > 0 && quantile(t, 0.5) > 5*time.Millisecond {
		out = append(out, fmt.Sprintf("forming a group takes controller and switch %v (aim: less than 5ms)", quantile(t, 0.5).Round(time.Microsecond)))
	}
	for _, e := range []string{CrashedReplica, CrashedLeader} {
		d, a := r.took(e, "direct"), r.took(e, "accelerated")
		if len(d) > 0 && len(a) > 0 && float64(quantile(a, 0.5)) > 1.1*float64(quantile(d, 0.5)) {
			out = append(out, fmt.Sprintf("%s: accelerated mode is interrupted for longer than direct mode", strings.ToLower(e)))
		}
	}
	return out
}
