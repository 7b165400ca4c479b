package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
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
				fmt.Fprintf(w, "switch %s: %s, own address %s (%s), %d groups, %d requests waiting\n",
					sw.Name, state, strings.Join(sw.IPs, " "), sw.MAC, sw.Groups, sw.Waiting)
				tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
				for _, h := range sw.Hosts {
					how := "learnt"
					if h.Static {
						how = "configured"
					}
					fmt.Fprintf(tab, "  host %s\t%s\tport %d\t%s\n", h.IP, h.MAC, h.Port, how)
				}
				if err := tab.Flush(); err != nil {
					return err
				}
			}
			return nil
		},
	}
	f.add(c)
	return c
}
