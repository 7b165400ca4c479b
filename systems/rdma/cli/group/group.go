// Package group is the command p4ce group: the groups of a controller.
package group

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	ctrlcli "github.com/p4ce/p4ce/ctrl/cli"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/internal/units"
	"github.com/p4ce/p4ce/systems/rdma/control"
)

// groups asks a controller for them.
func groups(f *ctrlcli.AdminFlags) *control.AdminClient {
	return &control.AdminClient{Client: f.Client()}
}

// Command is the command group.
func Command() *cobra.Command {
	return cli.Parent(&cobra.Command{Use: "group", Short: "List, show, create or delete the groups of a controller"},
		listCommand(), showCommand(), createCommand(), deleteCommand())
}

func listCommand() *cobra.Command {
	var f ctrlcli.AdminFlags
	var static bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List all running groups, or with --static the static groups",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if static {
				return listStatic(cmd, &f)
			}
			groups, err := groups(&f).Groups(cmd.Context())
			if err != nil {
				return err
			}
			if f.JSON {
				return ctrlcli.PrintJSON(cmd.OutOrStdout(), groups)
			}
			if len(groups) == 0 {
				fmt.Fprintln(cmd.OutOrStdout(), "no groups")
				return nil
			}
			tab := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(tab, "GROUP\tSTATE\tLEADER\tREPLICAS\tPOLICY\tBCASTQP\tSWITCH")
			for _, g := range groups {
				var replicas []string
				for _, r := range g.Slots {
					replicas = append(replicas, r.Replica)
				}
				fmt.Fprintf(tab, "%d\t%s\t%s\t%s\t%s\t%#x\t%s\n", g.Index, g.Phase, g.Leader, strings.Join(replicas, ","), g.Policy, g.BCastQP, g.Switch)
			}
			return tab.Flush()
		},
	}
	f.Add(c)
	c.Flags().BoolVar(&static, "static", false, "list the static groups (p4ce group create)")
	c.Flags().BoolVar(&static, "made", false, "the earlier name of --static")
	_ = c.Flags().MarkHidden("made")
	return c
}

func showCommand() *cobra.Command {
	var f ctrlcli.AdminFlags
	var sw string
	c := &cobra.Command{
		Use:   "show GROUP",
		Short: "Show a group, by its number, with the counters of the switch; or a static group, by its name",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			index, err := strconv.ParseUint(args[0], 10, 16)
			if err != nil && args[0] != "" && !strings.ContainsAny(args[0][:1], "-0123456789") {
				return showStatic(cmd, &f, args[0], sw)
			}
			if err != nil {
				return cli.Usagef("group %q: want the number that `p4ce group list` prints", args[0])
			}
			client := groups(&f)
			if sw == "" {
				if sw, err = switchOf(cmd, client, int(index)); err != nil {
					return err
				}
			}
			g, err := client.Group(cmd.Context(), sw, int(index))
			if err != nil {
				return err
			}
			if f.JSON {
				return ctrlcli.PrintJSON(cmd.OutOrStdout(), g)
			}
			printGroup(cmd.OutOrStdout(), g)
			return nil
		},
	}
	f.Add(c)
	c.Flags().StringVar(&sw, "switch", "", "switch of the group, when several have one of this number")
	return c
}

// switchOf finds the one switch that has a group of this number.
func switchOf(cmd *cobra.Command, client *control.AdminClient, index int) (string, error) {
	groups, err := client.Groups(cmd.Context())
	if err != nil {
		return "", err
	}
	var found []string
	for _, g := range groups {
		if int(g.Index) == index {
			found = append(found, g.Switch)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("group %d does not exist (p4ce group list shows those that do)", index)
	case 1:
		return found[0], nil
	}
	return "", cli.Usagef("group %d is on the switches %s: choose with --switch", index, strings.Join(found, ", "))
}

func printGroup(w io.Writer, g *control.GroupInfo) {
	fmt.Fprintf(w, "group %d on %s: %s\n", g.Index, g.Switch, g.Phase)
	fmt.Fprintf(w, "  leader %s (server %d, term %d) -> BCastQP %#x, region of %d bytes\n", g.Leader, g.LeaderID, g.Term, g.BCastQP, g.Size)
	fmt.Fprintf(w, "  policy %s: the leader is answered when %d of %d replicas hold the data\n", g.Policy, g.Needed, len(g.Slots))
	for i, r := range g.Slots {
		state := ""
		switch c := g.Counters; {
		case r.Failed:
			state = "  failed"
		case c != nil && slices.Contains(c.Out, i):
			state = "  out: behind the window, until the group is formed again"
		}
		if r.Part > 0 {
			state += fmt.Sprintf("  a switch, gathers for %s", units.Count(r.Part, "replica"))
		}
		fmt.Fprintf(w, "  slot %d  %s  QPN %#x <- AggrQP %#x%s\n", i, r.Replica, r.QPN, r.AggrQP, state)
	}
	if g.AwaitedSwitch != 0 {
		fmt.Fprintf(w, "  formed in %v: %v for the replicas, %v for the switch\n", (g.AwaitedReplicas + g.AwaitedSwitch).Round(time.Microsecond),
			g.AwaitedReplicas.Round(time.Microsecond), g.AwaitedSwitch.Round(time.Microsecond))
	}
	if c := g.Counters; c != nil {
		fmt.Fprintf(w, "  scattered %d requests (%d bytes); gathered %d answers, passed on %d, of them NAKs %d; committed PSN %d\n",
			c.Scattered, c.ScatteredBytes, c.Gathered, c.Answered, c.NAKs, c.Committed)
	}
}
