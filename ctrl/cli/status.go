package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/ctrl/admin"
)

// Status is the command that shows what a controller says of its switches.
func Status(apps []App) *cobra.Command {
	var f AdminFlags
	c := &cobra.Command{
		Use:   "status",
		Short: "Show the switches of a controller, their hosts and groups",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := f.Client().Status(cmd.Context())
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			if f.JSON {
				return PrintJSON(w, s)
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
				fmt.Fprintf(w, "switch %s: %s, runs %s, requests waiting: %d\n", sw.Name, state, sw.Program, sw.Waiting)
				if len(sw.Down) > 0 {
					fmt.Fprintf(w, "  ports that are down: %s\n", strings.Trim(fmt.Sprint(sw.Down), "[]"))
				}
				for _, app := range apps {
					if app.Program != sw.Program || app.Status == nil || string(sw.State) == "null" {
						continue
					}
					if err := app.Status(w, &sw); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
	f.Add(c)
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
	return what + fmt.Sprintf("controller %s is the primary since %s; this one is a standby", u.Holder, u.Since.Format(time.RFC3339))
}
