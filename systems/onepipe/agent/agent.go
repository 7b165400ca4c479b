// Package agent is what the agent of a switch (p4ce switch) does for 1Pipe, where the data plane only forwards: it computes
// barriers, and sends beacons.
//
//	         beacons                        beacons
//	ports ────────────▶ p4/onepipe, whole ──────────▶ ports
//	  │                 in this process
//	  └── messages: p4/onepipecpu in the data plane ─▶ ports
//
// The program is the same in both places (package dataplane/halves). The data plane forwards messages by links that are open,
// and marks them, so that nobody takes their barriers for the link's. A beacon comes to the agent when all that came before it
// is in the queues of its ports, and what the agent sends takes its place behind that.
package agent

import (
	"errors"
	"time"

	"github.com/spf13/pflag"

	"github.com/p4ce/p4ce/dataplane/agent"
	"github.com/p4ce/p4ce/dataplane/agent/cli"
	"github.com/p4ce/p4ce/dataplane/halves"
	names "github.com/p4ce/p4ce/p4/onepipe"
)

// Beacons is the program of such a switch.
var Beacons = halves.Program{Name: "onepipe", Fast: "onepipecpu", Reason: uint64(names.ReasonBeacon)}

const flag = "onepipe-beacons"

// Option is the flag of p4ce switch.
var Option = cli.Option{
	Help: `With --onepipe-beacons, the data plane only forwards packets of 1Pipe. This process computes
the barriers and sends the beacons, in place of the data plane: as soon as a beacon comes, or
at an interval. Name such switches in the network's file ("beacons": "cpu", docs/onepipe.md).`,
	Example: "  p4ce switch --port 1=eth1 --port 2=eth2 --onepipe-beacons=50us",
	Add: func(f *pflag.FlagSet) func(*agent.Config) error {
		interval := f.Duration(flag, 0, "compute the barriers of 1Pipe here, and send beacons, at this interval; 0: whenever a beacon has come")
		f.Lookup(flag).NoOptDefVal = "0s"
		return func(c *agent.Config) error {
			switch {
			case !f.Changed(flag):
				return nil
			case *interval < 0 || *interval > time.Second:
				return errors.New("--" + flag + ": want at most 1s")
			}
			c.Halves, c.HalvesInterval = &Beacons, *interval
			return nil
		}
	},
}
