// Package cluster runs one switch of P4CE or MC-RDMA and its controller, for the demo, the
// benchmarks and the tests with real processes: see package lab/runner.
package cluster

import (
	"context"

	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/lab/runner"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/systems/rdma/control"
)

// Pin is the folder where a switch keeps its data plane (Options.Pin).
const Pin = lab.Pins + "/p4ce"

// Options says what to run.
type Options struct {
	runner.Options
	Ports      []runner.Port // nil: those of all hosts of the lab
	Pin        bool          // keep the data plane when the switch is killed
	Switch     []string      // more flags of p4ce switch
	Controller []string      // more flags of p4ce controller
}

// Cluster is a switch with its controller.
type Cluster struct {
	*runner.Star
	Admin *control.AdminClient
}

// New returns a cluster that does not run yet.
func New(o Options) (*Cluster, error) {
	info, err := p4.Info(control.Program)
	if err != nil {
		return nil, err
	}
	so := runner.StarOptions{Program: control.Program, Info: info, Ports: o.Ports, Switch: o.Switch, Controller: append(address(), o.Controller...)}
	if o.Pin {
		so.Switch = append([]string{"--pin", Pin}, so.Switch...)
	}
	s, err := runner.NewStar(o.Options, so)
	if err != nil {
		return nil, err
	}
	return &Cluster{s, control.NewAdminClient(s.AdminOf(runner.Controller))}, nil
}

// address are the flags that say who the switch is.
func address() []string {
	return []string{"--address", lab.SwitchIP.String(), "--mac", lab.SwitchMAC.String()}
}

// Start starts the switch and then the controller of a new cluster, and waits until both
// are ready. In a lab, what was started by then ends with the lab.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	c, err := New(o)
	if err == nil {
		err = c.StartBoth(ctx)
	}
	return c, err
}

// StartAnother starts one more controller of the switch, with flags of its own in place of those of the first,
// and waits until it is ready, or stands by.
func (c *Cluster) StartAnother(ctx context.Context, name string, flags ...string) (*launch.Process, *control.AdminClient, error) {
	err := c.Star.StartAnother(ctx, name, append(address(), flags...)...)
	return c.Program(name), control.NewAdminClient(c.AdminOf(name)), err
}
