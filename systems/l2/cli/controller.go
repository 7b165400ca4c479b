// Package cli is the part of p4/l2 in the command line of p4ce: the application of the controller,
// and how its state is printed.
package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/ctrl/admin"
	ctrlcli "github.com/p4ce/p4ce/ctrl/cli"
	"github.com/p4ce/p4ce/ctrl/session"
	"github.com/p4ce/p4ce/internal/units"
	"github.com/p4ce/p4ce/systems/l2/control"
)

// App is the application for the controller.
var App = ctrlcli.App{
	Program: control.Program,
	Help:    "  l2    loads p4/l2/l2.p4: the switch learns MAC addresses, which age out after --age.",
	Example: "  p4ce controller --switch 192.0.2.9:9559=l2 --ports 1,2,3 --age 1m",
	New:     func() ctrlcli.Flags { return new(flags) },
	Status:  printStatus,
}

type flags struct{ age time.Duration }

func (l *flags) Add(f *pflag.FlagSet) {
	f.DurationVar(&l.age, "age", 0, "l2: forget an address after this long without a packet from it (default 5m)")
}

func (l *flags) App(sw ctrlcli.Switch, _ ctrlcli.Kept) (session.App, error) {
	return control.New(control.Config{Ports: sw.Ports, Age: l.age})
}

func (l *flags) Fleet() (*ctrlcli.Fleet, error) { return nil, nil }

func printStatus(w io.Writer, sw *admin.SwitchStatus) error {
	var st control.Status
	if err := json.Unmarshal(sw.State, &st); err != nil {
		return fmt.Errorf("switch %s: status: %w", sw.Name, err)
	}
	_, err := fmt.Fprintf(w, "  %s, %s\n", units.Count(st.Addresses, "address", "addresses"), units.Count(len(st.Ports), "port"))
	return err
}
