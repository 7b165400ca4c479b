package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	ctrlcli "github.com/p4ce/p4ce/ctrl/cli"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/systems/amcast/control"
)

// Command is p4ce amcast.
func Command() *cobra.Command {
	return cli.Parent(&cobra.Command{
		Use:   "amcast",
		Short: "Show and change the groups of atomic multicast",
	}, statusCommand(), groupsCommand(), membersCommand())
}

// status is what p4ce amcast status shows.
type status struct {
	Groups []control.GroupStatus `json:"groups"`
	Hosts  []control.HostStatus  `json:"hosts"`
}

func client(f *ctrlcli.AdminFlags) *control.AdminClient {
	return &control.AdminClient{Client: f.Client()}
}

func statusCommand() *cobra.Command {
	var f ctrlcli.AdminFlags
	c := &cobra.Command{
		Use: "status", Short: "Show whether all groups have a leader, and which hosts take part", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			var s status
			if s.Groups, err = client(&f).Groups(cmd.Context()); err != nil {
				return err
			}
			if s.Hosts, err = client(&f).Hosts(cmd.Context()); err != nil {
				return err
			}
			if f.JSON {
				return ctrlcli.PrintJSON(cmd.OutOrStdout(), &s)
			}
			return s.print(cmd.OutOrStdout())
		},
	}
	f.Add(c)
	return c
}

func (s *status) print(w io.Writer) error {
	running := 0
	for _, g := range s.Groups {
		if g.State == "running" {
			running++
		}
	}
	fmt.Fprintf(w, "groups: %d of %d have their leaders\n", running, len(s.Groups))
	for _, g := range s.Groups {
		switch g.State {
		case "changing":
			fmt.Fprintf(w, "group %d: epoch %d was begun, and is not complete\n", g.Number, g.Begun)
		case "waiting":
			fmt.Fprintf(w, "group %d: waiting: %s\n", g.Number, g.Why)
		}
	}
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "HOST\tSTATE\tCLIENT\tHEARD OF")
	for _, h := range s.Hosts {
		number, ago := "-", "-"
		if h.State != "awaited" {
			number, ago = fmt.Sprint(h.Client), h.Ago.Round(time.Millisecond).String()+" ago"
		}
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\n", h.Host, h.State, number, ago)
	}
	return tab.Flush()
}

func groupsCommand() *cobra.Command {
	var f ctrlcli.AdminFlags
	c := &cobra.Command{
		Use: "groups", Short: "Show the epochs, members and replicas of all groups", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := client(&f).Groups(cmd.Context())
			if err != nil {
				return err
			}
			if f.JSON {
				return ctrlcli.PrintJSON(cmd.OutOrStdout(), list)
			}
			return printGroups(cmd.OutOrStdout(), list)
		},
	}
	f.Add(c)
	return c
}

func printGroups(w io.Writer, list []control.GroupStatus) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "GROUP\tSTATE\tEPOCH\tLEADER\tMEMBERS\tDELIVERERS\tREPLICAS")
	for _, g := range list {
		var members, replicas []string
		for _, m := range g.Members {
			members = append(members, marked(m.Switch, m.State, "ready"))
		}
		for _, r := range g.Replicas {
			replicas = append(replicas, marked(r.Host, r.State, "there"))
		}
		leader := g.Leader
		if leader == "" {
			leader = "-"
		}
		fmt.Fprintf(tab, "%d\t%s\t%d\t%s\t%s\t%s\t%s\n", g.Number, g.State, g.Epoch, leader, strings.Join(members, ", "), strings.Join(g.Deliverers, ", "), strings.Join(replicas, ", "))
	}
	return tab.Flush()
}

// marked is a name, and its state if that is not the usual one.
func marked(name, state, usual string) string {
	if state == usual {
		return name
	}
	return fmt.Sprintf("%s (%s)", name, state)
}

func membersCommand() *cobra.Command {
	var f ctrlcli.AdminFlags
	c := &cobra.Command{
		Use:   "members GROUP LEADER [FOLLOWER...]",
		Short: "Give a group other members, the first of which leads",
		Long: `Give a group other members. They must be among the members and spares that the deployment file names
for the group, and the controller must have them. The first one leads. The group gets a new epoch, in
which the new members have all that the old ones have. The command returns when the controller has recorded what is
wanted; p4ce amcast groups shows when it is done.`,
		Example: "  p4ce amcast members 1 spine1 spine2 leaf2",
		Args:    cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := strconv.ParseUint(args[0], 10, 8)
			if err != nil || n == 0 {
				return cli.Usagef("group %q: want a number from 1 to 255", args[0])
			}
			return client(&f).SetMembers(cmd.Context(), uint8(n), args[1:])
		},
	}
	f.Add(c)
	return c
}
