package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	ctrlcli "github.com/p4ce/p4ce/ctrl/cli"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/systems/onepipe/control"
)

// Command is p4ce onepipe.
func Command() *cobra.Command {
	return cli.Parent(&cobra.Command{
		Use:   "onepipe",
		Short: "Show the state of a 1Pipe network",
	}, statusCommand(), linksCommand(), processesCommand())
}

// status is what p4ce onepipe status shows.
type status struct {
	Links      []control.LinkStatus       `json:"links"`
	Processes  []control.ProcessStatus    `json:"processes"`
	Failures   []control.FailureStatus    `json:"failures"`
	Forwarding []control.ForwardingStatus `json:"forwarding"`
}

func statusCommand() *cobra.Command {
	var f ctrlcli.AdminFlags
	c := &cobra.Command{
		Use: "status", Short: "Show whether the network is in order, and for whom it waits", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var s status
			if err := get(cmd.Context(), &f, "links", &s.Links); err != nil {
				return err // once: the others would say the same
			}
			err := errors.Join(get(cmd.Context(), &f, "processes", &s.Processes), get(cmd.Context(), &f, "failures", &s.Failures), get(cmd.Context(), &f, "forwarding", &s.Forwarding))
			if err != nil {
				return err
			}
			if f.JSON {
				return ctrlcli.PrintJSON(cmd.OutOrStdout(), &s)
			}
			s.print(cmd.OutOrStdout())
			return nil
		},
	}
	f.Add(c)
	return c
}

func (s *status) print(w io.Writer) {
	links := map[string]int{}
	for _, l := range s.Links {
		links[l.State]++
	}
	fmt.Fprintf(w, "links: %d open, %d joining, %d off\n", links["open"], links["joining"]+links["counting"], links["off"])
	admitted, processes := 0, 0
	for _, p := range s.Processes {
		if p.Admitted {
			admitted++
			processes += int(p.Count)
		}
	}
	fmt.Fprintf(w, "hosts: %d admitted, %d joining; processes: %d\n", admitted, len(s.Processes)-admitted, processes)
	if len(s.Failures) == 0 {
		fmt.Fprintln(w, "failures: none in progress")
	}
	for _, x := range s.Failures {
		fmt.Fprintf(w, "failure: host %s, processes %d to %d; reliable delivery waits for answers of %s\n",
			x.Host, x.First, x.First+x.Count-1, cmp.Or(strings.Join(x.Waits, ", "), "nobody"))
	}
	for _, x := range s.Forwarding {
		for _, p := range x.Pairs {
			fmt.Fprintf(w, "forwarding: host %s does not answer host %s; the controller forwards their reliable messages\n", p.To, p.From)
		}
	}
}

func linksCommand() *cobra.Command {
	return listCommand("links", "Show the inputs of all switches, and which of them are admitted", func(cmd *cobra.Command, list []control.LinkStatus) error {
		tab := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
		fmt.Fprintln(tab, "SWITCH\tPORT\tFROM\tSIDE\tSTATE")
		for _, l := range list {
			side := "below"
			if l.Above {
				side = "above"
			}
			fmt.Fprintf(tab, "%s\t%d\t%s\t%s\t%s\n", l.Switch, l.Port, l.From, side, l.State)
		}
		return tab.Flush()
	})
}

func processesCommand() *cobra.Command {
	return listCommand("processes", "Show the hosts that have joined, and their processes", func(cmd *cobra.Command, list []control.ProcessStatus) error {
		tab := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
		fmt.Fprintln(tab, "HOST\tADDRESS\tSWITCH\tPROCESSES\tADMITTED")
		for _, p := range list {
			fmt.Fprintf(tab, "%s\t%s\t%s\t%d to %d\t%v\n", p.Host, p.Addr, p.Switch, p.First, p.First+p.Count-1, p.Admitted)
		}
		return tab.Flush()
	})
}

// listCommand asks a controller for a list.
func listCommand[T any](name, short string, show func(*cobra.Command, []T) error) *cobra.Command {
	var f ctrlcli.AdminFlags
	c := &cobra.Command{
		Use: name, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var list []T
			if err := get(cmd.Context(), &f, name, &list); err != nil {
				return err
			}
			if f.JSON {
				return ctrlcli.PrintJSON(cmd.OutOrStdout(), list)
			}
			return show(cmd, list)
		},
	}
	f.Add(c)
	return c
}

func get[T any](ctx context.Context, f *ctrlcli.AdminFlags, name string, list *[]T) error {
	return f.Client().Get(ctx, "/v1/"+name, list)
}
