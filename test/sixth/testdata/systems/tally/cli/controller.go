// Package cli is the part of p4/tally in p4ce's command line: the controller's application, and the
// command p4ce tally.
package cli

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	ctrlcli "github.com/p4ce/p4ce/ctrl/cli"
	"github.com/p4ce/p4ce/ctrl/session"
	"github.com/p4ce/p4ce/systems/tally/control"
)

// App is the application for the controller.
var App = ctrlcli.App{
	Program: control.Program,
	Help:    "  tally loads p4/tally/tally.p4: the switch counts requests by their keys. Needs --tally-host.",
	Example: "  p4ce controller --switch 192.0.2.9:9559=tally --tally-host 02:00:00:00:00:0a,1 --tally-host 02:00:00:00:00:0b,2",
	New:     func() ctrlcli.Flags { return new(flags) },
}

type flags struct{ hosts []string }

func (l *flags) Add(f *pflag.FlagSet) {
	f.StringArrayVar(&l.hosts, "tally-host", nil, "tally: host at a port of the switch: MAC,PORT (repeat for each)")
}

func (l *flags) App(ctrlcli.Switch, ctrlcli.Kept) (session.App, error) {
	var hosts []control.Host
	for _, text := range l.hosts {
		h, err := parseHost(text)
		if err != nil {
			return nil, fmt.Errorf("--tally-host %s: %w", text, err)
		}
		hosts = append(hosts, h)
	}
	return control.New(hosts)
}

func (l *flags) Fleet() (*ctrlcli.Fleet, error) { return nil, nil }

func parseHost(text string) (h control.Host, err error) {
	addr, number, _ := strings.Cut(text, ",")
	mac, err := net.ParseMAC(addr)
	if err != nil || len(mac) != len(h.MAC) {
		return h, fmt.Errorf("%q is no MAC address", addr)
	}
	port, err := strconv.ParseUint(number, 10, 9)
	if err != nil {
		return h, fmt.Errorf("%q is no port: want 0 to 511", number)
	}
	return control.Host{MAC: [6]byte(mac), Port: uint16(port)}, nil
}
