// Package cluster runs a switch and its controller as processes of the binary, for the demo, the
// benchmarks and the tests with real processes. They run in the switch's namespace of a lab, with
// the requirements of package lab, or without a lab, with datagram sockets for ports.
package cluster

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/systems/rdma/control"
)

// Build builds p4ce into a folder and returns its path. flags are flags of
// go build.
func Build(dir string, flags ...string) (string, error) { return launch.Build(dir, "p4ce", flags...) }

// Pin is the folder where a switch keeps its data plane (Options.Pin).
const Pin = lab.Pins + "/p4ce"

// Port is a port of the switch.
type Port struct {
	Number    uint16
	Interface string // or a pair of sockets, as p4ce switch --port takes it
}

// Options says what to run.
type Options struct {
	Lab        *lab.Lab // nil: where we are ourselves
	Binary     string
	Dir        string // for sockets; must have a short path
	Ports      []Port
	Program    string    // of the switch; default rdma
	Pin        bool      // keep the data plane when the switch is killed
	Switch     []string  // more flags of p4ce switch
	Controller []string  // more flags of p4ce controller
	Log        io.Writer // what both log; nil discards
	// Logs says where one of them ("switch", "controller") logs; nil: to Log.
	Logs func(name string) io.Writer
	// Watch is told of both; nil: nobody is.
	Watch *launch.Watch
}

func (o *Options) program() string {
	if o.Program == "" {
		return control.Program
	}
	return o.Program
}

// Cluster is a switch with its controller.
type Cluster struct {
	Admin *control.AdminClient
	P4RT  *p4rtclient.Client // reads the switch
	Info  *p4rtclient.Info   // of the program

	Switch, Controller *launch.Process

	opts        Options
	p4rt, admin string
}

// New returns a cluster that does not run yet.
func New(o Options) *Cluster {
	return &Cluster{opts: o, p4rt: "unix:" + filepath.Join(o.Dir, "p4rt.sock"), admin: "unix:" + filepath.Join(o.Dir, "admin.sock")}
}

// Start starts the switch and then the controller of a new cluster, and waits until both
// are ready. In a lab, what was started by then ends with the lab.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	c := New(o)
	if err := c.StartSwitch(ctx); err != nil {
		return nil, err
	}
	if err := c.StartController(ctx); err != nil {
		return nil, err
	}
	return c, c.Connect()
}

// Connect makes the clients.
func (c *Cluster) Connect() error {
	info, err := p4.Info(c.opts.program())
	if err != nil {
		return err
	}
	c.Info = p4rtclient.NewInfo(info)
	if c.P4RT, err = p4rtclient.New(p4rtclient.Options{Address: c.p4rt}); err != nil {
		return err
	}
	c.Admin = control.NewAdminClient(c.admin)
	return nil
}

// AdminAddress is where the controller serves its admin API.
func (c *Cluster) AdminAddress() string { return c.admin }

// Close closes the clients. The processes of a lab end with it.
func (c *Cluster) Close() {
	if c.P4RT != nil {
		c.P4RT.Close()
	}
}

// End ends the controller and then the switch.
func (c *Cluster) End(ctx context.Context) {
	for _, p := range []*launch.Process{c.Controller, c.Switch} {
		if p != nil {
			p.End(ctx)
		}
	}
}

// StartSwitch starts the switch; also again, after its end.
func (c *Cluster) StartSwitch(ctx context.Context) (err error) {
	args := []string{"switch", "--listen", c.p4rt}
	for _, p := range c.opts.Ports {
		args = append(args, "--port", fmt.Sprintf("%d=%s", p.Number, p.Interface))
	}
	if c.opts.Pin {
		args = append(args, "--pin", Pin)
	}
	c.Switch, err = c.start(ctx, "switch", append(args, c.opts.Switch...))
	return err
}

// StartController starts the controller; also again, after its end.
func (c *Cluster) StartController(ctx context.Context) (err error) {
	c.Controller, err = c.start(ctx, "controller", c.controller(c.admin, c.opts.Controller))
	return err
}

// StartAnother starts one more controller of the switch, with flags of its own in place of those of the first,
// and waits until it is ready, or stands by.
func (c *Cluster) StartAnother(ctx context.Context, name string, flags ...string) (*launch.Process, *control.AdminClient, error) {
	admin := "unix:" + filepath.Join(c.opts.Dir, name+".sock")
	p, err := c.start(ctx, name, c.controller(admin, flags))
	return p, control.NewAdminClient(admin), err
}

// controller is the command line of a controller.
func (c *Cluster) controller(admin string, flags []string) []string {
	args := []string{"controller", "--switch", c.p4rt + "=" + c.opts.program(), "--admin", admin}
	if c.opts.program() == control.Program {
		args = append(args, "--address", lab.SwitchIP.String(), "--mac", lab.SwitchMAC.String())
	}
	for _, p := range c.opts.Ports {
		args = append(args, "--ports", fmt.Sprint(p.Number))
	}
	return append(args, flags...)
}

// start starts a process of the binary and waits until it says that it is ready.
func (c *Cluster) start(ctx context.Context, name string, args []string) (*launch.Process, error) {
	log := c.opts.Log
	if c.opts.Logs != nil {
		log = c.opts.Logs(name)
	}
	p, err := launch.Start(c.opts.Lab, launch.Options{Name: name, Args: append([]string{c.opts.Binary}, args...), Log: log})
	if err != nil {
		return nil, err
	}
	if c.opts.Watch != nil {
		c.opts.Watch.Add(p)
	}
	return p, p.AwaitReady(ctx)
}

// Counter reads one cell of a counter of the switch, in packets.
func (c *Cluster) Counter(ctx context.Context, name string, index int) (uint64, error) {
	v, err := c.P4RT.ReadCounter(ctx, c.Info, name, index)
	if err != nil {
		return 0, err
	}
	if len(v) != 1 {
		return 0, fmt.Errorf("counter %s[%d]: %d values", name, index, len(v))
	}
	return v[0].Packets, nil
}
