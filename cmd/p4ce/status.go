package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/ctrl/admin"
	"github.com/p4ce/p4ce/systems/l2/control"
	paxoscontrol "github.com/p4ce/p4ce/systems/paxos/control"
	rdmacontrol "github.com/p4ce/p4ce/systems/rdma/control"
)

func statusCommand() *cobra.Command {
	var f adminFlags
	c := &cobra.Command{
		Use:   "status",
		Short: "Show the switches of a controller, their hosts and groups",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := f.client().Status(cmd.Context())
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			if f.json {
				return printJSON(w, s)
			}
			for _, u := range s.Units {
				fmt.Fprintln(w, unitLine(&u))
			}
			for _, sw := range s.Switches {
				state := "not connected"
				switch {
				case sw.InControl:
					state = "in control"
				case sw.Primary:
					state = "taking over"
				case sw.Connected:
					state = "backup"
				}
				fmt.Fprintf(w, "switch %s: %s, runs %s, %d requests waiting\n", sw.Name, state, sw.Program, sw.Waiting)
				if len(sw.Down) > 0 {
					fmt.Fprintf(w, "  ports that are down: %s\n", strings.Trim(fmt.Sprint(sw.Down), "[]"))
				}
				if print := statusOf[sw.Program]; print != nil && string(sw.State) != "null" {
					if err := print(w, &sw); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
	f.add(c)
	return c
}

// unitLine says who serves the switches of a unit.
func unitLine(u *admin.UnitStatus) string {
	what := "unit " + u.Name + " (" + strings.Join(u.Switches, ", ") + "): "
	switch {
	case u.Holder == "":
		return what + "no primary is known"
	case u.Here:
		return what + fmt.Sprintf("this controller, %s, is the primary since %s", u.Holder, u.Since.Format(time.RFC3339))
	}
	return what + fmt.Sprintf("controller %s is the primary since %s; this one stands by", u.Holder, u.Since.Format(time.RFC3339))
}

// statusOf prints what the application of a program says about a switch.
var statusOf = map[string]func(io.Writer, *admin.SwitchStatus) error{
	rdmacontrol.Program:  printRDMA,
	control.Program:      printL2,
	paxoscontrol.Program: printPaxos,
}

func printL2(w io.Writer, sw *admin.SwitchStatus) error {
	var st control.Status
	if err := json.Unmarshal(sw.State, &st); err != nil {
		return fmt.Errorf("switch %s: status: %w", sw.Name, err)
	}
	_, err := fmt.Fprintf(w, "  %d addresses, %d ports\n", st.Addresses, len(st.Ports))
	return err
}

func printRDMA(w io.Writer, sw *admin.SwitchStatus) error {
	st, err := rdmacontrol.StatusOf(sw)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "  own address %s (%s), %d groups\n", strings.Join(st.IPs, " "), st.MAC, st.Groups)
	if len(st.Down) > 0 {
		fmt.Fprintf(w, "  links that are down: at ports %s\n", strings.Trim(fmt.Sprint(st.Down), "[]"))
	}
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, h := range st.Hosts {
		how := "learnt"
		if h.Static {
			how = "configured"
		}
		fmt.Fprintf(tab, "  host %s\t%s\tport %d\t%s\n", h.IP, h.MAC, h.Port, how)
	}
	return tab.Flush()
}
