// Package logs is the command p4ce paxos: the replicated logs of a controller, and hosts that have one.
package logs

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	ctrlcli "github.com/p4ce/p4ce/ctrl/cli"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/systems/paxos/control"
)

// logs asks a controller for them.
func logs(f *ctrlcli.AdminFlags) *control.AdminClient {
	return &control.AdminClient{Client: f.Client()}
}

// Command is the command paxos.
func Command() *cobra.Command {
	return cli.Parent(&cobra.Command{
		Use:   "paxos",
		Short: "List, show, move or trim the replicated logs of a controller, or be a host of one",
		Long: `List, show, move or trim the replicated logs (applications of p4/paxos) of a controller that runs with
--deployment: their leaders and rounds, their acceptors, and how full their rings are.`,
	}, listCommand(), showCommand(), leadCommand(), trimCommand(), hostCommand(), roleCommand())
}

func listCommand() *cobra.Command {
	var f ctrlcli.AdminFlags
	c := &cobra.Command{
		Use:   "list",
		Short: "List all applications",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := logs(&f).Applications(cmd.Context())
			if err != nil {
				return err
			}
			if f.JSON {
				return ctrlcli.PrintJSON(cmd.OutOrStdout(), list)
			}
			tab := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(tab, "APPLICATION\tSTATE\tADDRESS\tLEADER\tROUND\tACCEPTORS\tRING")
			for _, a := range list {
				var acceptors []string
				for _, m := range a.Acceptors {
					text := m.Switch
					if m.State != "ready" {
						text += " (" + m.State + ")"
					}
					acceptors = append(acceptors, text)
				}
				fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%d\t%s\t%s\n", a.Name, a.State, a.Address, orDash(a.Leader), a.Round, strings.Join(acceptors, ","), ring(&a))
			}
			return tab.Flush()
		},
	}
	f.Add(c)
	return c
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// ring says how full a ring is.
func ring(a *control.Info) string {
	if a.Next == 0 {
		return "-"
	}
	return fmt.Sprintf("%d of %d (%.0f%%)", a.Next-a.First, a.Instances, 100*a.Used())
}

func showCommand() *cobra.Command {
	var f ctrlcli.AdminFlags
	c := &cobra.Command{
		Use:   "show APPLICATION",
		Short: "Show an application: its switches, its replicas, and its counters",
		Long: `Show an application: its switches, its replicas, and its counters. Of each switch it shows which
instances its registers admit: it has forgotten what is below. Of each replica it shows which
instances are in its checkpoint.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := logs(&f).Application(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if f.JSON {
				return ctrlcli.PrintJSON(cmd.OutOrStdout(), a)
			}
			return printApplication(cmd.OutOrStdout(), a)
		},
	}
	f.Add(c)
	return c
}

func printApplication(w io.Writer, a *control.Info) error {
	fmt.Fprintf(w, "application %s at %s: %s", a.Name, a.Address, a.State)
	if a.Waiting != "" {
		fmt.Fprintf(w, " (%s)", a.Waiting)
	}
	fmt.Fprintf(w, "\n  leader %s in round %d; rounds up to %d were handed out\n", orDash(a.Leader), a.Round, a.Highest)
	fmt.Fprintf(w, "  instances %d to %d may be used, the next is %s; ring %s\n", a.First, a.Last, orDash(strings.TrimPrefix(fmt.Sprint(a.Next), "0")), ring(a))
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, m := range a.Acceptors {
		fmt.Fprintf(tab, "  acceptor %d\t%s%s\t%s\tlife %#x%s\n", i, m.Switch, on(&m), m.State, m.Life, window(&m))
	}
	for _, m := range a.Others {
		fmt.Fprintf(tab, "  may be %s\t%s\t%s\tlife %#x%s\n", strings.Join(m.Roles, ", "), m.Switch+on(&m), m.State, m.Life, window(&m))
	}
	for _, r := range a.Replicas {
		if r.Ago < 0 {
			fmt.Fprintf(tab, "  host %s\tnothing heard\n", r.Host)
			continue
		}
		silent := ""
		if r.Silent {
			silent = ", hears no answers"
		}
		fmt.Fprintf(tab, "  host %s\tdelivered up to %d of %d, checkpoint up to %d, %v ago%s\n", r.Host, r.Delivered-min(r.Delivered, 1), r.Heard, r.Checkpoint-min(r.Checkpoint, 1), r.Ago.Round(time.Millisecond), silent)
	}
	fmt.Fprintf(tab, "  take-overs\t%d, of them %d for another acceptor; registers were lost %d times\n", a.Stats.TakeOvers, a.Stats.Replaced, a.Stats.Forgotten)
	fmt.Fprintf(tab, "  gaps\t%d (%d instances); trimmed %d times\n", a.Stats.Gaps, a.Stats.Filled, a.Stats.Trims)
	if a.TrimTo != 0 {
		fmt.Fprintf(tab, "  trimming\tby order: waits for checkpoints up to %d\n", a.TrimTo-1)
	}
	return tab.Flush()
}

// on says which switch a place is on.
func on(m *control.MemberInfo) string {
	if m.On == "" {
		return ""
	}
	return " on " + m.On
}

// window says which instances a switch admits.
func window(m *control.MemberInfo) string {
	if m.First == 0 && m.Last == 0 {
		return ""
	}
	return fmt.Sprintf("\tinstances %d to %d", m.First, m.Last)
}

func trimCommand() *cobra.Command {
	var f ctrlcli.AdminFlags
	var timeout time.Duration
	c := &cobra.Command{
		Use:   "trim APPLICATION",
		Short: "Have replicas make checkpoints, and switches forget what is in them",
		Long: `Have the replicas of an application make checkpoints, and the switches forget what is in the
checkpoints of more than half of them. This happens by itself before the switches have no room
left. Afterwards, a replica that lacks older instances gets them from another replica only.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if timeout <= 0 {
				return cli.Usagef("--timeout %v: above 0", timeout)
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			a, err := logs(&f).Trim(ctx, args[0])
			if err != nil {
				return err
			}
			if a.First == 1 {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "application %s: there is nothing to forget\n", a.Name)
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "application %s: the switches have forgotten everything up to instance %d\n", a.Name, a.First-1)
			return err
		},
	}
	f.AddController(c)
	c.Flags().DurationVar(&timeout, "timeout", 10*time.Second, "how long to wait for checkpoints")
	return c
}

func leadCommand() *cobra.Command {
	var f ctrlcli.AdminFlags
	c := &cobra.Command{
		Use:   "lead APPLICATION SWITCH",
		Short: "Make a switch the leader of an application",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return logs(&f).Lead(cmd.Context(), args[0], args[1])
		},
	}
	f.AddController(c)
	return c
}
