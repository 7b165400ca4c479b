package fabric

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

func sortErrors(errs []error) {
	slices.SortStableFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
}

// Quantiles are those that Row.Quantiles has.
var Quantiles = []float64{1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9, 100}

// Row is what came out of a load.
type Row struct {
	Load           string
	Requests, Done int
	Size           int
	Goodput        float64 // bit/s
	P50, P99, Max  time.Duration
	Mean           time.Duration
	Quantiles      []time.Duration // of the latency, as Quantiles has them
	Connected      time.Duration
	Unheld         int
	Err            error
	From           string
	Receivers      int
	Labels         []string // as System.Labels has them
	Counts         []uint64 // as System.Counts has them
}

// Rows are the results of all loads.
func (r *Run) Rows() []Row {
	var out []Row
	for _, l := range r.Loads {
		h, c := l.Result.Latency, &l.Config
		row := Row{
			Load: c.Name, Requests: c.Count, Done: l.Result.Done, Size: c.Size, Goodput: l.Result.Goodput(c.Size),
			P50: time.Duration(h.ValueAtQuantile(50)), P99: time.Duration(h.ValueAtQuantile(99)), Max: time.Duration(h.Max()),
			Mean: time.Duration(h.Mean()), Connected: l.Result.Connected.Duration(), Unheld: l.Result.Unheld, Err: l.Result.Err,
			From: c.From, Receivers: len(c.To), Labels: l.own.Labels(), Counts: make([]uint64, len(r.Fabric.system.Counts)),
		}
		for _, q := range Quantiles {
			row.Quantiles = append(row.Quantiles, time.Duration(h.ValueAtQuantile(q)))
		}
		if l.client != nil {
			copy(row.Counts, l.client.Counts())
		}
		out = append(out, row)
	}
	return out
}

// Write prints a run for people.
func (r *Run) Write(w io.Writer) error {
	s, f := r.Scenario, r.Fabric
	fmt.Fprintf(w, "%s (hosts: %d, switches: %d, links: %d; seed %d)\n", s.Name, len(f.Hosts), len(f.Switches), len(f.Links), s.Seed)
	t := &s.Topology
	fmt.Fprintf(w, "assumed: switch %v; interface post %v, receive %v, complete %v; controller %v away, %v for an update\n", t.Switches.Latency,
		t.Interfaces.Post, t.Interfaces.Receive, t.Interfaces.Complete, t.Controller.Delay, t.Controller.Write)
	if c := t.Interfaces.CPU.String(); c != "" {
		fmt.Fprintf(w, "         CPU of a host: %s\n", c)
	}
	if p := t.Interfaces.Packet; p > 0 {
		fmt.Fprintf(w, "         a packet takes each direction of a host's interface %v\n", p)
	}
	fmt.Fprintln(w)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	rows, sys := r.Rows(), f.system
	fmt.Fprint(tw, "load\t")
	inTable(tw, sys.Labels, func(i int) any { return sys.Labels[i].Table })
	fmt.Fprint(tw, "size\tdone\tgoodput\tp50\tp99\tmax\t")
	inTable(tw, sys.Counts, func(i int) any { return sys.Counts[i].Table })
	fmt.Fprintln(tw, "connected\t")
	for _, x := range rows {
		fmt.Fprintf(tw, "%s\t", x.Load)
		inTable(tw, sys.Labels, func(i int) any { return x.Labels[i] })
		fmt.Fprintf(tw, "%d\t%d/%d\t%v\t%v\t%v\t%v\t", x.Size, x.Done, x.Requests, Rate(x.Goodput), x.P50, x.P99, x.Max)
		inTable(tw, sys.Counts, func(i int) any { return x.Counts[i] })
		fmt.Fprintf(tw, "%v\t\n", x.Connected)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for _, x := range rows {
		switch {
		case x.Err != nil:
			fmt.Fprintf(w, "%s: ended: %v\n", x.Load, x.Err)
		case x.Done < x.Requests:
			fmt.Fprintf(w, "%s: not finished at %v, the end of the run\n", x.Load, s.Until)
		}
		if x.Unheld > 0 {
			fmt.Fprintf(w, "%s: %d REQUESTS WERE ANSWERED THAT TOO FEW RECEIVERS HOLD\n", x.Load, x.Unheld)
		}
	}
	fmt.Fprintln(w)
	if err := r.links(w); err != nil {
		return err
	}
	if err := r.threads(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%v simulated, %d packet-hops, trace hash %016x\n", f.Now().Duration(), f.Hops(), r.Hash.Sum())
	return err
}

// inTable prints the cells of those columns that the table has.
func inTable(w io.Writer, columns []Column, cell func(i int) any) {
	for i, c := range columns {
		if c.Table != "" {
			fmt.Fprintf(w, "%v\t", cell(i))
		}
	}
}

// busiest is how many links are printed.
const busiest = 12

// links prints the directions that carried most, or lost something.
func (r *Run) links(w io.Writer) error {
	var list []*Half
	for _, l := range r.Fabric.Links {
		list = append(list, l.Half[:]...)
	}
	slices.SortStableFunc(list, func(a, b *Half) int {
		if x, y := b.lost(), a.lost(); x != y {
			return int(x) - int(y)
		}
		return int(b.Count.DeliveredBytes) - int(a.Count.DeliveredBytes)
	})
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "link\tpackets\tbytes\tqueue peak\tdropped\tlost\tdoubled\tspoilt\tmarked\tpauses\tpaused\t")
	for _, h := range list[:min(busiest, len(list))] {
		c := &h.Count
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%v\t\n", h.Name, c.Delivered, c.DeliveredBytes, h.Peak, c.DropFull+c.DropDown, c.Lost,
			c.Duplicated, c.Corrupted, c.Marked, c.Pauses, c.Paused.Duration())
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if n := len(list) - busiest; n > 0 {
		_, err := fmt.Fprintf(w, "and %d more\n", n)
		return err
	}
	return nil
}

// threads prints the threads and interfaces of hosts that were busy most, if any took time.
func (r *Run) threads(w io.Writer) error {
	var list []*Thread
	for _, h := range r.Fabric.Hosts {
		for _, t := range h.threads {
			if t.Jobs > 0 {
				list = append(list, t)
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	slices.SortStableFunc(list, func(a, b *Thread) int { return cmp.Compare(b.Utilization(), a.Utilization()) })
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "\nthread\tjobs\tbusy\t")
	for _, t := range list[:min(busiest, len(list))] {
		fmt.Fprintf(tw, "%s\t%d\t%.1f%%\t\n", t.Name, t.Jobs, 100*t.Utilization())
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	if n := len(list) - busiest; n > 0 {
		_, err := fmt.Fprintf(w, "and %d more\n", n)
		return err
	}
	return nil
}

func (h *Half) lost() uint64 { return h.Count.DropFull + h.Count.DropDown + h.Count.Lost }

// CSV writes the loads as comma-separated values, times in nanoseconds, goodput in bit/s.
func (r *Run) CSV(w io.Writer) error {
	c := csv.NewWriter(w)
	// Of Write an error stays, and Error has it.
	names := func(columns []Column) (out []string) {
		for _, x := range columns {
			out = append(out, x.CSV)
		}
		return out
	}
	sys := r.Fabric.system
	_ = c.Write(slices.Concat([]string{"load", "from"}, names(sys.Labels), []string{
		"receivers", "size", "requests", "done", "goodput_bps", "p50_ns", "p99_ns", "max_ns", "mean_ns", "connected_ns",
	}, names(sys.Counts), []string{"unheld"}))
	d := func(n any) string { return fmt.Sprint(n) }
	for _, x := range r.Rows() {
		line := slices.Concat([]string{x.Load, x.From}, x.Labels, []string{
			d(x.Receivers), d(x.Size), d(x.Requests), d(x.Done), strconv.FormatFloat(x.Goodput, 'f', 0, 64),
			d(x.P50.Nanoseconds()), d(x.P99.Nanoseconds()), d(x.Max.Nanoseconds()), d(x.Mean.Nanoseconds()), d(x.Connected.Nanoseconds()),
		})
		for _, n := range x.Counts {
			line = append(line, d(n))
		}
		_ = c.Write(append(line, d(x.Unheld)))
	}
	c.Flush()
	return c.Error()
}
