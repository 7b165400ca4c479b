// Package demo has the demo of atomic multicast: p4ce demo amcast.
package demo

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/internal/cli/demo"
	"github.com/p4ce/p4ce/systems/amcast"
	"github.com/p4ce/p4ce/systems/amcast/control"
	"github.com/p4ce/p4ce/systems/amcast/lab"
	"github.com/p4ce/p4ce/systems/amcast/lab/traffic"
)

// Demos are the system's.
var Demos = []demo.Demo{{
	Command: command,
	About: `p4ce demo amcast builds two leaves and two spines that order the transactions of a store. The store
has three partitions, each with replicas on two of six hosts. Transactions read and write keys of one, two or
three partitions, and are serializable. With --kill, a switch or a host dies meanwhile.`,
}}

func command() *cobra.Command {
	var kill string
	c := demo.Switches{
		Name: "amcast", Short: "Run transactions over several partitions, with switches that order them",
		Long: `Build a network of two leaves and two spines that run atomic multicast (see docs/amcast.md), and six
hosts. Each of three groups has three switches as members, and is a partition of a store, with replicas on two
hosts. All hosts run clients, whose transactions read and write keys of one, two or three partitions: each
transaction is one message, to the groups of its keys. The demo prints in which order each replica has executed
the transactions, and how long they took. It checks that the replicas of a partition agree, that the order is
acyclic over all partitions, and, from what the clients have read, that the transactions are serializable.

--kill leader, spine or host kills one while the clients run.`,
		Window: amcast.Window,
		Count:  3000,
		Run: func(ctx context.Context, r *demo.Run) error {
			i := slices.IndexFunc(faults, func(f lab.Fault) bool { return f.Name == kill })
			if i < 0 {
				return cli.Usagef("--kill %q: leader, spine or host", kill)
			}
			if r.Window&(r.Window-1) != 0 {
				return cli.Usagef("--window %d: want a power of two", r.Window)
			}
			return show(ctx, r, faults[i])
		},
	}.Command()
	f := c.Flags()
	f.StringVar(&kill, "kill", "", "what dies while the clients run: leader, spine or host")
	f.Lookup("count").Usage = "number of transactions"
	f.Lookup("window").Usage = "clients of each host, which do one transaction after the other"
	_ = f.Set("window", fmt.Sprint(amcast.Window)) // all that the switches have
	f.Lookup("window").DefValue = fmt.Sprint(amcast.Window)
	return c
}

// faults are what --kill may say.
var faults = []lab.Fault{{}, lab.LeaderDies, lab.SpineDies, lab.HostDies}

// show runs the demo.
func show(ctx context.Context, r *demo.Run, f lab.Fault) error {
	fmt.Fprintf(r.Stdout, `Two leaves and two spines, each a process, on %s.
Three groups, each with three of the switches as members, are the partitions of a store. Six hosts have
two replicas of each partition, and run %d clients each. A transaction has keys of one to three partitions.

`, r.Where(), r.Window)
	setup, cancel := context.WithTimeout(ctx, demo.StartTimeout)
	defer cancel()
	net, err := lab.Start(setup, lab.Options{Binary: r.Self, Dir: r.Dir, Target: r.Target, Log: r.Log(), Window: r.Window})
	if err != nil {
		return err
	}
	defer net.Close()
	limit, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	t, err := traffic.Start(limit, net)
	if err != nil {
		return err
	}
	defer t.Close()
	each := max(2, r.Count/len(net.Hosts()))
	t.Run(r.Window, each)
	if f.Name != "" {
		if err := t.Ended(limit, each*len(net.Hosts())/2); err != nil {
			return err
		}
		t.Kill(f)
	}
	if err := t.Settle(limit); err != nil {
		return err
	}
	order(r, t)
	transactions(r, t)
	seen, err := t.Judge()
	if err != nil {
		return err
	}
	fmt.Fprintf(r.Stdout, `
All replicas of a partition that live have executed the same transactions, each once, in the same order.
Over all partitions, no transaction comes after itself. The transactions are serializable: one order explains
all %d values that their clients have seen, and in each partition one that keeps real time.
`, seen)
	if f.Name == "" {
		return nil
	}
	return killed(limit, r, t, net, f)
}

// order shows what each replica has executed.
func order(r *demo.Run, t *traffic.Traffic) {
	tab := tabwriter.NewWriter(r.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "PARTITION\tREPLICA\tEXECUTED\tPER SECOND\tLATENCY P50\tP99\tORDER (CLIENT/NUMBER), ITS LAST, AND A DIGEST OF ALL")
	for _, x := range t.Replicas() {
		var last []string
		for _, m := range x.Log[max(0, len(x.Log)-3):] {
			last = append(last, m.ID.String())
		}
		name := x.Host
		if x.Dead {
			name += " (killed)"
		}
		fmt.Fprintf(tab, "%d\t%s\t%d\t%.0f\t%v\t%v\t%s  %016x\n", x.Group, name, len(x.Log), float64(len(x.Log))/t.Lasted().Seconds(), demo.Micros(x.Took.P50), demo.Micros(x.Took.P99), strings.Join(last, " "), digest(x.Log))
	}
	tab.Flush()
}

// digest is a number for what a replica has executed, in its order.
func digest(order []amcast.Delivery) uint64 {
	h := fnv.New64a()
	for _, m := range order {
		fmt.Fprintln(h, m.Final, m.ID)
	}
	return h.Sum64()
}

// transactions shows how transactions have ended.
func transactions(r *demo.Run, t *traffic.Traffic) {
	fmt.Fprintln(r.Stdout)
	tab := tabwriter.NewWriter(r.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "TRANSACTIONS OF\tENDED\tPER SECOND\tLATENCY P50\tP99")
	open := 0
	for _, c := range t.Counts() {
		name := fmt.Sprint(c.Partitions, " partitions")
		switch c.Partitions {
		case 0:
			name, open = "all", c.Open
		case 1:
			name = "1 partition"
		}
		fmt.Fprintf(tab, "%s\t%d\t%.0f\t%v\t%v\n", name, c.Took.Count, float64(c.Took.Count)/t.Lasted().Seconds(), demo.Micros(c.Took.P50), demo.Micros(c.Took.P99))
	}
	tab.Flush()
	if open > 0 {
		fmt.Fprintf(r.Stdout, "%d more were under way at hosts that were killed: each is executed by all its partitions, or by none.\n", open)
	}
}

// killed shows how long what died was missed, and who leads now.
func killed(ctx context.Context, r *demo.Run, t *traffic.Traffic, net *lab.Network, f lab.Fault) error {
	var wait time.Duration
	for _, x := range t.Replicas() {
		if !x.Dead {
			wait = max(wait, x.Gap)
		}
	}
	gap, of := t.Gap()
	fmt.Fprintf(r.Stdout, "\nKilled while the clients ran: %s.\nThe longest that a replica waited for a transaction was %v, and that none of a partition ended %v (partition %d).\n",
		f.Text, wait.Round(time.Millisecond), gap.Round(time.Millisecond), of)
	list, err := net.Await(ctx, func(g *control.GroupStatus) bool { return g.State == "running" })
	if err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b control.GroupStatus) int { return cmp.Compare(a.Number, b.Number) })
	var text []string
	for _, g := range list {
		text = append(text, fmt.Sprintf("%s leads group %d in epoch %d", g.Leader, g.Number, g.Epoch))
	}
	fmt.Fprintf(r.Stdout, "Now %s.\n", strings.Join(text, ", "))
	return nil
}
